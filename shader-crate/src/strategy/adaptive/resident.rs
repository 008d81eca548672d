//! Several levels in one dispatch, by one workgroup, while the frontier is small: a dispatch costs more than such a level. Each
//! load that waits for another costs more than half a microsecond, and that is the time of a level; so what was discovered stays
//! in workgroup memory with its row, which the next level begins with.

use super::{
    Search, State, Tally,
    push::{Cells, Seen},
};
use crate::{
    lane::Lane,
    memory::{Read, Shared},
    primitive::workgroup::Slots,
};
use evenkeel_types::Decision;

/// Light nodes of a level that have room: two levels with three words each are 8 KiB. Those that follow are on the list only.
const ROOM: u32 = 340;

/// Words of a node.
const NODE: u32 = 0;
const FIRST: u32 = 1;
const EDGES: u32 = 2;
const WORDS: u32 = 3;

/// What the one workgroup has found: that of an even level, and that of an odd one.
pub(super) struct Near<'a> {
    /// How many light and heavy nodes with how many edges.
    pub counts: Shared<'a, u32, 8>,
    /// The first of the light ones.
    pub rows: Shared<'a, u32, 2040>,
    /// Whether there is but that one workgroup.
    pub resident: bool,
}

impl Near<'_> {
    const LIGHT: u32 = 0;
    const HEAVY: u32 = 1;
    const ALL_EDGES: u32 = 2;

    /// Where the counts of a level begin.
    #[inline(always)]
    fn set(level: u32) -> u32 {
        (level % 2) * 4
    }

    /// Where the words of an entry begin.
    #[inline(always)]
    fn entry(level: u32, entry: u32) -> u32 {
        ((level % 2) * ROOM + entry) * WORDS
    }

    #[inline(always)]
    fn clear(&mut self, level: u32) {
        for count in 0..3 {
            self.counts.set(Self::set(level) + count, 0);
        }
    }

    /// Makes room for so many light nodes of a level, and adds so many edges.
    #[inline(always)]
    pub fn count(&mut self, level: u32, light: u32, edges: u32) -> u32 {
        self.counts.add(Self::set(level) + Self::ALL_EDGES, edges);
        self.counts.add(Self::set(level) + Self::LIGHT, light)
    }

    /// Makes room for a heavy one.
    #[inline(always)]
    pub fn count_heavy(&mut self, level: u32) -> u32 {
        self.counts.add(Self::set(level) + Self::HEAVY, 1)
    }

    /// Keeps a light node of a level if there is room.
    #[inline(always)]
    pub fn keep(&mut self, level: u32, entry: u32, seen: Seen) -> bool {
        let keeps = self.resident && entry < ROOM;
        if keeps {
            let place = Self::entry(level, entry);
            self.rows.set(place + NODE, seen.node);
            self.rows.set(place + FIRST, seen.first);
            self.rows.set(place + EDGES, seen.edges);
        }
        keeps
    }
}

impl Search<'_> {
    /// One level by the whole dispatch, or by the one workgroup as many as there are before the frontier is large or the tree
    /// chooses another way. Returns what is known of the level after these, if the one workgroup has searched them.
    #[inline(always)]
    pub(super) fn push_levels(
        &mut self,
        lane: Lane,
        mut state: State,
        tree: Read<Decision>,
        cells: &mut Cells,
        slots: &mut Slots,
        tally: &mut Tally,
    ) -> State {
        let resident = self.near.resident;
        if resident {
            self.begin(lane, state);
        }
        let (mut rounds, most) = (0, if resident { self.params.rounds } else { 1 });
        let mut more = state.frontier > 0 && most > 0;
        while more {
            self.push_evenly(lane, state, cells, slots, tally);
            // Two for each block of nodes, and one for each four edges of an invocation.
            rounds += 2 * state.frontier.div_ceil(lane.threads) + state.edges / (4 * lane.threads);
            if resident {
                state = self.go_on(lane, state, tree);
            }
            more = rounds < most && state.frontier > 0 && state.stays();
        }
        if resident {
            self.end(lane, state);
        }
        state
    }

    /// Takes the frontier from its list.
    #[inline(always)]
    fn begin(&mut self, lane: Lane, state: State) {
        for entry in lane.group_stride((state.frontier - state.heavy).min(ROOM)) {
            let node = self.lists.load(self.light(state.level, entry));
            let (first, edges) = self.row(node);
            self.near.keep(state.level, entry, Seen { node, new: 1, first, edges });
        }
        if lane.local == 0 {
            self.near.clear(state.level + 1);
        }
        lane.barrier();
    }

    /// Ends a level. Every invocation reads the counts and walks the tree by itself.
    #[inline(always)]
    fn go_on(&mut self, lane: Lane, state: State, tree: Read<Decision>) -> State {
        // The next level's counts were read at the end of the last, which a barrier inside this one has ended for everybody.
        if lane.local == 0 {
            self.near.clear(state.level);
        }
        lane.barrier();
        let (counts, set) = (&self.near.counts, Near::set(state.level + 1));
        let (light, heavy) = (counts.get(set + Near::LIGHT), counts.get(set + Near::HEAVY));
        state.after(light, heavy, counts.get(set + Near::ALL_EDGES), tree)
    }

    /// Puts the frontier on its list, for whoever goes on.
    #[inline(always)]
    fn end(&mut self, lane: Lane, state: State) {
        for entry in lane.group_stride((state.frontier - state.heavy).min(ROOM)) {
            let node = self.near.rows.get(Near::entry(state.level, entry) + NODE);
            self.lists.set(self.light(state.level, entry), node);
        }
    }

    /// The row of a node of the listed frontier, where the light ones come first: its first edge, and how many there are.
    #[inline(always)]
    pub(super) fn listed_row(&self, state: State, item: u32) -> (u32, u32) {
        if self.near.resident && item < ROOM.min(state.frontier - state.heavy) {
            let place = Near::entry(state.level, item);
            (self.near.rows.get(place + FIRST), self.near.rows.get(place + EDGES))
        } else {
            self.row(self.listed(state, item))
        }
    }
}
