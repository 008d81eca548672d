//! A breadth-first search that chooses its direction at every level (Beamer et al. 2012), on the device. It pushes from a list of nodes while
//! the edges out of the frontier are few beside those of the nodes not visited yet; else every node not visited yet pulls: it searches for a
//! neighbour in the frontier, and the first one ends the search. The visited nodes are a bitmap.
//!
//! A workgroup shares out the edges of its nodes evenly when it pushes, and the whole dispatch takes the edges of a node with thousands.
//! When a node pulls, its lane searches along a few edges, and then its subgroup along the rest; a node with many edges has a subgroup to
//! itself. Where degrees are skewed, the lane first looks at the node's neighbour of the highest degree, because that is visited before most
//! others. Nodes pull along the edges that lead to them, which are rows of their own where an edge may be without its reverse.

#[macro_use]
mod data;

// Public, or rust-gpu would not find the entry points.
pub mod begin;
pub mod exchange;
pub mod many_levels;
pub mod needs;
mod pull;
mod push;

pub use data::{SearchData, SearchParams, SearchState};
pub use pull::LONG;

use crate::frontier::{Bitmaps, DoubleList};
use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, prefix_sum};
use crate::strategy::edges_in;

/// The nodes of the frontier push to their neighbours.
pub const PUSH: u32 = 0;
/// The nodes not visited yet search for a neighbour in the frontier.
pub const PULL: u32 = 1;
/// The frontier, known by its bits alone, is made into a list.
pub const COLLECT: u32 = 2;
/// The source pushes to so many neighbours that they will hardly push in turn: they are not listed, and known by their bits alone.
pub const MARK: u32 = 3;

/// A search, as one invocation sees it.
struct Search<'a> {
    lane: Lane,
    params: SearchParams,
    graph: Csr<Views<'a>>,
    /// The edges that lead to each node: the graph itself where every edge has its reverse.
    incoming: Csr<Views<'a>>,
    /// Each node's neighbour of the highest degree, where these are known.
    hubs: Read<'a, u32>,
    depths: Global<'a, u32>,
    visited: Bitmaps<'a>,
    lists: DoubleList<'a>,
    state: State<'a, SearchState>,
    /// The depth of what is found in this iteration, where there is but one level.
    depth: u32,
}

/// The frontier on a list.
#[derive(Clone, Copy)]
struct Listed {
    /// The list, 0 or 1.
    half: u32,
    /// Its nodes.
    count: u32,
    /// How many of them are heavy.
    heavy: u32,
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    /// 1 when this lane was the first to visit it.
    new: u32,
}

/// Nodes at the ends of the edges that a lane has at a time.
type Nodes = (u32, u32, u32, u32);

/// The nodes at the ends of `edge` and the next three, `stride` apart; the last before `end` for those that are past it.
#[inline(always)]
fn ends(columns: Read<u32>, edge: u32, stride: u32, end: u32) -> Nodes {
    let last = end - 1;
    let node = |steps: u32| columns.get((edge + steps * stride).min(last));
    (node(0), node(1), node(2), node(3))
}

