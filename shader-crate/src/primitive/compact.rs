//! Compaction: the elements whose flag is set, in their order. The host scans the flags first; this moves the elements.

use super::LengthParams;
use crate::prelude::*;

/// Moves each flagged element to its place, which is the exclusive prefix sum of the flags (0 or 1).
#[kernel(threads = 256, any_width)]
pub fn compact_scatter(
    lane: Lane,
    params: &LengthParams,
    values: Read<u32>,
    flags: Read<u32>,
    places: Read<u32>,
    mut output: Global<u32>,
) {
    for index in lane.grid_stride(params.length) {
        if flags.get(index) != 0 {
            output.set(places.get(index), values.get(index));
        }
    }
}
