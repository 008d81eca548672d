//! A breadth-first search that chooses its direction at every level (Beamer et al. 2012), on the device. It pushes from a list of
//! nodes while the edges out of the frontier are few beside those not seen yet; else every node not seen yet pulls: it looks for
//! a neighbour that is in the frontier, and the first ends the search. What was seen is a bitmap, 32 nodes a word, small enough
//! to stay in a GPU's cache.
//!
//! A node's edges are taken four at a time by its lane, what is left by its subgroup, and those of a node with thousands by the
//! whole dispatch. Pulling needs every edge's reverse; a graph without goes on pushing.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, prefix_sum},
    ranges::step,
    schedule::first,
};
use evenkeel_types::{Control, SearchParams, WORKGROUP};

/// A frontier pulls when its edges times this are more than those of the nodes not seen yet (Beamer et al., 5).
const ALPHA: u32 = 14;

/// Edges of a node that its lane takes alone, when it pushes.
const PUSH_ALONE: u32 = 8;
/// The same when it pulls, where most nodes are done sooner.
const PULL_ALONE: u32 = 32;

/// A node with more edges is left to the whole dispatch.
pub const HEAVY: u32 = 2048;

/// Nowhere: more than any lane of a subgroup.
const NONE: u32 = u32::MAX;

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
    /// The depth of what is found.
    pub depth: u32,
}

/// A node at the end of an edge.
#[derive(Clone, Copy)]
pub struct Seen {
    /// The node.
    pub node: u32,
    /// 1 when this lane was the first to see it.
    pub new: u32,
}

/// Four of them.
#[derive(Clone, Copy)]
pub struct Four {
    /// The first.
    pub a: Seen,
    /// The second.
    pub b: Seen,
    /// The third.
    pub c: Seen,
    /// The fourth.
    pub d: Seen,
}

impl Four {
    /// None that is new.
    pub const NONE: Self = {
        let none = Seen { node: 0, new: 0 };
        Self { a: none, b: none, c: none, d: none }
    };

    /// How many are new.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.a.new + self.b.new + self.c.new + self.d.new
    }
}

