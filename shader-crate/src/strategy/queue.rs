//! An invocation to every node of a queue, the second of the classic formulations: whoever lowers a neighbour's depth from
//! unreached puts it on the next queue, with an atomic addition of its own. `node` differs in this alone: a subgroup there
//! makes room for all its finds at once.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::{Control, TraversalParams};

/// One iteration.
#[kernel(threads = 256, each(O in for_each_search))]
pub fn queue<O: Operate>(
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
                let place = traversal.control.add(Control::NEXT, 1);
                traversal.next.set(place, neighbour);
            }
        }
    }
    traversal.advance(lane, params.max_groups);
}
