//! A traversal under any schedule: the worklist is a tile set, its nodes the tiles and their edges the atoms. Schedules that
//! cut across tiles need the prefix sums of the degrees, and those that sort them the bins: the kernels here make both for a
//! worklist whose length only the device knows.

use super::degree;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::{Operate, Traversal},
    primitive::workgroup::{SUBGROUPS, Slots, prefix_sum},
    ranges::step,
    schedule::{Distribute, Scratch},
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

/// The sum of the degrees in each block of a worklist of `length` entries.
#[inline(always)]
pub fn sum_blocks(lane: Lane, length: u32, degree: impl Fn(u32) -> u32, sums: &mut Global<u32>, slots: &mut Slots) {
    for block in lane.by_group(length.div_ceil(SCAN_BLOCK)) {
        let mut sum = 0;
        for item in 0..SCAN_ITEMS {
            let place = block * SCAN_BLOCK + item * lane.threads + lane.local;
            if place < length {
                sum += degree(place);
            }
        }
        let prefix = prefix_sum(lane, sum, slots);
        if lane.local == 0 {
            sums.set(block, prefix.total);
        }
        lane.barrier();
    }
}

/// The prefix sums of the degrees, from those of the blocks, and behind them their total.
#[inline(always)]
pub fn prefix_blocks(
    lane: Lane,
    control: Read<u32>,
    degree: impl Fn(u32) -> u32,
    sums: Read<u32>,
    degrees_before: &mut Global<u32>,
    slots: &mut Slots,
) {
    let length = control.get(Control::FRONTIER);
    for block in lane.by_group(length.div_ceil(SCAN_BLOCK)) {
        let mut running = sums.get(block);
        for item in 0..SCAN_ITEMS {
            let place = block * SCAN_BLOCK + item * lane.threads + lane.local;
            let prefix = prefix_sum(lane, if place < length { degree(place) } else { 0 }, slots);
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
    sum_blocks(lane, length, |place| degree(row_offsets, worklist.get(place)), &mut sums, &mut slots);
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
        control.set(Control::EXPAND_GROUPS, (length + running).div_ceil(params.part).min(params.max_groups));
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
    let degree = |place| degree(row_offsets, worklist.get(place));
    prefix_blocks(lane, control, degree, sums, &mut degrees_before, &mut slots);
}
