//! A breadth-first search that chooses its direction at every level (Beamer et al. 2012), on the device. It pushes from a list of
//! nodes while the edges out of the frontier are few beside those not seen yet; else every node not seen yet pulls: it looks for
//! a neighbour that is in the frontier, and the first ends the search. What was seen is a bitmap, 32 nodes a word, small enough
//! to stay in a GPU's cache.
//!
//! A workgroup shares out the edges of its nodes evenly when it pushes, and a node with thousands is left to the whole dispatch.
//! When a node pulls, its lane looks along a few edges, and then its subgroup along the rest; a node with many has a subgroup to
//! itself. Pulling needs every edge's reverse; a graph without goes on pushing.

pub mod abreast;
pub mod begin;
pub mod pull;
mod push;
pub mod resident;

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, prefix_sum},
};
use evenkeel_types::{Control, SearchParams, WORKGROUP};

/// A frontier pulls when its edges times this are more than those of the nodes not seen yet (Beamer et al., 5).
const ALPHA: u32 = 14;

/// Nodes at the ends of edges that a lane has at a time.
type Nodes = (u32, u32, u32, u32);

/// The state of a search, as one invocation sees it.
pub struct Search<'a> {
    /// What the host chose.
    pub params: SearchParams,
    /// Where each node's edges begin.
    pub row_offsets: Read<'a, u32>,
    /// Where each edge leads.
    pub columns: Read<'a, u32>,
    /// The depths found.
    pub depths: Global<'a, u32>,
    /// Two bitmaps of nodes seen, one behind the other.
    pub seen: Global<'a, u32>,
    /// Two lists of nodes, one behind the other; heavy nodes from the end of each.
    pub lists: Global<'a, u32>,
    /// The words of a [`Control`].
    pub control: Global<'a, u32>,
    /// The first word of the bitmap that is up to date.
    pub now: u32,
    /// The depth of what is found in this level, where there is but one.
    pub depth: u32,
    /// What this level begins with, where there is but one.
    pub frontier: Frontier,
}

/// A frontier on a list.
#[derive(Clone, Copy, Default)]
pub struct Frontier {
    /// The half of the lists that it is on.
    pub half: u32,
    /// Its nodes.
    pub count: u32,
    /// How many of them are heavy.
    pub heavy: u32,
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
pub struct Seen {
    /// The node.
    pub node: u32,
    /// 1 when this lane was the first to see it.
    pub new: u32,
}

impl Search<'_> {
    /// The entry of a list's half.
    #[inline(always)]
    fn place(&self, half: u32, entry: u32) -> u32 {
        half * self.params.nodes + entry
    }

    /// The nodes at the ends of `edge` and the next three, `stride` apart; the last before `end` for those that are past it.
    #[inline(always)]
    pub fn ends(&self, edge: u32, stride: u32, end: u32) -> Nodes {
        let last = end - 1;
        let node = |steps: u32| self.columns.get((edge + steps * stride).min(last));
        (node(0), node(1), node(2), node(3))
    }

    /// Sees a node, if there is one. Several calls in a row cost little more than one: their atomics are in flight together.
    #[inline(always)]
    pub fn see(&mut self, node: u32, there: bool) -> Seen {
        let bit = u32::from(there) << (node % 32);
        let before = self.seen.or(self.now + node / 32, bit);
        Seen { node, new: u32::from(bit & !before != 0) }
    }

    /// Sees the first `count` of four nodes.
    #[inline(always)]
    pub fn see_four(&mut self, (a, b, c, d): Nodes, count: u32) -> (Seen, Seen, Seen, Seen) {
        (self.see(a, count > 0), self.see(b, count > 1), self.see(c, count > 2), self.see(d, count > 3))
    }

