//! Pushing from a list of the frontier. Most ways give a node to a team of invocations, however many edges it has. One shares
//! the edges out evenly: those of a block of nodes in the workgroup, and those of a heavy node, or of a short frontier, in the
//! whole dispatch. And one does that with a single workgroup while the frontier is small, which then needs no dispatch to go on
//! with the next level.

use super::{Search, State, Tally};
use crate::{
    lane::Lane,
    memory::{Read, Shared},
    primitive::workgroup::{Slots, prefix_sum},
    ranges::step,
    schedule::first,
    strategy::degree,
};
use evenkeel_types::{Control, Decision, LevelParams, LevelWay, UNREACHED, WORKGROUP};

/// Where a workgroup keeps the ends of its nodes' edges, and behind them their shifts.
pub(super) type Cells<'a> = Shared<'a, u32, { 2 * WORKGROUP as usize }>;

/// How pushing hands out nodes, as one invocation sees it: teams of `width` invocations take blocks of `nodes` items, and the
/// edges of each node in turn.
pub(super) struct Push {
    /// The first block of this invocation's team, the number of blocks, and how many teams there are.
    pub first: u32,
    pub end: u32,
    pub stride: u32,
    /// Items in a block.
    pub nodes: u32,
    /// How many items there are.
    pub last: u32,
    /// The invocation's number in its team.
    pub member: u32,
    pub width: u32,
}

impl Push {
    #[inline(always)]
    pub fn of(lane: Lane, implementation: u32, params: &LevelParams, frontier: u32) -> Self {
        let all = lane.threads * lane.groups;
        let (mut width, mut nodes) = (1, 1);
        if implementation == LevelWay::VERTEX_PUSH_WARP {
            width = params.virtual_warp;
            nodes = width;
        } else if implementation == LevelWay::LIST_PUSH_WARP {
            width = params.virtual_warp;
        } else if implementation == LevelWay::LIST_PUSH_GRID && frontier <= LevelWay::FEW {
            width = all;
        } else if implementation >= LevelWay::LIST_PUSH_GROUP {
            width = lane.threads;
        }
        let last = if implementation >= LevelWay::LIST_PUSH { frontier } else { params.nodes };
        let first = lane.global() / width;
        let end = last / nodes + (last % nodes).min(1);
        Self { first, end, stride: all / width, nodes, last, member: lane.global() % width, width }
    }
}

/// What the one workgroup that takes several levels has found in a level: two sets of counts, which take turns.
pub(super) struct Found<'a> {
    pub counts: Shared<'a, u32, 8>,
    /// Whether there is but that one.
    pub resident: bool,
}

impl Found<'_> {
    const LIGHT: u32 = 0;
    const HEAVY: u32 = 1;
    const EDGES: u32 = 2;

    /// Where the counts of what is found at a depth begin.
    #[inline(always)]
    fn set(depth: u32) -> u32 {
        (depth % 2) * 4
    }

    #[inline(always)]
    fn clear(&mut self, depth: u32) {
        for count in 0..3 {
            self.counts.set(Self::set(depth) + count, 0);
        }
    }
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
struct Seen {
    node: u32,
    /// 1 when this lane discovered it.
    new: u32,
    /// The edges of a new one.
    edges: u32,
}

impl Seen {
    #[inline(always)]
    fn is_heavy(&self) -> bool {
        self.edges > LevelWay::HEAVY
    }

    /// 1 when it is new and light.
    #[inline(always)]
    fn light(&self) -> u32 {
        if self.is_heavy() { 0 } else { self.new }
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
        let resident = self.found.resident;
        if resident && lane.local == 0 {
            self.found.clear(state.level + 1);
        }
        let (mut rounds, most) = (0, if resident { self.params.rounds } else { 1 });
        let mut more = state.frontier > 0;
        while more {
            self.push_evenly(lane, state, cells, slots, tally);
            // Two for each block of nodes, and one for each four edges of an invocation.
            rounds += 2 * state.frontier.div_ceil(lane.threads) + state.edges / (4 * lane.threads);
            if resident {
                state = self.go_on(lane, state, tree, tally);
            }
            more = rounds < most && state.frontier > 0 && state.stays();
        }
        state
    }

    /// Ends a level of the one workgroup. Every invocation reads the counts and walks the tree by itself.
    #[inline(always)]
    fn go_on(&mut self, lane: Lane, state: State, tree: Read<Decision>, tally: &mut Tally) -> State {
        let set = Found::set(state.level + 1);
        let edges = lane.reduce_add(tally.edges);
        tally.edges = 0;
        if lane.subgroup_lane == 0 && edges > 0 {
            self.found.counts.add(set + Found::EDGES, edges);
        }
        // The next level's counts were read at the end of the last, which a barrier inside this one has ended for everybody.
        if lane.local == 0 {
            self.found.clear(state.level);
        }
        lane.barrier();
        let counts = &self.found.counts;
        let (light, heavy) = (counts.get(set + Found::LIGHT), counts.get(set + Found::HEAVY));
        state.after(light, heavy, counts.get(set + Found::EDGES), tree)
    }

