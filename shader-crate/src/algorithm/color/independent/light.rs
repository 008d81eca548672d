//! Light nodes: one to an invocation, which loads the words of several neighbours at a time.

use super::super::{TENTATIVE, UNCOLORED};
use super::lists::Lists;
use super::{
    ACTIVE, ALL_COLORS, CHANGED, COLOR, COLORS, IndependentParams, IndependentState, Labels, OTHERS_LEFT, SHORT,
    colored, current, lowest_bits, others_left, shown, whole_row,
};
use crate::prelude::*;

/// The loop iterations of one pass over a light node at most, with what is beside it.
const LIGHT_ROUNDS: u32 = 12;
/// For each of its nodes but the last, an invocation takes at most so many passes without a change before it leaves the node to the next
/// iteration. There are fewer once others have left theirs.
const EARLY_PATIENCE: u32 = 16;

/// The nodes of a block, as a power of two: 64.
const BLOCK_BITS: u32 = 6;

#[inline_all]
impl Labels {
    /// The label of a light node. Blocks of nodes that follow each other are in random order, so that nodes taken by rank are random ones, but
    /// their rows are together in memory. In a block a node and the one after it are far apart, so that few wait for each other in a row. Where
    /// odd nodes come first, the odd nodes of all blocks come before the even ones of any. No two nodes have the same label.
    pub fn of_light(&self, node: u32) -> u32 {
        const MASK: u32 = u32::MAX >> BLOCK_BITS;
        // Every step is invertible.
        let mut block = (node >> BLOCK_BITS).wrapping_add(self.seed.wrapping_mul(0x9e37_79b9)) & MASK;
        block = (block ^ (block >> 16)).wrapping_mul(0x7feb_352d) & MASK;
        block = (block ^ (block >> 15)).wrapping_mul(0x846c_a68b) & MASK;
        block ^= block >> 16;
        // The last bit becomes the first, of all or of the block. Each block has another order, by what its label has in the middle.
        let reversed = node.reverse_bits();
        let bits = BLOCK_BITS - self.odd_first;
        let place = ((reversed >> (32 - BLOCK_BITS)) ^ (block >> 7)) & ((1 << bits) - 1);
        (reversed & !(u32::MAX >> self.odd_first)) | (block << bits) | place
    }
}

/// [`OTHERS_LEFT`] if a workgroup has not begun: nobody else takes its nodes, and it may not begin before another has ended.
#[inline(always)]
fn others_wait(state: &State<IndependentState>, lane: Lane, idle: u32) -> u32 {
    if idle >= 2 * SHORT && state.load(IndependentState::TAKEN) < lane.groups { OTHERS_LEFT } else { 0 }
}

/// A light node under way.
struct Light {
    /// A bit for each edge to a neighbour that it waits for.
    pending: u32,
    /// Its possible colours. If it has 26 neighbours of higher rank colour 26 is left out: it is taken if no other is left.
    possible: u32,
    /// Colours that neighbours without a colour may take.
    claimed: u32,
    /// The bit of a colour of this run.
    in_runs: u32,
}

#[inline_all]
impl Light {
    /// Looks at the whole row for the first time. A word that is not the newest says that more is possible, which is right, too. Returns the
    /// node's colour, or [`UNCOLORED`].
    fn scan(
        &mut self,
        graph: Csr<Views>,
        colors: &Global<u32>,
        (labels, node): (Labels, u32),
        (begin, end): (u32, u32),
    ) -> u32 {
        let (degree, label) = (end - begin, labels.of_light(node));
        // The rank of a neighbour with a colour does not matter: one of lower rank has it only if the node cannot take it. Without branches, so
        // that loads for several neighbours are in flight together.
        let is_before = |other: u32, word: u32| {
            let of_other = (word & !TENTATIVE) >> COLORS;
            let is_higher = (of_other > degree) | ((of_other == degree) & (labels.of_light(other) > label));
            (word & TENTATIVE == 0) | is_higher
        };
        self.possible = ALL_COLORS;
        let (mut before, mut edge, mut bit) = (0, begin, 1);
        while edge < end {
            // Four loads in flight; behind the last edge the last neighbour is not looked at again.
            let last = end - 1;
            let a = graph.columns.get(edge);
            let b = graph.columns.get((edge + 1).min(last));
            let c = graph.columns.get((edge + 2).min(last));
            let d = graph.columns.get((edge + 3).min(last));
            let of_a = colors.load_cached(a);
            let of_b = colors.load_cached(b);
            let of_c = colors.load_cached(c);
            let of_d = colors.load_cached(d);
            let (of_a, of_b) = (current(self.in_runs, of_a), current(self.in_runs, of_b));
            let (of_c, of_d) = (current(self.in_runs, of_c), current(self.in_runs, of_d));
            before += self.meet(is_before(a, of_a), bit, of_a);
            before += self.meet(is_before(b, of_b) & (edge < last), bit << 1, of_b);
            before += self.meet(is_before(c, of_c) & (edge + 1 < last), bit << 2, of_c);
            before += self.meet(is_before(d, of_d) & (edge + 2 < last), bit << 3, of_d);
            edge += 4;
            bit <<= 4;
        }
        self.possible &= lowest_bits(before + 1);
        self.color()
    }

