//! The scratch memory of a schedule: workgroup memory, and buffers for what must cross workgroups.

use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, SUBGROUPS_ON_GPU};

/// Items of a part for each of its lanes, which are what it loads at a time.
pub const ITEMS: u32 = 7;

/// The most items in the part of the work that a workgroup takes at a time: 1,792.
pub const PART: u32 = ITEMS * WORKGROUP;

/// Words of workgroup memory for a part: what each atom is worth, and where its tiles begin and end.
pub const CELLS: usize = PART as usize + 8;

/// The words for a part.
pub type Cells<'a> = Shared<'a, u32, CELLS>;

/// A tile of which a lane would have more atoms than this is left to a subgroup. A part never has more of them than fit, beside
/// their number, into the words that there are for subgroups.
pub const LONG: u32 = 32;
const _: () = assert!(((PART / (LONG + 1)) as usize) < SUBGROUPS_ON_GPU);

/// A value for each subgroup, or for each member of a team in it.
pub type Carries<'a, V> = Shared<'a, V, SUBGROUPS>;

/// In place of a tile where there is none.
pub const NO_TILE: u32 = u32::MAX;

/// What a schedule works in: one argument of a kernel, whose push constants then have a field `schedule`.
#[derive(Bundle)]
pub struct Scratch<V: Pod, S: Storage> {
    /// What the host chose of the schedule.
    pub schedule: S::Param<ScheduleParams>,
    /// What was found out about the tiles beforehand: where the parts begin, or the bins' sizes and the tiles in their order.
    pub order: S::Read<u32>,
    /// For each part, what it has of the tile that it only ends, and of the one that it only begins.
    pub pieces: S::Write<V>,
    /// How much of the work has been taken, where workgroups take it as they get done: 0 before a dispatch and after it.
    pub queues: S::Write<u32>,
    /// What atoms are worth, and where tiles begin and end.
    pub cells: S::Shared<u32, { ::evenkeel_kernels::schedule::CELLS }>,
    /// A word for each subgroup.
    pub slots: S::Shared<u32, { ::evenkeel_kernels::primitive::workgroup::SUBGROUPS }>,
    /// A value for each subgroup, or for each member of a team in it.
    pub carries: S::Shared<V, { ::evenkeel_kernels::primitive::workgroup::SUBGROUPS }>,
}

#[cfg(not(target_arch = "spirv"))]
impl<V: Pod> Scratch<V, crate::launch::Buffers> {
    /// The buffers that the host binds.
    pub fn new(
        order: crate::launch::Buffer<u32>,
        pieces: crate::launch::Buffer<V>,
        queues: crate::launch::Buffer<u32>,
    ) -> Self {
        Self { schedule: (), order, pieces, queues, cells: (), slots: (), carries: () }
    }
}
