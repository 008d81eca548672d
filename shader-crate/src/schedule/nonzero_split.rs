//! An even share of atoms to each invocation, whatever tiles they belong to. Unlike merge-path it counts tiles as free, so an
//! invocation that comes upon a run of empty ones ends them all.

use super::{
    Distribute, Join, PART, Scratch, Value,
    scratch::ITEMS,
    segments::{Part, finish, search, settle, walk},
    unrolled::stage,
};
use crate::{lane::Lane, primitive::workgroup::Slots, tiles::TileSet};
use evenkeel_types::ScheduleParams;

/// See the module.
pub struct NonzeroSplit;

/// How many tiles of `low..high` end at or before `atom`, by one invocation alone.
#[inline(always)]
fn ended<T: TileSet>(set: &T, mut low: u32, mut high: u32, atom: u32) -> u32 {
    while low < high {
        let middle = (low + high) / 2;
        if set.before(middle + 1) <= atom {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Where the workgroup's part of the atoms lies. Ends with a barrier.
#[inline(always)]
fn find<T: TileSet>(lane: Lane, set: &T, slots: &mut Slots, number: u32) -> Part {
    let first_atom = number * PART;
    let end_atom = first_atom + PART.min(set.atoms() - first_atom);
    let mut bound = lane.subgroup;
    while bound < 2 {
        let atom = if bound == 0 { first_atom } else { end_atom };
        let tile = search(lane, 0, set.tiles(), |tile| set.before(tile + 1) > atom);
        if lane.subgroup_lane == 0 {
            // The very first part ends the empty tiles at the beginning, too.
            slots.set(bound, if bound == 0 && number == 0 { 0 } else { tile });
        }
        bound += lane.subgroups;
    }
    lane.barrier();
    Part::new(set, number, (slots.get(0), first_atom), (slots.get(1), end_atom))
}

/// How many parts there are: at least one, which ends the tiles of a set without atoms.
#[inline(always)]
fn parts<T: TileSet>(set: &T) -> u32 {
    set.atoms().div_ceil(PART).max(1)
}

impl Distribute for NonzeroSplit {
    #[inline(always)]
    fn scatter<T: TileSet>(lane: Lane, set: &T, mut scratch: Scratch<u32>, mut visit: impl FnMut(u32, u32)) {
        let mut number = lane.group;
        while number < parts(set) {
            let part = find(lane, set, &mut scratch.slots, number);
            for offset in lane.group_stride(part.end_atom - part.first_atom) {
                let atom = part.first_atom + offset;
                let tile = ended(set, part.first_tile, part.end_tile, atom);
                visit(tile, atom - set.before(tile) + set.begin(tile));
            }
            lane.barrier();
            number += lane.groups;
        }
    }

    #[inline(always)]
    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        mut scratch: Scratch<V>,
        _: J,
        value: impl Fn(u32) -> V,
        mut store: impl FnMut(u32, V),
    ) {
        if scratch.settings.pass == ScheduleParams::FINISH {
            finish::<V, J>(lane, &mut scratch, parts(set), store);
            return;
        }
        let mut number = lane.group;
        while number < parts(set) {
            let part = find(lane, set, &mut scratch.slots, number);
            let atoms = part.end_atom - part.first_atom;
            stage(
                lane,
                atoms,
                |atom| value(part.first_atom + atom),
                |atom, value| scratch.cells.set(atom, value.to_word()),
            );
            lane.barrier();
            let from = atoms.min(lane.local * ITEMS);
            let to = atoms.min(from + ITEMS);
            let tile = if lane.local == 0 {
                part.first_tile
            } else {
                ended(set, part.first_tile, part.end_tile, part.first_atom + from)
            };
            let end_tile = ended(set, tile, part.end_tile, part.first_atom + to);
            let walk = walk::<V, J>(
                tile - part.first_tile,
                from,
                to - from + end_tile - tile,
                |tile| {
                    let after = part.first_tile + tile + 1;
                    if after <= set.tiles() { set.before(after) - part.first_atom } else { u32::MAX }
                },
                |atom| V::from_word(scratch.cells.get(atom)),
                |tile, joined| store(part.first_tile + tile, joined),
            );
            settle::<V, J>(lane, &mut scratch, &part, walk, &mut store);
            lane.barrier();
            number += lane.groups;
        }
    }
}
