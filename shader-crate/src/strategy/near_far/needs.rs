//! Which partitions the next iteration needs, where the graph is streamed.

use super::{NearFarData, NearFarState};
use crate::frontier::needs::{Needed, NeedsParams, mark};
use crate::prelude::*;

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct NearFarNeedsParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of pieces of long rows.
    pub pieces: u32,
    /// The streamed partitions.
    pub needs: NeedsParams,
}

/// Marks the partitions of the nodes that are near. A split of the far ones needs none.
#[kernel(threads = 256, any_width)]
pub fn near_far_needs(
    lane: Lane,
    params: &NearFarNeedsParams,
    data: NearFarData,
    state: State<NearFarState>,
    mut needed: Needed,
) {
    if state.get(NearFarState::SPLITS) == 0 {
        let (half, pieces) = (state.get(NearFarState::HALF), state.get(NearFarState::PIECES));
        for entry in lane.grid_stride(state.get(NearFarState::FRONTIER)) {
            let node = if entry < pieces {
                data.pieces.get(2 * (half * params.pieces + entry))
            } else {
                data.lists.get(half * params.nodes + entry - pieces)
            };
            mark(&mut needed, params.needs, node, node);
        }
    }
}
