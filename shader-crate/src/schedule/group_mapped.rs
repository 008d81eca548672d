//! As many tiles as invocations to each group, their atoms shared out evenly inside it (Osama et al., 5.2.3). A group is any
//! power of two up to the workgroup: 1 is thread-mapped, a subgroup's width warp-mapped, the workgroup's block-mapped.

use super::scratch::NO_TILE;
use super::segments::{carry, walk};
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::search::first;
use crate::primitive::workgroup::prefix_sum;
use crate::tiles::TileSet;

/// The schedule `group-mapped`.
pub struct GroupMapped;

// Where scatter keeps the first atom of each tile: behind the ends.
const STARTS: u32 = WORKGROUP + 1;

/// The workgroup's tiles with their ends in workgroup memory, seen by one invocation: its group, and its place in it.
struct Group {
    leader: u32,
    member: u32,
    size: u32,
    begin: u32,
    end: u32,
}

/// Sums up the sizes of the workgroup's tiles, from `base` on. Ends with a barrier.
#[inline(always)]
fn find<T: TileSet, V: Value>(lane: Lane, set: &T, scratch: &mut Scratch<V, Views>, base: u32) -> Group {
    let tile = base + lane.local;
    let atoms = if tile < set.tiles() { set.end(tile) - set.begin(tile) } else { 0 };
    let prefix = prefix_sum(lane, atoms, &mut scratch.slots);
    scratch.cells.set(lane.local, prefix.before + atoms);
    if lane.local == 0 {
        scratch.cells.set(lane.threads, u32::MAX);
    }
    lane.barrier();
    let size = scratch.schedule.group.min(lane.threads);
    let leader = lane.local - lane.local % size;
    let begin = if leader == 0 { 0 } else { scratch.cells.get(leader - 1) };
    Group { leader, member: lane.local - leader, size, begin, end: scratch.cells.get(leader + size - 1) }
}

#[inline_all]
impl Distribute for GroupMapped {
    fn scatter<T: TileSet>(lane: Lane, set: &T, mut scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        for block in lane.by_group(set.tiles().div_ceil(lane.threads)) {
            let base = block * lane.threads;
            let tile = base + lane.local;
            let start = if tile < set.tiles() { set.begin(tile) } else { 0 };
            scratch.cells.set(STARTS + lane.local, start);
            let group = find(lane, set, &mut scratch, base);
            let mut atom = group.begin + group.member;
            while atom < group.end {
                let tile = first(group.leader, group.leader + group.size, |tile| scratch.cells.get(tile) > atom);
                let before = if tile == 0 { 0 } else { scratch.cells.get(tile - 1) };
                visit(base + tile, scratch.cells.get(STARTS + tile) + (atom - before));
                atom += group.size;
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
        for block in lane.by_group(set.tiles().div_ceil(lane.threads)) {
            let base = block * lane.threads;
            let group = find(lane, set, &mut scratch, base);
            // Neighbours' shares touch: one ends at the atom, and with the tile, where the next begins.
            let share = (group.end - group.begin).div_ceil(group.size);
            let from = group.end.min(group.begin + group.member * share);
            let to = group.end.min(from + share);
            let after = group.leader + group.size;
            let over = |low, atom| first(low, after, |tile| scratch.cells.get(tile) > atom);
            let tile = if group.member == 0 { group.leader } else { over(group.leader, from) };
            let steps = to - from + over(tile, to) - tile;
            let (first_atom, tiles) = (set.begin(base), set.tiles() - base);
            let walk = walk::<V, J>(
                (tile, from),
                steps,
                group.end,
                |tile| scratch.cells.get(tile),
                |atom| value(first_atom + atom),
                |tile, joined| {
                    if tile < tiles {
                        store(base + tile, joined);
                    }
                },
            );
            let before = carry::<V, J>(lane, walk.tile, walk.value, &mut scratch.slots, &mut scratch.carries);
            if walk.first != NO_TILE && walk.first < tiles {
                store(base + walk.first, J::join(before, walk.first_value));
            }
            lane.barrier();
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
impl super::Prepare for GroupMapped {
    fn summary(&self) -> &'static str {
        "a group of invocations shares the atoms of as many tiles"
    }

    fn paper(&self) -> &'static str {
        "Osama et al."
    }

    fn parameter(&self) -> Option<super::Parameter> {
        Some(super::Parameter {
            name: "group",
            about: "invocations in a group, a power of two up to a workgroup",
            // A subgroup's width on most GPUs.
            default: 32,
            values: &[1, 2, 4, 8, 16, 32, 64, 128, WORKGROUP],
        })
    }
}
