//! Before a level: the beginning of a search, and the beginning of any level again, for whoever times it.

use super::{State, choose};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    strategy::{degree, start::begin},
};
use evenkeel_types::{Decision, LevelParams, LevelWay, RestoreParams, UNREACHED};

/// The beginning of a search: the source is discovered, and the tree says how to search the first level.
#[kernel(threads = 1)]
pub fn level_start(
    lane: Lane,
    params: &LevelParams,
    source: Read<u32>,
    row_offsets: Read<u32>,
    tree: Read<Decision>,
    mut lists: Global<u32>,
    mut depths: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        let edges = degree(row_offsets, node);
        let heavy = u32::from(edges > LevelWay::HEAVY);
        let way = choose(tree, params.first_way, 1, 1, edges);
        depths.set(node, 0);
        // Without lists there is room for one entry.
        if lists.len() >= params.nodes {
            lists.set(heavy * (params.nodes - 1), node);
        }
        begin(&mut control, 1, params.max_groups);
        State { level: 0, frontier: 1, heavy, edges, discovered: 1, way }.write(&mut control, params);
    }
}

/// The beginning of a level again, from the depths that a whole search found and its nodes in the `order` they were discovered
/// in, the light ones of a level before the heavy ones: `moment` is the level, where it begins in that order, how many nodes it
/// has, how many of them heavy, and how many edges.
#[kernel(threads = 256)]
pub fn level_restore(
    lane: Lane,
    params: &RestoreParams,
    moment: Read<u32>,
    found: Read<u32>,
    order: Read<u32>,
    mut lists: Global<u32>,
    mut depths: Global<u32>,
    mut control: Global<u32>,
) {
    let (level, first, frontier, heavy) = (moment.get(0), moment.get(1), moment.get(2), moment.get(3));
    let nodes = params.level.nodes;
    for node in lane.grid_stride(nodes) {
        let depth = found.get(node);
        depths.set(node, if depth <= level { depth } else { UNREACHED });
    }
    let (list, light) = ((level % 2) * nodes, frontier - heavy);
    for place in lane.grid_stride(frontier) {
        let entry = if place < light { place } else { nodes - 1 - (place - light) };
        lists.set(list + entry, order.get(first + place));
    }
    if lane.global() == 0 {
        begin(&mut control, frontier, params.level.max_groups);
        State { level, frontier, heavy, edges: moment.get(4), discovered: first + frontier, way: params.way }
            .write(&mut control, &params.level);
    }
}
