//! A level of a breadth-first search in the fifteen ways of Verstraaten et al., and a few with a list of the frontier. Theirs
//! are topology-driven: every edge or every node is looked at in every level, and the depths say which are the frontier.
//!
//! All ways are one kernel with a uniform switch, because the last workgroup of a level chooses the next level's way by a
//! decision tree: a switch costs nothing beside the empty dispatches that separate kernels would.

use super::{degree, start::begin};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, Slots, prefix_sum},
    ranges::step,
};
use evenkeel_types::{Control, Decision, LevelParams, LevelWay, RestoreParams, UNREACHED};

/// What a level finds, as one invocation sees it.
struct Search<'a> {
    row_offsets: Read<'a, u32>,
    depths: Global<'a, u32>,
    next: Global<'a, u32>,
    control: Global<'a, u32>,
    /// The depth of the frontier.
    level: u32,
    /// How discoveries are counted.
    count: u32,
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
    fn is_frontier(&self, node: u32) -> bool {
        self.depths.load(node) == self.level
    }

    /// Discovers a node that others may discover at the same time: one of them succeeds.
    #[inline(always)]
    fn claim(&mut self, lane: Lane, node: u32, tally: &mut Tally) {
        let depth = self.level + 1;
        // The load is cheap and spares most of the atomics.
        if self.depths.load(node) == UNREACHED && self.depths.compare_exchange(node, UNREACHED, depth) == UNREACHED {
            self.discover(lane, node, tally);
        }
    }

    #[inline(always)]
    fn discover(&mut self, lane: Lane, node: u32, tally: &mut Tally) {
        tally.edges += degree(self.row_offsets, node);
        if self.count == LevelWay::LIST {
            let place = lane.append_one(&mut self.control, Control::NEXT);
            self.next.set(place, node);
        } else if self.count == LevelWay::ATOMIC {
            self.control.add(Control::NEXT, 1);
        } else {
            tally.found += 1;
        }
    }

    /// Adds up what was only counted so far. All invocations of a workgroup call it together.
    #[inline(always)]
    fn count_up(&mut self, lane: Lane, tally: &Tally, slots: &mut Slots) {
        // Out of loops of very different lengths a subgroup is together again only when it has waited for all.
        lane.barrier();
        if self.count == LevelWay::SUBGROUP {
            let found = lane.reduce_add(tally.found);
            if lane.subgroup_lane == 0 && found > 0 {
                self.control.add(Control::NEXT, found);
            }
        } else if self.count == LevelWay::WORKGROUP {
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
}

/// Searches one level. Every edge has its two ends in `origins` and `columns`; what begins with `in_` is the same of the
/// reversed graph. The list is the frontier, where the ways of a model keep one.
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
    list: Read<u32>,
    next: Global<u32>,
    depths: Global<u32>,
    control: Global<u32>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // Plain, so that a cache answers all but the first: they are written only after everybody has taken a ticket.
    let way = control.get(Control::WAY);
    let (frontier, level) = (control.get(Control::FRONTIER), control.get(Control::ITERATION));
    let (implementation, count) = (LevelWay::implementation(way), LevelWay::count(way));
    let mut search = Search { row_offsets, depths, next, control, level, count };
    let mut tally = Tally { found: 0, edges: 0 };
    if implementation == LevelWay::EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(origins.get(edge)) {
                search.claim(lane, columns.get(edge), &mut tally);
            }
        }
    } else if implementation == LevelWay::REVERSE_EDGE_LIST {
        for edge in lane.grid_stride(params.edges) {
            if search.is_frontier(in_columns.get(edge)) {
                search.claim(lane, in_origins.get(edge), &mut tally);
            }
        }
    } else if implementation == LevelWay::VERTEX_PULL {
        for node in lane.grid_stride(params.nodes) {
            if search.depths.load(node) == UNREACHED {
                let (mut edge, end) = (in_row_offsets.get(node), in_row_offsets.get(node + 1));
                let mut found = false;
                while edge < end {
                    found = search.is_frontier(in_columns.get(edge));
                    edge = if found { end } else { edge + 1 };
                }
                if found {
                    // Nobody else writes this node.
                    search.depths.store(node, level + 1);
                    search.discover(lane, node, &mut tally);
                }
            }
        }
    } else {
        let push = Push::of(lane, implementation, params, frontier);
        for block in step(push.first, push.end, push.stride) {
            for item in block * push.nodes..push.last.min((block + 1) * push.nodes) {
                let node = if implementation >= LevelWay::LIST_PUSH { list.get(item) } else { item };
                if implementation >= LevelWay::LIST_PUSH || search.is_frontier(node) {
                    for edge in step(row_offsets.get(node) + push.member, row_offsets.get(node + 1), push.width) {
                        search.claim(lane, columns.get(edge), &mut tally);
                    }
                }
            }
        }
    }
    search.count_up(lane, &tally, &mut slots);
    if lane.last(&mut search.control, Control::TICKET) {
        advance(&mut search.control, tree, params);
    }
}

