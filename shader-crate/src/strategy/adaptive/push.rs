//! Pushing. Most ways give a node to a team of invocations, however many edges it has. One shares the edges of a listed frontier
//! out evenly: those of a block of nodes in the workgroup, and those of a heavy node, or of a short frontier, in the whole
//! dispatch. When there is but one workgroup it goes on with the next level: see `resident.rs`.

use super::{Search, State, Tally};
use crate::{
    lane::Lane,
    memory::Shared,
    primitive::{share::line_up, workgroup::Slots},
    ranges::step,
};
use evenkeel_types::{Control, LevelParams, LevelWay, UNREACHED, WORKGROUP};

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
    pub fn of(lane: Lane, implementation: u32, params: &LevelParams, last: u32) -> Self {
        let all = lane.threads * lane.groups;
        let (mut width, mut nodes) = (1, 1);
        if implementation == LevelWay::VERTEX_PUSH_WARP {
            width = params.virtual_warp;
            nodes = width;
        } else if implementation == LevelWay::LIST_PUSH_WARP {
            width = params.virtual_warp;
        }
        let first = lane.global() / width;
        let end = last / nodes + (last % nodes).min(1);
        Self { first, end, stride: all / width, nodes, last, member: lane.global() % width, width }
    }
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub node: u32,
    /// 1 when this lane discovered it.
    pub new: u32,
    /// The row of a new one: its first edge, and how many there are.
    pub first: u32,
    pub edges: u32,
}

impl Seen {
    #[inline(always)]
    pub fn is_heavy(&self) -> bool {
        self.edges > LevelWay::HEAVY
    }

    /// 1 when it is new and light.
    #[inline(always)]
    fn light(&self) -> u32 {
        if self.is_heavy() { 0 } else { self.new }
    }
}

