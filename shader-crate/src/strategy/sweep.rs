//! Shortest paths by delta-stepping (Meyer and Sanders 2003) without lists. Distances are settled bucket by bucket. Every iteration sweeps over
//! all nodes, or over a bitmap of them, and takes those that it is for: on a graph whose paths have few edges, that costs less than lists to
//! which every invocation adds.
//!
//! The edges that stay in the bucket are relaxed each time that a node's distance falls. The others, which are most, are deferred until all
//! distances of the bucket are final, and then relaxed once. Where the nodes that are not settled have fewer edges, these nodes look for settled
//! neighbours instead (Chakaravarthy et al. 2014), which soon leaves out the edges of hubs.

use crate::frontier::{Batch, Cells};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::{SUBGROUPS, prefix_sum};
use crate::strategy::{degree, edges_in};
use core::marker::PhantomData;

/// A row with more edges is long: the whole dispatch takes it, in pieces of as many.
pub const PIECE: u32 = 1024;

/// Nodes that a workgroup looks at together by their distances: four for each invocation.
pub const BLOCK: u32 = 4 * WORKGROUP;

/// Nodes that a workgroup looks at together by their bits: two for each invocation.
const BLOCK_OF_BITS: u32 = 2 * WORKGROUP;

/// A workgroup takes the nodes on its list when there are so many, or no more to look at: few at a time would leave most invocations without work.
const FULL: u32 = 2 * WORKGROUP;

/// The room on the list of nodes whose bits are set.
const LIST_OF_BITS: usize = (FULL + BLOCK_OF_BITS) as usize;
// So many pieces of long rows are listed at a time.
const _: () = assert!(BLOCK as usize <= LIST_OF_BITS);

/// The room on the list of nodes by their distances.
const LIST_OF_BLOCK: usize = BLOCK as usize;

/// Relaxes the edges that stay in the bucket.
const RELAX: u32 = 0;
/// Counts the edges of the nodes that are settled now, and of those that are not yet.
const COUNT: u32 = 1;
/// Relaxes the deferred edges of the nodes that are settled now.
const DEFERRED: u32 = 2;
/// Does the same from the other end.
const PULL: u32 = 3;

/// The word of workgroup memory with the shortest distance behind the bucket. Those before it count what is on the workgroup's list, in turn.
const LOWEST: u32 = 3;

/// In place of a piece's first edge: the edges are those of several nodes.
const NONE: u32 = u32::MAX;

/// Three words for each invocation: the end of its node's edges, their offset, and the node's distance.
const CELLS: usize = 3 * WORKGROUP as usize;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SweepParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of pieces of long rows.
    pub pieces: u32,
    /// The workgroups of each iteration.
    pub groups: u32,
    /// The width of a bucket; the bits of it where distances are real.
    pub delta: u32,
    /// The width of the first bucket, in the same way.
    pub first_delta: u32,
    /// 1 where every edge has its reverse with the same weight; else 0.
    pub mirrored: u32,
    /// The search ends when the distance of this node is final; [`UNREACHED`] where it finds all nodes.
    pub target: u32,
    /// A graph has less than 2³² edges in units of 2 to the power of this.
    pub edge_shift: u32,
    /// The nodes whose edges can be relaxed in this dispatch.
    pub rows: RowRange,
}

/// The state of the loop. `next` of its header is 1 when a distance of the bucket fell.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct SweepState {
    /// What every loop has.
    pub header: LoopHeader,
    /// What the next iteration does.
    pub mode: u32,
    /// The bucket: distances from this one on.
    pub from: u32,
    /// The bucket: distances up to this one.
    pub to: u32,
    /// The workgroups of the next dispatch for nodes whose distances fell; those of the header are for all nodes.
    pub due_groups: [u32; 3],
    /// Edges of the nodes in the bucket.
    pub settled: u32,
    /// Edges of the nodes behind it.
    pub open: u32,
    /// The shortest distance behind it.
    pub lowest: u32,
}

