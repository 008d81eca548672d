//! A breadth-first search that chooses its direction at every level (Beamer et al. 2012), on the device. It pushes from a list of
//! nodes while the edges out of the frontier are few beside those not seen yet; else every node not seen yet pulls: it looks for
//! a neighbour that is in the frontier, and the first ends the search. What was seen is a bitmap, 32 nodes a word, small enough
//! to stay in a GPU's cache.
//!
//! A workgroup shares out the edges of its nodes evenly when it pushes, and a node with thousands is left to the whole dispatch.
//! When a node pulls, its lane looks along a few edges, and then its subgroup along the rest; a node with many has a subgroup to
//! itself. Pulling needs every edge's reverse; a graph without goes on pushing.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    primitive::workgroup::{SUBGROUPS, Slots, prefix_sum},
    ranges::step,
    schedule::first,
};
use evenkeel_types::{Control, SearchParams, UNREACHED, WORKGROUP};

/// A frontier pulls when its edges times this are more than those of the nodes not seen yet (Beamer et al., 5).
const ALPHA: u32 = 14;

/// Edges of a node along which its lane looks alone.
const ALONE: u32 = 32;

/// A node with more edges is left to the whole dispatch, when it pushes.
const HEAVY: u32 = 2048;

/// A node with more edges has a subgroup to itself, when it pulls.
pub const LONG: u32 = 1024;

/// Nodes at the ends of edges that a lane has at a time.
type Nodes = (u32, u32, u32, u32);

/// Nowhere: more than any lane of a subgroup.
const NONE: u32 = u32::MAX;

