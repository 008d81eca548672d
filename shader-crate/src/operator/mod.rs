//! What a traversal does at an edge. Strategies find the edges; an operator says what an edge means: for breadth-first search
//! a visit, for shortest paths a relaxation. Every strategy is made for every operator, but for the classic ones, which are for
//! searches or for shortest paths alone.

pub mod relax;
pub mod visit;

use crate::{
    lane::Lane,
    memory::{Global, Read},
};
use evenkeel_types::Control;

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

/// What an algorithm's author writes.
pub trait Operate {
    /// Takes `value`, the value of the edge's beginning, along `edge` to `neighbour`. True when the neighbour must go on the
    /// next worklist; true at most once an iteration for each neighbour, so that a worklist never holds a node twice.
    fn visit(traversal: &mut Traversal, value: u32, neighbour: u32, edge: u32) -> bool;
}

/// The state of a traversal, as operators and strategies see it.
pub struct Traversal<'a> {
    /// A weight for each edge; the bits of it when they are real.
    pub weights: Read<'a, u32>,
    /// A value for each node: its depth, its distance.
    pub values: Global<'a, u32>,
    /// A word for each node that the operator uses as it likes.
    pub marks: Global<'a, u32>,
    /// The worklist that is being written.
    pub next: Global<'a, u32>,
    /// The words of a [`Control`].
    pub control: Global<'a, u32>,
}

impl Traversal<'_> {
    /// How many entries the worklist of this iteration has.
    #[inline(always)]
    pub fn frontier(&self) -> u32 {
        self.control.load(Control::FRONTIER)
    }

    /// The number of this iteration, from 1 on.
    #[inline(always)]
    pub fn iteration(&self) -> u32 {
        self.control.load(Control::ITERATION) + 1
    }

    /// Puts `node` on the next worklist.
    #[inline(always)]
    pub fn push(&mut self, lane: Lane, node: u32) {
        let place = lane.append_one(&mut self.control, Control::NEXT);
        self.next.set(place, node);
    }

    /// Puts the numbers `first..end` on the next worklist; one atomic for all that a subgroup pushes.
    #[inline(always)]
    pub fn push_range(&mut self, lane: Lane, first: u32, end: u32) {
        let place = lane.append(&mut self.control, Control::NEXT, end - first);
        for number in first..end {
            self.next.set(place + (number - first), number);
        }
    }

    /// Every invocation calls this last. When all are done, the worklist that was written becomes the one to read, with one
    /// invocation for each entry but no more than `max_groups` workgroups.
    #[inline(always)]
    pub fn advance(&mut self, lane: Lane, max_groups: u32) {
        self.advance_by(lane, lane.threads, max_groups);
    }

    /// The same with a workgroup for each `entries` entries.
    #[inline(always)]
    pub fn advance_by(&mut self, lane: Lane, entries: u32, max_groups: u32) {
        advance(lane, &mut self.control, entries, max_groups);
    }
}

/// [`Traversal::advance_by`] where there is no more of a traversal than its control block.
#[inline(always)]
pub fn advance(lane: Lane, control: &mut Global<u32>, entries: u32, max_groups: u32) {
    if lane.last(control, Control::TICKET) {
        let frontier = control.load(Control::NEXT);
        let groups = frontier / entries + (frontier % entries).min(1);
        control.store(Control::GROUPS, groups.min(max_groups));
        control.store(Control::FRONTIER, frontier);
        control.store(Control::NEXT, 0);
        control.store(Control::ITERATION, control.load(Control::ITERATION) + 1);
    }
}
