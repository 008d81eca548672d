//! Shortest paths in two phases (Harish and Narayanan 2007), with the atomic minimum that Martín, Torres and Gavilanes (2009)
//! found it to lack. Every node has a cost, a cost to be and a mask. In the first phase those under the mask take their edges
//! and lower the costs to be of their neighbours; in the second, those whose cost to be is lower take it, and are under the
//! mask. No cost changes while it is read: an iteration is the same whatever the order.

use super::parallel::{advance_all, begin_all};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    operator::{Operate, Traversal},
};
use evenkeel_types::{Control, EveryNodeParams};

/// The first phase: relaxes into `updating`.
#[kernel(threads = 256, each(O in for_each_path))]
pub fn two_phase_relax<O: Operate>(
    lane: Lane,
    params: &EveryNodeParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    costs: Read<u32>,
    mut mask: Global<u32>,
    updating: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    control: Global<u32>,
) {
    let mut traversal = Traversal { weights, values: updating, marks, next, control };
    for node in lane.grid_stride(params.nodes) {
        if mask.get(node) == 1 {
            mask.set(node, 0);
            let cost = costs.get(node);
            for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
                // The second phase finds out whose cost fell.
                O::visit(&mut traversal, cost, columns.get(edge), edge);
            }
        }
    }
}

/// The second phase: commits.
#[kernel(threads = 256)]
pub fn two_phase_commit(
    lane: Lane,
    params: &EveryNodeParams,
    updating: Read<u32>,
    mut costs: Global<u32>,
    mut mask: Global<u32>,
    mut control: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        let cost = updating.get(node);
        if cost < costs.get(node) {
            costs.set(node, cost);
            mask.set(node, 1);
            control.store(Control::NEXT, 1);
        }
    }
    advance_all(lane, params.groups, &mut control);
}

/// Puts the source under the mask, alone, at no cost.
#[kernel(threads = 1)]
pub fn two_phase_start(
    lane: Lane,
    params: &EveryNodeParams,
    source: Read<u32>,
    mut costs: Global<u32>,
    mut updating: Global<u32>,
    mut mask: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        costs.set(node, 0);
        updating.set(node, 0);
        mask.set(node, 1);
        begin_all(params.groups, &mut control);
    }
}
