//! What a gather makes of a tile's atoms: values, and the ways to join them.

#[cfg(not(target_arch = "spirv"))]
use crate::memory::Element as Shufflable;
#[cfg(target_arch = "spirv")]
use spirv_std::ScalarComposite as Shufflable;

/// A number that invocations of a subgroup can hand each other.
pub trait Value: Copy + Shufflable {}
impl Value for u32 {}
impl Value for f32 {}
impl Value for f64 {}

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

macro_rules! sum {
    ($($number:ty),*) => {$(
        impl Join<$number> for Sum {
            #[inline(always)]
            fn identity() -> $number {
                0 as $number
            }

            #[inline(always)]
            fn join(a: $number, b: $number) -> $number {
                a + b
            }
        }
    )*};
}
sum!(f32, f64);

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
