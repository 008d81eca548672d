//! What a level has found becomes depths, and the frontier of the next level; and the beginning of a search, which finds the sources.

use super::data::{Bits, ManyParams, ManyState, Reach, Record, Words};
use super::level::Search;
use super::{PULL, PULL_SHARE, PUSH};
use crate::prelude::*;
use crate::primitive::workgroup::SUBGROUPS;

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

    /// Sizes the next level, by the frontier that is known now.
    fn size_next(&mut self, mode: u32, found: u32, heavy: u32) {
        let (params, state) = (self.params, &mut self.state);
        let groups = if mode == PULL {
            params.nodes.div_ceil(WORKGROUP).max(params.long)
        } else if heavy > 0 {
            params.max_groups
        } else {
            found.div_ceil(WORKGROUP)
        };
        let active = (state.load(ManyState::NEXT_ACTIVE.at(0)), state.load(ManyState::NEXT_ACTIVE.at(1)));
        state.store(ManyState::GROUPS.at(0), if found == 0 { 0 } else { groups.min(params.max_groups) });
        state.store(ManyState::SETTLE_GROUPS.at(0), 0);
        state.store(ManyState::FRONTIER, found);
        state.store(ManyState::HEAVY, heavy);
        state.store(ManyState::MODE, mode);
        state.store(ManyState::SIDE, 1 - self.side);
        state.store(ManyState::ACTIVE.at(0), active.0);
        state.store(ManyState::ACTIVE.at(1), active.1);
        state.store(ManyState::NEXT_ACTIVE.at(0), 0);
        state.store(ManyState::NEXT_ACTIVE.at(1), 0);
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
) {
    // Plain loads, as in a level.
    let (mode, side, depth) = (state.get(ManyState::MODE), state.get(ManyState::SIDE), state.get(ManyState::ITERATION));
    let (next_mode, column) = (state.get(ManyState::NEXT_MODE), state.get(ManyState::COLUMN));
    let mut search = Search::new(lane, params, graph, reach, state, side);
    let (mut found, mut edges, mut active) = (0, 0, Bits::NONE);
    if mode == PULL {
        for node in lane.grid_stride(params.nodes) {
            search.clear::<W>(node);
            let new = search.settle::<W, K>(column, &mut values, node, depth);
            if new.any() && next_mode == PUSH {
                search.list(node);
            }
        }
    } else {
        let (count, heavy) = (search.state.get(ManyState::FRONTIER), search.state.get(ManyState::HEAVY));
        for entry in lane.grid_stride(count) {
            let node = search.listed(side, count - heavy, entry);
            search.clear::<W>(node);
        }
        let (light, heavy) = (search.state.get(ManyState::NEXT), search.state.get(ManyState::NEXT_HEAVY));
        for entry in lane.grid_stride(light + heavy) {
            let node = search.listed(1 - side, light, entry);
            let new = search.settle::<W, K>(column, &mut values, node, depth);
            let (begin, end) = search.row(node);
            found += 1;
            edges += end - begin;
            active = active.or(new);
        }
    }
    lane.barrier();
    if mode == PUSH {
        search.count(found, edges, active, &mut slots);
    }
    if search.state.is_last(lane) {
        let found = search.state.load(ManyState::FOUND);
        let heavy = search.state.load(ManyState::NEXT_HEAVY);
        let many = search.state.load(ManyState::EDGES) > params.edges / PULL_SHARE && params.can_pull == 1;
        let next_mode = if mode == PULL {
            next_mode
        } else if many {
            PULL
        } else {
            PUSH
        };
        search.state.store(ManyState::ITERATION, depth + 1);
        search.size_next(next_mode, found, heavy);
    }
}