/// What the kernel reads and writes beside the graph and its state.
#[derive(Bundle)]
pub struct SweepData<S: Storage> {
    /// The weight of each edge.
    pub weights: S::Read<u32>,
    /// The distances found.
    pub distances: S::Write<u32>,
    /// Three bitmaps of the nodes whose distances fell in an iteration and that the next one takes. In turn, one is read in an iteration, one is
    /// written, and one is cleared.
    pub due: S::Write<u32>,
    /// The pieces of long rows: each is a node and how far from the beginning of its row the piece begins.
    pub pieces: S::Read<u32>,
}

#[inline_all]
impl SweepParams {
    /// The words of a bitmap of all nodes.
    pub fn words(&self) -> u32 {
        self.nodes.div_ceil(32)
    }
}

/// What is the same for all edges that a workgroup takes together.
#[derive(Clone, Copy)]
struct Edges {
    /// How many there are.
    total: u32,
    /// The first, where they are a piece of a long row; else [`NONE`].
    begin: u32,
    /// The node of that row.
    node: u32,
    /// Its distance.
    distance: u32,
}

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

/// The workgroup memory of an iteration.
struct Work<'a, const LIST: usize> {
    /// Nodes, or pieces of long rows, whose edges are taken next.
    list: Shared<'a, u32, LIST>,
    /// How many were put on the list, in three words in turn; and [`LOWEST`].
    counts: Shared<'a, u32, 4>,
    cells: Shared<'a, u32, CELLS>,
    slots: Shared<'a, u32, SUBGROUPS>,
}

#[inline_all]
impl<'a, const LIST: usize> Work<'a, LIST> {
    /// Makes it ready. All invocations call it together.
    fn new(
        lane: Lane,
        list: Shared<'a, u32, LIST>,
        mut counts: Shared<'a, u32, 4>,
        cells: Shared<'a, u32, CELLS>,
        slots: Shared<'a, u32, SUBGROUPS>,
    ) -> Self {
        if lane.local == 0 {
            counts.set(0, 0);
            counts.set(LOWEST, UNREACHED);
        }
        lane.barrier();
        Self { list, counts, cells, slots }
    }

    /// Before the list is filled for the `turn`-th time: makes the next word of `counts` ready. It was read the time before the last.
    fn open(&mut self, lane: Lane, turn: u32) {
        if lane.local == 0 {
            self.counts.set((turn + 1) % 3, 0);
        }
    }

    /// Puts an item on the list, behind those that are there from before.
    fn add(&mut self, turn: u32, listed: u32, item: u32) {
        let place = listed + self.counts.add(turn % 3, 1);
        self.list.set(place, item);
    }
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

    /// Whether the row of a node is to be taken with those of others: it is neither empty nor long.
    fn is_short(&self, node: u32) -> bool {
        let edges = degree(self.graph.row_offsets, node);
        edges > 0 && edges <= PIECE
    }

    /// The edge `number` of those that the workgroup takes, and whose it is.
    fn edge(&self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        if edges.begin == NONE { shared_out(self.lane, cells, number) } else { (0, edges.begin + number) }
    }

    /// The distance at the end of an edge if it is due in this iteration, else [`UNREACHED`]; and the node there.
    fn reach(&mut self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        let (owner, edge) = self.edge(edges, cells, number);
        let mut distance = edges.distance;
        if edges.begin == NONE {
            distance = cells.get(2 * self.lane.threads + owner);
        }
        let (node, reached) = (self.graph.columns.get(edge), D::along(distance, self.data.weights.get(edge)));
        if reached == UNREACHED {
            // Too far for 32 bits. The host looks into it if the node stays unreached.
            self.state.store(SweepState::FLAGS, 1);
        }
        let is_due = (reached <= self.to) == (self.mode == RELAX);
        (if is_due { reached } else { UNREACHED }, node)
    }

    /// Lowers the distance of a node that was further away. What was found with it.
    fn lower(&mut self, found: Found, is_open: bool, (reached, node): (u32, u32)) -> Found {
        let mut found = found;
        if is_open && reached < self.data.distances.min(node, reached) {
            if self.mode == RELAX {
                self.data.due.or(self.bitmap(self.iteration + 1) + node / 32, 1 << (node % 32));
                found.changed = 1;
            } else {
                found.lowest = found.lowest.min(reached);
            }
        }
        found
    }

