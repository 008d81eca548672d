//! Pulling, subgroup by subgroup: each lane looks along a few edges of its node for one that is in the frontier, and then all
//! along the rest of one node after the other. Long rows are cut into pieces once and for all, and the pieces of a row go to
//! different subgroups, so that none is long at work when the others are done.

use super::{Search, State, Tally};
use crate::{lane::Lane, memory::Read, ranges::step};
use evenkeel_types::{LevelWay, UNREACHED};

/// Edges of a node along which its lane looks alone.
const ALONE: u32 = 32;

/// Nowhere: more than any lane of a subgroup.
const NONE: u32 = u32::MAX;

impl Search<'_> {
    /// Discovers a node that nobody else writes.
    #[inline(always)]
    pub(super) fn reach(&mut self, lane: Lane, state: State, node: u32, tally: &mut Tally) {
        self.depths.store(node, state.level + 1);
        self.discover(lane, state, node, tally);
    }

    /// Whether one of the nodes at the ends of `edge` and the next three, `stride` apart, before `end`, is in the frontier.
    #[inline(always)]
    fn any_frontier(&self, level: u32, in_columns: Read<u32>, edge: u32, stride: u32, end: u32) -> bool {
        let last = end - 1;
        let node = |steps: u32| in_columns.get((edge + steps * stride).min(last));
        let (a, b, c, d) = (node(0), node(1), node(2), node(3));
        let (a, b, c, d) = (self.depths.load(a), self.depths.load(b), self.depths.load(c), self.depths.load(d));
        a == level || b == level || c == level || d == level
    }

    /// Whether a node has a neighbour in the frontier along its edges from `edge` on, up to `end`, by the whole subgroup.
    #[inline(always)]
    fn pull_together(&self, lane: Lane, level: u32, in_columns: Read<u32>, mut edge: u32, end: u32) -> bool {
        let mut found = 0;
        while edge < end && found == 0 {
            let first = edge + lane.subgroup_lane;
            found = lane.count(first < end && self.any_frontier(level, in_columns, first, lane.subgroup_size, end));
            edge += 4 * lane.subgroup_size;
        }
        found > 0
    }

    /// Whether the lane's node has a neighbour in the frontier. Every lane of the subgroup calls it, with `edge` at `end` when it
    /// has no node.
    #[inline(always)]
    fn pull(&self, lane: Lane, level: u32, in_columns: Read<u32>, mut edge: u32, end: u32) -> bool {
        let alone = end.min(edge + ALONE);
        let mut found = false;
        while edge < alone && !found {
            found = self.any_frontier(level, in_columns, edge, 1, end);
            edge += 4;
        }
        let mut owner = next_owner(lane, found, edge, end);
        while owner != NONE {
            let any = self.pull_together(lane, level, in_columns, lane.of(owner, edge), lane.of(owner, end));
            if lane.subgroup_lane == owner {
                edge = end;
                found = any;
            }
            owner = next_owner(lane, found, edge, end);
        }
        found
    }

    /// One level by the nodes that are not discovered and whose rows are not long.
    #[inline(always)]
    pub(super) fn pull_level(
        &mut self,
        lane: Lane,
        state: State,
        in_row_offsets: Read<u32>,
        in_columns: Read<u32>,
        tally: &mut Tally,
    ) {
        let nodes = self.params.nodes;
        let first = (lane.group * lane.subgroups + lane.subgroup) * lane.subgroup_size;
        for first in step(first, nodes, lane.threads * lane.groups) {
            let node = first + lane.subgroup_lane;
            let (mut edge, mut end) = (0, 0);
            if node < nodes && self.depths.load(node) == UNREACHED {
                edge = in_row_offsets.get(node);
                end = in_row_offsets.get(node + 1);
            }
            if end - edge > LevelWay::LONG {
                end = edge;
            }
            if self.pull(lane, state.level, in_columns, edge, end) {
                self.reach(lane, state, node, tally);
            }
        }
    }

    /// The same by those whose rows are long: a lane has a piece, which is a node and its first edge. A subgroup has a second one
    /// only when every subgroup has one.
    #[inline(always)]
    pub(super) fn pull_pieces(
        &mut self,
        lane: Lane,
        state: State,
        in_row_offsets: Read<u32>,
        in_columns: Read<u32>,
        pieces: Read<u32>,
        tally: &mut Tally,
    ) {
        let subgroups = lane.subgroups * lane.groups;
        let first = lane.group * lane.subgroups + lane.subgroup;
        for first in step(first, self.params.pieces, subgroups * lane.subgroup_size) {
            let piece = first + lane.subgroup_lane * subgroups;
            let (mut node, mut edge, mut end) = (0, 0, 0);
            if piece < self.params.pieces {
                node = pieces.get(2 * piece);
                if self.depths.load(node) == UNREACHED {
                    edge = pieces.get(2 * piece + 1);
                    end = in_row_offsets.get(node + 1).min(edge + LevelWay::PIECE);
                }
            }
            // Another piece of the node may discover it meanwhile.
            if self.pull(lane, state.level, in_columns, edge, end) {
                self.claim(lane, state, node, tally);
            }
        }
    }
}

/// The first lane of the subgroup that has found nothing and has some of its row left, or [`NONE`].
#[inline(always)]
fn next_owner(lane: Lane, found: bool, edge: u32, end: u32) -> u32 {
    lane.reduce_min(if !found && edge < end { lane.subgroup_lane } else { NONE })
}
