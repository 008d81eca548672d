//! Pushing. Most variants give a node to a team of invocations, however many edges it has. One shares the edges of a listed frontier out
//! evenly: those of a block of nodes in the workgroup, and those of a heavy node, or of a short frontier, in the whole dispatch.
//!
//! When there is but one workgroup it goes on with the next level, and what it discovers stays in workgroup memory, each node with its row,
//! which the next level begins with: a level of a small frontier takes as long as the loads that wait for each other.

use super::{LevelInfo, LevelParams, LevelState, Search, Tally, VariantCode};
use crate::frontier::{self, Batch, Cells, ListBlock, ListBlocks, PushEdges, push_block};
use crate::prelude::*;
use crate::primitive::workgroup::Slots;
use crate::rounds::{Round, Rounds, Team, Workgroup, run_rounds};

/// Two words for each invocation.
const CELLS: usize = 2 * WORKGROUP as usize;

/// Entries of a level whose nodes and rows have space in workgroup memory: two levels with three words each are 8 KiB.
const SPACE: u32 = 340;

/// Words of the rows: the first edge of each entry's node and how many there are, for two levels.
pub(super) const ROW_WORDS: usize = 4 * SPACE as usize;

/// The one workgroup that takes several levels.
type Persistent<'a> = Workgroup<'a, { 2 * SPACE as usize }, 9>;

/// The search of a variant that lists the frontier.
type ListedSearch<'a> = Search<'a, Shared<'a, u32, ROW_WORDS>>;

/// The counters of a level: nodes that are not heavy, heavy ones, and the edges out of all of them.
const LIGHT: u32 = 0;
const HEAVY: u32 = 1;
const EDGES: u32 = 2;

/// What a workgroup works in.
pub(super) struct BlockMemory<'a> {
    /// Where it keeps the ends of its nodes' edges, and behind them their offsets.
    pub cells: Cells<'a, CELLS>,
    /// A word for each subgroup.
    pub slots: Slots<'a>,
}

/// How teams of `width` invocations take blocks of `nodes` items, and the edges of each node in turn, as one invocation sees it.
pub(super) struct Teams {
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

impl Teams {
    #[inline(always)]
    pub fn of(lane: Lane, implementation: u32, params: &LevelParams, last: u32) -> Self {
        let all = lane.threads * lane.groups;
        let (mut width, mut nodes) = (1, 1);
        if implementation == VariantCode::VERTEX_PUSH_WARP {
            width = params.virtual_warp;
            nodes = width;
        } else if implementation == VariantCode::LIST_PUSH_WARP {
            width = params.virtual_warp;
        }
        let first = lane.global() / width;
        let end = last / nodes + (last % nodes).min(1);
        Self { first, end, stride: all / width, nodes, last, member: lane.global() % width, width }
    }
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    /// 1 when this lane discovered it.
    new: u32,
    /// The row of a new one: its first edge, and how many there are.
    row: (u32, u32),
}

#[inline_all]
impl Reached {
    fn edges(&self) -> u32 {
        self.row.1
    }

    fn is_heavy(&self) -> bool {
        self.edges() > frontier::HEAVY
    }

    /// 1 when it is new and not heavy.
    fn light(&self) -> u32 {
        if self.is_heavy() { 0 } else { self.new }
    }
}

/// What is known before a pass over a listed frontier.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    level: LevelInfo,
    /// Whether there is a pass.
    goes_on: bool,
}

/// What is the same for all edges of a pass.
#[derive(Clone, Copy)]
pub(super) struct Iteration {
    round: u32,
    /// The depth of the nodes that are discovered.
    depth: u32,
}

impl<R> Search<'_, R> {
    /// One level by teams, each with the edges of the nodes that it takes: of the list, or all of the graph that are in the frontier.
    #[inline(always)]
    pub(super) fn push_by_teams(&mut self, level: LevelInfo, teams: Teams, listed: bool, tally: &mut Tally) {
        for block in step(teams.first, teams.end, teams.stride) {
            for item in block * teams.nodes..teams.last.min((block + 1) * teams.nodes) {
                let node = if listed { self.listed(level, item) } else { item };
                if listed || self.is_frontier(level, node) {
                    let (begin, count) = self.row(node);
                    for edge in step(begin + teams.member, begin + count, teams.width) {
                        let neighbour = self.graph.columns.get(edge);
                        self.claim(level, neighbour, tally);
                    }
                }
            }
        }
    }
}

