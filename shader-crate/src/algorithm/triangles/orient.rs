//! Keeps every edge once, from the node of lower rank, in rows that are as sorted as they were. Blocks of edges are counted, the host
//! scans the counts, and the blocks are written from there. Edges from a node to itself and parallel edges are left out.
//!
//! Each partition of the graph has its own blocks and its own dispatch. What is kept of all partitions is one list.

use super::LIGHT;
use crate::prelude::*;
use crate::primitive::search::{first, search};
use crate::primitive::workgroup::{SUBGROUPS, Slots, prefix_sum};
use crate::strategy::degree;

/// Neighbouring edges that an invocation takes: as many words as memory hands out at a time.
pub const RUN: u32 = 8;

/// Edges that a workgroup takes.
pub const BLOCK: u32 = RUN * WORKGROUP;

/// Edges of a heavy node that a workgroup takes at a time: a hub has many such pieces, which cost far less than the whole of it.
pub const PIECE: u32 = 1024;

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct OrientParams {
    /// The number of nodes.
    pub nodes: u32,
    /// Not 0 when the edges have marks.
    pub marked: u32,
    /// A node of at least so many edges is heavy; none is where it is the largest number.
    pub heavy: u32,
    /// The blocks of the partitions before this one.
    pub blocks_before: u32,
    /// The edges that are bound to this dispatch.
    pub bound: BoundEdges,
}

/// The edges of a partition. All edges of the graph together are each in both directions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BoundEdges {
    /// The nodes that they leave.
    pub rows: RowRange,
    /// Where the first of them goes on a row that was cut, the node that the edge before it leads to; else [`NO_COLUMN`].
    pub column_before: u32,
}

/// In place of a node.
pub const NO_COLUMN: u32 = u32::MAX;

#[inline_all]
impl OrientParams {
    /// The number of blocks. The last one is never full, so that there is a run behind the last edge.
    pub fn blocks(&self) -> u32 {
        self.bound.rows.edges / BLOCK + 1
    }
}

#[inline_all]
impl BoundEdges {
    /// Whether an edge, by its place in the columns, is the same as the one before it in its row.
    pub fn is_repeated(&self, graph: Csr<Views>, row: u32, place: u32) -> bool {
        self.rows.edges_before + place > graph.row_offsets.get(row)
            && self.column_before(graph, place) == graph.columns.get(place)
    }

    fn column_before(&self, graph: Csr<Views>, place: u32) -> u32 {
        if place > 0 { graph.columns.get(place - 1) } else { self.column_before }
    }
}

/// What is known of each run of [`RUN`] edges.
#[derive(Bundle)]
pub struct Runs<S: Storage> {
    /// A bit for each edge that is kept.
    pub kept: S::Write<u32>,
    /// How many edges are kept before the first of them.
    pub places: S::Write<u32>,
}

/// The edges that are kept.
#[derive(Bundle)]
pub struct Oriented<S: Storage> {
    /// Where each node's edges begin, and their number.
    pub offsets: S::Read<u32>,
    /// The node that each edge leads to.
    pub targets: S::Read<u32>,
    /// The node that each edge leaves.
    pub sources: S::Read<u32>,
    /// The number of the heavy node that each edge leads to, or [`LIGHT`]; nothing where no node is heavy.
    pub numbers: S::Read<u32>,
}

/// How many heavy nodes there are, and how many pieces they have.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PieceState {
    /// The number of pieces.
    pub count: u32,
    /// The number of heavy nodes.
    pub nodes: u32,
}

impl PieceState {
    /// The word of the number of pieces.
    pub const COUNT: u32 = 0;
    /// The word of the number of heavy nodes.
    pub const NODES: u32 = 1;
}

/// Whether `other` has a higher rank than `node`.
#[inline(always)]
pub fn is_higher(row_offsets: Read<u32>, node: u32, other: u32) -> bool {
    let (own, its) = (degree(row_offsets, node), degree(row_offsets, other));
    own < its || (own == its && node < other)
}

