//! Before a search: what is known of a graph once and for all, and the beginning at a source.

use super::{push::HEAVY, size_next};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    strategy::start::clear,
};
use evenkeel_types::{Control, SearchParams, UNREACHED};

/// The bitmap of the nodes without edges, which are never found and need not be looked at where every edge has its reverse.
#[kernel(threads = 256)]
pub fn search_skips(lane: Lane, params: &SearchParams, row_offsets: Read<u32>, mut skips: Global<u32>) {
    for word in lane.grid_stride(params.words()) {
        let mut bits = 0;
        for bit in 0..32 {
            let node = word * 32 + bit;
            let skip = node >= params.nodes || row_offsets.get(node) == row_offsets.get(node + 1);
            bits |= u32::from(skip && params.can_pull == 1) << bit;
        }
        skips.set(word, bits);
    }
}

/// Nothing is seen but what is skipped and the source, which is on the list, alone.
#[kernel(threads = 256)]
pub fn search_start(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    source: Read<u32>,
    skips: Read<u32>,
    mut depths: Global<u32>,
    mut seen: Global<u32>,
    mut lists: Global<u32>,
    mut control: Global<u32>,
) {
    let start = source.get(0);
    for node in lane.grid_stride(params.nodes) {
        depths.set(node, if node == start { 0 } else { UNREACHED });
    }
    for word in lane.grid_stride(params.words()) {
        let bits = skips.get(word);
        seen.set(word, if word == start / 32 { bits | (1 << (start % 32)) } else { bits });
        seen.set(params.words() + word, bits);
    }
    if lane.global() == 0 && start < params.nodes {
        clear(&mut control);
        let degree = row_offsets.get(start + 1) - row_offsets.get(start);
        let heavy = u32::from(degree > HEAVY);
        lists.set(if heavy == 1 { params.nodes - 1 } else { 0 }, start);
        control.set(Control::FRONTIER, 1);
        control.set(Control::LEFT, heavy);
        control.set(Control::EDGES, degree);
        control.set(Control::SEEN_EDGES, degree);
        size_next(params, &mut control, SearchParams::PUSH, 1, heavy, degree);
    }
}
