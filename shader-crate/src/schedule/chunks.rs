//! Dynamic scheduling: workgroups take chunks of tiles as they get done with others, so that a workgroup with long tiles takes fewer of
//! them. What the schedules of this kind have in common; they differ in where a chunk comes from. Neighbouring invocations share a tile:
//! as many as the chunk leaves for each. A tile is joined by one workgroup in an order that does not depend on which one it is.

use super::segments::join_lanes;
use super::unrolled::join_range;
use super::{Join, Scratch, Value};
use crate::prelude::*;
use crate::tiles::TileSet;

/// A schedule of this kind. Its `queues` are 0 before a dispatch and after it.
pub(super) trait Chunks {
    /// The tiles of a chunk, where `tiles` are divided and the host asked for `wanted`.
    fn length(lane: Lane, tiles: u32, wanted: u32) -> u32;

    /// The number of the chunk that the workgroup takes next: not below `chunks` when there is none. The whole workgroup calls it together.
    fn next<V: Value>(lane: Lane, chunks: u32, scratch: &mut Scratch<V, Views>) -> u32;

    /// Makes the queues as they were before the dispatch. The whole workgroup calls it last.
    fn end<V: Value>(lane: Lane, chunks: u32, scratch: &mut Scratch<V, Views>);
}

/// How tiles are divided.
#[derive(Clone, Copy)]
struct Division {
    tiles: u32,
    /// Tiles in a chunk.
    length: u32,
    chunks: u32,
    /// The logarithm of the number of lanes that share a tile.
    shift: u32,
}

#[inline_all]
impl Division {
    fn new<C: Chunks>(lane: Lane, tiles: u32, wanted: u32) -> Self {
        let length = C::length(lane, tiles, wanted);
        let shift = 31 - (lane.threads / length).clamp(1, lane.subgroup_size).leading_zeros();
        Self { tiles, length, chunks: tiles.div_ceil(length), shift }
    }

    /// The lane's number among those that share a tile.
    fn member(&self, lane: Lane) -> u32 {
        lane.local & (self.width() - 1)
    }

    /// How many lanes share a tile.
    fn width(&self) -> u32 {
        1 << self.shift
    }

    /// How often the workgroup takes a tile for each lane or group of lanes before a chunk is done.
    fn rounds(&self, lane: Lane) -> u32 {
        (self.length << self.shift).div_ceil(lane.threads)
    }

    /// The lane's tile in a round of a chunk, and where the chunk ends; the tile may be past it.
    fn tile(&self, lane: Lane, chunk: u32, round: u32) -> (u32, u32) {
        let begin = chunk * self.length;
        let tile = begin + ((round * lane.threads + lane.local) >> self.shift);
        (tile, begin + self.length.min(self.tiles - begin))
    }
}

/// Scatters under a schedule of this kind.
#[inline(always)]
pub(super) fn scatter<C: Chunks, T: TileSet>(
    lane: Lane,
    set: &T,
    mut scratch: Scratch<u32, Views>,
    mut visit: impl FnMut(u32, u32),
) {
    let division = Division::new::<C>(lane, set.tiles(), scratch.schedule.group);
    let mut left = true;
    while left {
        let chunk = C::next(lane, division.chunks, &mut scratch);
        left = chunk < division.chunks;
        if left {
            for round in 0..division.rounds(lane) {
                let (tile, end) = division.tile(lane, chunk, round);
                if tile < end {
                    for atom in step(set.begin(tile) + division.member(lane), set.end(tile), division.width()) {
                        visit(tile, atom);
                    }
                }
            }
        }
    }
    C::end(lane, division.chunks, &mut scratch);
}

/// Gathers under a schedule of this kind.
#[inline(always)]
pub(super) fn gather<C: Chunks, T: TileSet, V: Value, J: Join<V>>(
    lane: Lane,
    set: &T,
    mut scratch: Scratch<V, Views>,
    value: impl Fn(u32) -> V,
    mut store: impl FnMut(u32, V),
) {
    let division = Division::new::<C>(lane, set.tiles(), scratch.schedule.group);
    let (member, width) = (division.member(lane), division.width());
    let mut left = true;
    while left {
        let chunk = C::next(lane, division.chunks, &mut scratch);
        left = chunk < division.chunks;
        if left {
            for round in 0..division.rounds(lane) {
                let (tile, end) = division.tile(lane, chunk, round);
                let mut joined = J::identity();
                if tile < end {
                    joined = join_range::<V, J>(set.begin(tile) + member, set.end(tile), width, &value);
                }
                joined = join_lanes::<V, J>(lane, joined, member, width);
                if tile < end && member == width - 1 {
                    store(tile, joined);
                }
            }
        }
    }
    C::end(lane, division.chunks, &mut scratch);
}

/// What the host does for a schedule of this kind.
#[cfg(not(target_arch = "spirv"))]
pub(super) mod host {
    use crate::schedule::{GatherSize, Parameter, TileExtent};
    use evenkeel_types::WORKGROUP;

    /// The most workgroups: as many as a large GPU runs at a time. More would find nothing left to take.
    pub const MOST_GROUPS: u32 = 1024;

    /// Tiles in a chunk unless another number is chosen: eight invocations for each.
    const CHUNK: u32 = 32;

    /// The number of tiles in a chunk, which a user may choose.
    pub const PARAMETER: Parameter = Parameter {
        name: "chunk",
        about: "tiles that a workgroup takes at a time",
        default: CHUNK,
        values: &[1, 2, 4, 8, 16, 32, 64, 128, 256],
    };

    /// A workgroup for each chunk, as far as these run at a time.
    pub fn size(extent: TileExtent) -> GatherSize {
        let groups = extent.tiles.div_ceil(CHUNK as usize).min(MOST_GROUPS as usize);
        GatherSize::one_pass(groups * WORKGROUP as usize)
    }
}
