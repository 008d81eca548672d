//! Places in a worklist and in a row: what one dispatch finds out and the next begins at.

use bytemuck::{Pod, Zeroable};

/// Where an invocation of workload decomposition begins.
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
    /// Which.
    pub node: u32,
    /// The first edge left, counted as the graph's.
    pub edge: u32,
}
