//! Logarithmic radix binning (Fox et al. 2019): tiles sorted by the logarithm of their size, so that neighbours are alike; an
//! invocation to each small one, a subgroup to each of middle size, a workgroup to each large one. The order is made by the
//! kernels of `primitive/binning.rs`.

use super::segments::join_lanes;
use super::unrolled::join_range;
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::binning::Bins;
use crate::tiles::TileSet;

/// The schedule `radix-binned`.
pub struct RadixBinned;

/// A tile, and which of its atoms fall to this invocation: every `width`-th from the `member`-th on.
struct Share {
    tile: u32,
    member: u32,
    width: u32,
}

/// How many workgroups' worth of work there is.
#[inline(always)]
fn rounds(lane: Lane, order: &Read<u32>) -> u32 {
    let (small, middle) = (order.get(Bins::SMALL), order.get(Bins::MIDDLE));
    small.div_ceil(lane.threads) + middle.div_ceil(lane.subgroups) + order.get(Bins::LARGE)
}

/// What falls to this invocation in a round; the width is the same for the whole workgroup, and there may be no tile.
#[inline(always)]
fn share(lane: Lane, order: &Read<u32>, tiles: u32, round: u32) -> Share {
    let (small, middle) = (order.get(Bins::SMALL), order.get(Bins::MIDDLE));
    let small_rounds = small.div_ceil(lane.threads);
    let middle_rounds = middle.div_ceil(lane.subgroups);
    let (mut place, mut end, mut member, mut width) = (round * lane.threads + lane.local, small, 0, 1);
    if round >= small_rounds + middle_rounds {
        place = small + middle + round - small_rounds - middle_rounds;
        end = tiles;
        member = lane.local;
        width = lane.threads;
    } else if round >= small_rounds {
        place = small + (round - small_rounds) * lane.subgroups + lane.subgroup;
        end = small + middle;
        member = lane.subgroup_lane;
        width = lane.subgroup_size;
    }
    Share { tile: if place < end { order.get(Bins::HEADER + place) } else { tiles }, member, width }
}

#[inline_all]
impl Distribute for RadixBinned {
    fn scatter<T: TileSet>(lane: Lane, set: &T, scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        for round in lane.by_group(rounds(lane, &scratch.order)) {
            let share = share(lane, &scratch.order, set.tiles(), round);
            if share.tile < set.tiles() {
                let mut atom = set.begin(share.tile) + share.member;
                while atom < set.end(share.tile) {
                    visit(share.tile, atom);
                    atom += share.width;
                }
            }
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
        for round in lane.by_group(rounds(lane, &scratch.order)) {
            let share = share(lane, &scratch.order, set.tiles(), round);
            let mut joined = J::identity();
            if share.tile < set.tiles() {
                let begin = set.begin(share.tile) + share.member;
                joined = join_range::<V, J>(begin, set.end(share.tile), share.width, &value);
            }
            if share.width > 1 {
                joined = join_lanes::<V, J>(lane, joined, lane.subgroup_lane, lane.subgroup_size);
            }
            if share.width == lane.threads {
                if lane.subgroup_lane == lane.subgroup_size - 1 {
                    scratch.carries.set(lane.subgroup * lane.team + lane.member, joined);
                }
                lane.barrier();
                joined = J::identity();
                if lane.local == lane.threads - 1 {
                    for subgroup in 0..lane.subgroups {
                        joined = J::join(joined, scratch.carries.get(subgroup * lane.team + lane.member));
                    }
                }
                lane.barrier();
            }
            if share.tile < set.tiles() && share.member == share.width - 1 {
                store(share.tile, joined);
            }
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::RadixBinned;
    use crate::{
        launch::{DispatchSize, Record},
        primitive::binning::{BinCount, BinParams, BinPlace, BinPlaces, Bins},
        schedule::{GatherSize, OrderBuffers, Prepare, ScratchLayout, TileExtent},
    };
    use evenkeel_types::WORKGROUP;

    impl Prepare for RadixBinned {
        fn summary(&self) -> &'static str {
            "tiles sorted by the logarithm of their size; an invocation, a subgroup or a workgroup for each"
        }

        fn paper(&self) -> &'static str {
            "LRB, Fox et al."
        }

        fn gather_layout(&self, extent: TileExtent) -> ScratchLayout {
            self.scatter_layout(extent.tiles)
        }

        fn prepare_gather(&self, recorder: &mut dyn Record, buffers: &OrderBuffers, _extent: TileExtent) {
            self.prepare_scatter(recorder, buffers);
        }

        /// The main pass has a lane for each small tile, 32 for one of middle size, whose subgroup has at least eight, and a
        /// workgroup for each large one.
        fn gather_size(&self, extent: TileExtent, header: &[u32]) -> GatherSize {
            let tiles = |word: u32| header[word as usize] as usize;
            let lanes = tiles(Bins::SMALL) + 32 * tiles(Bins::MIDDLE);
            GatherSize::one_pass(lanes * extent.team as usize + tiles(Bins::LARGE) * WORKGROUP as usize)
        }

        fn scatter_layout(&self, tiles: usize) -> ScratchLayout {
            let header = Bins::HEADER as usize;
            ScratchLayout { order: header + tiles, counters: Bins::COUNT as usize, header, ..ScratchLayout::default() }
        }

        fn needs_prefix_sums(&self) -> bool {
            true
        }

        fn prepare_scatter(&self, recorder: &mut dyn Record, buffers: &OrderBuffers) {
            let OrderBuffers { offsets, length, order, counters: bins, size, .. } = buffers;
            let params = BinParams { word: buffers.length_word };
            recorder.fill_words(bins, 0);
            // SAFETY: there is an offset behind the last tile, a counter for each bin, and a place in the order for each tile.
            unsafe {
                recorder.dispatch(&BinCount { length, offsets, bins }, params, size.clone());
                recorder.dispatch(&BinPlaces { bins, order }, params, DispatchSize::Items(1));
                recorder.dispatch(&BinPlace { length, offsets, bins, order }, params, size.clone());
            }
        }
    }
}
