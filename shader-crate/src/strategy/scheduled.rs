//! A traversal under any schedule: the worklist is a tile set, its nodes the tiles and their edges the atoms. Schedules that
//! cut across tiles need the prefix sums of the degrees, and those that sort them the bins: the kernels here make both for a
//! worklist whose length only the device knows.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::{Operate, Traversal},
    primitive::workgroup::{SUBGROUPS, prefix_sum},
    ranges::step,
    schedule::{Distribute, PART, Scratch},
    tiles::Frontier,
};
use evenkeel_types::{Control, ExpandParams, SCAN_BLOCK, SCAN_ITEMS};

/// One iteration: the schedule finds the edges, the operator takes them.
#[kernel(threads = 256, each(S in for_each_schedule, O in for_each_operator))]
pub fn expand<S: Distribute, O: Operate>(
    lane: Lane,
    params: &ExpandParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    worklist: Read<u32>,
    degrees_before: Read<u32>,
    values: Global<u32>,
    marks: Global<u32>,
    next: Global<u32>,
    control: Global<u32>,
    scratch: Scratch<u32>,
) {
    let mut traversal = Traversal { weights, values, marks, next, control };
    let frontier = Frontier { nodes: worklist, count: traversal.frontier(), row_offsets, degrees_before };
    S::scatter(lane, &frontier, scratch, |place, edge| {
        let value = traversal.values.load(worklist.get(place));
        let neighbour = columns.get(edge);
        if O::visit(&mut traversal, value, neighbour, edge) {
            traversal.push(lane, neighbour);
        }
    });
    traversal.advance(lane, params.max_groups);
}

#[inline(always)]
fn degree(row_offsets: Read<u32>, worklist: Read<u32>, place: u32, length: u32) -> u32 {
    if place < length {
        let node = worklist.get(place);
        row_offsets.get(node + 1) - row_offsets.get(node)
    } else {
        0
    }
}

/// The sum of the degrees in each block of the worklist.
#[kernel(threads = 256)]
pub fn degree_sums(
    lane: Lane,
    _params: &ExpandParams,
    row_offsets: Read<u32>,
    worklist: Read<u32>,
    control: Read<u32>,
    mut sums: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let length = control.get(Control::FRONTIER);
    for block in step(lane.group, length.div_ceil(SCAN_BLOCK), lane.groups) {
        let mut sum = 0;
        for item in 0..SCAN_ITEMS {
            sum += degree(row_offsets, worklist, block * SCAN_BLOCK + item * lane.threads + lane.local, length);
        }
        let prefix = prefix_sum(lane, sum, &mut slots);
        if lane.local == 0 {
            sums.set(block, prefix.total);
        }
        lane.barrier();
    }
}

/// The prefix sums of those sums, by one workgroup, and from their total the size of the dispatch that takes the edges.
#[kernel(threads = 256)]
pub fn degree_blocks(
    lane: Lane,
    params: &ExpandParams,
    mut sums: Global<u32>,
    mut control: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let length = control.get(Control::FRONTIER);
    let blocks = length.div_ceil(SCAN_BLOCK);
    let mut running = 0;
    for base in step(0, blocks, lane.threads) {
        let block = base + lane.local;
        let sum = if block < blocks { sums.get(block) } else { 0 };
        let prefix = prefix_sum(lane, sum, &mut slots);
        if block < blocks {
            sums.set(block, running + prefix.before);
        }
        running += prefix.total;
        lane.barrier();
    }
    if lane.local == 0 {
        control.set(Control::EDGES, running);
        control.set(Control::EXPAND_GROUPS, (length + running).div_ceil(PART).min(params.max_groups));
    }
}

/// The prefix sums of the degrees, and behind them their total.
#[kernel(threads = 256)]
pub fn degree_prefixes(
    lane: Lane,
    _params: &ExpandParams,
    row_offsets: Read<u32>,
    worklist: Read<u32>,
    control: Read<u32>,
    sums: Read<u32>,
    mut degrees_before: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let length = control.get(Control::FRONTIER);
    for block in step(lane.group, length.div_ceil(SCAN_BLOCK), lane.groups) {
        let mut running = sums.get(block);
        for item in 0..SCAN_ITEMS {
            let place = block * SCAN_BLOCK + item * lane.threads + lane.local;
            let prefix = prefix_sum(lane, degree(row_offsets, worklist, place, length), &mut slots);
            if place < length {
                degrees_before.set(place, running + prefix.before);
            }
            running += prefix.total;
            lane.barrier();
        }
    }
    if lane.global() == 0 {
        degrees_before.set(length, control.get(Control::EDGES));
    }
}
