//! The room a schedule works in: workgroup memory, and two small buffers for what must cross workgroups.

use crate::{
    memory::{Global, Read, Shared},
    primitive::workgroup::Slots,
};
use evenkeel_types::{ScheduleParams, WORKGROUP};

/// Items that an invocation takes of a part. Odd, so that neighbours reading their own items hit different memory banks.
pub const ITEMS: u32 = 7;

/// Items in the part of the work that a workgroup takes at a time: 1,792.
pub const PART: u32 = ITEMS * WORKGROUP;

/// Words of workgroup memory for a part: where each tile ends or what each atom is worth, and the end of the tile that goes on
/// after it. 7 KiB; as much again for values of their own would leave a GPU room for half as many workgroups at a time.
pub const ROOM: usize = PART as usize + 1;

/// In place of a tile where there is none.
pub const NO_TILE: u32 = u32::MAX;

/// A kernel's parameter of this type becomes the arrays below; its push constants then have a field `schedule`. On the host it
/// is a `ScratchBuffers`.
pub struct Scratch<'a, V> {
    /// What the host chose.
    pub settings: ScheduleParams,
    /// The tiles in the order of their bins, behind the sizes of the bins.
    pub order: Read<'a, u32>,
    /// For each part, the tile it only ends and the tile it only begins, or [`NO_TILE`].
    pub partial_tiles: Global<'a, u32>,
    /// Their values so far.
    pub partial_values: Global<'a, V>,
    /// Where tiles end, and what atoms are worth.
    pub cells: Shared<'a, u32, ROOM>,
    /// A word for each subgroup.
    pub slots: Slots<'a>,
    /// A value for each subgroup, as a word.
    pub carries: Slots<'a>,
}

/// What the host binds for a [`Scratch`].
#[cfg(not(target_arch = "spirv"))]
#[derive(Clone)]
pub struct ScratchBuffers<V> {
    /// See [`Scratch::order`].
    pub order: crate::launch::Buffer<u32>,
    /// See [`Scratch::partial_tiles`].
    pub partial_tiles: crate::launch::Buffer<u32>,
    /// See [`Scratch::partial_values`].
    pub partial_values: crate::launch::Buffer<V>,
}
