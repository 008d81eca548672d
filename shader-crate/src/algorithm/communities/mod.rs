//! Communities by label propagation (Raghavan, Albert and Kumara 2007), as LDBC Graphalytics defines it: in each iteration every node takes
//! the label that most of its neighbours have, of several the smallest, all at the same time. Labels are nodes; each begins with its own.
//!
//! A workgroup takes a block: neighbouring rows of up to [`BLOCK`] edges together. It counts the labels of each row in a hash table in
//! workgroup memory, two slots for each edge, so that the work of an edge does not depend on the length of its row. Longer rows are taken in
//! pieces of as many edges, whose counts are then added in a table in device memory. The answer depends on neither the order of the
//! insertions nor on the tables: it is the label of the highest count.

use crate::prelude::*;
use crate::primitive::search::first;
use crate::strategy::{degree, edges_in};

/// The edges of a block: four for each invocation of a workgroup.
pub const BLOCK: u32 = 4 * WORKGROUP;
/// The most rows of a block.
pub const BLOCK_ROWS: u32 = WORKGROUP;
/// The slots of a long row's table that a workgroup looks through at a time.
pub const SCANNED: u32 = 16 * WORKGROUP;
/// The key of a slot that holds no label.
pub const EMPTY: u32 = u32::MAX;

/// In place of a row's highest count: the row keeps its label.
const KEPT: u32 = u32::MAX;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct CommunityParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of iterations after which the loop ends.
    pub limit: u32,
    /// Not 0 where no row has a label twice when each node has its own: the first iteration is then made with the start.
    pub distinct: u32,
    /// An iteration marks the neighbours of what it changes if the nodes that the one before changed have fewer edges than this.
    pub mark_below: u32,
    /// The workgroups that count labels.
    pub groups: u32,
    /// The number of the first block of this dispatch.
    pub first_block: u32,
    /// The number of blocks of this dispatch.
    pub blocks: u32,
    /// The number of the first piece of this dispatch.
    pub first_piece: u32,
    /// The number of pieces of this dispatch.
    pub pieces: u32,
    /// The number of the first part of a table of this dispatch.
    pub first_part: u32,
    /// The number of parts of tables of this dispatch.
    pub parts: u32,
    /// Not 0 in the last dispatch of an iteration.
    pub last: u32,
    /// The rows of the partition.
    pub rows: RowRange,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct CommunityState {
    /// What every loop has. The frontier is the number of edges of the nodes that the last iteration changed.
    pub header: LoopHeader,
    /// Not 0 when nodes without a mark keep their label in this iteration.
    pub selective: u32,
    /// Not 0 when this iteration marks the neighbours of the nodes that it changes.
    pub marking: u32,
    /// Keeps the counter that all workgroups add to apart from what they read: 128 bytes.
    pub apart: [u32; 22],
    /// The edges of the nodes that this iteration has changed so far.
    pub changed: u32,
}

/// What the host made of the graph's rows.
#[derive(Bundle)]
pub struct Tasks<S: Storage> {
    /// The first row of each block, and the row after its last.
    pub blocks: S::Read<u32>,
    /// Each piece of a long row: the number of the long row, and the first edge.
    pub pieces: S::Read<u32>,
    /// Each part of a table: the number of the long row.
    pub parts: S::Read<u32>,
    /// Each long row: the node, where its table begins, its slots, its first part, and the part after its last.
    pub long_rows: S::Read<u32>,
}

/// Words of a long row.
pub const LONG_ROW: u32 = 5;

/// A long row.
struct LongRow {
    node: u32,
    table: u32,
    slots: u32,
    first_part: u32,
    end_part: u32,
}

#[inline_all]
impl LongRow {
    fn of(rows: Read<u32>, number: u32) -> Self {
        let word = LONG_ROW * number;
        Self {
            node: rows.get(word),
            table: rows.get(word + 1),
            slots: rows.get(word + 2),
            first_part: rows.get(word + 3),
            end_part: rows.get(word + 4),
        }
    }
}

/// The values of the nodes.
#[derive(Bundle)]
pub struct Labels<S: Storage> {
    /// The labels before the iteration.
    pub current: S::Read<u32>,
    /// The labels after it.
    pub next: S::Write<u32>,
    /// Not 0 for a node with a neighbour that the last iteration changed. All are 0 where the iteration before marked none, and after this one.
    pub marks: S::Write<u32>,
    /// The marks of the next iteration.
    pub next_marks: S::Write<u32>,
}

