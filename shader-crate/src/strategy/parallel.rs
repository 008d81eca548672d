//! An invocation to every node of the graph in each iteration, the simplest of the classic formulations (Harish and Narayanan
//! 2007): those whose depth is the level's take their edges, all others are done at once. There is no worklist, only a flag
//! that says whether anything was found.

use super::start::begin;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::{Control, EveryNodeParams};

/// One iteration.
#[kernel(threads = 256, each(O in for_each_search))]
pub fn parallel<O: Operate>(
    lane: Lane,
    params: &EveryNodeParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    values: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next, control };
    let level = traversal.control.load(Control::ITERATION);
    for node in lane.grid_stride(params.nodes) {
        if traversal.values.load(node) == level {
            for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
                if O::visit(&mut traversal, level, columns.get(edge), edge) {
                    traversal.control.store(Control::NEXT, 1);
                }
            }
        }
    }
    advance_all(lane, params.groups, &mut traversal.control);
}

/// The source is at depth 0, and the first iteration is as large as all others.
#[kernel(threads = 1)]
pub fn parallel_start(
    lane: Lane,
    params: &EveryNodeParams,
    source: Read<u32>,
    mut values: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        values.set(node, 0);
        begin_all(params.groups, &mut control);
    }
}

/// Sets the control block for an iteration over all nodes.
#[inline(always)]
pub fn begin_all(groups: u32, control: &mut Global<u32>) {
    begin(control, 1, 1);
    control.set(Control::GROUPS, groups);
}

/// Every invocation calls this last. When all are done, there is a next iteration, as large, if the flag `next` was raised.
#[inline(always)]
pub fn advance_all(lane: Lane, groups: u32, control: &mut Global<u32>) {
    if lane.last(control, Control::TICKET) {
        let flag = control.load(Control::NEXT);
        control.store(Control::GROUPS, flag * groups);
        control.store(Control::FRONTIER, flag);
        control.store(Control::NEXT, 0);
        control.store(Control::ITERATION, control.load(Control::ITERATION) + 1);
    }
}
