//! One invocation for every node of the graph in each iteration, the simplest of the classic formulations (Harish and Narayanan
//! 2007): those whose depth is the level's take their edges, all others are done at once. There is no worklist, only a flag
//! that says whether anything was found.

use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// What the host pushes to the kernels that look at every node.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EveryNodeParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The workgroups of each dispatch; invocations stride over the nodes.
    pub groups: u32,
}

/// One iteration. The worklist `next` is a placeholder.
#[kernel(threads = 256, any_width, each(O in for_each_search))]
pub fn parallel<O: Operate>(
    lane: Lane,
    params: &EveryNodeParams,
    graph: Csr,
    data: TraversalData,
    next: Global<u32>,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next, state };
    let level = traversal.state.load(LoopHeader::ITERATION);
    for node in lane.grid_stride(params.nodes) {
        if traversal.data.values.load(node) == level {
            let edges = graph.row_offsets.get(node)..graph.row_offsets.get(node + 1);
            traversal.visit_all::<O>(graph.columns, level, edges, |traversal, _, _| {
                traversal.state.store(LoopHeader::NEXT, 1);
            });
        }
    }
    traversal.state.advance_all(lane, params.groups);
}

/// Puts the source at depth 0; the first iteration is as large as all others.
#[kernel(threads = 1)]
pub fn parallel_start(
    lane: Lane,
    params: &EveryNodeParams,
    source: Read<u32>,
    mut values: Global<u32>,
    mut state: State<LoopHeader>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        values.set(node, 0);
        state.begin(1, params.groups);
    }
}
