//! A weight as a file has it: as text, as a JSON value, in a column of a table.

use super::lines::shown;
use evenkeel_graph::weights::is_whole;

/// What becomes this or more may have been another whole number.
const LAST_EXACT: f32 = 16_777_216.0;

/// A weight of an edge: whole when it is a whole number that fits 32 bits, and written as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weight {
    Whole(u32),
    Real(f32),
    /// A real that is not what is written: a whole number or nearly one that has too many digits, or one too close to 0.
    Rounded {
        read: f32,
        written: f64,
    },
}

impl Weight {
    /// A weight as text; the reason when it is none.
    #[inline]
    pub fn of_text(text: &[u8]) -> Result<Self, String> {
        let text = text.trim_ascii();
        match lexical_core::parse::<u32>(text) {
            Ok(whole) => Ok(Self::Whole(whole)),
            Err(_) => Self::of_real_text(text),
        }
    }

    #[inline]
    fn of_real_text(text: &[u8]) -> Result<Self, String> {
        match lexical_core::parse::<f32>(text) {
            Ok(read) if !read.is_finite() => Err(not_finite(&shown(text))),
            Ok(read) if read == 0.0 || read.abs() >= LAST_EXACT => Ok(Self::compared(read, text)),
            Ok(read) => Ok(Self::Real(read)),
            Err(_) => Err(format!("the weight '{}' is not a number", shown(text))),
        }
    }

    /// A real that may be another number than its text.
    #[cold]
    fn compared(read: f32, text: &[u8]) -> Self {
        let digits = text.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
        match lexical_core::parse::<f64>(text) {
            // Not even a 64-bit real holds it.
            Ok(0.0) if digits.iter().any(|digit| matches!(digit, b'1'..=b'9')) => {
                Self::Rounded { read, written: f64::MIN_POSITIVE }
            }
            Ok(written) if is_other(read, written) => Self::Rounded { read, written },
            _ => Self::Real(read),
        }
    }

    /// A weight that is no whole number by its type.
    #[inline]
    pub fn of_real(written: f64) -> Result<Self, String> {
        let read = written as f32;
        match read {
            read if !read.is_finite() => Err(not_finite(&written.to_string())),
            read if (read == 0.0 || read.abs() >= LAST_EXACT) && is_other(read, written) => {
                Ok(Self::Rounded { read, written })
            }
            read => Ok(Self::Real(read)),
        }
    }

    /// A weight that is a whole number.
    #[inline]
    pub fn of_whole(whole: i128) -> Self {
        match u32::try_from(whole) {
            Ok(whole) => Self::Whole(whole),
            Err(_) if whole as f32 as i128 != whole => Self::Rounded { read: whole as f32, written: whole as f64 },
            Err(_) => Self::Real(whole as f32),
        }
    }

    /// It as a 32-bit real.
    #[inline]
    pub fn real(self) -> f32 {
        match self {
            Self::Whole(whole) => whole as f32,
            Self::Real(read) | Self::Rounded { read, .. } => read,
        }
    }
}

/// Whether a real is another number than is written: the nearest real to one so large that nobody writes all its digits, such as 3e38, is
/// what is meant.
fn is_other(read: f32, written: f64) -> bool {
    f64::from(read) != written && (read == 0.0 || is_whole(read.into()) || format!("{read:e}").parse() != Ok(written))
}

#[cold]
fn not_finite(shown: &str) -> String {
    format!("the weight '{shown}' is not a finite 32-bit number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_when_written_so() {
        assert_eq!(Weight::of_text(b" 4294967295 "), Ok(Weight::Whole(u32::MAX)));
        assert_eq!(Weight::of_text(b"4294967296"), Ok(Weight::Real(4294967296.0)));
        assert_eq!(Weight::of_text(b"1.0"), Ok(Weight::Real(1.0)));
        assert_eq!(Weight::of_text(b"-3"), Ok(Weight::Real(-3.0)));
        assert_eq!(Weight::of_whole(-3), Weight::Real(-3.0));
        assert_eq!(Weight::of_real(0.5), Ok(Weight::Real(0.5)));
        for wrong in ["nan", "inf", "-inf", "1e39", "x", ""] {
            assert!(Weight::of_text(wrong.as_bytes()).is_err(), "{wrong}");
        }
        for wrong in [f64::NAN, f64::INFINITY, 1e39] {
            assert!(Weight::of_real(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_real_does_not_hold_is_noticed() {
        let rounded = |weight: Result<Weight, String>| matches!(weight, Ok(Weight::Rounded { .. }));
        for text in ["1e-50", "-1e-400", "0.1e-50", "16777217.0", "4294967297", "-16777217"] {
            assert!(rounded(Weight::of_text(text.as_bytes())), "{text}");
        }
        for text in ["0", "0.0", "-0e5", "0.1", "16777218.0", "4294967296"] {
            assert!(!rounded(Weight::of_text(text.as_bytes())), "{text}");
        }
        assert!(rounded(Weight::of_real(1e-50)) && rounded(Weight::of_real(16_777_217.0)));
        assert!(!rounded(Weight::of_real(0.0)) && !rounded(Weight::of_real(0.1)));
        assert!(rounded(Ok(Weight::of_whole((1 << 53) + 1))) && rounded(Ok(Weight::of_whole(-16_777_217))));
        assert!(!rounded(Ok(Weight::of_whole(1 << 53))));
    }
}
