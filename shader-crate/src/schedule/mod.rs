//! Who does which part: a schedule hands the atoms of a tile set to invocations. Each offers both shapes of computation:
//! **scatter**, an effect for each atom, and **gather**, a value for each tile, joined from its atoms. What is done is a
//! closure; the same text runs under every schedule.
//!
//! A schedule is a file here, with a [`Distribute`] for the kernels and a [`Prepare`] for the host, and a line in the registry
//! below. Nothing else names it.

mod chunks;
pub mod dynamic;
pub mod group_mapped;
pub mod merge_path;
pub mod merge_path_thread;
pub mod nonzero_split;
mod parts;
#[cfg(not(target_arch = "spirv"))]
mod prepare;
pub mod radix_binned;
#[macro_use]
mod scratch;
mod segments;
pub mod stealing;
pub mod thread_mapped;
mod unrolled;
mod value;

pub use parts::{Cut, PartParams};
#[cfg(not(target_arch = "spirv"))]
pub use prepare::{GatherSize, OrderBuffers, Parameter, Prepare, ScratchLayout, TileExtent};
pub use scratch::{CELLS, ITEMS, NO_TILE, PART, Scratch};
pub use segments::join_lanes;
pub use unrolled::stage;
pub use value::{Join, Largest, Sum, Value};

use crate::{lane::Lane, memory::Views, tiles::TileSet};
use evenkeel_types::ScheduleParams;

registry! {
    /// All schedules.
    pub enum Schedule as evenkeel_kernels::schedule::Prepare, evenkeel_kernels::schedule::Schedule, for_each_schedule {
        /// One invocation takes a whole tile.
        ThreadMapped = "thread-mapped", evenkeel_kernels::schedule::thread_mapped::ThreadMapped;
        /// A group of invocations shares the atoms of as many tiles.
        GroupMapped = "group-mapped", evenkeel_kernels::schedule::group_mapped::GroupMapped;
        /// Each workgroup takes an even share of tiles and atoms together.
        MergePath = "merge-path", evenkeel_kernels::schedule::merge_path::MergePath;
        /// Each invocation takes an even share of tiles and atoms together.
        MergePathThread = "merge-path-thread", evenkeel_kernels::schedule::merge_path_thread::MergePathThread;
        /// Each workgroup takes an even share of atoms.
        NonzeroSplit = "nonzero-split", evenkeel_kernels::schedule::nonzero_split::NonzeroSplit;
        /// Tiles are sorted by the logarithm of their size, and an invocation, a subgroup or a workgroup takes each.
        RadixBinned = "radix-binned", evenkeel_kernels::schedule::radix_binned::RadixBinned;
        /// Workgroups take chunks of tiles from one queue.
        Dynamic = "dynamic", evenkeel_kernels::schedule::dynamic::Dynamic;
        /// Workgroups take chunks of tiles from queues of their own, then from others'.
        Stealing = "stealing", evenkeel_kernels::schedule::stealing::Stealing;
    }
}

/// What a schedule does inside a kernel. All invocations of a dispatch call it together.
pub trait Distribute {
    /// The tiles of a worklist for which a scatter has a workgroup, where the dispatch is sized by tiles.
    #[inline(always)]
    fn tiles_of_a_workgroup(lane: Lane, _schedule: &ScheduleParams) -> u32 {
        lane.threads
    }

    /// Calls `visit(tile, atom)` once for each atom.
    fn scatter<T: TileSet>(lane: Lane, set: &T, scratch: Scratch<u32, Views>, visit: impl FnMut(u32, u32));

    /// Joins `value(atom)` over the atoms of each tile and calls `store(tile, joined)` once for each tile. The tiles' atoms
    /// are numbered without gaps: `begin` equals `before`.
    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        scratch: Scratch<V, Views>,
        join: J,
        value: impl Fn(u32) -> V,
        store: impl FnMut(u32, V),
    );
}

#[cfg(not(target_arch = "spirv"))]
impl<S: Distribute> Distribute for crate::balance::Counted<S> {
    fn tiles_of_a_workgroup(lane: Lane, schedule: &ScheduleParams) -> u32 {
        S::tiles_of_a_workgroup(lane, schedule)
    }

    fn scatter<T: TileSet>(lane: Lane, set: &T, scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        S::scatter(lane, set, scratch, |tile, atom| {
            crate::balance::count();
            visit(tile, atom);
        });
    }

    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        scratch: Scratch<V, Views>,
        join: J,
        value: impl Fn(u32) -> V,
        store: impl FnMut(u32, V),
    ) {
        let counted = |atom| {
            crate::balance::count();
            value(atom)
        };
        S::gather(lane, set, scratch, join, counted, store);
    }
}
