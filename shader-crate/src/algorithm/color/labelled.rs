//! One colour an iteration (Jones and Plassmann 1993, as Che et al. have it): it goes to every node whose label is larger than
//! those of all neighbours that have no colour yet. Two kernels an iteration, so that nobody reads a colour that is being
//! written: the first finds the largest label around each node, the second gives out the colour.
//!
//! Labels are random, or, in the first phase of the hybrid, degrees. Two neighbours can have the same degree, and then neither
//! is the larger: that is the paper's detection of duplicates.

use super::{degree, label};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    schedule::{Distribute, Largest, Scratch},
    strategy::start::begin,
    tiles::Rows,
};
use evenkeel_types::{Control, LabelGatherParams, LabelParams, LabelState, UNCOLORED};

/// What a queue holds at the beginning of an iteration, as `stealing.rs` packs it: its part of all elements.
#[inline(always)]
fn full_queue(params: &LabelParams, queue: u32) -> u32 {
    let elements = params.nodes.div_ceil(params.chunk);
    let (each, more) = (elements / params.queues, elements % params.queues);
    let head = queue * each + queue.min(more);
    let tail = head + each + u32::from(queue < more);
    (head << 16) | tail
}

/// Begins with no node coloured, which the host has seen to.
#[kernel(threads = 256)]
pub fn color_start(
    lane: Lane,
    params: &LabelParams,
    mut queues: Global<u32>,
    mut control: Global<u32>,
    mut state: Global<u32>,
) {
    for queue in lane.grid_stride(params.queues) {
        queues.set(queue, full_queue(params, queue));
    }
    if lane.global() == 0 {
        begin(&mut control, params.nodes, params.max_groups);
        control.set(Control::EXPAND_GROUPS, if params.nodes > 0 { params.queues } else { 0 });
        state.set(LabelState::COLOR, 0);
        state.set(LabelState::BY_DEGREE, u32::from(params.switch_at > 0));
        state.set(LabelState::COLORED, 0);
    }
}

/// The labels of this iteration.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// Where each node's edges begin.
    pub row_offsets: Read<'a, u32>,
    /// Which random labels.
    pub seed: u32,
    /// Not 0 when labels are degrees.
    pub by_degree: u32,
}

impl Labels<'_> {
    /// A node's label; larger than 0 when it is a degree.
    #[inline(always)]
    fn of(&self, node: u32) -> u32 {
        if self.by_degree != 0 { degree(self.row_offsets, node) + 1 } else { label(self.seed, node) }
    }

    /// The same as its neighbours see it: 0 when it has a colour, which no label around is smaller than.
    #[inline(always)]
    fn seen(&self, colors: Read<u32>, node: u32) -> u32 {
        if colors.get(node) == UNCOLORED { self.of(node) } else { 0 }
    }

    /// Whether a node is coloured whose neighbours have no larger label than `largest`. No two random labels are the same, so
    /// `largest` can equal the node's only where both are 0 and no neighbour is left.
    #[inline(always)]
    fn wins(&self, node: u32, largest: u32) -> bool {
        let own = self.of(node);
        own > largest || (self.by_degree == 0 && own == largest)
    }

    /// The largest label around a node.
    #[inline(always)]
    pub fn largest_around(&self, columns: Read<u32>, colors: Read<u32>, node: u32) -> u32 {
        let mut largest = 0;
        for edge in self.row_offsets.get(node)..self.row_offsets.get(node + 1) {
            largest = largest.max(self.seen(colors, columns.get(edge)));
        }
        largest
    }
}

/// The first kernel: an invocation to each node.
#[kernel(threads = 256)]
pub fn color_find(
    lane: Lane,
    params: &LabelParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    colors: Read<u32>,
    state: Read<u32>,
    mut largest: Global<u32>,
) {
    let labels = Labels { row_offsets, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
    for node in lane.grid_stride(params.nodes) {
        if colors.get(node) == UNCOLORED {
            largest.set(node, labels.largest_around(columns, colors, node));
        }
    }
}

/// The first kernel as a gather under a schedule. It takes coloured nodes along, since a schedule knows of none.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn color_gather<S: Distribute>(
    lane: Lane,
    params: &LabelGatherParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    colors: Read<u32>,
    control: Read<u32>,
    state: Read<u32>,
    mut largest: Global<u32>,
    scratch: Scratch<u32>,
) {
    // A gather has a fixed size, so a recorded iteration after the last has workgroups, too.
    if control.get(Control::FRONTIER) > 0 {
        let labels = Labels { row_offsets, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
        let nodes = Rows { offsets: row_offsets, count: params.nodes };
        S::gather(
            lane,
            &nodes,
            scratch,
            Largest,
            move |edge| labels.seen(colors, columns.get(edge)),
            move |node, label| largest.set(node, label),
        );
    }
}

/// The second kernel: gives out the colour, fills the queues again, and says which labels the next iteration compares.
#[kernel(threads = 256)]
pub fn color_assign(
    lane: Lane,
    params: &LabelParams,
    row_offsets: Read<u32>,
    largest: Read<u32>,
    mut colors: Global<u32>,
    mut queues: Global<u32>,
    mut control: Global<u32>,
    mut state: Global<u32>,
) {
    let color = state.load(LabelState::COLOR);
    let labels = Labels { row_offsets, seed: params.seed, by_degree: state.load(LabelState::BY_DEGREE) };
    for node in lane.grid_stride(params.nodes) {
        if colors.get(node) == UNCOLORED && labels.wins(node, largest.get(node)) {
            colors.set(node, color);
            lane.append_one(&mut state, LabelState::COLORED);
        }
    }
    for queue in lane.grid_stride(params.queues) {
        queues.set(queue, full_queue(params, queue));
    }
    if lane.last(&mut control, Control::TICKET) {
        let colored = state.load(LabelState::COLORED);
        let iteration = control.load(Control::ITERATION) + 1;
        let left = control.load(Control::FRONTIER) - colored;
        // Degrees may colour nobody, and then the colour is still to be had.
        state.store(LabelState::COLOR, color + colored.min(1));
        state.store(LabelState::COLORED, 0);
        if iteration >= params.switch_at || colored < params.switch_below {
            state.store(LabelState::BY_DEGREE, 0);
        }
        control.store(Control::ITERATION, iteration);
        control.store(Control::FRONTIER, left);
        if left == 0 {
            control.store(Control::GROUPS, 0);
            control.store(Control::EXPAND_GROUPS, 0);
        }
    }
}