    /// The edges of the listed frontier, evenly. A workgroup takes blocks of light nodes by itself; the heavy ones, or all where
    /// they are few, every workgroup looks at, and takes its part of their edges.
    #[inline(always)]
    fn push_evenly(&mut self, lane: Lane, state: State, cells: &mut Cells, slots: &mut Slots, tally: &mut Tally) {
        let (frontier, heavy) = (state.frontier, state.heavy);
        let light = if frontier <= LevelWay::FEW { 0 } else { frontier - heavy };
        // Blocks as large as a workgroup, or smaller, so that all workgroups have as many.
        let alone = light.div_ceil(lane.groups * lane.threads);
        let nodes = light.div_ceil((lane.groups * alone).max(1));
        for turn in 0..alone + (frontier - light).div_ceil(lane.threads) {
            let mut begin = (lane.group + turn * lane.groups) * nodes;
            let mut end = light.min(begin + nodes);
            let (mut edge, mut stride) = (lane.local, lane.threads);
            if turn >= alone {
                begin = light + (turn - alone) * lane.threads;
                end = frontier.min(begin + lane.threads);
                edge = lane.global();
                stride *= lane.groups;
            }
            let total = self.line_up(lane, state, (begin + lane.local, end), cells, slots);
            for number in step(edge, total, 4 * stride) {
                self.push_four(lane, state.level + 1, cells, (number, stride, total), tally);
            }
            lane.barrier();
        }
    }

    /// Puts down where the edges of each node of a block end among all of the block, and how far they are from where the graph
    /// has them. Returns how many there are.
    #[inline(always)]
    fn line_up(
        &mut self,
        lane: Lane,
        state: State,
        (item, end): (u32, u32),
        cells: &mut Cells,
        slots: &mut Slots,
    ) -> u32 {
        let (mut first, mut edges) = (0, 0);
        if item < end {
            let node = self.listed(state, item);
            first = self.row_offsets.get(node);
            edges = self.row_offsets.get(node + 1) - first;
        }
        let prefix = prefix_sum(lane, edges, slots);
        cells.set(lane.local, prefix.before + edges);
        cells.set(lane.threads + lane.local, first.wrapping_sub(prefix.before));
        lane.barrier();
        prefix.total
    }

    /// The node at the end of the block's edge `number`.
    #[inline(always)]
    fn shared_out(&self, lane: Lane, cells: &Cells, number: u32) -> u32 {
        let owner = first(0, lane.threads - 1, |node| cells.get(node) > number);
        self.columns.get(number.wrapping_add(cells.get(lane.threads + owner)))
    }

    /// Pushes along the block's edge `number` and the next three, `stride` apart, as far as there are any. What one waits for the
    /// others wait for at the same time.
    #[inline(always)]
    fn push_four(&mut self, lane: Lane, depth: u32, cells: &Cells, numbers: (u32, u32, u32), tally: &mut Tally) {
        let (number, stride, total) = numbers;
        let last = total - 1;
        let a = self.shared_out(lane, cells, number);
        let b = self.shared_out(lane, cells, (number + stride).min(last));
        let c = self.shared_out(lane, cells, (number + 2 * stride).min(last));
        let d = self.shared_out(lane, cells, (number + 3 * stride).min(last));
        let left = last - number;
        let open_a = self.is_open(a, true);
        let open_b = self.is_open(b, left >= stride);
        let open_c = self.is_open(c, left >= 2 * stride);
        let open_d = self.is_open(d, left >= 3 * stride);
        let (a, b) = (self.see(a, open_a, depth), self.see(b, open_b, depth));
        let (c, d) = (self.see(c, open_c, depth), self.see(d, open_d, depth));
        if a.new + b.new + c.new + d.new > 0 {
            tally.edges += a.edges + b.edges + c.edges + d.edges;
            let light = a.light() + b.light() + c.light() + d.light();
            let entry = self.entries(lane, Control::NEXT, Found::set(depth) + Found::LIGHT, light);
            let entry = self.list(lane, depth, a, entry);
            let entry = self.list(lane, depth, b, entry);
            let entry = self.list(lane, depth, c, entry);
            self.list(lane, depth, d, entry);
        }
    }

    #[inline(always)]
    fn is_open(&self, node: u32, there: bool) -> bool {
        self.depths.load(node) == UNREACHED && there
    }

    /// Discovers a node if it is open and nobody else is faster.
    #[inline(always)]
    fn see(&mut self, node: u32, open: bool, depth: u32) -> Seen {
        let new = open && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED;
        let edges = if new { degree(self.row_offsets, node) } else { 0 };
        Seen { node, new: u32::from(new), edges }
    }

    /// Makes room on the next list.
    #[inline(always)]
    fn entries(&mut self, lane: Lane, word: u32, count: u32, entries: u32) -> u32 {
        if self.found.resident {
            self.found.counts.add(count, entries)
        } else {
            lane.append(&mut self.control, word, entries)
        }
    }

    /// Puts a node on the next list if it is new, at `entry` unless it is heavy. Returns the next entry.
    #[inline(always)]
    fn list(&mut self, lane: Lane, depth: u32, seen: Seen, entry: u32) -> u32 {
        if seen.is_heavy() {
            let heavy = self.entries(lane, Control::LEFT_NEXT, Found::set(depth) + Found::HEAVY, 1);
            self.lists.store(self.heavy(depth, heavy), seen.node);
        } else if seen.new == 1 {
            self.lists.store(self.light(depth, entry), seen.node);
        }
        entry + seen.light()
    }
}
