//! Pulling, subgroup by subgroup. Long rows are cut into pieces, which go to different subgroups, so that all are done at the same time.

use super::{LevelInfo, Search, Tally, VariantCode};
use crate::frontier::{InFrontier, search_alone_then_together};
use crate::prelude::*;

impl<'a, R> InFrontier for Search<'a, R> {
    /// The depth of the frontier, and where each edge of the reversed graph leads.
    type Edges = (u32, Read<'a, u32>);

    #[inline(always)]
    fn any(&self, (level, in_columns): Self::Edges, edge: u32, stride: u32, end: u32) -> bool {
        let last = end - 1;
        let node = |steps: u32| in_columns.get((edge + steps * stride).min(last));
        let (a, b, c, d) = (node(0), node(1), node(2), node(3));
        let (a, b, c, d) = (self.depths.load(a), self.depths.load(b), self.depths.load(c), self.depths.load(d));
        a == level || b == level || c == level || d == level
    }
}

#[inline_all]
impl<'a, R> Search<'a, R> {
    /// Discovers a node that nobody else writes.
    pub(super) fn reach(&mut self, level: LevelInfo, node: u32, tally: &mut Tally) {
        self.depths.store(node, level.depth + 1);
        self.discover(level, node, tally);
    }

    /// One level by the nodes that are not discovered and whose rows are not long.
    pub(super) fn pull_level(&mut self, lane: Lane, level: LevelInfo, in_graph: Csr<Views<'a>>, tally: &mut Tally) {
        let nodes = self.params.nodes;
        let first = (lane.group * lane.subgroups + lane.subgroup) * lane.subgroup_size;
        for first in step(first, nodes, lane.threads * lane.groups) {
            let node = first + lane.subgroup_lane;
            let (mut edge, mut end) = (0, 0);
            if node < nodes && self.depths.load(node) == UNREACHED {
                edge = in_graph.row_offsets.get(node);
                end = in_graph.row_offsets.get(node + 1);
            }
            if end - edge > VariantCode::LONG {
                end = edge;
            }
            if search_alone_then_together(lane, self, (level.depth, in_graph.columns), edge, end) {
                self.reach(level, node, tally);
            }
        }
    }

    /// One level by the undiscovered nodes with long rows: a lane has a piece, a node and its first edge; a subgroup has a second one only when all have one.
    pub(super) fn pull_pieces(
        &mut self,
        lane: Lane,
        level: LevelInfo,
        in_graph: Csr<Views<'a>>,
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
                    end = in_graph.row_offsets.get(node + 1).min(edge + VariantCode::PIECE);
                }
            }
            // Another piece of the node may discover it meanwhile.
            if search_alone_then_together(lane, self, (level.depth, in_graph.columns), edge, end) {
                self.claim(level, node, tally);
            }
        }
    }
}
