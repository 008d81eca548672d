//! Dynamic scheduling with one queue: the next chunk of tiles is counted off in device memory for whichever workgroup asks first.

use super::chunks::{Chunks, gather, scatter};
use super::{Distribute, Join, Scratch, Value};
use crate::prelude::*;
use crate::primitive::queues::{count_up, refill};
use crate::tiles::TileSet;

/// The schedule `dynamic`.
pub struct Dynamic;

#[inline_all]
impl Chunks for Dynamic {
    fn length(_: Lane, _: u32, wanted: u32) -> u32 {
        wanted
    }

    fn next<V: Value>(lane: Lane, _: u32, scratch: &mut Scratch<V, Views>) -> u32 {
        count_up(lane, &mut scratch.queues, &mut scratch.slots)
    }

    fn end<V: Value>(lane: Lane, _: u32, scratch: &mut Scratch<V, Views>) {
        refill(lane, &mut scratch.queues, &mut scratch.slots, 1);
    }
}

#[inline_all]
impl Distribute for Dynamic {
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
    use super::Dynamic;
    use crate::schedule::{GatherSize, Parameter, Prepare, ScratchLayout, TileExtent, chunks::host};

    impl Prepare for Dynamic {
        fn summary(&self) -> &'static str {
            "workgroups take chunks of tiles from one queue as they get done"
        }

        fn paper(&self) -> &'static str {
            "Osama et al."
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

        /// The counter, and one of workgroups that have ended.
        fn scatter_layout(&self, _tiles: usize) -> ScratchLayout {
            ScratchLayout { queues: 2, ..ScratchLayout::default() }
        }

        fn most_groups(&self) -> u32 {
            host::MOST_GROUPS
        }
    }
}
