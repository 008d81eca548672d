//! The part of a loop's state through which cooperating workgroups synchronise.

use bytemuck::{Pod, Zeroable};

/// Where workgroups join and wait for each other. It has a line of 128 bytes of its own, so that waiting does not slow down those that read the
/// words before it or count in the words behind it. `BEFORE` words fill the line before it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Cooperation<const BEFORE: usize> {
    before: [u32; BEFORE],
    /// The workgroups that cooperate, and a bit that says that no further one may join.
    pub members: u32,
    /// How often a workgroup has arrived at the end of a round.
    pub arrivals: u32,
    behind: [u32; 30],
}

// SAFETY: all fields are words, so there is no padding, and zero is a value of each.
unsafe impl<const BEFORE: usize> Zeroable for Cooperation<BEFORE> {}
// SAFETY: as above.
unsafe impl<const BEFORE: usize> Pod for Cooperation<BEFORE> {}

impl<const BEFORE: usize> Default for Cooperation<BEFORE> {
    fn default() -> Self {
        Self::zeroed()
    }
}

/// The byte of a loop's state at which [`Cooperation::members`] is.
pub const MEMBERS_BYTE: usize = 128;

impl<const BEFORE: usize> Cooperation<BEFORE> {
    /// Fails to compile unless a field of this type at the byte `offset` of a state has its line to itself.
    pub const fn has_own_line(offset: usize) {
        assert!(offset + 4 * BEFORE == MEMBERS_BYTE);
    }
}