/// The tables of the long rows, empty between iterations, and what was found in each of their parts.
#[derive(Bundle)]
pub struct LongTables<S: Storage> {
    /// The label in each slot.
    pub keys: S::Write<u32>,
    /// How often it occurs.
    pub counts: S::Write<u32>,
    /// For each part, the highest count and the smallest label that has it.
    pub best: S::Write<u32>,
}

/// The workgroup memory of a block: 23 KiB.
#[derive(Bundle)]
pub struct BlockMemory<S: Storage> {
    /// The label in each slot.
    pub keys: S::Shared<u32, 2048>,
    /// How often it occurs.
    pub counts: S::Shared<u32, 2048>,
    /// The row of each edge.
    pub owners: S::Shared<u32, 1024>,
    /// Where each row begins, counted in edges of the block, and where the last ends.
    pub starts: S::Shared<u32, 257>,
    /// The highest count of each row.
    pub highest: S::Shared<u32, 256>,
    /// The smallest label of each row that has it.
    pub smallest: S::Shared<u32, 256>,
}

#[cfg(not(target_arch = "spirv"))]
impl BlockMemory<crate::launch::Buffers> {
    /// What the host passes in its place: there is nothing to bind.
    pub const NONE: Self = Self { keys: (), counts: (), owners: (), starts: (), highest: (), smallest: () };
}

const _: () = assert!(2 * BLOCK == 2048 && BLOCK_ROWS == 256);

// After the bundles, whose macros its kernels need.
pub mod long_rows;

/// Spreads labels, which are often near each other, over all 32 bits.
#[inline(always)]
fn spread(label: u32) -> u32 {
    let word = label.wrapping_mul(0x9e37_79b1);
    word ^ (word >> 15)
}

#[inline_all]
impl BlockMemory<Views<'_>> {
    /// The row of an edge, which is now known.
    fn find_owner(&mut self, edge: u32, rows: u32) -> u32 {
        let row = first(0, rows - 1, |row| self.starts.get(row + 1) > edge);
        self.owners.set(edge, row);
        row
    }

    /// Counts the label at an edge; [`EMPTY`] is none.
    fn count(&mut self, edge: u32, label: u32) {
        if label == EMPTY {
            return;
        }
        let row = self.owners.get(edge);
        let begin = 2 * self.starts.get(row);
        let slots = 2 * self.starts.get(row + 1) - begin;
        // Both factors are below 2¹⁶.
        let mut slot = ((spread(label) >> 16) * slots) >> 16;
        // There are more slots than labels. With a `return` out of the middle of this loop, lavapipe of Mesa 22.3 lost the counts of
        // invocations that had found their slot before others did.
        let mut searching = true;
        while searching {
            let mut key = self.keys.load(begin + slot);
            if key == EMPTY {
                key = self.keys.compare_exchange(begin + slot, EMPTY, label);
            }
            searching = key != EMPTY && key != label;
            if searching {
                slot = if slot + 1 < slots { slot + 1 } else { 0 };
            }
        }
        self.counts.add(begin + slot, 1);
    }
}

/// Adds to the count of a label in the table of a long row.
#[inline(always)]
fn count_long(tables: &mut LongTables<Views>, row: &LongRow, label: u32, count: u32) {
    let mut slot = spread(label) % row.slots;
    let mut searching = true;
    while searching {
        let mut key = tables.keys.load(row.table + slot);
        if key == EMPTY {
            key = tables.keys.compare_exchange(row.table + slot, EMPTY, label);
        }
        searching = key != EMPTY && key != label;
        if searching {
            slot = if slot + 1 < row.slots { slot + 1 } else { 0 };
        }
    }
    tables.counts.add(row.table + slot, count);
}

/// Ends an iteration; every invocation calls this last, with the edges of the nodes that it changed.
#[inline(always)]
fn advance(
    lane: Lane,
    params: &CommunityParams,
    state: &mut State<CommunityState>,
    changed: u32,
    sum: &mut Shared<u32, 1>,
) {
    if lane.local == 0 {
        sum.set(0, 0);
    }
    lane.barrier();
    if changed > 0 {
        sum.add(0, changed);
    }
    lane.barrier();
    if lane.local == 0 && sum.get(0) > 0 {
        state.add(CommunityState::CHANGED, sum.get(0));
    }
    if params.last != 0 && state.is_last(lane) {
        let changed = state.load(CommunityState::CHANGED);
        let iteration = state.load(CommunityState::ITERATION) + 1;
        begin_iteration(params, state, iteration, changed);
    }
}

