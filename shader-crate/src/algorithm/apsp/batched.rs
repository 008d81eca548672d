//! Shortest paths from all sources at once by repeated relaxation (Bellman–Ford) of whole rows. The row of a node holds its distances
//! to all other nodes; an iteration sets it to the minimum over the node's edges of the edge's weight plus the row of the neighbour.
//! The targets lie side by side in a row, so one read of an edge serves 128 of them, and their distances are loaded together.
//!
//! A row is divided into pieces of as many targets as a workgroup has invocations. The mark of a piece is one more than the last
//! iteration in which a distance in it decreased; only pieces that decreased in the previous iteration or in this one are read again.
//! Edges are processed in groups of four, so that the loads of four pieces are in flight together.
//!
//! Distances only decrease, so the answer does not depend on the order of the workgroups. A real distance is bit for bit the sum of
//! its edges added from the target on.

use super::{Relax, SPAN};
use crate::memory::UVec4;
use crate::prelude::*;
use crate::strategy::edges_in;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BatchedParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of words in a row of the matrix.
    pub width: u32,
    /// The number of workgroups of an iteration.
    pub groups: u32,
    /// The rows of the partition.
    pub rows: RowRange,
}

/// One iteration, along the edges of a partition; the last one ends it. A workgroup takes a node and a piece of its row. The items of one piece follow each other, so that workgroups that
/// run at the same time read the same few columns of the matrix.
#[kernel(threads = 128, each(L in for_each_length))]
pub fn batched<L: Relax>(
    lane: Lane,
    params: &BatchedParams,
    graph: Csr,
    weights: Read<u32>,
    mut matrix: Global<u32>,
    mut marks: Global<u32>,
    mut state: State<LoopHeader>,
) {
    let BatchedParams { nodes, width, rows, .. } = *params;
    let Csr { row_offsets, columns } = graph;
    let iteration = state.load(LoopHeader::ITERATION) + 1;
    for item in lane.by_group(width / SPAN * rows.count) {
        let (piece, node) = (item / rows.count, rows.first + item % rows.count);
        let target = piece * SPAN + lane.local;
        let before = matrix.load(node * width + target);
        let mut best = before;
        let (begin, count) = edges_in(&rows, row_offsets, node);
        let end = begin + count;
        for first in step(begin, end, 4) {
            // Past the end of the row the last edge is repeated, which does not change the minimum.
            let (a, b) = (first, (first + 1).min(end - 1));
            let (c, d) = ((first + 2).min(end - 1), (first + 3).min(end - 1));
            let neighbours = UVec4::new(columns.get(a), columns.get(b), columns.get(c), columns.get(d));
            let places = neighbours + piece * nodes;
            let newest =
                (marks.load(places.x).max(marks.load(places.y)), marks.load(places.z).max(marks.load(places.w)));
            if newest.0.max(newest.1) >= iteration {
                let places = neighbours * width + target;
                let (x, y) = (matrix.load(places.x), matrix.load(places.y));
                let (z, w) = (matrix.load(places.z), matrix.load(places.w));
                best = L::relax(L::relax(best, weights.get(a), x), weights.get(b), y);
                best = L::relax(L::relax(best, weights.get(c), z), weights.get(d), w);
            }
        }
        if best != before {
            matrix.store(node * width + target, best);
            marks.store(piece * nodes + node, iteration + 1);
            state.store(LoopHeader::NEXT, 1);
        }
    }
    if rows.is_last == 1 {
        state.advance_all(lane, params.groups);
    }
}

/// Marks, for each node, the piece of its row that holds its distance to itself: the only distance that is known at the beginning.
#[kernel(threads = 256)]
pub fn batched_start(lane: Lane, params: &BatchedParams, mut marks: Global<u32>, mut state: State<LoopHeader>) {
    for node in lane.grid_stride(params.nodes) {
        marks.set(node / SPAN * params.nodes + node, 1);
    }
    if lane.global() == 0 {
        // For a graph without nodes there are no workgroups, and the loop ends at once.
        state.begin(params.groups, params.groups);
    }
}
