//! Degrees: the number of entries of each row, and the sum of their weights.

use super::spmv::{ProductParams, store_sum};
use crate::prelude::*;
use crate::schedule::{Distribute, Join, Scratch, Sum, Value};
use crate::tiles::Rows;

/// Counts the entries of each row.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn degree_count<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    graph: Csr,
    mut counts: Global<u32>,
    scratch: Scratch<u32>,
) {
    let (rows, tiles) = (Rows { offsets: graph.row_offsets, count: params.tiles.count }, params.tiles);
    S::gather(lane, &rows, scratch, Sum, |_| 1, move |tile, sum| store_sum(&mut counts, &tiles, tile, sum));
}

/// Adds up the weights of each row.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn degree_sum<S: Distribute, T: Value>(
    lane: Lane,
    params: &ProductParams,
    graph: Csr,
    weights: Read<T>,
    mut sums: Global<T>,
    scratch: Scratch<T>,
) where
    Sum: Join<T>,
{
    let (rows, tiles) = (Rows { offsets: graph.row_offsets, count: params.tiles.count }, params.tiles);
    let weight = move |entry| weights.get(entry);
    S::gather(lane, &rows, scratch, Sum, weight, move |tile, sum| store_sum(&mut sums, &tiles, tile, sum));
}
