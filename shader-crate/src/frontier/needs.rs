//! Which partitions of a graph an iteration needs, of those that are streamed to the device.

use crate::prelude::*;
use crate::primitive::search;

/// Words of the bits that say it.
pub const NEEDS_WORDS: u32 = 32;

/// What the host pushes, beside what a strategy adds.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub struct NeedsParams {
    /// The streamed partitions.
    pub partitions: u32,
    /// Partition `p` has bit `p >> shift`.
    pub shift: u32,
}

/// The partitions and their bits.
#[derive(Bundle)]
pub struct Needed<S: Storage> {
    /// The first row of each partition, and the one after its last.
    pub bounds: S::Read<u32>,
    /// A bit for each partition that is needed.
    pub needs: S::Write<u32>,
}

/// Marks the partitions that have rows from `first` to `last`.
#[inline(always)]
pub fn mark(needed: &mut Needed<Views>, params: NeedsParams, first: u32, last: u32) {
    let mut partition = search::first(0, params.partitions, |it| needed.bounds.get(2 * it + 1) > first);
    while partition < params.partitions && needed.bounds.get(2 * partition) <= last {
        let bit = partition >> params.shift;
        if (needed.needs.load(bit / 32) >> (bit % 32)) & 1 == 0 {
            needed.needs.or(bit / 32, 1 << (bit % 32));
        }
        partition += 1;
    }
}
