//! PageRank in pull form. A node's share is what it contributes along each of its outgoing edges. An iteration sums the shares over the
//! rows of the transposed graph and computes the next ranks and shares from the sums. One more row, behind those of the nodes, sums the
//! ranks of the nodes without outgoing edges, which are distributed over all nodes, or over the seeds.
//!
//! A run of so many iterations needs no more than that (`rank_update`). One that ends when ranks change little, or that has seeds, compares the
//! ranks before and after an iteration (`rank_step`, `rank_end`). The changes are added in an order that depends on the number of nodes alone.

pub mod blocks;

use super::spmv::{ProductParams, store_sum};
use crate::prelude::*;
use crate::primitive::LengthParams;
use crate::schedule::{Distribute, Join, Scratch, Sum, Value};
use crate::tiles::Rows;
use core::ops::{Add, Mul, Sub};
// The standard library has square roots as methods of its own.
#[cfg(target_arch = "spirv")]
use spirv_std::num_traits::Float;

/// The nodes whose changes a workgroup adds up at a time.
pub const CHANGE_BLOCK: u32 = 16 * WORKGROUP;

/// A number that ranks are computed in.
#[inline_all]
pub trait RankNumber: Value + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + PartialOrd {
    /// The nearest number in single precision.
    fn single(self) -> f32;

    /// 1 over the square root; 1 of what has none.
    fn inverse_root(self) -> Self;

    /// How far two numbers are from each other.
    fn distance(self, other: Self) -> Self {
        if self > other { self - other } else { other - self }
    }
}

#[inline_all]
impl RankNumber for f32 {
    fn single(self) -> f32 {
        self
    }

    fn inverse_root(self) -> f32 {
        if self > 0.0 { 1.0 / self.sqrt() } else { 1.0 }
    }
}

#[inline_all]
impl RankNumber for f64 {
    fn single(self) -> f32 {
        self as f32
    }

    fn inverse_root(self) -> f64 {
        if self > 0.0 { 1.0 / self.sqrt() } else { 1.0 }
    }
}

/// What the host pushes for the kernels that compute ranks and shares.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RankParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// Not 0 in the last iteration of a batch, which stores the ranks.
    pub last: u32,
    /// Not 0 where there are seeds.
    pub seeded: u32,
}

/// What the host pushes for the kernel that begins a loop: the workgroups of each dispatch of an iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RankBeginParams {
    /// The workgroups that add up chunks.
    pub blocks: u32,
    /// The workgroups of the gather.
    pub gather: u32,
    /// The workgroups of the second pass of a gather that has one.
    pub finish: u32,
    /// The workgroups that join the sums of rows that were split.
    pub join: u32,
    /// The workgroups that compute ranks.
    pub step: u32,
    /// The number of iterations after which the loop ends.
    pub limit: u32,
}

/// What the host pushes for the kernel that ends an iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RankEndParams {
    /// The number of blocks of nodes.
    pub blocks: u32,
    /// The number of iterations after which the loop ends.
    pub limit: u32,
    /// The loop ends when the ranks together have changed by less than this.
    pub tolerance: f32,
}

/// The state of a loop that may end early: the sizes of all dispatches of an iteration, which are 0 after the end.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct RankState {
    /// What every loop has.
    pub header: LoopHeader,
    /// The workgroups that add up chunks.
    pub blocks: [u32; 3],
    /// The workgroups of the gather.
    pub gather: [u32; 3],
    /// The workgroups of the second pass of a gather that has one.
    pub finish: [u32; 3],
    /// The workgroups that join the sums of rows that were split.
    pub join: [u32; 3],
    /// The workgroups that compute ranks.
    pub step: [u32; 3],
}

/// The numbers of a walk, by their places in `constants`.
pub struct Constants;

