//! Work cut into equal parts, wherever tiles begin and end: what merge-path and nonzero-split have in common. A workgroup takes
//! a part; what it has of a tile that crosses into another part is kept in memory until a second pass joins the pieces.
//!
//! What is cut is a line of items. Where a part begins in the tile set is found by a search: for a gather once, beforehand
//! ([`find_bounds`]); for a scatter, whose tiles change from one time to the next, by the workgroup itself. Inside a part a
//! scatter searches for the tile of each atom. A gather gives as many lanes to each tile as there are, and a subgroup to a long
//! one: an equal share of the items for each lane, with a search for where it begins and its tiles carried from lane to lane,
//! takes longer.

use super::scratch::{CELLS, Cells, ITEMS, LONG, PART};
use super::segments::{Part, join_lanes};
use super::unrolled::{AHEAD, join_few, join_range, stage_few};
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::search::{first, search};
use crate::tiles::TileSet;

/// The values of a part are loaded from a multiple of this on, whether it begins there or not: then what 32 lanes load together is one cache
/// line of 128 bytes, not parts of two.
const LINE: u32 = 32;

// What a lane has of a part is loaded at once.
const _: () = assert!(ITEMS <= AHEAD);
const _: () = assert!(PART.is_multiple_of(LINE));
// In the cells there is room for the words before the first atom in its cache line, the items of a part, and two bounds more.
const _: () = assert!(CELLS as u32 >= (LINE - 1) + (PART - LINE) + 2);

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

/// A part of a gather with what is in workgroup memory of it. The values of its atoms are there, if they are words, each at its place from the
/// cache line on where the first is. Behind them is where its tiles begin, if the cut leaves room for that.
#[derive(Clone, Copy)]
struct Staged {
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
    fn new<T: TileSet, V: Value>(set: &T, part: Part) -> Self {
        let origin = if V::IS_WORD { part.first_atom & !(LINE - 1) } else { part.first_atom };
        Self { part, origin, bounds: part.end_atom - origin, is_begun: !V::IS_WORD && part.is_begun(set) }
    }

    /// Whether no other part has atoms of its `tile`-th tile.
    fn has_all<T: TileSet, V: Value>(&self, set: &T, tile: u32) -> bool {
        let is_begun = || if V::IS_WORD { self.part.is_begun(set) } else { self.is_begun };
        tile < self.part.tiles() && (tile > 0 || !is_begun())
    }

    /// Whether the bounds of tiles are in workgroup memory.
    fn has_bounds<C: Cut, V: Value>() -> bool {
        C::TILES_COUNT && V::IS_WORD
    }

    /// The place of an offset in the whole set, or of the part's nearest atom.
    fn place(&self, offset: u32) -> u32 {
        offset.max(self.part.first_atom).min(self.part.end_atom) - self.origin
    }

    /// Fills workgroup memory. Words are not for teams, whose members would put theirs into the same place.
    fn load<C: Cut, T: TileSet, V: Value>(
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
        } else if Self::has_bounds::<C, V>() {
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
        V::recall(|| cells.get(place), || value(self.origin + place))
    }
}

/// Gathers the tiles of a part, each by a lane, from workgroup memory.
#[inline(always)]
fn join_alone<C: Cut, T: TileSet, V: Value, J: Join<V>>(
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
fn join_together<C: Cut, T: TileSet, V: Value, J: Join<V>>(
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
fn join_long<C: Cut, T: TileSet, V: Value, J: Join<V>>(
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
fn deliver<T: TileSet, V: Value>(
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

/// The second pass: joins the pieces of tiles that began before their part. A lane to each part, a subgroup to a tile of many pieces.
#[inline(always)]
fn finish<C: Cut, T: TileSet, V: Value, J: Join<V>>(
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
            if V::IS_WORD && part.tiles() + 1 > lane.threads / 2 {
                join_alone::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            } else {
                join_together::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            }
            lane.barrier();
            join_long::<C, T, V, J>(lane, set, &mut scratch, &staged, &value, &mut store);
            lane.barrier();
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::{Cut, PartParams};
    use crate::{
        launch::{Buffer, DispatchSize, Launch, Record},
        schedule::{GatherSize, OrderBuffers, Prepare, ScratchLayout, TileExtent},
    };
    use evenkeel_types::WORKGROUP;

    /// Tiles with fewer atoms than this on average are short: their values lie in order mostly, and a part takes little longer than a
    /// workgroup takes to begin.
    const SHORT: usize = 6;
    /// Of so many parts a workgroup can take several, and all of a GPU is still busy.
    const MANY: usize = 1 << 14;
    /// How many it takes then.
    const PARTS_OF_MANY: usize = 4;

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
        let items = C::PART / extent.team;
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

        /// The main pass has a workgroup for each part, or for several where each is soon done; the second has a lane.
        fn gather_size(&self, extent: TileExtent, _header: &[u32]) -> GatherSize {
            let parts = part_params::<C>(extent).parts as usize;
            let are_short = extent.atoms < SHORT * extent.tiles;
            let groups = if are_short && parts >= MANY { parts.div_ceil(PARTS_OF_MANY) } else { parts };
            let invocations = |groups: usize| groups * WORKGROUP as usize;
            GatherSize {
                main: invocations(groups),
                finish: Some(parts * extent.team as usize),
                scatter: invocations(parts),
            }
        }

        fn needs_prefix_sums(&self) -> bool {
            true
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
pub use host::CutPreparation;
