//! Pulling: every node that was not visited searches along its edges for one that was, and the first ends its search.

use super::{Search, SearchState, ends};
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
            let mut open = !after;
            let (nodes_open, words_open) = (lane.reduce_add(open.count_ones()), lane.count(open != 0));
            let many = lane.subgroup_size >= 32 && nodes_open > words_open * MANY;
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

    /// The same by the nodes with many edges alone, a subgroup each.
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
