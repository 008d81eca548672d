//! Weights that come one by one: from attributes, JSON values and the columns of tables.

use super::lines::shown;
use crate::graph::EdgeWeights;

/// A weight of an edge: whole when it is a whole number that fits 32 bits, and written as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weight {
    Whole(u32),
    Real(f32),
}

impl Weight {
    /// A weight as text; the reason when it is none.
    pub fn of_text(text: &[u8]) -> Result<Self, String> {
        let text = text.trim_ascii();
        if let Ok(whole) = lexical_core::parse::<u32>(text) {
            return Ok(Self::Whole(whole));
        }
        match lexical_core::parse::<f32>(text) {
            Ok(real) if real.is_finite() => Ok(Self::Real(real)),
            Ok(_) => Err(not_finite(&shown(text))),
            Err(_) => Err(format!("the weight '{}' is not a number", shown(text))),
        }
    }

    /// A weight that is no whole number by its type.
    #[inline]
    pub fn of_real(real: f64) -> Result<Self, String> {
        match real as f32 {
            finite if finite.is_finite() => Ok(Self::Real(finite)),
            _ => Err(not_finite(&real.to_string())),
        }
    }

    /// A weight that is a whole number.
    #[inline]
    pub fn of_whole(whole: i128) -> Self {
        u32::try_from(whole).map_or(Self::Real(whole as f32), Self::Whole)
    }

    fn real(self) -> f32 {
        match self {
            Self::Whole(whole) => whole as f32,
            Self::Real(real) => real,
        }
    }

    /// Adds it to a column, whose weights all become reals with the first that is one.
    #[inline]
    pub fn push_to(self, weights: &mut EdgeWeights) {
        match (&mut *weights, self) {
            (EdgeWeights::U32(column), Self::Whole(whole)) => column.push(whole),
            (EdgeWeights::F32(column), weight) => column.push(weight.real()),
            (EdgeWeights::U32(column), Self::Real(real)) => {
                *weights = EdgeWeights::F32(column.iter().map(|whole| *whole as f32).chain([real]).collect());
            }
            (EdgeWeights::None, _) => {}
        }
    }
}

fn not_finite(shown: &str) -> String {
    format!("the weight '{shown}' is not a finite 32-bit number")
}

/// The column of some weights.
pub(super) fn column(weights: impl IntoIterator<Item = Weight>) -> EdgeWeights {
    let mut column = EdgeWeights::U32(Vec::new());
    weights.into_iter().for_each(|weight| weight.push_to(&mut column));
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_when_written_so() {
        assert_eq!(Weight::of_text(b" 4294967295 "), Ok(Weight::Whole(u32::MAX)));
        assert_eq!(Weight::of_text(b"4294967296"), Ok(Weight::Real(4294967296.0)));
        assert_eq!(Weight::of_text(b"1.0"), Ok(Weight::Real(1.0)));
        assert_eq!(Weight::of_whole(-3), Weight::Real(-3.0));
        assert_eq!(Weight::of_real(0.5), Ok(Weight::Real(0.5)));
        for wrong in ["nan", "inf", "1e39", "x", ""] {
            assert!(Weight::of_text(wrong.as_bytes()).is_err(), "{wrong}");
        }
        for wrong in [f64::NAN, f64::INFINITY, 1e39] {
            assert!(Weight::of_real(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_real_makes_all_real() {
        assert_eq!(column([Weight::Whole(3), Weight::Whole(4)]), EdgeWeights::U32(vec![3, 4]));
        let mixed = column([Weight::Whole(3), Weight::Real(0.5), Weight::Whole(4)]);
        assert_eq!(mixed, EdgeWeights::F32(vec![3.0, 0.5, 4.0]));
    }
}
