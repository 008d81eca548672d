//! The beginning of a traversal from one source.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
};
use evenkeel_types::{Control, TraversalParams};

/// Puts the source, whose value is 0, on the worklist, alone. The host has set all other values.
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
        for word in 0..3 {
            control.set(Control::GROUPS + word, 1);
            control.set(Control::EXPAND_GROUPS + word, 1);
        }
        control.set(Control::FRONTIER, 1);
        control.set(Control::NEXT, 0);
        control.set(Control::ITERATION, 0);
        control.set(Control::TICKET, 0);
        control.set(Control::EDGES, 0);
        control.set(Control::OVERFLOW, 0);
    }
}