impl Search<'_> {
    /// The entry of a list's half.
    #[inline(always)]
    fn place(&self, half: u32, entry: u32) -> u32 {
        half * self.params.nodes + entry
    }

    /// The nodes at the ends of `edge` and the next three, `stride` apart; the last before `end` for those that are past it.
    #[inline(always)]
    pub fn ends(&self, edge: u32, stride: u32, end: u32) -> (u32, u32, u32, u32) {
        let last = end - 1;
        let node = |steps: u32| self.columns.get((edge + steps * stride).min(last));
        (node(0), node(1), node(2), node(3))
    }

    /// Sees four nodes at the ends of `edge` and the next three, `stride` apart, as far as these are before `end`.
    #[inline(always)]
    pub fn see(&mut self, (a, b, c, d): (u32, u32, u32, u32), edge: u32, stride: u32, end: u32) -> Four {
        // A node that is there only to fill up sets no bit. Four atomics in flight cost little more than one.
        let left = end - edge;
        let bit = |node: u32, steps: u32| u32::from(left > steps * stride) << (node % 32);
        let bits = (bit(a, 0), bit(b, 1), bit(c, 2), bit(d, 3));
        let before = (
            self.seen.or(self.now + a / 32, bits.0),
            self.seen.or(self.now + b / 32, bits.1),
            self.seen.or(self.now + c / 32, bits.2),
            self.seen.or(self.now + d / 32, bits.3),
        );
        Four {
            a: Seen { node: a, new: u32::from(bits.0 & !before.0 != 0) },
            b: Seen { node: b, new: u32::from(bits.1 & !before.1 != 0) },
            c: Seen { node: c, new: u32::from(bits.2 & !before.2 != 0) },
            d: Seen { node: d, new: u32::from(bits.3 & !before.3 != 0) },
        }
    }

    /// The edges out of a node that is new. One that is not is looked up where `known` is: in the cache. Where no node is heavy,
    /// the mean will do.
    #[inline(always)]
    fn degree(&self, seen: Seen, known: u32) -> u32 {
        if self.params.short > 0 {
            return self.params.mean_degree * seen.new;
        }
        let node = if seen.new == 1 { seen.node } else { known };
        (self.row_offsets.get(node + 1) - self.row_offsets.get(node)) * seen.new
    }

    /// Gives a new node its depth and its place on the list that is written, `entry` unless it is heavy. Returns the next entry.
    #[inline(always)]
    fn list(&mut self, lane: Lane, half: u32, seen: Seen, degree: u32, entry: u32) -> u32 {
        if seen.new == 0 {
            return entry;
        }
        self.depths.set(seen.node, self.depth);
        if degree <= HEAVY {
            self.lists.set(self.place(half, entry), seen.node);
            return entry + 1;
        }
        let heavy = lane.append_one(&mut self.control, Control::LEFT_NEXT);
        self.lists.set(self.place(half, self.params.nodes - 1 - heavy), seen.node);
        entry
    }

    /// Sees four nodes and puts the new ones on the list that is written. Returns the edges out of these.
    #[inline(always)]
    fn push(&mut self, lane: Lane, half: u32, edge: u32, stride: u32, end: u32) -> u32 {
        let nodes = self.ends(edge, stride, end);
        let Four { a, b, c, d } = self.see(nodes, edge, stride, end);
        let degrees = (self.degree(a, a.node), self.degree(b, a.node), self.degree(c, a.node), self.degree(d, a.node));
        let light = |seen: Seen, degree: u32| if degree <= HEAVY { seen.new } else { 0 };
        let lights = light(a, degrees.0) + light(b, degrees.1) + light(c, degrees.2) + light(d, degrees.3);
        let entry = lane.append(&mut self.control, Control::NEXT, lights);
        let entry = self.list(lane, half, a, degrees.0, entry);
        let entry = self.list(lane, half, b, degrees.1, entry);
        let entry = self.list(lane, half, c, degrees.2, entry);
        self.list(lane, half, d, degrees.3, entry);
        degrees.0 + degrees.1 + degrees.2 + degrees.3
    }

    /// One level from the list of the frontier. Returns the edges out of the nodes that this lane found.
    #[inline(always)]
    fn push_level(&mut self, lane: Lane) -> u32 {
        let heavy = self.control.load(Control::LEFT);
        let count = self.control.load(Control::FRONTIER) - heavy;
        let half = self.control.load(Control::SIDE);
        let mut edges = 0;
        for block in lane.by_group(count.div_ceil(lane.threads)) {
            let entry = block * lane.threads + lane.local;
            let (mut edge, mut end) = (0, 0);
            if entry < count {
                let node = self.lists.get(self.place(half, entry));
                edge = self.row_offsets.get(node);
                end = self.row_offsets.get(node + 1);
            }
            let alone = end.min(edge + PUSH_ALONE);
            while edge < alone {
                edges += self.push(lane, 1 - half, edge, 1, end);
                edge += 4;
            }
            let mut owner = next_owner(lane, edge, end);
            while owner != NONE {
                let (begin, last) = (of(lane, owner, edge), of(lane, owner, end));
                for first in step(begin + lane.subgroup_lane, last, 4 * lane.subgroup_size) {
                    edges += self.push(lane, 1 - half, first, lane.subgroup_size, last);
                }
                if lane.subgroup_lane == owner {
                    edge = end;
                }
                owner = next_owner(lane, edge, end);
            }
        }
        for entry in 0..heavy {
            let node = self.lists.get(self.place(half, self.params.nodes - 1 - entry));
            let (begin, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
            let stride = lane.threads * lane.groups;
            for first in step(begin + lane.global(), end, 4 * stride) {
                edges += self.push(lane, 1 - half, first, stride, end);
            }
        }
        edges
    }

    /// Whether one of the nodes at the ends of `edge` and the next three, `stride` apart, before `end`, is in the frontier. A
    /// neighbour that was seen at all is: had it been seen earlier, this node would have been, too.
    #[inline(always)]
    fn any_seen(&self, edge: u32, stride: u32, end: u32) -> bool {
        let (a, b, c, d) = self.ends(edge, stride, end);
        let seen = |node: u32| (self.seen.get(self.now + node / 32) >> (node % 32)) & 1;
        (seen(a) | seen(b) | seen(c) | seen(d)) == 1
    }

    /// Whether the node has a neighbour in the frontier: for the first edges each lane looks by itself, then all for one after
    /// the other. Every lane of the subgroup calls it, with `edge` at `end` when it has no node.
    #[inline(always)]
    fn pull(&self, lane: Lane, mut edge: u32, end: u32) -> bool {
        let alone = end.min(edge + PULL_ALONE);
        let mut found = false;
        while edge < alone && !found {
            found = self.any_seen(edge, 1, end);
            edge += 4;
        }
        if found {
            edge = end;
        }
        let mut owner = next_owner(lane, edge, end);
        while owner != NONE {
            let (mut begin, last) = (of(lane, owner, edge), of(lane, owner, end));
            let mut any = 0;
            while begin < last && any == 0 {
                let first = begin + lane.subgroup_lane;
                any = lane.count(first < last && self.any_seen(first, lane.subgroup_size, last));
                begin += 4 * lane.subgroup_size;
            }
            if lane.subgroup_lane == owner {
                edge = end;
                found = any > 0;
            }
            owner = next_owner(lane, edge, end);
        }
        found
    }

    /// One level by the nodes not seen yet: each lane looks at a word of the bitmap, and the subgroup takes the words that have
    /// any. Returns how many nodes this lane found, and the edges out of these.
    #[inline(always)]
    fn pull_level(&mut self, lane: Lane) -> (u32, u32) {
        let (nodes, words) = (self.params.nodes, self.params.words());
        let other = words - self.now;
        let subgroups = lane.subgroups * lane.groups;
        let (mut count, mut edges) = (0, 0);
        for first in step(lane.group * lane.subgroups + lane.subgroup, words, subgroups * lane.subgroup_size) {
            let word = first + lane.subgroup_lane * subgroups;
            let before = if word < words { self.seen.get(self.now + word) } else { NONE };
            let mut after = before;
            let mut owner = lane.reduce_min(if before != NONE { lane.subgroup_lane } else { NONE });
            while owner != NONE {
                let (base, seen) = (of(lane, owner, word) * 32, of(lane, owner, before));
                for bit in step(lane.subgroup_lane, 32_u32.next_multiple_of(lane.subgroup_size), lane.subgroup_size) {
                    let node = base + bit;
                    let (mut edge, mut end) = (0, 0);
                    if bit < 32 && node < nodes && (seen >> bit) & 1 == 0 {
                        edge = self.row_offsets.get(node);
                        end = self.row_offsets.get(node + 1);
                    }
                    let found = self.pull(lane, edge, end);
                    if found {
                        self.depths.set(node, self.depth);
                        count += 1;
                        edges += end - edge;
                    }
                    let bits = lane.bits(found) << (bit - lane.subgroup_lane);
                    if lane.subgroup_lane == owner {
                        after |= bits;
                    }
                }
                let left = before != NONE && lane.subgroup_lane > owner;
                owner = lane.reduce_min(if left { lane.subgroup_lane } else { NONE });
            }
            if word < words {
                self.seen.set(other + word, after);
            }
        }
        (count, edges)
    }

    /// Makes the list of the nodes that were found last: those with a bit in the one bitmap and none in the other.
    #[inline(always)]
    fn collect(&mut self, lane: Lane) {
        let words = self.params.words();
        let half = self.control.load(Control::SIDE);
        for node in lane.grid_stride(self.params.nodes) {
            let (now, before) = (self.seen.get(self.now + node / 32), self.seen.get(words - self.now + node / 32));
            if ((now & !before) >> (node % 32)) & 1 == 1 {
                let degree = self.row_offsets.get(node + 1) - self.row_offsets.get(node);
                if degree <= HEAVY {
                    let entry = lane.append_one(&mut self.control, Control::NEXT);
                    self.lists.set(self.place(1 - half, entry), node);
                } else {
                    let heavy = lane.append_one(&mut self.control, Control::LEFT_NEXT);
                    self.lists.set(self.place(1 - half, self.params.nodes - 1 - heavy), node);
                }
            }
        }
    }

    /// Every invocation calls this last, with the mode of the iteration. When all are done, what was written becomes what is
    /// read, and the direction of the next iteration is chosen.
    #[inline(always)]
    fn advance(&mut self, lane: Lane, mode: u32) {
        if lane.last(&mut self.control, Control::TICKET) {
            let control = &mut self.control;
            let heavy = control.load(Control::LEFT_NEXT);
            let found = control.load(Control::NEXT) + heavy;
            let mut edges = control.load(Control::NEXT_EDGES);
            if self.params.short > 0 && mode == SearchParams::PUSH {
                edges = found * self.params.mean_degree;
            }
            // An estimate may come to more than there are.
            let seen_edges = (control.load(Control::SEEN_EDGES) + edges).min(self.params.edges);
            let mut next = SearchParams::PUSH;
            if mode == SearchParams::COLLECT {
                edges = control.load(Control::EDGES);
            } else {
                control.store(Control::SEEN_EDGES, seen_edges);
                control.store(Control::ITERATION, self.depth);
                let unseen = self.params.edges - seen_edges;
                if self.params.can_pull == 1 && edges > unseen / ALPHA {
                    next = SearchParams::PULL;
                } else if mode == SearchParams::PULL {
                    next = SearchParams::COLLECT;
                }
            }
            if mode == SearchParams::PULL {
                let side = control.load(Control::SEEN_SIDE);
                control.store(Control::SEEN_SIDE, 1 - side);
            } else {
                let side = control.load(Control::SIDE);
                control.store(Control::SIDE, 1 - side);
                control.store(Control::LEFT, heavy);
            }
            control.store(Control::FRONTIER, found);
            control.store(Control::EDGES, edges);
            control.store(Control::NEXT, 0);
            control.store(Control::LEFT_NEXT, 0);
            control.store(Control::NEXT_EDGES, 0);
            control.store(Control::MODE, next);
            size_next(&self.params, control, next, found, heavy, edges);
        }
    }
}

