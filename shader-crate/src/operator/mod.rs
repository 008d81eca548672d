//! What a traversal does at an edge. Strategies find the edges; an operator says what an edge means: for breadth-first search
//! a visit, for shortest paths a relaxation. Every strategy is made for every operator, but for the classic ones, which are for
//! searches or for shortest paths alone.

pub mod relax;
pub mod visit;

use crate::prelude::*;
use core::ops::Range;

registry! {
    /// The operators there are.
    pub enum Operator, evenkeel_kernels::operator::Operator, for_each_operator {
        /// Breadth-first search: depths.
        Bfs = "bfs", evenkeel_kernels::operator::visit::Visit;
        /// Shortest paths with whole weights.
        SsspU32 = "sssp-u32", evenkeel_kernels::operator::relax::RelaxU32;
        /// Shortest paths with real weights.
        SsspF32 = "sssp-f32", evenkeel_kernels::operator::relax::RelaxF32;
    }
}

registry! {
    /// The operators of the strategies that are for searches alone.
    pub enum Search, evenkeel_kernels::operator::Search, for_each_search {
        /// Breadth-first search.
        Bfs = "bfs", evenkeel_kernels::operator::visit::Claim;
    }
}

registry! {
    /// The operators of the strategies that are for shortest paths alone.
    pub enum Path, evenkeel_kernels::operator::Path, for_each_path {
        /// With whole weights.
        Whole = "sssp-u32", evenkeel_kernels::operator::relax::RelaxU32;
        /// With real weights.
        Real = "sssp-f32", evenkeel_kernels::operator::relax::RelaxF32;
    }
}

registry! {
    /// What distances are made of, for the strategies that find the nearest nodes first.
    pub enum Metric, evenkeel_kernels::operator::Metric, for_each_metric {
        /// Edges.
        Hops = "hops", evenkeel_kernels::operator::relax::RelaxHops;
        /// Whole weights.
        Whole = "sssp-u32", evenkeel_kernels::operator::relax::RelaxU32;
        /// Real weights.
        Real = "sssp-f32", evenkeel_kernels::operator::relax::RelaxF32;
    }
}

/// What an algorithm's author writes.
pub trait Operate {
    /// Takes `value`, the value of the edge's beginning, along `edge` to `neighbour`. True when the neighbour must go on the
    /// next worklist; true at most once an iteration for each neighbour, so that a worklist never holds a node twice.
    fn visit<L: LoopState>(traversal: &mut Traversal<L>, value: u32, neighbour: u32, edge: u32) -> bool;
}

#[cfg(not(target_arch = "spirv"))]
impl<O: Operate> Operate for crate::balance::Counted<O> {
    fn visit<L: LoopState>(traversal: &mut Traversal<L>, value: u32, neighbour: u32, edge: u32) -> bool {
        crate::balance::count();
        O::visit(traversal, value, neighbour, edge)
    }
}

/// What an operator reads and writes.
#[derive(Bundle)]
pub struct TraversalData<S: Storage> {
    /// The weight of each edge; the bits of it when weights are real.
    pub weights: S::Read<u32>,
    /// The value of each node: its depth or its distance.
    pub values: S::Write<u32>,
    /// A word for each node that the operator uses as it likes.
    pub marks: S::Write<u32>,
}

/// A traversal as operators and strategies see it; `L` is the state of the strategy's loop.
pub struct Traversal<'a, L: LoopState> {
    /// What the operator reads and writes.
    pub data: TraversalData<Views<'a>>,
    /// The worklist that is being written.
    pub next: Global<'a, u32>,
    /// The state of the loop.
    pub state: State<'a, L>,
}

#[inline_all]
impl<L: LoopState> Traversal<'_, L> {
    /// The number of entries of the worklist that this iteration takes.
    pub fn frontier(&self) -> u32 {
        self.state.load(L::FRONTIER)
    }

    /// The number of this iteration, from 1 on.
    pub fn iteration(&self) -> u32 {
        self.state.load(L::ITERATION) + 1
    }

    /// Takes `value` along `edges`, and calls `found` with each neighbour that must go on the next worklist and the edge that found it.
    pub fn visit_all<O: Operate>(
        &mut self,
        columns: Read<u32>,
        value: u32,
        edges: Range<u32>,
        mut found: impl FnMut(&mut Self, u32, u32),
    ) {
        for edge in edges {
            let neighbour = columns.get(edge);
            if O::visit(self, value, neighbour, edge) {
                found(self, neighbour, edge);
            }
        }
    }

    /// Puts `entry` on the next worklist; one atomic for all that a subgroup pushes. Returns its place.
    pub fn push(&mut self, lane: Lane, entry: u32) -> u32 {
        self.push_behind(lane, 0, entry)
    }

    /// Puts `entry` on the next worklist, which begins at `base`.
    pub fn push_behind(&mut self, lane: Lane, base: u32, entry: u32) -> u32 {
        let place = self.state.append_one(lane, L::NEXT);
        self.next.set(base + place, entry);
        place
    }

    /// Puts `entry` on the next worklist by an atomic of its own.
    pub fn push_alone(&mut self, entry: u32) {
        let place = self.state.add(L::NEXT, 1);
        self.next.set(place, entry);
    }

    /// Puts the numbers `first..end` on the next worklist; one atomic for all that a subgroup pushes.
    pub fn push_range(&mut self, lane: Lane, first: u32, end: u32) {
        let place = self.state.append(lane, L::NEXT, end - first);
        for number in first..end {
            self.next.set(place + (number - first), number);
        }
    }

    /// Every invocation calls this last. When all are done, the worklist that was written becomes the one to read, with one
    /// invocation for each entry but no more than `max_groups` workgroups.
    pub fn advance(&mut self, lane: Lane, max_groups: u32) {
        self.state.advance(lane, WORKGROUP, max_groups);
    }
}
