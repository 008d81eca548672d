//! The room a schedule works in: workgroup memory, and two buffers for what must cross workgroups.

use crate::{
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, SUBGROUPS_ON_GPU, Slots},
};
use evenkeel_types::{ScheduleParams, WORKGROUP};

/// Items of a part for each of its lanes.
pub const ITEMS: u32 = 7;

/// Items in the part of the work that a workgroup takes at a time: 1,792.
pub const PART: u32 = ITEMS * WORKGROUP;

/// Words of workgroup memory for a part: where its tiles begin and the last ends, and what each atom is worth. 7 KiB; as much
/// again for values of their own would leave a GPU room for half as many workgroups at a time.
pub const ROOM: usize = PART as usize + 2;

/// A tile of which a lane would have more atoms than this is left to a subgroup. There are never more of them in a part than
/// have room beside their number in the words that there are for subgroups.
pub const LONG: u32 = 32;
const _: () = assert!(((PART / (LONG + 1)) as usize) < SUBGROUPS_ON_GPU);

/// Room for a value for each subgroup, or for each member of a team in it.
pub type Carries<'a, V> = Shared<'a, V, SUBGROUPS>;

/// In place of a tile where there is none.
pub const NO_TILE: u32 = u32::MAX;

/// A kernel's parameter of this type becomes the arrays below; its push constants then have a field `schedule`. On the host it
/// is a `ScratchBuffers`.
pub struct Scratch<'a, V> {
    /// What the host chose.
    pub settings: ScheduleParams,
    /// What was found out about the tiles beforehand: where the parts begin, or the tiles in the order of their bins, behind
    /// the sizes of the bins.
    pub order: Read<'a, u32>,
    /// For each part, what it has of the tile that it only ends, and of the one that it only begins.
    pub pieces: Global<'a, V>,
    /// Where tiles begin, and what atoms are worth.
    pub cells: Shared<'a, u32, ROOM>,
    /// A word for each subgroup.
    pub slots: Slots<'a>,
    /// A value for each subgroup.
    pub carries: Carries<'a, V>,
}

/// What the host binds for a [`Scratch`].
#[cfg(not(target_arch = "spirv"))]
#[derive(Clone)]
pub struct ScratchBuffers<V> {
    /// See [`Scratch::order`].
    pub order: crate::launch::Buffer<u32>,
    /// See [`Scratch::pieces`].
    pub pieces: crate::launch::Buffer<V>,
}
