//! Merge-path as Osama et al. have it (section 5.2.1): each invocation takes an equal share of tiles and atoms together, which it finds by a
//! search in two dimensions, and what it has of a tile that crosses into another share is joined afterwards. Where
//! [`merge_path`](super::merge_path) shares out the tiles of a workgroup's part among its invocations, here the shares cut across them.

use super::parts::{Cut, PartParams, find_bounds};
#[cfg(not(target_arch = "spirv"))]
use crate::launch::{Buffer, Launch};
use crate::prelude::*;

/// The schedule `merge-path-thread`.
pub struct MergePathThread;

/// Items in the share of an invocation. With 7, as in other schedules, the values of a part that begins anywhere in a cache line would not fit.
const SHARE: u32 = 6;

impl Cut for MergePathThread {
    const TILES_COUNT: bool = true;
    const SHARE: u32 = SHARE;
    const PART: u32 = SHARE * WORKGROUP;
}

/// Finds where the parts of a gather begin.
#[kernel(threads = 256, any_width)]
pub fn merge_path_thread_bounds(lane: Lane, params: &PartParams, offsets: Read<u32>, bounds: Global<u32>) {
    find_bounds::<MergePathThread>(lane, params, offsets, bounds);
}

#[cfg(not(target_arch = "spirv"))]
impl super::parts::CutPreparation for MergePathThread {
    const SUMMARY: &'static str = "each invocation an even share of tiles and atoms together";
    const PAPER: &'static str = "Osama et al.; Merrill and Garland";

    fn bounds<'b>(offsets: &'b Buffer<u32>, bounds: &'b Buffer<u32>) -> impl Launch<Params = PartParams> {
        MergePathThreadBounds { offsets, bounds }
    }
}
