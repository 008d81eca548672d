//! Merge-path (Merrill and Garland 2016): tiles and atoms are merged into one path, cut into equal parts, so that neither a
//! huge tile nor a million empty ones keeps an invocation longer than another.

use super::parts::{Cut, PartParams, find_bounds};
#[cfg(not(target_arch = "spirv"))]
use crate::launch::{Buffer, Launch};
use crate::prelude::*;

/// The schedule `merge-path`.
pub struct MergePath;

impl Cut for MergePath {
    const TILES_COUNT: bool = true;
}

/// Finds where the parts of a gather begin.
#[kernel(threads = 256, any_width)]
pub fn merge_path_bounds(lane: Lane, params: &PartParams, offsets: Read<u32>, bounds: Global<u32>) {
    find_bounds::<MergePath>(lane, params, offsets, bounds);
}

#[cfg(not(target_arch = "spirv"))]
impl super::parts::CutPreparation for MergePath {
    const SUMMARY: &'static str = "each workgroup an even share of tiles and atoms together";
    const PAPER: &'static str = "Osama et al.; Merrill and Garland";

    fn bounds<'b>(offsets: &'b Buffer<u32>, bounds: &'b Buffer<u32>) -> impl Launch<Params = PartParams> {
        MergePathBounds { offsets, bounds }
    }
}
