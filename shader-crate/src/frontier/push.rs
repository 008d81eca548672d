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

#[inline_all]
impl Batch {
    /// The nodes at the ends of up to four edges, and whether each is one of the batch; the last of the workgroup's in place of those that
    /// are not. Four searches run at the same time, so that their loads are in flight together.
    pub fn ends<const N: usize>(self, lane: Lane, cells: &Cells<N>, columns: Read<u32>) -> ([u32; 4], [bool; 4]) {
        let Batch { number, stride, total } = self;
        let (last, left) = (total - 1, total - 1 - number);
        let (b, c, d) = ((number + stride).min(last), (number + 2 * stride).min(last), (number + 3 * stride).min(last));
        let (mut owner_a, mut owner_b, mut owner_c, mut owner_d) = (0, 0, 0, 0);
        let mut half = lane.threads / 2;
        while half > 0 {
            owner_a = behind(cells, owner_a, half, number);
            owner_b = behind(cells, owner_b, half, b);
            owner_c = behind(cells, owner_c, half, c);
            owner_d = behind(cells, owner_d, half, d);
            half /= 2;
        }
        let node = |number: u32, owner: u32| columns.get(number.wrapping_add(cells.get(lane.threads + owner)));
        (
            [node(number, owner_a), node(b, owner_b), node(c, owner_c), node(d, owner_d)],
            [true, left >= stride, left >= 2 * stride, left >= 3 * stride],
        )
    }
}

/// A step of the search for the first cell that is more than a number: one that is known to be at `place` or behind is there, or behind the
/// next `half`.
#[inline(always)]
fn behind<const N: usize>(cells: &Cells<N>, place: u32, half: u32, number: u32) -> u32 {
    if cells.get(place + half - 1) <= number { place + half } else { place }
}

/// A node with more edges is heavy: it stands at the end of the list, and the whole dispatch shares its edges.
pub const HEAVY: u32 = 1024;

/// The most nodes whose edges the whole dispatch shares although they are light: every workgroup looks at all of them, one for each
/// invocation.
const FEW: u32 = WORKGROUP;

/// How a frontier on a list is handed out. A workgroup takes blocks of light nodes by itself; the heavy ones, or all where they are few, every
/// workgroup looks at, and takes its part of their edges.
#[derive(Clone, Copy)]
pub struct ListBlocks {
    /// Nodes of the list, the light ones first.
    count: u32,
    /// Those that are in blocks.
    light: u32,
    /// Blocks that each workgroup takes by itself.
    alone: u32,
    /// Nodes of such a block.
    nodes: u32,
}

/// What an invocation does with a block.
#[derive(Clone, Copy)]
pub struct ListBlock {
    /// The item of the list whose edges it brings, if there is one.
    pub item: Option<u32>,
    /// The first of the block's edges that it takes, and the distance to the next.
    pub edges: (u32, u32),
}

#[inline_all]
impl ListBlocks {
    /// Makes the blocks of a list of `count` nodes, the last `heavy` of which are heavy.
    pub fn new(lane: Lane, count: u32, heavy: u32) -> Self {
        let light = if count <= FEW { 0 } else { count - heavy };
        // Blocks as large as a workgroup, or smaller, so that all workgroups have as many.
        let alone = light.div_ceil(lane.groups * lane.threads);
        let nodes = light.div_ceil((lane.groups * alone).max(1));
        Self { count, light, alone, nodes }
    }

    /// How many blocks a workgroup takes part in.
    pub fn per_group(self, lane: Lane) -> u32 {
        self.alone + (self.count - self.light).div_ceil(lane.threads)
    }

    /// One of these.
    pub fn block(self, lane: Lane, number: u32) -> ListBlock {
        let mut begin = (lane.group + number * lane.groups) * self.nodes;
        let mut end = self.light.min(begin + self.nodes);
        let mut edges = (lane.local, lane.threads);
        if number >= self.alone {
            begin = self.light + (number - self.alone) * lane.threads;
            end = self.count.min(begin + lane.threads);
            edges = (lane.global(), lane.threads * lane.groups);
        }
        let item = begin + lane.local;
        ListBlock { item: if item < end { Some(item) } else { None }, edges }
    }
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
