//! The colouring of the sequential greedy algorithm, nodes of high degree first (Welsh and Powell 1967), in parallel (Jones and Plassmann
//! 1993) with shortcuts (Alabandi, Powers and Burtscher, *Increasing the Parallelism of Graph Coloring via Shortcutting*, 2020). A node has
//! a set of possible colours: one more than it has neighbours of higher rank. Colours of such neighbours leave the set. A node takes its
//! lowest possible colour as soon as no uncoloured neighbour of higher rank may take it, and no longer waits for a neighbour whose possible
//! colours are all different from its own. Neither changes the result, so it does not depend on who reads what when.
//!
//! What a node shows to its neighbours is one word of `colors`: its colour, or with [`TENTATIVE`] set what is still possible. An invocation
//! has a light node to itself, whose set is in the word. A subgroup shares a wide one. It shows its set if no colour in it exceeds 29, else
//! an interval. Light nodes have a lower rank than all wide ones and are coloured after them.
//!
//! Subgroups take wide nodes in the order of the worklist and look at them again and again, because their neighbours are coloured at the same
//! time. They give up after a number of passes in which nothing has changed, and leave the node to the next iteration. Of light nodes each
//! invocation has its share, and goes on to the next after a few passes.
//!
//! Of a graph in partitions every iteration is dispatched once for each, with lists of neighbours that are its own, and takes the nodes
//! whose rows it has. A row that is cut is longer than any that is not, so its node has one of the highest ranks, and waits only for nodes of
//! such rows. There are few of them, and the host gives them their colours.

use super::sections::LIGHT;
use super::{Rank, TENTATIVE, UNCOLORED, label};
use crate::prelude::*;
use crate::strategy::edges_in;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct IndependentParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of light nodes. They are the first in the order of all nodes, by degree; wide ones follow, by rank.
    pub light: u32,
    /// The number of heavy nodes, the first of the wide ones: a workgroup shares one when its neighbours are ranked.
    pub heavy: u32,
    /// The largest number of workgroups of an iteration.
    pub max_groups: u32,
    /// The seed of the random labels.
    pub seed: u32,
    /// After how many passes without a change a subgroup gives up.
    pub patience: u32,
    /// After how many passes a subgroup leaves its light nodes to the next iteration while there are others for it, or sooner if nothing
    /// changes.
    pub early_passes: u32,
    /// The number of loop iterations that an invocation may take.
    pub loop_budget: u32,
    /// The colour of a node without neighbours of higher rank: 0, or what the host has found for the node of a row that is cut.
    pub first_color: u32,
    /// The rows of the partition.
    pub rows: RowRange,
}

/// The state of the loop. Its frontier is the number of nodes on the worklist, light and wide.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct IndependentState {
    /// What every loop has; the workgroups are those for light nodes.
    pub header: LoopHeader,
    /// The workgroups of the next dispatch for wide nodes.
    pub wide_groups: [u32; 3],
    /// The number of light nodes on the worklist.
    pub light: u32,
    /// The number of wide nodes on the worklist.
    pub wide: u32,
    /// The number of dispatches for light nodes so far.
    pub light_rounds: u32,
    /// The number of dispatches for wide nodes so far.
    pub wide_rounds: u32,
    /// Keeps the counters that all subgroups add to apart from what they read: 128 bytes.
    pub apart: [u32; 17],
    /// How many wide nodes of the worklist have been taken; in an iteration over light nodes, how many workgroups have begun.
    pub taken: u32,
    /// Keeps the two counters apart.
    pub apart_from_taken: [u32; 31],
    /// The number of nodes on the next worklist so far.
    pub left: u32,
}

/// The set of colours in the word of a wide node is shown, not an interval.
const SET: u32 = 1 << 30;
/// The colours of such a set.
const SET_COLORS: u32 = SET - 1;
/// The largest number of neighbours of higher rank with which the set is shown.
const SET_MOST: u32 = 29;
/// An end of an interval has 15 bits. This one means that there is no end, or a larger lower end.
const FAR: u32 = (1 << 15) - 1;

