//! The threshold of node splitting and hierarchical processing (Raval et al., MDT), from a histogram of the degrees: bins of equal
//! width up to the largest degree, and of the fullest bin the upper bound. Most nodes then stay whole, and none takes longer
//! than those.

use super::degree;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};
use evenkeel_types::{Threshold, ThresholdParams};

/// How many pieces a node of `degree` edges becomes: one if it is not over the threshold.
#[inline(always)]
pub fn pieces_of(degree: u32, threshold: u32) -> u32 {
    degree.div_ceil(threshold).max(1)
}

/// The largest degree that belongs to the first `count` of the bins: `largest × count / bins`, whose product may not fit into 32
/// bits.
#[inline(always)]
fn upper_bound(largest: u32, bins: u32, count: u32) -> u32 {
    largest / bins * count + largest % bins * count / bins
}

/// Finds the largest degree, into `words`, which the host has cleared.
#[kernel(threads = 256)]
pub fn largest_degree(lane: Lane, params: &ThresholdParams, row_offsets: Read<u32>, mut words: Global<u32>) {
    let mut largest = 0;
    for node in lane.grid_stride(params.nodes) {
        largest = largest.max(degree(row_offsets, node));
    }
    largest = lane.reduce_max(largest);
    if lane.subgroup_lane == 0 {
        words.max(Threshold::LARGEST, largest);
    }
}

/// Counts the nodes of each bin into `histogram`, which the host has cleared.
#[kernel(threads = 256)]
pub fn degree_histogram(
    lane: Lane,
    params: &ThresholdParams,
    row_offsets: Read<u32>,
    words: Read<u32>,
    mut histogram: Global<u32>,
    mut counts: Shared<u32, 1024>,
) {
    for bin in lane.group_stride(params.bins) {
        counts.set(bin, 0);
    }
    lane.barrier();
    let largest = words.get(Threshold::LARGEST);
    for node in lane.grid_stride(params.nodes) {
        let degree = degree(row_offsets, node);
        // The first bin whose bound is not below the degree.
        let (mut low, mut high) = (0, params.bins - 1);
        while low < high {
            let middle = (low + high) / 2;
            if upper_bound(largest, params.bins, middle + 1) < degree {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        counts.add(low, 1);
    }
    lane.barrier();
    for bin in lane.group_stride(params.bins) {
        histogram.add(bin, counts.get(bin));
    }
}

/// Chooses the threshold: the upper bound of the fullest bin, the first of several, and at least 1.
#[kernel(threads = 1)]
pub fn choose_threshold(lane: Lane, params: &ThresholdParams, histogram: Read<u32>, mut words: Global<u32>) {
    if lane.global() == 0 {
        let mut fullest = 0;
        for bin in 1..params.bins {
            if histogram.get(bin) > histogram.get(fullest) {
                fullest = bin;
            }
        }
        let bound = upper_bound(words.get(Threshold::LARGEST), params.bins, fullest + 1);
        words.set(Threshold::THRESHOLD, bound.max(1));
    }
}

/// Counts the nodes that are over the threshold, and the pieces that there will be.
#[kernel(threads = 256)]
pub fn count_pieces(lane: Lane, params: &ThresholdParams, row_offsets: Read<u32>, mut words: Global<u32>) {
    let threshold = words.load(Threshold::THRESHOLD);
    let (mut split, mut pieces) = (0, 0);
    for node in lane.grid_stride(params.nodes) {
        let degree = degree(row_offsets, node);
        split += u32::from(degree > threshold);
        pieces += pieces_of(degree, threshold);
    }
    (split, pieces) = (lane.reduce_add(split), lane.reduce_add(pieces));
    if lane.subgroup_lane == 0 {
        words.add(Threshold::SPLIT_NODES, split);
        words.add(Threshold::PIECES, pieces);
    }
}
