//! Merge-path (Merrill and Garland 2016): tiles and atoms are merged into one path, cut into equal parts, so that neither a
//! huge tile nor a million empty ones keeps an invocation longer than another. A workgroup finds its part of the path by a
//! search in the tile set, an invocation its own by one in workgroup memory.

use super::{
    Distribute, Join, PART, Scratch, Value,
    scratch::ITEMS,
    segments::{Part, finish, search, settle, tile_of, walk},
    unrolled::stage,
};
use crate::{lane::Lane, primitive::workgroup::Slots, tiles::TileSet};
use evenkeel_types::ScheduleParams;

/// See the module.
pub struct MergePath;

/// Where the workgroup's part of the path lies. Ends with a barrier.
#[inline(always)]
fn find<T: TileSet>(lane: Lane, set: &T, slots: &mut Slots, number: u32, path: u32) -> Part {
    let begin = number * PART;
    let end = begin + PART.min(path - begin);
    let mut bound = lane.subgroup;
    while bound < 2 {
        let item = if bound == 0 { begin } else { end };
        // Tile k ends at item before(k + 1) + k of the path.
        let tile = search(lane, 0, set.tiles(), |tile| set.before(tile + 1) + tile >= item);
        if lane.subgroup_lane == 0 {
            slots.set(bound, tile);
        }
        bound += lane.subgroups;
    }
    lane.barrier();
    let (first_tile, end_tile) = (slots.get(0), slots.get(1));
    Part::new(set, number, (first_tile, begin - first_tile), (end_tile, end - end_tile))
}

impl Distribute for MergePath {
    #[inline(always)]
    fn scatter<T: TileSet>(lane: Lane, set: &T, mut scratch: Scratch<u32>, mut visit: impl FnMut(u32, u32)) {
        let path = set.tiles() + set.atoms();
        let parts = path / PART + (path % PART).min(1);
        let mut number = lane.group;
        while number < parts {
            let part = find(lane, set, &mut scratch.slots, number, path);
            let tiles = part.end_tile - part.first_tile;
            let begun = (tiles + 1).min(set.tiles() - part.first_tile);
            // How far a tile's atoms are from where the path has them. There is room for that beside the ends unless most
            // tiles are empty, and then there are few atoms to look it up for.
            let shift = |tile: u32| {
                let tile = part.first_tile + tile;
                set.begin(tile).wrapping_sub(set.before(tile))
            };
            let kept = 2 * begun <= PART;
            for tile in lane.group_stride(begun) {
                scratch.cells.set(tile, set.before(part.first_tile + tile + 1) - part.first_atom);
                if kept {
                    scratch.cells.set(begun + tile, shift(tile));
                }
            }
            lane.barrier();
            for atom in lane.group_stride(part.end_atom - part.first_atom) {
                let tile = tile_of(&scratch.cells, 0, tiles, atom);
                let shift = if kept { scratch.cells.get(begun + tile) } else { shift(tile) };
                visit(part.first_tile + tile, (part.first_atom + atom).wrapping_add(shift));
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
        let path = set.tiles() + set.atoms();
        let parts = path / PART + (path % PART).min(1);
        if scratch.settings.pass == ScheduleParams::FINISH {
            finish::<V, J>(lane, &mut scratch, parts, store);
            return;
        }
        let mut number = lane.group;
        while number < parts {
            let part = find(lane, set, &mut scratch.slots, number, path);
            let (tiles, atoms) = (part.end_tile - part.first_tile, part.end_atom - part.first_atom);
            let end = |tile| set.before(part.first_tile + tile + 1) - part.first_atom;
            stage(lane, tiles, end, |tile, end| scratch.cells.set(tile, end));
            if lane.local == 0 {
                scratch.cells.set(tiles, u32::MAX);
            }
            // Tiles and atoms are a part together, so the values fit behind the ends.
            let values = tiles + 1;
            stage(
                lane,
                atoms,
                |atom| value(part.first_atom + atom),
                |atom, value| scratch.cells.set(values + atom, value.to_word()),
            );
            lane.barrier();
            let begin = (lane.local * ITEMS).min(tiles + atoms);
            let steps = ITEMS.min(tiles + atoms - begin);
            let tile = tile_on_path(&scratch, tiles, begin);
            let walk = walk::<V, J>(
                tile,
                begin - tile,
                steps,
                |tile| scratch.cells.get(tile),
                |atom| V::from_word(scratch.cells.get(values + atom)),
                |tile, joined| store(part.first_tile + tile, joined),
            );
            settle::<V, J>(lane, &mut scratch, &part, walk, &mut store);
            lane.barrier();
            number += lane.groups;
        }
    }
}

/// How many of the part's tiles end before item `item` of its path.
#[inline(always)]
fn tile_on_path<V: Value>(scratch: &Scratch<V>, tiles: u32, item: u32) -> u32 {
    let (mut low, mut high) = (0, tiles);
    while low < high {
        let middle = (low + high) / 2;
        if scratch.cells.get(middle) + middle < item {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
