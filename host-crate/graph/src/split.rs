//! Node splitting (Raval et al.): nodes with more edges than a threshold become several that share them
//! evenly. The threshold, the paper's MDT, comes from a histogram of the degrees with bins of equal width: it is the upper bound
//! of the fullest bin, so that most nodes stay whole.

use super::{
    Csr,
    statistics::{BIN_COUNT, Bin, add_bins, bin_of, bins_up_to},
};
use rayon::prelude::*;
use serde::Serialize;
use std::num::NonZeroU32;

/// How the most edges of a piece are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// From a histogram of the degrees with so many bins, at least one and at most [`Splitting::MAX_BINS`].
    Bins(u32),
    /// They are given.
    Given(NonZeroU32),
}

impl Limit {
    /// What is given, or else the histogram.
    pub fn new(bins: u32, given: Option<NonZeroU32>) -> Self {
        given.map_or(Self::Bins(bins), Self::Given)
    }
}

/// The result of node splitting: the threshold and how many nodes there are before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Splitting {
    /// How many bins the histogram has; none where the threshold was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// The most edges that a node has afterwards.
    pub threshold: u32,
    /// The number of nodes before.
    pub nodes: u32,
    /// How many of them are split.
    pub nodes_split: u64,
    /// How many there are afterwards.
    pub nodes_after: u64,
    /// How many have degree 0, 1, 2–3, 4–7, … afterwards.
    pub histogram: Vec<Bin>,
}

impl Splitting {
    /// The most bins of a histogram.
    pub const MAX_BINS: u32 = 1024;

    /// Splits by this limit.
    pub fn of(csr: &Csr, limit: Limit) -> Self {
        let (bins, threshold) = match limit {
            Limit::Bins(bins) => {
                let bins = bins.clamp(1, Self::MAX_BINS);
                (Some(bins), threshold(csr, bins))
            }
            Limit::Given(most) => (None, most.get()),
        };
        let count = |(nodes_split, mut counts): (u64, [u64; BIN_COUNT]), node| {
            let degree = csr.degree(node);
            let pieces = degree.div_ceil(threshold).max(1);
            let (even, more) = (degree / pieces, degree % pieces);
            counts[bin_of(even + u32::from(more > 0))] += u64::from(more);
            counts[bin_of(even)] += u64::from(pieces - more);
            (nodes_split + u64::from(pieces > 1), counts)
        };
        let (nodes_split, counts) = (0..csr.nodes())
            .into_par_iter()
            .fold(|| (0, [0; BIN_COUNT]), count)
            .reduce(|| (0, [0; BIN_COUNT]), |a, b| (a.0 + b.0, add_bins(a.1, b.1)));
        let largest = (0..BIN_COUNT).rev().find(|bin| counts[*bin] > 0).unwrap_or(0);
        let (nodes, nodes_after) = (csr.nodes(), counts.iter().sum());
        Self { bins, threshold, nodes, nodes_split, nodes_after, histogram: bins_up_to(largest, &counts) }
    }
}

/// The upper bound of the fullest bin, the first of several, and at least 1.
fn threshold(csr: &Csr, bins: u32) -> u32 {
    let largest = u64::from(csr.skew().highest);
    let bins = u64::from(bins);
    let empty = || vec![0u64; bins as usize];
    // Bin i, counted from 1, has the degrees above (i - 1) / bins of the largest up to i / bins of it; the first has 0 too.
    let bin = |degree: u32| (u64::from(degree) * bins).div_ceil(largest.max(1)).max(1) as usize - 1;
    let count = |mut counts: Vec<u64>, node: u32| {
        counts[bin(csr.degree(node))] += 1;
        counts
    };
    let add = |a: Vec<u64>, b: Vec<u64>| a.iter().zip(b).map(|(a, b)| a + b).collect();
    let counts = (0..csr.nodes()).into_par_iter().fold(empty, count).reduce(empty, add);
    let fullest = (1..=bins).rev().max_by_key(|index| counts[*index as usize - 1]).unwrap_or(1);
    (fullest * largest / bins).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    fn with_degrees(degrees: &[u32]) -> Csr {
        let mut row_offsets = vec![0];
        degrees.iter().for_each(|degree| row_offsets.push(row_offsets[row_offsets.len() - 1] + degree));
        let edges = row_offsets[degrees.len()] as usize;
        Csr::new(row_offsets, vec![0; edges], Weights::None).unwrap()
    }

    fn splitting(degrees: &[u32], bins: u32) -> (u32, u64, u64) {
        let splitting = Splitting::of(&with_degrees(degrees), Limit::Bins(bins));
        (splitting.threshold, splitting.nodes_split, splitting.nodes_after)
    }

    #[test]
    fn the_threshold_is_the_bound_of_the_fullest_bin() {
        // The paper's rmat20: most nodes in the first of 10 bins up to 1,181.
        assert_eq!(splitting(&[3, 9, 118, 1181, 240], 10), (118, 2, 4 + 11 + 3 - 1));
        // Its road networks: most have 2 or 3 of at most 9 edges.
        assert_eq!(splitting(&[2, 2, 3, 9, 1], 10), (2, 2, 3 + 2 + 5));
        assert_eq!(splitting(&[4, 4, 4], 10), (4, 0, 3));
        assert_eq!(splitting(&[2, 4], 2), (2, 1, 3));
        assert_eq!(splitting(&[7, 1, 9], 1), (9, 0, 3));
    }

    #[test]
    fn a_threshold_that_is_given_is_taken() {
        let given = Splitting::of(&with_degrees(&[3, 9, 10, 0]), Limit::new(10, NonZeroU32::new(5)));
        assert_eq!((given.bins, given.threshold, given.nodes_split, given.nodes_after), (None, 5, 2, 6));
    }

    #[test]
    fn a_threshold_is_never_nothing() {
        assert_eq!(splitting(&[0, 0, 3], 10), (1, 1, 5));
        assert_eq!(splitting(&[0], 10), (1, 0, 1));
        assert_eq!(splitting(&[], 10), (1, 0, 0));
    }

    #[test]
    fn pieces_share_evenly() {
        let after = Splitting::of(&with_degrees(&[1, 1, 1, 9, 14]), Limit::Bins(4));
        assert_eq!((after.threshold, after.nodes_after), (3, 3 + 3 + 5));
        // 3, 3, 3 and 3, 3, 3, 3, 2.
        let counts: Vec<u64> = after.histogram.iter().map(|bin| bin.nodes).collect();
        assert_eq!(counts, [0, 3, 8]);
    }
}
