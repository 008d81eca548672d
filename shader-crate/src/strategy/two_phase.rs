//! Shortest paths in two phases (Harish and Narayanan 2007), with the atomic minimum that Martín, Torres and Gavilanes (2009)
//! found it to lack. Every node has a cost, an updated cost and a mask. In the first phase those under the mask take their edges
//! and lower the updated costs of their neighbours; in the second, those whose updated cost is lower take it, and are under the
//! mask. No cost changes while it is read: an iteration is the same whatever the order.

use super::parallel::EveryNodeParams;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// The first phase: relaxes into the values of `data`, which are the updated costs. The worklist `next` is a placeholder.
#[kernel(threads = 256, any_width, each(O in for_each_path))]
pub fn two_phase_relax<O: Operate>(
    lane: Lane,
    params: &EveryNodeParams,
    graph: Csr,
    data: TraversalData,
    costs: Read<u32>,
    mut mask: Global<u32>,
    next: Global<u32>,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next, state };
    for node in lane.grid_stride(params.nodes) {
        if mask.get(node) == 1 {
            mask.set(node, 0);
            let cost = costs.get(node);
            let edges = graph.row_offsets.get(node)..graph.row_offsets.get(node + 1);
            // The second phase finds out whose cost fell.
            traversal.visit_all::<O>(graph.columns, cost, edges, |_, _, _| {});
        }
    }
}

/// The second phase: commits.
#[kernel(threads = 256, any_width)]
pub fn two_phase_commit(
    lane: Lane,
    params: &EveryNodeParams,
    updated: Read<u32>,
    mut costs: Global<u32>,
    mut mask: Global<u32>,
    mut state: State<LoopHeader>,
) {
    for node in lane.grid_stride(params.nodes) {
        let cost = updated.get(node);
        if cost < costs.get(node) {
            costs.set(node, cost);
            mask.set(node, 1);
            state.store(LoopHeader::NEXT, 1);
        }
    }
    state.advance_all(lane, params.groups);
}

/// Puts the source under the mask, alone, at no cost.
#[kernel(threads = 1)]
pub fn two_phase_start(
    lane: Lane,
    params: &EveryNodeParams,
    source: Read<u32>,
    mut costs: Global<u32>,
    mut updated: Global<u32>,
    mut mask: Global<u32>,
    mut state: State<LoopHeader>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        costs.set(node, 0);
        updated.set(node, 0);
        mask.set(node, 1);
        state.begin(1, params.groups);
    }
}
