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
    /// The list that is written, 0 or 1, and whether one is.
    type Iteration = (u32, bool);
    /// How many nodes were found that are not listed.
    type Team = u32;

    #[inline(always)]
    fn push(&mut self, marked: &mut u32, (half, is_listed): (u32, bool), cells: &Cells<CELLS>, batch: Batch) -> u32 {
        let ([a, b, c, d], [_, has_b, has_c, has_d]) = batch.ends(self.lane, cells, self.graph.columns);
        let (open_a, open_b) = (self.visited.is_open(a), has_b && self.visited.is_open(b));
        let (open_c, open_d) = (has_c && self.visited.is_open(c), has_d && self.visited.is_open(d));
        let (a, b) = (self.visit_open(a, open_a), self.visit_open(b, open_b));
        let (c, d) = (self.visit_open(c, open_c), self.visit_open(d, open_d));
        let new = a.new + b.new + c.new + d.new;
        if new == 0 {
            return 0;
        }
        let (edges_a, edges_b) = (self.degree(a), self.degree(b));
        let (edges_c, edges_d) = (self.degree(c), self.degree(d));
        let edges = edges_a + edges_b + edges_c + edges_d;
        if !is_listed {
            self.mark(a);
            self.mark(b);
            self.mark(c);
            self.mark(d);
            *marked += new;
            return edges;
        }
        let heavy = |degree: u32| u32::from(degree > HEAVY);
        let heavies = heavy(edges_a) + heavy(edges_b) + heavy(edges_c) + heavy(edges_d);
        let mut entries = (self.state.append(self.lane, SearchState::NEXT, new - heavies), 0);
        if heavies > 0 {
            entries.1 = self.state.append(self.lane, SearchState::NEXT_HEAVY, heavies);
        }
        let entries = self.list(half, a, edges_a, entries);
        let entries = self.list(half, b, edges_b, entries);
        let entries = self.list(half, c, edges_c, entries);
        self.list(half, d, edges_d, entries);
        edges
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

    /// Gives a new node its depth.
    fn mark(&mut self, reached: Reached) {
        if reached.new == 1 {
            self.depths.set(reached.node, self.depth);
        }
    }

    /// Gives a new node its depth and its place on the list that is written, the first of `entries`, or the second if it is heavy. Returns
    /// those that are next.
    fn list(&mut self, half: u32, reached: Reached, degree: u32, (light, heavy): (u32, u32)) -> (u32, u32) {
        if reached.new == 0 {
            return (light, heavy);
        }
        self.depths.set(reached.node, self.depth);
        let is_heavy = degree > HEAVY;
        let place = if is_heavy { self.lists.heavy(half, heavy) } else { self.lists.light(half, light) };
        self.lists.entries.set(place, reached.node);
        if is_heavy { (light, heavy + 1) } else { (light + 1, heavy) }
    }
}

#[inline_all]
impl Search<'_> {
    /// One level from the list of the frontier. What is found is listed, or marked alone. Returns how many nodes this lane has marked alone,
    /// and the edges out of all that it has found.
    pub(super) fn push_level(
        &mut self,
        frontier: Listed,
        is_listed: bool,
        cells: &mut Cells<CELLS>,
        slots: &mut Slots,
    ) -> (u32, u32) {
        let lane = self.lane;
        let Listed { half, count, heavy } = frontier;
        let (blocks, light) = (ListBlocks::new(lane, count, heavy), count - heavy);
        let (mut marked, mut edges) = (0, 0);
        for number in 0..blocks.per_group(lane) {
            let ListBlock { item, edges: share } = blocks.block(lane, number);
            let mut row = (0, 0);
            if let Some(item) = item {
                let node = self.lists.entries.get(self.lists.item(half, light, item));
                row = self.row(node);
            }
            edges += push_block(lane, self, &mut marked, (1 - half, is_listed), row, share, cells, slots);
            lane.barrier();
        }
        (marked, edges)
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
