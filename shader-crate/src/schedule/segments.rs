//! Joining values by tile where an invocation's share begins and ends in the middle of tiles. Each invocation walks its share;
//! what it has of the tile in progress at the end is carried to the invocations after it, and at a workgroup's end to memory.

use super::{
    Join, Value,
    scratch::{NO_TILE, ROOM, Scratch},
};
use crate::{lane::Lane, memory::Shared, primitive::workgroup::Slots, tiles::TileSet};

/// The first of `low..high` for which `past` is true, where it is false for all before and true for all after; the whole
/// subgroup looks, so a step divides the range by one more than its width.
#[inline(always)]
pub fn search(lane: Lane, mut low: u32, mut high: u32, past: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        // Wide enough that one more probe would lie past the range.
        let step = (high - low) / (lane.subgroup_size + 1) + 1;
        // Probes past the end of the range count as past.
        let probe = low + (lane.subgroup_lane + 1) * step - 1;
        let short = lane.count(probe < high && !past(probe));
        let next = low + short * step;
        high = high.min(next + step - 1);
        low = next;
    }
    low
}

/// The first of `low..high` that lies past `item` in `ends`: the tile that `item` belongs to. One invocation looks alone.
#[inline(always)]
pub fn tile_of(ends: &Shared<u32, ROOM>, mut low: u32, mut high: u32, item: u32) -> u32 {
    while low < high {
        let middle = (low + high) / 2;
        if ends.get(middle) <= item {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

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

/// Takes `steps` steps from `atom` in `tile`: a step takes an atom, or ends a tile. Tiles after the first to end are whole and
/// are stored at once.
#[inline(always)]
pub fn walk<V: Value, J: Join<V>>(
    mut tile: u32,
    mut atom: u32,
    steps: u32,
    end: impl Fn(u32) -> u32,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) -> Walk<V> {
    let (mut first, mut first_value, mut joined) = (NO_TILE, J::identity(), J::identity());
    let mut tile_end = end(tile);
    for _ in 0..steps {
        if atom < tile_end {
            joined = J::join(joined, value(atom));
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
    Walk { first, first_value, tile, value: joined }
}

/// What the invocations before have of a tile, and what they and this one have together.
pub struct Carry<V> {
    /// Of the tile in progress where this invocation's share begins.
    pub before: V,
    /// Of the tile in progress where it ends.
    pub through: V,
}

// As in `primitive::workgroup`: up to this many subgroups every invocation joins them itself.
const FEW: u32 = 32;

/// Joins the values of neighbouring invocations that are in the same tile; tiles never fall from one invocation to the next.
/// All invocations of the workgroup call it together; `slots` and `carries` are free again after a barrier.
#[inline(always)]
pub fn carry<V: Value, J: Join<V>>(
    lane: Lane,
    tile: u32,
    value: V,
    slots: &mut Slots,
    carries: &mut Slots,
) -> Carry<V> {
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
        carries.set(lane.subgroup, through.to_word());
    }
    lane.barrier();
    let (mut carried_tile, mut carried) = (NO_TILE, J::identity());
    if lane.subgroups <= FEW {
        for subgroup in 0..lane.subgroup {
            let (next_tile, next) = (slots.get(subgroup), V::from_word(carries.get(subgroup)));
            carried = if next_tile == carried_tile { J::join(carried, next) } else { next };
            carried_tile = next_tile;
        }
    } else {
        if lane.local == 0 {
            for subgroup in 1..lane.subgroups {
                if slots.get(subgroup) == slots.get(subgroup - 1) {
                    let (before, own) = (V::from_word(carries.get(subgroup - 1)), V::from_word(carries.get(subgroup)));
                    carries.set(subgroup, J::join(before, own).to_word());
                }
            }
        }
        lane.barrier();
        if lane.subgroup > 0 {
            carried_tile = slots.get(lane.subgroup - 1);
            carried = V::from_word(carries.get(lane.subgroup - 1));
        }
    }
    if carried_tile == tile {
        through = J::join(carried, through);
    }
    let neighbour = lane.shuffle_up(through, 1);
    Carry { before: if lane.subgroup_lane == 0 { carried } else { neighbour }, through }
}

/// A part of the work: what a workgroup takes at a time, from `first_atom` in `first_tile` to `end_atom` in `end_tile`.
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
    /// Whether its first tile has atoms in parts before it.
    pub begun_before: bool,
    /// Whether the tile in progress at its end has atoms in it or before it.
    pub unfinished: bool,
}

impl Part {
    /// The part from `first_atom` in `first_tile` to `end_atom` in `end_tile`. What crosses its bounds is found out at once, so
    /// that the loads are long done when the answer is needed.
    #[inline(always)]
    pub fn new<T: TileSet>(
        set: &T,
        number: u32,
        (first_tile, first_atom): (u32, u32),
        (end_tile, end_atom): (u32, u32),
    ) -> Self {
        let begun_before = first_atom > set.before(first_tile);
        let unfinished = end_atom > set.before(end_tile);
        Self { number, first_tile, first_atom, end_tile, end_atom, begun_before, unfinished }
    }
}

/// Ends a part: stores the first tile that ended in each invocation's share, and leaves in memory what crosses the part's
/// bounds. Tiles of `walk` are counted from `first_tile`.
#[inline(always)]
pub fn settle<V: Value, J: Join<V>>(
    lane: Lane,
    scratch: &mut Scratch<V>,
    part: &Part,
    walk: Walk<V>,
    mut store: impl FnMut(u32, V),
) {
    let carry = carry::<V, J>(lane, walk.tile, walk.value, &mut scratch.slots, &mut scratch.carries);
    let (head, tail) = (2 * part.number, 2 * part.number + 1);
    if walk.first != NO_TILE {
        let joined = J::join(carry.before, walk.first_value);
        if walk.first == 0 && part.begun_before {
            scratch.partial_tiles.set(head, part.first_tile);
            scratch.partial_values.set(head, joined);
        } else {
            store(part.first_tile + walk.first, joined);
        }
    }
    if lane.local == 0 && !(part.begun_before && part.end_tile > part.first_tile) {
        scratch.partial_tiles.set(head, NO_TILE);
    }
    if lane.local == lane.threads - 1 {
        scratch.partial_tiles.set(tail, if part.unfinished { part.end_tile } else { NO_TILE });
        scratch.partial_values.set(tail, carry.through);
    }
}

/// The second pass, over `parts` parts: stores the tiles that cross their bounds, a subgroup for each.
#[inline(always)]
pub fn finish<V: Value, J: Join<V>>(lane: Lane, scratch: &mut Scratch<V>, parts: u32, mut store: impl FnMut(u32, V)) {
    let mut part = lane.group * lane.subgroups + lane.subgroup;
    while part < parts {
        let tile = scratch.partial_tiles.get(2 * part);
        if tile != NO_TILE {
            let mut joined = J::identity();
            let mut back = 0;
            let mut present = lane.subgroup_size;
            // Further and further back, a subgroup's width at a time, while the parts there are in the same tile.
            while present == lane.subgroup_size {
                let distance = back + lane.subgroup_size - lane.subgroup_lane;
                let inside = distance <= part && scratch.partial_tiles.get(2 * (part - distance) + 1) == tile;
                let value = if inside { scratch.partial_values.get(2 * (part - distance) + 1) } else { J::identity() };
                joined = J::join(last_of_prefix::<V, J>(lane, value), joined);
                present = lane.count(inside);
                back += lane.subgroup_size;
            }
            if lane.subgroup_lane == lane.subgroup_size - 1 {
                store(tile, J::join(joined, scratch.partial_values.get(2 * part)));
            }
        }
        part += lane.groups * lane.subgroups;
    }
}

/// The join of a subgroup's values up to and with this invocation's; in the last invocation, of all.
#[inline(always)]
pub fn last_of_prefix<V: Value, J: Join<V>>(lane: Lane, mut value: V) -> V {
    let mut distance = 1;
    while distance < lane.subgroup_size {
        let other = lane.shuffle_up(value, distance);
        if lane.subgroup_lane >= distance {
            value = J::join(other, value);
        }
        distance *= 2;
    }
    value
}
