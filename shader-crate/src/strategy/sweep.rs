//! Shortest paths by delta-stepping (Meyer and Sanders 2003) without lists. Distances are settled bucket by bucket. Every iteration sweeps over
//! all nodes and takes those that it is for: on a graph whose paths have few edges, that costs less than lists to which every invocation adds.
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

/// Nodes that a workgroup looks at before it takes those that the iteration is for.
pub const BLOCK: u32 = 4 * WORKGROUP;

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
    /// 1 when the next iteration is the bucket's first, which takes all of its nodes.
    pub first: u32,
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
    /// The iteration that takes each node because its distance fell in the one before.
    pub marks: S::Write<u32>,
    /// The pieces of long rows: each is a node and how far from the beginning of its row the piece begins.
    pub pieces: S::Read<u32>,
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
    first: bool,
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
impl<D: Distance> Buckets<'_, D> {
    /// The word of a node that says whether the iteration is for it.
    fn word(&self, node: u32) -> u32 {
        if self.mode == RELAX && !self.first { self.data.marks.load(node) } else { self.data.distances.load(node) }
    }

    /// The first of the invocation's four nodes in a block of the workgroup's, and the words of the four, whose loads are in flight together; the
    /// word of the last node in place of those behind it.
    fn block(&self, number: u32) -> (u32, (u32, u32, u32, u32)) {
        let (lane, rows) = (self.lane, self.params.rows);
        // Where there are no rows nothing is done with the words.
        let last = rows.end().max(1) - 1;
        let a = rows.first + (number * lane.groups + lane.group) * BLOCK + lane.local;
        let (b, c, d) = (a + lane.threads, a + 2 * lane.threads, a + 3 * lane.threads);
        (a, (self.word(a.min(last)), self.word(b.min(last)), self.word(c.min(last)), self.word(d.min(last))))
    }

    /// Whether the iteration is for a node with that word.
    fn takes(&self, word: u32) -> bool {
        if self.mode == RELAX && !self.first {
            word == self.iteration
        } else if self.mode == PULL {
            word > self.to
        } else {
            self.mode != COUNT && word >= self.from && word <= self.to
        }
    }

    /// Looks at a node with that word, where the iteration finds out about the distances behind the bucket.
    fn look(&self, node: u32, word: u32, found: Found) -> Found {
        let mut found = found;
        if self.mode != RELAX && word > self.to {
            found.lowest = found.lowest.min(word);
        }
        if self.mode == COUNT && word >= self.from {
            let edges = degree(self.graph.row_offsets, node);
            found.open += if word > self.to { edges } else { 0 };
            found.settled += if word > self.to { 0 } else { edges };
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
                self.data.marks.store(node, self.iteration + 1);
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
            state.store(SweepState::FIRST, u32::from(self.mode != RELAX && mode == RELAX));
            state.store(SweepState::NEXT, 0);
            state.store(SweepState::SETTLED, 0);
            state.store(SweepState::OPEN, 0);
            state.store(SweepState::LOWEST, UNREACHED);
            state.store(SweepState::FRONTIER, frontier);
            state.store(SweepState::ITERATION, self.iteration);
            state.store(SweepState::GROUPS.at(0), frontier * self.params.groups);
        }
    }
}

/// Begins at the source. The host has set all distances and marks.
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
        state.set(SweepState::FIRST, 1);
        state.set(SweepState::LOWEST, UNREACHED);
    }
}

