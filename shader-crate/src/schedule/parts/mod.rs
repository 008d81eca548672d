//! Work cut into equal parts, wherever tiles begin and end: what merge-path, for workgroups or invocations, and nonzero-split have in common. A workgroup takes
//! a part; what it has of a tile that crosses into another part is kept in memory until a second pass joins the pieces.
//!
//! What is cut is a line of items. Where a part begins in the tile set is found by a search: for a gather once, beforehand
//! ([`find_bounds`]); for a scatter, whose tiles change from one time to the next, by the workgroup itself. Inside a part a
//! scatter searches for the tile of each atom, and a gather gives as many lanes to each tile as there are, and a subgroup to a long
//! one. Or each lane has an equal share of the items ([`Cut::SHARE`]), with a search for where it begins and its tiles carried from lane
//! to lane, which takes longer.

#[cfg(not(target_arch = "spirv"))]
mod host;
mod second_pass;
mod shares;
mod staged;

#[cfg(not(target_arch = "spirv"))]
pub use host::CutPreparation;

use super::scratch::{CELLS, ITEMS, PART};
use super::segments::Part;
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::search::{first, search};
use crate::tiles::TileSet;
use second_pass::finish;
use shares::{Share, join_shares};
use staged::{LINE, Staged, join_alone, join_long, join_together};

/// The parameters of the search for where the parts of a gather begin.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PartParams {
    /// How many tiles there are.
    pub tiles: u32,
    /// How many parts there are.
    pub parts: u32,
    /// Items in a part.
    pub items: u32,
}

/// A schedule of this kind: what counts as an item.
#[inline_all]
pub trait Cut {
    /// Whether the end of a tile is an item as an atom is one.
    const TILES_COUNT: bool;
    /// The items in the share of a lane; 0 where the lanes of a workgroup have no shares, but divide its tiles.
    const SHARE: u32 = 0;
    /// The items in a part of a gather. Where parts may begin anywhere there is room for what lies before one in its cache line.
    const PART: u32 = if Self::TILES_COUNT { PART - LINE } else { PART };

    /// The number of items in a set of `tiles` tiles and `atoms` atoms.
    fn items(tiles: u32, atoms: u32) -> u32 {
        if Self::TILES_COUNT { tiles + atoms } else { atoms }
    }

    /// Whether `tile`, whose atoms end before atom `end`, is over at `item`.
    fn is_over(end: u32, tile: u32, item: u32) -> bool {
        if Self::TILES_COUNT { end + tile < item } else { end <= item }
    }

    /// The atom that is next at `item`, when `tile` is in progress.
    fn atom(item: u32, tile: u32) -> u32 {
        if Self::TILES_COUNT { item - tile } else { item }
    }

    /// The item at which `atom` of `tile` is next.
    fn item(atom: u32, tile: u32) -> u32 {
        if Self::TILES_COUNT { atom + tile } else { atom }
    }
}

/// Finds the tile in progress where each part begins, and behind them where the last one ends: the body of the kernel that
/// prepares a gather. `offsets` says where tiles begin.
#[inline(always)]
pub fn find_bounds<C: Cut>(lane: Lane, params: &PartParams, offsets: Read<u32>, mut bounds: Global<u32>) {
    for part in lane.grid_stride(params.parts + 1) {
        // The very first part ends the empty tiles at the beginning, too.
        let mut tile = 0;
        if part > 0 {
            let total = C::items(params.tiles, offsets.get(params.tiles));
            let item = if part == params.parts { total } else { part * params.items };
            tile = first(0, params.tiles, |tile| !C::is_over(offsets.get(tile + 1), tile, item));
        }
        bounds.set(part, tile);
    }
}

/// How a set is cut.
#[derive(Clone, Copy)]
struct Cuts {
    /// The items of the set.
    total: u32,
    /// The items of a part.
    items: u32,
    /// The number of parts: at least one, which ends the tiles of a set without atoms.
    parts: u32,
}

#[inline_all]
impl Cuts {
    /// Cuts a set of `tiles` tiles and `atoms` atoms into parts of so many items.
    fn new<C: Cut>(items: u32, tiles: u32, atoms: u32) -> Self {
        let total = C::items(tiles, atoms);
        Self { total, items, parts: total.div_ceil(items).max(1) }
    }