/// The first lane of the subgroup that has some of its row left, or [`NONE`].
#[inline(always)]
fn next_owner(lane: Lane, edge: u32, end: u32) -> u32 {
    lane.reduce_min(if edge < end { lane.subgroup_lane } else { NONE })
}

/// What a lane of the subgroup has for a value.
#[inline(always)]
fn of(lane: Lane, owner: u32, value: u32) -> u32 {
    lane.reduce_max(if lane.subgroup_lane == owner { value } else { 0 })
}

/// The workgroups of the next iteration: of the whole dispatch, or the one that takes several levels.
#[inline(always)]
pub fn size_next(params: &SearchParams, control: &mut Global<u32>, mode: u32, found: u32, heavy: u32, edges: u32) {
    let items = if mode != SearchParams::PUSH {
        params.nodes
    } else if heavy > 0 {
        found.max(edges / 4)
    } else {
        found
    };
    let groups = items.div_ceil(WORKGROUP).min(params.max_groups);
    let alone = mode == SearchParams::PUSH && heavy == 0 && found <= params.short;
    control.store(Control::GROUPS, if found == 0 || alone { 0 } else { groups });
    control.store(Control::EXPAND_GROUPS, u32::from(found > 0 && alone));
}

/// The bitmap of the nodes without edges, twice: where every edge has its reverse they are never found, and need not be looked at.
#[kernel(threads = 256)]
pub fn search_skips(lane: Lane, params: &SearchParams, row_offsets: Read<u32>, mut skips: Global<u32>) {
    for word in lane.grid_stride(params.words()) {
        let mut bits = 0;
        for bit in 0..32 {
            let node = word * 32 + bit;
            let skip = node >= params.nodes || row_offsets.get(node) == row_offsets.get(node + 1);
            bits |= u32::from(skip && params.can_pull == 1) << bit;
        }
        skips.set(word, bits);
        skips.set(params.words() + word, bits);
    }
}

