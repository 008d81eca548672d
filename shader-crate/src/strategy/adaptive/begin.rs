//! Before a level: the beginning of a search, and the beginning of any level again, for whoever times it.

use super::{Decision, LevelInfo, LevelParams, LevelState, RestoreParams, choose};
use crate::frontier;
use crate::prelude::*;
use crate::strategy::degree;

/// The beginning of a search: the source is discovered, and the tree says how to search the first level.
#[kernel(threads = 1)]
pub fn level_start(
    lane: Lane,
    params: &LevelParams,
    source: Read<u32>,
    graph: Csr,
    tree: Read<Decision>,
    mut lists: Global<u32>,
    mut depths: Global<u32>,
    mut state: State<LevelState>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        let edges = degree(graph.row_offsets, node);
        let heavy = u32::from(edges > frontier::HEAVY);
        let variant = choose(tree, params.first_variant, 1, 1, edges);
        depths.set(node, 0);
        // Without lists there is room for one entry.
        if lists.len() >= params.nodes {
            lists.set(heavy * (params.nodes - 1), node);
        }
        state.begin(1, 1);
        LevelInfo { depth: 0, frontier: 1, heavy, edges, discovered: 1, variant }.write(&mut state, params);
    }
}

/// The beginning of a level again, from the depths that a whole search found and its nodes in the `order` they were discovered
/// in, the light ones of a level before the heavy ones: `start` is the level, where it begins in that order, how many nodes it
/// has, how many of them heavy, and how many edges.
#[kernel(threads = 256, any_width)]
pub fn level_restore(
    lane: Lane,
    params: &RestoreParams,
    start: Read<u32>,
    found: Read<u32>,
    order: Read<u32>,
    mut lists: Global<u32>,
    mut depths: Global<u32>,
    mut state: State<LevelState>,
) {
    let (depth, first, frontier, heavy) = (start.get(0), start.get(1), start.get(2), start.get(3));
    let nodes = params.level.nodes;
    for node in lane.grid_stride(nodes) {
        let known = found.get(node);
        depths.set(node, if known <= depth { known } else { UNREACHED });
    }
    let (list, light) = ((depth % 2) * nodes, frontier - heavy);
    for place in lane.grid_stride(frontier) {
        let entry = if place < light { place } else { nodes - 1 - (place - light) };
        lists.set(list + entry, order.get(first + place));
    }
    if lane.global() == 0 {
        state.begin(frontier, 1);
        let (edges, discovered) = (start.get(4), first + frontier);
        LevelInfo { depth, frontier, heavy, edges, discovered, variant: params.variant }
            .write(&mut state, &params.level);
    }
}
