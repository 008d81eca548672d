//! A queue without atomic additions, the third of the classic formulations: what each node will put on the next queue is counted
//! first, and prefix sums of the counts say where. There are four steps: the next layer, which notes for each node found the edge that
//! found it; the counts; their prefix sums by Blelloch's two sweeps in workgroup memory; and the next queue.
//!
//! A workgroup sweeps [`SWEEP`] entries. The sums of these blocks are swept again, block by block, so a queue may have any length.

use super::TraversalParams;
use super::node::visit_rows;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// Entries of a queue whose prefix sums a workgroup makes in its own memory: two for each invocation.
pub const SWEEP: u32 = 512;

const CELLS: usize = SWEEP as usize;

/// What a workgroup sweeps.
type Cells<'a> = Shared<'a, u32, CELLS>;

/// The places of what is put on the next queue.
#[derive(Bundle)]
pub struct Places<S: Storage> {
    /// The number of nodes that each entry has claimed, then their prefix sums within its block.
    pub counts: S::Write<u32>,
    /// The sum of each block, then the prefix sums of these.
    pub sums: S::Write<u32>,
}

/// Finds the next layer: every node found is claimed by one edge.
#[kernel(threads = 256, any_width, each(O in for_each_search))]
pub fn scan_layer<O: Operate>(
    lane: Lane,
    _params: &TraversalParams,
    graph: Csr,
    data: TraversalData,
    worklist: Worklist,
    mut claims: Global<u32>,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next: worklist.next, state };
    let found = |_: &mut Traversal<LoopHeader>, neighbour, edge| claims.store(neighbour, edge);
    visit_rows::<O, _>(lane, &mut traversal, worklist.current, graph, |node| node, found);
}

/// Counts the nodes that each entry of the queue has claimed.
#[kernel(threads = 256, any_width)]
pub fn scan_counts(
    lane: Lane,
    _params: &TraversalParams,
    graph: Csr,
    queue: Read<u32>,
    claims: Read<u32>,
    mut places: Places,
    state: State<LoopHeader>,
) {
    for place in lane.grid_stride(state.get(LoopHeader::FRONTIER)) {
        let node = queue.get(place);
        let mut count = 0;
        for edge in graph.row_offsets.get(node)..graph.row_offsets.get(node + 1) {
            count += u32::from(claims.get(graph.columns.get(edge)) == edge);
        }
        places.counts.set(place, count);
    }
}

/// Makes the prefix sums of each block of counts, in place, and the block's sum.
#[kernel(threads = 256)]
pub fn scan_sweep(
    lane: Lane,
    _params: &TraversalParams,
    mut places: Places,
    state: State<LoopHeader>,
    mut cells: Shared<u32, CELLS>,
) {
    let length = state.get(LoopHeader::FRONTIER);
    for block in lane.by_group(length.div_ceil(SWEEP)) {
        let sum = sweep_block(lane, block, length, &mut places.counts, 0, &mut cells);
        if lane.local == 0 {
            places.sums.set(block, sum);
        }
    }
}

/// Makes the prefix sums of the blocks' sums, by a single workgroup, and from them the length of the next queue.
#[kernel(threads = 256)]
pub fn scan_blocks_again(
    lane: Lane,
    _params: &TraversalParams,
    mut places: Places,
    mut state: State<LoopHeader>,
    mut cells: Shared<u32, CELLS>,
) {
    let length = state.load(LoopHeader::FRONTIER).div_ceil(SWEEP);
    let mut before = 0;
    for block in 0..length.div_ceil(SWEEP) {
        before += sweep_block(lane, block, length, &mut places.sums, before, &mut cells);
    }
    if lane.local == 0 {
        state.store(LoopHeader::NEXT, before);
    }
}

/// Writes the next queue.
#[kernel(threads = 256, any_width)]
pub fn scan_populate(
    lane: Lane,
    params: &TraversalParams,
    graph: Csr,
    mut worklist: Worklist,
    claims: Read<u32>,
    places: Places,
    mut state: State<LoopHeader>,
) {
    for place in lane.grid_stride(state.load(LoopHeader::FRONTIER)) {
        let node = worklist.current.get(place);
        let mut free = places.sums.get(place / SWEEP) + places.counts.get(place);
        for edge in graph.row_offsets.get(node)..graph.row_offsets.get(node + 1) {
            let neighbour = graph.columns.get(edge);
            if claims.get(neighbour) == edge {
                worklist.next.set(free, neighbour);
                free += 1;
            }
        }
    }
    state.advance(lane, WORKGROUP, params.max_groups);
}

/// Replaces block number `block` of `numbers` by its prefix sums from `before` on; returns the block's sum.
#[inline(always)]
fn sweep_block(lane: Lane, block: u32, length: u32, numbers: &mut Global<u32>, before: u32, cells: &mut Cells) -> u32 {
    let first = block * SWEEP;
    // What the block before left in the cells has been read by now.
    lane.barrier();
    for cell in lane.group_stride(SWEEP) {
        cells.set(cell, if first + cell < length { numbers.get(first + cell) } else { 0 });
    }
    let sum = sweep(lane, cells);
    for cell in lane.group_stride(SWEEP) {
        if first + cell < length {
            numbers.set(first + cell, before + cells.get(cell));
        }
    }
    sum
}

/// Blelloch's two sweeps over a tree whose leaves the cells are: up, so that each inner node has the sum of its leaves; down, so
/// that each has the sum of all before it. Returns the sum of all.
#[inline(always)]
fn sweep(lane: Lane, cells: &mut Cells) -> u32 {
    let (mut pairs, mut apart) = (SWEEP / 2, 1);
    while pairs > 0 {
        lane.barrier();
        if lane.local < pairs {
            let right = (2 * lane.local + 2) * apart - 1;
            cells.set(right, cells.get(right) + cells.get(right - apart));
        }
        pairs /= 2;
        apart *= 2;
    }
    lane.barrier();
    let sum = cells.get(SWEEP - 1);
    lane.barrier();
    if lane.local == 0 {
        cells.set(SWEEP - 1, 0);
    }
    pairs = 1;
    while pairs < SWEEP {
        apart /= 2;
        lane.barrier();
        if lane.local < pairs {
            let right = (2 * lane.local + 2) * apart - 1;
            let left = cells.get(right - apart);
            cells.set(right - apart, cells.get(right));
            cells.set(right, cells.get(right) + left);
        }
        pairs *= 2;
    }
    lane.barrier();
    sum
}
