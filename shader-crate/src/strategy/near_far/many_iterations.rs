//! Iteration after iteration in one dispatch, while the lists are not long: on a road or a grid a dispatch for each of thousands of
//! iterations costs more than these. Every row is short.
//!
//! Workgroups share the list of near nodes, and each goes on alone for some rounds: it keeps the nodes that it finds near in its own memory and
//! relaxes their edges in the next round. Then all write what they have left to the list in device memory and wait for each other, which takes
//! longer than a round. A node may so be taken before the shortest path to it is found, as in every order of relaxations; it is then taken again.

use super::split::Destination;
use super::{NearFarData, NearFarParams, NearFarState, Paths, Progress, Reached};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::rounds::{Cooperating, Round, RoundState, Team, join, loop_iterations, run_rounds};
use core::marker::PhantomData;

const NEAR: u32 = NearFarState::NEAR;
const FAR_ADDED: u32 = NearFarState::FAR_ADDED;
const SHORTEST: u32 = NearFarState::SHORTEST;

/// Near nodes in each of a workgroup's two lists. Those that have no space go on the list in device memory.
const SPACE: u32 = 512;
/// What is longer is shared out anew before the next round.
const CROWDED: u32 = SPACE / 2;
/// Far nodes that a workgroup collects. Those that have no space go on the list in device memory at once.
const FAR_SPACE: u32 = 1024;

/// The longest list that is left to one workgroup.
pub const FOR_ONE: u32 = CROWDED;

/// What a workgroup keeps in its own memory.
pub(super) struct Local<'a> {
    /// Two lists of near nodes; an entry is a node and its distance.
    near: Shared<'a, u32, { 4 * SPACE as usize }>,
    far: Shared<'a, u32, { FAR_SPACE as usize }>,
    /// How many near nodes were put on a list, in three words that rounds use in turn, and how many far ones.
    counts: Shared<'a, u32, 4>,
}

#[inline_all]
impl Local<'_> {
    /// The counter of far nodes.
    const FAR: u32 = 3;

    /// Where an entry of the list is that a round reads.
    fn place(round: u32, entry: u32) -> u32 {
        2 * ((round % 2) * SPACE + entry)
    }

    /// An entry of the list that a round reads: a node, and the distance with which it was put there.
    fn entry(&self, round: u32, entry: u32) -> (u32, u32) {
        (self.near.get(Self::place(round, entry)), self.near.get(Self::place(round, entry) + 1))
    }
}

/// Invocations that take the edges of a node together: the nodes of a road or a grid have about as many.
const AT_A_NODE: u32 = 4;

/// A round of the workgroup, of which there are several between two grid-wide barriers.
#[derive(Clone, Copy)]
struct LocalRound {
    /// The number of the barrier that follows.
    barrier: u32,
    /// The number of rounds since the last barrier.
    number: u32,
}

