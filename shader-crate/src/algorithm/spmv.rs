//! Sparse matrix times dense vector: `y[row]` is the sum over the row's entries of their value times `x[column]`. Rows gather their
//! sum, compressed (CSR) or in a list of entries (COO) that is sorted by rows; where the entries of a row are not together, in any list of
//! entries or in columns (CSC), each entry adds its term to its row, atomically, and `y` is zero before.

use crate::prelude::*;
use crate::primitive::search::first;
use crate::schedule::{Distribute, Join, Scratch, Sum, Value};
use crate::tiles::{Entries, Rows};
use core::ops::Mul;

registry! {
    /// The numbers that a product can be computed in.
    pub enum Real, evenkeel_kernels::algorithm::spmv::Real, for_each_real {
        /// Single precision.
        F32 = "f32", f32;
        /// Double precision, for devices that have it.
        F64 = "f64", f64;
    }
}

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ProductParams {
    /// The tiles: rows of the matrix, its columns, or its entries.
    pub tiles: TileRange,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// Stores the sum of a tile's row; where the row was cut, adds it to that of the parts before.
#[inline(always)]
pub fn store_sum<T: Value>(sums: &mut Global<T>, tiles: &TileRange, tile: u32, sum: T)
where
    Sum: Join<T>,
{
    let (row, mut sum) = (tiles.row(tile), sum);
    if tiles.continues == 1 {
        sum = Sum::join(sums.get(row), sum);
    }
    sums.set(row, sum);
}

/// The product under a schedule.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, T in for_each_real))]
pub fn spmv<S: Distribute, T: Value + Mul<Output = T>>(
    lane: Lane,
    params: &ProductParams,
    matrix: Csr,
    values: Read<T>,
    x: Read<T>,
    mut y: Global<T>,
    scratch: Scratch<T>,
) where
    Sum: Join<T>,
{
    let (rows, tiles) = (Rows { offsets: matrix.row_offsets, count: params.tiles.count }, params.tiles);
    let product = move |entry| values.get(entry) * x.get(matrix.columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, product, move |tile, sum| store_sum(&mut y, &tiles, tile, sum));
}

/// The product of a list of entries (COO) under a schedule.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn spmv_coo<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    rows: Read<u32>,
    columns: Read<u32>,
    values: Read<f32>,
    x: Read<f32>,
    mut y: Global<f32>,
    scratch: Scratch<u32>,
) {
    let tiles = params.tiles;
    let entries = Entries { count: tiles.count };
    S::scatter(lane, &entries, scratch, move |_, entry| {
        y.add(rows.get(entry), values.get(entry) * x.get(columns.get(entry)));
    });
}

/// What the host pushes to [`EntryOffsets`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EntryParams {
    /// The number of rows.
    pub rows: u32,
    /// The number of entries.
    pub entries: u32,
}

/// Finds where each row begins in a list of entries (COO) that is sorted by rows, and behind the last where it ends: with these the rows of the list
/// are tiles.
#[kernel(threads = 256, any_width)]
pub fn entry_offsets(lane: Lane, params: &EntryParams, rows: Read<u32>, mut offsets: Global<u32>) {
    for row in lane.grid_stride(params.rows + 1) {
        offsets.set(row, first(0, params.entries, |entry| rows.get(entry) >= row));
    }
}

/// The product of compressed columns (CSC) under a schedule: `matrix` is the transposed one.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn spmv_csc<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    matrix: Csr,
    values: Read<f32>,
    x: Read<f32>,
    mut y: Global<f32>,
    scratch: Scratch<u32>,
) {
    let tiles = params.tiles;
    let columns = Rows { offsets: matrix.row_offsets, count: tiles.count };
    S::scatter(lane, &columns, scratch, move |tile, entry| {
        y.add(matrix.columns.get(entry), values.get(entry) * x.get(tiles.row(tile)));
    });
}
