//! What the textbook's traversals are told, which look at every node in each iteration or make room on the queue by prefix sums.

use bytemuck::{Pod, Zeroable};

/// Entries of a queue whose prefix sums a workgroup makes in its own memory: two an invocation.
pub const SWEEP: u32 = 512;

/// Of the traversals that look at every node.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EveryNodeParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// Workgroups of each dispatch; an invocation takes every so-many-th node.
    pub groups: u32,
}
