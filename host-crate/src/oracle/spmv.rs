//! Sparse matrix times dense vector or matrix, row by row in double precision, with a bound on the error of a right answer.

use super::Mismatch;
use crate::graph::Csr;
use rayon::prelude::*;

/// The relative error of one operation in single precision.
pub const SINGLE: f64 = f32::EPSILON as f64 / 2.0;
/// The same in double precision.
pub const DOUBLE: f64 = f64::EPSILON / 2.0;

/// A row's product, and what its error is measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// In double precision.
    pub value: f64,
    /// Σ|a||x|.
    pub size: f64,
    /// Roundings of a term: of the entry to the precision, of the product, and of every addition.
    pub roundings: f64,
}

impl Bounded {
    /// The most by which an answer can differ that was summed up in any order with operations off by at most `unit` each:
    /// γ(n) Σ|a||x| (Higham, §3.1), for that answer and for the value here.
    pub fn bound(self, unit: f64) -> f64 {
        let gamma = |unit: f64| self.roundings * unit / (1.0 - self.roundings * unit);
        let smallest = if unit == SINGLE { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
        (gamma(unit) + gamma(DOUBLE)) * self.size + smallest
    }

    /// What is wrong with `found`, if it is further off than it may be.
    fn mismatch(self, row: u32, found: f64, unit: f64) -> Option<Mismatch> {
        // Written so that NaN is a mismatch.
        let right = (found - self.value).abs() <= self.bound(unit);
        (!right).then(|| Mismatch {
            node: row,
            expected: format!("{} ± {:e}", self.value, self.bound(unit)),
            found: found.to_string(),
        })
    }
}

/// The product of a row with the vector whose element `x` gives for each column. An entry of a matrix without values is 1.
fn row_product(csr: &Csr, row: u32, x: impl Fn(usize) -> f64) -> Bounded {
    let terms = csr.row(row).map(|edge| csr.weights().real(edge) * x(csr.columns()[edge] as usize));
    let (value, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
    Bounded { value, size, roundings: f64::from(csr.degree(row)) + 2.0 }
}

/// y = A x.
pub fn product<T: Copy + Into<f64>>(csr: &Csr, x: &[T]) -> Vec<Bounded> {
    (0..csr.nodes()).map(|row| row_product(csr, row, |column| x[column].into())).collect()
}

/// The first row whose answer is further off than operations that are off by `unit` explain, or is missing.
pub fn first_mismatch(expected: &[Bounded], found: &[f64], unit: f64) -> Option<Mismatch> {
    let missing = std::iter::repeat(&f64::NAN);
    expected
        .iter()
        .zip(found.iter().chain(missing))
        .zip(0..)
        .find_map(|((expected, found), row)| expected.mismatch(row, *found, unit))
}

/// The first element of C = A B that is further off than single precision explains, where `b` and `found` have `width` columns
/// in each row, one row behind the other.
pub fn first_mismatch_of_matrix(csr: &Csr, b: &[f32], found: &[f32], width: usize) -> Option<Mismatch> {
    let element = |row: u32, column: usize| {
        let expected = row_product(csr, row, |at| b[at * width + column].into());
        let mismatch = expected.mismatch(row, found[row as usize * width + column].into(), SINGLE)?;
        Some(Mismatch { found: format!("{} in column {column}", mismatch.found), ..mismatch })
    };
    (0..csr.nodes()).into_par_iter().find_map_first(|row| (0..width).find_map(|column| element(row, column)))
}
