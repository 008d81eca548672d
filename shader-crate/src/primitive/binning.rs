//! Sorts tiles into bins by the logarithm of their size, for the radix-binned schedule: counts, makes the counts places, and
//! puts every tile in its place. The number of tiles stands in device memory, since only the device knows that of a worklist.
//! The order inside a bin is whatever the atomics make it; no answer depends on it.

use crate::prelude::*;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BinParams {
    /// The word of `length` that is the number of tiles.
    pub word: u32,
}

/// The layout of the tiles' order: a header with the sizes of the three classes, whose words these are, then the tiles.
pub struct Bins;

impl Bins {
    /// The number of small tiles, which have an invocation each.
    pub const SMALL: u32 = 0;
    /// The number of tiles of middle size, which have a subgroup each.
    pub const MIDDLE: u32 = 1;
    /// The number of large tiles, which have a workgroup each.
    pub const LARGE: u32 = 2;
    /// The number of bins: one for no atoms, and one for each logarithm of 32 bits.
    pub const COUNT: u32 = 33;
    /// The last bin of small tiles: fewer than 32 atoms.
    pub const LARGEST_SMALL: u32 = 5;
    /// The last bin of tiles of middle size: fewer than 4,096 atoms, 128 for each invocation of a subgroup of 32.
    pub const LARGEST_MIDDLE: u32 = 12;
    /// The number of words before the first tile.
    pub const HEADER: u32 = 4;
}

/// The bin of a tile of `atoms` atoms: 0 for none, otherwise one more than the logarithm.
#[inline(always)]
fn bin(atoms: u32) -> u32 {
    32 - atoms.leading_zeros()
}

/// Counts the tiles of each bin into `bins`, which the host has cleared.
#[kernel(threads = 256)]
pub fn bin_count(
    lane: Lane,
    params: &BinParams,
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
pub fn bin_places(lane: Lane, _params: &BinParams, mut bins: Global<u32>, mut order: Global<u32>) {
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
#[kernel(threads = 256, any_width)]
pub fn bin_place(
    lane: Lane,
    params: &BinParams,
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