impl Constants {
    /// The initial rank of every node where there are no seeds.
    pub const START: u32 = 0;
    /// The rank that a node has independently of its incoming edges, or that of all seeds together.
    pub const TELEPORT: u32 = 1;
    /// The factor of what arrives along edges.
    pub const DAMPING: u32 = 2;
    /// The factor of the summed ranks of nodes without outgoing edges.
    pub const SPREAD: u32 = 3;
    /// How many there are.
    pub const COUNT: usize = 4;
}

/// The values of the nodes.
#[derive(Bundle)]
pub struct Ranks<T: Pod, S: Storage> {
    /// See [`Constants`].
    pub constants: S::Read<T>,
    /// By what a node's rank is multiplied to get its share.
    pub factors: S::Read<T>,
    /// What a node contributes along each of its edges, and behind the nodes the sums of chunks ([`blocks`]).
    pub shares: S::Write<T>,
    /// The ranks after the last batch of iterations.
    pub ranks: S::Write<T>,
}

/// Gives every node the initial rank, which with seeds is its part in what goes to them.
#[kernel(threads = 256, any_width, each(T in for_each_real))]
pub fn rank_start<T: RankNumber>(lane: Lane, params: &RankParams, teleports: Read<T>, mut nodes: Ranks<T>) {
    let mut start = nodes.constants.get(Constants::START);
    for node in lane.grid_stride(params.nodes) {
        if params.seeded != 0 {
            start = teleports.get(node);
        }
        nodes.shares.set(node, start * nodes.factors.get(node));
        nodes.ranks.set(node, start);
    }
}

/// Begins a loop that may end early.
#[kernel(threads = 1)]
pub fn rank_begin(lane: Lane, params: &RankBeginParams, mut state: State<RankState>) {
    if lane.global() == 0 {
        let goes_on = params.limit.min(1);
        state.begin(goes_on, goes_on);
        state.set_groups(RankState::BLOCKS, goes_on * params.blocks);
        state.set_groups(RankState::GATHER, goes_on * params.gather);
        state.set_groups(RankState::FINISH, goes_on * params.finish);
        state.set_groups(RankState::JOIN, goes_on * params.join);
        state.set_groups(RankState::STEP, goes_on * params.step);
    }
}

/// Sums the shares of each row of the transposed graph and of the additional ones: a product with a matrix of ones.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn rank_gather<S: Distribute, T: RankNumber>(
    lane: Lane,
    params: &ProductParams,
    graph: Csr,
    shares: Read<T>,
    mut sums: Global<T>,
    scratch: Scratch<T>,
) where
    Sum: Join<T>,
{
    let rows = Rows { offsets: graph.row_offsets, count: params.tiles.count };
    let tiles = params.tiles;
    let share = move |entry| shares.get(graph.columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, share, move |tile, sum| store_sum(&mut sums, &tiles, tile, sum));
}

/// The number of pieces whose sum is computed before it is added to the row's.
const PARTIAL_SUM: u32 = 64;

/// Joins the sums of rows that were split, one invocation per row. A cut is the row, its first piece, and the piece after its last.
#[kernel(threads = 256, any_width, each(T in for_each_real))]
pub fn rank_join<T: RankNumber>(lane: Lane, params: &LengthParams, cuts: Read<u32>, mut sums: Global<T>)
where
    Sum: Join<T>,
{
    for cut in lane.grid_stride(params.length) {
        let (mut piece, end) = (cuts.get(3 * cut + 1), cuts.get(3 * cut + 2));
        let mut sum = Sum::identity();
        // Partial sums, for the reason that rows are split: the fewer terms a sum has, the smaller its rounding error.
        while piece < end {
            let partial_end = piece + (end - piece).min(PARTIAL_SUM);
            let mut partial = Sum::identity();
            while piece < partial_end {
                partial = partial + sums.get(piece);
                piece += 1;
            }
            sum = sum + partial;
        }
        sums.set(cuts.get(3 * cut), sum);
    }
}

