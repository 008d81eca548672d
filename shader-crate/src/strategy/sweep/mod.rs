//! Shortest paths by delta-stepping (Meyer and Sanders 2003) without lists. Distances are settled bucket by bucket. Every iteration sweeps over
//! all nodes, or over a bitmap of them, and takes those that it is for: on a graph whose paths have few edges, that costs less than lists to
//! which every invocation adds.
//!
//! The edges that stay in the bucket are relaxed each time that a node's distance falls. The others, which are most, are deferred until all
//! distances of the bucket are final, and then relaxed once. Where the nodes that are not settled have fewer edges, these nodes look for settled
//! neighbours instead (Chakaravarthy et al. 2014), which soon leaves out the edges of hubs.

#[macro_use]
mod data;

mod take;
mod work;

pub use data::{SweepData, SweepParams, SweepState};
pub use take::PIECE;

use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, prefix_sum};
use crate::strategy::degree;
use core::marker::PhantomData;
use work::{CELLS, FULL, LIST_OF_BITS, LIST_OF_BLOCK, LOWEST, Work};

/// Nodes that a workgroup looks at together by their distances: four for each invocation.
pub const BLOCK: u32 = 4 * WORKGROUP;

/// Nodes that a workgroup looks at together by their bits: two for each invocation.
const BLOCK_OF_BITS: u32 = 2 * WORKGROUP;

/// Relaxes the edges that stay in the bucket.
const RELAX: u32 = 0;
/// Counts the edges of the nodes that are settled now, and of those that are not yet.
const COUNT: u32 = 1;
/// Relaxes the deferred edges of the nodes that are settled now.
const DEFERRED: u32 = 2;
/// Does the same from the other end.
const PULL: u32 = 3;

/// An iteration, as one invocation sees it.
struct Buckets<'a, D> {
    lane: Lane,
    params: SweepParams,
    graph: Csr<Views<'a>>,
    data: SweepData<Views<'a>>,
    state: State<'a, SweepState>,
    /// Its number, from 1 on.
    iteration: u32,
    mode: u32,
    from: u32,
    to: u32,
    /// Whether it takes the nodes of a bitmap.
    by_bits: bool,
    distance: PhantomData<D>,
}

/// What an invocation has found in an iteration.
#[derive(Clone, Copy)]
struct Found {
    /// 1 when a distance of the bucket fell.
    changed: u32,
    /// The shortest distance behind the bucket.
    lowest: u32,
    /// Edges of nodes in the bucket, and behind it, where they are counted.
    settled: u32,
    open: u32,
}

#[inline_all]
impl<'a, D: Distance> Buckets<'a, D> {
    /// The iteration that the state asks for.
    fn new(
        lane: Lane,
        params: &SweepParams,
        graph: Csr<Views<'a>>,
        data: SweepData<Views<'a>>,
        state: State<'a, SweepState>,
        (mode, by_bits): (u32, bool),
    ) -> Self {
        // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
        let (from, to) = (state.get(SweepState::FROM), state.get(SweepState::TO));
        let iteration = state.get(SweepState::ITERATION) + 1;
        Self { lane, params: *params, graph, data, state, iteration, mode, from, to, by_bits, distance: PhantomData }
    }

    /// The first word of the bitmap that is read in an iteration; those of the iterations around it are others.
    fn bitmap(&self, iteration: u32) -> u32 {
        iteration % 3 * self.params.words()
    }

    /// The number of nodes in a block of the workgroup's.
    fn block_size(&self) -> u32 {
        if self.by_bits { BLOCK_OF_BITS } else { BLOCK }
    }

    /// Where blocks begin: at the beginning of a word of a bitmap.
    fn blocks_from(&self) -> u32 {
        self.params.rows.first / 32 * 32
    }

    /// The number of blocks, of all workgroups.
    fn blocks(&self) -> u32 {
        let rows = self.params.rows;
        if rows.count > 0 { (rows.end() - self.blocks_from()).div_ceil(self.block_size()) } else { 0 }
    }

