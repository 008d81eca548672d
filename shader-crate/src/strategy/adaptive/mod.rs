//! A level of a breadth-first search in the fifteen ways of Verstraaten et al., and a few with a list of the frontier. Theirs
//! are topology-driven: every edge or every node is looked at in every level, and the depths say which are the frontier.
//!
//! All ways of a family are one kernel with a uniform switch, because the last workgroup of a level chooses the next level's way
//! by a decision tree: a switch costs nothing beside the empty dispatches that separate kernels would.

pub mod begin;
mod pull;
mod push;
mod resident;

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, Slots, prefix_sum},
};
use evenkeel_types::{Control, Decision, LevelParams, LevelWay, UNREACHED};
use push::Push;
use resident::Near;

/// What is known of a level before it is searched.
#[derive(Clone, Copy)]
struct State {
    /// The depth of the frontier.
    level: u32,
    /// Its nodes, and how many of these are heavy, where they are listed.
    frontier: u32,
    heavy: u32,
    /// The edges out of it.
    edges: u32,
    /// The nodes discovered so far, those of the frontier included.
    discovered: u32,
    /// How it is searched.
    way: u32,
}

impl State {
    /// How discoveries are counted.
    #[inline(always)]
    fn count(self) -> u32 {
        LevelWay::count(self.way)
    }

    #[inline(always)]
    fn of(control: &Global<u32>) -> Self {
        // Plain, so that a cache answers all but the first: they are written only after everybody has taken a ticket.
        Self {
            level: control.get(Control::ITERATION),
            frontier: control.get(Control::FRONTIER),
            heavy: control.get(Control::LEFT),
            edges: control.get(Control::EDGES),
            discovered: control.get(Control::DISCOVERED),
            way: control.get(Control::WAY),
        }
    }

    /// Whether one workgroup searches it, and goes on.
    #[inline(always)]
    fn stays(self) -> bool {
        LevelWay::stays(self.way, self.frontier, self.edges)
    }

    /// The next level: what was discovered is the frontier, and the tree says how to search on.
    #[inline(always)]
    fn after(self, light: u32, heavy: u32, edges: u32, tree: Read<Decision>) -> Self {
        let frontier = light + heavy;
        let discovered = self.discovered + frontier;
        let way = choose(tree, self.way, frontier, discovered, edges);
        Self { level: self.level + 1, frontier, heavy, edges, discovered, way }
    }

    #[inline(always)]
    fn write(self, control: &mut Global<u32>, params: &LevelParams) {
        control.store(Control::ITERATION, self.level);
        control.store(Control::FRONTIER, self.frontier);
        control.store(Control::LEFT, self.heavy);
        control.store(Control::EDGES, self.edges);
        control.store(Control::DISCOVERED, self.discovered);
        control.store(Control::WAY, self.way);
        control.store(Control::NEXT, 0);
        control.store(Control::LEFT_NEXT, 0);
        control.store(Control::NEXT_EDGES, 0);
        control.store(Control::GROUPS, LevelWay::groups(self.way, params, self.frontier, self.edges));
    }
}

/// A search, as one invocation sees it.
struct Search<'a> {
    params: LevelParams,
    row_offsets: Read<'a, u32>,
    columns: Read<'a, u32>,
    depths: Global<'a, u32>,
    /// Two lists of nodes, one behind the other: that of an even level, and that of an odd one. Heavy nodes from the end of each.
    lists: Global<'a, u32>,
    control: Global<'a, u32>,
    /// What the one workgroup that takes several levels has at hand.
    near: Near<'a>,
}

/// What one invocation discovers.
struct Tally {
    /// Discoveries that are not counted yet.
    found: u32,
    /// The edges of all its discoveries.
    edges: u32,
}

impl Search<'_> {
    #[inline(always)]
    fn is_frontier(&self, state: State, node: u32) -> bool {
        self.depths.load(node) == state.level
    }

    /// Where the list of a level's frontier has an entry: of a light node, counted from the beginning.
    #[inline(always)]
    fn light(&self, level: u32, entry: u32) -> u32 {
        (level % 2) * self.params.nodes + entry
    }

    /// The same of a heavy node, counted from the end.
    #[inline(always)]
    fn heavy(&self, level: u32, entry: u32) -> u32 {
        self.light(level, self.params.nodes - 1 - entry)
    }

    /// A node of the listed frontier, where the light ones come first.
    #[inline(always)]
    fn listed(&self, state: State, item: u32) -> u32 {
        let (level, light) = (state.level, state.frontier - state.heavy);
        // An atomic, because the one workgroup that takes several levels wrote it in the same dispatch.
        self.lists.load(if item < light { self.light(level, item) } else { self.heavy(level, item - light) })
    }

    /// The row of a node: its first edge, and how many there are.
    #[inline(always)]
    fn row(&self, node: u32) -> (u32, u32) {
        let first = self.row_offsets.get(node);
        (first, self.row_offsets.get(node + 1) - first)
    }

    /// Discovers a node that others may discover at the same time: one of them succeeds.
    #[inline(always)]
    fn claim(&mut self, lane: Lane, state: State, node: u32, tally: &mut Tally) {
        let depth = state.level + 1;
        // The load is cheap and spares most of the atomics.
        if self.depths.load(node) == UNREACHED && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED {
            self.discover(lane, state, node, tally);
        }
    }

    #[inline(always)]
    fn discover(&mut self, lane: Lane, state: State, node: u32, tally: &mut Tally) {
        let (_, edges) = self.row(node);
        let (count, next) = (state.count(), state.level + 1);
        tally.edges += edges;
        if count == LevelWay::LIST {
            if edges > LevelWay::HEAVY {
                let entry = lane.append_one(&mut self.control, Control::LEFT_NEXT);
                self.lists.set(self.heavy(next, entry), node);
            } else {
                let entry = lane.append_one(&mut self.control, Control::NEXT);
                self.lists.set(self.light(next, entry), node);
            }
        } else if count == LevelWay::ATOMIC {
            self.control.add(Control::NEXT, 1);
        } else {
            tally.found += 1;
        }
    }

    /// Adds up what was only counted so far. All invocations of a workgroup call it together.
    #[inline(always)]
    fn count_up(&mut self, lane: Lane, state: State, tally: &Tally, slots: &mut Slots) {
        // Out of loops of very different lengths a subgroup is together again only when it has waited for all.
        lane.barrier();
        if state.count() == LevelWay::SUBGROUP {
            let found = lane.reduce_add(tally.found);
            if lane.subgroup_lane == 0 && found > 0 {
                self.control.add(Control::NEXT, found);
            }
        } else if state.count() == LevelWay::WORKGROUP {
            let found = prefix_sum(lane, tally.found, slots).total;
            if lane.local == 0 && found > 0 {
                self.control.add(Control::NEXT, found);
            }
        }
        let edges = lane.reduce_add(tally.edges);
        if lane.subgroup_lane == 0 && edges > 0 {
            self.control.add(Control::NEXT_EDGES, edges);
        }
    }

    /// Ends a level that the whole dispatch has searched. Every invocation calls it.
    #[inline(always)]
    fn advance(&mut self, lane: Lane, state: State, tree: Read<Decision>) {
        if lane.last(&mut self.control, Control::TICKET) {
            let (light, heavy) = (self.control.load(Control::NEXT), self.control.load(Control::LEFT_NEXT));
            let edges = self.control.load(Control::NEXT_EDGES);
            state.after(light, heavy, edges, tree).write(&mut self.control, &self.params);
        }
    }
}

