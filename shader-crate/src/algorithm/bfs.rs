//! Breadth-first search. A node's value is its depth, which is the number of edges from the source, or [`UNREACHED`].

use crate::prelude::*;
use crate::primitive::LengthParams;

/// Derives parents from depths: the smallest neighbour one level up, so that the tree does not depend on the order of the edges.
#[kernel(threads = 256, any_width)]
pub fn bfs_parents(lane: Lane, params: &LengthParams, graph: Csr, depths: Read<u32>, mut parents: Global<u32>) {
    for node in lane.grid_stride(params.length) {
        let depth = depths.get(node);
        if depth != UNREACHED {
            for edge in graph.row_offsets.get(node)..graph.row_offsets.get(node + 1) {
                let neighbour = graph.columns.get(edge);
                if depths.get(neighbour) == depth + 1 {
                    parents.min(neighbour, node);
                }
            }
        }
    }
}
