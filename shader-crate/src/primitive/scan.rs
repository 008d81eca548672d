//! Prefix sum in three steps: each workgroup sums its block, the sums are scanned (by the same kernels again when there are
//! many), and each workgroup scans its block from there. The input is read twice and written once; no workgroup waits for another, so it
//! needs no promise of forward progress from the device.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, prefix_sum},
    ranges::step,
};
use evenkeel_types::{LengthParams, SCAN_BLOCK, SCAN_ITEMS, ScanParams};

/// The sum of each block of [`SCAN_BLOCK`] elements.
#[kernel(threads = 256)]
pub fn scan_sums(
    lane: Lane,
    params: &LengthParams,
    input: Read<u32>,
    mut sums: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let blocks = params.length / SCAN_BLOCK + (params.length % SCAN_BLOCK).min(1);
    for block in step(lane.group, blocks, lane.groups) {
        let mut sum = 0u32;
        for item in 0..SCAN_ITEMS {
            // Neighbouring invocations read neighbouring elements; the order inside a sum does not matter.
            let index = block * SCAN_BLOCK + item * lane.threads + lane.local;
            if index < params.length {
                sum = sum.wrapping_add(input.get(index));
            }
        }
        let prefix = prefix_sum(lane, sum, &mut slots);
        if lane.local == 0 {
            sums.set(block, prefix.total);
        }
        lane.barrier();
    }
}

/// The prefix sum of each block, on from the sum of the blocks before it, which `offsets` holds.
#[kernel(threads = 256)]
pub fn scan_blocks(
    lane: Lane,
    params: &ScanParams,
    input: Read<u32>,
    offsets: Read<u32>,
    mut output: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let blocks = params.length / SCAN_BLOCK + (params.length % SCAN_BLOCK).min(1);
    for block in step(lane.group, blocks, lane.groups) {
        let mut running = offsets.get(block);
        for item in 0..SCAN_ITEMS {
            let index = block * SCAN_BLOCK + item * lane.threads + lane.local;
            let value = if index < params.length { input.get(index) } else { 0 };
            let prefix = prefix_sum(lane, value, &mut slots);
            if index < params.length {
                output.set(index, running.wrapping_add(prefix.before).wrapping_add(value * params.inclusive));
            }
            running = running.wrapping_add(prefix.total);
            lane.barrier();
        }
    }
}
