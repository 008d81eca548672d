//! Iteration after iteration in one dispatch, while the lists are short or of medium length: on a road or a grid a dispatch for each of
//! thousands of iterations costs more than these. Every row is short.

use super::split::Destination;
use super::{NearFarData, NearFarParams, NearFarState, Paths, Progress, Reached};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::rounds::{Cooperating, Round, RoundState, Rounds, Team, Workgroup, join, run_rounds};
use core::marker::PhantomData;

const NEAR: u32 = NearFarState::NEAR;
const FAR_ADDED: u32 = NearFarState::FAR_ADDED;
const SHORTEST: u32 = NearFarState::SHORTEST;

/// What is at the ends of four edges.
type Four = (Reached, Reached, Reached, Reached);

#[inline_all]
impl<D: Distance> Paths<'_, D> {
    /// Relaxes an edge of a node at `distance` and the next three before `end`. Their loads and atomics are in flight together.
    fn relax_four(&mut self, progress: Progress, distance: u32, edge: u32, end: u32) -> Four {
        let last = end - 1;
        let a = self.along(distance, edge, true);
        let b = self.along(distance, last.min(edge + 1), edge < last);
        let c = self.along(distance, last.min(edge + 2), edge + 1 < last);
        let d = self.along(distance, last.min(edge + 3), edge + 2 < last);
        let fell = (self.lower(a), self.lower(b), self.lower(c), self.lower(d));
        let (a, b) = (self.settle(progress, a, fell.0), self.settle(progress, b, fell.1));
        let (c, d) = (self.settle(progress, c, fell.2), self.settle(progress, d, fell.3));
        (a, b, c, d)
    }

    /// Puts a node on the lists that it goes on. Returns the next places.
    fn put<T: Team<NearFarState>>(
        &mut self,
        team: &mut T,
        round: u32,
        progress: Progress,
        reached: Reached,
        (near, far): (u32, u32),
    ) -> (u32, u32) {
        if reached.near == 1 {
            team.put(&mut self.data.lists, round, near, reached.node);
        }
        if reached.far == 1 {
            let place = self.far(progress.far_half, progress.far + far);
            self.data.lists.store(place, reached.node);
        }
        (near + reached.near, far + reached.far)
    }

    /// Relaxes the edges of the near nodes, an invocation to each node.
    fn relax_round<T: Team<NearFarState>>(&mut self, team: &mut T, round: u32, progress: Progress) {
        for entry in team.entries(progress.near) {
            let node = team.entry(&self.data.lists, round, entry);
            let (mut edge, end) = (self.graph.row_offsets.get(node), self.graph.row_offsets.get(node + 1));
            let distance = self.data.distances.load(node);
            while edge < end {
                let (a, b, c, d) = self.relax_four(progress, distance, edge, end);
                let near = a.near + b.near + c.near + d.near;
                let far = a.far + b.far + c.far + d.far;
                if near + far > 0 {
                    let places = team.reserve_both(&mut self.state, (NEAR, FAR_ADDED), round, (near, far));
                    let places = self.put(team, round, progress, a, places);
                    let places = self.put(team, round, progress, b, places);
                    let places = self.put(team, round, progress, c, places);
                    self.put(team, round, progress, d, places);
                }
                edge += 4;
            }
        }
    }

    /// Splits the list of far nodes, an invocation to each node: see `split.rs`.
    fn split_round<T: Team<NearFarState>>(&mut self, team: &mut T, round: u32, progress: Progress) {
        let threshold = progress.grown::<D>(self.params.delta);
        let mut lowest = UNREACHED;
        for entry in team.entries(progress.far) {
            let node = self.data.lists.load(self.far(progress.far_half, entry));
            let (destination, distance) = self.destination(progress, threshold, node);
            if destination == Destination::Near {
                let place = team.reserve(&mut self.state, NEAR, round, 1);
                team.put(&mut self.data.lists, round, place, node);
            } else if destination == Destination::Far {
                let place = team.reserve(&mut self.state, FAR_ADDED, round, 1);
                let place = self.far(1 - progress.far_half, place);
                self.data.lists.store(place, node);
                lowest = lowest.min(distance);
            }
        }
        if lowest != UNREACHED {
            team.lower(&mut self.state, SHORTEST, round, lowest);
        }
    }
}

#[inline_all]
impl<D: Distance, T: Team<NearFarState>> Round<NearFarState, T> for Paths<'_, D> {
    type Known = Progress;
    type Memory = ();

    fn entries(progress: Progress) -> u32 {
        progress.entries()
    }

    fn clear(&mut self, team: &mut T, round: u32) {
        team.set_count(&mut self.state, NEAR, round, 0);
        team.set_count(&mut self.state, FAR_ADDED, round, 0);
        team.set_count(&mut self.state, SHORTEST, round, UNREACHED);
    }

    fn run(&mut self, team: &mut T, _: &mut (), round: u32, progress: Progress) -> u32 {
        if progress.splits() {
            self.split_round(team, round, progress);
        } else {
            self.relax_round(team, round, progress);
        }
        0
    }

    fn after(&mut self, team: &mut T, round: u32, progress: Progress) -> Progress {
        let state = &mut self.state;
        team.finish_round(state, round);
        let (near, far) = (team.count(state, NEAR, round), team.count(state, FAR_ADDED, round));
        let progress = progress.after::<D>(self.params.delta, near, far, team.count(state, SHORTEST, round));
        self.unless_arrived(progress)
    }
}

/// As many iterations as there are before a list is not short any more, by one workgroup.
#[kernel(threads = 1024, each(D in for_each_path))]
pub fn near_far_persistent<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    data: NearFarData,
    state: State<NearFarState>,
    entries: Shared<u32, 4080>,
    counts: Shared<u32, 9>,
) {
    let progress = Progress::of(&state);
    let mut paths = Paths::<D> { lane, params: *params, graph, data, state, distance: PhantomData };
    let lists = (params.nodes, progress.half);
    let mut team = Workgroup::new(lane, entries, counts, &paths.data.lists, lists, progress.near, true);
    paths.clear(&mut team, 0);
    lane.barrier();
    let Rounds { known: progress, count: rounds, .. } =
        run_rounds(&mut team, &mut paths, &mut (), progress, params.loop_limit);
    team.write_back(&mut paths.data.lists, rounds, progress.near);
    if lane.local == 0 {
        progress.write(params, &mut paths.state, 0);
    }
}

/// As many iterations as there are before a list is long, or short, by a few workgroups.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn near_far_cooperating<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    data: NearFarData,
    mut state: State<NearFarState>,
    membership: Shared<u32, 2>,
) {
    let progress = Progress::of(&state);
    let (lists, lengths) = ((params.nodes, progress.half), (params.short, params.medium));
    let mut team = join(lane, &mut state, membership, lists, lengths);
    let mut paths = Paths::<D> { lane, params: *params, graph, data, state, distance: PhantomData };
    let progress = run_rounds(&mut team, &mut paths, &mut (), progress, params.loop_limit).known;
    let state = &mut paths.state;
    if team.is_leader() {
        progress.write(params, state, 0);
    }
    if state.is_last(lane) {
        for round in 0..3 {
            state.store(NearFarState::count(NEAR, round), 0);
            state.store(NearFarState::count(FAR_ADDED, round), 0);
            state.store(NearFarState::count(SHORTEST, round), UNREACHED);
        }
        Cooperating::dissolve(state);
    }
}
