//! Pushing along the edges of a workgroup's nodes, which are shared out evenly among its invocations.

use crate::prelude::*;
use crate::primitive::share::line_up;
use crate::primitive::workgroup::Slots;

/// Where a workgroup keeps the ends of its nodes' edges, and behind them their offsets; perhaps more words for each node.
pub type Cells<'a, const N: usize> = Shared<'a, u32, N>;

/// The edges of a workgroup that an invocation takes at a time: `number` and the next ones, `stride` apart, as far as they are below `total`.
#[derive(Clone, Copy)]
pub struct Batch {
    /// The first.
    pub number: u32,
    /// The distance to the next.
    pub stride: u32,
    /// How many edges the workgroup has.
    pub total: u32,
}

/// A traversal that pushes.
pub trait PushEdges<const N: usize> {
    /// Edges that an invocation takes at a time, so that their loads are in flight together.
    const AT_A_TIME: u32;
    /// What is the same for all edges of an iteration.
    type Iteration: Copy;
    /// Where found nodes go beside the traversal's own lists; nothing for most.
    type Team;

    /// Takes a batch of edges. Returns the edges out of the nodes that were found.
    fn push(&mut self, team: &mut Self::Team, iteration: Self::Iteration, cells: &Cells<N>, batch: Batch) -> u32;
}

/// Pushes along the edges of a block: each invocation brings `count` from `begin` on, and takes every `stride`-th of all from `first` on. The
/// workgroup calls it together, with `cells` and `slots` free. Returns the edges out of the nodes that this invocation found.
#[inline(always)]
pub fn push_block<P: PushEdges<N>, const N: usize>(
    lane: Lane,
    traversal: &mut P,
    team: &mut P::Team,
    iteration: P::Iteration,
    (begin, count): (u32, u32),
    (first, stride): (u32, u32),
    cells: &mut Cells<N>,
    slots: &mut Slots,
) -> u32 {
    let total = line_up(lane, begin, count, cells, slots);
    let mut edges = 0;
    for number in step(first, total, P::AT_A_TIME * stride) {
        edges += traversal.push(team, iteration, cells, Batch { number, stride, total });
    }
    edges
}
