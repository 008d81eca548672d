//! The state of a loop that the device drives. It lives in device memory: kernels count in it, the last workgroup of an iteration turns
//! the counts into the size of the next dispatch, and the host only looks at it between batches of iterations.

use crate::Field;
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// What every loop has. A strategy that needs more puts it behind this, into a struct of its own: see [`LoopState`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopHeader {
    /// What the host looks at between batches.
    pub report: LoopReport,
    /// The workgroups of the next iteration, in three dimensions: an indirect dispatch reads them.
    pub groups: [u32; 3],
    /// Workgroups of the running dispatch that are finished; 0 between dispatches.
    pub ticket: u32,
}

/// How far a loop is. It has 16 bytes, as much as a host reads from a device's memory at a time.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LoopReport {
    /// Entries of the worklist that the next iteration takes; 0 when the loop is done.
    pub frontier: u32,
    /// Entries written so far to the worklist after that.
    pub next: u32,
    /// The number of finished iterations.
    pub iteration: u32,
    /// Bits that an operator raises; what they mean is the algorithm's business, but for [`LoopReport::STALLED`].
    pub flags: u32,
}

impl LoopReport {
    /// A flag of every loop: workgroups that wait for each other gave up, because one that had begun did not go on.
    pub const STALLED: u32 = 1 << 31;
}

/// The state of one kind of loop: a struct that begins with a [`LoopHeader`]. `#[derive(Fields)]` implements it for a struct whose first
/// field is `header`.
pub trait LoopState: Pod {
    /// The workgroups of the next iteration.
    const GROUPS: Field<Self, [u32; 3]> = Field::at_byte(offset_of!(LoopHeader, groups));
    /// Entries of the worklist that the next iteration takes.
    const FRONTIER: Field<Self> = Field::at_byte(offset_of!(LoopHeader, report.frontier));
    /// Entries written so far to the worklist after that.
    const NEXT: Field<Self> = Field::at_byte(offset_of!(LoopHeader, report.next));
    /// The number of finished iterations.
    const ITERATION: Field<Self> = Field::at_byte(offset_of!(LoopHeader, report.iteration));
    /// Finished workgroups of the running dispatch.
    const TICKET: Field<Self> = Field::at_byte(offset_of!(LoopHeader, ticket));
    /// Bits that an operator raises.
    const FLAGS: Field<Self> = Field::at_byte(offset_of!(LoopHeader, report.flags));
}

impl LoopState for LoopHeader {}
