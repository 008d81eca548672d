//! Before a search: what is known of a graph once and for all, and the beginning at a source.

use super::{PUSH, SearchData, SearchParams, SearchState, size_next};
use crate::frontier::HEAVY;
use crate::prelude::*;
use crate::strategy::degree;

/// Makes the bitmap of what is never found and need not be looked at: where every edge has its reverse the nodes without edges, and the bits behind
/// the last node.
#[kernel(threads = 256, any_width)]
pub fn search_isolated(lane: Lane, params: &SearchParams, graph: Csr, mut isolated: Global<u32>) {
    for word in lane.grid_stride(params.words()) {
        let mut bits = 0;
        for bit in 0..32 {
            let node = word * 32 + bit;
            let mut never = node >= params.nodes;
            if !never && params.symmetric == 1 {
                never = graph.row_offsets.get(node) == graph.row_offsets.get(node + 1);
            }
            bits |= u32::from(never) << bit;
        }
        isolated.set(word, bits);
    }
}

/// Begins a search: only the isolated nodes and the source are visited, and the source is on the list, alone.
#[kernel(threads = 256, any_width)]
pub fn search_start(
    lane: Lane,
    params: &SearchParams,
    graph: Csr,
    source: Read<u32>,
    isolated: Read<u32>,
    mut data: SearchData,
    mut state: State<SearchState>,
) {
    let start = source.get(0);
    for node in lane.grid_stride(params.nodes) {
        data.depths.set(node, if node == start { 0 } else { UNREACHED });
    }
    for word in lane.grid_stride(params.words()) {
        let bits = isolated.get(word);
        data.visited.set(word, if word == start / 32 { bits | (1 << (start % 32)) } else { bits });
        data.visited.set(params.words() + word, bits);
    }
    if lane.global() == 0 && start < params.nodes {
        state.begin(1, 0);
        state.set_groups(SearchState::PERSISTENT_GROUPS, 0);
        state.set_groups(SearchState::COOPERATING_GROUPS, 0);
        let degree = degree(graph.row_offsets, start);
        let heavy = u32::from(degree > HEAVY);
        data.lists.set(if heavy == 1 { params.nodes - 1 } else { 0 }, start);
        state.set(SearchState::HEAVY, heavy);
        let edges = degree >> params.edge_shift;
        state.set(SearchState::EDGES, edges);
        state.set(SearchState::VISITED_EDGES, edges);
        size_next(params, &mut state, PUSH, 1, heavy, edges);
    }
}
