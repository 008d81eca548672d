//! Pulling, subgroup by subgroup: each lane looks along a few edges of its node for one that is in the frontier, and then all
//! along the rest of one node after the other. Long rows are cut into pieces once and for all, and the pieces of a row go to
//! different subgroups, so that none is long at work when the others are done.

use super::{Search, State, Tally};
use crate::{
    lane::Lane,
    memory::Read,
    ranges::step,
    strategy::look::{Look, look},
};
use evenkeel_types::{LevelWay, UNREACHED};

impl<'a> Look for Search<'a> {
    /// The depth of the frontier, and where each edge of the reversed graph leads.
    type At = (u32, Read<'a, u32>);

    #[inline(always)]
    fn any(&self, (level, in_columns): Self::At, edge: u32, stride: u32, end: u32) -> bool {
        let last = end - 1;
        let node = |steps: u32| in_columns.get((edge + steps * stride).min(last));
        let (a, b, c, d) = (node(0), node(1), node(2), node(3));
        let (a, b, c, d) = (self.depths.load(a), self.depths.load(b), self.depths.load(c), self.depths.load(d));
        a == level || b == level || c == level || d == level
    }
}

impl<'a> Search<'a> {
    /// Discovers a node that nobody else writes.
    #[inline(always)]
    pub(super) fn reach(&mut self, lane: Lane, state: State, node: u32, tally: &mut Tally) {
        self.depths.store(node, state.level + 1);
        self.discover(lane, state, node, tally);
    }

    /// One level by the nodes that are not discovered and whose rows are not long.
    #[inline(always)]
    pub(super) fn pull_level(
        &mut self,
        lane: Lane,
        state: State,
        in_row_offsets: Read<u32>,
        in_columns: Read<'a, u32>,
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
            if look(lane, self, (state.level, in_columns), edge, end) {
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
        in_columns: Read<'a, u32>,
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
            if look(lane, self, (state.level, in_columns), edge, end) {
                self.claim(lane, state, node, tally);
            }
        }
    }
}
