//! What the host pushes to a breadth-first search that chooses its direction, and the modes of its iterations.

use bytemuck::{Pod, Zeroable};

/// See the module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SearchParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// How many edges.
    pub edges: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// 1 when every edge has its reverse, so that a node can look for those that lead to it.
    pub can_pull: u32,
    /// A frontier of up to this many nodes is left to one workgroup; 0 when none is. Where some is, no node is heavy.
    pub short: u32,
    /// A longer frontier of up to this many is left to a few workgroups.
    pub middling: u32,
    /// How many.
    pub few_groups: u32,
    /// The most turns of loops that an invocation may take in one dispatch of theirs.
    pub turns: u32,
    /// Edges of a node on average, rounded up.
    pub mean_degree: u32,
    /// How many nodes have many edges.
    pub long: u32,
}

impl SearchParams {
    /// The nodes of the frontier go to their neighbours.
    pub const PUSH: u32 = 0;
    /// The nodes not seen yet look for a neighbour in the frontier.
    pub const PULL: u32 = 1;
    /// The frontier, known by its bits alone, is made into a list.
    pub const COLLECT: u32 = 2;

    /// Words of a bitmap.
    pub fn words(&self) -> u32 {
        self.nodes.div_ceil(32)
    }
}
