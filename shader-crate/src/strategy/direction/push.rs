//! Pushing: the nodes of the frontier, which are on a list, visit their neighbours. A workgroup takes blocks of nodes and shares their edges
//! out evenly; the edges of heavy nodes are shared out to the whole dispatch.

use super::{Listed, Reached, Search, SearchState};
use crate::frontier::{Batch, Cells, HEAVY, ListBlock, ListBlocks, PushEdges, push_block};
use crate::prelude::*;
use crate::primitive::workgroup::Slots;
use crate::strategy::degree;

/// Two words for each invocation.
const CELLS: usize = 2 * WORKGROUP as usize;

impl PushEdges<CELLS> for Search<'_> {
    const AT_A_TIME: u32 = 4;
    /// The list that is written, 0 or 1.
    type Iteration = u32;
    type Team = ();

    #[inline(always)]
    fn push(&mut self, _: &mut (), half: u32, cells: &Cells<CELLS>, batch: Batch) -> u32 {
        let ([a, b, c, d], [_, has_b, has_c, has_d]) = batch.ends(self.lane, cells, self.graph.columns);
        let (open_a, open_b) = (self.visited.is_open(a), has_b && self.visited.is_open(b));
        let (open_c, open_d) = (has_c && self.visited.is_open(c), has_d && self.visited.is_open(d));
        let (a, b) = (self.visit_open(a, open_a), self.visit_open(b, open_b));
        let (c, d) = (self.visit_open(c, open_c), self.visit_open(d, open_d));
        if a.new + b.new + c.new + d.new == 0 {
            return 0;
        }
        let (edges_a, edges_b) = (self.degree(a), self.degree(b));
        let (edges_c, edges_d) = (self.degree(c), self.degree(d));
        let light = |reached: Reached, degree: u32| if degree <= HEAVY { reached.new } else { 0 };
        let count = light(a, edges_a) + light(b, edges_b) + light(c, edges_c) + light(d, edges_d);
        let entry = self.state.append(self.lane, SearchState::NEXT, count);
        let entry = self.list(half, a, edges_a, entry);
        let entry = self.list(half, b, edges_b, entry);
        let entry = self.list(half, c, edges_c, entry);
        self.list(half, d, edges_d, entry);
        edges_a + edges_b + edges_c + edges_d
    }
}

#[inline_all]
impl Search<'_> {
    /// Visits a node if it is open. Looking first spares most of the atomics.
    fn visit_open(&mut self, node: u32, open: bool) -> Reached {
        if open { self.visit(node, true) } else { Reached { node, new: 0 } }
    }

    /// The edges out of a new node; where none is heavy, the mean will do.
    fn degree(&self, reached: Reached) -> u32 {
        if reached.new == 0 {
            0
        } else if self.params.short > 0 {
            self.params.mean_degree
        } else {
            degree(self.graph.row_offsets, reached.node)
        }
    }

    /// Gives a new node its depth and its place on the list that is written, `entry` unless it is heavy. Returns the next entry.
    fn list(&mut self, half: u32, reached: Reached, degree: u32, entry: u32) -> u32 {
        if reached.new == 0 {
            return entry;
        }
        self.depths.set(reached.node, self.depth);
        if degree > HEAVY {
            self.lists.append_heavy(self.lane, &mut self.state, SearchState::NEXT_HEAVY, half, reached.node);
            entry
        } else {
            self.lists.entries.set(self.lists.light(half, entry), reached.node);
            entry + 1
        }
    }
}

#[inline_all]
impl Search<'_> {
    /// One level from the list of the frontier. Returns the edges out of the nodes that this lane found.
    pub(super) fn push_level(&mut self, frontier: Listed, cells: &mut Cells<CELLS>, slots: &mut Slots) -> u32 {
        let lane = self.lane;
        let Listed { half, count, heavy } = frontier;
        let (blocks, light) = (ListBlocks::new(lane, count, heavy), count - heavy);
        let mut edges = 0;
        for turn in 0..blocks.turns(lane) {
            let ListBlock { item, edges: share } = blocks.block(lane, turn);
            let mut row = (0, 0);
            if let Some(item) = item {
                let node = self.lists.entries.get(self.lists.item(half, light, item));
                row = self.row(node);
            }
            edges += push_block(lane, self, &mut (), 1 - half, row, share, cells, slots);
            lane.barrier();
        }
        edges
    }

    /// Makes the list of the nodes that were found last: those with a bit in the one bitmap and none in the other.
    pub(super) fn collect(&mut self, half: u32) {
        for node in self.lane.grid_stride(self.params.nodes) {
            if self.visited.is_new(node) {
                let is_heavy = degree(self.graph.row_offsets, node) > HEAVY;
                let counters = (SearchState::NEXT, SearchState::NEXT_HEAVY);
                self.lists.append(self.lane, &mut self.state, counters, 1 - half, (node, is_heavy));
            }
        }
    }
}