    /// The first node of a block of the workgroup's.
    fn block_begin(&self, number: u32) -> u32 {
        self.blocks_from() + (number * self.lane.groups + self.lane.group) * self.block_size()
    }

    /// The bits of the invocation's two nodes in a block.
    fn bits(&self, number: u32) -> u32 {
        let node = self.block_begin(number) + 2 * self.lane.local;
        let mut bits = 0;
        if node < self.params.rows.end() {
            bits = (self.data.due.get(self.bitmap(self.iteration) + node / 32) >> (node % 32)) & 3;
        }
        bits
    }

    /// The distances of the invocation's four nodes in a block, whose loads are in flight together; the distance of the last node in place of those
    /// behind it.
    fn distances(&self, number: u32) -> (u32, u32, u32, u32) {
        let lane = self.lane;
        // Where there are no rows nothing is done with it.
        let (first, last) = (self.block_begin(number) + lane.local, self.params.rows.end().max(1) - 1);
        let distance = |place: u32| self.data.distances.load((first + place * lane.threads).min(last));
        (distance(0), distance(1), distance(2), distance(3))
    }

    /// Clears what the workgroup has in a block of the bitmap that was read in the iteration before.
    fn clear(&mut self, number: u32) {
        let word = self.block_begin(number) / 32 + self.lane.local;
        if self.lane.local < self.block_size() / 32 && word < self.params.words() {
            self.data.due.set(self.bitmap(self.iteration + 2) + word, 0);
        }
    }

    /// Whether an iteration by distances is for a node at that one.
    fn takes(&self, distance: u32) -> bool {
        if self.mode == PULL {
            distance > self.to
        } else {
            self.mode != COUNT && distance >= self.from && distance <= self.to
        }
    }

    /// Whether the iteration is for a node.
    fn takes_node(&self, node: u32) -> bool {
        if self.by_bits {
            (self.data.due.get(self.bitmap(self.iteration) + node / 32) >> (node % 32)) & 1 == 1
        } else {
            self.takes(self.data.distances.load(node))
        }
    }

    /// Looks at a node at that distance, where the iteration finds out about the distances behind the bucket.
    fn look(&self, node: u32, distance: u32, found: Found) -> Found {
        let mut found = found;
        if self.mode != RELAX && distance > self.to {
            found.lowest = found.lowest.min(distance);
        }
        if self.mode == COUNT && distance >= self.from {
            let edges = degree(self.graph.row_offsets, node);
            found.open += if distance > self.to { edges } else { 0 };
            found.settled += if distance > self.to { 0 } else { edges };
        }
        found
    }

    /// The number of the workgroup's shares of so many things: every so many are its own.
    fn share(&self, all: u32) -> u32 {
        (all + self.lane.groups - 1 - self.lane.group) / self.lane.groups
    }

    /// Takes the pieces of long rows that the iteration is for. Returns how often the list was filled.
    fn sweep_pieces<const LIST: usize>(&mut self, work: &mut Work<LIST>) -> (Found, u32) {
        let (lane, mut found) = (self.lane, Found { changed: 0, lowest: UNREACHED, settled: 0, open: 0 });
        let own = if self.mode == COUNT { 0 } else { self.share(self.params.pieces) };
        let fillings = own.div_ceil(BLOCK);
        for filling in 0..fillings {
            work.open(lane, filling);
            for place in step(filling * BLOCK + lane.local, own.min((filling + 1) * BLOCK), lane.threads) {
                let piece = place * lane.groups + lane.group;
                let node = self.data.pieces.get(2 * piece);
                if self.params.rows.has(node) && self.takes_node(node) {
                    work.add(filling, 0, piece);
                }
            }
            lane.barrier();
            for place in 0..work.counts.get(filling % 3) {
                found = self.take_piece(found, work.list.get(place), &mut work.cells);
            }
            lane.barrier();
        }
        (found, fillings)
    }

