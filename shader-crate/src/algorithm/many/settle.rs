//! What a level has found becomes depths, and the frontier of the next level; and the beginning of a search, which finds the sources.

use super::data::{Bits, ManyParams, ManyState, Reach, Record, Words};
use super::level::{Search, clear_edges};
use super::{ALL, ALL_SHARE, LISTED, SAMPLE, SOURCES};
use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, Slots, prefix_sum};

/// A sum for each source.
const SUMS: usize = SOURCES as usize;

/// The edges out of the nodes that each source has found, as far as the workgroup has counted them.
type Sums<'a> = Shared<'a, u32, SUMS>;

#[inline_all]
impl Search<'_> {
    /// Settles what was found of a node, if anything was. Returns the sources that found it.
    fn settle<W: Words, K: Record>(&mut self, column: u32, values: &mut Global<u32>, node: u32, depth: u32) -> Bits {
        let new = Bits::get::<W>(&self.fronts, self.next_front(node));
        if new.any() {
            let before = Bits::get::<W>(&self.seen, node);
            before.or(new).set::<W>(&mut self.seen, node);
            K::note(&self.params, column, values, node, depth, before, new);
        }
        new
    }

    /// Forgets that a node was in the frontier.
    fn clear<W: Words>(&mut self, node: u32) {
        let front = self.front(node);
        Bits::NONE.set::<W>(&mut self.fronts, front);
    }

    /// Entry `entry` of a list, whose light nodes come first.
    fn listed(&self, list: u32, light: u32, entry: u32) -> u32 {
        let place = if entry < light { self.lists.light(list, entry) } else { self.lists.heavy(list, entry - light) };
        self.lists.entries.get(place)
    }

    /// Counts nodes that this invocation found, and the edges out of them. The workgroup calls it together.
    fn count(&mut self, found: u32, edges: u32, slots: &mut Slots) {
        let found = prefix_sum(self.lane, found, slots).total;
        self.lane.barrier();
        let edges = prefix_sum(self.lane, edges, slots).total;
        if self.lane.local == 0 && found > 0 {
            self.state.add(ManyState::FOUND, found);
            self.state.add(ManyState::EDGES, edges);
        }
    }

    /// Adds the edges of a node that `new` sources have found to theirs. The subgroup calls it together.
    fn count_sources<W: Words>(&self, new: Bits, edges: u32, sums: &mut Sums) {
        self.count_word(new.low, edges, 0, sums);
        if W::COUNT == 2 {
            self.count_word(new.high, edges, 32, sums);
        }
    }

    /// Adds the edges to the sums of the sources of one word, whose first source has the number `first`.
    fn count_word(&self, new: u32, edges: u32, first: u32, sums: &mut Sums) {
        let lane = self.lane;
        let mut left = lane.reduce_or(new);
        while left != 0 {
            let source = left.trailing_zeros();
            let sum = lane.reduce_add(if (new >> source) & 1 == 1 { edges } else { 0 });
            if lane.subgroup_lane == 0 {
                sums.add(first + source, sum);
            }
            left &= left - 1;
        }
    }

    /// Settles every node of the graph. Returns how many were found, and the edges out of them.
    fn settle_all<W: Words, K: Record>(&mut self, values: &mut Global<u32>, sums: &mut Sums) -> (u32, u32) {
        let (lane, nodes) = (self.lane, self.params.nodes);
        let (depth, column) = (self.state.get(ManyState::ITERATION), self.state.get(ManyState::COLUMN));
        let lists = self.state.get(ManyState::LISTS) == 1;
        let (mut found, mut edges) = (0, 0);
        let width = lane.threads * lane.groups;
        for first in step(lane.group * lane.threads + lane.subgroup * lane.subgroup_size, nodes, width) {
            let node = first + lane.subgroup_lane;
            let (mut new, mut degree) = (Bits::NONE, 0);
            if node < nodes {
                self.clear::<W>(node);
                new = self.settle::<W, K>(column, values, node, depth);
            }
            K::note_together(lane, &self.params, column, values, node, depth, new);
            if new.any() {
                degree = self.degree(node);
                found += 1;
                edges += degree;
                if lists {
                    self.list(node);
                }
            }
            // The numbers of nodes often say something about their degrees, so that a sample must be one at random.
            if (first / lane.subgroup_size).wrapping_mul(0x9e37_79b1) < u32::MAX / SAMPLE {
                self.count_sources::<W>(new, degree, sums);
            }
        }
        (found, edges)
    }

    /// Settles the nodes of the list that was written, and clears those of the list that was read. Returns the same.
    fn settle_listed<W: Words, K: Record>(&mut self, values: &mut Global<u32>, sums: &mut Sums) -> (u32, u32) {
        let lane = self.lane;
        let (depth, column) = (self.state.get(ManyState::ITERATION), self.state.get(ManyState::COLUMN));
        let (count, heavy) = (self.state.get(ManyState::FRONTIER), self.state.get(ManyState::HEAVY));
        for entry in lane.grid_stride(count) {
            let node = self.listed(self.side, count - heavy, entry);
            self.clear::<W>(node);
        }
        let (light, heavy) = (self.state.get(ManyState::NEXT), self.state.get(ManyState::NEXT_HEAVY));
        let counts = light + heavy >= self.params.fewest;
        let (mut found, mut edges) = (0, 0);
        let width = lane.threads * lane.groups;
        for first in step(lane.group * lane.threads + lane.subgroup * lane.subgroup_size, light + heavy, width) {
            let entry = first + lane.subgroup_lane;
            let (mut node, mut new, mut degree) = (0, Bits::NONE, 0);
            if entry < light + heavy {
                node = self.listed(1 - self.side, light, entry);
                new = self.settle::<W, K>(column, values, node, depth);
                degree = self.degree(node);
                found += 1;
                edges += degree;
            }
            K::note_together(lane, &self.params, column, values, node, depth, new);
            if counts {
                self.count_sources::<W>(new, degree / SAMPLE, sums);
            }
        }
        (found, edges)
    }

    /// Sizes the next level, by the frontier that is known now.
    fn size_next(&mut self, mode: u32, found: u32, heavy: u32) {
        let (params, state) = (self.params, &mut self.state);
        let groups = if mode == ALL {
            params.nodes.div_ceil(WORKGROUP).max(params.pieces)
        } else if heavy > 0 {
            params.max_groups
        } else {
            found.div_ceil(WORKGROUP)
        };
        state.store(ManyState::GROUPS.at(0), if found == 0 { 0 } else { groups.min(params.max_groups) });
        state.store(ManyState::SETTLE_GROUPS.at(0), 0);
        state.store(ManyState::FRONTIER, found);
        state.store(ManyState::HEAVY, heavy);
        state.store(ManyState::MODE, mode);
        state.store(ManyState::SIDE, 1 - self.side);
        state.store(ManyState::NEXT, 0);
        state.store(ManyState::NEXT_HEAVY, 0);
        state.store(ManyState::FOUND, 0);
        state.store(ManyState::EDGES, 0);
    }
}

