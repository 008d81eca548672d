//! Node splitting (Raval et al., NS): nodes with more edges than a threshold are split into pieces that share them evenly, once,
//! and the worklist holds pieces, an invocation each. A piece is a range of its parent's edges: columns stay where they are,
//! values stay the parents', and only parents are neighbours of anybody.

use super::{degree, threshold::pieces_of};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::{Threshold, ThresholdParams, TraversalParams};

/// One iteration: each invocation takes a piece of the worklist and all its edges. A neighbour goes on the next worklist with
/// all its pieces.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn split<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    first_pieces: Read<u32>,
    piece_offsets: Read<u32>,
    parents: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    worklist: Read<u32>,
    values: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next, control };
    for place in lane.grid_stride(traversal.frontier()) {
        let piece = worklist.get(place);
        let value = traversal.values.load(parents.get(piece));
        for edge in piece_offsets.get(piece)..piece_offsets.get(piece + 1) {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                traversal.push_range(lane, first_pieces.get(neighbour), first_pieces.get(neighbour + 1));
            }
        }
    }
    traversal.advance(lane, params.max_groups);
}

/// How many pieces each node becomes, and behind them 0: their prefix sums are the nodes' first pieces.
#[kernel(threads = 256)]
pub fn piece_counts(
    lane: Lane,
    params: &ThresholdParams,
    row_offsets: Read<u32>,
    words: Read<u32>,
    mut counts: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        counts.set(node, pieces_of(degree(row_offsets, node), words.get(Threshold::THRESHOLD)));
    }
    if lane.global() == 0 {
        counts.set(params.nodes, 0);
    }
}

/// Splits the nodes: the first pieces of a node take one edge more where its edges do not go up evenly.
#[kernel(threads = 256)]
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