/// The first row of those from `low` to `high` that ends behind an edge: the one that has it, if it is among them.
#[inline(always)]
fn row_of(row_offsets: Read<u32>, low: u32, high: u32, edge: u32) -> u32 {
    first(low, high, |row| row_offsets.get(row + 1) > edge)
}

/// The rows of the first and the last edge of a block. The whole subgroup calls it together.
#[inline(always)]
fn rows_of_block(lane: Lane, params: &OrientParams, row_offsets: Read<u32>, block: u32) -> (u32, u32) {
    let rows = params.bound.rows;
    let begin = rows.edges_before + block * BLOCK;
    let last = (rows.edges_before + rows.edges).min(begin + BLOCK).max(begin + 1) - 1;
    let low = search(lane, rows.first, rows.end(), |row| row_offsets.get(row + 1) > begin);
    (low, search(lane, low, rows.end(), |row| row_offsets.get(row + 1) > last))
}

/// Finds out which edges are kept, and how many of each block.
#[kernel(threads = 256)]
pub fn orient_count(
    lane: Lane,
    params: &OrientParams,
    graph: Csr,
    mut runs: Runs,
    mut sums: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (row_offsets, bound) = (graph.row_offsets, params.bound);
    for block in lane.by_group(params.blocks()) {
        let (low, high) = rows_of_block(lane, params, row_offsets, block);
        let begin = block * BLOCK + lane.local * RUN;
        let mut row = row_of(row_offsets, low, high, bound.rows.edges_before + begin);
        let mut kept = 0;
        for offset in 0..RUN {
            let place = begin + offset;
            if place < bound.rows.edges {
                let edge = bound.rows.edges_before + place;
                if row_offsets.get(row + 1) <= edge {
                    row = row_of(row_offsets, row + 1, high, edge);
                }
                let other = graph.columns.get(place);
                if is_higher(row_offsets, row, other) && !bound.is_repeated(graph, row, place) {
                    kept |= 1 << offset;
                }
            }
        }
        runs.kept.set((params.blocks_before + block) * lane.threads + lane.local, kept);
        let total = block_prefix(lane, kept, &mut slots).1;
        if lane.local == 0 {
            sums.set(params.blocks_before + block, total);
        }
        lane.barrier();
    }
}

/// How many edges of the block are kept before this invocation's, and how many in all.
#[inline(always)]
fn block_prefix(lane: Lane, kept: u32, slots: &mut Slots) -> (u32, u32) {
    // Reconverge before subgroup operations.
    lane.barrier();
    let prefix = prefix_sum(lane, kept.count_ones(), slots);
    (prefix.before, prefix.total)
}

/// Numbers the heavy nodes, in any order.
#[kernel(threads = 256)]
pub fn orient_number(
    lane: Lane,
    params: &OrientParams,
    row_offsets: Read<u32>,
    mut numbers: Global<u32>,
    mut state: Global<u32>,
    mut reserved: Shared<u32, 1>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // All invocations make the same number of rounds, because they reserve numbers together.
    for base in step(lane.group * lane.threads, params.nodes, lane.groups * lane.threads) {
        let node = base + lane.local;
        let is_heavy = node < params.nodes && degree(row_offsets, node) >= params.heavy;
        let before = reserve(lane, is_heavy.into(), PieceState::NODES, &mut state, &mut reserved, &mut slots);
        if node < params.nodes {
            numbers.set(node, if is_heavy { before } else { LIGHT });
        }
        lane.barrier();
    }
}

/// Reserves some of what a word of the state counts, for the whole workgroup at once. Returns the first of this invocation's.
#[inline(always)]
fn reserve(
    lane: Lane,
    count: u32,
    word: u32,
    state: &mut Global<u32>,
    reserved: &mut Shared<u32, 1>,
    slots: &mut Slots,
) -> u32 {
    // Reconverge before subgroup operations.
    lane.barrier();
    let prefix = prefix_sum(lane, count, slots);
    if lane.local == 0 && prefix.total > 0 {
        reserved.set(0, state.add(word, prefix.total));
    }
    lane.barrier();
    reserved.get(0) + prefix.before
}

