//! The beginning of a traversal from one source. The host has set all values but the source's, which is 0.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
};
use evenkeel_types::{Control, TraversalParams, WORKGROUP};

/// Sets the control block to nothing, with dispatches that have a size in the first dimension only.
#[inline(always)]
pub fn clear(control: &mut Global<u32>) {
    for word in 0..Control::WORDS {
        control.set(word, 0);
    }
    for word in 1..3 {
        control.set(Control::GROUPS + word, 1);
        control.set(Control::EXPAND_GROUPS + word, 1);
        control.set(Control::ABREAST_GROUPS + word, 1);
    }
}

/// Sets the control block for a worklist of `frontier` entries, an invocation each.
#[inline(always)]
pub fn begin(control: &mut Global<u32>, frontier: u32, max_groups: u32) {
    clear(control);
    control.set(Control::GROUPS, frontier.div_ceil(WORKGROUP).min(max_groups));
    control.set(Control::FRONTIER, frontier);
}

/// Puts the source on the worklist, alone.
#[kernel(threads = 1)]
pub fn start(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        values.set(node, 0);
        worklist.set(0, node);
        begin(&mut control, 1, params.max_groups);
    }
}

/// Puts all that belongs to the source on the worklist: the numbers from `firsts[source]` up to `firsts[source + 1]`.
#[kernel(threads = 256)]
pub fn start_range(
    lane: Lane,
    params: &TraversalParams,
    source: Read<u32>,
    firsts: Read<u32>,
    mut values: Global<u32>,
    mut worklist: Global<u32>,
    mut control: Global<u32>,
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
            begin(&mut control, count, params.max_groups);
        }
    }
}
