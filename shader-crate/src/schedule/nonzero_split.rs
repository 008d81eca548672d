//! An even share of atoms to each invocation, whatever tiles they belong to. Unlike merge-path it counts tiles as free, so an
//! invocation that comes upon a run of empty ones ends them all.

use super::parts::{Cut, PartParams, find_bounds};
use crate::prelude::*;

/// The schedule `nonzero-split`.
pub struct NonzeroSplit;

#[inline_all]
impl Cut for NonzeroSplit {
    fn items(_tiles: u32, atoms: u32) -> u32 {
        atoms
    }

    fn is_over(end: u32, _tile: u32, item: u32) -> bool {
        end <= item
    }

    fn atom(item: u32, _tile: u32) -> u32 {
        item
    }

    fn item(atom: u32, _tile: u32) -> u32 {
        atom
    }
}

/// Finds where the parts of a gather begin.
#[kernel(threads = 256)]
pub fn nonzero_split_bounds(lane: Lane, params: &PartParams, offsets: Read<u32>, bounds: Global<u32>) {
    find_bounds::<NonzeroSplit>(lane, params, offsets, bounds);
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::{NonzeroSplit, NonzeroSplitBounds};
    use crate::{
        launch::{Buffer, DispatchSize, Record},
        schedule::parts::{CutPreparation, PartParams},
    };

    impl CutPreparation for NonzeroSplit {
        const SUMMARY: &'static str = "each workgroup an even share of atoms";
        const PAPER: &'static str = "Osama et al.";

        fn record_bounds(recorder: &mut dyn Record, params: PartParams, offsets: &Buffer<u32>, bounds: &Buffer<u32>) {
            let size = DispatchSize::Items(params.parts as usize + 1);
            // SAFETY: there is an offset behind the last tile, and a bound behind the last part.
            unsafe { recorder.dispatch(&NonzeroSplitBounds { offsets, bounds }, params, size) };
        }
    }
}
