//! Hierarchical processing (Raval et al., HP): an iteration is taken in rounds. In each, an invocation takes a node and at most as
//! many of its edges as a threshold allows; nodes with edges left make the list of the next round, which is shorter. A list that
//! is too short to fill the device is finished by workload decomposition, be it the worklist or what a round has left of it.
//!
//! A step of the recorded loop is one round. Which list it takes, and how, the control block says: lists change sides when the
//! device finds that a round, or the iteration, is over.

use super::decompose::Block;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::{Operate, Traversal},
    primitive::workgroup::{SUBGROUPS, prefix_sum},
};
use evenkeel_types::{Control, HierarchyParams, Offset, Remainder, WORKGROUP};

/// The list that a round takes: what the round before has left, or the worklist.
struct List {
    length: u32,
    /// Whether the round before has left it.
    left: bool,
    /// Where it begins in the buffer that holds both sides.
    base: u32,
}

impl List {
    #[inline(always)]
    fn of(control: &Global<u32>, params: &HierarchyParams) -> Self {
        let left = control.load(Control::LEFT);
        if left > 0 {
            Self { length: left, left: true, base: control.load(Control::LEFT_SIDE) * params.split_nodes }
        } else {
            let length = control.load(Control::FRONTIER);
            Self { length, left: false, base: control.load(Control::SIDE) * params.nodes }
        }
    }

    /// The entry at `place`: a node and the first of its edges that are left.
    #[inline(always)]
    fn entry(
        &self,
        place: u32,
        row_offsets: Read<u32>,
        worklists: &Global<u32>,
        remainders: &Global<Remainder>,
    ) -> Remainder {
        if self.left {
            remainders.get(self.base + place)
        } else {
            let node = worklists.get(self.base + place);
            Remainder { node, edge: row_offsets.get(node) }
        }
    }
}

/// Where the list that is written begins, which is on the other side of the one that is read.
#[inline(always)]
fn other_side(traversal: &Traversal, side: u32, length: u32) -> u32 {
    (1 - traversal.control.load(side)) * length
}

/// Puts `node` on the next worklist, which begins at `base`.
#[inline(always)]
fn push(traversal: &mut Traversal, lane: Lane, base: u32, node: u32) {
    let place = lane.append_one(&mut traversal.control, Control::NEXT);
    traversal.next.set(base + place, node);
}

/// Ends the iteration: the worklist that was written becomes the one to read.
#[inline(always)]
fn end_iteration(traversal: &mut Traversal) {
    let control = &mut traversal.control;
    control.store(Control::FRONTIER, control.load(Control::NEXT));
    control.store(Control::NEXT, 0);
    control.store(Control::SIDE, 1 - control.load(Control::SIDE));
    control.store(Control::LEFT, 0);
    control.store(Control::ITERATION, control.load(Control::ITERATION) + 1);
}

/// A round: each invocation takes a node and no more of its edges than the threshold.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn hierarchical<O: Operate>(
    lane: Lane,
    params: &HierarchyParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    values: Global<u32>,
    marks: Global<u32>,
    worklists: Global<u32>,
    mut remainders: Global<Remainder>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next: worklists, control };
    let list = List::of(&traversal.control, params);
    let next_base = other_side(&traversal, Control::SIDE, params.nodes);
    let left_base = other_side(&traversal, Control::LEFT_SIDE, params.split_nodes);
    for place in lane.grid_stride(list.length) {
        let Remainder { node, edge: first } = list.entry(place, row_offsets, &traversal.next, &remainders);
        let end = row_offsets.get(node + 1);
        let until = first + (end - first).min(params.threshold);
        let value = traversal.values.load(node);
        for edge in first..until {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                push(&mut traversal, lane, next_base, neighbour);
            }
        }
        if until < end {
            let place = lane.append_one(&mut traversal.control, Control::LEFT_NEXT);
            remainders.set(left_base + place, Remainder { node, edge: until });
        }
    }
    if lane.last(&mut traversal.control, Control::TICKET) {
        let control = &mut traversal.control;
        let left = control.load(Control::LEFT_NEXT);
        if left > 0 {
            control.store(Control::LEFT, left);
            control.store(Control::LEFT_NEXT, 0);
            control.store(Control::LEFT_SIDE, 1 - control.load(Control::LEFT_SIDE));
        } else {
            end_iteration(&mut traversal);
        }
    }
}

/// The rest of an iteration, by workload decomposition: each invocation takes a block of the edges that are left.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn hierarchical_rest<O: Operate>(
    lane: Lane,
    params: &HierarchyParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    offsets: Read<Offset>,
    values: Global<u32>,
    marks: Global<u32>,
    worklists: Global<u32>,
    remainders: Global<Remainder>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next: worklists, control };
    let list = List::of(&traversal.control, params);
    let next_base = other_side(&traversal, Control::SIDE, params.nodes);
    let mut block = Block::of(lane, traversal.control.load(Control::EDGES), offsets);
    while block.left > 0 {
        let Remainder { node, edge: first } = list.entry(block.place, row_offsets, &traversal.next, &remainders);
        let value = traversal.values.load(node);
        for edge in block.take(first, row_offsets.get(node + 1)) {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                push(&mut traversal, lane, next_base, neighbour);
            }
        }
    }
    if lane.last(&mut traversal.control, Control::TICKET) {
        end_iteration(&mut traversal);
    }
}

/// Begins a step, by one workgroup: sizes the dispatch that suits the list, so that the other has no workgroups. For workload
/// decomposition it makes the prefix sums of the edges that are left too.
#[kernel(threads = 256)]
pub fn hierarchical_step(
    lane: Lane,
    params: &HierarchyParams,
    row_offsets: Read<u32>,
    worklists: Global<u32>,
    remainders: Global<Remainder>,
    mut edges_before: Global<u32>,
    mut control: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let list = List::of(&control, params);
    let decomposed = if list.length < params.switch_below { list.length } else { 0 };
    let mut edges = 0;
    let mut base = 0;
    while base < decomposed {
        let place = base + lane.local;
        let mut left = 0;
        if place < decomposed {
            let Remainder { node, edge } = list.entry(place, row_offsets, &worklists, &remainders);
            left = row_offsets.get(node + 1) - edge;
        }
        let prefix = prefix_sum(lane, left, &mut slots);
        if place < decomposed {
            edges_before.set(place, edges + prefix.before);
        }
        edges += prefix.total;
        lane.barrier();
        base += lane.threads;
    }
    if lane.local == 0 {
        let in_rounds = list.length - decomposed;
        control.set(Control::GROUPS, in_rounds.div_ceil(WORKGROUP).min(params.max_groups));
        control.set(Control::DECOMPOSED, decomposed);
        control.set(Control::EDGES, edges);
        // At least one workgroup, to end the iteration of nodes without edges.
        let groups = edges.div_ceil(WORKGROUP).max(decomposed.min(1));
        control.set(Control::EXPAND_GROUPS, groups.min(params.max_decomposed_groups));
    }
}
