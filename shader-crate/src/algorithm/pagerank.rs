//! PageRank in pull form. What a node gives to each node its edges lead to is its share; an iteration gathers the shares over
//! the rows of the transposed graph, and makes of the sums the next ranks and shares. One more row, behind those of the nodes,
//! gathers the ranks of the nodes that no edge leaves, which everybody gets a part of.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    schedule::{Distribute, Scratch, Sum},
    tiles::Rows,
};
use evenkeel_types::{LengthParams, ProductParams, RankParams};

/// The first shares: all nodes have the same rank.
#[kernel(threads = 256)]
pub fn rank_start(
    lane: Lane,
    params: &RankParams,
    factors: Read<f32>,
    mut shares: Global<f32>,
    mut ranks: Global<f32>,
) {
    for node in lane.grid_stride(params.nodes) {
        shares.set(node, params.start * factors.get(node));
        ranks.set(node, params.start);
    }
}

/// Adds up the shares of each row.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn rank_gather<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    shares: Read<f32>,
    mut sums: Global<f32>,
    scratch: Scratch<f32>,
) {
    let rows = Rows { offsets: row_offsets, count: params.rows };
    S::gather(
        lane,
        &rows,
        scratch,
        Sum,
        move |entry| shares.get(columns.get(entry)),
        move |row, sum| sums.set(row, sum),
    );
}

const SOME: u32 = 64;

/// Puts the sums of rows that were cut into pieces together, an invocation to each row. A cut is three words: the row, its
/// first piece, and the one after its last.
#[kernel(threads = 256)]
pub fn rank_join(lane: Lane, params: &LengthParams, cuts: Read<u32>, mut sums: Global<f32>) {
    for cut in lane.grid_stride(params.length) {
        let (mut piece, end) = (cuts.get(3 * cut + 1), cuts.get(3 * cut + 2));
        let mut sum = 0.0;
        // Some at a time, for the same reason that rows are cut: the fewer terms a sum has, the less it loses.
        while piece < end {
            let some = piece + (end - piece).min(SOME);
            let mut part = 0.0;
            while piece < some {
                part += sums.get(piece);
                piece += 1;
            }
            sum += part;
        }
        sums.set(cuts.get(3 * cut), sum);
    }
}

/// The next shares from the sums, and at the end of a batch the ranks, which nothing on the device reads.
#[kernel(threads = 256)]
pub fn rank_update(
    lane: Lane,
    params: &RankParams,
    sums: Read<f32>,
    factors: Read<f32>,
    mut shares: Global<f32>,
    mut ranks: Global<f32>,
) {
    let everyone = params.teleport + params.spread * sums.get(params.nodes);
    for node in lane.grid_stride(params.nodes) {
        let rank = everyone + params.damping * sums.get(node);
        shares.set(node, rank * factors.get(node));
        if params.last != 0 {
            ranks.set(node, rank);
        }
    }
}
