//! Sparse matrix times dense vector, row by row in double precision, with how far a single-precision answer may be off.

use crate::graph::{Csr, Weights};

/// A row's product, and the most by which a right answer in single precision can differ from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// In double precision.
    pub value: f64,
    /// The bound for any order of summation: γ(n) Σ|a||x| with n operations a term (Higham, §3.1).
    pub bound: f64,
}

/// y = A x. An entry of a matrix without values is 1.
pub fn product(csr: &Csr, x: &[f32]) -> Vec<Bounded> {
    let entry = |edge: usize| match &csr.weights {
        Weights::None => 1.0,
        Weights::U32(values) => f64::from(values[edge] as f32),
        Weights::F32(values) => f64::from(values[edge]),
    };
    let row = |node: u32| {
        let terms = csr.row(node).map(|edge| entry(edge) * f64::from(x[csr.columns[edge] as usize]));
        let (value, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let roundings = (csr.degree(node) as f64 + 1.0) * f64::from(f32::EPSILON) / 2.0;
        Bounded { value, bound: roundings / (1.0 - roundings) * size + f64::from(f32::MIN_POSITIVE) }
    };
    (0..csr.nodes()).map(row).collect()
}

/// The first row whose answer is further off than it may be.
pub fn first_mismatch(expected: &[Bounded], found: &[f32]) -> Option<super::Mismatch> {
    expected.iter().zip(found).enumerate().find_map(|(row, (expected, found))| {
        let off = (f64::from(*found) - expected.value).abs();
        // Written so that NaN is a mismatch.
        let right = off <= expected.bound;
        (!right).then(|| super::Mismatch {
            node: row as u32,
            expected: format!("{} ± {:e}", expected.value, expected.bound),
            found: found.to_string(),
        })
    })
}
