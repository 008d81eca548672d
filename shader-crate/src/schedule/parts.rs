//! Work cut into equal parts, wherever tiles begin and end: what merge-path and nonzero-split have in common. A workgroup takes
//! a part; what it has of a tile that crosses into another part is kept in memory until a second pass joins the pieces.
//!
//! What is cut is a line of items. Where a part begins in the tile set is found by a search: for a gather once, beforehand
//! ([`find_bounds`]); for a scatter, whose tiles change from one time to the next, by the workgroup itself. Inside a part a
//! scatter searches for the tile of each atom. A gather gives as many lanes to each tile as there are, and a subgroup to a long
//! one: an equal share of the items for each lane, with a search for where it begins and its tiles carried from lane to lane,
//! takes longer.

use super::scratch::{CELLS, ITEMS, LONG};
use super::segments::{Part, join_lanes};
use super::unrolled::{AHEAD, join_range, stage_few};
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::search::{first, search};
use crate::tiles::TileSet;

// What a lane has of a part is loaded at once.
const _: () = assert!(ITEMS <= AHEAD);

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
    /// Cuts a set of `tiles` tiles and `atoms` atoms.
    fn new<C: Cut>(lane: Lane, tiles: u32, atoms: u32) -> Self {
        let (total, items) = (C::items(tiles, atoms), ITEMS * lane.threads);
        Self { total, items, parts: total.div_ceil(items).max(1) }
    }

    /// Part `number`, from `first_tile` to `end_tile`.
    fn part<C: Cut>(&self, number: u32, first_tile: u32, end_tile: u32) -> Part {
        let begin = number * self.items;
        let end = begin + self.items.min(self.total - begin);
        Part { number, first_tile, first_atom: C::atom(begin, first_tile), end_tile, end_atom: C::atom(end, end_tile) }
    }
}

/// Hands over what the part has of its `tile`-th tile: the whole of it, or a piece for the second pass to join.
#[inline(always)]
fn deliver<V: Value>(
    lane: Lane,
    scratch: &mut Scratch<V, Views>,
    part: &Part,
    tile: u32,
    begun_before: bool,
    joined: V,
    mut store: impl FnMut(u32, V),
) {
    if tile < part.tiles() && !(tile == 0 && begun_before) {
        store(part.first_tile + tile, joined);
    } else {
        let piece = 2 * part.number + u32::from(tile == part.tiles());
        scratch.pieces.set(piece * lane.team + lane.member, joined);
    }
}

