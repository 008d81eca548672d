//! The threshold of node splitting and hierarchical processing (Raval et al., MDT), from a histogram of the degrees: bins of equal
//! width up to the largest degree, of which the fullest has the threshold as its upper bound. Most nodes then stay whole, and no piece takes
//! longer than those.

use super::degree;
use crate::prelude::*;
use crate::primitive::search::first;

/// The most bins that the histogram of degrees may have.
pub const MAX_BINS: u32 = 1024;

/// The counts of all bins in workgroup memory.
const BINS: usize = MAX_BINS as usize;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ThresholdParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of bins of the histogram.
    pub bins: u32,
    /// The threshold where it is given; 0 where the histogram says it.
    pub given: u32,
}

/// The threshold, and what a strategy needs beside it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, Fields)]
pub struct Threshold {
    /// The largest degree of the graph.
    pub largest: u32,
    /// The most edges that a piece has.
    pub threshold: u32,
    /// The number of nodes with more edges than that.
    pub split_nodes: u32,
    /// The number of pieces: one for a node that is not split.
    pub pieces: u32,
}

/// The number of pieces that a node of `degree` edges becomes: one if it is not over the threshold.
#[inline(always)]
pub fn pieces_of(degree: u32, threshold: u32) -> u32 {
    degree.div_ceil(threshold).max(1)
}

/// The largest degree in the first `count` of the bins: `largest × count / bins`, whose product may not fit into 32 bits.
#[inline(always)]
fn upper_bound(largest: u32, bins: u32, count: u32) -> u32 {
    largest / bins * count + largest % bins * count / bins
}

/// Finds the largest degree. The host has cleared the threshold.
#[kernel(threads = 256, any_width)]
pub fn largest_degree(lane: Lane, params: &ThresholdParams, row_offsets: Read<u32>, mut threshold: State<Threshold>) {
    let mut largest = 0;
    for node in lane.grid_stride(params.nodes) {
        largest = largest.max(degree(row_offsets, node));
    }
    largest = lane.reduce_max(largest);
    if lane.subgroup_lane == 0 {
        threshold.max(Threshold::LARGEST, largest);
    }
}

/// Counts the nodes of each bin into `histogram`, which the host has cleared.
#[kernel(threads = 256)]
pub fn degree_histogram(
    lane: Lane,
    params: &ThresholdParams,
    row_offsets: Read<u32>,
    threshold: State<Threshold>,
    mut histogram: Global<u32>,
    mut counts: Shared<u32, BINS>,
) {
    for bin in lane.group_stride(params.bins) {
        counts.set(bin, 0);
    }
    lane.barrier();
    let largest = threshold.get(Threshold::LARGEST);
    for node in lane.grid_stride(params.nodes) {
        let degree = degree(row_offsets, node);
        // The first bin whose bound is not below the degree.
        let bin = first(0, params.bins - 1, |bin| upper_bound(largest, params.bins, bin + 1) >= degree);
        counts.add(bin, 1);
    }
    lane.barrier();
    for bin in lane.group_stride(params.bins) {
        histogram.add(bin, counts.get(bin));
    }
}

/// Chooses the threshold: the upper bound of the fullest bin, the first of several, and at least 1.
#[kernel(threads = 1)]
pub fn choose_threshold(lane: Lane, params: &ThresholdParams, histogram: Read<u32>, mut threshold: State<Threshold>) {
    if lane.global() == 0 {
        let mut fullest = 0;
        for bin in 1..params.bins {
            if histogram.get(bin) > histogram.get(fullest) {
                fullest = bin;
            }
        }
        let bound = upper_bound(threshold.get(Threshold::LARGEST), params.bins, fullest + 1);
        threshold.set(Threshold::THRESHOLD, if params.given > 0 { params.given } else { bound.max(1) });
    }
}

/// Counts the nodes that are over the threshold, and the pieces that there will be.
#[kernel(threads = 256, any_width)]
pub fn count_pieces(lane: Lane, params: &ThresholdParams, row_offsets: Read<u32>, mut threshold: State<Threshold>) {
    let most = threshold.load(Threshold::THRESHOLD);
    let (mut split, mut pieces) = (0, 0);
    for node in lane.grid_stride(params.nodes) {
        let degree = degree(row_offsets, node);
        split += u32::from(degree > most);
        pieces += pieces_of(degree, most);
    }
    (split, pieces) = (lane.reduce_add(split), lane.reduce_add(pieces));
    if lane.subgroup_lane == 0 {
        threshold.add(Threshold::SPLIT_NODES, split);
        threshold.add(Threshold::PIECES, pieces);
    }
}
