//! Minimum spanning forests by Borůvka's algorithm on a list of edges (Fallin, Gonzalez, Seo and Burtscher 2023, "A High-Performance MST
//! Implementation for GPUs"). In each iteration every tree finds the lightest edge that leaves it, and all trees are joined along these.
//! Edges are in a total order, by weight and then by their place in the graph, so the forest is always the same one. Atomics have 32 bits:
//! one step finds the lightest weight of each tree, another the first edge among those of this weight.
//!
//! The lightest edges are taken first (filtering): when none of them is left, most heavier ones have both ends in one tree, and never
//! get into the list.

use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, NO_ROOT, compress, link};
use crate::primitive::search::first;
use crate::primitive::workgroup::{SUBGROUPS, Slots, prefix_sum};
use crate::schedule::PART;

/// Entries that an invocation takes at a time; a workgroup takes a part ([`PART`]).
const ITEMS: u32 = PART / WORKGROUP;

/// In place of a weight or an edge where there is none.
pub const NONE: u32 = u32::MAX;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct MstParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of its edges, as often as they are stored.
    pub edges: u32,
    /// Not 0 if every edge has its reverse: then the one to the larger node stands for both.
    pub symmetric: u32,
    /// Not 0 if weights are real numbers, whose bits these are.
    pub real: u32,
    /// The largest key of a light edge.
    pub threshold: u32,
    /// The largest number of workgroups of a dispatch.
    pub max_groups: u32,
    /// The loop iterations that an invocation may take.
    pub loop_budget: u32,
    /// The nodes whose edges are bound to this dispatch.
    pub tiles: TileRange,
    /// The number of these edges.
    pub edges_here: u32,
    /// The edges of the graph before them.
    pub edges_before: u32,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct MstState {
    /// What every loop has. The workgroups are those that look for lightest edges, the frontier is 0 or 1, and `next` counts the list that is
    /// being written.
    pub header: LoopHeader,
    /// The workgroups that fill the list.
    pub fill_groups: [u32; 3],
    /// The workgroups that take the edges which are left.
    pub left_groups: [u32; 3],
    /// Entries of the current list.
    pub length: u32,
    /// How often the list has been filled: with light edges, then with heavy ones.
    pub fills: u32,
    /// The workgroups that forget lightest edges.
    pub forget_groups: [u32; 3],
}

/// A list of edges: the ends, which become the roots of their trees, the places in the graph, and the weights, which are far apart there.
#[derive(Bundle)]
pub struct EdgesRead<S: Storage> {
    /// One end of each edge.
    pub ones: S::Read<u32>,
    /// The other end of each edge.
    pub others: S::Read<u32>,
    /// The place of each edge in the graph.
    pub places: S::Read<u32>,
    /// The [`key`] of each edge's weight.
    pub keys: S::Read<u32>,
}

/// A list of edges that is written.
#[derive(Bundle)]
pub struct EdgesWritten<S: Storage> {
    /// One end of each edge.
    pub ones: S::Write<u32>,
    /// The other end of each edge.
    pub others: S::Write<u32>,
    /// The place of each edge in the graph.
    pub places: S::Write<u32>,
    /// The [`key`] of each edge's weight.
    pub keys: S::Write<u32>,
}

#[inline_all]
impl EdgesWritten<Views<'_>> {
    fn put(&mut self, place: u32, (one, other): (u32, u32), edge: u32, key: u32) {
        self.ones.set(place, one);
        self.others.set(place, other);
        self.places.set(place, edge);
        self.keys.set(place, key);
    }
}

/// A number that is in the order of the weights.
#[inline(always)]
pub fn key(weight: u32, real: u32) -> u32 {
    if real == 0 {
        weight
    } else if weight >> 31 > 0 {
        !weight
    } else {
        weight | (1 << 31)
    }
}

/// Reserves `count` places for each invocation behind `next`, by one atomic for the workgroup. All call it together; `slots` and `base` are free
/// again after a barrier.
#[inline(always)]
fn reserve(lane: Lane, state: &mut State<MstState>, count: u32, slots: &mut Slots, base: &mut Shared<u32, 1>) -> u32 {
    let prefix = prefix_sum(lane, count, slots);
    if lane.local == 0 {
        let first = if prefix.total > 0 { state.add(MstState::NEXT, prefix.total) } else { 0 };
        base.set(0, first);
    }
    lane.barrier();
    base.get(0) + prefix.before
}

#[inline(always)]
fn groups(length: u32, params: &MstParams) -> u32 {
    length.div_ceil(PART).min(params.max_groups)
}