/// Clears what is known of all nodes.
#[kernel(threads = 256, any_width, each(W in for_each_width))]
pub fn many_clear<W: Words>(lane: Lane, params: &ManyParams, mut reach: Reach, mut state: State<ManyState>) {
    for node in lane.grid_stride(params.nodes) {
        Bits::NONE.set::<W>(&mut reach.seen, node);
        Bits::NONE.set::<W>(&mut reach.fronts, node);
        Bits::NONE.set::<W>(&mut reach.fronts, params.nodes + node);
        reach.fronts.set(2 * W::COUNT * params.nodes + node, 0);
    }
    if lane.global() == 0 {
        state.begin(0, 0);
        state.set_groups(ManyState::SETTLE_GROUPS, 0);
        // As if a level had pushed to the sources.
        state.set(ManyState::SIDE, 1);
        state.set(ManyState::SETTLE_GROUPS.at(0), 1);
    }
}

/// Puts the sources into the frontier: `sources` are their number, the column of the first, and the nodes.
#[kernel(threads = 1, each(W in for_each_width))]
pub fn many_begin<W: Words>(
    lane: Lane,
    params: &ManyParams,
    graph: Csr,
    reach: Reach,
    state: State<ManyState>,
    sources: Read<u32>,
) {
    let mut search = Search::new(lane, params, graph, reach, state, 1);
    if lane.global() == 0 {
        search.state.set(ManyState::COLUMN, sources.get(1));
        for source in 0..sources.get(0) {
            let node = sources.get(2 + source);
            if node < params.nodes {
                let front = search.next_front(node);
                let before = Bits::get::<W>(&search.fronts, front);
                let bit = 1 << (source % 32);
                let own = if source < 32 { Bits { low: bit, high: 0 } } else { Bits { low: 0, high: bit } };
                before.or(own).set::<W>(&mut search.fronts, front);
                if !before.any() {
                    search.list(node);
                }
            }
        }
    }
}

/// Settles a level. The first, which has found the sources, is at depth 0.
#[kernel(threads = 256, each(W in for_each_width, K in for_each_keep))]
pub fn many_settle<W: Words, K: Record>(
    lane: Lane,
    params: &ManyParams,
    graph: Csr,
    reach: Reach,
    state: State<ManyState>,
    mut values: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
    mut sums: Shared<u32, SUMS>,
) {
    // Plain loads, as in a level.
    let (mode, side, depth) = (state.get(ManyState::MODE), state.get(ManyState::SIDE), state.get(ManyState::ITERATION));
    let lists = mode == LISTED || state.get(ManyState::LISTS) == 1;
    let mut search = Search::new(lane, params, graph, reach, state, side);
    for source in lane.group_stride(SOURCES) {
        sums.set(source, 0);
    }
    lane.barrier();
    let (found, edges) = if mode == ALL {
        search.settle_all::<W, K>(&mut values, &mut sums)
    } else {
        search.settle_listed::<W, K>(&mut values, &mut sums)
    };
    lane.barrier();
    search.count(found, edges, &mut slots);
    for source in lane.group_stride(SOURCES) {
        let sum = sums.get(source);
        if sum > 0 {
            search.state.add(ManyState::edges_of(source), sum);
        }
    }
    if search.state.is_last(lane) {
        let (found, edges) = (search.state.load(ManyState::FOUND), search.state.load(ManyState::EDGES));
        let heavy = search.state.load(ManyState::NEXT_HEAVY);
        let many = edges > params.nodes / ALL_SHARE;
        let next_mode = if many || !lists { ALL } else { LISTED };
        if next_mode == LISTED && (mode == ALL || found >= params.fewest) {
            clear_edges(&mut search.state);
        }
        search.state.store(ManyState::LISTS, (!many).into());
        search.state.store(ManyState::ITERATION, depth + 1);
        search.size_next(next_mode, found, heavy);
    }
}