    /// Takes the nodes of a bitmap. Its first filling of the list has the number `filling`.
    fn sweep_bits(&mut self, found: Found, filling: u32, work: &mut Work<LIST_OF_BITS>) -> Found {
        let (lane, rows, mut found) = (self.lane, self.params.rows, found);
        let blocks = self.share(self.blocks());
        let (mut bits, mut listed) = (self.bits(0), 0);
        for number in 0..blocks {
            let filling = filling + number;
            work.open(lane, filling);
            let (mut left, first) = (bits, self.block_begin(number) + 2 * lane.local);
            // In flight while this block is looked at.
            bits = self.bits(number + 1);
            self.clear(number);
            while left != 0 {
                let node = first + left.trailing_zeros();
                left &= left - 1;
                if rows.has(node) {
                    work.add(filling, listed, node);
                }
            }
            lane.barrier();
            listed += work.counts.get(filling % 3);
            if listed >= FULL || number + 1 == blocks {
                found = self.take_nodes(found, listed, work);
                listed = 0;
            }
        }
        found
    }

    /// Takes the nodes whose distances say so. Its first filling of the list has the number `filling`.
    fn sweep_distances(&mut self, found: Found, filling: u32, work: &mut Work<LIST_OF_BLOCK>) -> Found {
        let (lane, rows, mut found) = (self.lane, self.params.rows, found);
        let mut distances = self.distances(0);
        for number in 0..self.share(self.blocks()) {
            let filling = filling + number;
            work.open(lane, filling);
            let ((a, b, c, d), first) = (distances, self.block_begin(number) + lane.local);
            // In flight while this block is looked at.
            distances = self.distances(number + 1);
            self.clear(number);
            for which in 0..4 {
                let mut distance = a;
                distance = if which == 1 { b } else { distance };
                distance = if which == 2 { c } else { distance };
                distance = if which == 3 { d } else { distance };
                let node = first + which * lane.threads;
                if rows.has(node) {
                    found = self.look(node, distance, found);
                    if self.takes(distance) && self.is_short(node) {
                        work.add(filling, 0, node);
                    }
                }
            }
            lane.barrier();
            found = self.take_nodes(found, work.counts.get(filling % 3), work);
        }
        found
    }

    /// Every invocation calls this last. When all are done, what comes next is decided.
    fn advance(&mut self) {
        let (state, ends_iteration) = (&mut self.state, self.params.rows.is_last == 1);
        if state.is_last(self.lane) && ends_iteration {
            let (changed, lowest) = (state.load(SweepState::NEXT), state.load(SweepState::LOWEST));
            let (settled, open) = (state.load(SweepState::SETTLED), state.load(SweepState::OPEN));
            let (mut mode, mut frontier) = (RELAX, 1);
            if self.mode == RELAX {
                mode = if changed == 1 { RELAX } else { COUNT };
            } else if self.mode == COUNT {
                let (target, mirrored) = (self.params.target, self.params.mirrored == 1);
                // Without reverse edges a node that is not settled may have none, and still be found.
                mode = if mirrored && open < settled { PULL } else { DEFERRED };
                if mirrored && open == 0 || target != UNREACHED && self.data.distances.load(target) <= self.to {
                    frontier = 0;
                }
            } else if lowest == UNREACHED {
                frontier = 0;
            } else {
                state.store(SweepState::FROM, self.to + 1);
                state.store(SweepState::TO, D::along(lowest, self.params.delta));
            }
            state.store(SweepState::MODE, mode);
            state.store(SweepState::NEXT, 0);
            state.store(SweepState::SETTLED, 0);
            state.store(SweepState::OPEN, 0);
            state.store(SweepState::LOWEST, UNREACHED);
            state.store(SweepState::FRONTIER, frontier);
            state.store(SweepState::ITERATION, self.iteration);
            // The first iteration of a bucket takes all of its nodes, and the others those whose distances fell.
            let (groups, by_bits) = (frontier * self.params.groups, self.mode == RELAX && mode == RELAX);
            state.store(SweepState::GROUPS.at(0), if by_bits { 0 } else { groups });
            state.store(SweepState::DUE_GROUPS.at(0), if by_bits { groups } else { 0 });
        }
    }
}

