//! Hierarchical processing (Raval et al., HP): an iteration is taken in rounds. In each, an invocation takes a node and at most as
//! many of its edges as a threshold allows; nodes with edges left make the list of the next round, which is shorter. A list that
//! is too short to fill the device is finished by workload decomposition, be it the worklist or what a round has left of it.
//!
//! A step of the recorded loop is one round. The state says which list it takes, and how: lists change sides when one is over.

use super::TraversalParams;
use super::decompose::Block;
use super::scheduled::ExpandState;
use super::start::begin_at;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;
use crate::primitive::scan::prefix_by_workgroup;
use crate::primitive::workgroup::SUBGROUPS;
use evenkeel_types::{Offset, Remainder};

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct HierarchyParams {
    /// The number of nodes, and so of entries that a worklist can have.
    pub nodes: u32,
    /// The most workgroups of a round.
    pub max_groups: u32,
    /// The most workgroups of a dispatch that takes its edges by workload decomposition.
    pub max_decomposed_groups: u32,
    /// The most edges of a node that an invocation takes at a time.
    pub threshold: u32,
    /// Shorter lists are left to workload decomposition.
    pub switch_below: u32,
    /// The number of nodes with more edges than the threshold, and so of entries that a list of nodes with edges left can have.
    pub split_nodes: u32,
}

/// The state of the loop. It begins as [`ExpandState`] does, so that workload decomposition finds its offsets by the same kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct HierarchyState {
    /// What every loop has.
    pub header: LoopHeader,
    /// The dispatch that takes a list by workload decomposition.
    pub expand_groups: [u32; 3],
    /// The number of edges that it takes.
    pub edges: u32,
    /// The number of entries of the list that it takes; 0 when the step is a round.
    pub entries: u32,
    /// The number of nodes that the round before has left edges of; 0 at the beginning of an iteration.
    pub left: u32,
    /// The number of nodes written so far to the list after that.
    pub left_next: u32,
    /// The worklist that is read, 0 or 1.
    pub side: u32,
    /// The list of nodes with edges left that is read, 0 or 1.
    pub left_side: u32,
}

const _: () = assert!(
    HierarchyState::EXPAND_GROUPS.word() == ExpandState::EXPAND_GROUPS.word()
        && HierarchyState::EDGES.word() == ExpandState::EDGES.word()
        && HierarchyState::ENTRIES.word() == ExpandState::ENTRIES.word()
);

/// The lists of both sides, one behind the other.
#[derive(Bundle)]
pub struct HierarchyLists<S: Storage> {
    /// The worklists.
    pub worklists: S::Write<u32>,
    /// The nodes with edges left.
    pub remainders: S::Write<Remainder>,
}

/// The list that a round takes: what the round before has left, or the worklist.
struct List {
    length: u32,
    /// Whether the round before has left it.
    left: bool,
    /// Where it begins in the buffer that holds both sides.
    base: u32,
}

#[inline_all]
impl List {
    fn of(state: &State<HierarchyState>, params: &HierarchyParams) -> Self {
        let left = state.load(HierarchyState::LEFT);
        if left > 0 {
            Self { length: left, left: true, base: state.load(HierarchyState::LEFT_SIDE) * params.split_nodes }
        } else {
            let length = state.load(HierarchyState::FRONTIER);
            Self { length, left: false, base: state.load(HierarchyState::SIDE) * params.nodes }
        }
    }

    /// The entry at `place`: a node and the first of its edges that are left.
    fn entry(&self, place: u32, rows: Read<u32>, worklists: &Global<u32>, remainders: &Global<Remainder>) -> Remainder {
        if self.left {
            remainders.get(self.base + place)
        } else {
            let node = worklists.get(self.base + place);
            Remainder { node, edge: rows.get(node) }
        }
    }
}

/// Where the worklist that is written begins: on the other side of the one that is read.
#[inline(always)]
fn next_base(state: &State<HierarchyState>, params: &HierarchyParams) -> u32 {
    (1 - state.load(HierarchyState::SIDE)) * params.nodes
}

/// Ends the iteration: the worklist that was written becomes the one to read.
#[inline(always)]
fn end_iteration(state: &mut State<HierarchyState>) {
    state.store(HierarchyState::FRONTIER, state.load(HierarchyState::NEXT));
    state.store(HierarchyState::NEXT, 0);
    state.store(HierarchyState::SIDE, 1 - state.load(HierarchyState::SIDE));
    state.store(HierarchyState::LEFT, 0);
    state.store(HierarchyState::ITERATION, state.load(HierarchyState::ITERATION) + 1);
}

