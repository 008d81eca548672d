//! Breadth-first search. A node's value is its depth, which is the number of edges from the source, or [`UNREACHED`].

use crate::prelude::*;
use crate::strategy::edges_in;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ParentsParams {
    /// The nodes whose edges are looked along in this dispatch.
    pub rows: RowRange,
}

/// Derives parents from depths: the smallest neighbour one level up, so that the tree does not depend on the order of the edges.
#[kernel(threads = 256, any_width)]
pub fn bfs_parents(lane: Lane, params: &ParentsParams, graph: Csr, depths: Read<u32>, mut parents: Global<u32>) {
    for place in lane.grid_stride(params.rows.count) {
        let node = params.rows.first + place;
        let depth = depths.get(node);
        if depth != UNREACHED {
            let (begin, count) = edges_in(&params.rows, graph.row_offsets, node);
            for edge in begin..begin + count {
                let neighbour = graph.columns.get(edge);
                if depths.get(neighbour) == depth + 1 {
                    parents.min(neighbour, node);
                }
            }
        }
    }
}
