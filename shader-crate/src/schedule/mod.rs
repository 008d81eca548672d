//! Who does which part: a schedule hands the atoms of a tile set to invocations. Each offers both shapes of computation:
//! **scatter**, an effect for each atom, and **gather**, a value for each tile, joined from its atoms. What is done is a
//! closure; the same text runs under every schedule.
//!
//! A schedule is a file here and a line in the registry below.

mod group_mapped;
mod merge_path;
mod nonzero_split;
mod parts;
mod radix_binned;
#[macro_use]
mod scratch;
mod segments;
mod thread_mapped;
mod unrolled;
mod value;

pub use parts::Cut;
pub use scratch::{CELLS, ITEMS, NO_TILE, PART, Scratch};
pub use segments::first;
pub use value::{Join, Largest, Sum, Value};

use crate::{lane::Lane, memory::Views, tiles::TileSet};

registry! {
    /// The schedules there are.
    pub enum Schedule, evenkeel_kernels::schedule::Schedule, for_each_schedule {
        /// A tile to each invocation.
        ThreadMapped = "thread-mapped", evenkeel_kernels::schedule::ThreadMapped;
        /// As many tiles as invocations to each group, their atoms shared out evenly inside it.
        GroupMapped = "group-mapped", evenkeel_kernels::schedule::GroupMapped;
        /// An even share of tiles and atoms together to each invocation.
        MergePath = "merge-path", evenkeel_kernels::schedule::MergePath;
        /// An even share of atoms to each invocation.
        NonzeroSplit = "nonzero-split", evenkeel_kernels::schedule::NonzeroSplit;
        /// Tiles sorted into bins by the logarithm of their size: an invocation, a subgroup or a workgroup to each.
        RadixBinned = "radix-binned", evenkeel_kernels::schedule::RadixBinned;
    }
}

pub use group_mapped::GroupMapped;
pub use merge_path::MergePath;
pub use nonzero_split::NonzeroSplit;
pub use radix_binned::RadixBinned;
pub use thread_mapped::ThreadMapped;

/// What a schedule's author writes. All invocations of a dispatch call it together.
pub trait Distribute {
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
