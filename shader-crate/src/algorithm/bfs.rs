//! Breadth-first search. A node's value is its depth, the number of edges from the source, [`UNREACHED`] until it is known.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
};
use evenkeel_types::{TraversalParams, UNREACHED};

/// Parents from depths, in one pass: of the nodes one level up, the smallest, so that the tree is always the same.
#[kernel(threads = 256)]
pub fn bfs_parents(
    lane: Lane,
    params: &TraversalParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    depths: Read<u32>,
    mut parents: Global<u32>,
) {
    for node in lane.grid_stride(params.nodes) {
        let depth = depths.get(node);
        if depth != UNREACHED {
            for edge in row_offsets.get(node)..row_offsets.get(node + 1) {
                let neighbour = columns.get(edge);
                if depths.get(neighbour) == depth + 1 {
                    parents.min(neighbour, node);
                }
            }
        }
    }
}
