//! Sparse matrix times sparse matrix, C = A B, as Gustavson (1978) forms it: row i of C is the sum of the rows k of B, each times the entry
//! (i, k) of A. The products are expanded under a schedule, sorted by row and column, and those of an entry of C added up under the
//! schedule, which gives the same sum each time (expand, sort, compress: Dalton, Olson and Bell 2015). Rows of A are multiplied in blocks,
//! and a product has a place in its block: those of an entry of A are together, in the order of the entries.

use crate::prelude::*;
use crate::schedule::{Distribute, Join, Scratch, Sum, Value};
use crate::tiles::{Products, Rows};
use core::ops::Mul;

/// What the host pushes with each dispatch over a block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BlockParams {
    /// The first row of A in the block.
    pub first_row: u32,
    /// The first entry of A in the block.
    pub first_entry: u32,
    /// The number of entries of A in the block.
    pub entries: u32,
    /// The number of products.
    pub products: u32,
}

/// What the host pushes with the dispatch that expands a block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ExpandParams {
    /// The block.
    pub block: BlockParams,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// What the host pushes with the dispatch that adds up products.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SumParams {
    /// The number of entries of C in the block.
    pub entries: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// Finds the number of products of each entry of A, with a 0 behind them.
#[kernel(threads = 256, any_width)]
pub fn spgemm_lengths(
    lane: Lane,
    params: &BlockParams,
    left_columns: Read<u32>,
    right_offsets: Read<u32>,
    mut lengths: Global<u32>,
) {
    for entry in lane.grid_stride(params.entries + 1) {
        let mut length = 0;
        if entry < params.entries {
            let row = left_columns.get(params.first_entry + entry);
            length = right_offsets.get(row + 1) - right_offsets.get(row);
        }
        lengths.set(entry, length);
    }
}

/// Forms the products: their values, their columns, and their rows, counted from the first of the block. `keys` and `order` become what is sorted.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn spgemm_expand<S: Distribute, T: Value + Mul<Output = T>>(
    lane: Lane,
    params: &ExpandParams,
    left_rows: Read<u32>,
    left_columns: Read<u32>,
    left_values: Read<T>,
    right: Csr,
    right_values: Read<T>,
    before: Read<u32>,
    mut rows: Global<u32>,
    mut columns: Global<u32>,
    mut values: Global<T>,
    mut keys: Global<u32>,
    mut order: Global<u32>,
    scratch: Scratch<u32>,
) {
    let BlockParams { first_row, first_entry: first, entries: count, .. } = params.block;
    let products = Products { columns: left_columns, first, count, row_offsets: right.row_offsets, before };
    S::scatter(lane, &products, scratch, move |tile, atom| {
        let entry = first + tile;
        let product = before.get(tile) + (atom - right.row_offsets.get(left_columns.get(entry)));
        let column = right.columns.get(atom);
        rows.set(product, left_rows.get(entry) - first_row);
        columns.set(product, column);
        values.set(product, left_values.get(entry) * right_values.get(atom));
        keys.set(product, column);
        order.set(product, product);
    });
}

/// Replaces the keys of the products, which are sorted by column, by their rows.
#[kernel(threads = 256, any_width)]
pub fn spgemm_row_keys(lane: Lane, params: &BlockParams, order: Read<u32>, rows: Read<u32>, mut keys: Global<u32>) {
    for place in lane.grid_stride(params.products) {
        keys.set(place, rows.get(order.get(place)));
    }
}

/// Flags the first product of each entry of C in the sorted order.
#[kernel(threads = 256, any_width)]
pub fn spgemm_flag(
    lane: Lane,
    params: &BlockParams,
    order: Read<u32>,
    rows: Read<u32>,
    columns: Read<u32>,
    mut flags: Global<u32>,
) {
    for place in lane.grid_stride(params.products) {
        let mut is_first = true;
        if place > 0 {
            let (product, previous) = (order.get(place), order.get(place - 1));
            is_first = rows.get(product) != rows.get(previous) || columns.get(product) != columns.get(previous);
        }
        flags.set(place, is_first as u32);
    }
}

/// Writes the row and the column of each entry of C, and where its products begin; `numbers` are the prefix sums of the flags, each with its own.
#[kernel(threads = 256, any_width)]
pub fn spgemm_entries(
    lane: Lane,
    params: &BlockParams,
    order: Read<u32>,
    rows: Read<u32>,
    columns: Read<u32>,
    flags: Read<u32>,
    numbers: Read<u32>,
    mut starts: Global<u32>,
    mut entry_rows: Global<u32>,
    mut entry_columns: Global<u32>,
    mut count: Global<u32>,
) {
    for place in lane.grid_stride(params.products) {
        let number = numbers.get(place);
        if flags.get(place) == 1 {
            let product = order.get(place);
            starts.set(number - 1, place);
            entry_rows.set(number - 1, params.first_row + rows.get(product));
            entry_columns.set(number - 1, columns.get(product));
        }
        if place + 1 == params.products {
            starts.set(number, params.products);
            count.set(0, number);
        }
    }
}

/// Adds up the products of each entry of C, which are together in the sorted order.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn spgemm_sum<S: Distribute, T: Value>(
    lane: Lane,
    params: &SumParams,
    starts: Read<u32>,
    order: Read<u32>,
    values: Read<T>,
    mut sums: Global<T>,
    scratch: Scratch<T>,
) where
    Sum: Join<T>,
{
    let entries = Rows { offsets: starts, count: params.entries };
    let value = move |place| values.get(order.get(place));
    S::gather(lane, &entries, scratch, Sum, value, move |entry, sum| sums.set(entry, sum));
}