#[inline_all]
impl<'a> Search<'a> {
    /// The search of an iteration with the bitmap `side` up to date that finds nodes at `depth`.
    fn new(
        lane: Lane,
        params: &SearchParams,
        (graph, incoming, hubs): (Csr<Views<'a>>, Csr<Views<'a>>, Read<'a, u32>),
        data: SearchData<Views<'a>>,
        state: State<'a, SearchState>,
        (side, depth): (u32, u32),
    ) -> Self {
        Self {
            lane,
            params: *params,
            graph,
            incoming,
            hubs,
            depths: data.depths,
            visited: Bitmaps::new(data.visited, params.words(), side),
            lists: DoubleList { entries: data.lists, capacity: params.nodes },
            state,
            depth,
        }
    }

    /// The first of a node's edges that can be pushed along in this dispatch, and how many there are.
    fn row(&self, node: u32) -> (u32, u32) {
        edges_in(&self.params.rows, self.graph.row_offsets, node)
    }

    /// Visits a node if it is present. Several calls in a row cost little more than one: their atomics are in flight together.
    fn visit(&mut self, node: u32, present: bool) -> Reached {
        Reached { node, new: self.visited.visit(node, present) }
    }

    /// Visits the first `count` of four nodes.
    fn visit_four(&mut self, (a, b, c, d): Nodes, count: u32) -> (Reached, Reached, Reached, Reached) {
        (self.visit(a, count > 0), self.visit(b, count > 1), self.visit(c, count > 2), self.visit(d, count > 3))
    }

    /// Whether there is a target, at this depth or nearer. All invocations get the same answer, although others may go on meanwhile: they find
    /// nodes further away.
    fn has_arrived(&self, depth: u32) -> bool {
        self.params.target != UNREACHED && self.depths.load(self.params.target) <= depth
    }

    /// Every invocation calls this last. When all are done, what was written becomes what is read, and the next direction is chosen.
    fn advance(&mut self, mode: u32, half: u32) {
        let (state, ends_iteration) = (&mut self.state, self.params.rows.is_last == 1);
        if state.is_last(self.lane) && ends_iteration {
            // All at once, so that the loads are in flight together.
            let (next, heavy) = (state.load(SearchState::NEXT), state.load(SearchState::NEXT_HEAVY));
            let (mut edges, known) = (state.load(SearchState::NEXT_EDGES), state.load(SearchState::EDGES));
            let visited_before = state.load(SearchState::VISITED_EDGES);
            let mut found = next + heavy;
            if self.params.short > 0 && mode == PUSH {
                edges = found * self.params.mean_degree;
            } else if self.params.symmetric == 1 && self.params.edge_shift == 0 && edges == found && mode != COLLECT {
                // Each has but the edge that it was found by, back to where the search came from.
                found = 0;
            }
            // An estimate may come to more than there are.
            let visited_edges = (visited_before + edges).min(self.params.edges);
            let unvisited = self.params.edges - visited_edges;
            let mut next = PUSH;
            if mode == COLLECT {
                edges = known;
            } else {
                state.store(SearchState::VISITED_EDGES, visited_edges);
                state.store(SearchState::ITERATION, self.depth);
                if self.params.pull_factor > 0 && edges > unvisited / self.params.pull_factor {
                    next = PULL;
                } else if mode != PUSH {
                    next = COLLECT;
                }
            }
            if mode == PULL {
                state.store(SearchState::SIDE, u32::from(self.visited.current == 0));
            } else {
                state.store(SearchState::LONG_LEFT.at(self.depth % 2), self.depth);
                state.store(SearchState::HALF, 1 - half);
                state.store(SearchState::HEAVY, heavy);
            }
            state.store(SearchState::FRONTIER, found);
            state.store(SearchState::EDGES, edges);
            state.store(SearchState::NEXT, 0);
            state.store(SearchState::NEXT_HEAVY, 0);
            state.store(SearchState::NEXT_EDGES, 0);
            state.store(SearchState::MODE, next);
            let along = if next == PULL { unvisited } else { edges };
            size_next(&self.params, state, next, found, heavy, along);
        }
    }
}

/// Sizes the next iteration, which looks along up to `edges`: the whole dispatch, or the one or few workgroups that take many levels.
#[inline(always)]
fn size_next(params: &SearchParams, state: &mut State<SearchState>, mode: u32, found: u32, heavy: u32, edges: u32) {
    let items = if mode == COLLECT {
        params.nodes
    } else if mode == PULL {
        (2 * params.words()).max(edges)
    } else {
        found.max(edges / 2)
    };
    let many_levels = mode == PUSH && heavy == 0 && found <= params.medium;
    let (mut groups, mut one, mut few) = (items.div_ceil(WORKGROUP).min(params.max_groups), 0, 0);
    if found == 0 || many_levels {
        groups = 0;
    }
    if found > 0 && many_levels {
        one = u32::from(found <= params.short);
        few = params.cooperating * (1 - one);
    }
    state.store(SearchState::GROUPS.at(0), groups);
    state.store(SearchState::PERSISTENT_GROUPS.at(0), one);
    state.store(SearchState::COOPERATING_GROUPS.at(0), few);
}

/// One level, in the direction that was chosen for it.
#[kernel(threads = 256)]
pub fn search_level(
    lane: Lane,
    params: &SearchParams,
    graph: Csr,
    incoming: Csr,
    data: SearchData,
    state: State<SearchState>,
    long: Read<u32>,
    hubs: Read<u32>,
    mut cells: Shared<u32, 512>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    if state.is_over(SearchState::GROUPS) {
        return;
    }
    // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
    let (mode, side) = (state.get(SearchState::MODE), state.get(SearchState::SIDE));
    let (half, count) = (state.get(SearchState::HALF), state.get(SearchState::FRONTIER));
    let frontier = Listed { half, count, heavy: state.get(SearchState::HEAVY) };
    let depth = state.get(SearchState::ITERATION) + 1;
    let long_left = state.get(SearchState::LONG_LEFT.at((depth - 1) % 2)) == depth - 1;
    let mut search = Search::new(lane, params, (graph, incoming, hubs), data, state, (side, depth));
    if search.has_arrived(depth - 1) {
        // Nothing is found any more, and so the loop ends.
    } else if mode == COLLECT {
        // It takes no edges.
        if params.rows.is_last == 1 {
            search.collect(half);
        }
    } else {
        let (count, edges) = if mode == PULL {
            search.pull_level(lane, long, long_left)
        } else {
            search.push_level(frontier, mode == PUSH, &mut cells, &mut slots)
        };
        if params.short == 0 || mode == PULL {
            let edges = prefix_sum(lane, edges, &mut slots).total;
            lane.barrier();
            let count = prefix_sum(lane, count, &mut slots).total;
            if lane.local == 0 && edges > 0 {
                search.state.add(SearchState::NEXT_EDGES, edges >> params.edge_shift);
            }
            if lane.local == 0 && count > 0 {
                search.state.add(SearchState::NEXT, count);
            }
        }
    }
    search.advance(mode, half);
}
