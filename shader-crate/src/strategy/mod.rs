//! How the edges of a worklist are handed out: a kernel for each strategy, made for every operator.

// Modules with bundles come first: the macro of a bundle must stand before its users.
#[macro_use]
pub mod direction;
#[macro_use]
pub mod near_far;
#[macro_use]
pub mod scheduled;

pub mod adaptive;
pub mod decompose;
pub mod edge;
pub mod hierarchical;
pub mod node;
pub mod parallel;
pub mod queue;
pub mod scan;
pub mod small;
pub mod split;
pub mod start;
pub mod sweep;
pub mod threshold;
pub mod two_phase;

use crate::prelude::*;

/// What the host pushes to the kernels of a traversal with a worklist.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TraversalParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The most workgroups of a dispatch; kernels stride over the rest.
    pub max_groups: u32,
}

/// The first edge of a node in the columns of a partition, and how many edges of the node are there: none if its row is another's.
#[inline(always)]
pub(crate) fn edges_in(rows: &RowRange, row_offsets: Read<u32>, node: u32) -> (u32, u32) {
    if rows.has(node) { rows.place(row_offsets.get(node), degree(row_offsets, node)) } else { (0, 0) }
}

/// The number of a node's edges in the whole graph.
#[inline(always)]
pub(crate) fn degree(row_offsets: Read<u32>, node: u32) -> u32 {
    row_offsets.get(node + 1).wrapping_sub(row_offsets.get(node))
}
