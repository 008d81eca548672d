//! Shortest paths that take near nodes first (Davidson et al. 2014, near-far piles, a simple form of delta-stepping). A node whose distance
//! has fallen is near if that is at most a threshold, and lowers its neighbours' distances in the next iteration; else it waits on a list of
//! far nodes. When no near node is left, the threshold grows, and the list is split. So few nodes are taken before their distance is final,
//! where the plain worklist takes most of them many times.
//!
//! A workgroup shares out the edges of its nodes evenly, and a row with thousands of edges is taken in pieces. While lists are short, one
//! workgroup or a few take many iterations in one dispatch. All of that is chosen on the device.

#[macro_use]
mod data;

// Public, or rust-gpu would not find the entry points.
pub mod begin;
pub mod exchange;
pub mod many_iterations;
pub mod needs;
mod relax;
mod split;

pub use data::{NearFarData, NearFarParams, NearFarState};
pub use many_iterations::FOR_ONE;
pub use relax::PIECE;

use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::workgroup::SUBGROUPS;
use crate::rounds::RoundState;
use core::marker::PhantomData;

/// The paths found so far, as one invocation sees them.
struct Paths<'a, D> {
    lane: Lane,
    params: NearFarParams,
    graph: Csr<Views<'a>>,
    data: NearFarData<Views<'a>>,
    state: State<'a, NearFarState>,
    distance: PhantomData<D>,
}

/// What is known before an iteration.
#[derive(Clone, Copy)]
struct Progress {
    /// Its number, from 1 on.
    iteration: u32,
    /// The list of near nodes that is read, 0 or 1.
    half: u32,
    /// How many nodes are on it, and pieces of long rows on theirs.
    near: u32,
    /// The list of far nodes, 0 or 1.
    far_half: u32,
    /// How many nodes are on it.
    far: u32,
    /// Up to this distance a node is near.
    threshold: u32,
    /// The shortest distance on the list of far nodes, if it has just been split; else 0.
    lowest: u32,
}

#[inline_all]
impl Progress {
    fn of(state: &State<NearFarState>) -> Self {
        // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
        let (entries, splits) = (state.get(NearFarState::FRONTIER), state.get(NearFarState::SPLITS));
        Self {
            iteration: state.get(NearFarState::ITERATION) + 1,
            half: state.get(NearFarState::HALF),
            near: if splits == 0 { entries } else { 0 },
            far_half: state.get(NearFarState::FAR_HALF),
            far: state.get(NearFarState::FAR),
            threshold: state.get(NearFarState::THRESHOLD),
            lowest: state.get(NearFarState::LOWEST),
        }
    }

    /// Whether this iteration splits the list of far nodes: no node is near.
    fn splits(&self) -> bool {
        self.near == 0
    }

    /// How many entries it reads.
    fn entries(&self) -> u32 {
        if self.splits() { self.far } else { self.near }
    }

    /// The threshold after a split: far nodes are further than the one before, and than the shortest distance known.
    fn grown<D: Distance>(&self, delta: u32) -> u32 {
        D::along(self.threshold.max(self.lowest), delta)
    }

    /// What is known after an iteration that has put `near` nodes on the one list and `far` on the other; if it has split them, `lowest` is
    /// the shortest of their distances.
    fn after<D: Distance>(self, delta: u32, near: u32, far: u32, lowest: u32) -> Self {
        let splits = self.splits();
        Self {
            iteration: self.iteration + 1,
            half: 1 - self.half,
            near,
            far_half: if splits { 1 - self.far_half } else { self.far_half },
            far: if splits { far } else { self.far + far },
            threshold: if splits { self.grown::<D>(delta) } else { self.threshold },
            lowest: if splits && near == 0 { lowest } else { 0 },
        }
    }

    /// Writes it for the next dispatch, which it sizes: the whole dispatch, or the one or few workgroups that take many iterations.
    fn write(&self, params: &NearFarParams, state: &mut State<NearFarState>, pieces: u32) {
        let mut groups = if self.splits() {
            self.far.div_ceil(WORKGROUP)
        } else {
            pieces + (self.near - pieces).div_ceil(params.nodes_per_group)
        };
        let entries = self.entries();
        let few = entries > 0 && entries <= params.medium;
        if few {
            groups = 0;
        }
        let cooperating = if entries <= FOR_ONE { 1 } else { params.cooperating };
        state.store(NearFarState::ITERATION, self.iteration - 1);
        state.store(NearFarState::FRONTIER, entries);
        state.store(NearFarState::PIECES, pieces);
        state.store(NearFarState::HALF, self.half);
        state.store(NearFarState::SPLITS, self.splits().into());
        state.store(NearFarState::FAR_HALF, self.far_half);
        state.store(NearFarState::FAR, self.far);
        state.store(NearFarState::THRESHOLD, self.threshold);
        state.store(NearFarState::LOWEST, self.lowest);
        state.store(NearFarState::GROUPS.at(0), groups.min(params.max_groups));
        state.store(NearFarState::COOPERATING_GROUPS.at(0), if few { cooperating } else { 0 });
    }
}