/// The bit of a wide node's number of neighbours that says that the node was left before, with what it knew.
const SAVED: u32 = 1 << 31;
/// The end of an invocation's list of neighbours.
const NO_NODE: u32 = u32::MAX;

/// The words for what a wide node that is left knows: [`Taken`]. A wide node has 32 edges at least, so they begin at a third of its
/// row's offset.
const SAVED_WORDS_SHARE: u32 = 3;

/// The loop iterations of one pass over a light node at most, with what is beside it.
const LIGHT_ROUNDS: u32 = 12;
/// So many passes without a change are taken even if others have given up.
const SHORT: u32 = 8;

#[inline(always)]
fn light_groups(lane: Lane, params: &IndependentParams, light: u32) -> u32 {
    light.div_ceil(lane.threads).min(params.max_groups)
}

#[inline(always)]
fn wide_groups(lane: Lane, params: &IndependentParams, wide: u32) -> u32 {
    wide.div_ceil(lane.subgroups).min(params.max_groups)
}

/// The lowest `count` bits of 31.
#[inline(always)]
fn lowest_bits(count: u32) -> u32 {
    if count < 31 { (1 << count) - 1 } else { TENTATIVE - 1 }
}

/// The word of a wide node that has `most` neighbours of higher rank and the lowest possible colour `lowest`.
#[inline(always)]
fn interval(most: u32, lowest: u32) -> u32 {
    TENTATIVE | (most.min(FAR) << 15) | lowest.min(FAR)
}

/// The degree of a node, from four of them in a word; 255 for higher ones.
#[inline(always)]
fn packed_degree(degrees: Read<u32>, node: u32) -> u32 {
    (degrees.get(node / 4) >> (8 * (node % 4))) & 0xff
}

/// A node's first edge in the columns of the partition, and the one behind its last. A row that is cut, or of another partition, is empty.
#[inline(always)]
fn whole_row(params: &IndependentParams, graph: Csr<Views>, node: u32) -> (u32, u32) {
    let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
    (begin, if params.rows.is_cut == 0 { begin + count } else { begin })
}

/// Begins: finds the neighbours of higher rank of each wide node, a list in `before` at the offset of its row, whose length is in `waits`. Nodes
/// without any get the first colour, as does that of a row that is cut. Light nodes are [`UNCOLORED`].
#[kernel(threads = 256)]
pub fn color_wait(
    lane: Lane,
    params: &IndependentParams,
    graph: Csr,
    order: Read<u32>,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    mut before: Global<u32>,
    degrees: Read<u32>,
    mut state: State<IndependentState>,
    mut length: Shared<u32, 1>,
) {
    let wide = params.nodes - params.light;
    for node in lane.grid_stride(params.nodes) {
        if wide == 0 || packed_degree(degrees, node) <= LIGHT {
            colors.set(node, UNCOLORED);
        }
    }
    if lane.global() == 0 {
        state.begin(params.nodes, if wide == 0 { light_groups(lane, params, params.light) } else { 0 });
        state.set_groups(IndependentState::WIDE_GROUPS, wide_groups(lane, params, wide));
        state.set(IndependentState::LIGHT, params.light);
        state.set(IndependentState::WIDE, wide);
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
        let rank = Rank::of(graph, params.seed, node);
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
            let after_a = rank.is_after(graph, params.seed, a) & (edge < end);
            let after_b = rank.is_after(graph, params.seed, b) & (edge + width < end);
            let after_c = rank.is_after(graph, params.seed, c) & (edge + 2 * width < end);
            let after_d = rank.is_after(graph, params.seed, d) & (edge + 3 * width < end);
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
            colors.set(node, if found == 0 { params.first_color } else { word });
        }
    }
}

/// Takes the next wide node of the worklist for the subgroup, which calls it together: its place.
#[inline(always)]
fn take(lane: Lane, state: &mut State<IndependentState>) -> u32 {
    let mut place = 0;
    if lane.subgroup_lane == 0 {
        place = state.add(IndependentState::TAKEN, 1);
    }
    lane.of(0, place)
}