/// Prepares the next iteration, unless so many are enough or the last changed nothing. Called by a single invocation.
#[inline(always)]
fn begin_iteration(params: &CommunityParams, state: &mut State<CommunityState>, iteration: u32, changed: u32) {
    let goes_on = changed > 0 && iteration < params.limit;
    state.store(CommunityState::GROUPS.at(0), if goes_on { params.groups } else { 0 });
    state.store(CommunityState::GROUPS.at(1), 1);
    state.store(CommunityState::GROUPS.at(2), 1);
    state.store(CommunityState::FRONTIER, if goes_on { changed } else { 0 });
    state.store(CommunityState::ITERATION, iteration);
    state.store(CommunityState::SELECTIVE, state.load(CommunityState::MARKING));
    state.store(CommunityState::MARKING, u32::from(changed < params.mark_below));
    state.store(CommunityState::CHANGED, 0);
}

/// Gives each node its own label. Where rows are free of repetitions, the first iteration is made at once: every label occurs once, so
/// that the smallest is that of the first neighbour. The host has cleared the state and the marks.
#[kernel(threads = 256)]
pub fn community_start(
    lane: Lane,
    params: &CommunityParams,
    graph: Csr,
    mut labels: Global<u32>,
    mut state: State<CommunityState>,
    mut sum: Shared<u32, 1>,
) {
    let mut changed = 0;
    for place in lane.grid_stride(params.rows.count) {
        let node = params.rows.first + place;
        let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
        // Of a row that is cut, the first part has the first neighbour.
        if params.rows.is_cut == 0 || graph.row_offsets.get(node) == params.rows.edges_before {
            let mut label = node;
            if params.distinct != 0 && count > 0 {
                label = graph.columns.get(begin);
            }
            labels.set(node, label);
            if label != node {
                changed += degree(graph.row_offsets, node);
            }
        }
    }
    if params.distinct != 0 {
        advance(lane, params, &mut state, changed, &mut sum);
    } else if params.last != 0 && state.is_last(lane) {
        begin_iteration(params, &mut state, 0, graph.row_offsets.get(params.nodes));
    }
}

