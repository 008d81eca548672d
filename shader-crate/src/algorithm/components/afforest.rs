//! Afforest (Sutton, Ben-Nun and Barak 2018, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling"). Two edges of every
//! node are enough to join most of the largest component. A sample of the nodes tells which it is; from then on its nodes are skipped, because
//! an edge that leaves it is also an edge of a node outside. What is left is shared out evenly: the edges of 256 nodes among a workgroup, and
//! those of a hub among all workgroups.

use super::{AT_A_TIME, ComponentParams};
use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, NO_ROOT, compress, link, root};
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::SUBGROUPS;
use crate::strategy::{degree, edges_in};
use evenkeel_types::Remainder;

/// The edges of a row that a workgroup takes at a time if the row is longer than this.
pub const PIECE: u32 = 4096;

/// How many nodes are asked for their component to find the largest.
const SAMPLES: u32 = 512;

/// What the device counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct ComponentState {
    /// What every loop has. The frontier is the list of nodes outside the largest component.
    pub header: LoopHeader,
    /// The root of the largest component of the sample.
    pub giant: u32,
    /// Pieces of long rows.
    pub pieces: u32,
    /// 1 if a root was hooked after all trees were compressed.
    pub hooked: u32,
    /// The workgroups that take pieces.
    pub piece_groups: [u32; 3],
    /// The workgroups that compress the trees once more: none if they are as they were.
    pub compress_groups: [u32; 3],
}

/// Gives every node its first parent: of its two smallest neighbours the larger that is smaller than itself. Chains of nodes that lie side by
/// side, as in grids and road networks, are shortened in workgroup memory before others climb them. Of a row that is cut, only the first part is
/// dispatched.
#[kernel(threads = 256)]
pub fn component_begin(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut cells: Shared<u32, 256>,
) {
    // Blocks are the same whatever the partition, as `component_ends` counts on it.
    let (first_block, end_block) = (params.rows.first / lane.threads, params.rows.end().div_ceil(lane.threads));
    for block in lane.by_group(end_block - first_block) {
        let base = (first_block + block) * lane.threads;
        let node = base + lane.local;
        let mut parent = node;
        if params.rows.has(node) {
            let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
            if count > 0 {
                let first = graph.columns.get(begin);
                // The same once more where there is no second.
                let second = graph.columns.get(begin + (count - 1).min(1));
                if second < node {
                    parent = second;
                } else if first < node {
                    parent = first;
                }
            }
        }
        cells.set(lane.local, parent);
        lane.barrier();
        // Each round doubles the distance to the parent; a workgroup has 256 nodes.
        for _ in 0..8 {
            let next = if parent >= base { cells.get(parent - base) } else { parent };
            lane.barrier();
            cells.set(lane.local, next);
            parent = next;
            lane.barrier();
        }
        if params.rows.has(node) {
            parents.set(node, parent);
        }
    }
}

/// Compresses the paths of the first and the last node of every block. Those of all other nodes lead through these, so they are short
/// afterwards, however many blocks there are.
#[kernel(threads = 256, any_width)]
pub fn component_ends(
    lane: Lane,
    params: &ComponentParams,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
) {
    let (mut known, mut budget) = (NO_ROOT, params.loop_budget);
    for end in lane.grid_stride(2 * params.nodes.div_ceil(lane.threads)) {
        let node = end / 2 * lane.threads + end % 2 * (lane.threads - 1);
        if node < params.nodes {
            compress(&mut parents, node, &mut known, &mut budget);
        }
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}

/// Joins every node with its two smallest neighbours, or those of each part where its row is cut.
#[kernel(threads = 256, any_width)]
pub fn component_link(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
) {
    let mut budget = params.loop_budget;
    for place in lane.grid_stride(params.rows.count) {
        let node = params.rows.first + place;
        let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
        for edge in begin..begin + count.min(2) {
            link(&mut parents, node, graph.columns.get(edge), &mut budget);
        }
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}

/// The node that a sample asks: spread by a mixing of its number, the same in every run.
#[inline(always)]
fn sampled(number: u32, nodes: u32) -> u32 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9);
    (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b) % nodes
}

