//! Pulling: every node that lacks the bit of a source which is still under way collects the bits of its neighbours.

use super::data::{Bits, Words};
use super::level::Search;
use super::push::CELLS;
use crate::prelude::*;

/// A node with more edges has a workgroup to itself.
pub const LONG: u32 = 2048;

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

    /// One level. Returns how many nodes this invocation found, the edges out of them, and the sources that found them.
    pub(super) fn pull_level<W: Words>(
        &mut self,
        active: Bits,
        long: Read<u32>,
        cells: &mut Shared<u32, CELLS>,
    ) -> (u32, u32, Bits) {
        let (lane, nodes) = (self.lane, self.params.nodes);
        let (mut count, mut edges, mut found_by) = self.pull_long::<W>(active, long, cells);
        let width = lane.threads * lane.groups;
        for first in step(lane.group * lane.threads + lane.subgroup * lane.subgroup_size, nodes, width) {
            let node = first + lane.subgroup_lane;
            let (mut edge, mut end, mut missing) = (0, 0, Bits::NONE);
            if node < nodes {
                missing = active.without(Bits::get::<W>(&self.seen, node));
                (edge, end) = self.row(node);
            }
            if end - edge > LONG || !missing.any() {
                end = edge;
            }
            let new = self.collect::<W>(edge, end, missing).and(missing);
            if new.any() {
                let next = self.next_front(node);
                new.set::<W>(&mut self.fronts, next);
                count += 1;
                edges += end - edge;
                found_by = found_by.or(new);
            }
        }
        (count, edges, found_by)
    }

    /// The same by the nodes with long rows, a workgroup each.
    fn pull_long<W: Words>(
        &mut self,
        active: Bits,
        long: Read<u32>,
        cells: &mut Shared<u32, CELLS>,
    ) -> (u32, u32, Bits) {
        let lane = self.lane;
        let (mut count, mut edges, mut found_by) = (0, 0, Bits::NONE);
        for entry in lane.by_group(self.params.long) {
            let node = long.get(entry);
            let missing = active.without(Bits::get::<W>(&self.seen, node));
            let (begin, end) = self.row(node);
            if lane.local < 2 {
                cells.set(lane.local, 0);
            }
            lane.barrier();
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
            if lane.subgroup_lane == 0 && all.low != 0 {
                cells.or(0, all.low);
            }
            if lane.subgroup_lane == 0 && all.high != 0 {
                cells.or(1, all.high);
            }
            lane.barrier();
            let new = Bits { low: cells.get(0), high: cells.get(1) }.and(missing);
            if lane.local == 0 && new.any() {
                let next = self.next_front(node);
                new.set::<W>(&mut self.fronts, next);
                count += 1;
                edges += end - begin;
                found_by = found_by.or(new);
            }
            lane.barrier();
        }
        (count, edges, found_by)
    }
}
