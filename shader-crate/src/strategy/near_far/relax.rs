//! Relaxing by the whole dispatch: workgroups take the nodes that are near in blocks, and each shares their edges out evenly. A
//! long row is listed in pieces, each a block by itself.

use super::{Moment, Paths, Reached};
use crate::{
    lane::Lane,
    memory::Shared,
    operator::relax::Distance,
    primitive::{
        share::{line_up, shared_out},
        workgroup::Slots,
    },
    ranges::step,
    strategy::degree,
};
use evenkeel_types::{Control, NearFarParams, WORKGROUP};

/// No node.
const NONE: u32 = u32::MAX;

/// Where a workgroup keeps the ends of its nodes' edges, their shifts, and the nodes' distances.
type Cells<'a> = Shared<'a, u32, { 3 * WORKGROUP as usize }>;

/// The edges that an invocation brings to its workgroup: one node's, or a few of a piece.
struct Share {
    begin: u32,
    end: u32,
    distance: u32,
}

impl Paths<'_> {
    /// See the module; `pieces` of what is near are those of long rows.
    #[inline(always)]
    pub(super) fn relax<D: Distance>(
        &mut self,
        lane: Lane,
        moment: Moment,
        pieces: u32,
        cells: &mut Cells,
        slots: &mut Slots,
    ) {
        let short = moment.near - pieces;
        // As large as a workgroup, or smaller, so that all have some.
        let size = short.div_ceil(lane.groups).clamp(1, lane.threads);
        for block in lane.by_group(pieces + short.div_ceil(size)) {
            let (mut node, mut first, mut most) = (NONE, 0, u32::MAX);
            if block < pieces {
                let place = self.piece(moment.half, block);
                node = self.pieces.get(place);
                most = NearFarParams::PIECE / WORKGROUP;
                first = self.pieces.get(place + 1) * NearFarParams::PIECE + lane.local * most;
            } else {
                let entry = (block - pieces) * size + lane.local;
                if lane.local < size && entry < short {
                    node = self.lists.get(self.near(moment.half, entry));
                }
            }
            let mut share = Share { begin: 0, end: 0, distance: 0 };
            if node != NONE {
                share.end = self.row_offsets.get(node + 1);
                share.begin = share.end.min(self.row_offsets.get(node) + first);
                share.end = share.begin + (share.end - share.begin).min(most);
                share.distance = self.distances.load(node);
            }
            self.share_out::<D>(lane, moment, share, cells, slots);
        }
    }

    /// Relaxes the edges of a workgroup's block, two of them at a time by each invocation.
    #[inline(always)]
    fn share_out<D: Distance>(
        &mut self,
        lane: Lane,
        moment: Moment,
        share: Share,
        cells: &mut Cells,
        slots: &mut Slots,
    ) {
        cells.set(2 * lane.threads + lane.local, share.distance);
        let total = line_up(lane, share.begin, share.end - share.begin, cells, slots);
        for number in step(lane.local, total, 2 * lane.threads) {
            let both = total - number > lane.threads;
            let one = self.reach::<D>(lane, cells, number, true);
            let two = self.reach::<D>(lane, cells, if both { number + lane.threads } else { number }, both);
            // The loads are cheap and spare most of the atomics.
            let open = one.distance < self.distances.load(one.node);
            let other_open = two.distance < self.distances.load(two.node);
            let fell = open && self.lower(one);
            let other_fell = other_open && self.lower(two);
            let (one, two) = (self.settle(moment, one, fell), self.settle(moment, two, other_fell));
            self.list(lane, moment, one, two);
        }
        lane.barrier();
    }

    /// What is at the end of the workgroup's edge `number`.
    #[inline(always)]
    fn reach<D: Distance>(&mut self, lane: Lane, cells: &Cells, number: u32, there: bool) -> Reached {
        let (owner, edge) = shared_out(lane, cells, number);
        self.along::<D>(cells.get(2 * lane.threads + owner), edge, there)
    }

    /// Puts two nodes on the lists that they go on.
    #[inline(always)]
    fn list(&mut self, lane: Lane, moment: Moment, one: Reached, two: Reached) {
        let far = one.far + two.far;
        if far > 0 {
            let entry = moment.far + lane.append(&mut self.control, Control::FAR_COUNTS, far);
            if one.far == 1 {
                self.lists.set(self.far(moment.far_half, entry), one.node);
            }
            if two.far == 1 {
                self.lists.set(self.far(moment.far_half, entry + one.far), two.node);
            }
        }
        if one.near + two.near > 0 {
            self.list_near(lane, moment, (one.node, one.near), (two.node, two.near));
        }
    }

    /// Puts those of two nodes that have a 1 beside them on the list of the near, or their pieces on theirs.
    #[inline(always)]
    pub(super) fn list_near(&mut self, lane: Lane, moment: Moment, one: (u32, u32), two: (u32, u32)) {
        let half = 1 - moment.half;
        let long = (self.list_pieces(lane, half, one), self.list_pieces(lane, half, two));
        let (first, second) = (one.1 - long.0, two.1 - long.1);
        let entry = lane.append(&mut self.control, Control::NEXT, first + second);
        if first == 1 {
            self.lists.set(self.near(half, entry), one.0);
        }
        if second == 1 {
            self.lists.set(self.near(half, entry + first), two.0);
        }
    }

    /// Lists the pieces of a node that has a 1 beside it and a long row. 1 if it has.
    #[inline(always)]
    fn list_pieces(&mut self, lane: Lane, half: u32, (node, there): (u32, u32)) -> u32 {
        if there == 0 || self.params.pieces == 0 {
            return 0;
        }
        let pieces = pieces(degree(self.row_offsets, node));
        if pieces > 0 {
            let entry = lane.append(&mut self.control, Control::LEFT_NEXT, pieces);
            for piece in 0..pieces {
                let place = self.piece(half, entry + piece);
                self.pieces.set(place, node);
                self.pieces.set(place + 1, piece);
            }
        }
        pieces.min(1)
    }
}

/// The pieces of a long row of so many edges; 0 of another.
#[inline(always)]
pub(super) fn pieces(edges: u32) -> u32 {
    if edges > NearFarParams::PIECE { edges.div_ceil(NearFarParams::PIECE) } else { 0 }
}