/// Makes every node a tree, and has the list filled with light edges.
#[kernel(threads = 256, any_width)]
pub fn mst_start(
    lane: Lane,
    params: &MstParams,
    mut parents: Global<u32>,
    mut lightest: Global<u32>,
    mut firsts: Global<u32>,
    mut state: State<MstState>,
) {
    for node in lane.grid_stride(params.nodes) {
        parents.set(node, node);
        lightest.set(node, NONE);
        firsts.set(node, NONE);
    }
    if lane.global() == 0 {
        state.begin(params.edges.min(1), 0);
        state.set_groups(MstState::FILL_GROUPS, groups(params.edges, params));
        state.set_groups(MstState::LEFT_GROUPS, 0);
        state.set_groups(MstState::FORGET_GROUPS, 0);
    }
}

/// Fills the list, first with light edges and then with heavy ones, as far as their ends are in different trees, in a dispatch for each
/// partition of the graph. `rows` has the row in which each part of the edges begins.
#[kernel(threads = 256)]
pub fn mst_fill(
    lane: Lane,
    params: &MstParams,
    graph: Csr,
    weights: Read<u32>,
    rows: Read<u32>,
    parents: Read<u32>,
    mut list: EdgesWritten,
    mut state: State<MstState>,
    mut slots: Shared<u32, SUBGROUPS>,
    mut base: Shared<u32, 1>,
) {
    let heavy = state.get(MstState::FILLS) > 0;
    let tiles = params.tiles;
    for part in lane.by_group(params.edges_here.div_ceil(PART)) {
        let (from, to) = (rows.get(part), rows.get(part + 1).min(tiles.count - 1));
        let mut kept = 0u32;
        for item in 0..ITEMS {
            let edge = part * PART + item * WORKGROUP + lane.local;
            if edge < params.edges_here && (key(weights.get(edge), params.real) > params.threshold) == heavy {
                let source = tiles.row(first(from, to, |row| graph.row_offsets.get(row + 1) > edge));
                let target = graph.columns.get(edge);
                let counts = if params.symmetric > 0 { source < target } else { source != target };
                let apart = counts && (!heavy || parents.get(source) != parents.get(target));
                kept |= u32::from(apart) << item;
            }
        }
        let mut place = reserve(lane, &mut state, kept.count_ones(), &mut slots, &mut base);
        for item in 0..ITEMS {
            if (kept >> item) & 1 > 0 {
                let edge = part * PART + item * WORKGROUP + lane.local;
                let source = tiles.row(first(from, to, |row| graph.row_offsets.get(row + 1) > edge));
                let (ends, weight) = ((source, graph.columns.get(edge)), key(weights.get(edge), params.real));
                list.put(place, ends, params.edges_before + edge, weight);
                place += 1;
            }
        }
        lane.barrier();
    }
    if state.is_last(lane) && tiles.is_last == 1 {
        let length = state.load(MstState::NEXT);
        let fills = state.load(MstState::FILLS) + 1;
        state.store(MstState::NEXT, 0);
        state.store(MstState::LENGTH, length);
        state.store(MstState::FILLS, fills);
        state.store(MstState::GROUPS.at(0), groups(length, params));
        fill_again(&mut state, params, length == 0);
    }
}

/// Has the list filled once more if it is empty and was filled once, or ends the loop if it was filled twice.
#[inline(always)]
fn fill_again(state: &mut State<MstState>, params: &MstParams, empty: bool) {
    let again = empty && state.load(MstState::FILLS) == 1 && params.threshold < NONE;
    state.store(MstState::FILL_GROUPS.at(0), if again { groups(params.edges, params) } else { 0 });
    state.store(MstState::FRONTIER, u32::from(again || !empty));
}

