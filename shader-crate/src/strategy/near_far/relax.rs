//! Relaxation by the whole dispatch: workgroups share out the edges of blocks of near nodes evenly; a piece of a long row is a block, too.

use super::{NearFarState, Paths, Progress, Reached};
use crate::frontier::{Batch, Cells, PushEdges, push_block};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::share::shared_out;
use crate::primitive::workgroup::Slots;
use crate::rounds::RoundState;
use crate::strategy::degree;

/// A row with more edges is long, and taken in pieces of as many.
pub const PIECE: u32 = 1024;

/// No node.
const NONE: u32 = u32::MAX;

/// Three words for each invocation: the end of its node's edges, their offset, and the node's distance.
const CELLS: usize = 3 * WORKGROUP as usize;

#[inline_all]
impl<D: Distance> Paths<'_, D> {
    /// Relaxes the edges of the near nodes, of whose entries `pieces` are pieces of long rows.
    pub(super) fn relax(&mut self, progress: Progress, pieces: u32, cells: &mut Cells<CELLS>, slots: &mut Slots) {
        let lane = self.lane;
        let short = progress.near - pieces;
        // Blocks as large as a workgroup, or smaller, so that all workgroups have some.
        let size = short.div_ceil(lane.groups).clamp(1, lane.threads);
        for block in lane.by_group(pieces + short.div_ceil(size)) {
            let (mut node, mut first, mut most) = (NONE, 0, u32::MAX);
            if block < pieces {
                let place = self.piece(progress.half, block);
                node = self.data.pieces.get(place);
                most = PIECE / WORKGROUP;
                first = self.data.pieces.get(place + 1) * PIECE + lane.local * most;
            } else {
                let entry = (block - pieces) * size + lane.local;
                if lane.local < size && entry < short {
                    node = self.data.lists.get(self.near(progress.half, entry));
                }
            }
            let (mut row, mut distance) = ((0, 0), 0);
            if node != NONE && self.params.rows.has(node) {
                let degree = degree(self.graph.row_offsets, node);
                let skipped = first.min(degree);
                let edge = self.graph.row_offsets.get(node).wrapping_add(skipped);
                row = self.params.rows.place(edge, (degree - skipped).min(most));
                distance = self.data.distances.load(node);
            }
            cells.set(2 * lane.threads + lane.local, distance);
            push_block(lane, self, &mut (), progress, row, (lane.local, lane.threads), cells, slots);
            lane.barrier();
        }
    }

    /// What is at the end of the workgroup's edge `number`.
    fn reach(&mut self, cells: &Cells<CELLS>, number: u32, present: bool) -> Reached {
        let (owner, edge) = shared_out(self.lane, cells, number);
        self.along(cells.get(2 * self.lane.threads + owner), edge, present)
    }

    /// Puts two nodes on the lists that they go on.
    pub(super) fn list(&mut self, progress: Progress, one: Reached, two: Reached) {
        let far = one.far + two.far;
        if far > 0 {
            let counter = NearFarState::count(NearFarState::FAR_ADDED, 0);
            let entry = progress.far + self.state.append(self.lane, counter, far);
            if one.far == 1 {
                self.data.lists.set(self.far(progress.far_half, entry), one.node);
            }
            if two.far == 1 {
                self.data.lists.set(self.far(progress.far_half, entry + one.far), two.node);
            }
        }
        if one.near + two.near > 0 {
            self.list_near(progress, (one.node, one.near), (two.node, two.near));
        }
    }

    /// Puts those of two nodes that have a 1 beside them on the list of near nodes, or their pieces on theirs.
    pub(super) fn list_near(&mut self, progress: Progress, one: (u32, u32), two: (u32, u32)) {
        let half = 1 - progress.half;
        let long = (self.list_pieces(half, one), self.list_pieces(half, two));
        let (first, second) = (one.1 - long.0, two.1 - long.1);
        let entry = self.state.append(self.lane, NearFarState::NEXT, first + second);
        if first == 1 {
            self.data.lists.set(self.near(half, entry), one.0);
        }
        if second == 1 {
            self.data.lists.set(self.near(half, entry + first), two.0);
        }
    }

    /// Lists the pieces of a node that has a 1 beside it and a long row. 1 if it has.
    fn list_pieces(&mut self, half: u32, (node, present): (u32, u32)) -> u32 {
        if present == 0 || self.params.pieces == 0 {
            return 0;
        }
        let pieces = pieces(degree(self.graph.row_offsets, node));
        if pieces > 0 {
            let entry = self.state.append(self.lane, NearFarState::NEXT_PIECES, pieces);
            for piece in 0..pieces {
                let place = self.piece(half, entry + piece);
                self.data.pieces.set(place, node);
                self.data.pieces.set(place + 1, piece);
            }
        }
        pieces.min(1)
    }
}

impl<D: Distance> PushEdges<CELLS> for Paths<'_, D> {
    const AT_A_TIME: u32 = 2;
    type Iteration = Progress;
    type Team = ();

    #[inline(always)]
    fn push(&mut self, _: &mut (), progress: Progress, cells: &Cells<CELLS>, batch: Batch) -> u32 {
        let Batch { number, stride, total } = batch;
        let both = total - number > stride;
        let one = self.reach(cells, number, true);
        let two = self.reach(cells, if both { number + stride } else { number }, both);
        // The loads are cheap and spare most of the atomics.
        let open = one.distance < self.data.distances.load(one.node);
        let other_open = two.distance < self.data.distances.load(two.node);
        let fell = open && self.lower(one);
        let other_fell = other_open && self.lower(two);
        let (one, two) = (self.settle(progress, one, fell), self.settle(progress, two, other_fell));
        self.list(progress, one, two);
        0
    }
}

/// The pieces of a long row of so many edges; 0 of another row.
#[inline(always)]
pub(super) fn pieces(edges: u32) -> u32 {
    if edges > PIECE { edges.div_ceil(PIECE) } else { 0 }
}
