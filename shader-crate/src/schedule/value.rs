//! What a gather makes of a tile's atoms: values, and the ways to join them.

#[cfg(not(target_arch = "spirv"))]
use crate::memory::Element as Shufflable;
#[cfg(target_arch = "spirv")]
use spirv_std::ScalarComposite as Shufflable;

/// A number that invocations of a subgroup can hand each other, and that fits a word of workgroup memory.
pub trait Value: Copy + Shufflable {
    /// Its bits.
    fn to_word(self) -> u32;
    /// The number with these bits.
    fn from_word(word: u32) -> Self;
}

impl Value for u32 {
    #[inline(always)]
    fn to_word(self) -> u32 {
        self
    }

    #[inline(always)]
    fn from_word(word: u32) -> Self {
        word
    }
}

impl Value for f32 {
    #[inline(always)]
    fn to_word(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn from_word(word: u32) -> Self {
        f32::from_bits(word)
    }
}

/// A way to join two values into one: associative, with an identity. A schedule joins in a fixed order, so that the same input
/// gives the same answer, but not always from left to right.
pub trait Join<V> {
    /// Changes nothing when joined.
    fn identity() -> V;
    /// Of `a`, which comes first, and `b`.
    fn join(a: V, b: V) -> V;
}

/// Adds.
pub struct Sum;
/// Keeps the larger.
pub struct Largest;

impl Join<f32> for Sum {
    #[inline(always)]
    fn identity() -> f32 {
        0.0
    }

    #[inline(always)]
    fn join(a: f32, b: f32) -> f32 {
        a + b
    }
}

impl Join<u32> for Largest {
    #[inline(always)]
    fn identity() -> u32 {
        0
    }

    #[inline(always)]
    fn join(a: u32, b: u32) -> u32 {
        a.max(b)
    }
}
