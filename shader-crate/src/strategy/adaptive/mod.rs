//! A level of a breadth-first search in the fifteen variants of Verstraaten et al., and in a few that list the frontier. Theirs are
//! topology-driven: every edge or every node is looked at in every level, and the depths say which nodes are the frontier.
//!
//! All variants of a family are one kernel with a uniform switch, because the last workgroup of a level chooses the next level's variant by a
//! decision tree: a switch costs nothing beside the empty dispatches that separate kernels would.

mod data;

// Public, or rust-gpu would not find the entry points.
pub mod begin;
mod pull;
mod push;

pub use data::{Decision, LevelParams, LevelState, RestoreParams, VariantCode};

use crate::frontier::{self, DoubleList};
use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, Slots, prefix_sum};
use push::{BlockMemory, ROW_WORDS, Teams};

/// What is known of a level before it is searched.
#[derive(Clone, Copy)]
struct LevelInfo {
    /// The depth of the frontier.
    depth: u32,
    /// Its nodes, and how many of these are heavy, where they are listed.
    frontier: u32,
    heavy: u32,
    /// The edges out of it.
    edges: u32,
    /// The nodes discovered so far, those of the frontier included.
    discovered: u32,
    /// How it is searched.
    variant: u32,
}

#[inline_all]
impl LevelInfo {
    fn of(state: &State<LevelState>) -> Self {
        // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
        Self {
            depth: state.get(LevelState::ITERATION),
            frontier: state.get(LevelState::FRONTIER),
            heavy: state.get(LevelState::HEAVY),
            edges: state.get(LevelState::EDGES),
            discovered: state.get(LevelState::DISCOVERED),
            variant: state.get(LevelState::VARIANT),
        }
    }

    /// How discovered nodes are counted.
    fn count(self) -> u32 {
        VariantCode::count(self.variant)
    }

    /// Whether one workgroup searches it, and goes on with the next level.
    fn persists(self) -> bool {
        VariantCode::persists(self.variant, self.frontier, self.edges)
    }

    /// The next level: the nodes discovered are its frontier, and the tree chooses the variant.
    fn after(self, light: u32, heavy: u32, edges: u32, tree: Read<Decision>) -> Self {
        let frontier = light + heavy;
        let discovered = self.discovered + frontier;
        let variant = choose(tree, self.variant, frontier, discovered, edges);
        Self { depth: self.depth + 1, frontier, heavy, edges, discovered, variant }
    }

    fn write(self, state: &mut State<LevelState>, params: &LevelParams) {
        state.store(LevelState::ITERATION, self.depth);
        state.store(LevelState::FRONTIER, self.frontier);
        state.store(LevelState::HEAVY, self.heavy);
        state.store(LevelState::EDGES, self.edges);
        state.store(LevelState::DISCOVERED, self.discovered);
        state.store(LevelState::VARIANT, self.variant);
        state.store(LevelState::NEXT, 0);
        state.store(LevelState::NEXT_HEAVY, 0);
        state.store(LevelState::NEXT_EDGES, 0);
        let groups = VariantCode::groups(self.variant, params, self.frontier, self.edges);
        state.store(LevelState::GROUPS.at(0), groups);
    }
}

/// A search, as one invocation sees it.
struct Search<'a, R> {
    lane: Lane,
    params: LevelParams,
    graph: Csr<Views<'a>>,
    depths: Global<'a, u32>,
    /// The lists of even and of odd levels.
    lists: DoubleList<'a>,
    /// The tree by which the next level's variant is chosen.
    tree: Read<'a, Decision>,
    state: State<'a, LevelState>,
    /// Where the one workgroup that takes several levels keeps the rows of its nodes; nothing for variants that have no list.
    rows: R,
    /// Whether there is but that one workgroup.
    persists: bool,
}

/// What one invocation discovers.
struct Tally {
    /// Discovered nodes that are not counted yet.
    found: u32,
    /// The edges of all nodes that it discovered.
    edges: u32,
}

