//! Eigenvector centrality by power iteration: a node's next value is its own and those of the nodes whose edges lead to it, and then all
//! values are divided by the length of the vector. The loop's state and its end are those of PageRank.

use super::{
    pagerank::{CHANGE_BLOCK, RankNumber, add_up},
    spmv::store_sum,
};
use crate::prelude::*;
use crate::primitive::LengthParams;
use crate::schedule::{Distribute, Join, Scratch, Sum};
use crate::tiles::Rows;

/// What the host pushes for a gather.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EigenvectorParams {
    /// The rows.
    pub tiles: TileRange,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
    /// Not 0 where edges count by their weights.
    pub weighted: u32,
}

/// Adds up the values along the edges that lead to each node.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn eigenvector_gather<S: Distribute, T: RankNumber>(
    lane: Lane,
    params: &EigenvectorParams,
    graph: Csr,
    weights: Read<T>,
    values: Read<T>,
    mut sums: Global<T>,
    scratch: Scratch<T>,
) where
    Sum: Join<T>,
{
    let (rows, tiles) = (Rows { offsets: graph.row_offsets, count: params.tiles.count }, params.tiles);
    let weighted = params.weighted;
    let term = move |entry| {
        let mut value = values.get(graph.columns.get(entry));
        if weighted != 0 {
            value = value * weights.get(entry);
        }
        value
    };
    S::gather(lane, &rows, scratch, Sum, term, move |tile, sum| store_sum(&mut sums, &tiles, tile, sum));
}

/// Adds each node's own value to its sum, and the squares of the results by blocks of nodes.
#[kernel(threads = 256, each(T in for_each_real))]
pub fn eigenvector_square<T: RankNumber>(
    lane: Lane,
    params: &LengthParams,
    values: Read<T>,
    mut sums: Global<T>,
    mut squares: Global<T>,
    mut cells: Shared<T, 256>,
) where
    Sum: Join<T>,
{
    for block in lane.by_group(params.length.div_ceil(CHANGE_BLOCK)) {
        let begin = block * CHANGE_BLOCK;
        let mut square = Sum::identity();
        for node in step(begin + lane.local, begin + (params.length - begin).min(CHANGE_BLOCK), lane.threads) {
            let sum = values.get(node) + sums.get(node);
            sums.set(node, sum);
            square = square + sum * sum;
        }
        let square = add_up(lane, square, &mut cells);
        if lane.local == 0 {
            squares.set(block, square);
        }
    }
}

/// Divides all sums by the length of their vector, and adds up by how much the values of each block of nodes change.
#[kernel(threads = 256, each(T in for_each_real))]
pub fn eigenvector_step<T: RankNumber>(
    lane: Lane,
    params: &LengthParams,
    sums: Read<T>,
    squares: Read<T>,
    mut values: Global<T>,
    mut changes: Global<T>,
    mut cells: Shared<T, 256>,
) where
    Sum: Join<T>,
{
    let blocks = params.length.div_ceil(CHANGE_BLOCK);
    let mut square = Sum::identity();
    for block in lane.group_stride(blocks) {
        square = square + squares.get(block);
    }
    let factor = add_up(lane, square, &mut cells).inverse_root();
    for block in lane.by_group(blocks) {
        let begin = block * CHANGE_BLOCK;
        let mut change = Sum::identity();
        for node in step(begin + lane.local, begin + (params.length - begin).min(CHANGE_BLOCK), lane.threads) {
            let value = sums.get(node) * factor;
            change = change + value.distance(values.get(node));
            values.set(node, value);
        }
        let change = add_up(lane, change, &mut cells);
        if lane.local == 0 {
            changes.set(block, change);
        }
    }
}
