//! Pushing: the nodes of the frontier, which are on a list, go to their neighbours. A workgroup takes as many nodes as it has
//! invocations and shares their edges out evenly; a heavy node is left to the whole dispatch.

use super::{Frontier, Search, Seen};
use crate::{
    lane::Lane,
    memory::Shared,
    primitive::{
        share::{line_up, shared_out},
        workgroup::Slots,
    },
    ranges::step,
};
use evenkeel_types::{Control, WORKGROUP};

/// A node with more edges is left to the whole dispatch, when it pushes.
pub(super) const HEAVY: u32 = 2048;

/// Edges of a heavy node that a workgroup takes at a time.
const PIECE: u32 = 2 * WORKGROUP;

/// Where a workgroup keeps the ends of its nodes' edges, and behind them their shifts.
pub(super) type Cells<'a> = Shared<'a, u32, { 2 * WORKGROUP as usize }>;

impl Search<'_> {
    /// The edges out of a node that is new. One that is not is looked up where `known` is: in the cache. Where no node is heavy,
    /// the mean will do.
    #[inline(always)]
    fn degree(&self, seen: Seen, known: u32) -> u32 {
        if self.params.short > 0 {
            return self.params.mean_degree * seen.new;
        }
        let node = if seen.new == 1 { seen.node } else { known };
        (self.row_offsets.get(node + 1) - self.row_offsets.get(node)) * seen.new
    }

    /// Gives a new node its depth and its place on the list that is written, `entry` unless it is heavy. Returns the next entry.
    #[inline(always)]
    fn list(&mut self, lane: Lane, half: u32, seen: Seen, degree: u32, entry: u32) -> u32 {
        if seen.new == 0 {
            return entry;
        }
        self.depths.set(seen.node, self.depth);
        if degree <= HEAVY {
            self.lists.set(self.place(half, entry), seen.node);
            return entry + 1;
        }
        let heavy = lane.append_one(&mut self.control, Control::LEFT_NEXT);
        self.lists.set(self.place(half, self.params.nodes - 1 - heavy), seen.node);
        entry
    }

    /// Sees a node and, if there is one, another, and puts what is new on the list that is written. Returns the edges out of that.
    #[inline(always)]
    fn push(&mut self, lane: Lane, node: u32, other: u32, both: bool) -> u32 {
        let half = 1 - self.frontier.half;
        let (one, two) = (self.see(node, true), self.see(other, both));
        let (degree, other_degree) = (self.degree(one, node), self.degree(two, node));
        let light = |seen: Seen, degree: u32| if degree <= HEAVY { seen.new } else { 0 };
        let entry = lane.append(&mut self.control, Control::NEXT, light(one, degree) + light(two, other_degree));
        let entry = self.list(lane, half, one, degree, entry);
        self.list(lane, half, two, other_degree, entry);
        degree + other_degree
    }

    /// One level from the list of the frontier. Returns the edges out of the nodes that this lane found.
    #[inline(always)]
    pub(super) fn push_level(&mut self, lane: Lane, cells: &mut Cells, slots: &mut Slots) -> u32 {
        let Frontier { half, count, heavy } = self.frontier;
        let mut edges = 0;
        // The heavy nodes, one after the other, and then the others.
        for turn in 0..heavy + 1 {
            let (mut row, mut row_end) = (0, 0);
            if turn < heavy {
                let node = self.lists.get(self.place(half, self.params.nodes - 1 - turn));
                row = self.row_offsets.get(node);
                row_end = self.row_offsets.get(node + 1);
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
                    let node = self.lists.get(self.place(half, entry));
                    begin = self.row_offsets.get(node);
                    end = self.row_offsets.get(node + 1);
                }
                let total = line_up(lane, begin, end - begin, cells, slots);
                for number in step(lane.local, total, 2 * lane.threads) {
                    let both = total - number > lane.threads;
                    let other = if both { number + lane.threads } else { number };
                    let (node, other) = (self.shared_node(lane, cells, number), self.shared_node(lane, cells, other));
                    edges += self.push(lane, node, other, both);
                }
                lane.barrier();
            }
        }
        edges
    }

    /// The node at the end of the workgroup's edge `number`.
    #[inline(always)]
    fn shared_node(&self, lane: Lane, cells: &Cells, number: u32) -> u32 {
        self.columns.get(shared_out(lane, cells, number).1)
    }

    /// Makes the list of the nodes that were found last: those with a bit in the one bitmap and none in the other.
    #[inline(always)]
    pub(super) fn collect(&mut self, lane: Lane) {
        let words = self.params.words();
        let half = self.frontier.half;
        for node in lane.grid_stride(self.params.nodes) {
            let (now, before) = (self.seen.get(self.now + node / 32), self.seen.get(words - self.now + node / 32));
            if ((now & !before) >> (node % 32)) & 1 == 1 {
                let degree = self.row_offsets.get(node + 1) - self.row_offsets.get(node);
                if degree <= HEAVY {
                    let entry = lane.append_one(&mut self.control, Control::NEXT);
                    self.lists.set(self.place(1 - half, entry), node);
                } else {
                    let heavy = lane.append_one(&mut self.control, Control::LEFT_NEXT);
                    self.lists.set(self.place(1 - half, self.params.nodes - 1 - heavy), node);
                }
            }
        }
    }
}