/// Finds the component that most of the sampled nodes are in. One workgroup runs it. Which it is does not change the answer.
#[kernel(threads = 256)]
pub fn component_sample(
    lane: Lane,
    params: &ComponentParams,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
    mut roots: Shared<u32, 512>,
    mut best: Shared<u32, 1>,
) {
    let mut budget = params.loop_budget;
    if lane.local == 0 {
        best.set(0, 0);
    }
    for sample in lane.group_stride(SAMPLES) {
        roots.set(sample, root(&mut parents, sampled(sample, params.nodes), &mut budget));
    }
    lane.barrier();
    for sample in lane.group_stride(SAMPLES) {
        let own = roots.get(sample);
        let mut alike = 0;
        for other in 0..SAMPLES {
            alike += u32::from(roots.get(other) == own);
        }
        best.max(0, alike * SAMPLES + sample);
    }
    lane.barrier();
    if lane.local == 0 {
        state.set(ComponentState::GIANT, roots.get(best.get(0) % SAMPLES));
        state.set_groups(ComponentState::GROUPS, 0);
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}

/// Compresses the trees, and lists the nodes outside the largest component that have edges.
#[kernel(threads = 256, any_width)]
pub fn component_classify(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut list: Global<u32>,
    mut state: State<ComponentState>,
) {
    let giant = state.get(ComponentState::GIANT);
    let (mut known, mut budget) = (giant, params.loop_budget);
    for node in lane.grid_stride(params.nodes) {
        let found = compress(&mut parents, node, &mut known, &mut budget);
        if found != giant && degree(graph.row_offsets, node) > 0 {
            let place = state.append_one(lane, ComponentState::NEXT);
            list.set(place, node);
        }
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
    state.advance(lane, WORKGROUP, params.max_groups);
}

/// Joins the listed nodes, or all nodes where none may be skipped, with all their neighbours. The workgroup shares the edges of its nodes; a
/// long row becomes pieces for all workgroups, which the first of its parts lists where it is cut.
#[kernel(threads = 256)]
pub fn component_finish(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    list: Read<u32>,
    mut pieces: Global<Remainder>,
    mut state: State<ComponentState>,
    mut cells: Shared<u32, 768>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let mut budget = params.loop_budget;
    let mut hooked = false;
    let all = params.symmetric == 0;
    let rows = params.rows;
    let count = if all { rows.count } else { state.get(ComponentState::FRONTIER) };
    for block in lane.by_group(count.div_ceil(lane.threads)) {
        let place = block * lane.threads + lane.local;
        let (mut begin, mut own) = (0, 0);
        if place < count {
            let node = if all { rows.first + place } else { list.get(place) };
            cells.set(2 * lane.threads + lane.local, node);
            if rows.has(node) {
                let (row, edges) = (graph.row_offsets.get(node), degree(graph.row_offsets, node));
                if edges <= PIECE {
                    (begin, own) = rows.place(row, edges);
                } else if rows.is_cut == 0 || row == rows.edges_before {
                    let number = edges.div_ceil(PIECE);
                    let first = state.add(ComponentState::PIECES, number);
                    for piece in 0..number {
                        pieces.set(first + piece, Remainder { node, edge: row.wrapping_add(piece * PIECE) });
                    }
                }
            }
        }
        let total = line_up(lane, begin, own, &mut cells, &mut slots);
        for place in lane.group_stride(total) {
            let (owner, edge) = shared_out(lane, &cells, place);
            let node = cells.get(2 * lane.threads + owner);
            hooked |= link(&mut parents, node, graph.columns.get(edge), &mut budget);
        }
        lane.barrier();
    }
    if hooked {
        state.store(ComponentState::HOOKED, 1);
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
    if state.is_last(lane) && rows.is_last == 1 {
        // The list is done with, and so is the loop.
        state.store(ComponentState::FRONTIER, 0);
        let pieces = state.load(ComponentState::PIECES);
        state.set_groups(ComponentState::PIECE_GROUPS, pieces.min(params.max_groups));
        let changed = state.load(ComponentState::HOOKED) + pieces.min(1);
        let groups = params.nodes.min(AT_A_TIME).div_ceil(lane.threads).min(params.max_groups);
        state.set_groups(ComponentState::COMPRESS_GROUPS, if changed > 0 { groups } else { 0 });
    }
}

/// Joins nodes with the neighbours in pieces of their rows, a workgroup for each piece of the partition.
#[kernel(threads = 256)]
pub fn component_pieces(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    pieces: Read<Remainder>,
    mut state: State<ComponentState>,
) {
    let mut budget = params.loop_budget;
    for place in lane.by_group(state.get(ComponentState::PIECES)) {
        let Remainder { node, edge } = pieces.get(place);
        if params.rows.has(node) {
            let left = graph.row_offsets.get(node + 1).wrapping_sub(edge);
            let (begin, count) = params.rows.place(edge, left.min(PIECE));
            for edge in step(begin + lane.local, begin + count, lane.threads) {
                link(&mut parents, node, graph.columns.get(edge), &mut budget);
            }
        }
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}
