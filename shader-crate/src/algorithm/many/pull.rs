//! Pulling: every node that lacks the bit of a source which is pulled collects the bits of its neighbours.

use super::data::{Bits, Words};
use super::level::Search;
use crate::prelude::*;

/// The edges of a piece.
pub const PIECE: u32 = 4096;

/// Edges along which a node's lane looks alone.
const ALONE: u32 = 32;

/// No lane.
const NONE: u32 = u32::MAX;

#[inline_all]
impl Search<'_> {
    /// The bits of the nodes at the ends of `edge` and the next three, `stride` apart; the last before `end` for those that are past it.
    fn bits_of_four<W: Words>(&self, edge: u32, stride: u32, end: u32) -> Bits {
        let last = end - 1;
        let left = last - edge;
        self.lane.count_atoms((left / stride + 1).min(4));
        let node = |steps: u32| self.graph.columns.get(edge + left.min(steps * stride));
        let (a, b, c, d) = (node(0), node(1), node(2), node(3));
        let bits = |node: u32| Bits::get::<W>(&self.fronts, self.front(node));
        let (a, b, c, d) = (bits(a), bits(b), bits(c), bits(d));
        a.or(b).or(c.or(d))
    }

    /// The bits of the neighbours along a row, at least those of `missing` that any has. Every lane of the subgroup calls it, with `edge` at
    /// `end` when it has no node.
    fn collect<W: Words>(&self, mut edge: u32, end: u32, missing: Bits) -> Bits {
        let lane = self.lane;
        let mut found = Bits::NONE;
        let alone = end.min(edge + ALONE);
        while edge < alone && missing.without(found).any() {
            found = found.or(self.bits_of_four::<W>(edge, 1, end));
            edge += (end - edge).min(4);
        }
        let mut owner = self.next_owner(edge < end && missing.without(found).any());
        while owner != NONE {
            let (mut from, to) = (lane.of(owner, edge), lane.of(owner, end));
            let wanted = missing.without(found).of_lane::<W>(lane, owner);
            let mut all = Bits::NONE;
            while from < to && wanted.without(all).any() {
                let first = from + lane.subgroup_lane;
                let mut own = Bits::NONE;
                if first < to {
                    own = self.bits_of_four::<W>(first, lane.subgroup_size, to);
                }
                all = all.or(own.of_subgroup::<W>(lane));
                from += (to - from).min(4 * lane.subgroup_size);
            }
            if lane.subgroup_lane == owner {
                found = found.or(all);
                edge = end;
            }
            owner = self.next_owner(edge < end && missing.without(found).any());
        }
        found
    }

    /// The first lane of the subgroup that has some of its row left, or [`NONE`].
    fn next_owner(&self, has_more: bool) -> u32 {
        self.lane.reduce_min(if has_more { self.lane.subgroup_lane } else { NONE })
    }

    /// Adds the bits of `pulled` sources to the next frontier.
    pub(super) fn pull_level<W: Words>(&mut self, pulled: Bits, pieces: Read<u32>) {
        let (lane, rows) = (self.lane, self.params.rows);
        self.pull_pieces::<W>(pulled, pieces);
        let width = lane.threads * lane.groups;
        for first in step(lane.group * lane.threads + lane.subgroup * lane.subgroup_size, rows.count, width) {
            let node = rows.first + first + lane.subgroup_lane;
            let (mut edge, mut end, mut missing) = (0, 0, Bits::NONE);
            if node < rows.end() {
                missing = pulled.without(Bits::get::<W>(&self.seen, node));
                (edge, end) = self.short_row(node);
            }
            if !missing.any() {
                end = edge;
            }
            let new = self.collect::<W>(edge, end, missing).and(missing);
            if new.any() {
                let next = self.next_front(node);
                new.add::<W>(&mut self.fronts, next);
            }
        }
    }

    /// The piece of a long row: its node, its first edge in the columns of the partition, and the one behind its last. There are none if
    /// the row is another's.
    pub(super) fn piece(&self, pieces: Read<u32>, piece: u32) -> (u32, u32, u32) {
        let (node, edge) = (pieces.get(2 * piece), pieces.get(2 * piece + 1));
        let (mut begin, mut count) = (0, 0);
        if self.params.rows.has(node) {
            let left = self.graph.row_offsets.get(node + 1).wrapping_sub(edge);
            (begin, count) = self.params.rows.place(edge, left.min(PIECE));
        }
        (node, begin, begin + count)
    }

    /// Pulls along the long rows, a workgroup for each piece.
    fn pull_pieces<W: Words>(&mut self, pulled: Bits, pieces: Read<u32>) {
        let lane = self.lane;
        for piece in lane.by_group(self.params.pieces) {
            let (node, begin, end) = self.piece(pieces, piece);
            let missing = pulled.without(Bits::get::<W>(&self.seen, node));
            let mut all = Bits::NONE;
            let share = 4 * lane.subgroup_size;
            let mut edge = begin + (end - begin).min(lane.subgroup * share);
            while edge < end && missing.without(all).any() {
                let first = edge + lane.subgroup_lane;
                let mut own = Bits::NONE;
                if first < end {
                    own = self.bits_of_four::<W>(first, lane.subgroup_size, end);
                }
                all = all.or(own.of_subgroup::<W>(lane));
                edge += (end - edge).min(share * lane.subgroups);
            }
            let new = all.and(missing);
            if lane.subgroup_lane == 0 && new.any() {
                let next = self.next_front(node);
                new.add::<W>(&mut self.fronts, next);
            }
        }
    }
}