/// A node at the end of an edge, and the distance that it has along it.
#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    /// The distance, or [`UNREACHED`] when there is no edge.
    distance: u32,
    /// 1 when it goes on the list of near nodes.
    near: u32,
    /// 1 when it goes on the list of far nodes.
    far: u32,
}

#[inline_all]
impl<D: Distance> Paths<'_, D> {
    /// The entry of a list of near nodes.
    fn near(&self, half: u32, entry: u32) -> u32 {
        half * self.params.nodes + entry
    }

    /// The entry of a list of far nodes.
    fn far(&self, half: u32, entry: u32) -> u32 {
        (2 + half) * self.params.nodes + entry
    }

    /// Where a piece of a long row that is near begins.
    fn piece(&self, half: u32, entry: u32) -> u32 {
        2 * (half * self.params.pieces + entry)
    }

    /// What is at the end of an edge of a node at `distance`, if the edge is present.
    fn along(&mut self, distance: u32, edge: u32, present: bool) -> Reached {
        let (node, mut reached) =
            (self.graph.columns.get(edge), D::along(distance, D::weight(self.data.weights, edge)));
        if !present {
            reached = UNREACHED;
        } else if reached == UNREACHED {
            // Too far for 32 bits. The host looks into it if the node stays unreached.
            self.state.store(NearFarState::FLAGS, 1);
        }
        Reached { node, distance: reached, near: 0, far: 0 }
    }

    /// Lowers the node's distance. Whether it fell.
    fn lower(&mut self, reached: Reached) -> bool {
        reached.distance < self.data.distances.min(reached.node, reached.distance)
    }

    /// Finds out which list a node whose distance fell goes on, if it is not there already.
    fn settle(&mut self, progress: Progress, reached: Reached, fell: bool) -> Reached {
        let (mut near, mut far) = (0, 0);
        if fell && reached.distance <= progress.threshold {
            near = u32::from(self.data.marks.exchange(reached.node, progress.iteration) != progress.iteration);
        } else if fell {
            let bit = 1 << (reached.node % 32);
            far = u32::from(self.data.waiting.or(reached.node / 32, bit) & bit == 0);
        }
        Reached { near, far, ..reached }
    }

    /// Ends the search once the target is settled: when no node is near, distances up to the threshold are final, that of a target too. All invocations of a
    /// round get the same answer, because a split, which is next, changes no distance.
    fn unless_arrived(&self, progress: Progress) -> Progress {
        let mut far = progress.far;
        if self.params.target != UNREACHED && progress.near == 0 {
            let distance = self.data.distances.load(self.params.target);
            far = if distance <= progress.threshold { 0 } else { far };
        }
        Progress { far, ..progress }
    }

    /// Every invocation calls this last. When all are done, what was written becomes what is read.
    fn advance(&mut self, progress: Progress) {
        let ends_iteration = self.params.rows.is_last == 1;
        if self.state.is_last(self.lane) && ends_iteration {
            let state = &mut self.state;
            let far_added = NearFarState::count(NearFarState::FAR_ADDED, 0);
            let shortest = NearFarState::count(NearFarState::SHORTEST, 0);
            // All at once, so that the loads are in flight together.
            let (nodes, pieces) = (state.load(NearFarState::NEXT), state.load(NearFarState::NEXT_PIECES));
            let (far, lowest) = (state.load(far_added), state.load(shortest));
            state.store(NearFarState::NEXT, 0);
            state.store(NearFarState::NEXT_PIECES, 0);
            state.store(far_added, 0);
            state.store(shortest, UNREACHED);
            let progress = progress.after::<D>(self.params.delta, nodes + pieces, far, lowest);
            self.unless_arrived(progress).write(&self.params, &mut self.state, pieces);
        }
    }
}

/// One iteration by the whole dispatch.
#[kernel(threads = 256, each(D in for_each_metric))]
pub fn near_far<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    data: NearFarData,
    state: State<NearFarState>,
    mut cells: Shared<u32, 768>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (progress, pieces) = (Progress::of(&state), state.get(NearFarState::PIECES));
    let mut paths = Paths::<D> { lane, params: *params, graph, data, state, distance: PhantomData };
    if progress.splits() {
        // It takes no edges.
        if params.rows.is_last == 1 {
            paths.split(progress);
        }
    } else {
        paths.relax(progress, pieces, &mut cells, &mut slots);
    }
    paths.advance(progress);
}
