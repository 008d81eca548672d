//! The edges that a workgroup takes together: of the nodes on its list, or of a piece of a long row.

use super::work::{CELLS, Work};
use super::{Buckets, Found, PULL, RELAX, SweepState};
use crate::frontier::{Batch, Cells};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::share::{line_up, shared_out};
use crate::strategy::{degree, edges_in};

/// A row with more edges is long: the whole dispatch takes it, in pieces of as many.
pub const PIECE: u32 = 1024;

/// In place of a piece's first edge: the edges are those of several nodes.
const NONE: u32 = u32::MAX;

/// What is the same for all edges that a workgroup takes together.
#[derive(Clone, Copy)]
struct Edges {
    /// How many there are.
    total: u32,
    /// The first, where they are a piece of a long row; else [`NONE`].
    begin: u32,
    /// The node of that row.
    node: u32,
    /// Its distance.
    distance: u32,
}

#[inline_all]
impl<'a, D: Distance> Buckets<'a, D> {
    /// Whether the row of a node is to be taken with those of others: it is neither empty nor long.
    pub(super) fn is_short(&self, node: u32) -> bool {
        let edges = degree(self.graph.row_offsets, node);
        edges > 0 && edges <= PIECE
    }

    /// The edge `number` of those that the workgroup takes, and whose it is.
    fn edge(&self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        if edges.begin == NONE { shared_out(self.lane, cells, number) } else { (0, edges.begin + number) }
    }

    /// The distance at the end of an edge if it is due in this iteration, else [`UNREACHED`]; and the node there.
    fn reach(&mut self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        let (owner, edge) = self.edge(edges, cells, number);
        let mut distance = edges.distance;
        if edges.begin == NONE {
            distance = cells.get(2 * self.lane.threads + owner);
        }
        let (node, reached) = (self.graph.columns.get(edge), D::along(distance, self.data.weights.get(edge)));
        if reached == UNREACHED {
            // Too far for 32 bits. The host looks into it if the node stays unreached.
            self.state.store(SweepState::FLAGS, 1);
        }
        let is_due = (reached <= self.to) == (self.mode == RELAX);
        (if is_due { reached } else { UNREACHED }, node)
    }

    /// Lowers the distance of a node that was further away. What was found with it.
    fn lower(&mut self, found: Found, is_open: bool, (reached, node): (u32, u32)) -> Found {
        let mut found = found;
        if is_open && reached < self.data.distances.min(node, reached) {
            if self.mode == RELAX {
                self.data.due.or(self.bitmap(self.iteration + 1) + node / 32, 1 << (node % 32));
                found.changed = 1;
            } else {
                found.lowest = found.lowest.min(reached);
            }
        }
        found
    }

    /// Whether the node at the end of an edge is further away than along it. Looking is cheap and spares most of the atomics.
    fn is_open(&self, (reached, node): (u32, u32)) -> bool {
        reached != UNREACHED && reached < self.data.distances.load(node)
    }

    /// Relaxes an edge and the next three, `stride` apart, as far as there are so many. Their loads are in flight together.
    fn relax_four(&mut self, found: Found, edges: Edges, cells: &Cells<CELLS>, batch: Batch) -> Found {
        let Batch { number, stride, total } = batch;
        let (b, c, d) = (number + stride, number + 2 * stride, number + 3 * stride);
        let last = total - 1;
        let one = self.reach(edges, cells, number);
        let two = self.reach(edges, cells, b.min(last));
        let three = self.reach(edges, cells, c.min(last));
        let four = self.reach(edges, cells, d.min(last));
        let open = (self.is_open(one), self.is_open(two), self.is_open(three), self.is_open(four));
        let found = self.lower(found, open.0, one);
        let found = self.lower(found, b < total && open.1, two);
        let found = self.lower(found, c < total && open.2, three);
        self.lower(found, d < total && open.3, four)
    }