/// Begins at the source. The host has set all distances, and cleared the bitmaps.
#[kernel(threads = 1)]
pub fn sweep_start(
    lane: Lane,
    params: &SweepParams,
    source: Read<u32>,
    mut distances: Global<u32>,
    mut state: State<SweepState>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        distances.set(node, 0);
        state.begin(1, params.groups);
        state.set(SweepState::TO, params.first_delta);
        state.set_groups(SweepState::DUE_GROUPS, 0);
        state.set(SweepState::LOWEST, UNREACHED);
    }
}

/// One iteration over the nodes whose distances fell in the one before.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn sweep_due<D: Distance>(
    lane: Lane,
    params: &SweepParams,
    graph: Csr,
    data: SweepData,
    state: State<SweepState>,
    list: Shared<u32, LIST_OF_BITS>,
    counts: Shared<u32, 4>,
    cells: Shared<u32, CELLS>,
    slots: Shared<u32, SUBGROUPS>,
) {
    if state.is_over(SweepState::DUE_GROUPS) {
        return;
    }
    let mut buckets = Buckets::<D>::new(lane, params, graph, data, state, (RELAX, true));
    let mut work = Work::new(lane, list, counts, cells, slots);
    let (found, fillings) = buckets.sweep_pieces(&mut work);
    let found = buckets.sweep_bits(found, fillings, &mut work);
    if found.changed == 1 {
        buckets.state.store(SweepState::NEXT, 1);
    }
    buckets.advance();
}

/// One iteration over all nodes.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn sweep<D: Distance>(
    lane: Lane,
    params: &SweepParams,
    graph: Csr,
    data: SweepData,
    state: State<SweepState>,
    list: Shared<u32, LIST_OF_BLOCK>,
    counts: Shared<u32, 4>,
    cells: Shared<u32, CELLS>,
    slots: Shared<u32, SUBGROUPS>,
) {
    if state.is_over(SweepState::GROUPS) {
        return;
    }
    let mode = state.get(SweepState::MODE);
    let mut buckets = Buckets::<D>::new(lane, params, graph, data, state, (mode, false));
    let mut work = Work::new(lane, list, counts, cells, slots);
    let (found, fillings) = buckets.sweep_pieces(&mut work);
    let found = buckets.sweep_distances(found, fillings, &mut work);
    if found.changed == 1 {
        buckets.state.store(SweepState::NEXT, 1);
    }
    if mode != RELAX {
        work.counts.min(LOWEST, found.lowest);
        lane.barrier();
        if lane.local == 0 && work.counts.get(LOWEST) != UNREACHED {
            buckets.state.min(SweepState::LOWEST, work.counts.get(LOWEST));
        }
    }
    if mode == COUNT {
        let settled = prefix_sum(lane, found.settled, &mut work.slots).total;
        lane.barrier();
        let open = prefix_sum(lane, found.open, &mut work.slots).total;
        if lane.local == 0 {
            // Rounded up: some are not none.
            let (shift, rest) = (params.edge_shift, (1 << params.edge_shift) - 1);
            buckets.state.add(SweepState::SETTLED, (settled >> shift) + u32::from(settled & rest > 0));
            buckets.state.add(SweepState::OPEN, (open >> shift) + u32::from(open & rest > 0));
        }
    }
    buckets.advance();
}

/// Ends an iteration of a streamed graph, whose partitions were dispatched one by one.
#[kernel(threads = 1, each(D in for_each_path))]
pub fn sweep_end<D: Distance>(lane: Lane, params: &SweepParams, graph: Csr, data: SweepData, state: State<SweepState>) {
    if state.is_over(SweepState::GROUPS) && state.is_over(SweepState::DUE_GROUPS) {
        return;
    }
    let mode = state.get(SweepState::MODE);
    Buckets::<D>::new(lane, params, graph, data, state, (mode, false)).advance();
}