/// Writes the edges that are kept, on from those of the blocks before. `marks` are read where edges have any.
#[kernel(threads = 256)]
pub fn orient_write(
    lane: Lane,
    params: &OrientParams,
    graph: Csr,
    marks: Read<u32>,
    before: Read<u32>,
    node_numbers: Read<u32>,
    mut runs: Runs,
    mut targets: Global<u32>,
    mut sources: Global<u32>,
    mut numbers: Global<u32>,
    mut kept_marks: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (row_offsets, edges_before) = (graph.row_offsets, params.bound.rows.edges_before);
    for block in lane.by_group(params.blocks()) {
        let (low, high) = rows_of_block(lane, params, row_offsets, block);
        let run = (params.blocks_before + block) * lane.threads + lane.local;
        let mut kept = runs.kept.get(run);
        let mut place = before.get(params.blocks_before + block) + block_prefix(lane, kept, &mut slots).0;
        runs.places.set(run, place);
        let begin = block * BLOCK + lane.local * RUN;
        let mut row = low;
        while kept != 0 {
            let edge = begin + kept.trailing_zeros();
            if row_offsets.get(row + 1) <= edges_before + edge {
                row = row_of(row_offsets, row + 1, high, edges_before + edge);
            }
            let target = graph.columns.get(edge);
            targets.set(place, target);
            sources.set(place, row);
            if params.heavy != u32::MAX {
                numbers.set(place, node_numbers.get(target));
            }
            if params.marked != 0 {
                kept_marks.set(place, marks.get(edge));
            }
            place += 1;
            kept &= kept - 1;
        }
        lane.barrier();
    }
}

/// How many edges are kept before an edge, by its place in the columns.
#[inline(always)]
fn kept_before(params: &OrientParams, runs: &Runs<Views>, edge: u32) -> u32 {
    let run = params.blocks_before * (BLOCK / RUN) + edge / RUN;
    runs.places.get(run) + (runs.kept.get(run) & ((1 << (edge % RUN)) - 1)).count_ones()
}

/// Writes where each node's kept edges begin, and lists the heavy nodes in pieces: two words each, the node and the first of its edges,
/// counted from the first of the graph. The first part of a row that was cut does it for all.
#[kernel(threads = 256)]
pub fn orient_rows(
    lane: Lane,
    params: &OrientParams,
    row_offsets: Read<u32>,
    runs: Runs,
    mut offsets: Global<u32>,
    mut pieces: Global<u32>,
    mut state: Global<u32>,
    mut reserved: Shared<u32, 1>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let rows = params.bound.rows;
    // The last partition also writes where the last row ends.
    let entries = rows.count + rows.is_last;
    // All invocations make the same number of rounds, because they reserve places together.
    for base in step(lane.group * lane.threads, entries, lane.groups * lane.threads) {
        let node = rows.first + base + lane.local;
        let mut count = 0;
        if base + lane.local < entries {
            let edge = row_offsets.get(node);
            let is_end = node == rows.end();
            if rows.is_cut == 0 || is_end || edge == rows.edges_before {
                let begin = kept_before(params, &runs, edge - rows.edges_before);
                offsets.set(node, begin);
                if !is_end {
                    let end = row_offsets.get(node + 1);
                    // One that keeps no edge has no triangle whose other corners have higher and lower ranks. How many a row keeps
                    // that ends in another partition is not known here.
                    let behind = end.wrapping_sub(rows.edges_before);
                    if end - edge >= params.heavy && (rows.is_cut > 0 || kept_before(params, &runs, behind) > begin) {
                        count = (end - edge).div_ceil(PIECE);
                    }
                }
            }
        }
        let place = reserve(lane, count, PieceState::COUNT, &mut state, &mut reserved, &mut slots);
        for piece in 0..count {
            pieces.set(2 * (place + piece), node);
            pieces.set(2 * (place + piece) + 1, row_offsets.get(node) + piece * PIECE);
        }
        lane.barrier();
    }
}
