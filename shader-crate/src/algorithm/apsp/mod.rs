//! All-pairs shortest paths: a matrix of distances with a row for each node to come from and a column for each to go to. It lies
//! row by row; both are padded to a multiple of [`SPAN`](evenkeel_types::SPAN) with nodes that no edge reaches, so that no
//! kernel asks where the graph ends.
//!
//! A distance is a word, and what is in it is a [`Length`]. All that the kernels do with it is to [`Relax`].

registry! {
    /// What a distance is.
    pub enum Length, evenkeel_kernels::algorithm::apsp::Length, for_each_length {
        /// Whole, where the host knows that no path is as long as 2³¹ - 1: a sum of two cannot wrap.
        Short = "short", evenkeel_kernels::algorithm::apsp::Short;
        /// Whole; a sum that does not fit is unreached.
        Whole = "whole", evenkeel_kernels::algorithm::apsp::Whole;
        /// Real, and perhaps negative.
        Real = "real", evenkeel_kernels::algorithm::apsp::Real;
    }
}

pub mod batched;
pub mod blocked;
pub mod floyd_warshall;

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, UVec4},
    numbers::smaller,
    ranges::step,
};
use evenkeel_types::PivotParams;

impl Length {
    /// The distance of a node that is not reached.
    pub const fn unreached(self) -> u32 {
        match self {
            Self::Short => u32::MAX / 2,
            Self::Whole => u32::MAX,
            Self::Real => f32::INFINITY.to_bits(),
        }
    }
}

/// How distances are added and compared.
pub trait Relax {
    /// The shorter of `best` and of the way over a node: `left` up to it, `right` from there.
    fn relax(best: u32, left: u32, right: u32) -> u32;

    /// The same for four ways that begin alike.
    #[inline(always)]
    fn relax_four(best: UVec4, left: u32, right: UVec4) -> UVec4 {
        UVec4::new(
            Self::relax(best.x, left, right.x),
            Self::relax(best.y, left, right.y),
            Self::relax(best.z, left, right.z),
            Self::relax(best.w, left, right.w),
        )
    }
}

/// [`Length::Short`].
pub struct Short;
/// [`Length::Whole`].
pub struct Whole;
/// [`Length::Real`].
pub struct Real;

impl Relax for Short {
    #[inline(always)]
    fn relax(best: u32, left: u32, right: u32) -> u32 {
        best.min(left.wrapping_add(right))
    }
}

impl Relax for Whole {
    #[inline(always)]
    fn relax(best: u32, left: u32, right: u32) -> u32 {
        // At most what `right` leaves room for, so that the sum is at most the largest word.
        best.min(left.min(!right).wrapping_add(right))
    }
}

impl Relax for Real {
    #[inline(always)]
    fn relax(best: u32, left: u32, right: u32) -> u32 {
        smaller(f32::from_bits(best), f32::from_bits(left) + f32::from_bits(right)).to_bits()
    }
}

/// Every node is at distance 0 of itself: the bits of 0 are the same for all lengths.
#[kernel(threads = 256)]
pub fn apsp_diagonal(lane: Lane, params: &PivotParams, mut matrix: Global<u32>) {
    for node in lane.grid_stride(params.nodes) {
        matrix.set(node * params.width + node, 0);
    }
}

/// Takes every edge once: a workgroup to each row, whose columns are sorted. Of parallel edges, which lie side by side, the
/// first one's invocation takes all.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn apsp_edges<L: Relax>(
    lane: Lane,
    params: &PivotParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    mut matrix: Global<u32>,
) {
    for node in lane.by_group(params.nodes) {
        let (begin, end) = (row_offsets.get(node), row_offsets.get(node + 1));
        for first in step(begin + lane.local, end, lane.threads) {
            let neighbour = columns.get(first);
            if first == begin || columns.get(first - 1) != neighbour {
                let place = node * params.width + neighbour;
                let mut best = matrix.get(place);
                let mut edge = first;
                while edge < end && columns.get(edge) == neighbour {
                    best = L::relax(best, 0, weights.get(edge));
                    edge += 1;
                }
                matrix.set(place, best);
            }
        }
    }
}
