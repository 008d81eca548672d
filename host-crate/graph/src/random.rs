//! Random numbers that are a function of a counter: number `i` of a stream is `mix(stream + i)`, whoever asks, in any order.
//!
//! This is what makes the generators the same for any number of threads. `mix` is the finaliser of SplitMix64 (Steele, Lea and
//! Flood, "Fast splittable pseudorandom number generators", 2014), a bijection on 64 bits.

use crate::array::zeroed;
use evenkeel_base::Result;
use rayon::prelude::*;

/// Scrambles 64 bits.
#[inline]
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z ^= z >> 30;
    z = z.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^= z >> 27;
    z = z.wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// A stream of random numbers; what it is for decides where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The bits of rmat's edges.
    pub const RMAT: Self = Self(0x1234_5678_0000_0000);
    /// The shuffle of node ids, for rmat and graph500.
    pub const SHUFFLE: Self = Self(0x0BAD_CAFE_0000_0000);
    /// The ends of er's edges.
    pub const ERDOS_RENYI: Self = Self(0x00C0_FFEE_0000_0000);
    /// Random weights.
    pub const WEIGHTS: Self = Self(0x7EE1_0000_0000_0000);
    /// The bits of graph500's edges.
    pub const GRAPH500: Self = Self(0x6500_0000_0000_0000);
    /// Which streets of road exist.
    pub const STREETS: Self = Self(0x57EE_7500_0000_0000);
    /// How long the streets of road are.
    pub const LENGTHS: Self = Self(0x1E46_7400_0000_0000);
    /// Where the points of rgg are.
    pub const POINTS: Self = Self(0x9014_7500_0000_0000);
    /// The columns of rectangle's entries.
    pub const RECTANGLE: Self = Self(0x4EC7_A461_0000_0000);

    /// The stream of a user's seed; 0, the default everywhere, leaves it as it is.
    pub const fn seeded(self, seed: u64) -> Self {
        if seed == 0 { self } else { Self(mix(self.0 ^ seed)) }
    }

    /// Number `index` of the stream.
    #[inline]
    pub const fn at(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index))
    }

    /// Whether an event of some probability happens at `index`.
    #[inline]
    pub const fn happens(self, index: u64, below: Threshold) -> bool {
        self.at(index) >> 11 < below.0
    }
}

/// A probability in the steps of 2^-53 in which a 64-bit random number becomes a real in [0, 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(u64);

impl Threshold {
    /// `x < Threshold::new(p).steps()` holds for the same 53-bit integers x as `x · 2^-53 < p`.
    pub fn new(probability: f64) -> Self {
        Self((probability * (1u64 << 53) as f64).ceil() as u64)
    }

    /// The number of steps.
    pub const fn steps(self) -> u64 {
        self.0
    }
}

/// A random permutation: the rank of each of 0..count when they are sorted by their number in the stream. Fails when there is
/// no memory for it.
pub fn ranks(count: u32, stream: Stream) -> Result<Vec<u32>> {
    let mut sorted = zeroed::<[u64; 2]>(count.into())?;
    sorted.par_iter_mut().enumerate().for_each(|(index, slot)| *slot = [stream.at(index as u64), index as u64]);
    // `mix` is a bijection, so no two are equal and any sort gives the same order.
    sorted.par_sort_unstable();
    let mut ranks = zeroed(count.into())?;
    for (rank, [_, index]) in sorted.into_iter().enumerate() {
        ranks[index as usize] = rank as u32;
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_splitmix64() {
        // The first numbers of SplitMix64 started at 0, as its authors' code prints them.
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(0x9E37_79B9_7F4A_7C15), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn seed_0_is_no_seed() {
        assert_eq!(Stream::RMAT.seeded(0), Stream::RMAT);
        assert_eq!(Stream::RMAT.seeded(5), Stream(mix(0x1234_5678_0000_0000 ^ 5)));
    }

    #[test]
    fn thresholds_cut_where_reals_do() {
        for probability in [0.0, 0.05, 0.57, 0.57 + 0.19, 0.57 + 0.19 + 0.19, 1.0] {
            let steps = Threshold::new(probability).steps();
            let real = |x: u64| x as f64 * (0.5f64).powi(53);
            assert!(steps == 0 || real(steps - 1) < probability, "{probability}");
            assert!(real(steps) >= probability, "{probability}");
        }
    }

    #[test]
    fn ranks_are_a_permutation_in_the_order_of_the_stream() {
        let ranks = ranks(1000, Stream::SHUFFLE).unwrap();
        let mut order = vec![u32::MAX; 1000];
        ranks.iter().enumerate().for_each(|(index, &rank)| order[rank as usize] = index as u32);
        assert!(order.windows(2).all(|pair| Stream::SHUFFLE.at(pair[0].into()) < Stream::SHUFFLE.at(pair[1].into())));
    }
}
