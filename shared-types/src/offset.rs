//! Places in a worklist and in a row, which one dispatch finds and a later one begins at.

use bytemuck::{Pod, Zeroable};

/// The place where an invocation of workload decomposition begins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Offset {
    /// The entry of the list.
    pub place: u32,
    /// The edge, counted from that entry's first.
    pub edge: u32,
}

/// A node with edges left.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Remainder {
    /// The node.
    pub node: u32,
    /// The first edge left, as the graph counts them.
    pub edge: u32,
}
