//! The numbers in which the CPU device counts paths: floats while they suffice, else floats with an exponent of their own.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// A positive number of paths, or its reciprocal times some number of nodes.
pub(super) trait Number: Copy + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;
    /// Where threads share one.
    type Cell: Default + Send + Sync;

    fn plus(self, other: Self) -> Self;
    /// The product, which a float holds.
    fn times(self, other: Self) -> f64;
    /// `number` divided by this.
    fn divide(self, number: f64) -> Self;
    /// Whether it and its reciprocal are within range.
    fn fits(self) -> bool;
    fn load(cell: &Self::Cell) -> Self;
    fn store(self, cell: &Self::Cell);
}

/// The most paths that are counted in floats: far from where they, or their reciprocals, lose digits.
const MOST: f64 = 1e300;

impl Number for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    type Cell = AtomicU64;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> f64 {
        self * other
    }

    #[inline(always)]
    fn divide(self, number: f64) -> Self {
        number / self
    }

    #[inline(always)]
    fn fits(self) -> bool {
        self <= MOST
    }

    #[inline(always)]
    fn load(cell: &AtomicU64) -> Self {
        Self::from_bits(cell.load(Relaxed))
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU64) {
        cell.store(self.to_bits(), Relaxed);
    }
}

/// A float times two to the power of an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide {
    mantissa: f64,
    exponent: i64,
}

/// Two to the power of an exponent that is at most 0; 0 where that is too small to matter in a sum.
fn power(exponent: i64) -> f64 {
    if exponent < -1000 { 0.0 } else { f64::from_bits(((exponent + 1023) as u64) << 52) }
}

impl Wide {
    /// Normalises the number so that its mantissa is from 1 to 2.
    fn normal(self) -> Self {
        let bits = self.mantissa.to_bits();
        let exponent = (bits >> 52) as i64 - 1023;
        Self { mantissa: f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52), exponent: self.exponent + exponent }
    }
}

impl Number for Wide {
    const ZERO: Self = Self { mantissa: 0.0, exponent: i64::MIN / 4 };
    const ONE: Self = Self { mantissa: 1.0, exponent: 0 };
    type Cell = (AtomicU64, AtomicI64);

    fn plus(self, other: Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let mantissa =
            self.mantissa * power(self.exponent - exponent) + other.mantissa * power(other.exponent - exponent);
        if mantissa == 0.0 { Self::ZERO } else { Self { mantissa, exponent }.normal() }
    }

    fn times(self, other: Self) -> f64 {
        let exponent = self.exponent + other.exponent;
        if exponent > 0 {
            // No more than the number of nodes.
            return self.mantissa * other.mantissa / power(-exponent.min(60));
        }
        self.mantissa * other.mantissa * power(exponent)
    }

    fn divide(self, number: f64) -> Self {
        Self { mantissa: number / self.mantissa, exponent: -self.exponent }.normal()
    }

    fn fits(self) -> bool {
        true
    }

    fn load((mantissa, exponent): &Self::Cell) -> Self {
        Self { mantissa: f64::from_bits(mantissa.load(Relaxed)), exponent: exponent.load(Relaxed) }
    }

    fn store(self, (mantissa, exponent): &Self::Cell) {
        mantissa.store(self.mantissa.to_bits(), Relaxed);
        exponent.store(self.exponent, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts ways that triple `times` times, and asks what 7 over that times that is.
    fn tripled<N: Number>(times: usize) -> (N, f64) {
        let count = (0..times).fold(N::ONE, |count, _| count.plus(count).plus(count));
        let sum = count.divide(3.0).plus(N::ZERO).plus(count.divide(4.0));
        (count, count.times(sum))
    }

    #[test]
    fn both_kinds_agree_and_the_wide_one_goes_on() {
        assert!((tripled::<f64>(500).1 - 7.0).abs() < 1e-12 && (tripled::<Wide>(500).1 - 7.0).abs() < 1e-12);
        assert!(tripled::<f64>(500).0.fits() && !tripled::<f64>(640).0.fits() && !tripled::<f64>(1000).0.fits());
        let (count, seven) = tripled::<Wide>(100_000);
        assert_eq!(count.exponent, 158_496);
        assert!((seven - 7.0).abs() < 1e-12, "{seven}");
        assert_eq!(Wide::ZERO.plus(Wide::ZERO), Wide::ZERO);
        assert_eq!(count.times(Wide::ZERO), 0.0);
        let cell = Default::default();
        count.store(&cell);
        assert_eq!(Wide::load(&cell), count);
    }
}
