//! The control block of an iterated algorithm. It lives in device memory: kernels count in it, the last workgroup of an
//! iteration turns the count into the next dispatch, and the host only looks at it between batches.

use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// See the module. Kernels address its fields as words, by the constants below.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Control {
    /// The next iteration's workgroups: an indirect dispatch reads them.
    pub groups: [u32; 3],
    /// Entries in the worklist that the next iteration reads; 0 when the algorithm is done.
    pub frontier: u32,
    /// Entries written so far to the worklist after that.
    pub next: u32,
    /// Iterations finished.
    pub iteration: u32,
    /// Workgroups of the running dispatch that are finished; 0 between dispatches.
    pub ticket: u32,
    /// Edges of the worklist that the next iteration reads, where a strategy counts them.
    pub edges: u32,
    /// Workgroups of a second dispatch in an iteration, where a strategy has one.
    pub expand_groups: [u32; 3],
    /// Not 0 when a sum of weights did not fit into 32 bits.
    pub overflow: u32,
}

const fn word(offset: usize) -> u32 {
    (offset / 4) as u32
}

impl Control {
    /// The word of `groups[0]`.
    pub const GROUPS: u32 = word(offset_of!(Self, groups));
    /// The word of `frontier`.
    pub const FRONTIER: u32 = word(offset_of!(Self, frontier));
    /// The word of `next`.
    pub const NEXT: u32 = word(offset_of!(Self, next));
    /// The word of `iteration`.
    pub const ITERATION: u32 = word(offset_of!(Self, iteration));
    /// The word of `ticket`.
    pub const TICKET: u32 = word(offset_of!(Self, ticket));
    /// The word of `edges`.
    pub const EDGES: u32 = word(offset_of!(Self, edges));
    /// The word of `expand_groups[0]`.
    pub const EXPAND_GROUPS: u32 = word(offset_of!(Self, expand_groups));
    /// The word of `overflow`.
    pub const OVERFLOW: u32 = word(offset_of!(Self, overflow));

    /// The block of a run that begins with `frontier` entries, one invocation each.
    pub fn start(frontier: u32, threads: u32) -> Self {
        Self { groups: [frontier.div_ceil(threads), 1, 1], frontier, ..Self::default() }
    }
}