/// Drops the edges whose ends are in one tree, and finds the lightest weight of the others for both trees. The parents of these ends are the
/// roots of their trees: `mst_forget` has seen to it.
#[kernel(threads = 256, counts)]
pub fn mst_lightest(
    lane: Lane,
    params: &MstParams,
    list: EdgesRead,
    parents: Read<u32>,
    mut lightest: Global<u32>,
    mut left: EdgesWritten,
    mut state: State<MstState>,
    mut slots: Shared<u32, SUBGROUPS>,
    mut base: Shared<u32, 1>,
) {
    let length = state.get(MstState::LENGTH);
    for part in lane.by_group(length.div_ceil(PART)) {
        let mut kept = 0u32;
        for item in 0..ITEMS {
            let place = part * PART + item * WORKGROUP + lane.local;
            if place < length {
                lane.count_atoms(1);
                let (one, other) = (parents.get(list.ones.get(place)), parents.get(list.others.get(place)));
                if one != other {
                    kept |= 1 << item;
                    let weight = list.keys.get(place);
                    // Most edges are not the lightest so far, and to look costs less than an atomic.
                    if weight < lightest.load(one) {
                        lightest.min(one, weight);
                    }
                    if weight < lightest.load(other) {
                        lightest.min(other, weight);
                    }
                }
            }
        }
        let mut target = reserve(lane, &mut state, kept.count_ones(), &mut slots, &mut base);
        for item in 0..ITEMS {
            if (kept >> item) & 1 > 0 {
                let place = part * PART + item * WORKGROUP + lane.local;
                let (one, other) = (parents.get(list.ones.get(place)), parents.get(list.others.get(place)));
                left.put(target, (one, other), list.places.get(place), list.keys.get(place));
                target += 1;
            }
        }
        lane.barrier();
    }
    if state.is_last(lane) {
        let length = state.load(MstState::NEXT);
        state.store(MstState::NEXT, 0);
        state.store(MstState::LENGTH, length);
        state.store(MstState::GROUPS.at(0), groups(length, params));
        state.store(MstState::LEFT_GROUPS.at(0), groups(length, params));
        state.store(MstState::ITERATION, state.load(MstState::ITERATION) + 1);
        fill_again(&mut state, params, length == 0);
        let all = params.nodes.div_ceil(WORKGROUP).min(params.max_groups);
        let goes_on = state.load(MstState::FRONTIER) > 0;
        state.store(MstState::FORGET_GROUPS.at(0), if goes_on { all } else { 0 });
    }
}

/// Finds for every tree the first edge of its lightest weight.
#[kernel(threads = 256, any_width)]
pub fn mst_first(
    lane: Lane,
    _params: &MstParams,
    left: EdgesRead,
    lightest: Read<u32>,
    mut firsts: Global<u32>,
    state: State<MstState>,
) {
    for place in lane.grid_stride(state.get(MstState::LENGTH)) {
        let (one, other, edge) = (left.ones.get(place), left.others.get(place), left.places.get(place));
        let weight = left.keys.get(place);
        if weight == lightest.get(one) && edge < firsts.load(one) {
            firsts.min(one, edge);
        }
        if weight == lightest.get(other) && edge < firsts.load(other) {
            firsts.min(other, edge);
        }
    }
}

/// Joins trees along their first lightest edges, which become edges of the forest: a bit for each edge of the graph says whether it is one.
/// Two trees may have chosen the same.
#[kernel(threads = 256, any_width)]
pub fn mst_join(
    lane: Lane,
    params: &MstParams,
    left: EdgesRead,
    firsts: Read<u32>,
    mut parents: Global<u32>,
    mut forest: Global<u32>,
    mut state: State<MstState>,
) {
    let mut budget = params.loop_budget;
    for place in lane.grid_stride(state.get(MstState::LENGTH)) {
        let (one, other, edge) = (left.ones.get(place), left.others.get(place), left.places.get(place));
        if firsts.get(one) == edge || firsts.get(other) == edge {
            link(&mut parents, one, other, &mut budget);
            forest.or(edge / 32, 1 << (edge % 32));
        }
    }
    if budget == 0 {
        state.or(MstState::FLAGS, GAVE_UP);
    }
}

/// Forgets the lightest edges of all trees that chose one, and makes the parent of what was their root the root of their new tree. Ends of
/// edges on the list are such nodes, but for those that it is filled with: before that, every node gets its root as its parent.
#[kernel(threads = 256, any_width)]
pub fn mst_forget(
    lane: Lane,
    params: &MstParams,
    mut parents: Global<u32>,
    mut lightest: Global<u32>,
    mut firsts: Global<u32>,
    mut state: State<MstState>,
) {
    let is_filled_next = state.get(MstState::LENGTH) == 0;
    let (mut known, mut budget) = (NO_ROOT, params.loop_budget);
    for node in lane.grid_stride(params.nodes) {
        let has_chosen = firsts.get(node) != NONE;
        if has_chosen || is_filled_next {
            compress(&mut parents, node, &mut known, &mut budget);
        }
        if has_chosen {
            lightest.set(node, NONE);
            firsts.set(node, NONE);
        }
    }
    if budget == 0 {
        state.or(MstState::FLAGS, GAVE_UP);
    }
}