/// How often a subgroup may take nodes when there are `tasks` to take. Where loops are limited each has its share; else those that are faster
/// take more.
#[inline(always)]
fn most_turns(lane: Lane, params: &IndependentParams, tasks: u32) -> u32 {
    if params.loop_budget < u32::MAX / 2 { tasks.div_ceil(lane.groups * lane.subgroups) } else { u32::MAX }
}

/// What a subgroup tells all of its invocations after a pass: a node has no colour yet; something has changed; a neighbour may be on no
/// worklist but the next; a neighbour has no colour; a neighbour may take the lowest possible colour; a colour was taken.
const ACTIVE: u32 = 1;
const CHANGED: u32 = 2;
const OTHERS_LEFT: u32 = 4;
const WAITING: u32 = 8;
const BLOCKED: u32 = 16;
const MARKED: u32 = 32;

/// [`OTHERS_LEFT`] if a subgroup has given up on a node and this one has waited for a while: it may be waiting for that node.
#[inline(always)]
fn others_left(state: &State<IndependentState>, idle: u32) -> u32 {
    if idle >= SHORT && state.load(IndependentState::LEFT) > 0 { OTHERS_LEFT } else { 0 }
}

/// The same if a workgroup has not begun: nobody else takes its nodes, and it may not begin before another has ended.
#[inline(always)]
fn others_wait(state: &State<IndependentState>, lane: Lane, idle: u32) -> u32 {
    if idle >= SHORT && state.load(IndependentState::TAKEN) < lane.groups { OTHERS_LEFT } else { 0 }
}

/// A light node under way.
struct Light {
    /// A bit for each edge to a neighbour that it waits for.
    pending: u32,
    /// Its possible colours. If it has 31 neighbours of higher rank colour 31 is left out: it is taken if no other is left.
    possible: u32,
    /// Colours that were taken by neighbours in this pass.
    taken: u32,
    /// Colours that neighbours without a colour may take.
    claimed: u32,
}

#[inline_all]
impl Light {
    /// A node whose edges begin at `begin`, before any colour around it is known.
    fn new(graph: Csr<Views>, degrees: Read<u32>, (seed, node): (u32, u32), (begin, end): (u32, u32)) -> Self {
        let rank = Rank { degree: end - begin, label: label(seed, node) };
        let is_before = |other: u32| u32::from(rank.is_after_degree(packed_degree(degrees, other), seed, other));
        let mut pending = 0;
        let mut edge = begin;
        while edge < end {
            let last = end - 1;
            let a = graph.columns.get(edge);
            let b = graph.columns.get((edge + 1).min(last));
            let c = graph.columns.get((edge + 2).min(last));
            let d = graph.columns.get((edge + 3).min(last));
            let bits = is_before(a) | (is_before(b) << 1) | (is_before(c) << 2) | (is_before(d) << 3);
            pending |= bits << (edge - begin);
            edge += 4;
        }
        // Behind the last edge the last neighbour was looked at again.
        pending &= lowest_bits(end - begin);
        Self { pending, possible: lowest_bits(pending.count_ones() + 1), taken: 0, claimed: 0 }
    }

    /// Considers the word of the neighbour at an edge.
    fn look(&mut self, bit: u32, word: u32) {
        if word & TENTATIVE == 0 {
            self.pending &= !bit;
            self.taken |= if word < 31 { 1 << word } else { 0 };
        } else if word & self.possible == 0 {
            self.pending &= !bit;
        } else {
            self.claimed |= word;
        }
    }

