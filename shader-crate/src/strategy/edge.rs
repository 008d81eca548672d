//! One invocation for each edge (Raval et al., EP): the worklist holds edges, and every edge knows both its ends. No strategy is more even,
//! and none needs more memory: three words for each edge beside the graph.
//!
//! Where the paper's worklist can outgrow the graph and is condensed afterwards, this one cannot: an operator says yes at most
//! once an iteration for each neighbour, whose edges are then pushed once, so no edge is on the list twice.

use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;
use crate::primitive::LengthParams;
use crate::primitive::search::first;

/// What the host pushes with each iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EdgeParams {
    /// The most workgroups of a dispatch.
    pub max_groups: u32,
    /// 1 when a node's edges are pushed together, 0 when they are pushed one by one.
    pub together: u32,
}

/// One iteration: each invocation strides over the edges of the worklist. A neighbour's edges go on the next worklist together, in one
/// reservation, or each by an atomic of its own, to measure what that costs.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn edge<O: Operate>(
    lane: Lane,
    params: &EdgeParams,
    graph: Csr,
    sources: Read<u32>,
    data: TraversalData,
    worklist: Worklist,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next: worklist.next, state };
    for place in lane.grid_stride(traversal.frontier()) {
        let edge = worklist.current.get(place);
        let value = traversal.data.values.load(sources.get(edge));
        let neighbour = graph.columns.get(edge);
        if O::visit(&mut traversal, value, neighbour, edge) {
            let (first, end) = (graph.row_offsets.get(neighbour), graph.row_offsets.get(neighbour + 1));
            if params.together == 1 {
                traversal.push_range(lane, first, end);
            } else {
                for edge in first..end {
                    traversal.push_alone(edge);
                }
            }
        }
    }
    traversal.advance(lane, params.max_groups);
}

/// Finds where each edge begins: the last node whose row does not begin behind it.
#[kernel(threads = 256, any_width)]
pub fn edge_sources(lane: Lane, params: &LengthParams, row_offsets: Read<u32>, mut sources: Global<u32>) {
    for edge in lane.grid_stride(params.length) {
        sources.set(edge, first(1, row_offsets.len() - 1, |node| row_offsets.get(node) > edge) - 1);
    }
}
