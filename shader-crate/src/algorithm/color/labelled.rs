//! One colour per iteration (Jones and Plassmann 1993, in the form of Che et al.): it goes to every node whose label is larger than
//! those of all uncoloured neighbours. An iteration has two kernels, so that no invocation reads a colour that is written at the same
//! time: the first finds the largest label around each node, the second assigns the colour.
//!
//! Labels are random or, in the first phase of the hybrid, degrees. Where two neighbours have the same degree, neither is the larger:
//! this is the paper's detection of duplicates.

use super::{UNCOLORED, label};
use crate::prelude::*;
use crate::schedule::{Distribute, Largest, Scratch};
use crate::strategy::{degree, edges_in};
use crate::tiles::Rows;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LabelParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The largest number of workgroups of a dispatch.
    pub max_groups: u32,
    /// The seed of the random labels.
    pub seed: u32,
    /// The number of iterations at the beginning that compare degrees; the others compare random labels.
    pub switch_at: u32,
    /// Random labels are also compared from the first iteration on after one that coloured fewer nodes than this.
    pub switch_below: u32,
    /// The number of queues, one per workgroup; 0 without queues.
    pub queues: u32,
    /// The number of nodes in an element of a queue.
    pub chunk: u32,
    /// Not 0 where a workgroup steals from other queues when its own is empty.
    pub steal: u32,
    /// The rows of the partition; of the first where a kernel takes all nodes.
    pub rows: RowRange,
}

/// What the host pushes for the gather.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LabelGatherParams {
    /// The nodes that are tiles.
    pub tiles: TileRange,
    /// The seed of the random labels.
    pub seed: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// The state of the loop. Its frontier is the number of nodes without a colour.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct LabelState {
    /// What every loop has.
    pub header: LoopHeader,
    /// The workgroups of the next dispatch that steals work.
    pub steal_groups: [u32; 3],
    /// The colour of this iteration.
    pub color: u32,
    /// Not 0 while degrees are compared instead of random labels.
    pub by_degree: u32,
    /// The number of nodes coloured in this iteration.
    pub colored: u32,
}

/// Initialises the loop. The host has made all nodes uncoloured.
#[kernel(threads = 1)]
pub fn color_start(lane: Lane, params: &LabelParams, mut state: State<LabelState>) {
    if lane.global() == 0 {
        state.begin(params.nodes, params.nodes.div_ceil(WORKGROUP).min(params.max_groups));
        state.set_groups(LabelState::STEAL_GROUPS, if params.nodes > 0 { params.queues } else { 0 });
        state.set(LabelState::BY_DEGREE, u32::from(params.switch_at > 0));
    }
}

/// The labels of this iteration.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// The graph, for degrees and neighbours: the offsets of all rows, and the columns of a partition.
    pub graph: Csr<Views<'a>>,
    /// The seed of the random labels.
    pub seed: u32,
    /// Not 0 when labels are degrees.
    pub by_degree: u32,
}

#[inline_all]
impl Labels<'_> {
    /// A node's label. One that is made of a degree is larger than 0.
    fn of(&self, node: u32) -> u32 {
        if self.by_degree != 0 { degree(self.graph.row_offsets, node) + 1 } else { label(self.seed, node) }
    }

    /// A node's label in the comparison with its neighbours: 0, the smallest, when it already has a colour.
    fn compared(&self, colors: Read<u32>, node: u32) -> u32 {
        if colors.get(node) == UNCOLORED { self.of(node) } else { 0 }
    }

    /// Whether a node gets the colour, where `largest` is the largest label of its neighbours. No two random labels are equal, so
    /// `largest` equals the node's only where both are 0 and no uncoloured neighbour is left.
    fn wins(&self, node: u32, largest: u32) -> bool {
        let own = self.of(node);
        own > largest || (self.by_degree == 0 && own == largest)
    }

    /// Stores the largest label of the neighbours of a node of the partition, if the node has no colour yet.
    pub fn find_largest(&self, rows: &RowRange, colors: Read<u32>, node: u32, largest: &mut Global<u32>) {
        if colors.get(node) == UNCOLORED {
            let (begin, count) = edges_in(rows, self.graph.row_offsets, node);
            let mut found = 0;
            // Of a row that is cut, the parts before have theirs.
            if rows.is_cut == 1 && self.graph.row_offsets.get(node) != rows.edges_before {
                found = largest.get(node);
            }
            for edge in begin..begin + count {
                found = found.max(self.compared(colors, self.graph.columns.get(edge)));
            }
            largest.set(node, found);
        }
    }
}

