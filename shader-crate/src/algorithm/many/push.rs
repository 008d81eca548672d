//! Pushing: the nodes of the frontier give their bits to their neighbours. A workgroup takes as many nodes as it has invocations and shares
//! their edges out evenly; the edges of a heavy node are taken by the whole dispatch.

use super::data::{Bits, ManyState, Words};
use super::level::Search;
use super::{CELLS, HEAVY};
use crate::prelude::*;
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::Slots;

/// Edges of a heavy node that a workgroup takes at a time.
const PART: u32 = 2 * WORKGROUP;

#[inline_all]
impl Search<'_> {
    /// One level from the list of the frontier, whose first entries are light and whose last are heavy.
    pub(super) fn push_listed<W: Words>(
        &mut self,
        count: u32,
        heavy: u32,
        cells: &mut Shared<u32, CELLS>,
        slots: &mut Slots,
    ) {
        let lane = self.lane;
        // The heavy nodes, one after the other, and then the others.
        for number in 0..heavy + 1 {
            let (mut node, mut row, mut row_end) = (0, 0, 0);
            if number < heavy {
                node = self.lists.entries.get(self.lists.heavy(self.side, number));
                (row, row_end) = self.row(node);
            }
            let blocks =
                if number < heavy { (row_end - row).div_ceil(PART) } else { (count - heavy).div_ceil(lane.threads) };
            for block in lane.by_group(blocks) {
                let (mut begin, mut end) = (0, 0);
                let entry = block * lane.threads + lane.local;
                if number < heavy {
                    // Of its part each invocation brings a few edges, as if they were a node's.
                    begin = row + (row_end - row).min(block * PART + lane.local * (PART / WORKGROUP));
                    end = begin + (row_end - begin).min(PART / WORKGROUP);
                } else if entry < count - heavy {
                    node = self.lists.entries.get(self.lists.light(self.side, entry));
                    (begin, end) = self.row(node);
                }
                let mut bits = Bits::NONE;
                if end > begin {
                    bits = Bits::get::<W>(&self.fronts, self.front(node));
                }
                self.push_together::<W, true>((begin, end), bits, cells, slots);
            }
        }
    }

    /// One level over all nodes of the partition, of which those of the frontier push the bits of `pushed` sources.
    pub(super) fn push_level<W: Words>(
        &mut self,
        pushed: Bits,
        pieces: Read<u32>,
        cells: &mut Shared<u32, CELLS>,
        slots: &mut Slots,
    ) {
        let (lane, rows) = (self.lane, self.params.rows);
        for piece in lane.by_group(self.params.pieces) {
            let (node, begin, end) = self.piece(pieces, piece);
            let bits = Bits::get::<W>(&self.fronts, self.front(node)).and(pushed);
            if bits.any() {
                for edge in lane.group_stride(end - begin) {
                    self.push::<W, false>(begin + edge, bits);
                }
            }
        }
        for block in lane.by_group(rows.count.div_ceil(lane.threads)) {
            let node = rows.first + block * lane.threads + lane.local;
            let (mut begin, mut end, mut bits) = (0, 0, Bits::NONE);
            if node < rows.end() {
                bits = Bits::get::<W>(&self.fronts, self.front(node)).and(pushed);
            }
            if bits.any() {
                (begin, end) = self.short_row(node);
            }
            self.push_together::<W, false>((begin, end), bits, cells, slots);
        }
    }

    /// Pushes along the edges which the invocations of the workgroup bring, with the bits that each brings. They call it together.
    fn push_together<W: Words, const LIST: bool>(
        &mut self,
        (begin, end): (u32, u32),
        bits: Bits,
        cells: &mut Shared<u32, CELLS>,
        slots: &mut Slots,
    ) {
        let lane = self.lane;
        cells.set(2 * lane.threads + lane.local, bits.low);
        cells.set(3 * lane.threads + lane.local, bits.high);
        let total = line_up(lane, begin, end - begin, cells, slots);
        for number in lane.group_stride(total) {
            let (owner, edge) = shared_out(lane, cells, number);
            let bits = Bits { low: cells.get(2 * lane.threads + owner), high: cells.get(3 * lane.threads + owner) };
            self.push::<W, LIST>(edge, bits);
        }
        lane.barrier();
    }

    /// Pushes these bits along an edge, and lists the node at its end if nobody has and lists are kept.
    fn push<W: Words, const LIST: bool>(&mut self, edge: u32, bits: Bits) {
        self.lane.count_atoms(1);
        let node = self.graph.columns.get(edge);
        let new = bits.without(Bits::get::<W>(&self.seen, node));
        if new.any() {
            let next = self.next_front(node);
            // Whoever finds a word of a node empty lists it; of two words, whoever comes first.
            if new.add::<W>(&mut self.fronts, next) && LIST && (W::COUNT == 1 || self.is_first(W::COUNT, node)) {
                self.list(node);
            }
        }
    }

    /// Whether nobody has asked this of the node in this level before. Its mark is behind the words of both frontiers.
    fn is_first(&mut self, words: u32, node: u32) -> bool {
        let level = self.state.get(ManyState::ITERATION);
        self.fronts.exchange(2 * words * self.params.nodes + node, level) != level
    }

    /// Writes a node to the list of the next level.
    pub(super) fn list(&mut self, node: u32) {
        let is_heavy = self.degree(node) > HEAVY;
        let counters = (ManyState::NEXT, ManyState::NEXT_HEAVY);
        self.lists.append(self.lane, &mut self.state, counters, 1 - self.side, (node, is_heavy));
    }
}
