//! What a gather has of a part in workgroup memory, and the ways in which the tiles of the part are joined.

use super::super::scratch::{CELLS, Cells, ITEMS, LONG, PART};
use super::super::segments::{Part, join_lanes};
use super::super::unrolled::{AHEAD, join_few, join_range, stage_few};
use super::super::{Join, Scratch, Value};
use super::Cut;
use crate::prelude::*;
use crate::tiles::TileSet;

/// The values of a part are loaded from a multiple of this on, whether it begins there or not: then what 32 lanes load together is one cache
/// line of 128 bytes, not parts of two.
pub(super) const LINE: u32 = 32;

// What a lane has of a part is loaded at once.
const _: () = assert!(ITEMS <= AHEAD);
const _: () = assert!(PART.is_multiple_of(LINE));
// In the cells there is room for the words before the first atom in its cache line, the items of a part, and two bounds more.
const _: () = assert!(CELLS as u32 >= (LINE - 1) + (PART - LINE) + 2);

/// A part of a gather with what is in workgroup memory of it. The values of its atoms are there, if they are words, each at its place from the
/// cache line on where the first is. Behind them is where its tiles begin, if the cut leaves room for that.
#[derive(Clone, Copy)]
pub(super) struct Staged {
    part: Part,
    /// The atom at place 0.
    origin: u32,
    /// Where the bounds of tiles begin.
    bounds: u32,
    /// Whether its first tile began before it; of words this is found out when it is needed.
    is_begun: bool,
}

#[inline_all]
impl Staged {
    pub(super) fn new<T: TileSet, V: Value>(set: &T, part: Part) -> Self {
        let origin = if V::IS_WORD { part.first_atom & !(LINE - 1) } else { part.first_atom };
        Self { part, origin, bounds: part.end_atom - origin, is_begun: !V::IS_WORD && part.is_begun(set) }
    }

    /// Whether no other part has atoms of its `tile`-th tile.
    fn has_all<T: TileSet, V: Value>(&self, set: &T, tile: u32) -> bool {
        let is_begun = || if V::IS_WORD { self.part.is_begun(set) } else { self.is_begun };
        tile < self.part.tiles() && (tile > 0 || !is_begun())
    }

    /// The part.
    pub(super) fn part(&self) -> Part {
        self.part
    }

    /// Whether the bounds of tiles are in workgroup memory.
    fn has_bounds<C: Cut, V: Value>() -> bool {
        C::TILES_COUNT && (V::IS_WORD || C::SHARE > 0)
    }

    /// The atom at place 0.
    pub(super) fn origin(&self) -> u32 {
        self.origin
    }

    /// The place of the part's first atom.
    pub(super) fn shift(&self) -> u32 {
        self.part.first_atom - self.origin
    }

    /// Where the bounds of tiles begin in workgroup memory.
    pub(super) fn bounds(&self) -> u32 {
        self.bounds
    }

    /// The place of an offset in the whole set, or of the part's nearest atom.
    fn place(&self, offset: u32) -> u32 {
        offset.max(self.part.first_atom).min(self.part.end_atom) - self.origin
    }

    /// Fills workgroup memory. Words are not for teams, whose members would put theirs into the same place.
    pub(super) fn load<C: Cut, T: TileSet, V: Value>(
        &self,
        lane: Lane,
        set: &T,
        scratch: &mut Scratch<V, Views>,
        value: impl Fn(u32) -> V,
    ) {
        let last = self.part.tiles() + 1;
        let offset = |tile: u32| if Self::has_bounds::<C, V>() { self.part.offset(set, tile) } else { 0 };
        if V::IS_WORD && self.part.atoms() > 0 {
            // All loads are under way before the first is used, which they are not if a branch lies between them.
            let (near, far) = (lane.local.min(last), (lane.local + lane.threads).min(last));
            let (near_offset, far_offset) = (offset(near), offset(far));
            let places = (self.part.first_atom - self.origin, self.part.end_atom - self.origin);
            let put = |place, value: V| scratch.cells.set(place, value.to_word());
            stage_few(lane, places, |place| value(self.origin + place), put);
            if Self::has_bounds::<C, V>() {
                scratch.cells.set(self.bounds + near, self.place(near_offset));
                scratch.cells.set(self.bounds + far, self.place(far_offset));
                for tile in step(lane.local + 2 * lane.threads, last + 1, lane.threads) {
                    scratch.cells.set(self.bounds + tile, self.place(offset(tile)));
                }
            }
        } else if Self::has_bounds::<C, V>() && lane.member == 0 {
            for tile in lane.group_stride(last + 1) {
                scratch.cells.set(self.bounds + tile, self.place(offset(tile)));
            }
        }
        if lane.local == 0 {
            scratch.slots.set(0, 0);
        }
    }