#[inline_all]
impl<R> Search<'_, R> {
    fn is_frontier(&self, level: LevelInfo, node: u32) -> bool {
        self.depths.load(node) == level.depth
    }

    /// A node of the listed frontier, where the light ones come first.
    fn listed(&self, level: LevelInfo, item: u32) -> u32 {
        let (half, light) = (level.depth % 2, level.frontier - level.heavy);
        // An atomic, because the one workgroup that takes several levels wrote it in the same dispatch.
        let lists = &self.lists;
        lists.entries.load(if item < light { lists.light(half, item) } else { lists.heavy(half, item - light) })
    }

    /// The row of a node: its first edge, and how many there are.
    fn row(&self, node: u32) -> (u32, u32) {
        let first = self.graph.row_offsets.get(node);
        (first, self.graph.row_offsets.get(node + 1) - first)
    }

    /// Discovers a node that others may discover at the same time: one of them succeeds.
    fn claim(&mut self, level: LevelInfo, node: u32, tally: &mut Tally) {
        let depth = level.depth + 1;
        // The load is cheap and spares most of the atomics.
        if self.depths.load(node) == UNREACHED && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED {
            self.discover(level, node, tally);
        }
    }

    fn discover(&mut self, level: LevelInfo, node: u32, tally: &mut Tally) {
        let (_, edges) = self.row(node);
        let count = level.count();
        tally.edges += edges;
        if count == VariantCode::LIST {
            let counters = (LevelState::NEXT, LevelState::NEXT_HEAVY);
            let half = (level.depth + 1) % 2;
            let is_heavy = edges > frontier::HEAVY;
            self.lists.append(self.lane, &mut self.state, counters, half, (node, is_heavy));
        } else if count == VariantCode::ATOMIC {
            self.state.add(LevelState::NEXT, 1);
        } else {
            tally.found += 1;
        }
    }

    /// Adds up what was only counted so far. All invocations of a workgroup call it together.
    fn count_up(&mut self, level: LevelInfo, tally: &Tally, slots: &mut Slots) {
        let (lane, state) = (self.lane, &mut self.state);
        // Reconverge before subgroup operations: the loops before had very different lengths.
        lane.barrier();
        if level.count() == VariantCode::SUBGROUP {
            let found = lane.reduce_add(tally.found);
            if lane.subgroup_lane == 0 && found > 0 {
                state.add(LevelState::NEXT, found);
            }
        } else if level.count() == VariantCode::WORKGROUP {
            let found = prefix_sum(lane, tally.found, slots).total;
            if lane.local == 0 && found > 0 {
                state.add(LevelState::NEXT, found);
            }
        }
        let edges = lane.reduce_add(tally.edges);
        if lane.subgroup_lane == 0 && edges > 0 {
            state.add(LevelState::NEXT_EDGES, edges);
        }
    }

    /// Ends a level that the whole dispatch has searched. Every invocation calls it.
    fn advance(&mut self, level: LevelInfo) {
        let state = &mut self.state;
        if state.is_last(self.lane) {
            let (light, heavy) = (state.load(LevelState::NEXT), state.load(LevelState::NEXT_HEAVY));
            let edges = state.load(LevelState::NEXT_EDGES);
            level.after(light, heavy, edges, self.tree).write(state, &self.params);
        }
    }
}

