//! A part cut into equal shares, one for each lane, wherever tiles begin and end.

use super::super::scratch::NO_TILE;
use super::super::segments::{Part, carry, walk};
use super::super::{Join, Scratch, Value};
use super::Cut;
use super::staged::{Staged, deliver, value_at};
use crate::prelude::*;
use crate::primitive::search::first;
use crate::tiles::TileSet;

/// Where a share of a part begins.
pub(super) struct Share {
    /// The tile of the part in progress there.
    pub tile: u32,
    /// The next atom of the part.
    pub atom: u32,
}

#[inline_all]
impl Share {
    /// Finds where the share that begins at an item does, or the part ends, by a search in two dimensions. `end` says where a tile of the part
    /// ends in it.
    pub fn find(part: &Part, item: u32, end: impl Fn(u32) -> u32) -> Self {
        let item = item.min(part.tiles() + part.atoms());
        let tile = first(0, part.tiles(), |tile| end(tile) + tile >= item);
        Self { tile, atom: item - tile }
    }
}

/// Gathers the tiles of a part, each by the lanes whose shares have atoms of it.
#[inline(always)]
pub(super) fn join_shares<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    scratch: &mut Scratch<V, Views>,
    staged: &Staged,
    value: &impl Fn(u32) -> V,
    store: &mut impl FnMut(u32, V),
) {
    let (part, shift, origin, bounds) = (staged.part(), staged.shift(), staged.origin(), staged.bounds());
    // Closures that own their references: what refers to a reference would stay in a variable, which a GPU has no pointers to.
    let cells = &scratch.cells;
    let end = move |tile: u32| cells.get(bounds + tile + 1) - shift;
    let share = Share::find(&part, lane.local * C::SHARE, end);
    let items = part.tiles() + part.atoms();
    let whole = &mut *store;
    let walk = walk::<V, J>(
        (share.tile, share.atom),
        C::SHARE.min(items - items.min(lane.local * C::SHARE)),
        part.atoms(),
        end,
        move |atom| value_at(cells, atom + shift, origin, value),
        // A tile that begins and ends in the share.
        move |tile, joined| whole(part.first_tile + tile, joined),
    );
    let before = carry::<V, J>(lane, walk.tile, walk.value, &mut scratch.slots, &mut scratch.carries);
    if walk.first != NO_TILE {
        deliver(lane, set, scratch, staged, walk.first, J::join(before, walk.first_value), &mut *store);
    }
    if lane.local == lane.threads - 1 {
        let open = if walk.first == NO_TILE { J::join(before, walk.value) } else { walk.value };
        deliver(lane, set, scratch, staged, part.tiles(), open, &mut *store);
    }
}
