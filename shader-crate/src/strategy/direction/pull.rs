//! Pulling: every node that was not visited searches along its edges for one that was, and the first ends its search.

use super::{Nodes, Search, SearchState, ends};
use crate::frontier::{InFrontier, search_alone_then_together, search_together};
use crate::prelude::*;
use crate::strategy::edges_in;

/// A node with more edges has a subgroup to itself, when it pulls.
pub const LONG: u32 = 1024;

/// Words with more unvisited nodes than this on average are taken one after the other: then a subgroup reads what lies together.
const MANY: u32 = 4;

/// No node, and no lane of a subgroup.
const NONE: u32 = u32::MAX;

/// A node that was not visited, and its edges.
#[derive(Clone, Copy)]
struct Row {
    /// [`NONE`] if there is none.
    node: u32,
    /// The lane that has its word of the bitmap.
    owner: u32,
    edge: u32,
    end: u32,
}

/// What a lane has found at hubs.
#[derive(Clone, Copy)]
struct FoundAtHubs {
    /// The nodes of its word.
    bits: u32,
    /// Those that it has not found and that have no other neighbour.
    lost: u32,
    /// How many nodes it has found, of its own word or of another's.
    count: u32,
    /// The edges that lead to these.
    edges: u32,
}

/// A node was found at its hub.
const FOUND: u32 = 1;
/// It was not, and has no other neighbour: it is not found in this level.
const LOST: u32 = 2;

/// One of four by its number; 0 for other numbers.
#[inline(always)]
fn pick(number: u32, a: u32, b: u32, c: u32, d: u32) -> u32 {
    let (first, second) = (if number == 0 { a } else { 0 }, if number == 1 { b } else { 0 });
    let (third, fourth) = (if number == 2 { c } else { 0 }, if number == 3 { d } else { 0 });
    first | second | third | fourth
}

/// Four nodes, and whether each is open.
type FourOpen = ((u32, bool), (u32, bool), (u32, bool), (u32, bool));

/// Whether so many nodes are open that a subgroup takes one word after the other.
#[inline(always)]
fn is_dense(lane: Lane, open: u32) -> bool {
    lane.subgroup_size >= 32 && lane.reduce_add(open.count_ones()) > lane.count(open != 0) * MANY
}

/// The lowest bit of a word; 0 where there is none.
#[inline(always)]
fn lowest_bit(word: u32) -> u32 {
    word & word.wrapping_neg()
}

impl InFrontier for Search<'_> {
    type Edges = ();

    /// A neighbour that was visited at all is in the frontier: had it been visited earlier, this node would have been, too.
    #[inline(always)]
    fn any(&self, _: (), edge: u32, stride: u32, end: u32) -> bool {
        let (a, b, c, d) = ends(self.incoming.columns, edge, stride, end);
        (self.visited.bit(a) | self.visited.bit(b) | self.visited.bit(c) | self.visited.bit(d)) == 1
    }
}