    /// The places of the part's `tile`-th tile, from the first to behind the last.
    fn places<C: Cut, T: TileSet, V: Value>(&self, set: &T, cells: &Cells, tile: u32) -> (u32, u32) {
        if Self::has_bounds::<C, V>() {
            (cells.get(self.bounds + tile), cells.get(self.bounds + tile + 1))
        } else {
            (self.place(self.part.offset(set, tile)), self.place(self.part.offset(set, tile + 1)))
        }
    }

    /// The value at a place.
    fn value<V: Value>(&self, cells: &Cells, place: u32, value: impl Fn(u32) -> V) -> V {
        value_at(cells, place, self.origin, value)
    }
}

/// The value at a place of workgroup memory, where `origin` is the atom at place 0.
#[inline(always)]
pub(super) fn value_at<V: Value>(cells: &Cells, place: u32, origin: u32, value: impl Fn(u32) -> V) -> V {
    V::recall(|| cells.get(place), || value(origin + place))
}

/// Gathers the tiles of a part, each by a lane, from workgroup memory.
#[inline(always)]
pub(super) fn join_alone<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    scratch: &mut Scratch<V, Views>,
    staged: &Staged,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) {
    for tile in lane.group_stride(staged.part.tiles() + 1) {
        let (begin, end) = staged.places::<C, T, V>(set, &scratch.cells, tile);
        if end - begin > LONG {
            leave(lane, scratch, tile);
        } else {
            let joined = join_few::<V, J>(begin, end, |place| staged.value(&scratch.cells, place, &value));
            deliver(lane, set, scratch, staged, tile, joined, &mut store);
        }
    }
}

/// Gathers the tiles of a part, each by as many lanes as there are for it: one for each of more tiles than lanes, which then take rounds.
#[inline(always)]
pub(super) fn join_together<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    scratch: &mut Scratch<V, Views>,
    staged: &Staged,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) {
    let tiles = staged.part.tiles();
    let shift = 31 - (lane.threads / (tiles + 1)).clamp(1, lane.subgroup_size).leading_zeros();
    let width = 1 << shift;
    let mut join = |number: u32| {
        let (tile, member) = (number >> shift, number & (width - 1));
        let mut joined = J::identity();
        let mut here = tile <= tiles;
        if here {
            let (begin, end) = staged.places::<C, T, V>(set, &scratch.cells, tile);
            if end - begin > LONG * width {
                here = false;
                if member == 0 {
                    leave(lane, scratch, tile);
                }
            } else {
                let value = |place| staged.value(&scratch.cells, place, &value);
                joined = join_range::<V, J>(begin + member, end, width, value);
            }
        }
        joined = join_lanes::<V, J>(lane, joined, member, width);
        if here && member == width - 1 {
            deliver(lane, set, scratch, staged, tile, joined, &mut store);
        }
    };
    // Words of so many tiles are joined by lanes alone.
    if V::IS_WORD {
        join(lane.local);
    } else {
        for round in 0..((tiles + 1) << shift).div_ceil(lane.threads) {
            join(round * lane.threads + lane.local);
        }
    }
}

/// Gathers the tiles that were left, each by a subgroup.
#[inline(always)]
pub(super) fn join_long<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    scratch: &mut Scratch<V, Views>,
    staged: &Staged,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) {
    for long in step(lane.subgroup, scratch.slots.get(0), lane.subgroups) {
        let tile = scratch.slots.get(1 + long);
        let (begin, end) = staged.places::<C, T, V>(set, &scratch.cells, tile);
        let value = |place| staged.value(&scratch.cells, place, &value);
        let joined = join_range::<V, J>(begin + lane.subgroup_lane, end, lane.subgroup_size, value);
        let joined = join_lanes::<V, J>(lane, joined, lane.subgroup_lane, lane.subgroup_size);
        if lane.subgroup_lane == lane.subgroup_size - 1 {
            deliver(lane, set, scratch, staged, tile, joined, &mut store);
        }
    }
}

/// Hands over what the part has of its `tile`-th tile: the whole of it, or a piece for the second pass to join.
#[inline(always)]
pub(super) fn deliver<T: TileSet, V: Value>(
    lane: Lane,
    set: &T,
    scratch: &mut Scratch<V, Views>,
    staged: &Staged,
    tile: u32,
    joined: V,
    mut store: impl FnMut(u32, V),
) {
    let part = staged.part;
    if staged.has_all::<T, V>(set, tile) {
        store(part.first_tile + tile, joined);
    } else {
        let piece = 2 * part.number + u32::from(tile == part.tiles());
        scratch.pieces.set(piece * lane.team + lane.member, joined);
    }
}

/// Leaves a tile of the part to a subgroup.
#[inline(always)]
fn leave<V: Value>(lane: Lane, scratch: &mut Scratch<V, Views>, tile: u32) {
    if lane.member == 0 {
        let place = 1 + scratch.slots.add(0, 1);
        scratch.slots.set(place, tile);
    }
}