    /// The distance of a node that is not settled along one of its edges, and who brought the edge; [`UNREACHED`] where the neighbour is not
    /// settled either.
    fn look_back(&mut self, edges: Edges, cells: &Cells<CELLS>, number: u32) -> (u32, u32) {
        let (owner, edge) = self.edge(edges, cells, number);
        let (node, weight) = (self.graph.columns.get(edge), self.data.weights.get(edge));
        let neighbour = self.data.distances.load(node);
        let reached = D::along(neighbour, weight);
        if neighbour <= self.to && reached == UNREACHED {
            self.state.store(SweepState::FLAGS, 1);
        }
        (owner, if neighbour <= self.to { reached } else { UNREACHED })
    }

    /// Keeps the distance along an edge if it is the shortest so far.
    fn keep(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>, (owner, reached): (u32, u32)) -> Found {
        let mut found = found;
        if reached == UNREACHED {
            // The neighbour is not settled.
        } else if edges.begin == NONE {
            cells.min(2 * self.lane.threads + owner, reached);
        } else if reached < edges.distance {
            self.data.distances.min(edges.node, reached);
            found.lowest = found.lowest.min(reached);
        }
        found
    }

    /// Looks back along an edge and the next three, `stride` apart, the last again where there are fewer. Their loads are in flight together.
    fn look_back_four(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>, batch: Batch) -> Found {
        let Batch { number, stride, total } = batch;
        let last = total - 1;
        let one = self.look_back(edges, cells, number);
        let two = self.look_back(edges, cells, (number + stride).min(last));
        let three = self.look_back(edges, cells, (number + 2 * stride).min(last));
        let four = self.look_back(edges, cells, (number + 3 * stride).min(last));
        let found = self.keep(found, edges, cells, one);
        let found = self.keep(found, edges, cells, two);
        let found = self.keep(found, edges, cells, three);
        self.keep(found, edges, cells, four)
    }

    /// Takes the edges of the workgroup.
    fn take(&mut self, found: Found, edges: Edges, cells: &mut Cells<CELLS>) -> Found {
        let (lane, mut found) = (self.lane, found);
        for number in step(lane.local, edges.total, 4 * lane.threads) {
            let batch = Batch { number, stride: lane.threads, total: edges.total };
            found = match self.mode {
                PULL => self.look_back_four(found, edges, cells, batch),
                _ => self.relax_four(found, edges, cells, batch),
            };
        }
        found
    }

    /// Takes the edges of a piece of a long row.
    pub(super) fn take_piece(&mut self, found: Found, piece: u32, cells: &mut Cells<CELLS>) -> Found {
        let node = self.data.pieces.get(2 * piece);
        let skipped = self.data.pieces.get(2 * piece + 1);
        let edge = self.graph.row_offsets.get(node).wrapping_add(skipped);
        let count = PIECE.min(degree(self.graph.row_offsets, node) - skipped);
        let (begin, total) = self.params.rows.place(edge, count);
        let edges = Edges { total, begin, node, distance: self.data.distances.load(node) };
        self.take(found, edges, cells)
    }

    /// Takes the edges of the first `count` nodes on the list, those of as many at a time as there are invocations.
    pub(super) fn take_nodes<const LIST: usize>(&mut self, found: Found, count: u32, work: &mut Work<LIST>) -> Found {
        let (lane, mut found) = (self.lane, found);
        for first in step(0, count, lane.threads) {
            let mut edges = Edges { total: 0, begin: NONE, node: 0, distance: 0 };
            let (mut begin, mut own) = (0, 0);
            if first + lane.local < count {
                edges.node = work.list.get(first + lane.local);
                if self.is_short(edges.node) {
                    (begin, own) = edges_in(&self.params.rows, self.graph.row_offsets, edges.node);
                }
                edges.distance = self.data.distances.load(edges.node);
            }
            work.cells.set(2 * lane.threads + lane.local, edges.distance);
            edges.total = line_up(lane, begin, own, &mut work.cells, &mut work.slots);
            found = self.take(found, edges, &mut work.cells);
            lane.barrier();
            if self.mode == PULL && first + lane.local < count {
                let reached = work.cells.get(2 * lane.threads + lane.local);
                if reached < edges.distance {
                    // No other invocation writes it.
                    self.data.distances.store(edges.node, reached);
                    found.lowest = found.lowest.min(reached);
                }
            }
        }
        found
    }
}