/// One iteration.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn sweep<D: Distance>(
    lane: Lane,
    params: &SweepParams,
    graph: Csr,
    data: SweepData,
    state: State<SweepState>,
    mut list: Shared<u32, 1024>,
    mut counts: Shared<u32, 4>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
    let (mode, first) = (state.get(SweepState::MODE), state.get(SweepState::FIRST) == 1);
    let (from, to) = (state.get(SweepState::FROM), state.get(SweepState::TO));
    let iteration = state.get(SweepState::ITERATION) + 1;
    let mut buckets = Buckets::<D> {
        lane,
        params: *params,
        graph,
        data,
        state,
        iteration,
        mode,
        from,
        to,
        first,
        distance: PhantomData,
    };
    let mut found = Found { changed: 0, lowest: UNREACHED, settled: 0, open: 0 };
    // Every so many pieces and blocks of nodes are this workgroup's.
    let share = |all: u32| (all + lane.groups - 1 - lane.group) / lane.groups;
    let own_pieces = if mode == COUNT { 0 } else { share(params.pieces) };
    let of_pieces = own_pieces.div_ceil(BLOCK);
    if lane.local == 0 {
        counts.set(0, 0);
        counts.set(LOWEST, UNREACHED);
    }
    lane.barrier();
    let scans = of_pieces + share(params.rows.count.div_ceil(BLOCK));
    let mut block = buckets.block(0);
    for scan in 0..scans {
        if lane.local == 0 {
            // It was read in the scan before the last.
            counts.set((scan + 1) % 3, 0);
        }
        let is_of_pieces = scan < of_pieces;
        if is_of_pieces {
            for own in step(scan * BLOCK + lane.local, own_pieces.min((scan + 1) * BLOCK), lane.threads) {
                let piece = own * lane.groups + lane.group;
                let node = buckets.data.pieces.get(2 * piece);
                if params.rows.has(node) && buckets.takes(buckets.word(node)) {
                    list.set(counts.add(scan % 3, 1), piece);
                }
            }
        } else {
            let last = params.rows.end() - 1;
            let (a, (word_a, word_b, word_c, word_d)) = block;
            let (b, c, d) = (a + lane.threads, a + 2 * lane.threads, a + 3 * lane.threads);
            // In flight while this block is looked at.
            block = buckets.block(scan + 1 - of_pieces);
            for which in 0..4 {
                let mut item = (a, word_a);
                item = if which == 1 { (b, word_b) } else { item };
                item = if which == 2 { (c, word_c) } else { item };
                item = if which == 3 { (d, word_d) } else { item };
                let (node, word) = item;
                if node <= last {
                    found = buckets.look(node, word, found);
                    if buckets.takes(word) && buckets.is_short(node) {
                        list.set(counts.add(scan % 3, 1), node);
                    }
                }
            }
        }
        lane.barrier();
        let count = counts.get(scan % 3);
        for item in step(0, count, if is_of_pieces { 1 } else { lane.threads }) {
            let mut edges = Edges { total: 0, begin: NONE, node: 0, distance: 0 };
            if is_of_pieces {
                let piece = list.get(item);
                edges.node = buckets.data.pieces.get(2 * piece);
                let skipped = buckets.data.pieces.get(2 * piece + 1);
                let edge = graph.row_offsets.get(edges.node).wrapping_add(skipped);
                let count = PIECE.min(degree(graph.row_offsets, edges.node) - skipped);
                (edges.begin, edges.total) = params.rows.place(edge, count);
                edges.distance = buckets.data.distances.load(edges.node);
            } else {
                let (mut begin, mut own) = (0, 0);
                if item + lane.local < count {
                    edges.node = list.get(item + lane.local);
                    (begin, own) = edges_in(&params.rows, graph.row_offsets, edges.node);
                    edges.distance = buckets.data.distances.load(edges.node);
                }
                cells.set(2 * lane.threads + lane.local, edges.distance);
                edges.total = line_up(lane, begin, own, &mut cells, &mut slots);
            }
            found = buckets.take(found, edges, &mut cells);
            lane.barrier();
            if mode == PULL && !is_of_pieces && item + lane.local < count {
                let reached = cells.get(2 * lane.threads + lane.local);
                if reached < edges.distance {
                    // No other invocation writes it.
                    buckets.data.distances.store(edges.node, reached);
                    found.lowest = found.lowest.min(reached);
                }
            }
        }
    }
    if found.changed == 1 {
        buckets.state.store(SweepState::NEXT, 1);
    }
    if mode != RELAX {
        counts.min(LOWEST, found.lowest);
        lane.barrier();
        if lane.local == 0 && counts.get(LOWEST) != UNREACHED {
            buckets.state.min(SweepState::LOWEST, counts.get(LOWEST));
        }
    }
    if mode == COUNT {
        let settled = prefix_sum(lane, found.settled, &mut slots).total;
        lane.barrier();
        let open = prefix_sum(lane, found.open, &mut slots).total;
        if lane.local == 0 {
            // Rounded up: some are not none.
            let (shift, rest) = (params.edge_shift, (1 << params.edge_shift) - 1);
            buckets.state.add(SweepState::SETTLED, (settled >> shift) + u32::from(settled & rest > 0));
            buckets.state.add(SweepState::OPEN, (open >> shift) + u32::from(open & rest > 0));
        }
    }
    buckets.advance();
}
