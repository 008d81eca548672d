//! Before a search: what is known of a graph once and for all, and the beginning at a source.

use super::{LONG, MARK, PUSH, SearchData, SearchParams, SearchState, size_next};
use crate::frontier::HEAVY;
use crate::prelude::*;
use crate::strategy::{degree, edges_in};

/// If more than one in so many nodes is a neighbour of the source, its neighbours will hardly push in turn: the others pull.
const MANY_NEIGHBOURS: u32 = 256;

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

/// Finds for each node with a row of this partition its neighbour of the highest degree. Nodes without edges, and those with many, for which a
/// subgroup searches, have themselves.
#[kernel(threads = 256)]
pub fn search_hubs(lane: Lane, params: &SearchParams, incoming: Csr, mut hubs: Global<u32>) {
    let rows = params.incoming_rows;
    for block in lane.by_group(rows.count.div_ceil(lane.subgroups)) {
        let node = rows.first + block * lane.subgroups + lane.subgroup;
        let (mut begin, mut count) = (0, 0);
        if node < rows.end() {
            (begin, count) = edges_in(&rows, incoming.row_offsets, node);
        }
        if count > LONG {
            count = 0;
        }
        let (mut most, mut hub) = (0, 0);
        for edge in step(lane.subgroup_lane, count, lane.subgroup_size) {
            let neighbour = incoming.columns.get(begin + edge);
            // One more than its edges, so that a neighbour to which none leads counts, too.
            let rank = degree(incoming.row_offsets, neighbour) + 1;
            if rank > most {
                (most, hub) = (rank, neighbour);
            }
        }
        let highest = lane.reduce_max(most);
        let hub = lane.reduce_min(if most == highest { hub } else { u32::MAX });
        if lane.subgroup_lane == 0 && node < rows.end() {
            hubs.set(node, if count > 0 { hub } else { node });
        }
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
        let bits = if word == start / 32 { bits | (1 << (start % 32)) } else { bits };
        data.visited.set(word, bits);
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
        let is_wide = heavy == 1 && degree > params.nodes / MANY_NEIGHBOURS;
        let mode = if params.pull_factor > 0 && params.short == 0 && is_wide { MARK } else { PUSH };
        state.set(SearchState::MODE, mode);
        size_next(params, &mut state, mode, 1, heavy, edges);
    }
}
