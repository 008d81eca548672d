//! The second pass of a gather.

use super::super::scratch::LONG;
use super::super::segments::join_lanes;
use super::super::unrolled::join_range;
use super::super::{Join, Scratch, Value};
use super::{Cut, Cuts};
use crate::prelude::*;
use crate::tiles::TileSet;

/// Joins the pieces of tiles that began before their part. A lane to each part, a subgroup to a tile of many pieces.
#[inline(always)]
pub(super) fn finish<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    mut scratch: Scratch<V, Views>,
    mut store: impl FnMut(u32, V),
) {
    let Cuts { items, parts, .. } = Cuts::new::<C>(C::PART / lane.team, set.tiles(), scratch.schedule.atoms);
    for block in lane.by_group(parts.div_ceil(lane.threads)) {
        if lane.local == 0 {
            scratch.slots.set(0, 0);
        }
        lane.barrier();
        let number = block * lane.threads + lane.local;
        if number < parts {
            let tile = scratch.order.get(number);
            let ends_here = scratch.order.get(number + 1) > tile;
            if ends_here && C::atom(number * items, tile) > set.before(tile) {
                let first = C::item(set.before(tile), tile) / items;
                if number - first > LONG {
                    if lane.member == 0 {
                        let place = 1 + scratch.slots.add(0, 1);
                        scratch.slots.set(place, number);
                    }
                } else {
                    let piece = |part: u32| scratch.pieces.get((2 * part + 1) * lane.team + lane.member);
                    let joined = join_range::<V, J>(first, number, 1, piece);
                    store(tile, J::join(joined, scratch.pieces.get(2 * number * lane.team + lane.member)));
                }
            }
        }
        lane.barrier();
        for long in step(lane.subgroup, scratch.slots.get(0), lane.subgroups) {
            let number = scratch.slots.get(1 + long);
            let tile = scratch.order.get(number);
            let first = C::item(set.before(tile), tile) / items + lane.subgroup_lane;
            let piece = |part: u32| scratch.pieces.get((2 * part + 1) * lane.team + lane.member);
            let joined = join_range::<V, J>(first, number, lane.subgroup_size, piece);
            let joined = join_lanes::<V, J>(lane, joined, lane.subgroup_lane, lane.subgroup_size);
            if lane.subgroup_lane == lane.subgroup_size - 1 {
                store(tile, J::join(joined, scratch.pieces.get(2 * number * lane.team + lane.member)));
            }
        }
        lane.barrier();
    }
}
