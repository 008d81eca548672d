//! Node splitting (Raval et al., NS): nodes with more edges than a threshold are split into pieces that share them evenly, once,
//! and the worklist holds pieces, which have an invocation each. A piece is a range of its parent's edges: columns stay where they are,
//! values stay the parents', and only parents are neighbours of other nodes.

use super::node::visit_rows;
use super::threshold::{Threshold, ThresholdParams, pieces_of};
use super::{TraversalParams, degree};
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// One iteration: each invocation takes a piece of the worklist and all its edges; the rows of `pieces` are the pieces. A neighbour goes on
/// the next worklist with all its pieces.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn split<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    pieces: Csr,
    parents: Read<u32>,
    first_pieces: Read<u32>,
    data: TraversalData,
    worklist: Worklist,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next: worklist.next, state };
    let found = |traversal: &mut Traversal<LoopHeader>, neighbour, _| {
        traversal.push_range(lane, first_pieces.get(neighbour), first_pieces.get(neighbour + 1));
    };
    visit_rows::<O, _>(lane, &mut traversal, worklist.current, pieces, |piece| parents.get(piece), found);
    traversal.advance(lane, params.max_groups);
}

/// Counts the pieces that each node becomes, and writes 0 behind the counts: their prefix sums are the nodes' first pieces.
#[kernel(threads = 256, any_width)]
pub fn piece_counts(
    lane: Lane,
    params: &ThresholdParams,
    row_offsets: Read<u32>,
    threshold: State<Threshold>,
    mut counts: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        counts.set(node, pieces_of(degree(row_offsets, node), threshold.get(Threshold::THRESHOLD)));
    }
    if lane.global() == 0 {
        counts.set(params.nodes, 0);
    }
}

/// Splits the nodes: the first pieces of a node take one edge more where its edges do not divide evenly.
#[kernel(threads = 256, any_width)]
pub fn make_pieces(
    lane: Lane,
    params: &ThresholdParams,
    row_offsets: Read<u32>,
    first_pieces: Read<u32>,
    mut piece_offsets: Global<u32>,
    mut parents: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        let (first, end) = (first_pieces.get(node), first_pieces.get(node + 1));
        let degree = degree(row_offsets, node);
        let (even, more) = (degree / (end - first), degree % (end - first));
        let mut edge = row_offsets.get(node);
        for piece in first..end {
            parents.set(piece, node);
            piece_offsets.set(piece, edge);
            edge += even + u32::from(piece - first < more);
        }
    }
    if lane.global() == 0 {
        piece_offsets.set(first_pieces.get(params.nodes), row_offsets.get(params.nodes));
    }
}