/// The second pass: joins the pieces of tiles that began before their part. A lane to each part, a subgroup to a tile of many pieces.
#[inline(always)]
fn finish<C: Cut, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    mut scratch: Scratch<V, Views>,
    mut store: impl FnMut(u32, V),
) {
    let Cuts { items, parts, .. } = Cuts::new::<C>(lane, set.tiles(), scratch.schedule.atoms);
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

#[inline_all]
impl<C: Cut> Distribute for C {
    fn scatter<T: TileSet>(lane: Lane, set: &T, mut scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        let cuts = Cuts::new::<C>(lane, set.tiles(), set.atoms());
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
            for atom in lane.group_stride(part.atoms()) {
                let end = |tile| if kept { scratch.cells.get(tile) } else { part.bound(set, tile + 1) };
                let place = first(0, part.tiles(), |tile| end(tile) > atom);
                let tile = part.first_tile + place;
                let shift = if kept { scratch.cells.get(begun + place) } else { shift(tile) };
                visit(tile, (part.first_atom + atom).wrapping_add(shift));
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
        let cuts = Cuts::new::<C>(lane, set.tiles(), scratch.schedule.atoms);
        for number in lane.by_group(cuts.parts) {
            let part = cuts.part::<C>(number, scratch.order.get(number), scratch.order.get(number + 1));
            let (tiles, atoms) = (part.tiles(), part.atoms());
            let begun_before = part.first_atom > set.before(part.first_tile);
            // Values wait in workgroup memory, loaded in the order in which they lie.
            if V::IS_WORD {
                let put = |atom, value: V| scratch.cells.set(atom, value.to_word());
                stage_few(lane, atoms, |atom| value(part.first_atom + atom), put);
            }
            if lane.local == 0 {
                scratch.slots.set(0, 0);
            }
            lane.barrier();
            // As many lanes to a tile as there are for each; most parts are done in one round.
            let shift = 31 - (lane.threads / (tiles + 1)).clamp(1, lane.subgroup_size).leading_zeros();
            let width = 1 << shift;
            for round in 0..((tiles + 1) << shift).div_ceil(lane.threads) {
                let place = round * lane.threads + lane.local;
                let (tile, member) = (place >> shift, place & (width - 1));
                let mut joined = J::identity();
                let mut here = tile <= tiles;
                if here {
                    let (begin, end) = (part.bound(set, tile), part.bound(set, tile + 1));
                    if end - begin > LONG * width {
                        here = false;
                        if member == 0 && lane.member == 0 {
                            let place = 1 + scratch.slots.add(0, 1);
                            scratch.slots.set(place, tile);
                        }
                    } else {
                        joined = join_range::<V, J>(begin + member, end, width, |atom| {
                            V::recall(|| scratch.cells.get(atom), || value(part.first_atom + atom))
                        });
                    }
                }
                joined = join_lanes::<V, J>(lane, joined, member, width);
                if here && member == width - 1 {
                    deliver(lane, &mut scratch, &part, tile, begun_before, joined, &mut store);
                }
            }
            lane.barrier();
            for long in step(lane.subgroup, scratch.slots.get(0), lane.subgroups) {
                let tile = scratch.slots.get(1 + long);
                let (begin, end) = (part.bound(set, tile), part.bound(set, tile + 1));
                let mut joined = join_range::<V, J>(begin + lane.subgroup_lane, end, lane.subgroup_size, |atom| {
                    V::recall(|| scratch.cells.get(atom), || value(part.first_atom + atom))
                });
                joined = join_lanes::<V, J>(lane, joined, lane.subgroup_lane, lane.subgroup_size);
                if lane.subgroup_lane == lane.subgroup_size - 1 {
                    deliver(lane, &mut scratch, &part, tile, begun_before, joined, &mut store);
                }
            }
            lane.barrier();
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::{super::scratch::PART, Cut, PartParams};
    use crate::{
        launch::{Buffer, DispatchSize, Launch, Record},
        schedule::{GatherSize, OrderBuffers, Prepare, ScratchLayout, TileExtent},
    };
    use evenkeel_types::WORKGROUP;

    /// What the host must know of a schedule that cuts work into parts; the rest of its [`Prepare`] follows.
    pub trait CutPreparation: Cut + Sync {
        /// Says in a line what the schedule does.
        const SUMMARY: &'static str;
        /// Names the paper the schedule comes from.
        const PAPER: &'static str;

        /// The schedule's kernel around [`super::find_bounds`].
        fn bounds<'b>(offsets: &'b Buffer<u32>, bounds: &'b Buffer<u32>) -> impl Launch<Params = PartParams>;
    }

    fn part_params<C: Cut>(extent: TileExtent) -> PartParams {
        let items = PART / extent.team;
        let total = C::items(extent.tiles as u32, extent.atoms as u32);
        PartParams { tiles: extent.tiles as u32, parts: total.div_ceil(items).max(1), items }
    }

    impl<C: CutPreparation> Prepare for C {
        fn summary(&self) -> &'static str {
            C::SUMMARY
        }

        fn paper(&self) -> &'static str {
            C::PAPER
        }

        fn shares_long_tiles(&self) -> bool {
            true
        }

        /// A part has two pieces of tiles, of the one that it only ends and of the one that it only begins, and of each piece
        /// every member of a team has its own share.
        fn gather_layout(&self, extent: TileExtent) -> ScratchLayout {
            let parts = part_params::<C>(extent).parts as usize;
            ScratchLayout { order: parts + 1, pieces: 2 * parts * extent.team as usize, ..ScratchLayout::default() }
        }

        fn prepare_gather(&self, recorder: &mut dyn Record, buffers: &OrderBuffers, extent: TileExtent) {
            let params = part_params::<C>(extent);
            let size = DispatchSize::Items(params.parts as usize + 1);
            // SAFETY: there is an offset behind the last tile, and a bound behind the last part.
            unsafe { recorder.dispatch(&C::bounds(buffers.offsets, buffers.order), params, size) };
        }

        /// The main pass has a workgroup for each part, the second a lane.
        fn gather_size(&self, extent: TileExtent, _header: &[u32]) -> GatherSize {
            let parts = part_params::<C>(extent).parts as usize;
            GatherSize { main: parts * WORKGROUP as usize, finish: Some(parts * extent.team as usize) }
        }

        fn needs_prefix_sums(&self) -> bool {
            true
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
pub use host::CutPreparation;
