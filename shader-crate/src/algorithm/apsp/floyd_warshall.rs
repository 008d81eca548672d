//! The textbook form of Floyd–Warshall: one dispatch per node relaxes all paths through it. Each dispatch reads and writes the whole
//! matrix for one addition and one comparison per element, so it is limited by memory bandwidth.

use super::{PivotParams, Relax};
use crate::{kernel, lane::Lane, memory::Global};

/// Relaxes every path through the node `pivot`, one workgroup per row. The row and the column of the pivot, which other workgroups
/// read, do not change: a path from the pivot through itself is no shorter.
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
