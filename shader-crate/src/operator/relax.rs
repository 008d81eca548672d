//! Single-source shortest paths by repeated relaxation of a worklist (Bellman–Ford with a queue). A node's value is its
//! distance, a 32-bit word whose order is the order of the numbers: a `u32` itself, or the bits of a non-negative `f32`. So
//! one atomic minimum serves both, and the answer does not depend on the order of the relaxations. A node's mark is the last
//! iteration in which it went on the worklist.

use super::{Operate, Traversal};
use crate::memory::Read;
use evenkeel_types::{LoopState, UNREACHED};

/// What distances are made of.
pub trait Distance {
    /// The weight of an edge.
    #[inline(always)]
    fn weight(weights: Read<u32>, edge: u32) -> u32 {
        weights.get(edge)
    }

    /// The distance at the end of an edge; [`UNREACHED`] where 32 bits do not hold it.
    fn along(distance: u32, weight: u32) -> u32;
}

/// Relaxes an edge with a whole weight.
pub struct RelaxU32;

impl Distance for RelaxU32 {
    #[inline(always)]
    fn along(distance: u32, weight: u32) -> u32 {
        let sum = distance.wrapping_add(weight);
        if sum < distance { UNREACHED } else { sum }
    }
}

/// Relaxes an edge that counts as 1, whatever its weight.
pub struct RelaxHops;

impl Distance for RelaxHops {
    #[inline(always)]
    fn weight(_: Read<u32>, _: u32) -> u32 {
        1
    }

    #[inline(always)]
    fn along(distance: u32, weight: u32) -> u32 {
        RelaxU32::along(distance, weight)
    }
}

/// Relaxes an edge with a real weight that is not negative.
pub struct RelaxF32;

impl Distance for RelaxF32 {
    #[inline(always)]
    fn along(distance: u32, weight: u32) -> u32 {
        (f32::from_bits(distance) + f32::from_bits(weight)).to_bits()
    }
}

impl<D: Distance> Operate for D {
    #[inline(always)]
    fn visit<L: LoopState>(traversal: &mut Traversal<L>, distance: u32, neighbour: u32, edge: u32) -> bool {
        let candidate = D::along(distance, traversal.data.weights.get(edge));
        if candidate == UNREACHED {
            // Too far for 32 bits. The host looks into it if the node stays unreached.
            traversal.state.store(L::FLAGS, 1);
            return false;
        }
        lower(traversal, neighbour, candidate)
    }
}

/// Lowers a node's distance. True when it fell and the node is not on the next worklist yet.
#[inline(always)]
fn lower<L: LoopState>(traversal: &mut Traversal<L>, node: u32, candidate: u32) -> bool {
    // The loads are cheap and spare most of the atomics.
    if candidate >= traversal.data.values.load(node) || candidate >= traversal.data.values.min(node, candidate) {
        return false;
    }
    let iteration = traversal.iteration();
    traversal.data.marks.load(node) != iteration && traversal.data.marks.exchange(node, iteration) != iteration
}
