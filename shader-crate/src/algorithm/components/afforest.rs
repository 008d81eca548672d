//! Afforest (Sutton, Ben-Nun and Barak 2018, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling"). Two edges of every
//! node are enough to join most of the largest component. A sample of the nodes tells which it is; from then on its nodes are skipped, because
//! an edge that leaves it is also an edge of a node outside. What is left is shared out evenly: the edges of 256 nodes among a workgroup, and
//! those of a hub among all workgroups.

use super::{AT_A_TIME, ComponentParams};
use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, NO_ROOT, compress, link, root};
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::SUBGROUPS;
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
/// side, as in grids and road networks, are shortened in workgroup memory before others climb them.
#[kernel(threads = 256)]
pub fn component_begin(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut cells: Shared<u32, 256>,
) {
    for block in lane.by_group(params.nodes.div_ceil(lane.threads)) {
        let base = block * lane.threads;
        let node = base + lane.local;
        let mut parent = node;
        if node < params.nodes {
            let (begin, end) = (graph.row_offsets.get(node), graph.row_offsets.get(node + 1));
            if begin < end {
                let first = graph.columns.get(begin);
                // The same once more where there is no second.
                let second = graph.columns.get((begin + 1).min(end - 1));
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
        if node < params.nodes {
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

/// Joins every node with its two smallest neighbours.
#[kernel(threads = 256, any_width)]
pub fn component_link(
    lane: Lane,
    params: &ComponentParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
) {
    let mut budget = params.loop_budget;
    for node in lane.grid_stride(params.nodes) {
        let (begin, end) = (graph.row_offsets.get(node), graph.row_offsets.get(node + 1));
        for edge in begin..end.min(begin + 2) {
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
        if found != giant && graph.row_offsets.get(node) < graph.row_offsets.get(node + 1) {
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
/// long row becomes pieces for all workgroups.
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
    let count = if all { params.nodes } else { state.get(ComponentState::FRONTIER) };
    for block in lane.by_group(count.div_ceil(lane.threads)) {
        let place = block * lane.threads + lane.local;
        let (mut begin, mut degree) = (0, 0);
        if place < count {
            let node = if all { place } else { list.get(place) };
            begin = graph.row_offsets.get(node);
            degree = graph.row_offsets.get(node + 1) - begin;
            cells.set(2 * lane.threads + lane.local, node);
            if degree > PIECE {
                let number = degree.div_ceil(PIECE);
                let first = state.add(ComponentState::PIECES, number);
                for piece in 0..number {
                    pieces.set(first + piece, Remainder { node, edge: begin + piece * PIECE });
                }
                degree = 0;
            }
        }
        let total = line_up(lane, begin, degree, &mut cells, &mut slots);
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
    if state.is_last(lane) {
        // The list is done with, and so is the loop.
        state.store(ComponentState::FRONTIER, 0);
        let pieces = state.load(ComponentState::PIECES);
        state.set_groups(ComponentState::PIECE_GROUPS, pieces.min(params.max_groups));
        let changed = state.load(ComponentState::HOOKED) + pieces.min(1);
        let groups = params.nodes.min(AT_A_TIME).div_ceil(lane.threads).min(params.max_groups);
        state.set_groups(ComponentState::COMPRESS_GROUPS, if changed > 0 { groups } else { 0 });
    }
}

/// Joins nodes with the neighbours in pieces of their rows, a workgroup for each piece.
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
        let end = graph.row_offsets.get(node + 1);
        let end = if end - edge > PIECE { edge + PIECE } else { end };
        for edge in step(edge + lane.local, end, lane.threads) {
            link(&mut parents, node, graph.columns.get(edge), &mut budget);
        }
    }
    if budget == 0 {
        state.or(ComponentState::FLAGS, GAVE_UP);
    }
}
