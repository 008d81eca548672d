//! Joining values by tile where an invocation's share begins and ends in the middle of tiles. Each invocation walks its share;
//! what it has of the tile in progress at the end is carried to the invocations after it, and at a workgroup's end to memory.

use super::scratch::{Carries, NO_TILE};
use super::unrolled::{AHEAD, Window};
use super::{Join, Value};
use crate::prelude::*;
use crate::primitive::workgroup::Slots;
use crate::tiles::TileSet;

/// What an invocation has after its share.
pub struct Walk<V> {
    /// The first tile that ended in it, or [`NO_TILE`]; invocations before it may have more of that tile.
    pub first: u32,
    /// The share's value of that tile.
    pub first_value: V,
    /// The tile in progress at the end.
    pub tile: u32,
    /// The share's value of that tile.
    pub value: V,
}

/// Takes `steps` steps from an atom in a tile: a step takes an atom, all of which are before `atoms`, or ends a tile. Tiles
/// after the first to end are whole and are stored at once.
#[inline(always)]
pub fn walk<V: Value, J: Join<V>>(
    (mut tile, mut atom): (u32, u32),
    mut steps: u32,
    atoms: u32,
    end: impl Fn(u32) -> u32,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) -> Walk<V> {
    let (mut first, mut first_value, mut joined) = (NO_TILE, J::identity(), J::identity());
    let mut tile_end = end(tile);
    while steps > 0 {
        let mut window = Window::at(atom, atoms, J::identity(), &value);
        let now = steps.min(AHEAD);
        for _ in 0..now {
            if atom < tile_end {
                joined = J::join(joined, window.next(atom, &value));
                atom += 1;
            } else {
                if first == NO_TILE {
                    first = tile;
                    first_value = joined;
                } else {
                    store(tile, joined);
                }
                joined = J::identity();
                tile += 1;
                tile_end = end(tile);
            }
        }
        steps -= now;
    }
    Walk { first, first_value, tile, value: joined }
}

// As in `primitive::workgroup`: up to this many subgroups every invocation joins them itself.
const FEW: u32 = 32;

/// What the invocations before this one have of the tile in progress where its share begins, when `tile` is the one in progress
/// where its share ends and `value` what it has of that. Tiles never fall from one invocation to the next. All invocations of
/// the workgroup call it together; `slots` and `carries` are free again after a barrier.
#[inline(always)]
pub fn carry<V: Value, J: Join<V>>(lane: Lane, tile: u32, value: V, slots: &mut Slots, carries: &mut Carries<V>) -> V {
    let place = |subgroup: u32| subgroup * lane.team + lane.member;
    let mut through = value;
    let mut distance = 1;
    while distance < lane.subgroup_size {
        let (other_tile, other) = (lane.shuffle_up(tile, distance), lane.shuffle_up(through, distance));
        if lane.subgroup_lane >= distance && other_tile == tile {
            through = J::join(other, through);
        }
        distance *= 2;
    }
    if lane.subgroup_lane == lane.subgroup_size - 1 {
        slots.set(lane.subgroup, tile);
        carries.set(place(lane.subgroup), through);
    }
    lane.barrier();
    let (mut carried_tile, mut carried) = (NO_TILE, J::identity());
    if lane.subgroups <= FEW {
        for subgroup in 0..lane.subgroup {
            let (next_tile, next) = (slots.get(subgroup), carries.get(place(subgroup)));
            carried = if next_tile == carried_tile { J::join(carried, next) } else { next };
            carried_tile = next_tile;
        }
    } else {
        if lane.local == 0 {
            for subgroup in 1..lane.subgroups {
                if slots.get(subgroup) == slots.get(subgroup - 1) {
                    let (before, own) = (carries.get(place(subgroup - 1)), carries.get(place(subgroup)));
                    carries.set(place(subgroup), J::join(before, own));
                }
            }
        }
        lane.barrier();
        if lane.subgroup > 0 {
            carried_tile = slots.get(lane.subgroup - 1);
            carried = carries.get(place(lane.subgroup - 1));
        }
    }
    if carried_tile == tile {
        through = J::join(carried, through);
    }
    let neighbour = lane.shuffle_up(through, 1);
    if lane.subgroup_lane == 0 { carried } else { neighbour }
}

/// A part of the work: what a workgroup takes at a time, from `first_atom` in `first_tile` to `end_atom` in `end_tile`.
#[derive(Clone, Copy)]
pub struct Part {
    /// Its number.
    pub number: u32,
    /// The tile in progress where it begins.
    pub first_tile: u32,
    /// The atom it begins at.
    pub first_atom: u32,
    /// The tile in progress where it ends.
    pub end_tile: u32,
    /// The atom it ends before.
    pub end_atom: u32,
}

#[inline_all]
impl Part {
    /// How many tiles end in it.
    pub fn tiles(&self) -> u32 {
        self.end_tile - self.first_tile
    }

    /// How many atoms it has.
    pub fn atoms(&self) -> u32 {
        self.end_atom - self.first_atom
    }

    /// Where its `tile`-th tile begins in the whole set, and the one before ends.
    pub fn offset<T: TileSet>(&self, set: &T, tile: u32) -> u32 {
        set.before((self.first_tile + tile).min(set.tiles()))
    }

    /// Where its `tile`-th tile begins in it, and the one before ends, counted from its first atom.
    pub fn bound<T: TileSet>(&self, set: &T, tile: u32) -> u32 {
        self.offset(set, tile).max(self.first_atom).min(self.end_atom) - self.first_atom
    }

    /// Whether its first tile began before it.
    pub fn is_begun<T: TileSet>(&self, set: &T) -> bool {
        self.first_atom > set.before(self.first_tile)
    }
}

/// In the last of `width` neighbouring lanes the join of all their values; `member` is a lane's number. The whole subgroup calls it.
#[inline(always)]
pub fn join_lanes<V: Value, J: Join<V>>(lane: Lane, mut value: V, member: u32, width: u32) -> V {
    let mut distance = 1;
    while distance < width {
        let other = lane.shuffle_up(value, distance);
        if member >= distance {
            value = J::join(other, value);
        }
        distance *= 2;
    }
    value
}
