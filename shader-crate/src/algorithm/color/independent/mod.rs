//! The colouring of the sequential greedy algorithm, nodes of high degree first (Welsh and Powell 1967), in parallel (Jones and Plassmann
//! 1993) with shortcuts (Alabandi, Powers and Burtscher, *Increasing the Parallelism of Graph Coloring via Shortcutting*, 2020). A node has
//! a set of possible colours: one more than it has neighbours of higher rank. Colours of such neighbours leave the set. A node takes its
//! lowest possible colour as soon as no uncoloured neighbour of higher rank may take it, and no longer waits for a neighbour whose possible
//! colours are all different from its own. Neither changes the result, so it does not depend on who reads what when.
//!
//! What a node shows to its neighbours is one word of `colors`: its colour, or with [`TENTATIVE`] set what is still possible. An invocation
//! has a light node to itself ([`light`]), whose set and degree are in the word, so that its neighbours need not load its degree to know its
//! rank. A subgroup shares a wide one ([`wide`]). It shows its set if no colour in it exceeds 29, else an interval. Light nodes have a lower
//! rank than all wide ones and are coloured after them.
//!
//! Words of light nodes are not cleared between runs. With its colour a light node leaves its degree and whether the run had an odd number, so that in the
//! next run its neighbours know that it has no colour yet: see `current`.
//!
//! In the first iteration nodes are taken in the order of ranks, so that those a node waits for have a colour or are under way. Subgroups
//! take wide nodes from the worklist; of light nodes each invocation has its share. They look at a node again and again, because its
//! neighbours are coloured at the same time, give up after a number of passes in which nothing has changed, and leave the node to the next
//! iteration.
//!
//! In a graph of several partitions, every iteration is dispatched once for each, with its own lists of neighbours, and colours the nodes
//! whose rows are in it. A row that is cut is longer than any that is not, so its node has one of the highest ranks, and waits only for nodes of
//! such rows. There are few of them, and the host gives them their colours.

#[macro_use]
pub mod lists;

pub mod light;
pub mod wide;

use super::{Rank, TENTATIVE, UNCOLORED, label};
use crate::prelude::*;
use crate::strategy::edges_in;

/// How nodes of the same degree are ranked: the one with the larger label has the higher rank.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Labels {
    /// The seed of the random labels.
    pub seed: u32,
    /// 1 if light nodes with odd numbers have larger labels than those with even ones, else 0.
    pub odd_first: u32,
}

#[inline_all]
impl Labels {
    /// The label of a node of this degree.
    pub fn of(&self, node: u32, degree: u32) -> u32 {
        if degree <= LIGHT { self.of_light(node) } else { label(self.seed, node) }
    }
}

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct IndependentParams {
    /// How nodes of the same degree are ranked.
    pub labels: Labels,
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of light nodes. They are the first in the order of all nodes; wide ones follow. Both are by rank.
    pub light: u32,
    /// The number of heavy nodes, the first of the wide ones: a workgroup shares one when its neighbours are ranked.
    pub heavy: u32,
    /// The largest number of workgroups of an iteration.
    pub max_groups: u32,
    /// After how many passes without a change a subgroup gives up. While it has other light nodes to take it gives up sooner.
    pub patience: u32,
    /// The number of loop iterations that an invocation may take.
    pub loop_budget: u32,
    /// The rows of the partition.
    pub rows: RowRange,
    /// The colour of a node without neighbours of higher rank: 0, or what the host has found for the node of a row that is cut.
    pub first_color: u32,
    /// 1 for the dispatches over light nodes that begin a run on a graph without wide ones, else 0. Of the state they need only the number of the
    /// run, and counters that are 0.
    pub begins: u32,
}

#[inline_all]
impl IndependentParams {
    /// The workgroups of `threads` invocations for `light` nodes, one to an invocation at first.
    pub fn light_groups(&self, light: u32, threads: u32) -> u32 {
        light.div_ceil(threads).min(self.max_groups)
    }

    /// The workgroups of `subgroups` subgroups for `wide` nodes, one to a subgroup at first.
    pub fn wide_groups(&self, wide: u32, subgroups: u32) -> u32 {
        wide.div_ceil(subgroups).min(self.max_groups)
    }

    /// The bit above a light node's colour of this run, or both where the colour comes from the host.
    fn in_runs(&self, odd_run: u32) -> u32 {
        if self.rows.is_cut == 0 { (COLOR + 1) << odd_run } else { ALL_RUNS }
    }
}

