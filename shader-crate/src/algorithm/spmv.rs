//! Sparse matrix times dense vector: `y[row]` is the sum over the row's entries of their value times `x[column]`.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    schedule::{Distribute, Scratch, Sum},
    tiles::Rows,
};
use evenkeel_types::ProductParams;

/// In single precision.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn spmv_f32<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    values: Read<f32>,
    x: Read<f32>,
    mut y: Global<f32>,
    scratch: Scratch<f32>,
) {
    let rows = Rows { offsets: row_offsets, count: params.rows };
    let product = move |entry| values.get(entry) * x.get(columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, product, move |row, sum| y.set(row, sum));
}

/// In double precision, for devices that have it.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn spmv_f64<S: Distribute>(
    lane: Lane,
    params: &ProductParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    values: Read<f64>,
    x: Read<f64>,
    mut y: Global<f64>,
    scratch: Scratch<f64>,
) {
    let rows = Rows { offsets: row_offsets, count: params.rows };
    let product = move |entry| values.get(entry) * x.get(columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, product, move |row, sum| y.set(row, sum));
}