#[inline_all]
impl<'a> ListedSearch<'a> {
    /// One level by the whole dispatch, or by the one workgroup as many as there are before the frontier is large or the tree chooses another
    /// variant. Returns what is known of the level after these, if the one workgroup has searched them, and the edges out of the nodes that
    /// this invocation discovered.
    pub(super) fn push_levels(
        &mut self,
        lane: Lane,
        level: LevelInfo,
        entries: Shared<'a, u32, { 2 * SPACE as usize }>,
        counts: Shared<'a, u32, 9>,
        memory: &mut BlockMemory<'a>,
    ) -> (LevelInfo, u32) {
        let light = if self.persists { level.frontier - level.heavy } else { 0 };
        let lists = (self.params.nodes, level.depth % 2);
        let mut team: Persistent = Workgroup::new(lane, entries, counts, &self.lists.entries, lists, light, true);
        for entry in lane.group_stride(light.min(SPACE)) {
            let row = self.row(self.lists.entries.get(self.lists.light(level.depth % 2, entry)));
            self.keep_row(0, entry, row);
        }
        self.clear(&mut team, 0);
        if self.persists {
            lane.barrier();
        }
        let limit = if self.persists { self.params.rounds } else { 1 };
        let pass = Pass { level, goes_on: level.frontier > 0 };
        let Rounds { known, count, sum } = run_rounds(&mut team, self, memory, pass, limit);
        if self.persists {
            let light = known.level.frontier - known.level.heavy;
            team.write_back(&mut self.lists.entries, count, light);
        }
        (known.level, sum)
    }

    /// Keeps the row of an entry that round `round` reads.
    fn keep_row(&mut self, round: u32, entry: u32, (first, edges): (u32, u32)) {
        let place = 2 * ((round % 2) * SPACE + entry);
        self.rows.set(place, first);
        self.rows.set(place + 1, edges);
    }

    /// The row of a node of the listed frontier, where the light ones come first: its first edge, and how many there are.
    fn listed_row(&self, level: LevelInfo, round: u32, item: u32) -> (u32, u32) {
        if self.persists && item < SPACE.min(level.frontier - level.heavy) {
            let place = 2 * ((round % 2) * SPACE + item);
            (self.rows.get(place), self.rows.get(place + 1))
        } else {
            self.row(self.listed(level, item))
        }
    }

    /// Whether a node may be discovered. One workgroup alone does not look before it tries: that would be another load to wait for.
    fn is_open(&self, node: u32, present: bool) -> bool {
        present && (self.persists || self.depths.load(node) == UNREACHED)
    }

    /// The row of a node, loaded early by the one workgroup alone: whether or not it needs it, it need not wait for it later.
    fn row_early(&self, node: u32) -> (u32, u32) {
        if self.persists { self.row(node) } else { (0, 0) }
    }

    /// Discovers a node if it is open and no other invocation is faster.
    fn visit(&mut self, node: u32, open: bool, row: (u32, u32), depth: u32) -> Reached {
        let new = open && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED;
        let (first, edges) = if new && !self.persists { self.row(node) } else { row };
        Reached { node, new: u32::from(new), row: (first, if new { edges } else { 0 }) }
    }

    /// Puts a node on the next list if it is new, at `entry` unless it is heavy. Returns the next entry.
    fn list(&mut self, team: &mut Persistent<'a>, iteration: Iteration, reached: Reached, entry: u32) -> u32 {
        let Iteration { round, depth } = iteration;
        if reached.is_heavy() {
            let heavy = if self.persists {
                team.reserve(&mut self.state, HEAVY, round, 1)
            } else {
                self.state.append_one(self.lane, LevelState::NEXT_HEAVY)
            };
            self.lists.entries.store(self.lists.heavy(depth % 2, heavy), reached.node);
        } else if reached.new == 1 && self.persists {
            Team::<LevelState>::put(team, &mut self.lists.entries, round, entry, reached.node);
            if entry < SPACE {
                self.keep_row(round + 1, entry, reached.row);
            }
        } else if reached.new == 1 {
            self.lists.entries.store(self.lists.light(depth % 2, entry), reached.node);
        }
        entry + reached.light()
    }
}

