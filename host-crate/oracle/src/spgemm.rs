//! Sparse matrix times sparse matrix, row by row in double precision, with the terms of a row kept by column. See [`super::spmv`] for the bound on
//! the error of a right answer.

use super::{
    Mismatch,
    spmv::{Bounded, sum},
};
use evenkeel_graph::Csr;
use std::collections::BTreeMap;

/// An entry of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its row.
    pub row: u32,
    /// Its column.
    pub column: u32,
    /// Its value.
    pub value: Bounded,
}

/// The entries of a row of a matrix: columns and values.
type Row = Vec<(u32, f64)>;

/// The rows of a matrix. An entry of a matrix without values is 1.
fn rows(csr: &Csr) -> Vec<Row> {
    let entries = |row| csr.row(row).map(|edge| (csr.columns()[edge], csr.weights().real(edge))).collect();
    (0..csr.nodes()).map(entries).collect()
}

/// The columns of a matrix, as the rows of another one.
fn columns(csr: &Csr) -> Vec<Row> {
    let mut columns = vec![Row::new(); csr.nodes() as usize];
    for row in 0..csr.nodes() {
        for edge in csr.row(row) {
            columns[csr.columns()[edge] as usize].push((row, csr.weights().real(edge)));
        }
    }
    columns
}

/// The entries of A A, or of A Aᵀ, by row and column. An entry that has products is one, also where they add up to 0.
pub fn product(csr: &Csr, by_transposed: bool) -> Vec<Entry> {
    let right = if by_transposed { columns(csr) } else { rows(csr) };
    let mut entries = Vec::new();
    for (row, left) in (0..).zip(rows(csr)) {
        let mut terms: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (middle, value) in left {
            for (column, other) in &right[middle as usize] {
                terms.entry(*column).or_default().push(value * other);
            }
        }
        entries.extend(terms.into_iter().map(|(column, terms)| Entry { row, column, value: sum(&terms) }));
    }
    entries
}

/// The first entry that only one has, or whose value is further off than operations that are off by `unit` each explain.
pub fn first_mismatch(
    expected: &[Entry],
    found: impl ExactSizeIterator<Item = (u32, u32, f64)>,
    unit: f64,
) -> Option<Mismatch> {
    let count = found.len();
    let mut expected_ones = expected.iter();
    for (row, column, value) in found {
        let text = format!("{value} in column {column}");
        match expected_ones.next() {
            Some(entry) if (entry.row, entry.column) == (row, column) => {
                // Written so that NaN is a mismatch.
                let right = (value - entry.value.value).abs() <= entry.value.bound(unit);
                if !right {
                    let expected = format!("{} ± {:e} in column {column}", entry.value.value, entry.value.bound(unit));
                    return Some(Mismatch { node: row, expected, found: text });
                }
            }
            Some(entry) => {
                let expected = format!("an entry in row {}, column {}", entry.row, entry.column);
                return Some(Mismatch { node: row, expected, found: text });
            }
            None => return Some(Mismatch { node: row, expected: "no further entry".into(), found: text }),
        }
    }
    let missing = expected.get(count)?;
    let expected = format!("an entry in column {}", missing.column);
    Some(Mismatch { node: missing.row, expected, found: "none".into() })
}