/// Sets `flag[0]` to 1 unless every edge has its reverse. Rows are sorted.
#[kernel(threads = 256)]
pub fn search_one_way(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    mut flag: Global<u32>,
) {
    for edge in lane.grid_stride(params.edges) {
        let from = first(0, params.nodes, |node| row_offsets.get(node + 1) > edge);
        let to = columns.get(edge);
        let end = row_offsets.get(to + 1);
        let back = first(row_offsets.get(to), end, |edge| columns.get(edge) >= from);
        if back == end || columns.get(back) != from {
            flag.store(0, 1);
        }
    }
}

/// Puts the source on the list, alone. No depth is set, and the bitmaps are those of [`search_skips`].
#[kernel(threads = 1)]
pub fn search_start(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    source: Read<u32>,
    mut depths: Global<u32>,
    mut seen: Global<u32>,
    mut lists: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        for word in 0..Control::WORDS {
            control.set(word, 0);
        }
        for word in 1..3 {
            control.set(Control::GROUPS + word, 1);
            control.set(Control::EXPAND_GROUPS + word, 1);
        }
        let degree = row_offsets.get(node + 1) - row_offsets.get(node);
        let heavy = u32::from(degree > HEAVY);
        depths.set(node, 0);
        seen.or(node / 32, 1 << (node % 32));
        lists.set(if heavy == 1 { params.nodes - 1 } else { 0 }, node);
        control.set(Control::FRONTIER, 1);
        control.set(Control::LEFT, heavy);
        control.set(Control::EDGES, degree);
        control.set(Control::SEEN_EDGES, degree);
        size_next(params, &mut control, SearchParams::PUSH, 1, heavy, degree);
    }
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
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (mode, side) = (control.load(Control::MODE), control.load(Control::SEEN_SIDE));
    let (now, depth) = (side * params.words(), control.load(Control::ITERATION) + 1);
    let mut search = Search { params: *params, row_offsets, columns, depths, seen, lists, control, now, depth };
    if mode == SearchParams::COLLECT {
        search.collect(lane);
    } else {
        let (count, edges) =
            if mode == SearchParams::PULL { search.pull_level(lane) } else { (0, search.push_level(lane)) };
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
