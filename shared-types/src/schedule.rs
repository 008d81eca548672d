//! What the host chooses of a schedule.

use bytemuck::{Pod, Zeroable};

/// A field of the parameters of every kernel that runs under a schedule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ScheduleParams {
    /// The schedule's parameter, a power of two up to the invocations of a workgroup: those in a group of group-mapped, and the tiles in a
    /// chunk of dynamic and stealing.
    pub group: u32,
    /// The number of atoms of a gather, so that no kernel has to load it before it knows what to load.
    pub atoms: u32,
    /// [`Self::MAIN`], or [`Self::FINISH`] for the second pass that some schedules need.
    pub pass: u32,
}

impl ScheduleParams {
    /// The pass that hands out the work.
    pub const MAIN: u32 = 0;
    /// The pass that stores the tiles which the first pass left in pieces.
    pub const FINISH: u32 = 1;
}