    /// Whether the node at the end of an edge is further away than along it. Looking is cheap and spares most of the atomics.
    fn is_open(&self, (reached, node): (u32, u32)) -> bool {
        reached != UNREACHED && reached < self.data.distances.load(node)
    }

    /// Relaxes an edge and the next three, `stride` apart, as far as there are so many. Their loads are in flight together.
    fn relax_four(&mut self, found: Found, edges: Edges, cells: &Cells<CELLS>, batch: Batch) -> Found {
        let Batch { number, stride, total } = batch;
        let (b, c, d) = (number + stride, number + 2 * stride, number + 3 * stride);
        let last = total - 1;
        let one = self.reach(edges, cells, number);
        let two = self.reach(edges, cells, b.min(last));
        let three = self.reach(edges, cells, c.min(last));
        let four = self.reach(edges, cells, d.min(last));
        let open = (self.is_open(one), self.is_open(two), self.is_open(three), self.is_open(four));
        let found = self.lower(found, open.0, one);
        let found = self.lower(found, b < total && open.1, two);
        let found = self.lower(found, c < total && open.2, three);
        self.lower(found, d < total && open.3, four)
    }

    /// The distance of a node that is not settled along one of its edges, and who brought the edge; [`UNREACHED`] where the neighbour is not
    /// settled either.
    fn look_back(&mut self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        let (owner, edge) = self.edge(edges, cells, number);
        let (node, weight) = (self.graph.columns.get(edge), self.data.weights.get(edge));
        let neighbour = self.data.distances.load(node);
        let reached = D::along(neighbour, weight);
        if neighbour <= self.to && reached == UNREACHED {
            self.state.store(SweepState::FLAGS, 1);
        }
        (owner, if neighbour <= self.to { reached } else { UNREACHED })
    }

    /// Keeps the distance along an edge if it is the shortest so far.
    fn keep(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>, (owner, reached): (u32, u32)) -> Found {
        let mut found = found;
        if reached == UNREACHED {
            // The neighbour is not settled.
        } else if edges.begin == NONE {
            cells.min(2 * self.lane.threads + owner, reached);
        } else if reached < edges.distance {
            self.data.distances.min(edges.node, reached);
            found.lowest = found.lowest.min(reached);
        }
        found
    }

    /// Looks back along an edge and the next three, `stride` apart, the last again where there are fewer. Their loads are in flight together.
    fn look_back_four(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>, batch: Batch) -> Found {
        let Batch { number, stride, total } = batch;
        let last = total - 1;
        let one = self.look_back(edges, cells, number);
        let two = self.look_back(edges, cells, (number + stride).min(last));
        let three = self.look_back(edges, cells, (number + 2 * stride).min(last));
        let four = self.look_back(edges, cells, (number + 3 * stride).min(last));
        let found = self.keep(found, edges, cells, one);
        let found = self.keep(found, edges, cells, two);
        let found = self.keep(found, edges, cells, three);
        self.keep(found, edges, cells, four)
    }

    /// Takes the edges of the workgroup.
    fn take(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>) -> Found {
        let (lane, mut found) = (self.lane, found);
        for number in step(lane.local, edges.total, 4 * lane.threads) {
            let batch = Batch { number, stride: lane.threads, total: edges.total };
            found = match self.mode {
                PULL => self.look_back_four(found, edges, cells, batch),
                _ => self.relax_four(found, edges, cells, batch),
            };
        }
        found
    }

    /// Takes the edges of a piece of a long row.
    fn take_piece(&mut self, found: Found, piece: u32, cells: &mut Cells<CELLS>) -> Found {
        let node = self.data.pieces.get(2 * piece);
        let skipped = self.data.pieces.get(2 * piece + 1);
        let edge = self.graph.row_offsets.get(node).wrapping_add(skipped);
        let count = PIECE.min(degree(self.graph.row_offsets, node) - skipped);
        let (begin, total) = self.params.rows.place(edge, count);
        let edges = Edges { total, begin, node, distance: self.data.distances.load(node) };
        self.take(found, edges, cells)
    }

