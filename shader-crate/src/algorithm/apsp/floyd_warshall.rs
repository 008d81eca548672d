//! Floyd–Warshall as it is in the textbook: a dispatch for each node, which takes every path over it. Each reads and writes the
//! whole matrix for one addition and one comparison an element, so it is as fast as memory is, and no faster.

use super::Relax;
use crate::{kernel, lane::Lane, memory::Global};
use evenkeel_types::PivotParams;

/// Every path over the node `pivot`: a workgroup to each row. The pivot's own row and column, which others read, stay as they
/// are: a path from it over itself is no shorter.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn floyd_warshall<L: Relax>(lane: Lane, params: &PivotParams, mut matrix: Global<u32>) {
    let PivotParams { nodes, width, pivot } = *params;
    for row in lane.by_group(nodes) {
        if row != pivot {
            let left = matrix.get(row * width + pivot);
            for column in lane.group_stride(nodes) {
                if column != pivot {
                    let place = row * width + column;
                    let right = matrix.get(pivot * width + column);
                    matrix.set(place, L::relax(matrix.get(place), left, right));
                }
            }
        }
    }
}
