//! A queue without atomic additions, the third of the classic formulations: what each node will put on the next queue is counted
//! first, and prefix sums of the counts say where. Four steps: the next layer, which notes for each node found the edge that
//! found it; the counts; their prefix sums by Blelloch's two sweeps in workgroup memory; and the next queue.
//!
//! A workgroup sweeps [`SWEEP`] entries. The sums of these blocks are swept again, block by block, so a queue may have any length.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::{Operate, Traversal, advance},
};
use evenkeel_types::{Control, SWEEP, TraversalParams};

/// What a workgroup sweeps.
const CELLS: usize = SWEEP as usize;

/// The next layer: every node found is claimed by one edge.
#[kernel(threads = 256, each(O in for_each_search))]
pub fn scan_layer<O: Operate>(
    lane: Lane,
    _params: &TraversalParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    worklist: Read<u32>,
    values: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    control: Global<u32>,
    mut claims: Global<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next, control };
    for place in lane.grid_stride(traversal.frontier()) {
        let node = worklist.get(place);
        let value = traversal.values.load(node);
        for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
            let neighbour = columns.get(edge);
            if O::visit(&mut traversal, value, neighbour, edge) {
                claims.store(neighbour, edge);
            }
        }
    }
}

/// How many nodes each entry of the queue has claimed.
#[kernel(threads = 256)]
pub fn scan_counts(
    lane: Lane,
    _params: &TraversalParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    worklist: Read<u32>,
    claims: Read<u32>,
    control: Read<u32>,
    mut counts: Global<u32>,
) {
    for place in lane.grid_stride(control.get(Control::FRONTIER)) {
        let node = worklist.get(place);
        let mut count = 0;
        for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
            count += u32::from(claims.get(columns.get(edge)) == edge);
        }
        counts.set(place, count);
    }
}

/// The prefix sums of each block of counts, in place, and the block's sum.
#[kernel(threads = 256)]
pub fn scan_sweep(
    lane: Lane,
    _params: &TraversalParams,
    control: Read<u32>,
    mut counts: Global<u32>,
    mut sums: Global<u32>,
    mut cells: Shared<u32, CELLS>,
) {
    let length = control.get(Control::FRONTIER);
    for block in lane.by_group(length.div_ceil(SWEEP)) {
        let sum = sweep_block(lane, block, length, &mut counts, 0, &mut cells);
        if lane.local == 0 {
            sums.set(block, sum);
        }
    }
}

/// The prefix sums of the blocks' sums, by a single workgroup, and how long the next queue is.
#[kernel(threads = 256)]
pub fn scan_blocks_again(
    lane: Lane,
    _params: &TraversalParams,
    mut sums: Global<u32>,
    mut control: Global<u32>,
    mut cells: Shared<u32, CELLS>,
) {
    let length = control.load(Control::FRONTIER).div_ceil(SWEEP);
    let mut before = 0;
    for block in 0..length.div_ceil(SWEEP) {
        before += sweep_block(lane, block, length, &mut sums, before, &mut cells);
    }
    if lane.local == 0 {
        control.store(Control::NEXT, before);
    }
}

/// The next queue.
#[kernel(threads = 256)]
pub fn scan_populate(
    lane: Lane,
    params: &TraversalParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    worklist: Read<u32>,
    claims: Read<u32>,
    counts: Read<u32>,
    sums: Read<u32>,
    mut next: Global<u32>,
    mut control: Global<u32>,
) {
    for place in lane.grid_stride(control.load(Control::FRONTIER)) {
        let node = worklist.get(place);
        let mut free = sums.get(place / SWEEP) + counts.get(place);
        for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
            let neighbour = columns.get(edge);
            if claims.get(neighbour) == edge {
                next.set(free, neighbour);
                free += 1;
            }
        }
    }
    advance(lane, &mut control, lane.threads, params.max_groups);
}

/// Turns block number `block` of `numbers` into its prefix sums from `before` on; returns the block's sum.
#[inline(always)]
fn sweep_block(
    lane: Lane,
    block: u32,
    length: u32,
    numbers: &mut Global<u32>,
    before: u32,
    cells: &mut Shared<u32, CELLS>,
) -> u32 {
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
fn sweep(lane: Lane, cells: &mut Shared<u32, CELLS>) -> u32 {
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
