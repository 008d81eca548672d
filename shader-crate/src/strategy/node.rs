//! One invocation a node (Raval et al., BS): the baseline. Simple and light on memory; an invocation with a hub works long
//! after its neighbours are done.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::TraversalParams;

/// One iteration: each invocation takes a node of the worklist and all its edges.
#[kernel(threads = 256, each(O in for_each_operator))]
pub fn node<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    row_offsets: Read<u32>,
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
        let node = worklist.get(place);
        let value = traversal.values.load(node);
        for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                traversal.push(lane, neighbour);
            }
        }
    }
    traversal.advance(lane, params.max_groups);
}
