//! Workload decomposition (Raval et al., WD): the worklist holds nodes, and their edges are dealt out in blocks. Every invocation
//! takes as many consecutive edges as the others, from wherever in the worklist its block begins. Where that is, a kernel of its
//! own finds from the prefix sums of the degrees, which stand beside the nodes.

use super::{
    degree,
    scheduled::{prefix_blocks, sum_blocks},
    start::begin,
};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::{Operate, Traversal},
    primitive::workgroup::SUBGROUPS,
};
use core::ops::Range;
use evenkeel_types::{Control, ExpandParams, Offset, SCAN_BLOCK, TraversalParams, WordParams};

/// One iteration: each invocation takes a block of edges.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn decompose<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    worklist: Read<u32>,
    offsets: Read<Offset>,
    values: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    mut next_degrees: Global<u32>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next, control };
    let mut block = Block::of(lane, traversal.control.load(Control::EDGES), offsets);
    while block.left > 0 {
        let node = worklist.get(block.place);
        let value = traversal.values.load(node);
        for edge in block.take(row_offsets.get(node), row_offsets.get(node + 1)) {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                let degree = degree(row_offsets, neighbour);
                // A node without edges is nobody's work.
                if degree > 0 {
                    let place = lane.append_one(&mut traversal.control, Control::NEXT);
                    traversal.next.set(place, neighbour);
                    next_degrees.set(place, degree);
                }
            }
        }
    }
    // The next to read it are those that make the prefix sums.
    traversal.advance_by(lane, SCAN_BLOCK, params.max_groups);
}

/// What is left of an invocation's block of edges.
pub struct Block {
    /// The entry of the list where it goes on.
    pub place: u32,
    /// Edges of that entry which are another's.
    skipped: u32,
    /// Edges left.
    pub left: u32,
}

impl Block {
    /// The block of this invocation when `edges` are dealt out to the whole dispatch.
    #[inline(always)]
    pub fn of(lane: Lane, edges: u32, offsets: Read<Offset>) -> Self {
        let share = share(lane, edges);
        let number = lane.global();
        if number < edges.div_ceil(share) {
            let Offset { place, edge } = offsets.get(number);
            Self { place, skipped: edge, left: share.min(edges - number * share) }
        } else {
            Self { place: 0, skipped: 0, left: 0 }
        }
    }

    /// What it takes of its entry, whose edges are `first..end`; it goes on with the next entry.
    #[inline(always)]
    pub fn take(&mut self, first: u32, end: u32) -> Range<u32> {
        let begin = first + self.skipped;
        let count = self.left.min(end - begin);
        self.place += 1;
        self.skipped = 0;
        self.left -= count;
        begin..begin + count
    }
}

/// How many edges an invocation takes, at least one.
#[inline(always)]
fn share(lane: Lane, edges: u32) -> u32 {
    edges.div_ceil(lane.groups * lane.threads).max(1)
}

/// Finds where each invocation's block begins, in a list with as many entries as a word of the control block says. As large a
/// dispatch as the one that takes the blocks.
#[kernel(threads = 256)]
pub fn find_offsets(
    lane: Lane,
    params: &WordParams,
    degrees_before: Read<u32>,
    control: Read<u32>,
    mut offsets: Global<Offset>,
) {
    let edges = control.get(Control::EDGES);
    let share = share(lane, edges);
    let number = lane.global();
    if number < edges.div_ceil(share) {
        let first = number * share;
        let (mut low, mut high) = (0, control.get(params.word));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if degrees_before.get(middle) <= first {
                low = middle;
            } else {
                high = middle;
            }
        }
        offsets.set(number, Offset { place: low, edge: first - degrees_before.get(low) });
    }
}

/// The sum of the degrees in each block of the worklist.
#[kernel(threads = 256)]
pub fn decompose_sums(
    lane: Lane,
    _params: &ExpandParams,
    degrees: Read<u32>,
    control: Read<u32>,
    mut sums: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    sum_blocks(lane, control.get(Control::FRONTIER), |place| degrees.get(place), &mut sums, &mut slots);
}

/// The prefix sums of the degrees, and behind them their total.
#[kernel(threads = 256)]
pub fn decompose_prefixes(
    lane: Lane,
    _params: &ExpandParams,
    degrees: Read<u32>,
    control: Read<u32>,
    sums: Read<u32>,
    mut degrees_before: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    prefix_blocks(lane, control, |place| degrees.get(place), sums, &mut degrees_before, &mut slots);
}

/// Puts the source on the worklist, alone, with its degree beside it.
#[kernel(threads = 1)]
pub fn decompose_start(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    row_offsets: Read<u32>,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut degrees: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        values.set(node, 0);
        worklist.set(0, node);
        degrees.set(0, degree(row_offsets, node));
        begin(&mut control, 1, params.max_groups);
    }
}