/// Computes the next shares from the sums. The ranks are stored only at the end of a batch, because no kernel reads them.
#[kernel(threads = 256, any_width, each(T in for_each_real))]
pub fn rank_update<T: RankNumber>(lane: Lane, params: &RankParams, sums: Read<T>, mut nodes: Ranks<T>) {
    let (teleport, spread) = (nodes.constants.get(Constants::TELEPORT), nodes.constants.get(Constants::SPREAD));
    let damping = nodes.constants.get(Constants::DAMPING);
    let base = teleport + spread * sums.get(params.nodes);
    for node in lane.grid_stride(params.nodes) {
        let rank = base + damping * sums.get(node);
        nodes.shares.set(node, rank * nodes.factors.get(node));
        if params.last != 0 {
            nodes.ranks.set(node, rank);
        }
    }
}

/// Adds the values of a workgroup, in a fixed order. All invocations call it together; the first has the sum.
#[inline(always)]
pub fn add_up<T: RankNumber>(lane: Lane, value: T, cells: &mut Shared<T, 256>) -> T {
    cells.set(lane.local, value);
    lane.barrier();
    let mut width = WORKGROUP / 2;
    while width > 0 {
        if lane.local < width {
            let sum = cells.get(lane.local) + cells.get(lane.local + width);
            cells.set(lane.local, sum);
        }
        lane.barrier();
        width /= 2;
    }
    let sum = cells.get(0);
    lane.barrier();
    sum
}

/// Computes the next ranks and shares from the sums, with seeds or without, and how much the ranks of each block of nodes change. Without seeds
/// `teleports` is not read.
#[kernel(threads = 256, each(T in for_each_real))]
pub fn rank_step<T: RankNumber>(
    lane: Lane,
    params: &RankParams,
    sums: Read<T>,
    teleports: Read<T>,
    mut nodes: Ranks<T>,
    mut changes: Global<T>,
    mut cells: Shared<T, 256>,
) where
    Sum: Join<T>,
{
    let (teleport, spread) = (nodes.constants.get(Constants::TELEPORT), nodes.constants.get(Constants::SPREAD));
    let damping = nodes.constants.get(Constants::DAMPING);
    let base = teleport + spread * sums.get(params.nodes);
    for block in lane.by_group(params.nodes.div_ceil(CHANGE_BLOCK)) {
        let begin = block * CHANGE_BLOCK;
        let end = begin + (params.nodes - begin).min(CHANGE_BLOCK);
        let mut change = Sum::identity();
        for node in step(begin + lane.local, end, lane.threads) {
            let mut rank = base;
            if params.seeded != 0 {
                rank = base * teleports.get(node);
            }
            rank = rank + damping * sums.get(node);
            change = change + rank.distance(nodes.ranks.get(node));
            nodes.shares.set(node, rank * nodes.factors.get(node));
            nodes.ranks.set(node, rank);
        }
        let sum = add_up(lane, change, &mut cells);
        if lane.local == 0 {
            changes.set(block, sum);
        }
    }
}

/// Ends an iteration, as one workgroup: there is another one unless the ranks have changed by little, or there were enough.
#[kernel(threads = 256, each(T in for_each_real))]
pub fn rank_end<T: RankNumber>(
    lane: Lane,
    params: &RankEndParams,
    changes: Read<T>,
    mut state: State<RankState>,
    mut cells: Shared<T, 256>,
) where
    Sum: Join<T>,
{
    let mut change = Sum::identity();
    for block in lane.group_stride(params.blocks) {
        change = change + changes.get(block);
    }
    let change = add_up(lane, change, &mut cells).single();
    if lane.global() == 0 {
        let iteration = state.get(RankState::ITERATION) + 1;
        state.set(RankState::ITERATION, iteration);
        if change < params.tolerance || iteration >= params.limit {
            state.set(RankState::FRONTIER, 0);
            state.set(RankState::GROUPS.at(0), 0);
            state.set(RankState::BLOCKS.at(0), 0);
            state.set(RankState::GATHER.at(0), 0);
            state.set(RankState::FINISH.at(0), 0);
            state.set(RankState::JOIN.at(0), 0);
            state.set(RankState::STEP.at(0), 0);
        }
    }
}