#[inline_all]
impl<D: Distance> Paths<'_, D> {
    /// Puts a node whose distance fell on the list of the workgroup that it goes on.
    fn put(&mut self, local: &mut Local, round: LocalRound, progress: Progress, reached: Reached) {
        let is_near = reached.distance <= progress.threshold;
        let place = local.counts.add(if is_near { round.number % 3 } else { Local::FAR }, 1);
        if is_near && place < SPACE {
            let place = Local::place(round.number + 1, place);
            local.near.set(place, reached.node);
            local.near.set(place + 1, reached.distance);
        } else if !is_near && place < FAR_SPACE {
            local.far.set(place, reached.node);
        } else {
            self.list_in_memory(round, progress, reached);
        }
    }

    /// Puts a node on the list in device memory that it goes on, if it is not there already.
    fn list_in_memory(&mut self, round: LocalRound, progress: Progress, reached: Reached) {
        let Reached { node, near, far, .. } = self.settle(progress, reached, true);
        let counters = (NearFarState::count(NEAR, round.barrier), NearFarState::count(FAR_ADDED, round.barrier));
        let places = self.state.append_both(self.lane, counters, (near, far));
        if near == 1 {
            let place = self.near(1 - progress.half, places.0);
            self.data.lists.store(place, node);
        }
        if far == 1 {
            let place = self.far(progress.far_half, progress.far + places.1);
            self.data.lists.store(place, node);
        }
    }

    /// Relaxes the edges of the workgroup's near nodes. The first round reads the list in device memory, from `first` on.
    fn relax_round(&mut self, local: &mut Local, round: LocalRound, progress: Progress, first: u32, count: u32) {
        let lane = self.lane;
        for entry in step(lane.local / AT_A_NODE, count, lane.threads / AT_A_NODE) {
            let (node, mut known) = if round.number == 0 {
                let place = self.near(progress.half, first + entry);
                (self.data.lists.load(place), UNREACHED)
            } else {
                local.entry(round.number, entry)
            };
            let (begin, mut end) = (self.graph.row_offsets.get(node), self.graph.row_offsets.get(node + 1));
            let distance = self.data.distances.load(node);
            if round.number > 0 && distance < known {
                // Somebody has found a shorter path since then, and put the node on a list again.
                end = begin;
            }
            known = known.min(distance);
            for edge in step(begin + lane.local % AT_A_NODE, end, AT_A_NODE) {
                let reached = self.along(known, edge, true);
                if self.lower(reached) {
                    self.put(local, round, progress, reached);
                }
            }
        }
    }

    /// Relaxes the edges of the workgroup's share of the near nodes, and of the nodes near to these, for some rounds. All that is left is on the
    /// lists in device memory then.
    fn relax_rounds(&mut self, team: &Cooperating, local: &mut Local, barrier: u32, progress: Progress) {
        let lane = self.lane;
        let (first, mut count) = team.block(progress.near);
        if lane.local == 0 {
            local.counts.set(0, 0);
            local.counts.set(Local::FAR, 0);
        }
        lane.barrier();
        let most = if team.is_alone() { self.params.rounds_of_one } else { self.params.rounds };
        let mut round = LocalRound { barrier, number: 0 };
        while count > 0 && round.number < most && (round.number == 0 || count <= CROWDED) {
            if lane.local == 0 {
                // It was read at the end of the round before the last.
                local.counts.set((round.number + 1) % 3, 0);
            }
            self.relax_round(local, round, progress, first, count);
            lane.barrier();
            count = local.counts.get(round.number % 3).min(SPACE);
            round.number += 1;
        }
        let far = local.counts.get(Local::FAR).min(FAR_SPACE);
        for entry in lane.group_stride(count) {
            let (node, distance) = local.entry(round.number, entry);
            self.list_in_memory(round, progress, Reached { node, distance, near: 0, far: 0 });
        }
        for entry in lane.group_stride(far) {
            let node = local.far.get(entry);
            self.list_in_memory(round, progress, Reached { node, distance: UNREACHED, near: 0, far: 0 });
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
impl<'a, D: Distance> Round<NearFarState, Cooperating<'a>> for Paths<'a, D> {
    type Known = Progress;
    type Memory = Local<'a>;

    fn entries(progress: Progress) -> u32 {
        progress.entries()
    }

    fn cost(_: Progress, share: u32) -> u32 {
        loop_iterations(share) + 64 * loop_iterations(4)
    }

    fn clear(&mut self, team: &mut Cooperating<'a>, round: u32) {
        team.set_count(&mut self.state, NEAR, round, 0);
        team.set_count(&mut self.state, FAR_ADDED, round, 0);
        team.set_count(&mut self.state, SHORTEST, round, UNREACHED);
    }

    fn run(&mut self, team: &mut Cooperating<'a>, local: &mut Local<'a>, round: u32, progress: Progress) -> u32 {
        if progress.splits() {
            self.split_round(team, round, progress);
        } else {
            self.relax_rounds(team, local, round, progress);
        }
        0
    }

    fn after(&mut self, team: &mut Cooperating<'a>, round: u32, progress: Progress) -> Progress {
        let state = &mut self.state;
        team.finish_round(state, round);
        let (near, far) = (team.count(state, NEAR, round), team.count(state, FAR_ADDED, round));
        let progress = progress.after::<D>(self.params.delta, near, far, team.count(state, SHORTEST, round));
        self.unless_arrived(progress)
    }
}

/// As many iterations as there are before a list is long, by a few workgroups; by one while lists are short.
#[kernel(threads = 256, each(D in for_each_metric))]
pub fn near_far_cooperating<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    data: NearFarData,
    mut state: State<NearFarState>,
    near: Shared<u32, 2048>,
    far: Shared<u32, 1024>,
    counts: Shared<u32, 4>,
    membership: Shared<u32, 2>,
) {
    let progress = Progress::of(&state);
    let most = if lane.groups < params.cooperating { FOR_ONE } else { params.medium };
    let mut team = join(lane, &mut state, membership, (params.nodes, progress.half), (0, most));
    let mut paths = Paths::<D> { lane, params: *params, graph, data, state, distance: PhantomData };
    let mut local = Local { near, far, counts };
    let progress = run_rounds(&mut team, &mut paths, &mut local, progress, params.loop_limit).known;
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
