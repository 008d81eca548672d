//! All-pairs shortest paths: a matrix of distances with a row for each source and a column for each target, stored row by row. Rows and
//! columns are padded to a multiple of [`SPAN`] with nodes that no edge reaches, so that no kernel checks where the graph ends.
//!
//! A distance is one word; its interpretation is a [`Length`]. The kernels only [`Relax`] distances.

registry! {
    /// How the word of a distance is interpreted.
    pub enum Length, evenkeel_kernels::algorithm::apsp::Length, for_each_length {
        /// An integer, where the host knows that every path is shorter than 2³¹ - 1: the sum of two cannot wrap.
        Short = "short", evenkeel_kernels::algorithm::apsp::Short;
        /// An integer; a sum that overflows is unreached.
        Whole = "whole", evenkeel_kernels::algorithm::apsp::Whole;
        /// A single-precision number, possibly negative.
        Real = "real", evenkeel_kernels::algorithm::apsp::Real;
    }
}

pub mod batched;
pub mod blocked;
pub mod floyd_warshall;

use crate::memory::UVec4;
use crate::numbers::smaller;
use crate::prelude::*;
use crate::strategy::edges_in;

/// The number of rows and of columns of a tile of the matrix, which is the number of pivots that a step of the blocked kernels takes.
pub const MATRIX_TILE: u32 = 64;

/// The number of words in a row of the matrix is a multiple of this: two tiles, the edge of the square that a workgroup computes.
pub const SPAN: u32 = 2 * MATRIX_TILE;

/// What the host pushes for the kernels on the dense matrix.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PivotParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The number of words in a row of the matrix.
    pub width: u32,
    /// The node, or the number of the tile of nodes, through which paths are relaxed.
    pub pivot: u32,
}

/// What the host pushes for the edges of a partition.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EdgeParams {
    /// The number of words in a row of the matrix.
    pub width: u32,
    /// The rows of the partition.
    pub rows: RowRange,
}

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
    /// The minimum of `best` and the length of a path through a node: `left` to the node plus `right` from it.
    fn relax(best: u32, left: u32, right: u32) -> u32;

    /// [`Self::relax`] for four paths that share the part before the node.
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

/// Implements [`Length::Short`].
pub struct Short;
/// Implements [`Length::Whole`].
pub struct Whole;
/// Implements [`Length::Real`].
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
        // Limiting `left` to `u32::MAX - right` makes the sum saturate at u32::MAX.
        best.min(left.min(!right).wrapping_add(right))
    }
}

impl Relax for Real {
    #[inline(always)]
    fn relax(best: u32, left: u32, right: u32) -> u32 {
        smaller(f32::from_bits(best), f32::from_bits(left) + f32::from_bits(right)).to_bits()
    }
}

/// Sets the distance of every node to itself to 0, whose bits are the same for all lengths.
#[kernel(threads = 256)]
pub fn apsp_diagonal(lane: Lane, params: &PivotParams, mut matrix: Global<u32>) {
    for node in lane.grid_stride(params.nodes) {
        matrix.set(node * params.width + node, 0);
    }
}

/// Enters every edge of a partition into the matrix, one workgroup per row. Columns are sorted: the invocation of the first parallel edge
/// handles all, or those of one part where the row is cut.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn apsp_edges<L: Relax>(lane: Lane, params: &EdgeParams, graph: Csr, weights: Read<u32>, mut matrix: Global<u32>) {
    let Csr { row_offsets, columns } = graph;
    for row in lane.by_group(params.rows.count) {
        let node = params.rows.first + row;
        let (begin, count) = edges_in(&params.rows, row_offsets, node);
        let end = begin + count;
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