    /// Part `number`, from `first_tile` to `end_tile`.
    fn part<C: Cut>(&self, number: u32, first_tile: u32, end_tile: u32) -> Part {
        let begin = number * self.items;
        let end = begin + self.items.min(self.total - begin);
        Part { number, first_tile, first_atom: C::atom(begin, first_tile), end_tile, end_atom: C::atom(end, end_tile) }
    }
}

#[inline_all]
impl<C: Cut> Distribute for C {
    fn scatter<T: TileSet>(lane: Lane, set: &T, mut scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        let cuts = Cuts::new::<C>(ITEMS * lane.threads, set.tiles(), set.atoms());
        for number in lane.by_group(cuts.parts) {
            for bound in step(lane.subgroup, 2, lane.subgroups) {
                let item = ((number + bound) * cuts.items).min(cuts.total);
                let tile = search(lane, 0, set.tiles(), |tile| !C::is_over(set.before(tile + 1), tile, item));
                if lane.subgroup_lane == 0 {
                    // The very first part ends the empty tiles at the beginning, too.
                    scratch.slots.set(bound, if number + bound == 0 { 0 } else { tile });
                }
            }
            lane.barrier();
            let part = cuts.part::<C>(number, scratch.slots.get(0), scratch.slots.get(1));
            let begun = (part.tiles() + 1).min(set.tiles() - part.first_tile);
            // Where each tile ends, and how far its atoms are from where the line has them. There is room for both unless most
            // tiles are empty, and then there are few atoms to look it up for.
            let shift = |tile: u32| set.begin(tile).wrapping_sub(set.before(tile));
            let kept = 2 * begun <= CELLS as u32;
            if kept {
                for tile in lane.group_stride(begun) {
                    scratch.cells.set(tile, part.bound(set, tile + 1));
                    scratch.cells.set(begun + tile, shift(part.first_tile + tile));
                }
            }
            lane.barrier();
            // A lane takes every atom that is as many further as there are lanes, or those of its share.
            let end = |tile| if kept { scratch.cells.get(tile) } else { part.bound(set, tile + 1) };
            let (mut low, mut atom, mut last, mut stride) = (0, lane.local, part.atoms(), lane.threads);
            if C::SHARE > 0 {
                let share = Share::find(&part, lane.local * ITEMS, end);
                (low, atom, stride) = (share.tile, share.atom, 1);
                last = Share::find(&part, (lane.local + 1) * ITEMS, end).atom;
            }
            while atom < last {
                let place = first(low, part.tiles(), |tile| end(tile) > atom);
                let tile = part.first_tile + place;
                let shift = if kept { scratch.cells.get(begun + place) } else { shift(tile) };
                visit(tile, (part.first_atom + atom).wrapping_add(shift));
                if C::SHARE > 0 {
                    low = place;
                }
                atom += stride;
            }
            lane.barrier();
        }
    }

    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        mut scratch: Scratch<V, Views>,
        _: J,
        value: impl Fn(u32) -> V,
        mut store: impl FnMut(u32, V),
    ) {
        if scratch.schedule.pass == ScheduleParams::FINISH {
            finish::<C, T, V, J>(lane, set, scratch, store);
            return;
        }
        let cuts = Cuts::new::<C>(C::PART / lane.team, set.tiles(), scratch.schedule.atoms);
        let order = scratch.order;
        let tiles_at = |number: u32| {
            let number = number.min(cuts.parts - 1);
            (order.get(number), order.get(number + 1))
        };
        let mut next = if V::IS_WORD { tiles_at(lane.group) } else { (0, 0) };
        for number in lane.by_group(cuts.parts) {
            let (first_tile, end_tile) = if V::IS_WORD { next } else { tiles_at(number) };
            // Those of the workgroup's next part are there when it begins. Wider values leave no registers for them.
            if V::IS_WORD {
                next = tiles_at(number + lane.groups);
            }
            let part = cuts.part::<C>(number, first_tile, end_tile);
            let staged = Staged::new::<T, V>(set, part);
            staged.load::<C, T, V>(lane, set, &mut scratch, &value);
            lane.barrier();
            if C::SHARE > 0 {
                join_shares::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            } else if V::IS_WORD && part.tiles() + 1 > lane.threads / 2 {
                join_alone::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            } else {
                join_together::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            }
            lane.barrier();
            if C::SHARE == 0 {
                join_long::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
                lane.barrier();
            }
        }
    }
}
