//! Sparse matrix times dense vector or matrix, row by row in double precision, with a bound on the error of a right answer.

use super::Mismatch;
use evenkeel_graph::Csr;
use rayon::prelude::*;

/// The relative error of one operation in single precision.
pub const SINGLE: f64 = f32::EPSILON as f64 / 2.0;
/// The relative error of one operation in double precision.
pub const DOUBLE: f64 = f64::EPSILON / 2.0;

/// A row's product, and what its error is measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// In double precision.
    pub value: f64,
    /// Σ|a||x|.
    pub size: f64,
    /// The largest power of two that every term is a multiple of; infinite where all terms are 0.
    pub grain: f64,
    /// Roundings of a term: of the entry to the precision, of the product, and of every addition.
    pub roundings: f64,
}

/// How many standard deviations of the sum of its rounding errors an answer may be off: one in 10^13 would be by chance.
const DEVIATIONS: f64 = 8.0;

impl Bounded {
    /// The most by which an answer can differ that was summed up in any order with operations off by at most `unit` each.
    ///
    /// A sum of multiples of a grain is exact, in any order, where the precision has a number for every multiple up to Σ|a||x|. Any
    /// other sum is off by at most γ(n) Σ|a||x| (Higham, §3.1), and, as its rounding errors go both ways, hardly ever by more than
    /// √n instead of n of them (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019).
    pub fn bound(self, unit: f64) -> f64 {
        let smallest = if unit == SINGLE { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
        if self.size * unit <= self.grain {
            return smallest;
        }
        let roundings = self.roundings.min(DEVIATIONS * self.roundings.sqrt());
        let gamma = |unit: f64| roundings * unit / (1.0 - roundings * unit);
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

/// The largest power of two that a normal number is a multiple of: its lowest bit. Infinite for 0.
fn grain(number: f64) -> f64 {
    const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    if number == 0.0 {
        return f64::INFINITY;
    }
    let zeros = number.to_bits().trailing_zeros().min(FRACTION_BITS);
    let power = f64::from_bits(number.abs().to_bits() >> FRACTION_BITS << FRACTION_BITS);
    power * f64::from_bits(u64::from(zeros + 1023 - FRACTION_BITS) << FRACTION_BITS)
}

/// The sum of some terms.
pub fn sum(terms: &[f64]) -> Bounded {
    let nothing = Bounded { value: 0.0, size: 0.0, grain: f64::INFINITY, roundings: terms.len() as f64 + 2.0 };
    terms.iter().fold(nothing, |sum, term| Bounded {
        value: sum.value + term,
        size: sum.size + term.abs(),
        grain: sum.grain.min(grain(*term)),
        ..sum
    })
}

/// The product of a row with the vector whose element `x` gives for each column. An entry of a matrix without values is 1.
fn row_product(csr: &Csr, row: u32, x: impl Fn(usize) -> f64) -> Bounded {
    let roundings = f64::from(csr.degree(row)) + 2.0;
    let nothing = Bounded { value: 0.0, size: 0.0, grain: f64::INFINITY, roundings };
    csr.row(row).fold(nothing, |sum, edge| {
        let (entry, element) = (csr.weights().real(edge), x(csr.columns()[edge] as usize));
        let term = entry * element;
        let grain = if term == 0.0 { f64::INFINITY } else { grain(entry) * grain(element) };
        Bounded { value: sum.value + term, size: sum.size + term.abs(), grain: sum.grain.min(grain), roundings }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grain_is_the_lowest_bit() {
        let numbers = [0.0, 1.0, -1.0, 6.0, 0.75, 1e20, f64::from(f32::MIN_POSITIVE), 1.0 + f64::EPSILON];
        let grains =
            [f64::INFINITY, 1.0, 1.0, 2.0, 0.25, f64::from(1 << 20), f64::from(f32::MIN_POSITIVE), f64::EPSILON];
        assert_eq!(numbers.map(grain), grains);
    }
}
