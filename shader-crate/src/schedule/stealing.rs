//! Dynamic scheduling with work stealing (Osama et al. after Cederman and Tsigas): each workgroup has a queue with an even share of the
//! tiles, and takes chunks from others' queues when its own is empty.

use super::chunks::{Chunks, gather, scatter};
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::queues::{MOST_IN_A_QUEUE, Queues};
use crate::tiles::TileSet;

/// The schedule `stealing`.
pub struct Stealing;

/// The most queues: where there are more workgroups, several have one together.
const QUEUES: u32 = 1024;

#[inline(always)]
fn queues(lane: Lane, chunks: u32) -> Queues {
    Queues { numbers: chunks, queues: lane.groups.min(QUEUES) }
}

#[inline_all]
impl Chunks for Stealing {
    /// A multiple of what was asked for where a queue could not count as many chunks.
    fn length(lane: Lane, tiles: u32, wanted: u32) -> u32 {
        let most = lane.groups.min(QUEUES) * MOST_IN_A_QUEUE;
        wanted * tiles.div_ceil(wanted).div_ceil(most).max(1)
    }

    fn next<V: Value>(lane: Lane, chunks: u32, scratch: &mut Scratch<V, Views>) -> u32 {
        queues(lane, chunks).next(lane, &mut scratch.queues, &mut scratch.slots, true).number
    }

    fn end<V: Value>(lane: Lane, chunks: u32, scratch: &mut Scratch<V, Views>) {
        queues(lane, chunks).end(lane, &mut scratch.queues, &mut scratch.slots);
    }
}

#[inline_all]
impl Distribute for Stealing {
    fn tiles_of_a_workgroup(_: Lane, schedule: &ScheduleParams) -> u32 {
        schedule.group
    }

    fn scatter<T: TileSet>(lane: Lane, set: &T, scratch: Scratch<u32, Views>, visit: impl FnMut(u32, u32)) {
        scatter::<Self, T>(lane, set, scratch, visit);
    }

    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        scratch: Scratch<V, Views>,
        _: J,
        value: impl Fn(u32) -> V,
        store: impl FnMut(u32, V),
    ) {
        gather::<Self, T, V, J>(lane, set, scratch, value, store);
    }
}

#[cfg(not(target_arch = "spirv"))]
mod host {
    use super::{QUEUES, Stealing};
    use crate::schedule::{GatherSize, Parameter, Prepare, ScratchLayout, TileExtent, chunks::host};

    impl Prepare for Stealing {
        fn summary(&self) -> &'static str {
            "each workgroup takes chunks of tiles from a queue of its own, then from others'"
        }

        fn paper(&self) -> &'static str {
            "Osama et al.; Tsigas and Cederman"
        }

        fn parameter(&self) -> Option<Parameter> {
            Some(host::PARAMETER)
        }

        fn gather_layout(&self, extent: TileExtent) -> ScratchLayout {
            self.scatter_layout(extent.tiles)
        }

        fn gather_size(&self, extent: TileExtent, _header: &[u32]) -> GatherSize {
            host::size(extent)
        }

        /// A word for each queue, and one that counts workgroups that have ended.
        fn scatter_layout(&self, _tiles: usize) -> ScratchLayout {
            ScratchLayout { queues: QUEUES as usize + 1, ..ScratchLayout::default() }
        }

        fn most_groups(&self) -> u32 {
            host::MOST_GROUPS
        }
    }
}