/// Searches one level by one of the fifteen variants. `origins` has the node that each edge leaves; `in_` is for the reversed graph.
#[kernel(threads = 256)]
pub fn level(
    lane: Lane,
    params: &LevelParams,
    graph: Csr,
    origins: Read<u32>,
    in_graph: Csr,
    in_origins: Read<u32>,
    tree: Read<Decision>,
    lists: Global<u32>,
    depths: Global<u32>,
    state: State<LevelState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let level = LevelInfo::of(&state);
    let implementation = VariantCode::implementation(level.variant);
    let lists = DoubleList { entries: lists, capacity: params.nodes };
    let mut search = Search { lane, params: *params, graph, depths, lists, tree, state, rows: (), persists: false };
    let mut tally = Tally { found: 0, edges: 0 };
    if implementation == VariantCode::EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(level, origins.get(edge)) {
                search.claim(level, graph.columns.get(edge), &mut tally);
            }
        }
    } else if implementation == VariantCode::REVERSE_EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(level, in_graph.columns.get(edge)) {
                search.claim(level, in_origins.get(edge), &mut tally);
            }
        }
    } else if implementation == VariantCode::VERTEX_PULL {
        for node in lane.grid_stride(params.nodes) {
            if search.depths.load(node) == UNREACHED {
                let (mut edge, end) = (in_graph.row_offsets.get(node), in_graph.row_offsets.get(node + 1));
                let mut found = false;
                while edge < end {
                    found = search.is_frontier(level, in_graph.columns.get(edge));
                    edge = if found { end } else { edge + 1 };
                }
                if found {
                    search.reach(level, node, &mut tally);
                }
            }
        }
    } else {
        let teams = Teams::of(lane, implementation, params, params.nodes);
        search.push_by_teams(level, teams, false, &mut tally);
    }
    search.count_up(level, &tally, &mut slots);
    search.advance(level);
}

/// Searches one level by one of the variants that list the frontier, or several levels where one workgroup does. `in_graph` is the reversed
/// graph, and `pieces` are of its long rows. A kernel by itself: no model goes from one family of variants to the other, and the fifteen would
/// be slower beside these, which take more registers.
#[kernel(threads = 256)]
pub fn level_listed(
    lane: Lane,
    params: &LevelParams,
    graph: Csr,
    in_graph: Csr,
    pieces: Read<u32>,
    tree: Read<Decision>,
    lists: Global<u32>,
    depths: Global<u32>,
    state: State<LevelState>,
    cells: Shared<u32, 512>,
    slots: Shared<u32, SUBGROUPS>,
    entries: Shared<u32, 680>,
    rows: Shared<u32, ROW_WORDS>,
    counts: Shared<u32, 9>,
) {
    let mut level = LevelInfo::of(&state);
    let implementation = VariantCode::implementation(level.variant);
    let mut memory = BlockMemory { cells, slots };
    let (lists, persists) = (DoubleList { entries: lists, capacity: params.nodes }, level.persists());
    let mut search = Search { lane, params: *params, graph, depths, lists, tree, state, rows, persists };
    let mut tally = Tally { found: 0, edges: 0 };
    if implementation == VariantCode::VERTEX_PULL_WARP {
        search.pull_pieces(lane, level, in_graph, pieces, &mut tally);
        search.pull_level(lane, level, in_graph, &mut tally);
    } else if implementation == VariantCode::LIST_PUSH_WARP {
        let teams = Teams::of(lane, implementation, params, level.frontier);
        search.push_by_teams(level, teams, true, &mut tally);
    } else {
        (level, tally.edges) = search.push_levels(lane, level, entries, counts, &mut memory);
    }
    if persists {
        if lane.local == 0 {
            level.write(&mut search.state, params);
        }
    } else {
        search.count_up(level, &tally, &mut memory.slots);
        search.advance(level);
    }
}

/// Walks down the tree; `before` is the variant of the level before.
#[inline(always)]
fn choose(tree: Read<Decision>, before: u32, frontier: u32, discovered: u32, edges: u32) -> u32 {
    let mut node = tree.get(0);
    while node.feature != Decision::LEAF {
        let feature = if node.feature == Decision::FRONTIER {
            frontier
        } else if node.feature == Decision::DISCOVERED {
            discovered
        } else if node.feature == Decision::EDGES {
            edges
        } else {
            edges / frontier.max(1)
        };
        node = tree.get(if feature <= node.threshold { node.at_most } else { node.more });
    }
    if node.threshold == Decision::REPEAT { before } else { node.threshold }
}
