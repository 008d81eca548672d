//! Merge-path (Merrill and Garland 2016): tiles and atoms are merged into one path, cut into equal parts, so that neither a
//! huge tile nor a million empty ones keeps an invocation longer than another.

use super::parts::{Cut, PartParams, find_bounds};
use crate::prelude::*;

/// The schedule `merge-path`.
pub struct MergePath;

#[inline_all]
impl Cut for MergePath {
    fn items(tiles: u32, atoms: u32) -> u32 {
        tiles + atoms
    }

    fn is_over(end: u32, tile: u32, item: u32) -> bool {
        end + tile < item
    }

    fn atom(item: u32, tile: u32) -> u32 {
        item - tile
    }

    fn item(atom: u32, tile: u32) -> u32 {
        atom + tile
    }
}

/// Finds where the parts of a gather begin.
#[kernel(threads = 256)]
pub fn merge_path_bounds(lane: Lane, params: &PartParams, offsets: Read<u32>, bounds: Global<u32>) {
    find_bounds::<MergePath>(lane, params, offsets, bounds);
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::{MergePath, MergePathBounds};
    use crate::{
        launch::{Buffer, DispatchSize, Record},
        schedule::parts::{CutPreparation, PartParams},
    };

    impl CutPreparation for MergePath {
        const SUMMARY: &'static str = "each workgroup an even share of tiles and atoms together";
        const PAPER: &'static str = "Osama et al.; Merrill and Garland";

        fn record_bounds(recorder: &mut dyn Record, params: PartParams, offsets: &Buffer<u32>, bounds: &Buffer<u32>) {
            let size = DispatchSize::Items(params.parts as usize + 1);
            // SAFETY: there is an offset behind the last tile, and a bound behind the last part.
            unsafe { recorder.dispatch(&MergePathBounds { offsets, bounds }, params, size) };
        }
    }
}