/// The state of the loop. Its frontier is the number of nodes on the worklist, light and wide.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct IndependentState {
    /// What every loop has; the workgroups are those for light nodes.
    pub header: LoopHeader,
    /// The workgroups of the next dispatch for wide nodes. Where dispatches have a fixed size it only matters whether there are any.
    pub wide_groups: [u32; 3],
    /// The number of light nodes on the worklist.
    pub light: u32,
    /// The number of wide nodes on the worklist.
    pub wide: u32,
    /// The number of dispatches for light nodes so far.
    pub light_rounds: u32,
    /// The number of dispatches for wide nodes so far.
    pub wide_rounds: u32,
    /// 1 if the run has an odd number, else 0.
    pub odd_run: u32,
    /// Keeps the counters that all subgroups add to apart from what they read: 128 bytes.
    pub apart: [u32; 16],
    /// How many wide nodes of the worklist have been taken; in an iteration over light nodes, how many workgroups have begun.
    pub taken: u32,
    /// Keeps the two counters apart.
    pub apart_from_taken: [u32; 31],
    /// The number of nodes on the next worklist so far.
    pub left: u32,
}

/// The number of colours in the set that a light node shows. Above them its degree has five bits.
const COLORS: u32 = 26;
/// All of them.
const ALL_COLORS: u32 = (1 << COLORS) - 1;
/// The largest number of edges of a light node.
pub const LIGHT: u32 = COLORS;
const _: () = assert!(LIGHT < 1 << (31 - COLORS));

/// The bits of a word that are the node's colour, if it has one. More colours would take 2⁴⁸ edges.
pub const COLOR: u32 = (1 << 24) - 1;
/// Two bits above the colour. A light node sets the one for runs with even or the one for runs with odd numbers; other nodes set both.
const ALL_RUNS: u32 = ALL_COLORS & !COLOR;

/// The word of a light node of `degree` edges with a colour.
#[inline(always)]
fn colored(degree: u32, in_runs: u32, color: u32) -> u32 {
    (degree << COLORS) | in_runs | color
}

/// What a word says in this run. A light node with a colour of the last run has none yet, and all are possible.
#[inline(always)]
fn current(in_runs: u32, word: u32) -> u32 {
    if word & (TENTATIVE | in_runs) == 0 { word | TENTATIVE | ALL_COLORS } else { word }
}

/// The word of a node before the first run. Those of wide nodes are set when a run begins.
pub fn before_first_run(degree: u32) -> u32 {
    if degree <= LIGHT { shown(degree, ALL_COLORS) } else { UNCOLORED }
}

/// The set of colours in the word of a wide node is shown, not an interval.
const SET: u32 = 1 << 30;
/// The largest number of neighbours of higher rank with which the set is shown.
const SET_MOST: u32 = 29;
/// An end of an interval has 15 bits. This one means that there is no end, or a larger lower end.
const FAR: u32 = (1 << 15) - 1;

/// The lowest `count` bits of 31.
#[inline(always)]
fn lowest_bits(count: u32) -> u32 {
    if count < 31 { (1 << count) - 1 } else { TENTATIVE - 1 }
}

/// The word of a light node of `degree` edges without a colour, and with these possible ones.
#[inline(always)]
fn shown(degree: u32, possible: u32) -> u32 {
    TENTATIVE | (degree << COLORS) | possible
}

/// The word of a wide node that has `most` neighbours of higher rank and the lowest possible colour `lowest`.
#[inline(always)]
fn interval(most: u32, lowest: u32) -> u32 {
    TENTATIVE | (most.min(FAR) << 15) | lowest.min(FAR)
}

/// A node's first edge in the columns of the partition, and the one behind its last. A row that is cut, or of another partition, is empty.
#[inline(always)]
fn whole_row(params: &IndependentParams, graph: Csr<Views>, node: u32) -> (u32, u32) {
    let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
    (begin, if params.rows.is_cut == 0 { begin + count } else { begin })
}

