//! The values that a gather makes of a tile's atoms, and the operations that join two of them.

use crate::lane::Shuffle;
use crate::memory::Vec4;
use crate::prelude::*;

/// A value that a gather joins.
#[inline_all]
pub trait Value: Pod + Shuffle {
    /// Whether its bits fit a word of workgroup memory. Then a schedule may load a part's values there in the order in which
    /// they lie in memory before it hands them out.
    const IS_WORD: bool = false;

    /// Its bits, where it is a word.
    fn to_word(self) -> u32 {
        0
    }

    /// The value that `word` has the bits of, where it is a word; otherwise what `load` gives.
    fn recall(_word: impl Fn() -> u32, load: impl Fn() -> Self) -> Self {
        load()
    }
}

macro_rules! words {
    ($($number:ty: $to:expr, $from:expr);*) => {$(
        #[inline_all]
        impl Value for $number {
            const IS_WORD: bool = true;

            fn to_word(self) -> u32 {
                $to(self)
            }

            fn recall(word: impl Fn() -> u32, _: impl Fn() -> Self) -> Self {
                $from(word())
            }
        }
    )*};
}
words!(u32: u32::from, u32::from; f32: f32::to_bits, f32::from_bits);

impl Value for f64 {}
impl Value for Vec4 {}

/// An operation that joins two values into one: associative and commutative, with an identity. A schedule joins in a fixed order, so that
/// the same input gives the same answer, but in another than that of the atoms.
pub trait Join<V> {
    /// Returns the value that changes nothing when it is joined.
    fn identity() -> V;
    /// Joins two values.
    fn join(a: V, b: V) -> V;
}

/// Adds the values.
pub struct Sum;
/// Keeps the larger value.
pub struct Largest;

macro_rules! joins {
    ($($join:ty, $value:ty: $identity:expr, ($a:ident, $b:ident) => $joined:expr;)*) => {$(
        #[inline_all]
        impl Join<$value> for $join {
            fn identity() -> $value {
                $identity
            }

            fn join($a: $value, $b: $value) -> $value {
                $joined
            }
        }
    )*};
}
joins! {
    Sum, u32: 0, (a, b) => a + b;
    Sum, f32: 0.0, (a, b) => a + b;
    Sum, f64: 0.0, (a, b) => a + b;
    Sum, Vec4: Vec4::ZERO, (a, b) => a + b;
    Largest, u32: 0, (a, b) => a.max(b);
}
