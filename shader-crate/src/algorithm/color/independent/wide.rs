//! Wide nodes: a subgroup shares one, and its neighbours of higher rank.

use super::super::{TENTATIVE, UNCOLORED};
use super::lists::Lists;
use super::{
    ALL_RUNS, CHANGED, COLOR, FAR, IndependentParams, IndependentState, LIGHT, OTHERS_LEFT, SET, SET_MOST, interval,
    lowest_bits, others_left,
};
use crate::prelude::*;

/// The colours of a set that is shown.
const SET_COLORS: u32 = SET - 1;

/// The bit of a wide node's number of neighbours that says that the node was left before, with what it knew.
const SAVED: u32 = 1 << 31;
/// The end of an invocation's list of neighbours.
const NO_NODE: u32 = u32::MAX;

/// The words for what a wide node that is left knows: [`Taken`]. A wide node has 27 edges at least, so they begin at a third of its
/// row's offset.
const SAVED_WORDS_SHARE: u32 = 3;
const _: () = assert!(LIGHT + 1 >= 9 * SAVED_WORDS_SHARE);

/// What invocations tell each other beside what they do of light nodes: a neighbour has no colour; a neighbour may take the lowest possible
/// colour; a colour was taken.
const WAITING: u32 = 8;
const BLOCKED: u32 = 16;
const MARKED: u32 = 32;

/// Takes the next wide node of the worklist for the subgroup, which calls it together: its place.
#[inline(always)]
fn take(lane: Lane, state: &mut State<IndependentState>) -> u32 {
    let mut place = 0;
    if lane.subgroup_lane == 0 {
        place = state.add(IndependentState::TAKEN, 1);
    }
    lane.of(0, place)
}

/// How many nodes a subgroup may take when there are `tasks`. Where loops are limited each has its share; else those that are faster
/// take more.
#[inline(always)]
fn most_nodes(lane: Lane, params: &IndependentParams, tasks: u32) -> u32 {
    if params.loop_budget < u32::MAX / 2 { tasks.div_ceil(lane.groups * lane.subgroups) } else { u32::MAX }
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
            let color = word & COLOR;
            let from_base = color.wrapping_sub(self.taken.base);
            if from_base < Taken::SPAN {
                self.taken.mark(from_base);
                self.flags |= MARKED;
            } else {
                // Beyond the span; wrapped round, it is below the base and known to be taken.
                is_kept = color > self.taken.base && color <= self.most;
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
    mut lists: Lists,
    mut colors: Global<u32>,
    mut waits: Global<u32>,
    mut before: Global<u32>,
    mut saved: Global<u32>,
    mut state: State<IndependentState>,
) {
    if state.is_over(IndependentState::WIDE_GROUPS) {
        return;
    }
    let wide = state.load(IndependentState::WIDE);
    let round = state.load(IndependentState::WIDE_ROUNDS);
    let mut allowed = most_nodes(lane, params, wide);
    let mut budget = params.loop_budget;
    let mut place = 0;
    while place < wide && allowed > 0 {
        allowed -= 1;
        place = take(lane, &mut state);
        // The whole subgroup has the same place, and a node's word is written by the subgroup that has the node.
        let (mut node, mut word) = (0, 0);
        if place < wide {
            node = lists.entry(round, params.light + place);
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
                    let new = if color == UNCOLORED { own.word() } else { ALL_RUNS | color };
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
                    lists.leave(round, params.light + next, node);
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
        state.store(IndependentState::WIDE_GROUPS.at(0), params.wide_groups(left, lane.subgroups));
        // Light nodes are taken when all wide ones have a colour.
        state.store(
            IndependentState::GROUPS.at(0),
            if left == 0 { params.light_groups(light, lane.threads) } else { 0 },
        );
        state.store(IndependentState::FRONTIER, left + light);
        state.store(IndependentState::ITERATION, rounds);
    }
}
