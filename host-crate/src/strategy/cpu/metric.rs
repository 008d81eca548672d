//! How distances are kept, added and put into buckets.

use crate::{
    engine::native::prefetch,
    graph::{Csr, Weights},
};
use evenkeel_types::UNREACHED;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// No bucket.
pub(super) const NONE: u64 = u64::MAX;

/// What keeps a distance that all threads may lower.
pub(crate) type Atomic<M> = <<M as Metric>::Word as Word>::Atomic;

/// A distance as it is kept.
pub(crate) trait Word: Copy + Ord + Send + Sync + Into<u64> {
    type Atomic: Send + Sync;
    /// That of the source.
    const ZERO: Self;
    /// That of a node that has not been reached.
    const UNREACHED: Self;

    /// What keeps it.
    fn atomic(self) -> Self::Atomic;
    /// The word of a number that fits.
    fn of(number: u64) -> Self;
    fn load(atomic: &Self::Atomic) -> Self;
    fn store(self, atomic: &Self::Atomic);
    /// Lowers what is kept, and returns what it was.
    fn lower(self, atomic: &Self::Atomic) -> Self;
}

macro_rules! word {
    ($word:ty, $atomic:ty) => {
        impl Word for $word {
            type Atomic = $atomic;
            const ZERO: Self = 0;
            const UNREACHED: Self = Self::MAX;

            fn atomic(self) -> $atomic {
                <$atomic>::new(self)
            }

            fn of(number: u64) -> Self {
                number as $word
            }

            #[inline(always)]
            fn load(atomic: &$atomic) -> Self {
                atomic.load(Relaxed)
            }

            #[inline(always)]
            fn store(self, atomic: &$atomic) {
                atomic.store(self, Relaxed);
            }

            #[inline(always)]
            fn lower(self, atomic: &$atomic) -> Self {
                atomic.fetch_min(self, Relaxed)
            }
        }
    };
}

word!(u32, AtomicU32);
word!(u64, AtomicU64);

/// What kernels and this strategy write for a node that is not reached is the same.
const _: () = assert!(<u32 as Word>::UNREACHED == UNREACHED);

/// How distances are added and put into buckets.
pub(crate) trait Metric: Sync {
    type Word: Word;

    /// The distance over the edge at this position, to a node whose start is `distance` away; none when it is too large to write down.
    fn along(&self, edge: usize, distance: Self::Word) -> Option<Self::Word>;

    /// The bucket of a distance. It never falls as the distance grows.
    fn bucket(&self, distance: Self::Word) -> u64;

    /// The last bucket that has distances of less than this.
    fn last_bucket(&self, end: f64) -> u64;

    /// Whether a distance stands for a path: a sum of reals may be infinite, and then there is none.
    fn is_path(&self, distance: Self::Word) -> bool {
        distance != Self::Word::UNREACHED
    }

    /// Asks for the memory of the weights from this edge on.
    fn prefetch(&self, edge: usize);
}

/// The whole weights of a graph; none where it has others or none.
pub(super) fn whole_weights(csr: &Csr) -> &[u32] {
    if let Weights::U32(weights) = csr.weights() { weights } else { &[] }
}

/// The real weights of a graph; none where it has others or none.
pub(super) fn real_weights(csr: &Csr) -> &[f32] {
    if let Weights::F32(weights) = csr.weights() { weights } else { &[] }
}

/// Whole weights; none at all are weights of 1. Buckets are as wide as a power of two.
pub(crate) struct Whole<'a> {
    weights: &'a [u32],
    shift: u32,
}

impl<'a> Whole<'a> {
    pub(super) fn new(weights: &'a [u32], delta: f64) -> Self {
        Self { weights, shift: delta.clamp(1.0, f64::from(1u32 << 31)).log2().round() as u32 }
    }
}

impl Metric for Whole<'_> {
    type Word = u32;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u32) -> Option<u32> {
        let weight = self.weights.get(edge).copied().unwrap_or(1);
        distance.checked_add(weight).filter(|&sum| sum != UNREACHED)
    }

    #[inline(always)]
    fn bucket(&self, distance: u32) -> u64 {
        (distance >> self.shift).into()
    }

    fn last_bucket(&self, end: f64) -> u64 {
        (end as u64 >> self.shift).min(NONE - 1)
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        prefetch(self.weights, edge);
    }
}

/// Whole weights whose sums have 64 bits.
pub(crate) struct Wide<'a>(pub(super) Whole<'a>);

impl Metric for Wide<'_> {
    type Word = u64;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u64) -> Option<u64> {
        // A path has fewer than 2³² edges of less than 2³² each, so that no sum is too large.
        Some(distance + u64::from(self.0.weights.get(edge).copied().unwrap_or(1)))
    }

    #[inline(always)]
    fn bucket(&self, distance: u64) -> u64 {
        (distance >> self.0.shift).min(NONE - 1)
    }

    fn last_bucket(&self, end: f64) -> u64 {
        self.0.last_bucket(end)
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        self.0.prefetch(edge);
    }
}

/// Real weights.
pub(crate) struct Real<'a> {
    weights: &'a [f32],
    buckets_per_unit: f64,
}

impl<'a> Real<'a> {
    pub(super) fn new(weights: &'a [f32], delta: f64) -> Self {
        // Where all weights are 0, all distances are 0 and in the same bucket.
        Self { weights, buckets_per_unit: if delta > 0.0 { 1.0 / delta } else { 0.0 } }
    }

    #[inline(always)]
    fn bucket_of(&self, distance: f64) -> u64 {
        // Saturates, one below the number that means none.
        ((distance * self.buckets_per_unit) as u64).min(NONE - 1)
    }
}

impl Metric for Real<'_> {
    type Word = u32;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u32) -> Option<u32> {
        Some((f32::from_bits(distance) + self.weights[edge]).to_bits())
    }

    #[inline(always)]
    fn bucket(&self, distance: u32) -> u64 {
        self.bucket_of(f32::from_bits(distance).into())
    }

    fn last_bucket(&self, end: f64) -> u64 {
        self.bucket_of(end)
    }

    fn is_path(&self, distance: u32) -> bool {
        f32::from_bits(distance).is_finite()
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        prefetch(self.weights, edge);
    }
}

/// Real weights whose sums are in double precision.
pub(crate) struct Double<'a>(pub(super) Real<'a>);

impl Metric for Double<'_> {
    type Word = u64;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u64) -> Option<u64> {
        let weight = self.0.weights.get(edge).copied().unwrap_or(1.0);
        Some((f64::from_bits(distance) + f64::from(weight)).to_bits())
    }

    #[inline(always)]
    fn bucket(&self, distance: u64) -> u64 {
        self.0.bucket_of(f64::from_bits(distance))
    }

    fn last_bucket(&self, end: f64) -> u64 {
        self.0.bucket_of(end)
    }

    fn is_path(&self, distance: u64) -> bool {
        f64::from_bits(distance).is_finite()
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        self.0.prefetch(edge);
    }
}
