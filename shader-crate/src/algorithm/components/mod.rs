//! Components of a graph. Weak ones are found by union-find: every node has a parent that is not larger than itself, a root is its own
//! parent, and an edge hooks the larger of two roots under the smaller. The root of a finished tree is therefore the smallest node of its
//! component, whatever the order in which edges were taken. [`afforest`] skips most edges, [`all_edges`] takes each under a schedule;
//! [`strong`] finds strongly connected components.

pub mod afforest;
pub mod all_edges;
pub mod strong;

use crate::prelude::*;

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
}

/// The flag of a run in which an invocation reached the limit of the device on loop iterations.
pub const GAVE_UP: u32 = 1;

/// The root of a node's tree. Every node on the way is moved closer to it (path halving): its new parent is an ancestor, too, so it does not
/// matter who else does the same.
#[inline(always)]
pub(crate) fn root(parents: &mut Global<u32>, node: u32, budget: &mut u32) -> u32 {
    let mut node = node;
    let mut parent = parents.load(node);
    while parent != node && *budget > 0 {
        *budget -= 1;
        let grandparent = parents.load(parent);
        if grandparent != parent {
            parents.store(node, grandparent);
        }
        node = parent;
        parent = grandparent;
    }
    node
}

/// Makes the root of a node's tree its parent, and returns it.
#[inline(always)]
fn compress(parents: &mut Global<u32>, node: u32, budget: &mut u32) -> u32 {
    let parent = parents.load(node);
    let found = root(parents, parent, budget);
    if found != parent {
        parents.store(node, found);
    }
    found
}

/// Joins the trees of two nodes (Sutton, Ben-Nun and Barak 2018): climbs from the larger of two ancestors until both are the same, or until
/// it is a root, which is hooked under the smaller. Returns whether a root was hooked.
#[inline(always)]
fn link(parents: &mut Global<u32>, one: u32, other: u32, budget: &mut u32) -> bool {
    let mut one = parents.load(one);
    let mut other = parents.load(other);
    let mut hooked = false;
    while one != other && *budget > 0 {
        *budget -= 1;
        let (low, high) = (one.min(other), one.max(other));
        let mut parent = parents.load(high);
        if parent == high {
            // Another invocation may be faster; then this is the parent that it gave.
            parent = parents.compare_exchange(high, high, low);
            hooked = parent == high;
        }
        other = low;
        one = low;
        if !hooked && parent != low {
            one = parents.load(parent);
            if one != parent {
                parents.store(high, one);
            }
        }
    }
    hooked
}

/// Makes every node's parent the root of its tree.
#[kernel(threads = 256, any_width)]
pub fn component_compress(
    lane: Lane,
    params: &ComponentParams,
    mut parents: Global<u32>,
    mut state: State<afforest::ComponentState>,
) {
    let mut budget = params.loop_budget;
    for node in lane.grid_stride(params.nodes) {
        compress(&mut parents, node, &mut budget);
    }
    if budget == 0 {
        state.or(afforest::ComponentState::FLAGS, GAVE_UP);
    }
}
