//! Pulling: every node that was not seen looks along its edges for one that was, and the first ends its search.

use super::Search;
use crate::{lane::Lane, memory::Read, ranges::step};

/// Edges of a node along which its lane looks alone.
const ALONE: u32 = 32;

/// A node with more edges has a subgroup to itself, when it pulls.
pub const LONG: u32 = 1024;

/// Nowhere: more than any lane of a subgroup.
const NONE: u32 = u32::MAX;

impl Search<'_> {
    /// Whether one of the nodes at the ends of `edge` and the next three, `stride` apart, before `end`, is in the frontier. A
    /// neighbour that was seen at all is: had it been seen earlier, this node would have been, too.
    #[inline(always)]
    fn any_seen(&self, edge: u32, stride: u32, end: u32) -> bool {
        let (a, b, c, d) = self.ends(edge, stride, end);
        let seen = |node: u32| (self.seen.get(self.now + node / 32) >> (node % 32)) & 1;
        (seen(a) | seen(b) | seen(c) | seen(d)) == 1
    }

    /// Whether a node has a neighbour in the frontier along its edges from `edge` on, up to `end`, by the whole subgroup.
    #[inline(always)]
    fn pull_together(&self, lane: Lane, mut edge: u32, end: u32) -> bool {
        let mut found = 0;
        while edge < end && found == 0 {
            let first = edge + lane.subgroup_lane;
            found = lane.count(first < end && self.any_seen(first, lane.subgroup_size, end));
            edge += 4 * lane.subgroup_size;
        }
        found > 0
    }

    /// Whether the lane's node has a neighbour in the frontier: along the first edges each lane looks by itself, along the rest
    /// all for one after the other. Every lane of the subgroup calls it, with `edge` at `end` when it has no node.
    #[inline(always)]
    fn pull(&self, lane: Lane, mut edge: u32, end: u32) -> bool {
        let alone = end.min(edge + ALONE);
        let mut found = false;
        while edge < alone && !found {
            found = self.any_seen(edge, 1, end);
            edge += 4;
        }
        let mut owner = next_owner(lane, found, edge, end);
        while owner != NONE {
            let any = self.pull_together(lane, of(lane, owner, edge), of(lane, owner, end));
            if lane.subgroup_lane == owner {
                edge = end;
                found = any;
            }
            owner = next_owner(lane, found, edge, end);
        }
        found
    }

    /// One level by the nodes not seen yet: each lane looks at a word of the bitmap, and the subgroup takes the words that have
    /// any. Returns how many nodes this lane found, and the edges out of these.
    #[inline(always)]
    pub(super) fn pull_level(&mut self, lane: Lane) -> (u32, u32) {
        let (nodes, words) = (self.params.nodes, self.params.words());
        let other = words - self.now;
        let subgroups = lane.subgroups * lane.groups;
        let (mut count, mut edges) = (0, 0);
        for first in step(lane.group * lane.subgroups + lane.subgroup, words, subgroups * lane.subgroup_size) {
            let word = first + lane.subgroup_lane * subgroups;
            let before = if word < words { self.seen.get(self.now + word) } else { NONE };
            let mut after = before;
            let mut owner = lane.reduce_min(if before != NONE { lane.subgroup_lane } else { NONE });
            while owner != NONE {
                let (base, seen) = (of(lane, owner, word) * 32, of(lane, owner, before));
                for bit in step(lane.subgroup_lane, 32_u32.next_multiple_of(lane.subgroup_size), lane.subgroup_size) {
                    let node = base + bit;
                    let (mut edge, mut end) = (0, 0);
                    if bit < 32 && node < nodes && (seen >> bit) & 1 == 0 {
                        edge = self.row_offsets.get(node);
                        end = self.row_offsets.get(node + 1);
                    }
                    if end - edge > LONG {
                        end = edge;
                    }
                    let found = self.pull(lane, edge, end);
                    if found {
                        self.depths.set(node, self.depth);
                        count += 1;
                        edges += end - edge;
                    }
                    let bits = lane.bits(found) << (bit - lane.subgroup_lane);
                    if lane.subgroup_lane == owner {
                        after |= bits;
                    }
                }
                let left = before != NONE && lane.subgroup_lane > owner;
                owner = lane.reduce_min(if left { lane.subgroup_lane } else { NONE });
            }
            // The other bitmap is of some earlier level, and so without a bit that this one has not.
            if word < words {
                self.seen.or(other + word, after);
            }
        }
        (count, edges)
    }

    /// The same by the nodes with many edges, which stand in `long` behind their number, a subgroup each.
    #[inline(always)]
    pub(super) fn pull_long(&mut self, lane: Lane, long: Read<u32>) -> (u32, u32) {
        let other = self.params.words() - self.now;
        let (mut count, mut edges) = (0, 0);
        for entry in step(lane.group * lane.subgroups + lane.subgroup, long.get(0), lane.subgroups * lane.groups) {
            let node = long.get(1 + entry);
            let (begin, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
            let open = (self.seen.get(self.now + node / 32) >> (node % 32)) & 1 == 0;
            if open && self.pull_together(lane, begin, end) && lane.subgroup_lane == 0 {
                self.depths.set(node, self.depth);
                self.seen.or(other + node / 32, 1 << (node % 32));
                count += 1;
                edges += end - begin;
            }
        }
        (count, edges)
    }
}

/// The first lane of the subgroup that has found nothing and has some of its row left, or [`NONE`].
#[inline(always)]
fn next_owner(lane: Lane, found: bool, edge: u32, end: u32) -> u32 {
    lane.reduce_min(if !found && edge < end { lane.subgroup_lane } else { NONE })
}

/// What a lane of the subgroup has for a value.
#[inline(always)]
fn of(lane: Lane, owner: u32, value: u32) -> u32 {
    lane.reduce_max(if lane.subgroup_lane == owner { value } else { 0 })
}
