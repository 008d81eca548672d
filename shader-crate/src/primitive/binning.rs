//! Sorts tiles into bins by the logarithm of their size, for the radix-binned schedule: counts, makes the counts places, and
//! puts every tile in its place. The number of tiles stands in device memory, since only the device knows that of a worklist.
//! The order inside a bin is whatever the atomics make it; no answer depends on it.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};
use evenkeel_types::{Bins, WordParams};

/// The bin of a tile of `atoms` atoms: 0 for none, otherwise one more than the logarithm.
#[inline(always)]
fn bin(atoms: u32) -> u32 {
    32 - atoms.leading_zeros()
}

/// Counts the tiles of each bin into `bins`, which the host has cleared.
#[kernel(threads = 256)]
pub fn bin_count(
    lane: Lane,
    params: &WordParams,
    length: Read<u32>,
    offsets: Read<u32>,
    mut bins: Global<u32>,
    mut counts: Shared<u32, 33>,
) {
    if lane.local < Bins::COUNT {
        counts.set(lane.local, 0);
    }
    lane.barrier();
    for tile in lane.grid_stride(length.get(params.word)) {
        counts.add(bin(offsets.get(tile + 1) - offsets.get(tile)), 1);
    }
    lane.barrier();
    if lane.local < Bins::COUNT {
        bins.add(lane.local, counts.get(lane.local));
    }
}

/// Turns counts into first places, and writes the header of `order`.
#[kernel(threads = 1)]
pub fn bin_places(lane: Lane, _params: &WordParams, mut bins: Global<u32>, mut order: Global<u32>) {
    if lane.global() == 0 {
        let mut classes = [0, 0, 0];
        let mut place = Bins::HEADER;
        for bin in 0..Bins::COUNT {
            let count = bins.get(bin);
            bins.set(bin, place);
            place += count;
            if bin <= Bins::LARGEST_SMALL {
                classes[0] += count;
            } else if bin <= Bins::LARGEST_MIDDLE {
                classes[1] += count;
            } else {
                classes[2] += count;
            }
        }
        order.set(Bins::SMALL, classes[0]);
        order.set(Bins::MIDDLE, classes[1]);
        order.set(Bins::LARGE, classes[2]);
    }
}

/// Puts every tile in its place.
#[kernel(threads = 256)]
pub fn bin_place(
    lane: Lane,
    params: &WordParams,
    length: Read<u32>,
    offsets: Read<u32>,
    mut bins: Global<u32>,
    mut order: Global<u32>,
) {
    for tile in lane.grid_stride(length.get(params.word)) {
        let place = bins.add(bin(offsets.get(tile + 1) - offsets.get(tile)), 1);
        order.set(place, tile);
    }
}
