//! Pushing: the nodes of the frontier, which are on a list, visit their neighbours. A workgroup takes as many nodes as it has invocations
//! and shares their edges out evenly; the edges of a heavy node are taken by the whole dispatch.

use super::{Listed, Reached, Search, SearchState};
use crate::frontier::{Batch, Cells, PushEdges, push_block};
use crate::prelude::*;
use crate::primitive::share::shared_out;
use crate::primitive::workgroup::Slots;

/// The whole dispatch takes the edges of a node with more edges than this, when it pushes.
pub(super) const HEAVY: u32 = 2048;

/// Edges of a heavy node that a workgroup takes at a time.
const PIECE: u32 = 2 * WORKGROUP;

/// Two words for each invocation.
const CELLS: usize = 2 * WORKGROUP as usize;

impl PushEdges<CELLS> for Search<'_> {
    const AT_A_TIME: u32 = 2;
    /// The list that is written, 0 or 1.
    type Iteration = u32;
    type Team = ();

    #[inline(always)]
    fn push(&mut self, _: &mut (), half: u32, cells: &Cells<CELLS>, batch: Batch) -> u32 {
        let Batch { number, stride, total } = batch;
        let both = total - number > stride;
        let other = if both { number + stride } else { number };
        let (node, other) = (self.end_of(cells, number), self.end_of(cells, other));
        let (one, two) = (self.visit(node, true), self.visit(other, both));
        let (degree, other_degree) = (self.degree(one, node), self.degree(two, node));
        let light = |reached: Reached, degree: u32| if degree <= HEAVY { reached.new } else { 0 };
        let count = light(one, degree) + light(two, other_degree);
        let entry = self.state.append(self.lane, SearchState::NEXT, count);
        let entry = self.list(half, one, degree, entry);
        self.list(half, two, other_degree, entry);
        degree + other_degree
    }
}

#[inline_all]
impl Search<'_> {
    /// The node at the end of the workgroup's edge `number`.
    fn end_of(&self, cells: &Cells<CELLS>, number: u32) -> u32 {
        self.graph.columns.get(shared_out(self.lane, cells, number).1)
    }

    /// The edges out of a new node; where none is heavy, the mean will do. Else the offsets of `known` are loaded, which are in the cache.
    fn degree(&self, reached: Reached, known: u32) -> u32 {
        if self.params.short > 0 {
            return self.params.mean_degree * reached.new;
        }
        let (first, end) = self.row(if reached.new == 1 { reached.node } else { known });
        (end - first) * reached.new
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
        let mut edges = 0;
        // The heavy nodes, one after the other, and then the others.
        for turn in 0..heavy + 1 {
            let (mut row, mut row_end) = (0, 0);
            if turn < heavy {
                let node = self.lists.entries.get(self.lists.heavy(half, turn));
                (row, row_end) = self.row(node);
            }
            let blocks =
                if turn < heavy { (row_end - row).div_ceil(PIECE) } else { (count - heavy).div_ceil(lane.threads) };
            for block in lane.by_group(blocks) {
                let (mut begin, mut end) = (0, 0);
                let entry = block * lane.threads + lane.local;
                if turn < heavy {
                    // Of its piece each invocation brings a few edges, as if they were a node's.
                    begin = row_end.min(row + block * PIECE + lane.local * (PIECE / WORKGROUP));
                    end = row_end.min(begin + PIECE / WORKGROUP);
                } else if entry < count - heavy {
                    let node = self.lists.entries.get(self.lists.light(half, entry));
                    (begin, end) = self.row(node);
                }
                let (row, edge) = ((begin, end - begin), (lane.local, lane.threads));
                edges += push_block(lane, self, &mut (), 1 - half, row, edge, cells, slots);
                lane.barrier();
            }
        }
        edges
    }

    /// Makes the list of the nodes that were found last: those with a bit in the one bitmap and none in the other.
    pub(super) fn collect(&mut self, half: u32) {
        for node in self.lane.grid_stride(self.params.nodes) {
            if self.visited.is_new(node) {
                let (first, end) = self.row(node);
                let counters = (SearchState::NEXT, SearchState::NEXT_HEAVY);
                self.lists.append(self.lane, &mut self.state, counters, 1 - half, (node, end - first > HEAVY));
            }
        }
    }
}