/// Where a workgroup keeps the ends of its nodes' edges, and behind them their shifts.
type Cells<'a> = Shared<'a, u32, { 2 * WORKGROUP as usize }>;

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

    /// Sees a node and, if there is one, another, and puts what is new on the list that is written. Returns the edges out of that.
    #[inline(always)]
    fn push(&mut self, lane: Lane, half: u32, node: u32, other: u32, both: bool) -> u32 {
        let (one, two) = (self.see(node, true), self.see(other, both));
        let (degree, other_degree) = (self.degree(one, node), self.degree(two, node));
        let light = |seen: Seen, degree: u32| if degree <= HEAVY { seen.new } else { 0 };
        let entry = lane.append(&mut self.control, Control::NEXT, light(one, degree) + light(two, other_degree));
        let entry = self.list(lane, half, one, degree, entry);
        self.list(lane, half, two, other_degree, entry);
        degree + other_degree
    }

    /// One level from the list of the frontier. Returns the edges out of the nodes that this lane found.
    #[inline(always)]
    fn push_level(&mut self, lane: Lane, cells: &mut Cells, slots: &mut Slots) -> u32 {
        let heavy = self.control.load(Control::LEFT);
        let count = self.control.load(Control::FRONTIER) - heavy;
        let half = self.control.load(Control::SIDE);
        let mut edges = 0;
        for block in lane.by_group(count.div_ceil(lane.threads)) {
            let entry = block * lane.threads + lane.local;
            let (mut begin, mut end) = (0, 0);
            if entry < count {
                let node = self.lists.get(self.place(half, entry));
                begin = self.row_offsets.get(node);
                end = self.row_offsets.get(node + 1);
            }
            // Where each node's edges end among those of the workgroup, and how far they are from where the graph has them.
            let prefix = prefix_sum(lane, end - begin, slots);
            cells.set(lane.local, prefix.before + (end - begin));
            cells.set(lane.threads + lane.local, begin.wrapping_sub(prefix.before));
            lane.barrier();
            for number in step(lane.local, prefix.total, 2 * lane.threads) {
                let both = prefix.total - number > lane.threads;
                let other = if both { number + lane.threads } else { number };
                let (node, other) = (self.shared_out(lane, cells, number), self.shared_out(lane, cells, other));
                edges += self.push(lane, 1 - half, node, other, both);
            }
            lane.barrier();
        }
        for entry in 0..heavy {
            let node = self.lists.get(self.place(half, self.params.nodes - 1 - entry));
            let (begin, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
            let stride = lane.threads * lane.groups;
            for edge in step(begin + lane.global(), end, 2 * stride) {
                let both = end - edge > stride;
                let other = if both { edge + stride } else { edge };
                edges += self.push(lane, 1 - half, self.columns.get(edge), self.columns.get(other), both);
            }
        }
        edges
    }

    /// The node at the end of the workgroup's edge `number`.
    #[inline(always)]
    fn shared_out(&self, lane: Lane, cells: &Cells, number: u32) -> u32 {
        let owner = first(0, lane.threads - 1, |node| cells.get(node) > number);
        self.columns.get(number.wrapping_add(cells.get(lane.threads + owner)))
    }

    /// Whether one of the nodes at the ends of `edge` and the next three, `stride` apart, before `end`, is in the frontier. A
    /// neighbour that was seen at all is: had it been seen earlier, this node would have been, too.
    #[inline(always)]
    fn any_seen(&self, edge: u32, stride: u32, end: u32) -> bool {
        let (a, b, c, d) = self.ends(edge, stride, end);
        let seen = |node: u32| (self.seen.get(self.now + node / 32) >> (node % 32)) & 1;
        (seen(a) | seen(b) | seen(c) | seen(d)) == 1
    }

    /// Whether a node has a neighbour in the frontier along its edges from `edge` on, up to `end`, by the whole subgroup.
    #[inline(always)]
    fn pull_together(&self, lane: Lane, mut edge: u32, end: u32) -> bool {
        let mut found = 0;
        while edge < end && found == 0 {
            let first = edge + lane.subgroup_lane;
            found = lane.count(first < end && self.any_seen(first, lane.subgroup_size, end));
            edge += 4 * lane.subgroup_size;
        }
        found > 0
    }

    /// Whether the lane's node has a neighbour in the frontier: along the first edges each lane looks by itself, along the rest
    /// all for one after the other. Every lane of the subgroup calls it, with `edge` at `end` when it has no node.
    #[inline(always)]
    fn pull(&self, lane: Lane, mut edge: u32, end: u32) -> bool {
        let alone = end.min(edge + ALONE);
        let mut found = false;
        while edge < alone && !found {
            found = self.any_seen(edge, 1, end);
            edge += 4;
        }
        let mut owner = next_owner(lane, found, edge, end);
        while owner != NONE {
            let any = self.pull_together(lane, of(lane, owner, edge), of(lane, owner, end));
            if lane.subgroup_lane == owner {
                edge = end;
                found = any;
            }
            owner = next_owner(lane, found, edge, end);
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
                    if end - edge > LONG {
                        end = edge;
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
            // The other bitmap is of some earlier level, and so without a bit that this one has not.
            if word < words {
                self.seen.or(other + word, after);
            }
        }
        (count, edges)
    }

    /// The same by the nodes with many edges, which stand in `long` behind their number, a subgroup each.
    #[inline(always)]
    fn pull_long(&mut self, lane: Lane, long: Read<u32>) -> (u32, u32) {
        let other = self.params.words() - self.now;
        let (mut count, mut edges) = (0, 0);
        for entry in step(lane.group * lane.subgroups + lane.subgroup, long.get(0), lane.subgroups * lane.groups) {
            let node = long.get(1 + entry);
            let (begin, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
            let open = (self.seen.get(self.now + node / 32) >> (node % 32)) & 1 == 0;
            if open && self.pull_together(lane, begin, end) && lane.subgroup_lane == 0 {
                self.depths.set(node, self.depth);
                self.seen.or(other + node / 32, 1 << (node % 32));
                count += 1;
                edges += end - begin;
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
            let unseen = self.params.edges - seen_edges;
            size_next(
                &self.params,
                control,
                next,
                found,
                heavy,
                if next == SearchParams::PULL { unseen } else { edges },
            );
        }
    }
}

/// The first lane of the subgroup that has found nothing and has some of its row left, or [`NONE`].
#[inline(always)]
fn next_owner(lane: Lane, found: bool, edge: u32, end: u32) -> u32 {
    lane.reduce_min(if !found && edge < end { lane.subgroup_lane } else { NONE })
}

/// What a lane of the subgroup has for a value.
#[inline(always)]
fn of(lane: Lane, owner: u32, value: u32) -> u32 {
    lane.reduce_max(if lane.subgroup_lane == owner { value } else { 0 })
}

/// The workgroups of the next iteration: of the whole dispatch, or the one or the few that take several levels. `edges` are those
/// that it may have to look along.
#[inline(always)]
pub fn size_next(params: &SearchParams, control: &mut Global<u32>, mode: u32, found: u32, heavy: u32, edges: u32) {
    let items = if mode == SearchParams::COLLECT {
        params.nodes
    } else if mode == SearchParams::PULL {
        params.words().max(edges)
    } else if heavy > 0 {
        found.max(edges / 4)
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

/// The bitmap of the nodes without edges, which are never found and need not be looked at where every edge has its reverse; and
/// the nodes with many edges, behind their number, which is 0 before.
#[kernel(threads = 256)]
pub fn search_skips(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    mut skips: Global<u32>,
    mut long: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        if row_offsets.get(node + 1) - row_offsets.get(node) > LONG {
            let place = lane.append_one(&mut long, 0);
            long.set(1 + place, node);
        }
    }
    for word in lane.grid_stride(params.words()) {
        let mut bits = 0;
        for bit in 0..32 {
            let node = word * 32 + bit;
            let skip = node >= params.nodes || row_offsets.get(node) == row_offsets.get(node + 1);
            bits |= u32::from(skip && params.can_pull == 1) << bit;
        }
        skips.set(word, bits);
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

/// Nothing is seen but what is skipped and the source, which is on the list, alone.
#[kernel(threads = 256)]
pub fn search_start(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    source: Read<u32>,
    skips: Read<u32>,
    mut depths: Global<u32>,
    mut seen: Global<u32>,
    mut lists: Global<u32>,
    mut control: Global<u32>,
) {
    let start = source.get(0);
    for node in lane.grid_stride(params.nodes) {
        depths.set(node, if node == start { 0 } else { UNREACHED });
    }
    for word in lane.grid_stride(params.words()) {
        let bits = skips.get(word);
        seen.set(word, if word == start / 32 { bits | (1 << (start % 32)) } else { bits });
        seen.set(params.words() + word, bits);
    }
    if lane.global() == 0 && start < params.nodes {
        for word in 0..Control::WORDS {
            control.set(word, 0);
        }
        for word in 1..3 {
            control.set(Control::GROUPS + word, 1);
            control.set(Control::EXPAND_GROUPS + word, 1);
            control.set(Control::ABREAST_GROUPS + word, 1);
        }
        let degree = row_offsets.get(start + 1) - row_offsets.get(start);
        let heavy = u32::from(degree > HEAVY);
        lists.set(if heavy == 1 { params.nodes - 1 } else { 0 }, start);
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
    long: Read<u32>,
    mut cells: Shared<u32, 512>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (mode, side) = (control.load(Control::MODE), control.load(Control::SEEN_SIDE));
    let (now, depth) = (side * params.words(), control.load(Control::ITERATION) + 1);
    let mut search = Search { params: *params, row_offsets, columns, depths, seen, lists, control, now, depth };
    if mode == SearchParams::COLLECT {
        search.collect(lane);
    } else {
        let (mut count, mut edges) = (0, 0);
        if mode == SearchParams::PULL {
            let (long_count, long_edges) = search.pull_long(lane, long);
            let (short_count, short_edges) = search.pull_level(lane);
            count += long_count + short_count;
            edges += long_edges + short_edges;
        } else {
            edges += search.push_level(lane, &mut cells, &mut slots);
        }
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