/// The first kernel, with one invocation per node.
#[kernel(threads = 256, any_width)]
pub fn color_find(
    lane: Lane,
    params: &LabelParams,
    graph: Csr,
    colors: Read<u32>,
    state: State<LabelState>,
    mut largest: Global<u32>,
) {
    let labels = Labels { graph, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
    for place in lane.grid_stride(params.rows.count) {
        labels.find_largest(&params.rows, colors, params.rows.first + place, &mut largest);
    }
}

/// The first kernel as a gather under a schedule. It includes coloured nodes, because a schedule cannot skip tiles. The tiles of a partition
/// have offsets of their own; `row_offsets` are those of all rows, for degrees.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn color_gather<S: Distribute>(
    lane: Lane,
    params: &LabelGatherParams,
    graph: Csr,
    row_offsets: Read<u32>,
    colors: Read<u32>,
    state: State<LabelState>,
    mut largest: Global<u32>,
    scratch: Scratch<u32>,
) {
    // The size of a gather is fixed, so the iterations that are recorded after the last one are dispatched, too.
    if state.get(LabelState::FRONTIER) > 0 {
        let by_degree = state.get(LabelState::BY_DEGREE);
        let labels = Labels { graph: Csr { row_offsets, columns: graph.columns }, seed: params.seed, by_degree };
        let (nodes, tiles) = (Rows { offsets: graph.row_offsets, count: params.tiles.count }, params.tiles);
        S::gather(
            lane,
            &nodes,
            scratch,
            Largest,
            move |edge| labels.compared(colors, labels.graph.columns.get(edge)),
            move |tile, label| {
                let node = tiles.row(tile);
                let before = if tiles.continues == 1 { largest.get(node) } else { 0 };
                largest.set(node, label.max(before));
            },
        );
    }
}

/// The second kernel assigns the colour and decides which labels the next iteration compares.
#[kernel(threads = 256, any_width)]
pub fn color_assign(
    lane: Lane,
    params: &LabelParams,
    graph: Csr,
    largest: Read<u32>,
    mut colors: Global<u32>,
    mut state: State<LabelState>,
) {
    let color = state.load(LabelState::COLOR);
    let labels = Labels { graph, seed: params.seed, by_degree: state.load(LabelState::BY_DEGREE) };
    for node in lane.grid_stride(params.nodes) {
        if colors.get(node) == UNCOLORED && labels.wins(node, largest.get(node)) {
            colors.set(node, color);
            state.append_one(lane, LabelState::COLORED);
        }
    }
    if state.is_last(lane) {
        let colored = state.load(LabelState::COLORED);
        let iteration = state.load(LabelState::ITERATION) + 1;
        let left = state.load(LabelState::FRONTIER) - colored;
        // An iteration that compares degrees may colour no node; its colour is then still unused.
        state.store(LabelState::COLOR, color + colored.min(1));
        state.store(LabelState::COLORED, 0);
        if iteration >= params.switch_at || colored < params.switch_below {
            state.store(LabelState::BY_DEGREE, 0);
        }
        state.store(LabelState::ITERATION, iteration);
        state.store(LabelState::FRONTIER, left);
        if left == 0 {
            state.store(LabelState::GROUPS.at(0), 0);
            state.store(LabelState::STEAL_GROUPS.at(0), 0);
        }
    }
}
