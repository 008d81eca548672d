//! Components of a graph. Weak ones are found by union-find (`primitive/forest.rs`): the root of a finished tree is the smallest node of its
//! component, whatever the order in which edges were taken. [`afforest`] skips most edges, [`all_edges`] takes each under a schedule;
//! [`join`] joins what others know. [`strong`] finds strongly connected components.

pub mod afforest;
pub mod all_edges;
pub mod join;
pub mod strong;

use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, NO_ROOT, compress};

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ComponentParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The largest number of workgroups of a dispatch.
    pub max_groups: u32,
    /// The loop iterations that an invocation may take; one that needs more raises [`GAVE_UP`].
    pub loop_budget: u32,
    /// Not 0 if every edge has its reverse, so that the edges within the largest component can be skipped.
    pub symmetric: u32,
    /// The nodes whose edges are bound to this dispatch.
    pub rows: RowRange,
}

/// The most invocations of a step over all nodes: about as many as a large GPU runs at a time. They take the nodes in ascending order then,
/// and climb to smaller ones whose paths are short already.
pub const AT_A_TIME: u32 = 1 << 18;

/// Makes every node's parent the root of its tree.
#[kernel(threads = 256, any_width)]
pub fn component_compress(
    lane: Lane,
    params: &ComponentParams,
    mut parents: Global<u32>,
    mut state: State<afforest::ComponentState>,
) {
    let (mut known, mut budget) = (NO_ROOT, params.loop_budget);
    for node in lane.grid_stride(params.nodes) {
        compress(&mut parents, node, &mut known, &mut budget);
    }
    if budget == 0 {
        state.or(afforest::ComponentState::FLAGS, GAVE_UP);
    }
}
