//! Binary searches for the first number that has passed a bound, by one invocation or by a subgroup together.

use crate::lane::Lane;

/// Finds the first of `low..high` for which `past` is true, where it is false for all before and true for all after.
#[inline(always)]
pub fn first(mut low: u32, mut high: u32, past: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if past(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Finds the same by the whole subgroup, so that a step divides the range by one more than the subgroup's width.
#[inline(always)]
pub fn search(lane: Lane, mut low: u32, mut high: u32, past: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        // Wide enough that one more probe would lie past the range.
        let step = (high - low) / (lane.subgroup_size + 1) + 1;
        // Probes past the end of the range count as past.
        let probe = low + (lane.subgroup_lane + 1) * step - 1;
        let short = lane.count(probe < high && !past(probe));
        let next = low + short * step;
        high = high.min(next + step - 1);
        low = next;
    }
    low
}