    /// Looks at all neighbours that it waits for. Returns its colour, or [`UNCOLORED`].
    fn pass(&mut self, graph: Csr<Views>, colors: &Global<u32>, begin: u32) -> u32 {
        let neighbour = |bit: u32| graph.columns.get(begin + bit.trailing_zeros());
        self.taken = 0;
        self.claimed = 0;
        let mut left = self.pending;
        while left != 0 {
            // Four loads in flight; at the end a neighbour is looked at twice.
            let a = left & left.wrapping_neg();
            left ^= a;
            let b = if left != 0 { left & left.wrapping_neg() } else { a };
            left &= !b;
            let c = if left != 0 { left & left.wrapping_neg() } else { a };
            left &= !c;
            let d = if left != 0 { left & left.wrapping_neg() } else { a };
            left &= !d;
            let (at_a, at_b, at_c, at_d) = (neighbour(a), neighbour(b), neighbour(c), neighbour(d));
            let of_a = colors.load(at_a);
            let of_b = colors.load(at_b);
            let of_c = colors.load(at_c);
            let of_d = colors.load(at_d);
            self.look(a, of_a);
            self.look(b, of_b);
            self.look(c, of_c);
            self.look(d, of_d);
        }
        self.possible &= !self.taken;
        let lowest = self.possible & self.possible.wrapping_neg();
        // A neighbour that was looked at twice may have got its colour in between, so that what it claimed before counts no more.
        if self.pending != 0 && lowest & self.claimed != 0 {
            UNCOLORED
        } else if lowest == 0 {
            31
        } else {
            lowest.trailing_zeros()
        }
    }
}

/// One iteration over light nodes. The first one finds the neighbours of higher rank of each: bits in `waits`, one for each edge, of the nodes
/// that are left.
#[kernel(threads = 256, any_width)]
pub fn color_light(
    lane: Lane,
    params: &IndependentParams,
    graph: Csr,
    order: Read<u32>,
    mut worklist: Worklist,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    degrees: Read<u32>,
    mut state: State<IndependentState>,
) {
    if state.is_over(IndependentState::GROUPS) {
        return;
    }
    let light = state.get(IndependentState::LIGHT);
    let is_first = state.get(IndependentState::LIGHT_ROUNDS) == 0;
    let invocations = lane.groups * lane.threads;
    let turns = light.div_ceil(invocations);
    if lane.local == 0 {
        state.add(IndependentState::TAKEN, 1);
    }
    // Finding the neighbours of higher rank is a pass, too.
    let mut passes = params.loop_budget / LIGHT_ROUNDS - turns.min(params.loop_budget / LIGHT_ROUNDS);
    for turn in 0..turns {
        let place = turn * invocations + lane.global();
        let (mut node, mut begin) = (0, 0);
        let mut own = Light { pending: 0, possible: 0, taken: 0, claimed: 0 };
        if place < light {
            node = if is_first { order.get(place) } else { worklist.current.get(place) };
        }
        if place < light && params.rows.has(node) {
            let row = whole_row(params, graph, node);
            begin = row.0;
            if is_first {
                own = Light::new(graph, degrees, (params.seed, node), row);
                let word = TENTATIVE | own.possible;
                colors.store(node, if own.pending == 0 { params.first_color } else { word });
            } else {
                own.pending = waits.get(node);
                own.possible = colors.load(node) & !TENTATIVE;
            }
        }
        let before = passes;
        let (mut most, mut patience) = (u32::MAX, params.patience);
        if turn + 1 < turns {
            (most, patience) = (params.early_passes, 1);
        }
        let mut idle = 0;
        let mut flags = lane.reduce_or(if own.pending != 0 { ACTIVE } else { 0 });
        while flags & ACTIVE != 0 && flags & OTHERS_LEFT == 0 && idle < patience && passes > 0 && before - passes < most
        {
            passes -= 1;
            flags = others_left(&state, idle) | others_wait(&state, lane, idle);
            if own.pending != 0 {
                let (pending, possible) = (own.pending, own.possible);
                let color = own.pass(graph, &colors, begin);
                if color != UNCOLORED {
                    colors.store(node, color);
                    own.pending = 0;
                } else if own.possible != possible {
                    colors.store(node, TENTATIVE | own.possible);
                }
                flags |= if own.pending != pending { CHANGED } else { 0 };
                flags |= if own.pending != 0 { ACTIVE } else { 0 };
            }
            flags = lane.reduce_or(flags);
            idle = if flags & CHANGED != 0 { 0 } else { idle + 1 };
            lane.pause();
        }
        if own.pending != 0 {
            waits.set(node, own.pending);
            let next = state.append_one(lane, IndependentState::LEFT);
            worklist.next.set(next, node);
        }
    }
    let is_last = state.is_last(lane);
    if is_last {
        state.store(IndependentState::TAKEN, 0);
    }
    if is_last && params.rows.is_last == 1 {
        let left = state.load(IndependentState::LEFT);
        let rounds = state.load(IndependentState::LIGHT_ROUNDS) + 1;
        let wide_rounds = state.load(IndependentState::WIDE_ROUNDS);
        state.store(IndependentState::LEFT, 0);
        state.store(IndependentState::LIGHT, left);
        state.store(IndependentState::LIGHT_ROUNDS, rounds);
        state.store(IndependentState::GROUPS.at(0), light_groups(lane, params, left));
        state.store(IndependentState::FRONTIER, left);
        // The last iteration over wide nodes is the first over light ones.
        state.store(IndependentState::ITERATION, rounds + wide_rounds - wide_rounds.min(1));
    }
}