impl Search<'_> {
    /// One level by teams, each with the edges of the nodes that it takes: all nodes of the graph, of which those in the frontier
    /// have to be found, or those of the list.
    #[inline(always)]
    pub(super) fn push_by_teams(&mut self, lane: Lane, state: State, push: Push, listed: bool, tally: &mut Tally) {
        for block in step(push.first, push.end, push.stride) {
            for item in block * push.nodes..push.last.min((block + 1) * push.nodes) {
                let node = if listed { self.listed(state, item) } else { item };
                if listed || self.is_frontier(state, node) {
                    let (begin, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
                    for edge in step(begin + push.member, end, push.width) {
                        let neighbour = self.columns.get(edge);
                        self.claim(lane, state, neighbour, tally);
                    }
                }
            }
        }
    }

    /// The edges of the listed frontier, evenly. A workgroup takes blocks of light nodes by itself; the heavy ones, or all where
    /// they are few, every workgroup looks at, and takes its part of their edges.
    #[inline(always)]
    pub(super) fn push_evenly(
        &mut self,
        lane: Lane,
        state: State,
        cells: &mut Cells,
        slots: &mut Slots,
        tally: &mut Tally,
    ) {
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
            // What follows a loop of different lengths waits for all, or a subgroup would not be together.
            if turn > 0 {
                lane.barrier();
            }
            let item = begin + lane.local;
            let (first, edges) = if item < end { self.listed_row(state, item) } else { (0, 0) };
            let total = line_up(lane, first, edges, cells, slots);
            for number in step(edge, total, 4 * stride) {
                self.push_four(lane, state.level + 1, cells, (number, stride, total), tally);
            }
        }
    }

    /// The nodes at the ends of four of the block's edges. What one search waits for the others wait for at the same time.
    #[inline(always)]
    fn shared_out(&self, lane: Lane, cells: &Cells, numbers: (u32, u32, u32, u32)) -> (u32, u32, u32, u32) {
        let (mut a, mut b, mut c, mut d) = (0, 0, 0, 0);
        let mut half = lane.threads / 2;
        while half > 0 {
            a = behind(cells, a, half, numbers.0);
            b = behind(cells, b, half, numbers.1);
            c = behind(cells, c, half, numbers.2);
            d = behind(cells, d, half, numbers.3);
            half /= 2;
        }
        let node = |number: u32, owner: u32| self.columns.get(number.wrapping_add(cells.get(lane.threads + owner)));
        (node(numbers.0, a), node(numbers.1, b), node(numbers.2, c), node(numbers.3, d))
    }

    /// Pushes along the block's edge `number` and the next three, `stride` apart, as far as there are any. What one waits for the
    /// others wait for at the same time.
    #[inline(always)]
    fn push_four(&mut self, lane: Lane, depth: u32, cells: &Cells, numbers: (u32, u32, u32), tally: &mut Tally) {
        let (number, stride, total) = numbers;
        let (last, left) = (total - 1, total - 1 - number);
        let numbers =
            (number, (number + stride).min(last), (number + 2 * stride).min(last), (number + 3 * stride).min(last));
        let (a, b, c, d) = self.shared_out(lane, cells, numbers);
        let (row_a, row_b, row_c, row_d) = (self.row_early(a), self.row_early(b), self.row_early(c), self.row_early(d));
        let open_a = self.is_open(a, true);
        let open_b = self.is_open(b, left >= stride);
        let open_c = self.is_open(c, left >= 2 * stride);
        let open_d = self.is_open(d, left >= 3 * stride);
        let (a, b) = (self.see(a, open_a, row_a, depth), self.see(b, open_b, row_b, depth));
        let (c, d) = (self.see(c, open_c, row_c, depth), self.see(d, open_d, row_d, depth));
        if a.new + b.new + c.new + d.new > 0 {
            let light = a.light() + b.light() + c.light() + d.light();
            let entry = self.count(lane, depth, light, a.edges + b.edges + c.edges + d.edges, tally);
            let entry = self.list(lane, depth, a, entry);
            let entry = self.list(lane, depth, b, entry);
            let entry = self.list(lane, depth, c, entry);
            self.list(lane, depth, d, entry);
        }
    }

    /// Whether a node may be discovered. One workgroup alone does not ask before it tries: that is another wait.
    #[inline(always)]
    fn is_open(&self, node: u32, there: bool) -> bool {
        there && (self.near.resident || self.depths.load(node) == UNREACHED)
    }

    /// The row of a node, for the one workgroup alone: whether or not it needs it, it need not wait for it later.
    #[inline(always)]
    fn row_early(&self, node: u32) -> (u32, u32) {
        if self.near.resident { self.row(node) } else { (0, 0) }
    }

    /// Discovers a node if it is open and nobody else is faster.
    #[inline(always)]
    fn see(&mut self, node: u32, open: bool, row: (u32, u32), depth: u32) -> Seen {
        let new = open && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED;
        let (first, edges) = if new && !self.near.resident { self.row(node) } else { row };
        Seen { node, new: u32::from(new), first, edges: if new { edges } else { 0 } }
    }

    /// Makes room for so many light nodes on the next list, and adds up the edges of all that were found.
    #[inline(always)]
    fn count(&mut self, lane: Lane, depth: u32, light: u32, edges: u32, tally: &mut Tally) -> u32 {
        if self.near.resident {
            self.near.count(depth, light, edges)
        } else {
            tally.edges += edges;
            lane.append(&mut self.control, Control::NEXT, light)
        }
    }

    /// Puts a node on the next list if it is new, at `entry` unless it is heavy. Returns the next entry.
    #[inline(always)]
    fn list(&mut self, lane: Lane, depth: u32, seen: Seen, entry: u32) -> u32 {
        if seen.is_heavy() {
            let heavy = if self.near.resident {
                self.near.count_heavy(depth)
            } else {
                lane.append_one(&mut self.control, Control::LEFT_NEXT)
            };
            self.lists.store(self.heavy(depth, heavy), seen.node);
        } else if seen.new == 1 && !self.near.keep(depth, entry, seen) {
            self.lists.store(self.light(depth, entry), seen.node);
        }
        entry + seen.light()
    }
}

/// A step of the search for the first cell that is more than a number: one that is known to be at `place` or behind is there, or
/// behind the next `half`.
#[inline(always)]
fn behind(cells: &Cells, place: u32, half: u32, number: u32) -> u32 {
    if cells.get(place + half - 1) <= number { place + half } else { place }
}
