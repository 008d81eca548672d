//! Strongly connected components by signatures (Alabandi, Sands, Biros and Burtscher 2023, "A High-Performance SCC Algorithm for GPUs"). The
//! signature of a node is the smallest node that reaches it and the smallest node that it reaches. Both are propagated along all edges
//! until none changes. Where they are the same node, that is the smallest of the component. Two nodes of different signatures are not in the
//! same component, so the edges between them no longer count, and what is left begins anew.
//!
//! A signature moves on by more than an edge at a time: what reaches the smallest node that reaches a node reaches the node itself.

use crate::prelude::*;
use crate::schedule::{Distribute, Scratch};
use crate::tiles::Rows;

/// In place of a node's part: its component is known.
const SETTLED: u32 = u32::MAX;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct StrongParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The workgroups of a dispatch over all edges.
    pub edge_groups: u32,
    /// The workgroups of a dispatch over all nodes.
    pub node_groups: u32,
    /// The nodes whose edges are taken in this dispatch.
    pub tiles: TileRange,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct StrongState {
    /// What every loop has: the workgroups are those that propagate, and `next` is 1 if a signature has changed.
    pub header: LoopHeader,
    /// The workgroups that look at signatures which no longer change.
    pub settle_groups: [u32; 3],
    /// 1 if a node is left whose component is not known.
    pub left: u32,
}

/// Makes every node its own signature, and all of them one part.
#[kernel(threads = 256, any_width)]
pub fn strong_start(
    lane: Lane,
    params: &StrongParams,
    mut reached_from: Global<u32>,
    mut reaches: Global<u32>,
    mut parts: Global<u32>,
    mut state: State<StrongState>,
) {
    for node in lane.grid_stride(params.nodes) {
        reached_from.set(node, node);
        reaches.set(node, node);
        parts.set(2 * node, 0);
        parts.set(2 * node + 1, 0);
    }
    if lane.global() == 0 {
        state.begin(params.nodes.min(1), params.edge_groups * params.nodes.min(1));
    }
}

/// What propagation writes.
struct Propagate<'a> {
    reached_from: Global<'a, u32>,
    reaches: Global<'a, u32>,
    state: State<'a, StrongState>,
}

#[inline_all]
impl Propagate<'_> {
    /// Hands on the signatures of the ends of an edge.
    fn visit(&mut self, source: u32, target: u32) {
        let from = self.reached_from.load(self.reached_from.load(source));
        if from < self.reached_from.load(target) {
            self.reached_from.min(target, from);
            self.change();
        }
        let to = self.reaches.load(self.reaches.load(target));
        if to < self.reaches.load(source) {
            self.reaches.min(source, to);
            self.change();
        }
    }

    /// Says that a signature has changed. Most find that somebody has said it, which costs less than to say it again.
    fn change(&mut self) {
        if self.state.load(StrongState::NEXT) == 0 {
            self.state.store(StrongState::NEXT, 1);
        }
    }
}

/// Hands signatures on along the edges within parts.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn strong_propagate<S: Distribute>(
    lane: Lane,
    params: &StrongParams,
    graph: Csr,
    reached_from: Global<u32>,
    reaches: Global<u32>,
    parts: Read<u32>,
    state: State<StrongState>,
    scratch: Scratch<u32>,
) {
    let Csr { row_offsets, columns } = graph;
    let rows = Rows { offsets: row_offsets, count: params.tiles.count };
    let mut propagate = Propagate { reached_from, reaches, state };
    S::scatter(lane, &rows, scratch, |tile, edge| {
        let (node, neighbour) = (params.tiles.row(tile), columns.get(edge));
        let part = parts.get(2 * node);
        let same = part == parts.get(2 * neighbour) && parts.get(2 * node + 1) == parts.get(2 * neighbour + 1);
        if part != SETTLED && same {
            propagate.visit(node, neighbour);
        }
    });
    let state = &mut propagate.state;
    if state.is_last(lane) && params.tiles.is_last == 1 {
        let changed = state.load(StrongState::NEXT);
        state.store(StrongState::NEXT, 0);
        state.store(StrongState::GROUPS.at(0), changed * params.edge_groups);
        state.set_groups(StrongState::SETTLE_GROUPS, (1 - changed) * params.node_groups);
        state.store(StrongState::ITERATION, state.load(StrongState::ITERATION) + 1);
    }
}

/// Settles the nodes whose signature is one node, and makes the signatures of the others the parts that begin anew.
#[kernel(threads = 256, any_width)]
pub fn strong_settle(
    lane: Lane,
    params: &StrongParams,
    mut reached_from: Global<u32>,
    mut reaches: Global<u32>,
    mut parts: Global<u32>,
    mut state: State<StrongState>,
) {
    let mut left = 0;
    for node in lane.grid_stride(params.nodes) {
        if parts.get(2 * node) != SETTLED {
            let (from, to) = (reached_from.get(node), reaches.get(node));
            if from == to {
                parts.set(2 * node, SETTLED);
            } else {
                parts.set(2 * node, from);
                parts.set(2 * node + 1, to);
                reached_from.set(node, node);
                reaches.set(node, node);
                left = 1;
            }
        }
    }
    if left > 0 {
        state.store(StrongState::LEFT, 1);
    }
    if state.is_last(lane) {
        let left = state.load(StrongState::LEFT);
        state.store(StrongState::LEFT, 0);
        state.store(StrongState::FRONTIER, left);
        state.store(StrongState::GROUPS.at(0), left * params.edge_groups);
        state.store(StrongState::SETTLE_GROUPS.at(0), 0);
    }
}
