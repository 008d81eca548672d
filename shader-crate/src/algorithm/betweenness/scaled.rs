//! Positive numbers of any size, as a mantissa in single precision and a binary exponent. The number of shortest paths between two corners
//! of a grid of 4,096 by 4,096 nodes has more than 8,000 bits, so that no float holds it; only ratios of such numbers end up in an answer.

use crate::memory::Global;

/// `mantissa` times two to the power of `exponent`.
#[derive(Clone, Copy)]
pub struct Scaled {
    /// From 1 to 2 in what is stored, or 0.
    pub mantissa: f32,
    /// Below `BIAS` in size, as the number of nodes bounds it.
    pub exponent: i32,
}

/// Added to an exponent, it makes a number that is not negative.
const BIAS: i32 = 1 << 30;

/// The bits of an exponent of 0 in a float.
const ONE: u32 = 127;

/// Two to the power of `exponent`, if that is neither too small nor too large for a normal number: 0 if it is too small.
#[inline(always)]
fn power(exponent: i32) -> f32 {
    if exponent < -126 { 0.0 } else { f32::from_bits(((exponent + ONE as i32) as u32) << 23) }
}

impl Scaled {
    /// 0, which is less than any other.
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: -BIAS };

    /// 1.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// The sum. Scaling by powers of two is exact, so it is rounded as a sum of floats is.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        Self { mantissa: self.mantissa_at(exponent) + other.mantissa_at(exponent), exponent }
    }

    /// The mantissa that goes with a larger exponent.
    #[inline(always)]
    pub fn mantissa_at(self, exponent: i32) -> f32 {
        self.mantissa * power(self.exponent - exponent)
    }

    /// The exponent as a number that is not negative, in the same order.
    #[inline(always)]
    pub fn biased(self) -> u32 {
        (self.exponent + BIAS) as u32
    }

    /// A mantissa and the exponent that [`Scaled::biased`] gave.
    #[inline(always)]
    pub fn from_biased(mantissa: f32, biased: u32) -> Self {
        Self { mantissa, exponent: biased as i32 - BIAS }
    }

    /// The product as a float. It is no more than the number of nodes, and may be too small to be told from 0.
    #[inline(always)]
    pub fn times(self, other: Self) -> f32 {
        self.mantissa * other.mantissa * power((self.exponent + other.exponent).clamp(-127, 120))
    }

    /// `number`, which is at least 1, divided by this, which is not 0.
    #[inline(always)]
    pub fn divide(self, number: f32) -> Self {
        Self { mantissa: number / self.mantissa, exponent: -self.exponent }.normal()
    }

    /// Normalises the number so that its mantissa is from 1 to 2, unless it is 0.
    #[inline(always)]
    pub fn normal(self) -> Self {
        let bits = self.mantissa.to_bits();
        if bits == 0 {
            return Self::ZERO;
        }
        let exponent = (bits >> 23) as i32 - ONE as i32;
        Self { mantissa: f32::from_bits((bits & 0x7f_ffff) | (ONE << 23)), exponent: self.exponent + exponent }
    }

    /// The number at a place of a buffer in which each is two words. `SHARED` where another invocation of the dispatch may have written it.
    #[inline(always)]
    pub fn read<const SHARED: bool>(words: &Global<u32>, place: u32) -> Self {
        let word = |word: u32| if SHARED { words.load(2 * place + word) } else { words.get(2 * place + word) };
        let (mantissa, exponent) = (word(0), word(1));
        Self { mantissa: f32::from_bits(mantissa), exponent: exponent as i32 }
    }

    /// Replaces the number at a place.
    #[inline(always)]
    pub fn write<const SHARED: bool>(self, words: &mut Global<u32>, place: u32) {
        let (mantissa, exponent) = (self.mantissa.to_bits(), self.exponent as u32);
        if SHARED {
            words.store(2 * place, mantissa);
            words.store(2 * place + 1, exponent);
        } else {
            words.set(2 * place, mantissa);
            words.set(2 * place + 1, exponent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: f32) -> Scaled {
        Scaled { mantissa: number, exponent: 0 }.normal()
    }

    fn value(scaled: Scaled) -> f64 {
        f64::from(scaled.mantissa) * 2f64.powi(scaled.exponent)
    }

    #[test]
    fn sums_are_those_of_floats_where_floats_suffice() {
        for (a, b) in [(1.0, 1.0), (3.0, 5.5), (1e30, 7.0), (0.25, 1e-9), (16_777_216.0, 1.0)] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(value(of(a).plus(of(b)).normal()), f64::from(a + b), "{a} + {b}");
            }
            assert_eq!(value(Scaled::ZERO.plus(of(a))), f64::from(a));
            assert_eq!(value(of(a).plus(Scaled::ZERO)), f64::from(a));
        }
        let sum = Scaled::ZERO.plus(Scaled::ZERO).normal();
        assert_eq!((sum.mantissa, sum.exponent), (0.0, Scaled::ZERO.exponent));
    }

    #[test]
    fn numbers_beyond_floats_keep_their_ratios() {
        let mut paths = Scaled::ONE;
        for _ in 0..100_000 {
            paths = paths.plus(paths).plus(paths).normal();
        }
        // 3 to the power of 100,000 has 158,497 bits.
        assert_eq!(paths.exponent, 158_496);
        let ratio = paths.divide(5.0).times(paths);
        assert!((ratio - 5.0).abs() < 1e-6, "{ratio}");
        assert_eq!(of(1.0).divide(1.0).times(Scaled { mantissa: 1.0, exponent: -5000 }), 0.0);
        assert_eq!(paths.plus(Scaled::ONE).normal().mantissa, paths.mantissa);
        let back = Scaled::from_biased(paths.mantissa, paths.biased());
        assert_eq!((back.mantissa, back.exponent), (paths.mantissa, paths.exponent));
        assert_eq!(Scaled::ZERO.biased(), 0);
    }
}