    /// Considers the word of a neighbour for the first time. Returns 1 if it has a say, else 0. Without branches, so that loads for the next
    /// neighbours need not wait.
    fn meet(&mut self, is_before: bool, bit: u32, word: u32) -> u32 {
        let is_colored = word & TENTATIVE == 0;
        let is_pending = is_before & !is_colored;
        let is_taken = is_before & is_colored & (word & COLOR < COLORS);
        self.possible &= !(u32::from(is_taken) << (word % 32));
        self.pending |= if is_pending { bit } else { 0 };
        self.claimed |= if is_pending { word } else { 0 };
        u32::from(is_before)
    }

    /// Considers the word of the neighbour at an edge.
    fn look(&mut self, bit: u32, word: u32) {
        let word = current(self.in_runs, word);
        let color = word & COLOR;
        if word & TENTATIVE == 0 {
            self.pending &= !bit;
            self.possible &= if color < COLORS { !(1 << color) } else { ALL_COLORS };
        } else if word & self.possible == 0 {
            self.pending &= !bit;
        } else {
            self.claimed |= word;
        }
    }

    /// The bit of its lowest possible colour; 0 if it has none.
    fn lowest(&self) -> u32 {
        self.possible & self.possible.wrapping_neg()
    }

    /// Looks at all neighbours that it waits for. Returns its colour, or [`UNCOLORED`].
    fn pass(&mut self, graph: Csr<Views>, colors: &Global<u32>, begin: u32) -> u32 {
        let neighbour = |bit: u32| graph.columns.get(begin + bit.trailing_zeros());
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
        self.color()
    }

