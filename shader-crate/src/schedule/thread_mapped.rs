//! A tile to each invocation. Nothing to set up; best where tiles are small and alike, and as bad as the largest where they are not.

use super::unrolled::join_range;
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::tiles::TileSet;

/// The schedule `thread-mapped`.
pub struct ThreadMapped;

#[inline_all]
impl Distribute for ThreadMapped {
    fn scatter<T: TileSet>(lane: Lane, set: &T, _: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        for tile in lane.grid_stride(set.tiles()) {
            for atom in set.begin(tile)..set.end(tile) {
                visit(tile, atom);
            }
        }
    }

    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        _: Scratch<V, Views>,
        _: J,
        value: impl Fn(u32) -> V,
        mut store: impl FnMut(u32, V),
    ) {
        for tile in lane.grid_stride(set.tiles()) {
            store(tile, join_range::<V, J>(set.begin(tile), set.end(tile), 1, &value));
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
impl super::Prepare for ThreadMapped {
    fn summary(&self) -> &'static str {
        "one invocation for each tile"
    }

    fn paper(&self) -> &'static str {
        "Osama et al."
    }
}