    /// Takes the edges of the first `count` nodes on the list, those of as many at a time as there are invocations.
    fn take_nodes<const LIST: usize>(&mut self, found: Found, count: u32, work: &mut Work<LIST>) -> Found {
        let (lane, mut found) = (self.lane, found);
        for first in step(0, count, lane.threads) {
            let mut edges = Edges { total: 0, begin: NONE, node: 0, distance: 0 };
            let (mut begin, mut own) = (0, 0);
            if first + lane.local < count {
                edges.node = work.list.get(first + lane.local);
                if self.is_short(edges.node) {
                    (begin, own) = edges_in(&self.params.rows, self.graph.row_offsets, edges.node);
                }
                edges.distance = self.data.distances.load(edges.node);
            }
            work.cells.set(2 * lane.threads + lane.local, edges.distance);
            edges.total = line_up(lane, begin, own, &mut work.cells, &mut work.slots);
            found = self.take(found, edges, &mut work.cells);
            lane.barrier();
            if self.mode == PULL && first + lane.local < count {
                let reached = work.cells.get(2 * lane.threads + lane.local);
                if reached < edges.distance {
                    // No other invocation writes it.
                    self.data.distances.store(edges.node, reached);
                    found.lowest = found.lowest.min(reached);
                }
            }
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
        let turns = own.div_ceil(BLOCK);
        for turn in 0..turns {
            work.open(lane, turn);
            for place in step(turn * BLOCK + lane.local, own.min((turn + 1) * BLOCK), lane.threads) {
                let piece = place * lane.groups + lane.group;
                let node = self.data.pieces.get(2 * piece);
                if self.params.rows.has(node) && self.takes_node(node) {
                    work.add(turn, 0, piece);
                }
            }
            lane.barrier();
            for place in 0..work.counts.get(turn % 3) {
                found = self.take_piece(found, work.list.get(place), &mut work.cells);
            }
            lane.barrier();
        }
        (found, turns)
    }

    /// Takes the nodes of a bitmap. The list is filled for the first time as the `turn`-th.
    fn sweep_bits(&mut self, found: Found, turn: u32, work: &mut Work<LIST_OF_BITS>) -> Found {
        let (lane, rows, mut found) = (self.lane, self.params.rows, found);
        let blocks = self.share(self.blocks());
        let (mut bits, mut listed) = (self.bits(0), 0);
        for number in 0..blocks {
            let turn = turn + number;
            work.open(lane, turn);
            let (mut left, first) = (bits, self.block_begin(number) + 2 * lane.local);
            // In flight while this block is looked at.
            bits = self.bits(number + 1);
            self.clear(number);
            while left != 0 {
                let node = first + left.trailing_zeros();
                left &= left - 1;
                if rows.has(node) {
                    work.add(turn, listed, node);
                }
            }
            lane.barrier();
            listed += work.counts.get(turn % 3);
            if listed >= FULL || number + 1 == blocks {
                found = self.take_nodes(found, listed, work);
                listed = 0;
            }
        }
        found
    }

    /// Takes the nodes whose distances say so. The list is filled for the first time as the `turn`-th.
    fn sweep_distances(&mut self, found: Found, turn: u32, work: &mut Work<LIST_OF_BLOCK>) -> Found {
        let (lane, rows, mut found) = (self.lane, self.params.rows, found);
        let mut distances = self.distances(0);
        for number in 0..self.share(self.blocks()) {
            let turn = turn + number;
            work.open(lane, turn);
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
                        work.add(turn, 0, node);
                    }
                }
            }
            lane.barrier();
            found = self.take_nodes(found, work.counts.get(turn % 3), work);
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
    let (found, turns) = buckets.sweep_pieces(&mut work);
    let found = buckets.sweep_bits(found, turns, &mut work);
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
    let (found, turns) = buckets.sweep_pieces(&mut work);
    let found = buckets.sweep_distances(found, turns, &mut work);
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
