//! Prefix sum in three steps: each workgroup sums its block, the sums are scanned (by the same kernels again when there are
//! many), and each workgroup scans its block from there. The input is read twice and written once; no workgroup waits for another, so it
//! needs no promise of forward progress from the device. The steps are functions too, for numbers that a kernel computes.

use super::LengthParams;
use super::workgroup::{SUBGROUPS, Slots, prefix_sum};
use crate::prelude::*;
use evenkeel_types::{SCAN_BLOCK, SCAN_ITEMS};

/// What the host pushes to the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ScanParams {
    /// The number of elements.
    pub length: u32,
    /// 1 when an element's own value counts, 0 when only those before it do.
    pub inclusive: u32,
}

/// The number of blocks of so many elements.
#[inline(always)]
fn blocks(length: u32) -> u32 {
    length / SCAN_BLOCK + (length % SCAN_BLOCK).min(1)
}

/// Sums each block of [`SCAN_BLOCK`] of `length` numbers.
#[inline(always)]
pub fn sum_blocks(lane: Lane, length: u32, number: impl Fn(u32) -> u32, sums: &mut Global<u32>, slots: &mut Slots) {
    for block in lane.by_group(blocks(length)) {
        let mut sum = 0u32;
        for item in 0..SCAN_ITEMS {
            // Neighbouring invocations read neighbouring elements; the order inside a sum does not matter.
            let index = block * SCAN_BLOCK + item * lane.threads + lane.local;
            if index < length {
                sum = sum.wrapping_add(number(index));
            }
        }
        let prefix = prefix_sum(lane, sum, slots);
        if lane.local == 0 {
            sums.set(block, prefix.total);
        }
        lane.barrier();
    }
}

/// Makes the prefix sums of each block of `length` numbers, on from the sum of those before it; with `inclusive` 1 own values count.
#[inline(always)]
pub fn prefix_blocks(
    lane: Lane,
    length: u32,
    number: impl Fn(u32) -> u32,
    before_block: impl Fn(u32) -> u32,
    output: &mut Global<u32>,
    inclusive: u32,
    slots: &mut Slots,
) {
    for block in lane.by_group(blocks(length)) {
        let mut running = before_block(block);
        for item in 0..SCAN_ITEMS {
            let index = block * SCAN_BLOCK + item * lane.threads + lane.local;
            let value = if index < length { number(index) } else { 0 };
            let prefix = prefix_sum(lane, value, slots);
            if index < length {
                output.set(index, running.wrapping_add(prefix.before).wrapping_add(value * inclusive));
            }
            running = running.wrapping_add(prefix.total);
            lane.barrier();
        }
    }
}

/// Makes the prefix sums of `length` numbers, which may depend on the output at their place, by a single workgroup. Returns the sum.
#[inline(always)]
pub fn prefix_by_workgroup(
    lane: Lane,
    length: u32,
    number: impl Fn(&Global<u32>, u32) -> u32,
    output: &mut Global<u32>,
    slots: &mut Slots,
) -> u32 {
    let mut running = 0;
    for base in step(0, length, lane.threads) {
        let index = base + lane.local;
        let value = if index < length { number(output, index) } else { 0 };
        let prefix = prefix_sum(lane, value, slots);
        if index < length {
            output.set(index, running + prefix.before);
        }
        running += prefix.total;
        lane.barrier();
    }
    running
}

/// Sums each block of [`SCAN_BLOCK`] elements.
#[kernel(threads = 256)]
pub fn scan_sums(
    lane: Lane,
    params: &LengthParams,
    input: Read<u32>,
    mut sums: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    sum_blocks(lane, params.length, |index| input.get(index), &mut sums, &mut slots);
}

/// Makes the prefix sums of each block, on from the sum of the blocks before it, which `offsets` holds.
#[kernel(threads = 256)]
pub fn scan_blocks(
    lane: Lane,
    params: &ScanParams,
    input: Read<u32>,
    offsets: Read<u32>,
    mut output: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (number, before_block) = (|index| input.get(index), |block| offsets.get(block));
    prefix_blocks(lane, params.length, number, before_block, &mut output, params.inclusive, &mut slots);
}
