//! One invocation an edge (Raval et al., EP): the worklist holds edges, and every edge knows both its ends. As even as can be, and
//! large: three words an edge beside the graph.
//!
//! Where the paper's worklist can outgrow the graph and is condensed afterwards, this one cannot: an operator says yes at most
//! once an iteration for each neighbour, whose edges are then pushed once, so no edge is on the list twice.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::{Control, EdgeParams, LengthParams};

/// One iteration: each invocation takes an edge of the worklist, then every so-many-th after it. A neighbour's edges go on the
/// next worklist together, in one reservation, or each by an atomic of its own, to see what that costs.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn edge<O: Operate>(
    lane: Lane,
    params: &EdgeParams,
    row_offsets: Read<u32>,
    sources: Read<u32>,
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
        let edge = worklist.get(place);
        let value = traversal.values.load(sources.get(edge));
        let neighbour = columns.get(edge);
        if O::visit(&mut traversal, value, neighbour, edge) {
            let (first, end) = (row_offsets.get(neighbour), row_offsets.get(neighbour + 1));
            if params.together == 1 {
                traversal.push_range(lane, first, end);
            } else {
                for edge in first..end {
                    let place = traversal.control.add(Control::NEXT, 1);
                    traversal.next.set(place, edge);
                }
            }
        }
    }
    traversal.advance(lane, params.max_groups);
}

/// Where each edge begins: the last node whose row does not begin behind it.
#[kernel(threads = 256)]
pub fn edge_sources(lane: Lane, params: &LengthParams, row_offsets: Read<u32>, mut sources: Global<u32>) {
    for edge in lane.grid_stride(params.length) {
        let (mut low, mut high) = (0, row_offsets.len() - 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if row_offsets.get(middle) <= edge {
                low = middle;
            } else {
                high = middle;
            }
        }
        sources.set(edge, low);
    }
}
