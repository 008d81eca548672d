//! Shortest paths from all sources at once, by repeated relaxation (Bellman–Ford) of rows: a node's row, its distances to every
//! other, is the smallest over its edges of the edge's weight and the row of the neighbour. The targets stand side by side in a
//! row, so an edge is read once for 128 of them, and their distances in one piece.
//!
//! A row is cut into pieces of as many targets as a workgroup has invocations. The mark of a piece is one more than the last
//! iteration in which a distance in it fell; only pieces that fell in the iteration before, or in this one, are read again.
//! Edges are taken by fours, so that four pieces are on their way at a time.
//! Distances only fall, whoever is first, so the answer is the same every time; real ones are to the bit what is found when
//! edges are added from the target on.

use super::Relax;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, UVec4},
    ranges::step,
    strategy::start,
};
use evenkeel_types::{BatchedParams, Control, SPAN};

/// One iteration: a workgroup takes a node and a piece of its row, piece by piece, so that neighbouring workgroups read the same
/// few columns of the matrix.
#[kernel(threads = 128, each(L in for_each_length))]
pub fn batched<L: Relax>(
    lane: Lane,
    params: &BatchedParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    mut matrix: Global<u32>,
    mut marks: Global<u32>,
    mut control: Global<u32>,
) {
    let BatchedParams { nodes, width, .. } = *params;
    let iteration = control.load(Control::ITERATION) + 1;
    for item in lane.by_group(width / SPAN * nodes) {
        let (piece, node) = (item / nodes, item % nodes);
        let target = piece * SPAN + lane.local;
        let before = matrix.load(node * width + target);
        let mut best = before;
        let (begin, end) = (row_offsets.get(node), row_offsets.get(node + 1));
        for first in step(begin, end, 4) {
            // Past the end of the row its last edge is taken again, which changes nothing.
            let (a, b) = (first, (first + 1).min(end - 1));
            let (c, d) = ((first + 2).min(end - 1), (first + 3).min(end - 1));
            let neighbours = UVec4::new(columns.get(a), columns.get(b), columns.get(c), columns.get(d));
            let places = neighbours + piece * nodes;
            let fell = (marks.load(places.x).max(marks.load(places.y)), marks.load(places.z).max(marks.load(places.w)));
            if fell.0.max(fell.1) >= iteration {
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
            control.store(Control::NEXT, 1);
        }
    }
    if lane.last(&mut control, Control::TICKET) {
        let fell = control.load(Control::NEXT);
        control.store(Control::GROUPS, fell * params.groups);
        control.store(Control::FRONTIER, fell);
        control.store(Control::NEXT, 0);
        control.store(Control::ITERATION, iteration);
    }
}

/// Marks the piece of each node's row in which its distance to itself lies: all that is known at first.
#[kernel(threads = 256)]
pub fn batched_start(lane: Lane, params: &BatchedParams, mut marks: Global<u32>, mut control: Global<u32>) {
    for node in lane.grid_stride(params.nodes) {
        marks.set(node / SPAN * params.nodes + node, 1);
    }
    if lane.global() == 0 {
        // A graph without nodes has no workgroups, and is done.
        start::begin(&mut control, params.groups, params.groups);
        control.set(Control::GROUPS, params.groups);
    }
}