impl<'a> PushEdges<CELLS> for ListedSearch<'a> {
    const AT_A_TIME: u32 = 4;
    type Iteration = Iteration;
    type Team = Persistent<'a>;

    #[inline(always)]
    fn push(&mut self, team: &mut Persistent<'a>, iteration: Iteration, cells: &Cells<CELLS>, batch: Batch) -> u32 {
        let ([a, b, c, d], [_, has_b, has_c, has_d]) = batch.ends(self.lane, cells, self.graph.columns);
        let (row_a, row_b, row_c, row_d) = (self.row_early(a), self.row_early(b), self.row_early(c), self.row_early(d));
        let open_a = self.is_open(a, true);
        let open_b = self.is_open(b, has_b);
        let open_c = self.is_open(c, has_c);
        let open_d = self.is_open(d, has_d);
        let depth = iteration.depth;
        let (a, b) = (self.visit(a, open_a, row_a, depth), self.visit(b, open_b, row_b, depth));
        let (c, d) = (self.visit(c, open_c, row_c, depth), self.visit(d, open_d, row_d, depth));
        let edges = a.edges() + b.edges() + c.edges() + d.edges();
        if a.new + b.new + c.new + d.new > 0 {
            let light = a.light() + b.light() + c.light() + d.light();
            let entry = if self.persists {
                team.reserve_both(&mut self.state, (LIGHT, EDGES), iteration.round, (light, edges)).0
            } else {
                self.state.append(self.lane, LevelState::NEXT, light)
            };
            let entry = self.list(team, iteration, a, entry);
            let entry = self.list(team, iteration, b, entry);
            let entry = self.list(team, iteration, c, entry);
            self.list(team, iteration, d, entry);
        }
        edges
    }
}

#[inline_all]
impl<'a> Round<LevelState, Persistent<'a>> for ListedSearch<'a> {
    type Known = Pass;
    type Memory = BlockMemory<'a>;

    /// The team takes any pass that there is.
    fn entries(pass: Pass) -> u32 {
        u32::from(pass.goes_on)
    }

    /// Two for each block of nodes, and one for each four edges of an invocation.
    fn cost(pass: Pass, _: u32) -> u32 {
        2 * pass.level.frontier.div_ceil(WORKGROUP) + pass.level.edges / (4 * WORKGROUP)
    }

    fn clear(&mut self, team: &mut Persistent<'a>, round: u32) {
        team.set_count(&mut self.state, LIGHT, round, 0);
        team.set_count(&mut self.state, HEAVY, round, 0);
        team.set_count(&mut self.state, EDGES, round, 0);
    }

    /// The edges of the listed frontier, evenly. Returns the edges out of the nodes that this invocation discovered.
    fn run(&mut self, team: &mut Persistent<'a>, memory: &mut BlockMemory<'a>, round: u32, pass: Pass) -> u32 {
        let (lane, level) = (self.lane, pass.level);
        let blocks = ListBlocks::new(lane, level.frontier, level.heavy);
        let mut edges = 0;
        for number in 0..blocks.per_group(lane) {
            // Reconverge before subgroup operations: the loop before had different lengths.
            if number > 0 {
                lane.barrier();
            }
            let ListBlock { item, edges: share } = blocks.block(lane, number);
            let row = if let Some(item) = item { self.listed_row(level, round, item) } else { (0, 0) };
            let iteration = Iteration { round, depth: level.depth + 1 };
            let BlockMemory { cells, slots } = memory;
            edges += push_block(lane, self, team, iteration, row, share, cells, slots);
        }
        edges
    }

    /// Every invocation reads the counts and walks the tree by itself.
    fn after(&mut self, team: &mut Persistent<'a>, round: u32, pass: Pass) -> Pass {
        let state = &mut self.state;
        team.finish_round(state, round);
        if !self.persists {
            return Pass { goes_on: false, ..pass };
        }
        let (light, heavy) = (team.count(state, LIGHT, round), team.count(state, HEAVY, round));
        let level = pass.level.after(light, heavy, team.count(state, EDGES, round), self.tree);
        Pass { level, goes_on: level.frontier > 0 && level.persists() }
    }
}