/// A round: each invocation takes a node and no more of its edges than the threshold.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn hierarchical<O: Operate>(
    lane: Lane,
    params: &HierarchyParams,
    graph: Csr,
    data: TraversalData,
    lists: HierarchyLists,
    state: State<HierarchyState>,
) {
    let Csr { row_offsets, columns } = graph;
    let HierarchyLists { worklists, mut remainders } = lists;
    let mut traversal = Traversal { data, next: worklists, state };
    let list = List::of(&traversal.state, params);
    let next_base = next_base(&traversal.state, params);
    let left_base = (1 - traversal.state.load(HierarchyState::LEFT_SIDE)) * params.split_nodes;
    for place in lane.grid_stride(list.length) {
        let Remainder { node, edge: first } = list.entry(place, row_offsets, &traversal.next, &remainders);
        let end = row_offsets.get(node + 1);
        let until = first + (end - first).min(params.threshold);
        let value = traversal.data.values.load(node);
        traversal.visit_all::<O>(columns, value, first..until, |traversal, neighbour, _| {
            traversal.push_behind(lane, next_base, neighbour);
        });
        if until < end {
            let place = traversal.state.append_one(lane, HierarchyState::LEFT_NEXT);
            remainders.set(left_base + place, Remainder { node, edge: until });
        }
    }
    let mut state = traversal.state;
    if state.is_last(lane) {
        let left = state.load(HierarchyState::LEFT_NEXT);
        if left > 0 {
            state.store(HierarchyState::LEFT, left);
            state.store(HierarchyState::LEFT_NEXT, 0);
            state.store(HierarchyState::LEFT_SIDE, 1 - state.load(HierarchyState::LEFT_SIDE));
        } else {
            end_iteration(&mut state);
        }
    }
}

/// The rest of an iteration, by workload decomposition: each invocation takes a block of the edges that are left.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn hierarchical_rest<O: Operate>(
    lane: Lane,
    params: &HierarchyParams,
    graph: Csr,
    data: TraversalData,
    lists: HierarchyLists,
    offsets: Read<Offset>,
    state: State<HierarchyState>,
) {
    let Csr { row_offsets, columns } = graph;
    let HierarchyLists { worklists, remainders } = lists;
    let mut traversal = Traversal { data, next: worklists, state };
    let list = List::of(&traversal.state, params);
    let next_base = next_base(&traversal.state, params);
    let mut block = Block::of(lane, traversal.state.load(HierarchyState::EDGES), offsets);
    while block.left > 0 {
        let Remainder { node, edge: first } = list.entry(block.place, row_offsets, &traversal.next, &remainders);
        let value = traversal.data.values.load(node);
        let edges = block.take(first, row_offsets.get(node + 1));
        traversal.visit_all::<O>(columns, value, edges, |traversal, neighbour, _| {
            traversal.push_behind(lane, next_base, neighbour);
        });
    }
    let mut state = traversal.state;
    if state.is_last(lane) {
        end_iteration(&mut state);
    }
}

/// Begins a step, by one workgroup: sizes the dispatch that suits the list, so that the other has no workgroups. For workload
/// decomposition it makes the prefix sums of the edges that are left too.
#[kernel(threads = 256)]
pub fn hierarchical_step(
    lane: Lane,
    params: &HierarchyParams,
    graph: Csr,
    lists: HierarchyLists,
    mut edges_before: Global<u32>,
    mut state: State<HierarchyState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let row_offsets = graph.row_offsets;
    let HierarchyLists { worklists, remainders } = lists;
    let list = List::of(&state, params);
    let decomposed = if list.length < params.switch_below { list.length } else { 0 };
    let edges_left = |_: &Global<u32>, place| {
        let Remainder { node, edge } = list.entry(place, row_offsets, &worklists, &remainders);
        row_offsets.get(node + 1) - edge
    };
    let edges = prefix_by_workgroup(lane, decomposed, edges_left, &mut edges_before, &mut slots);
    if lane.local == 0 {
        let in_rounds = list.length - decomposed;
        state.set(HierarchyState::GROUPS.at(0), in_rounds.div_ceil(WORKGROUP).min(params.max_groups));
        state.set(HierarchyState::ENTRIES, decomposed);
        state.set(HierarchyState::EDGES, edges);
        // At least one workgroup, to end the iteration of nodes without edges.
        let groups = edges.div_ceil(WORKGROUP).max(decomposed.min(1));
        state.set_groups(HierarchyState::EXPAND_GROUPS, groups.min(params.max_decomposed_groups));
    }
}

/// Puts the source on the worklist, alone.
#[kernel(threads = 1)]
pub fn hierarchical_start(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    mut values: Global<u32>,
    mut worklists: Global<u32>,
    mut state: State<HierarchyState>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        begin_at(node, &mut values, &mut worklists, &mut state);
    }
}