/// The colours that are taken around a wide node: all below `base`, and those of the 256 from there on whose bits are set. They stay in
/// registers because every index into them is a constant.
struct Taken {
    base: u32,
    words: [u32; 8],
}

#[inline_all]
impl Taken {
    const SPAN: u32 = 256;

    /// Loads what was saved at `place`.
    fn load(saved: &Global<u32>, place: u32) -> Self {
        Self {
            base: saved.get(place),
            words: [
                saved.get(place + 1),
                saved.get(place + 2),
                saved.get(place + 3),
                saved.get(place + 4),
                saved.get(place + 5),
                saved.get(place + 6),
                saved.get(place + 7),
                saved.get(place + 8),
            ],
        }
    }

    /// Saves it at `place`.
    fn save(&self, saved: &mut Global<u32>, place: u32) {
        saved.set(place, self.base);
        saved.set(place + 1, self.words[0]);
        saved.set(place + 2, self.words[1]);
        saved.set(place + 3, self.words[2]);
        saved.set(place + 4, self.words[3]);
        saved.set(place + 5, self.words[4]);
        saved.set(place + 6, self.words[5]);
        saved.set(place + 7, self.words[6]);
        saved.set(place + 8, self.words[7]);
    }

    /// Adds the colour at `place` from the base on, which is within the span.
    fn mark(&mut self, place: u32) {
        let bit = 1 << (place % 32);
        let word = place / 32;
        self.words[0] |= if word == 0 { bit } else { 0 };
        self.words[1] |= if word == 1 { bit } else { 0 };
        self.words[2] |= if word == 2 { bit } else { 0 };
        self.words[3] |= if word == 3 { bit } else { 0 };
        self.words[4] |= if word == 4 { bit } else { 0 };
        self.words[5] |= if word == 5 { bit } else { 0 };
        self.words[6] |= if word == 6 { bit } else { 0 };
        self.words[7] |= if word == 7 { bit } else { 0 };
    }

    /// Makes it the union over the subgroup, and moves the base past words of which all colours are taken.
    fn join(&mut self, lane: Lane) {
        self.words[0] = lane.reduce_or(self.words[0]);
        self.words[1] = lane.reduce_or(self.words[1]);
        self.words[2] = lane.reduce_or(self.words[2]);
        self.words[3] = lane.reduce_or(self.words[3]);
        self.words[4] = lane.reduce_or(self.words[4]);
        self.words[5] = lane.reduce_or(self.words[5]);
        self.words[6] = lane.reduce_or(self.words[6]);
        self.words[7] = lane.reduce_or(self.words[7]);
        while self.words[0] == u32::MAX {
            self.base += 32;
            self.words[0] = self.words[1];
            self.words[1] = self.words[2];
            self.words[2] = self.words[3];
            self.words[3] = self.words[4];
            self.words[4] = self.words[5];
            self.words[5] = self.words[6];
            self.words[6] = self.words[7];
            self.words[7] = 0;
        }
    }

    /// The lowest colour that is not taken, after [`Taken::join`].
    fn lowest(&self) -> u32 {
        self.base + (!self.words[0]).trailing_zeros()
    }

