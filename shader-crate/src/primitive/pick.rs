//! Picking: the elements at given places, side by side.

use super::LengthParams;
use crate::prelude::*;

/// Copies the element at each of the places. An element of several words has a place for each of them.
#[kernel(threads = 256, any_width)]
pub fn pick(lane: Lane, params: &LengthParams, values: Read<u32>, places: Read<u32>, mut output: Global<u32>) {
    for index in lane.grid_stride(params.length) {
        output.set(index, values.get(places.get(index)));
    }
}