    /// The lowest possible colour, unless a neighbour without a colour claims it.
    fn color(&self) -> u32 {
        let lowest = self.lowest();
        // A neighbour that was looked at twice may have got its colour in between, so that what it claimed before counts no more.
        if self.pending != 0 && lowest & self.claimed != 0 {
            UNCOLORED
        } else if lowest == 0 {
            COLORS
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
    mut lists: Lists,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    mut state: State<IndependentState>,
) {
    let (mut light, mut round) = (params.light, 0);
    if params.begins == 0 {
        if state.is_over(IndependentState::GROUPS) {
            return;
        }
        light = state.get(IndependentState::LIGHT);
        round = state.get(IndependentState::LIGHT_ROUNDS);
    }
    let odd_run = state.get(IndependentState::ODD_RUN);
    let in_runs = params.in_runs(odd_run);
    let invocations = lane.groups * lane.threads;
    let share = light.div_ceil(invocations);
    if lane.local == 0 {
        state.add(IndependentState::TAKEN, 1);
    }
    // Finding the neighbours of higher rank is a pass, too.
    let mut passes = params.loop_budget / LIGHT_ROUNDS - share.min(params.loop_budget / LIGHT_ROUNDS);
    // The next node and its row are loaded while this one waits.
    let mut node = lists.entry(round, lane.global().min(light - 1));
    let mut row = whole_row(params, graph, node);
    for number in 0..share {
        let place = number * invocations + lane.global();
        let next = lists.entry(round, (place + invocations).min(light - 1));
        let (begin, degree) = (row.0, row.1 - row.0);
        let mut own = Light { pending: 0, possible: 0, claimed: 0, in_runs };
        if place < light && params.rows.has(node) {
            if round == 0 {
                let color = own.scan(graph, &colors, (params.labels, node), row);
                let color = if degree == 0 { params.first_color } else { color };
                if color != UNCOLORED {
                    own.pending = 0;
                }
                let is_colored = color != UNCOLORED;
                colors.store(
                    node,
                    if is_colored { colored(degree, in_runs, color) } else { shown(degree, own.possible) },
                );
            } else {
                own.pending = waits.get(node);
                own.possible = colors.load(node) & ALL_COLORS;
            }
        }
        let next_row = whole_row(params, graph, next);
        let is_last = number + 1 == share;
        let patience = if is_last { params.patience } else { params.patience.min(EARLY_PATIENCE) };
        let mut idle = 0;
        let mut flags = lane.reduce_or(if own.pending != 0 { ACTIVE } else { 0 });
        while flags & ACTIVE != 0 && flags & OTHERS_LEFT == 0 && idle < patience && passes > 0 {
            passes -= 1;
            flags = others_left(&state, idle) | others_wait(&state, lane, idle);
            if own.pending != 0 {
                let (pending, possible) = (own.pending, own.possible);
                let color = own.pass(graph, &colors, begin);
                if color != UNCOLORED {
                    colors.store(node, colored(degree, in_runs, color));
                    own.pending = 0;
                } else if own.possible != possible {
                    colors.store(node, shown(degree, own.possible));
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
            let free = state.append_one(lane, IndependentState::LEFT);
            lists.leave(round, free, node);
        }
        (node, row) = (next, next_row);
    }
    let is_last = state.is_last(lane);
    if is_last {
        state.store(IndependentState::TAKEN, 0);
    }
    if is_last && params.rows.is_last == 1 {
        let left = state.load(IndependentState::LEFT);
        let rounds = round + 1;
        let wide_rounds = state.load(IndependentState::WIDE_ROUNDS);
        state.store(IndependentState::LEFT, 0);
        state.store(IndependentState::LIGHT, left);
        state.store(IndependentState::LIGHT_ROUNDS, rounds);
        state.store(IndependentState::GROUPS.at(0), params.light_groups(left, lane.threads));
        state.store(IndependentState::FRONTIER, left);
        // The next run begins when no node is left.
        state.store(IndependentState::ODD_RUN, if left == 0 { 1 - odd_run } else { odd_run });
        // The last iteration over wide nodes is the first over light ones.
        state.store(IndependentState::ITERATION, rounds + wide_rounds - wide_rounds.min(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const BLOCK: u32 = 1 << BLOCK_BITS;
    const ODD_FIRST: Labels = Labels { seed: 1, odd_first: 1 };

    #[test]
    fn labels_are_different_for_nodes_and_for_seeds() {
        for labels in [0, 1, u32::MAX].map(|seed| Labels { seed, ..ODD_FIRST }) {
            for first in [0, u32::MAX - 99_999] {
                let found: HashSet<u32> = (0..100_000).map(|place| labels.of_light(first + place)).collect();
                assert_eq!(found.len(), 100_000);
            }
        }
        let other = Labels { seed: 2, ..ODD_FIRST };
        assert!((0..1000).all(|node| ODD_FIRST.of_light(node) != other.of_light(node)));
    }

    /// The nodes of some blocks in the order of their labels.
    fn by_label(odd_first: u32) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..128 * BLOCK).collect();
        nodes.sort_unstable_by_key(|&node| Labels { odd_first, ..ODD_FIRST }.of_light(node));
        nodes
    }

    /// The blocks of groups of nodes, each of which has `count` nodes of one block. They are in random order.
    fn blocks(nodes: &[u32], count: u32) -> Vec<u32> {
        let groups = nodes.chunks(count as usize);
        let blocks: Vec<u32> = groups.clone().map(|group| group[0] / BLOCK).collect();
        assert!(groups.zip(&blocks).all(|(group, block)| group.iter().all(|node| node / BLOCK == *block)));
        assert!(!blocks.is_sorted() && !blocks.iter().rev().is_sorted(), "{blocks:?}");
        blocks
    }

    /// In a group of nodes whose numbers are `step` apart, every second one is before both of its neighbours.
    fn assert_neighbours_are_apart(group: &[u32], step: u32) {
        let place = |node: u32| group.iter().position(|&other| other == node).unwrap();
        let is_first = |node: &u32| place(*node) < place(node - step) && place(*node) < place(node + step);
        let (first, count) = (group.iter().min().unwrap(), group.len());
        let inner = (1..count as u32 - 1).map(|number| first + step * number);
        assert_eq!(inner.filter(is_first).count(), count / 2 - 1, "{group:?}");
    }

    #[test]
    fn a_block_of_nodes_is_together_in_the_order_of_labels() {
        let nodes = by_label(0);
        assert_eq!(blocks(&nodes, BLOCK).into_iter().collect::<HashSet<_>>().len(), 128);
        nodes.chunks(BLOCK as usize).for_each(|block| assert_neighbours_are_apart(block, 1));
    }

    #[test]
    fn half_a_block_is_together_where_odd_nodes_are_apart() {
        let nodes = by_label(1);
        let (even, odd) = nodes.split_at(nodes.len() / 2);
        assert!(even.iter().all(|node| node % 2 == 0) && odd.iter().all(|node| node % 2 == 1));
        assert_eq!(blocks(even, BLOCK / 2), blocks(odd, BLOCK / 2));
        nodes.chunks(BLOCK as usize / 2).for_each(|half| assert_neighbours_are_apart(half, 2));
    }
}