    /// Those of the colours `0..=most`, up to 29, that are not taken.
    fn possible(&self, most: u32) -> u32 {
        if self.base == 0 { !self.words[0] & lowest_bits(most.min(SET_MOST) + 1) } else { 0 }
    }
}

/// A wide node under way, as an invocation of the subgroup that shares it sees it.
struct Wide {
    /// The colours that are taken.
    taken: Taken,
    /// The number of neighbours of higher rank, which is its largest possible colour.
    most: u32,
    /// Its lowest possible colour at the beginning of the pass.
    lowest: u32,
    /// Where the list of the invocation begins, and how far apart its entries are.
    first: u32,
    step: u32,
    /// The number of entries.
    count: u32,
    /// The number of entries kept in this pass.
    kept: u32,
    /// What was found in this pass.
    flags: u32,
}

#[inline_all]
impl Wide {
    /// Considers a neighbour and its word; it stays on the list if it has a say in the node's colour later.
    fn look(&mut self, before: &mut Global<u32>, place: u32, neighbour: u32, word: u32) {
        let mut is_kept = false;
        if word & TENTATIVE == 0 {
            let from_base = word.wrapping_sub(self.taken.base);
            if from_base < Taken::SPAN {
                self.taken.mark(from_base);
                self.flags |= MARKED;
            } else {
                // Beyond the span; wrapped round, it is below the base and known to be taken.
                is_kept = word > self.taken.base && word <= self.most;
            }
        } else {
            let overlaps;
            let blocks;
            if word & SET != 0 {
                let common = word & self.taken.possible(self.most);
                overlaps = common != 0;
                blocks = self.lowest <= SET_MOST && (common >> self.lowest.min(31)) & 1 != 0;
            } else {
                let (low, high) = (word & FAR, (word >> 15) & FAR);
                overlaps = (high == FAR || high >= self.lowest) && low <= self.most;
                blocks = overlaps && low <= self.lowest;
            }
            if overlaps {
                is_kept = true;
                self.flags |= if blocks { WAITING | BLOCKED } else { WAITING };
            }
        }
        if is_kept {
            if self.kept != place {
                before.set(self.first + self.kept * self.step, neighbour);
            }
            self.kept += 1;
        } else {
            self.flags |= CHANGED;
        }
    }

    /// Looks at the invocation's neighbours that are left.
    fn pass(&mut self, colors: &Global<u32>, before: &mut Global<u32>) {
        self.kept = 0;
        let (count, first, step) = (self.count, self.first, self.step);
        let mut place = 0;
        while place < count {
            // Four loads in flight.
            let last = count - 1;
            let a = before.get(first + place * step);
            let b = before.get(first + last.min(place + 1) * step);
            let c = before.get(first + last.min(place + 2) * step);
            let d = before.get(first + last.min(place + 3) * step);
            let of_a = colors.load(a);
            let of_b = colors.load(b);
            let of_c = colors.load(c);
            let of_d = colors.load(d);
            self.look(before, place, a, of_a);
            if place < last {
                self.look(before, place + 1, b, of_b);
            }
            if place + 1 < last {
                self.look(before, place + 2, c, of_c);
            }
            if place + 2 < last {
                self.look(before, place + 3, d, of_d);
            }
            place += 4;
        }
        self.count = self.kept;
    }

    /// The word that the node shows.
    fn word(&self) -> u32 {
        if self.most <= SET_MOST {
            TENTATIVE | SET | (self.taken.possible(self.most) & SET_COLORS)
        } else {
            interval(self.most, self.lowest)
        }
    }
}

