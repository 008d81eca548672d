//! Workload decomposition (Raval et al., WD): the worklist holds nodes, and their edges are dealt out in blocks. Every invocation
//! takes as many consecutive edges as the others, from wherever in the worklist its block begins. A kernel of its own finds where that
//! is from the prefix sums of the degrees, which stand beside the nodes.

use super::scheduled::{DegreesBefore, ExpandParams, ExpandState};
use super::start::begin_at;
use super::{TraversalParams, degree};
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;
use crate::primitive::scan::{prefix_blocks, sum_blocks};
use crate::primitive::search::first;
use crate::primitive::workgroup::SUBGROUPS;
use core::ops::Range;
use evenkeel_types::{Offset, SCAN_BLOCK};

/// One iteration: each invocation takes a block of edges.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn decompose<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    graph: Csr,
    data: TraversalData,
    worklist: Worklist,
    offsets: Read<Offset>,
    mut next_degrees: Global<u32>,
    state: State<ExpandState>,
) {
    let Csr { row_offsets, columns } = graph;
    let mut traversal = Traversal { data, next: worklist.next, state };
    let mut block = Block::of(lane, traversal.state.load(ExpandState::EDGES), offsets);
    while block.left > 0 {
        let node = worklist.current.get(block.place);
        let value = traversal.data.values.load(node);
        let edges = block.take(row_offsets.get(node), row_offsets.get(node + 1));
        traversal.visit_all::<O>(columns, value, edges, |traversal, neighbour, _| {
            let degree = degree(row_offsets, neighbour);
            // A node without edges is nobody's work.
            if degree > 0 {
                let place = traversal.push(lane, neighbour);
                next_degrees.set(place, degree);
            }
        });
    }
    // The kernels that make the prefix sums are the next to take the worklist.
    traversal.state.advance(lane, SCAN_BLOCK, params.max_groups);
}

/// What is left of an invocation's block of edges.
pub struct Block {
    /// The entry of the list at which the block continues.
    pub place: u32,
    /// Edges of that entry which belong to other blocks.
    skipped: u32,
    /// The number of edges left.
    pub left: u32,
}

#[inline_all]
impl Block {
    /// The block of this invocation when `edges` are dealt out to the whole dispatch.
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

    /// Takes the block's edges of the current entry, whose edges are `first..end`, and moves to the next entry.
    pub fn take(&mut self, first: u32, end: u32) -> Range<u32> {
        let begin = first + self.skipped;
        let count = self.left.min(end - begin);
        self.place += 1;
        self.skipped = 0;
        self.left -= count;
        begin..begin + count
    }
}

/// The number of edges for each invocation, at least one.
#[inline(always)]
fn share(lane: Lane, edges: u32) -> u32 {
    edges.div_ceil(lane.groups * lane.threads).max(1)
}

/// Finds where each invocation's block begins in the list that the state counts. The dispatch is as large as the one that takes them.
#[kernel(threads = 256, any_width)]
pub fn find_offsets(
    lane: Lane,
    _params: &TraversalParams,
    degrees_before: Read<u32>,
    state: State<ExpandState>,
    mut offsets: Global<Offset>,
) {
    let edges = state.get(ExpandState::EDGES);
    let share = share(lane, edges);
    let number = lane.global();
    if number < edges.div_ceil(share) {
        let edge = number * share;
        let place = first(1, state.get(ExpandState::ENTRIES), |place| degrees_before.get(place) > edge) - 1;
        offsets.set(number, Offset { place, edge: edge - degrees_before.get(place) });
    }
}

/// Sums the degrees in each block of the worklist.
#[kernel(threads = 256)]
pub fn decompose_sums(
    lane: Lane,
    _params: &ExpandParams,
    degrees: Read<u32>,
    mut degrees_before: DegreesBefore,
    state: State<ExpandState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let length = state.get(ExpandState::FRONTIER);
    sum_blocks(lane, length, |place| degrees.get(place), &mut degrees_before.sums, &mut slots);
}

/// Makes the prefix sums of the degrees.
#[kernel(threads = 256)]
pub fn decompose_prefixes(
    lane: Lane,
    _params: &ExpandParams,
    degrees: Read<u32>,
    degrees_before: DegreesBefore,
    state: State<ExpandState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let DegreesBefore { sums, mut prefixes } = degrees_before;
    let (length, degree) = (state.get(ExpandState::FRONTIER), |place| degrees.get(place));
    prefix_blocks(lane, length, degree, |block| sums.get(block), &mut prefixes, 0, &mut slots);
}

/// Puts the source on the worklist, alone, with its degree beside it.
#[kernel(threads = 1)]
pub fn decompose_start(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    graph: Csr,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut degrees: Global<u32>,
    mut state: State<ExpandState>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        begin_at(node, &mut values, &mut worklist, &mut state);
        degrees.set(0, degree(graph.row_offsets, node));
    }
}