/// Begins a run on a graph with wide nodes: finds the neighbours of higher rank of each, a list in `before` at the offset of its row, whose length
/// is in `waits`.
/// Nodes without any get the first colour, as does that of a row that is cut.
#[kernel(threads = 256)]
pub fn color_wait(
    lane: Lane,
    params: &IndependentParams,
    graph: Csr,
    order: Read<u32>,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    mut before: Global<u32>,
    mut state: State<IndependentState>,
    mut length: Shared<u32, 1>,
) {
    let wide = params.nodes - params.light;
    if lane.global() == 0 {
        let odd_run = state.get(IndependentState::ODD_RUN);
        state.begin(params.nodes, 0);
        state.set_groups(IndependentState::WIDE_GROUPS, params.wide_groups(wide, lane.subgroups));
        state.set(IndependentState::LIGHT, params.light);
        state.set(IndependentState::WIDE, wide);
        state.set(IndependentState::ODD_RUN, odd_run);
    }
    let wide_rounds = params.heavy + (wide - params.heavy).div_ceil(lane.subgroups);
    for round in lane.by_group(wide_rounds) {
        // The same for the whole workgroup.
        let is_heavy = round < params.heavy;
        let mut place = params.light + round;
        let (mut member, mut width) = (lane.local, lane.threads);
        if !is_heavy {
            place = params.light + params.heavy + (round - params.heavy) * lane.subgroups + lane.subgroup;
            member = lane.subgroup_lane;
            width = lane.subgroup_size;
        }
        let (mut node, mut begin, mut end) = (0, 0, 0);
        if place < params.nodes {
            node = order.get(place);
            (begin, end) = whole_row(params, graph, node);
        }
        let is_here = place < params.nodes && params.rows.has(node);
        let rank = Rank::of(graph, params.labels.seed, node);
        if is_heavy {
            if lane.local == 0 {
                length.set(0, 0);
            }
            lane.barrier();
        }
        let mut found = 0;
        let mut at = begin;
        while at < end {
            // Past the end the last edge is repeated, and not counted.
            let last = end - 1;
            let edge = at + member;
            let a = graph.columns.get(edge.min(last));
            let b = graph.columns.get((edge + width).min(last));
            let c = graph.columns.get((edge + 2 * width).min(last));
            let d = graph.columns.get((edge + 3 * width).min(last));
            let after_a = rank.is_after(graph, params.labels.seed, a) & (edge < end);
            let after_b = rank.is_after(graph, params.labels.seed, b) & (edge + width < end);
            let after_c = rank.is_after(graph, params.labels.seed, c) & (edge + 2 * width < end);
            let after_d = rank.is_after(graph, params.labels.seed, d) & (edge + 3 * width < end);
            let own = u32::from(after_a) + u32::from(after_b) + u32::from(after_c) + u32::from(after_d);
            let up_to = lane.inclusive_add(own);
            let total = lane.of(lane.subgroup_size - 1, up_to);
            let mut first = found;
            if is_heavy {
                if lane.subgroup_lane == 0 {
                    first = length.add(0, total);
                }
                first = lane.of(0, first);
            }
            let mut next = begin + first + up_to - own;
            if after_a {
                before.set(next, a);
                next += 1;
            }
            if after_b {
                before.set(next, b);
                next += 1;
            }
            if after_c {
                before.set(next, c);
                next += 1;
            }
            if after_d {
                before.set(next, d);
            }
            found += total;
            at = if end - at > 4 * width { at + 4 * width } else { end };
        }
        if is_heavy {
            lane.barrier();
            found = length.get(0);
            lane.barrier();
        }
        if is_here && member == 0 {
            let set = TENTATIVE | SET | lowest_bits(found + 1);
            let word = if found <= SET_MOST { set } else { interval(found, 0) };
            waits.set(node, found);
            colors.set(node, if found == 0 { ALL_RUNS | params.first_color } else { word });
        }
    }
}

/// What a subgroup tells all of its invocations after a pass: a node has no colour yet; something has changed; a neighbour may be on no
/// worklist but the next.
const ACTIVE: u32 = 1;
const CHANGED: u32 = 2;
const OTHERS_LEFT: u32 = 4;

/// So many passes without a change are taken even if others have given up.
const SHORT: u32 = 4;

/// [`OTHERS_LEFT`] if a subgroup has given up on a node and this one has waited for a while: it may be waiting for that node.
#[inline(always)]
fn others_left(state: &State<IndependentState>, idle: u32) -> u32 {
    if idle >= SHORT && state.load(IndependentState::LEFT) > 0 { OTHERS_LEFT } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_of_the_last_run_is_none() {
        let [even, odd] = [0, 1].map(|odd_run| IndependentParams::zeroed().in_runs(odd_run));
        for (degree, color) in [(0, 0), (3, 2), (LIGHT, LIGHT)] {
            let uncolored = before_first_run(degree);
            for (this, last) in [(even, odd), (odd, even)] {
                assert_eq!(current(this, uncolored), uncolored);
                assert_eq!(current(this, colored(degree, last, color)), uncolored);
                assert_eq!(current(this, colored(degree, this, color)) & (TENTATIVE | COLOR), color);
            }
        }
    }

    #[test]
    fn a_colour_of_a_wide_node_is_one_in_every_run() {
        let in_runs = |is_cut: u32, odd_run: u32| {
            let rows = RowRange { is_cut, ..RowRange::default() };
            IndependentParams { rows, ..IndependentParams::zeroed() }.in_runs(odd_run)
        };
        assert_eq!(in_runs(1, 0), ALL_RUNS);
        assert_eq!(in_runs(0, 0) | in_runs(0, 1), ALL_RUNS);
        for (odd_run, color) in [(0, 0), (1, 27), (1, COLOR)] {
            assert_eq!(current(in_runs(0, odd_run), ALL_RUNS | color), ALL_RUNS | color);
        }
    }
}
