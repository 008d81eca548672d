//! Stable sort of pairs of a key and a payload, by four bits of the keys at a time, the lowest first (Satish, Harris and Garland 2009). The host
//! records the three steps for each four bits: each workgroup counts the digits of its blocks, the counts are scanned, digit after digit and block
//! after block, and each workgroup moves its pairs. No place is found by an atomic, so the order of equal keys is that of the input.

use super::workgroup::{SUBGROUPS, prefix_sum};
use crate::prelude::*;

/// Bits of a key that are sorted by in a step.
pub const DIGIT_BITS: u32 = 4;
/// Values of so many bits.
pub const DIGITS: u32 = 1 << DIGIT_BITS;
/// Pairs that follow each other and that an invocation moves; the count of a digit among them has four bits.
const ITEMS: u32 = 8;
/// Pairs that a workgroup takes at a time.
pub const SORT_BLOCK: u32 = ITEMS * WORKGROUP;
/// A word for two digits of each invocation.
const CELLS: usize = (DIGITS / 2 * WORKGROUP) as usize;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SortParams {
    /// The number of pairs.
    pub length: u32,
    /// The lowest of the bits that are sorted by.
    pub shift: u32,
}

#[inline(always)]
fn digit(key: u32, shift: u32) -> u32 {
    (key >> shift) & (DIGITS - 1)
}

/// Counts the digits of each block of keys. The counts of a digit are together.
#[kernel(threads = 256)]
pub fn sort_count(
    lane: Lane,
    params: &SortParams,
    keys: Read<u32>,
    mut counts: Global<u32>,
    mut digits: Shared<u32, 16>,
) {
    let blocks = params.length.div_ceil(SORT_BLOCK);
    for block in lane.by_group(blocks) {
        if lane.local < DIGITS {
            digits.set(lane.local, 0);
        }
        lane.barrier();
        for item in 0..ITEMS {
            let place = block * SORT_BLOCK + item * lane.threads + lane.local;
            if place < params.length {
                digits.add(digit(keys.get(place), params.shift), 1);
            }
        }
        lane.barrier();
        if lane.local < DIGITS {
            counts.set(lane.local * blocks + block, digits.get(lane.local));
        }
        lane.barrier();
    }
}

/// Moves each pair behind those with smaller digits and those before it with the same; `places` are the prefix sums of the counts.
#[kernel(threads = 256)]
pub fn sort_place(
    lane: Lane,
    params: &SortParams,
    keys: Read<u32>,
    payloads: Read<u32>,
    places: Read<u32>,
    mut sorted_keys: Global<u32>,
    mut sorted_payloads: Global<u32>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let blocks = params.length.div_ceil(SORT_BLOCK);
    for block in lane.by_group(blocks) {
        let begin = params.length.min(block * SORT_BLOCK + lane.local * ITEMS);
        let end = params.length.min(begin + ITEMS);
        // Counts of four bits: of the lower half of the digits, and of the upper one.
        let (mut lower, mut upper) = (0u32, 0u32);
        for place in begin..end {
            let digit = digit(keys.get(place), params.shift);
            let one = 1 << (4 * (digit % 8));
            if digit < 8 {
                lower += one;
            } else {
                upper += one;
            }
        }
        for pair in 0..DIGITS / 2 {
            let word = if pair < 4 { lower } else { upper } >> (8 * (pair % 4));
            let counts = (word & 15) | (((word >> 4) & 15) << 16);
            let prefix = prefix_sum(lane, counts, &mut slots);
            cells.set(pair * WORKGROUP + lane.local, prefix.before);
            lane.barrier();
        }
        for place in begin..end {
            let key = keys.get(place);
            let digit = digit(key, params.shift);
            // Only this invocation reads and writes the cells of its column.
            let (cell, half) = (digit / 2 * WORKGROUP + lane.local, 16 * (digit % 2));
            let before = cells.get(cell);
            cells.set(cell, before + (1 << half));
            let place_of_key = places.get(digit * blocks + block) + ((before >> half) & 0xffff);
            sorted_keys.set(place_of_key, key);
            sorted_payloads.set(place_of_key, payloads.get(place));
        }
    }
}