/// One iteration for the rows of the blocks of a partition, and the counts of some long rows there, which come first because they take longer.
#[kernel(threads = 256, counts)]
pub fn community_count(
    lane: Lane,
    params: &CommunityParams,
    graph: Csr,
    tasks: Tasks,
    mut labels: Labels,
    mut tables: LongTables,
    mut state: State<CommunityState>,
    mut memory: BlockMemory,
    mut sum: Shared<u32, 1>,
) {
    let (selective, marking) = (state.get(CommunityState::SELECTIVE) != 0, state.get(CommunityState::MARKING) != 0);
    let mut changed_edges = 0;
    for task in lane.by_group(params.pieces + params.blocks) {
        let is_piece = task < params.pieces;
        // A piece is a block of one row, which may be part of a longer one.
        let mut number = 0;
        let (first_row, end_row, begin, end);
        if is_piece {
            let piece = params.first_piece + task;
            number = tasks.pieces.get(2 * piece);
            first_row = tasks.long_rows.get(LONG_ROW * number);
            end_row = first_row + 1;
            let edge = tasks.pieces.get(2 * piece + 1);
            let left = graph.row_offsets.get(end_row).wrapping_sub(edge);
            let (first, count) = params.rows.place(edge, left.min(BLOCK));
            begin = first;
            end = first + count;
        } else {
            let block = params.first_block + task - params.pieces;
            first_row = tasks.blocks.get(2 * block);
            end_row = tasks.blocks.get(2 * block + 1);
            begin = graph.row_offsets.get(first_row).wrapping_sub(params.rows.edges_before);
            end = graph.row_offsets.get(end_row).wrapping_sub(params.rows.edges_before);
        }
        let (rows, edges) = (end_row - first_row, end - begin);
        for row in lane.group_stride(rows) {
            let node = first_row + row;
            let offset = graph.row_offsets.get(node).wrapping_sub(params.rows.edges_before);
            let start = if is_piece { 0 } else { offset - begin };
            let mut highest = 0;
            if selective {
                highest = if labels.marks.load(node) == 0 { KEPT } else { 0 };
                if !is_piece {
                    labels.marks.store(node, 0);
                }
            }
            memory.starts.set(row, start);
            memory.highest.set(row, highest);
            memory.smallest.set(row, EMPTY);
        }
        if lane.local == 0 {
            memory.starts.set(rows, edges);
        }
        for slot in lane.group_stride(2 * edges) {
            memory.keys.set(slot, EMPTY);
            memory.counts.set(slot, 0);
        }
        lane.barrier();

        // Four edges for each invocation, whose loads are in flight together.
        let (a, b) = (lane.local, lane.local + lane.threads);
        let (c, d) = (b + lane.threads, b + 2 * lane.threads);
        let of_a = neighbour(&mut memory, graph, begin, a, edges, rows);
        let of_b = neighbour(&mut memory, graph, begin, b, edges, rows);
        let of_c = neighbour(&mut memory, graph, begin, c, edges, rows);
        let of_d = neighbour(&mut memory, graph, begin, d, edges, rows);
        let present = |node: u32| u32::from(node != EMPTY);
        lane.count_atoms(present(of_a) + present(of_b) + present(of_c) + present(of_d));
        let of_a = if of_a == EMPTY { EMPTY } else { labels.current.get(of_a) };
        let of_b = if of_b == EMPTY { EMPTY } else { labels.current.get(of_b) };
        let of_c = if of_c == EMPTY { EMPTY } else { labels.current.get(of_c) };
        let of_d = if of_d == EMPTY { EMPTY } else { labels.current.get(of_d) };
        memory.count(a, of_a);
        memory.count(b, of_b);
        memory.count(c, of_c);
        memory.count(d, of_d);
        lane.barrier();

        if is_piece {
            let row = LongRow::of(tasks.long_rows, number);
            for slot in lane.group_stride(2 * edges) {
                let count = memory.counts.get(slot);
                if count > 0 {
                    count_long(&mut tables, &row, memory.keys.get(slot), count);
                }
            }
        } else {
            for slot in lane.group_stride(2 * edges) {
                let count = memory.counts.get(slot);
                if count > 0 {
                    // The slots of a row are where its edges are, two for each.
                    let row = memory.owners.get(slot / 2);
                    memory.highest.max(row, count);
                }
            }
            lane.barrier();
            for slot in lane.group_stride(2 * edges) {
                let count = memory.counts.get(slot);
                if count > 0 {
                    let row = memory.owners.get(slot / 2);
                    let (highest, label) = (memory.highest.get(row), memory.keys.get(slot));
                    if count == highest {
                        memory.smallest.min(row, label);
                    }
                }
            }
            lane.barrier();
            for row in lane.group_stride(rows) {
                let (node, found) = (first_row + row, memory.smallest.get(row));
                let before = labels.current.get(node);
                let label = if found == EMPTY { before } else { found };
                labels.next.set(node, label);
                if label != before {
                    changed_edges += memory.starts.get(row + 1) - memory.starts.get(row);
                }
                // From here on, whether the neighbours are to be marked.
                memory.highest.set(row, u32::from(label != before));
            }
            if marking {
                lane.barrier();
                for edge in lane.group_stride(edges) {
                    if memory.highest.get(memory.owners.get(edge)) != 0 {
                        labels.next_marks.store(graph.columns.get(begin + edge), 1);
                    }
                }
            }
        }
        lane.barrier();
    }
    advance(lane, params, &mut state, changed_edges, &mut sum);
}

/// The node at the end of an edge of the block, whose row is now known; [`EMPTY`] where there is no such edge, or its row keeps its label.
#[inline(always)]
fn neighbour(memory: &mut BlockMemory<Views>, graph: Csr<Views>, begin: u32, edge: u32, edges: u32, rows: u32) -> u32 {
    let mut node = EMPTY;
    if edge < edges {
        let row = memory.find_owner(edge, rows);
        if memory.highest.get(row) != KEPT {
            node = graph.columns.get(begin + edge);
        }
    }
    node
}
