//! Joining what another worker knows: pairs of nodes that are connected.

use super::afforest::ComponentState;
use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, link};

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct JoinParams {
    /// The number of pairs.
    pub pairs: u32,
    /// The loop iterations that an invocation may take.
    pub loop_budget: u32,
}

/// Joins the two nodes of each pair.
#[kernel(threads = 256, any_width)]
pub fn component_join(
    lane: Lane,
    params: &JoinParams,
    pairs: Read<u32>,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
) {
    let mut budget = params.loop_budget;
    for pair in lane.grid_stride(params.pairs) {
        link(&mut parents, pairs.get(2 * pair), pairs.get(2 * pair + 1), &mut budget);
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}