/// One iteration over wide nodes.
#[kernel(threads = 256, any_width)]
pub fn color_wide(
    lane: Lane,
    params: &IndependentParams,
    graph: Csr,
    order: Read<u32>,
    mut worklist: Worklist,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    mut before: Global<u32>,
    mut saved: Global<u32>,
    mut state: State<IndependentState>,
) {
    let wide = state.load(IndependentState::WIDE);
    let is_first = state.load(IndependentState::WIDE_ROUNDS) == 0;
    let mut turns = most_turns(lane, params, wide);
    let mut budget = params.loop_budget;
    let mut place = 0;
    while place < wide && turns > 0 {
        turns -= 1;
        place = take(lane, &mut state);
        // The whole subgroup has the same place, and a node's word is written by the subgroup that has the node.
        let (mut node, mut word) = (0, 0);
        if place < wide {
            let entry = params.light + place;
            node = if is_first { order.get(entry) } else { worklist.current.get(entry) };
            if params.rows.has(node) {
                word = colors.load(node);
            }
        }
        if word & TENTATIVE != 0 {
            let begin = graph.row_offsets.get(node).wrapping_sub(params.rows.edges_before);
            let save_at = begin / SAVED_WORDS_SHARE;
            // From the first invocation, which writes it below.
            let waiting = lane.of(0, waits.get(node));
            let most = waiting & !SAVED;
            let member = lane.subgroup_lane;
            let step = lane.subgroup_size;
            let capacity = if member < most { (most - member - 1) / step + 1 } else { 0 };
            let mut own = Wide {
                taken: Taken { base: 0, words: [0, 0, 0, 0, 0, 0, 0, 0] },
                most,
                lowest: 0,
                first: begin + member,
                step,
                count: capacity,
                kept: 0,
                flags: 0,
            };
            let mut rounds = most / (4 * step) + 4;
            if waiting & SAVED != 0 {
                own.taken = Taken::load(&saved, save_at);
                own.lowest = own.taken.lowest();
                let mut length = 0;
                while length < capacity && before.get(own.first + length * step) != NO_NODE {
                    length += 1;
                }
                own.count = length;
                rounds = most / step + 4;
            }
            let (mut color, mut idle, mut flags) = (UNCOLORED, 0, 0);
            while color == UNCOLORED && flags & OTHERS_LEFT == 0 && idle < params.patience && budget > rounds {
                budget -= rounds;
                own.flags = others_left(&state, idle);
                own.pass(&colors, &mut before);
                flags = lane.reduce_or(own.flags);
                let (lowest, end) = (own.lowest, own.taken.base + Taken::SPAN);
                if flags & MARKED != 0 {
                    own.taken.join(lane);
                    own.lowest = own.taken.lowest();
                }
                // Beyond the span colours may be taken that are not marked yet.
                if own.lowest < end && (flags & WAITING == 0 || (own.lowest == lowest && flags & BLOCKED == 0)) {
                    color = own.lowest;
                }
                if member == 0 {
                    let new = if color == UNCOLORED { own.word() } else { color };
                    if new != word {
                        colors.store(node, new);
                        word = new;
                    }
                }
                idle = if flags & CHANGED != 0 { 0 } else { idle + 1 };
                lane.pause();
            }
            if color == UNCOLORED {
                if own.count < capacity {
                    before.set(own.first + own.count * step, NO_NODE);
                }
                if member == 0 {
                    own.taken.save(&mut saved, save_at);
                    waits.set(node, most | SAVED);
                    let next = state.append_one(lane, IndependentState::LEFT);
                    worklist.next.set(params.light + next, node);
                }
            }
        }
    }
    let is_last = state.is_last(lane);
    if is_last {
        state.store(IndependentState::TAKEN, 0);
    }
    if is_last && params.rows.is_last == 1 {
        let left = state.load(IndependentState::LEFT);
        let light = state.load(IndependentState::LIGHT);
        let rounds = state.load(IndependentState::WIDE_ROUNDS) + 1;
        state.store(IndependentState::LEFT, 0);
        state.store(IndependentState::WIDE, left);
        state.store(IndependentState::WIDE_ROUNDS, rounds);
        state.store(IndependentState::WIDE_GROUPS.at(0), wide_groups(lane, params, left));
        // Light nodes have their turn when all wide ones have a colour.
        state.store(IndependentState::GROUPS.at(0), if left == 0 { light_groups(lane, params, light) } else { 0 });
        state.store(IndependentState::FRONTIER, left + light);
        state.store(IndependentState::ITERATION, rounds);
    }
}