/// How pushing hands out nodes, as one invocation sees it: teams of `width` invocations take blocks of `nodes` items, and the
/// edges of each node in turn.
struct Push {
    /// The first block of this invocation's team, the number of blocks, and how many teams there are.
    first: u32,
    end: u32,
    stride: u32,
    /// Items in a block.
    nodes: u32,
    /// How many items there are.
    last: u32,
    /// The invocation's number in its team.
    member: u32,
    width: u32,
}

impl Push {
    #[inline(always)]
    fn of(lane: Lane, implementation: u32, params: &LevelParams, frontier: u32) -> Self {
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

/// Ends a level: what was discovered is the frontier, and the tree says how to search on.
#[inline(always)]
fn advance(control: &mut Global<u32>, tree: Read<Decision>, params: &LevelParams) {
    let (frontier, edges) = (control.load(Control::NEXT), control.load(Control::NEXT_EDGES));
    let discovered = control.load(Control::DISCOVERED) + frontier;
    control.store(Control::FRONTIER, frontier);
    control.store(Control::EDGES, edges);
    control.store(Control::DISCOVERED, discovered);
    control.store(Control::NEXT, 0);
    control.store(Control::NEXT_EDGES, 0);
    control.store(Control::ITERATION, control.load(Control::ITERATION) + 1);
    let way = choose(tree, control.load(Control::WAY), frontier, discovered, edges);
    control.store(Control::WAY, way);
    control.store(Control::GROUPS, LevelWay::groups(way, params, frontier, edges));
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

/// The beginning of a search: the source is discovered, and the tree says how to search the first level.
#[kernel(threads = 1)]
pub fn level_start(
    lane: Lane,
    params: &LevelParams,
    source: Read<u32>,
    row_offsets: Read<u32>,
    tree: Read<Decision>,
    mut list: Global<u32>,
    mut depths: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        let edges = degree(row_offsets, node);
        let way = choose(tree, params.first_way, 1, 1, edges);
        depths.set(node, 0);
        list.set(0, node);
        begin(&mut control, 1, params.max_groups);
        control.set(Control::EDGES, edges);
        control.set(Control::DISCOVERED, 1);
        control.set(Control::WAY, way);
        control.set(Control::GROUPS, LevelWay::groups(way, params, 1, edges));
    }
}

/// The beginning of a level again, from the depths that a whole search found and its nodes in the `order` they were discovered
/// in: `moment` is the level, where it begins in that order, how many nodes it has and how many edges.
#[kernel(threads = 256)]
pub fn level_restore(
    lane: Lane,
    params: &RestoreParams,
    moment: Read<u32>,
    found: Read<u32>,
    order: Read<u32>,
    mut list: Global<u32>,
    mut depths: Global<u32>,
    mut control: Global<u32>,
) {
    let (level, first, frontier, edges) = (moment.get(0), moment.get(1), moment.get(2), moment.get(3));
    for node in lane.grid_stride(params.level.nodes) {
        let depth = found.get(node);
        depths.set(node, if depth <= level { depth } else { UNREACHED });
    }
    for place in lane.grid_stride(frontier) {
        list.set(place, order.get(first + place));
    }
    if lane.global() == 0 {
        begin(&mut control, frontier, params.level.max_groups);
        control.set(Control::ITERATION, level);
        control.set(Control::EDGES, edges);
        control.set(Control::DISCOVERED, first + frontier);
        control.set(Control::WAY, params.way);
        control.set(Control::GROUPS, LevelWay::groups(params.way, &params.level, frontier, edges));
    }
}
