//! PageRank in pull form. A node's share is what it contributes along each of its outgoing edges. An iteration sums the shares over the
//! rows of the transposed graph and computes the next ranks and shares from the sums. One more row, behind those of the nodes, sums the
//! ranks of the nodes without outgoing edges, which are distributed evenly over all nodes.

use super::spmv::ProductParams;
use crate::prelude::*;
use crate::primitive::LengthParams;
use crate::schedule::{Distribute, Scratch, Sum};
use crate::tiles::Rows;

/// What the host pushes for the kernels that compute ranks and shares.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RankParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The initial rank of every node.
    pub start: f32,
    /// The rank that every node has independently of its incoming edges.
    pub teleport: f32,
    /// The factor of what arrives along edges.
    pub damping: f32,
    /// The factor of the summed ranks of nodes without outgoing edges.
    pub spread: f32,
    /// Not 0 in the last iteration of a batch, which stores the ranks.
    pub last: u32,
}

/// The values of the nodes.
#[derive(Bundle)]
pub struct Ranks<S: Storage> {
    /// By what a node's rank is multiplied to get its share.
    pub factors: S::Read<f32>,
    /// What a node contributes along each of its edges.
    pub shares: S::Write<f32>,
    /// The ranks after the last batch of iterations.
    pub ranks: S::Write<f32>,
}

/// Gives every node the initial rank.
#[kernel(threads = 256, any_width)]
pub fn rank_start(lane: Lane, params: &RankParams, mut nodes: Ranks) {
    for node in lane.grid_stride(params.nodes) {
        nodes.shares.set(node, params.start * nodes.factors.get(node));
        nodes.ranks.set(node, params.start);
    }
}

/// Sums the shares of each row of the transposed graph and of the additional ones: a product with a matrix of ones.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn rank_gather<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    graph: Csr,
    shares: Read<f32>,
    mut sums: Global<f32>,
    scratch: Scratch<f32>,
) {
    let rows = Rows { offsets: graph.row_offsets, count: params.rows };
    let share = move |entry| shares.get(graph.columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, share, move |row, sum| sums.set(row, sum));
}

/// The number of pieces whose sum is computed before it is added to the row's.
const PARTIAL_SUM: u32 = 64;

/// Joins the sums of rows that were split, one invocation per row. A cut is the row, its first piece, and the piece after its last.
#[kernel(threads = 256, any_width)]
pub fn rank_join(lane: Lane, params: &LengthParams, cuts: Read<u32>, mut sums: Global<f32>) {
    for cut in lane.grid_stride(params.length) {
        let (mut piece, end) = (cuts.get(3 * cut + 1), cuts.get(3 * cut + 2));
        let mut sum = 0.0;
        // Partial sums, for the reason that rows are split: the fewer terms a sum has, the smaller its rounding error.
        while piece < end {
            let partial_end = piece + (end - piece).min(PARTIAL_SUM);
            let mut partial = 0.0;
            while piece < partial_end {
                partial += sums.get(piece);
                piece += 1;
            }
            sum += partial;
        }
        sums.set(cuts.get(3 * cut), sum);
    }
}

/// Computes the next shares from the sums. The ranks are stored only at the end of a batch, because no kernel reads them.
#[kernel(threads = 256, any_width)]
pub fn rank_update(lane: Lane, params: &RankParams, sums: Read<f32>, mut nodes: Ranks) {
    let base = params.teleport + params.spread * sums.get(params.nodes);
    for node in lane.grid_stride(params.nodes) {
        let rank = base + params.damping * sums.get(node);
        nodes.shares.set(node, rank * nodes.factors.get(node));
        if params.last != 0 {
            nodes.ranks.set(node, rank);
        }
    }
}
