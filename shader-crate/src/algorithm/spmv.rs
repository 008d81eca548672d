//! Sparse matrix times dense vector: `y[row]` is the sum over the row's entries of their value times `x[column]`.

use crate::prelude::*;
use crate::schedule::{Distribute, Join, Scratch, Sum, Value};
use crate::tiles::Rows;
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
    /// The number of rows of the matrix.
    pub rows: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
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
    let rows = Rows { offsets: matrix.row_offsets, count: params.rows };
    let product = move |entry| values.get(entry) * x.get(matrix.columns.get(entry));
    S::gather(lane, &rows, scratch, Sum, product, move |row, sum| y.set(row, sum));
}
