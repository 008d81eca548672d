//! An even share of atoms to each invocation, whatever tiles they belong to. Unlike merge-path it counts tiles as free, so an
//! invocation that comes upon a run of empty ones ends them all.

use super::parts::{Cut, PartParams, find_bounds};
#[cfg(not(target_arch = "spirv"))]
use crate::launch::{Buffer, Launch};
use crate::prelude::*;

/// The schedule `nonzero-split`.
pub struct NonzeroSplit;

impl Cut for NonzeroSplit {
    const TILES_COUNT: bool = false;
}

/// Finds where the parts of a gather begin.
#[kernel(threads = 256, any_width)]
pub fn nonzero_split_bounds(lane: Lane, params: &PartParams, offsets: Read<u32>, bounds: Global<u32>) {
    find_bounds::<NonzeroSplit>(lane, params, offsets, bounds);
}

#[cfg(not(target_arch = "spirv"))]
impl super::parts::CutPreparation for NonzeroSplit {
    const SUMMARY: &'static str = "each workgroup an even share of atoms";
    const PAPER: &'static str = "Osama et al.";

    fn bounds<'b>(offsets: &'b Buffer<u32>, bounds: &'b Buffer<u32>) -> impl Launch<Params = PartParams> {
        NonzeroSplitBounds { offsets, bounds }
    }
}
