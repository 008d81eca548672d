//! The beginning of a traversal from one source. The host has set all values but the source's, which is 0.

use super::TraversalParams;
use crate::prelude::*;

/// Puts `node` on the worklist, alone, and begins the loop.
#[inline(always)]
pub(super) fn begin_at<L: LoopState>(
    node: u32,
    values: &mut Global<u32>,
    worklist: &mut Global<u32>,
    state: &mut State<L>,
) {
    values.set(node, 0);
    worklist.set(0, node);
    state.begin(1, 1);
}

/// Puts the source on the worklist, alone.
#[kernel(threads = 1)]
pub fn start(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut state: State<LoopHeader>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        begin_at(node, &mut values, &mut worklist, &mut state);
    }
}

/// Puts all that belongs to the source on the worklist: the numbers from `firsts[source]` up to `firsts[source + 1]`.
#[kernel(threads = 256, any_width)]
pub fn start_range(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    firsts: Read<u32>,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut state: State<LoopHeader>,
) {
    let node = source.get(0);
    if node < params.nodes {
        let first = firsts.get(node);
        let count = firsts.get(node + 1) - first;
        for place in lane.grid_stride(count) {
            worklist.set(place, first + place);
        }
        if lane.global() == 0 {
            values.set(node, 0);
            state.begin(count, count.div_ceil(WORKGROUP).min(params.max_groups));
        }
    }
}