/// Searches one level in one of the fifteen ways. Every edge has its two ends in `origins` and `columns`; what begins with `in_` is
/// the same of the reversed graph.
#[kernel(threads = 256)]
pub fn level(
    lane: Lane,
    params: &LevelParams,
    row_offsets: Read<u32>,
    origins: Read<u32>,
    columns: Read<u32>,
    in_row_offsets: Read<u32>,
    in_origins: Read<u32>,
    in_columns: Read<u32>,
    tree: Read<Decision>,
    lists: Global<u32>,
    depths: Global<u32>,
    control: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
    counts: Shared<u32, 8>,
    rows: Shared<u32, 2040>,
) {
    let state = State::of(&control);
    let implementation = LevelWay::implementation(state.way);
    let near = Near { counts, rows, resident: false };
    let mut search = Search { params: *params, row_offsets, columns, depths, lists, control, near };
    let mut tally = Tally { found: 0, edges: 0 };
    if implementation == LevelWay::EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(state, origins.get(edge)) {
                search.claim(lane, state, columns.get(edge), &mut tally);
            }
        }
    } else if implementation == LevelWay::REVERSE_EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(state, in_columns.get(edge)) {
                search.claim(lane, state, in_origins.get(edge), &mut tally);
            }
        }
    } else if implementation == LevelWay::VERTEX_PULL {
        for node in lane.grid_stride(params.nodes) {
            if search.depths.load(node) == UNREACHED {
                let (mut edge, end) = (in_row_offsets.get(node), in_row_offsets.get(node + 1));
                let mut found = false;
                while edge < end {
                    found = search.is_frontier(state, in_columns.get(edge));
                    edge = if found { end } else { edge + 1 };
                }
                if found {
                    search.reach(lane, state, node, &mut tally);
                }
            }
        }
    } else {
        search.push_by_teams(lane, state, Push::of(lane, implementation, params, params.nodes), false, &mut tally);
    }
    search.count_up(lane, state, &tally, &mut slots);
    search.advance(lane, state, tree);
}

/// Searches one level in one of the ways that list the frontier, or several where one workgroup does. What begins with `in_` is of
/// the reversed graph, and `pieces` are of its long rows. A kernel by itself: no model goes from one family of ways to the other,
/// and the fifteen would be slower beside these, which take more registers.
#[kernel(threads = 256)]
pub fn level_listed(
    lane: Lane,
    params: &LevelParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    in_row_offsets: Read<u32>,
    in_columns: Read<u32>,
    pieces: Read<u32>,
    tree: Read<Decision>,
    lists: Global<u32>,
    depths: Global<u32>,
    control: Global<u32>,
    mut cells: Shared<u32, 512>,
    mut slots: Shared<u32, SUBGROUPS>,
    counts: Shared<u32, 8>,
    rows: Shared<u32, 2040>,
) {
    let mut state = State::of(&control);
    let implementation = LevelWay::implementation(state.way);
    let resident = state.stays();
    let near = Near { counts, rows, resident };
    let mut search = Search { params: *params, row_offsets, columns, depths, lists, control, near };
    let mut tally = Tally { found: 0, edges: 0 };
    if implementation == LevelWay::VERTEX_PULL_WARP {
        search.pull_pieces(lane, state, in_row_offsets, in_columns, pieces, &mut tally);
        search.pull_level(lane, state, in_row_offsets, in_columns, &mut tally);
    } else if implementation == LevelWay::LIST_PUSH_WARP {
        search.push_by_teams(lane, state, Push::of(lane, implementation, params, state.frontier), true, &mut tally);
    } else {
        state = search.push_levels(lane, state, tree, &mut cells, &mut slots, &mut tally);
    }
    if resident {
        if lane.local == 0 {
            state.write(&mut search.control, params);
        }
    } else {
        search.count_up(lane, state, &tally, &mut slots);
        search.advance(lane, state, tree);
    }
}

/// Walks down the tree; `before` is the way of the level before.
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