    /// Every invocation calls this last, with the mode of the iteration. When all are done, what was written becomes what is
    /// read, and the direction of the next iteration is chosen.
    #[inline(always)]
    fn advance(&mut self, lane: Lane, mode: u32) {
        if lane.last(&mut self.control, Control::TICKET) {
            // All at once, so that they are on their way together.
            let control = &mut self.control;
            let (next, heavy) = (control.load(Control::NEXT), control.load(Control::LEFT_NEXT));
            let (mut edges, known) = (control.load(Control::NEXT_EDGES), control.load(Control::EDGES));
            let seen_before = control.load(Control::SEEN_EDGES);
            let mut found = next + heavy;
            if self.params.short > 0 && mode == SearchParams::PUSH {
                edges = found * self.params.mean_degree;
            } else if self.params.can_pull == 1 && edges == found && mode != SearchParams::COLLECT {
                // Each has but the edge that it was found by, back to where the search came from.
                found = 0;
            }
            // An estimate may come to more than there are.
            let seen_edges = (seen_before + edges).min(self.params.edges);
            let unseen = self.params.edges - seen_edges;
            let mut next = SearchParams::PUSH;
            if mode == SearchParams::COLLECT {
                edges = known;
            } else {
                control.store(Control::SEEN_EDGES, seen_edges);
                control.store(Control::ITERATION, self.depth);
                if self.params.can_pull == 1 && edges > unseen / ALPHA {
                    next = SearchParams::PULL;
                } else if mode == SearchParams::PULL {
                    next = SearchParams::COLLECT;
                }
            }
            if mode == SearchParams::PULL {
                control.store(Control::SEEN_SIDE, u32::from(self.now == 0));
            } else {
                control.store(Control::LONG_LEFT + self.depth % 2, self.depth);
                control.store(Control::SIDE, 1 - self.frontier.half);
                control.store(Control::LEFT, heavy);
            }
            control.store(Control::FRONTIER, found);
            control.store(Control::EDGES, edges);
            control.store(Control::NEXT, 0);
            control.store(Control::LEFT_NEXT, 0);
            control.store(Control::NEXT_EDGES, 0);
            control.store(Control::MODE, next);
            let along = if next == SearchParams::PULL { unseen } else { edges };
            size_next(&self.params, control, next, found, heavy, along);
        }
    }
}

/// The workgroups of the next iteration: of the whole dispatch, or the one or the few that take several levels. `edges` are those
/// that it may have to look along.
#[inline(always)]
pub fn size_next(params: &SearchParams, control: &mut Global<u32>, mode: u32, found: u32, heavy: u32, edges: u32) {
    let items = if mode == SearchParams::COLLECT {
        params.nodes
    } else if mode == SearchParams::PULL {
        (2 * params.words()).max(edges)
    } else if heavy > 0 {
        found.max(edges / 2)
    } else {
        found
    };
    let many_levels = mode == SearchParams::PUSH && heavy == 0 && found <= params.middling;
    let (mut groups, mut one, mut few) = (items.div_ceil(WORKGROUP).min(params.max_groups), 0, 0);
    if found == 0 || many_levels {
        groups = 0;
    }
    if found > 0 && many_levels {
        one = u32::from(found <= params.short);
        few = params.few_groups * (1 - one);
    }
    control.store(Control::GROUPS, groups);
    control.store(Control::EXPAND_GROUPS, one);
    control.store(Control::ABREAST_GROUPS, few);
}

/// One level, in the direction that was chosen for it.
#[kernel(threads = 256)]
pub fn search_level(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    depths: Global<u32>,
    seen: Global<u32>,
    lists: Global<u32>,
    control: Global<u32>,
    long: Read<u32>,
    mut cells: Shared<u32, 512>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // Plain, so that a cache answers all but the first: they are written only after everybody has taken a ticket.
    let (mode, side) = (control.get(Control::MODE), control.get(Control::SEEN_SIDE));
    let (half, count) = (control.get(Control::SIDE), control.get(Control::FRONTIER));
    let frontier = Frontier { half, count, heavy: control.get(Control::LEFT) };
    let (now, depth) = (side * params.words(), control.get(Control::ITERATION) + 1);
    let long_left = control.get(Control::LONG_LEFT + (depth - 1) % 2) == depth - 1;
    let mut search =
        Search { params: *params, row_offsets, columns, depths, seen, lists, control, now, depth, frontier };
    if mode == SearchParams::COLLECT {
        search.collect(lane);
    } else {
        let (count, edges) = if mode == SearchParams::PULL {
            search.pull_level(lane, long, long_left)
        } else {
            (0, search.push_level(lane, &mut cells, &mut slots))
        };
        if params.short == 0 || mode == SearchParams::PULL {
            let edges = prefix_sum(lane, edges, &mut slots).total;
            lane.barrier();
            let count = prefix_sum(lane, count, &mut slots).total;
            if lane.local == 0 && edges > 0 {
                search.control.add(Control::NEXT_EDGES, edges);
            }
            if lane.local == 0 && count > 0 {
                search.control.add(Control::NEXT, count);
            }
        }
    }
    search.advance(lane, mode);
}