#[inline_all]
impl Search<'_> {
    /// One level by the nodes not visited yet ("open" ones). A subgroup takes as many words of the bitmap as it has lanes, or fewer where
    /// there are few, and finds the open nodes in them: while words have many, one word after the other with a lane for each node, else all
    /// at once with a lane for each word. The nodes with many edges stand in `long`, and are looked at while some may be open. Returns how
    /// many nodes this lane found, and the edges that lead to these, which are about as many as leave them.
    pub(super) fn pull_level(&mut self, lane: Lane, long: Read<u32>, long_left: bool) -> (u32, u32) {
        let rows = self.params.incoming_rows;
        let (first, words) = (rows.first / 32, rows.end().div_ceil(32));
        let subgroups = lane.subgroups * lane.groups;
        let share = (words - first).div_ceil(subgroups).min(lane.subgroup_size);
        let mut word = first + lane.group * lane.subgroups + lane.subgroup + lane.subgroup_lane * subgroups;
        let mut mine = lane.subgroup_lane < share && word < words;
        // In flight while the long rows are looked at.
        let mut after = if mine { self.visited.word(word) } else { NONE };
        let (mut count, mut edges) = if long_left { self.pull_long(lane, long) } else { (0, 0) };
        while lane.count(mine) > 0 {
            let mut lost = 0;
            if self.params.hubs == 1 {
                let found = if is_dense(lane, !after) {
                    self.pull_hubs_by_word(lane, share, word, !after)
                } else {
                    self.pull_hubs_by_node(word, !after)
                };
                (after, lost) = (after | found.bits, found.lost);
                count += found.count;
                edges += found.edges;
            }
            let mut open = !(after | lost);
            let many = is_dense(lane, open);
            let mut row = self.next_open(lane, many, word, &mut open);
            while lane.count(row.node != NONE) > 0 {
                // In flight while this one is looked at.
                let next = self.next_open(lane, many, word, &mut open);
                let found = search_alone_then_together(lane, self, (), row.edge, row.end);
                if found {
                    self.depths.set(row.node, self.depth);
                    count += 1;
                    // A part of a row is one of many.
                    edges += row.end - row.edge + rows.is_cut;
                }
                let bits = if many { lane.bits(found) } else { u32::from(found) << (row.node % 32) };
                if lane.subgroup_lane == row.owner {
                    after |= bits;
                }
                row = next;
            }
            // The other bitmap is of some earlier level, so it has no bit that this one lacks.
            if mine {
                self.visited.add_to_other(word, after);
            }
            word += subgroups * share;
            mine = lane.subgroup_lane < share && word < words;
            after = if mine { self.visited.word(word) } else { NONE };
        }
        (count, edges)
    }

    /// Visits the open nodes whose neighbour of the highest degree was visited: one load for each, where a search along the edges takes several.
    /// Each of the first `share` lanes brings a word of the bitmap. The words are taken four at a time, with a lane for each node, so that
    /// four loads are in flight.
    fn pull_hubs_by_word(&mut self, lane: Lane, share: u32, word: u32, open: u32) -> FoundAtHubs {
        let mut found = FoundAtHubs { bits: 0, lost: 0, count: 0, edges: 0 };
        let bit = lane.subgroup_lane % 32;
        for owner in step(0, share, 4) {
            let node = |of: u32| {
                (lane.of(of, word) * 32 + bit, ((lane.of(of, open) >> bit) & 1 == 1) & (lane.subgroup_lane < 32))
            };
            let four = (node(owner), node(owner + 1), node(owner + 2), node(owner + 3));
            let (a, b, c, d) = self.visit_at_hubs(four, &mut found);
            let (found_a, found_b) = (lane.bits(a == FOUND), lane.bits(b == FOUND));
            let (found_c, found_d) = (lane.bits(c == FOUND), lane.bits(d == FOUND));
            let (lost_a, lost_b) = (lane.bits(a == LOST), lane.bits(b == LOST));
            let (lost_c, lost_d) = (lane.bits(c == LOST), lane.bits(d == LOST));
            let own = lane.subgroup_lane.wrapping_sub(owner);
            found.bits |= pick(own, found_a, found_b, found_c, found_d);
            found.lost |= pick(own, lost_a, lost_b, lost_c, lost_d);
        }
        found
    }

    /// Visits the open nodes next to hubs where words have few open nodes: each lane processes its own word, four nodes at a time.
    fn pull_hubs_by_node(&mut self, word: u32, open: u32) -> FoundAtHubs {
        let mut found = FoundAtHubs { bits: 0, lost: 0, count: 0, edges: 0 };
        let mut left = open;
        while left != 0 {
            let a = lowest_bit(left);
            let b = lowest_bit(left ^ a);
            let c = lowest_bit(left ^ a ^ b);
            let d = lowest_bit(left ^ a ^ b ^ c);
            left ^= a ^ b ^ c ^ d;
            let node = |bit: u32| (word * 32 + bit.trailing_zeros() % 32, bit != 0);
            let (at_a, at_b, at_c, at_d) = self.visit_at_hubs((node(a), node(b), node(c), node(d)), &mut found);
            let those = |code: u32| {
                let (a, b) = (if at_a == code { a } else { 0 }, if at_b == code { b } else { 0 });
                let (c, d) = (if at_c == code { c } else { 0 }, if at_d == code { d } else { 0 });
                a | b | c | d
            };
            found.bits |= those(FOUND);
            found.lost |= those(LOST);
        }
        found
    }

    /// Visits those of four nodes that are open and whose neighbour of the highest degree was visited. Says of each what came of it: [`FOUND`],
    /// [`LOST`], or 0 where its edges remain to be looked along.
    fn visit_at_hubs(&mut self, (a, b, c, d): FourOpen, found: &mut FoundAtHubs) -> Nodes {
        let rows = self.params.incoming_rows;
        // The first row in place of one that is not here.
        let (here_a, here_b) = (a.1 & rows.has(a.0), b.1 & rows.has(b.0));
        let (here_c, here_d) = (c.1 & rows.has(c.0), d.1 & rows.has(d.0));
        let (a, b) = (if here_a { a.0 } else { rows.first }, if here_b { b.0 } else { rows.first });
        let (c, d) = (if here_c { c.0 } else { rows.first }, if here_d { d.0 } else { rows.first });
        let (hub_a, hub_b, hub_c, hub_d) = (self.hubs.get(a), self.hubs.get(b), self.hubs.get(c), self.hubs.get(d));
        let (row_a, row_b) = (self.incoming_row(a), self.incoming_row(b));
        let (row_c, row_d) = (self.incoming_row(c), self.incoming_row(d));
        let (bit_a, bit_b) = (self.visited.bit(hub_a), self.visited.bit(hub_b));
        let (bit_c, bit_d) = (self.visited.bit(hub_c), self.visited.bit(hub_d));
        let a = self.settle(here_a & (bit_a == 1), a, row_a, found);
        let b = self.settle(here_b & (bit_b == 1), b, row_b, found);
        let c = self.settle(here_c & (bit_c == 1), c, row_c, found);
        let d = self.settle(here_d & (bit_d == 1), d, row_d, found);
        (a, b, c, d)
    }

    /// Gives a node that was found its depth, and counts it and its edges. Says what came of it.
    fn settle(&mut self, is_found: bool, node: u32, (edge, end): (u32, u32), found: &mut FoundAtHubs) -> u32 {
        let (edges, is_cut) = (end - edge, self.params.incoming_rows.is_cut);
        if is_found {
            self.depths.set(node, self.depth);
            found.count += 1;
            found.edges += edges + is_cut;
            FOUND
        } else if edges <= 1 && is_cut == 0 {
            LOST
        } else {
            0
        }
    }

    /// The first of the edges that lead to a node and can be looked along in this dispatch, and the one after the last.
    fn incoming_row(&self, node: u32) -> (u32, u32) {
        let (begin, count) = edges_in(&self.params.incoming_rows, self.incoming.row_offsets, node);
        (begin, begin + count)
    }

    /// The next open node for this lane, in its own word of the bitmap or, where words have `many`, in the first of the subgroup
    /// that has any. Every lane of the subgroup calls it.
    fn next_open(&self, lane: Lane, many: bool, word: u32, open: &mut u32) -> Row {
        let mut row = Row { node: NONE, owner: lane.subgroup_lane, edge: 0, end: 0 };
        let (mut base, mut bits, mut bit) = (word * 32, *open, open.trailing_zeros());
        if many {
            row.owner = lane.reduce_min(if bits != 0 { lane.subgroup_lane } else { NONE });
            if row.owner == NONE {
                return row;
            }
            (base, bits, bit) = (lane.of(row.owner, word) * 32, lane.of(row.owner, bits), lane.subgroup_lane);
        }
        if many && lane.subgroup_lane == row.owner {
            *open = 0;
        } else if !many {
            *open &= open.wrapping_sub(1);
        }
        if bit < 32 && (bits >> bit) & 1 == 1 {
            row.node = base + bit;
            (row.edge, row.end) = self.incoming_row(row.node);
        }
        if row.end - row.edge > LONG {
            row.end = row.edge;
        }
        row
    }

    /// Pulls along the long rows alone, a subgroup for each node.
    fn pull_long(&mut self, lane: Lane, long: Read<u32>) -> (u32, u32) {
        let (mut count, mut edges) = (0, 0);
        for entry in step(lane.group * lane.subgroups + lane.subgroup, self.params.long, lane.subgroups * lane.groups) {
            let node = long.get(entry);
            let (begin, end) = self.incoming_row(node);
            let open = self.visited.bit(node) == 0;
            let found = open && search_together(lane, self, (), begin, end);
            if found && lane.subgroup_lane == 0 {
                self.depths.set(node, self.depth);
                self.visited.add_to_other(node / 32, 1 << (node % 32));
                count += 1;
                edges += end - begin + self.params.incoming_rows.is_cut;
            } else if open && lane.subgroup_lane == 0 {
                self.state.store(SearchState::LONG_LEFT.at(self.depth % 2), self.depth);
            }
        }
        (count, edges)
    }
}
