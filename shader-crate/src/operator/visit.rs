//! What breadth-first search does at an edge. A node's value is its depth, the number of edges from the source, or [`UNREACHED`].

use super::{Operate, Traversal};
use evenkeel_types::{LoopState, UNREACHED};

/// Claims the neighbour, by swapping its depth in: only one of several visitors succeeds.
pub struct Visit;

impl Operate for Visit {
    #[inline(always)]
    fn visit<L: LoopState>(traversal: &mut Traversal<L>, depth: u32, neighbour: u32, _edge: u32) -> bool {
        // The load is cheap and spares most of the atomics.
        traversal.data.values.load(neighbour) == UNREACHED
            && traversal.data.values.compare_exchange(neighbour, UNREACHED, depth + 1) == UNREACHED
    }
}

/// Claims the neighbour by an atomic minimum, as the classic formulations have it: the one that finds the node unreached succeeds.
pub struct Claim;

impl Operate for Claim {
    #[inline(always)]
    fn visit<L: LoopState>(traversal: &mut Traversal<L>, depth: u32, neighbour: u32, _edge: u32) -> bool {
        traversal.data.values.load(neighbour) == UNREACHED
            && traversal.data.values.min(neighbour, depth + 1) == UNREACHED
    }
}
