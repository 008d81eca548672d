//! Where the parts of a gather begin: a search in the tile set for each, once for all the gathers over it.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    schedule::{Cut, MergePath, NonzeroSplit, first},
};
use evenkeel_types::BoundsParams;

#[inline(always)]
fn tile_at<C: Cut>(params: &BoundsParams, offsets: Read<u32>, part: u32) -> u32 {
    let total = C::items(params.tiles, offsets.get(params.tiles));
    let item = if part == params.parts { total } else { part * params.items };
    first(0, params.tiles, |tile| !C::is_over(offsets.get(tile + 1), tile, item))
}

/// The tile in progress where each part begins, and behind them where the last one ends. `offsets` says where tiles begin.
#[kernel(threads = 256)]
pub fn part_bounds(lane: Lane, params: &BoundsParams, offsets: Read<u32>, mut bounds: Global<u32>) {
    for part in lane.grid_stride(params.parts + 1) {
        // The very first part ends the empty tiles at the beginning, too.
        let mut tile = 0;
        if part > 0 {
            tile = if params.tiles_count == 1 {
                tile_at::<MergePath>(params, offsets, part)
            } else {
                tile_at::<NonzeroSplit>(params, offsets, part)
            };
        }
        bounds.set(part, tile);
    }
}
