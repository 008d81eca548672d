//! What the host pushes to shortest paths that put off what is far, and the modes of their iterations.

use bytemuck::{Pod, Zeroable};

/// See the module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct NearFarParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// Nodes for a workgroup, as many as have an edge for each invocation on average.
    pub nodes_a_group: u32,
    /// By how much the distance that is near grows; of real distances the bits.
    pub delta: u32,
    /// The most pieces of long rows.
    pub pieces: u32,
    /// A list of up to this many nodes is left to one workgroup; 0 when none is. Where some is, no row is long.
    pub short: u32,
    /// A longer list of up to this many is left to a few workgroups.
    pub middling: u32,
    /// How many.
    pub few_groups: u32,
    /// The most turns of loops that an invocation may take in one dispatch of theirs.
    pub turns: u32,
}

impl NearFarParams {
    /// A row with more edges is long, and taken in pieces of as many.
    pub const PIECE: u32 = 1024;
    /// The nodes that are near lower their neighbours' distances.
    pub const RELAX: u32 = 0;
    /// Nothing that was near is left: some of what was far becomes near.
    pub const SPLIT: u32 = 1;
}
