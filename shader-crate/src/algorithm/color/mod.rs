//! Graph colouring: every node gets a colour that none of its neighbours has. There are two families (Jones and Plassmann 1993):
//!
//! - one colour per iteration, for all nodes whose label is the largest in their neighbourhood ([`labelled`], [`stealing`]; Che et al.);
//! - the smallest colour that no neighbour has, for nodes in a predetermined order: [`independent`], and [`speculative`] with a worklist
//!   in three sections ([`sections`]).
//!
//! The colouring depends on the graph and the seed alone. No kernel but those of [`independent`] reads a colour that is written at the same
//! time, and there it does not matter whether a neighbour's colour is seen early or late.

pub mod independent;
pub mod labelled;
pub mod sections;
pub mod speculative;
pub mod stealing;

use crate::prelude::*;
use crate::strategy::degree;

/// The colour of a node that has none yet.
pub const UNCOLORED: u32 = u32::MAX;

/// The bit of a tentative colour, which becomes final only if no neighbour of higher rank has the same. [`UNCOLORED`] has it, too.
pub const TENTATIVE: u32 = 1 << 31;

/// The random label of a node. Every step of the mixing is invertible, so no two nodes have the same label.
#[inline(always)]
pub fn label(seed: u32, node: u32) -> u32 {
    let mut word = node.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    word = (word ^ (word >> 16)).wrapping_mul(0x7feb_352d);
    word = (word ^ (word >> 15)).wrapping_mul(0x846c_a68b);
    word ^ (word >> 16)
}

/// The position of a node in the order in which nodes are coloured. Light nodes of [`independent`] have labels of their own.
struct Rank {
    degree: u32,
    label: u32,
}

#[inline_all]
impl Rank {
    /// The rank of a node.
    fn of(graph: Csr<Views>, seed: u32, node: u32) -> Self {
        Self { degree: degree(graph.row_offsets, node), label: label(seed, node) }
    }

    /// Whether `other` is coloured before the node: it has more edges, or as many and the larger label.
    fn is_after(&self, graph: Csr<Views>, seed: u32, other: u32) -> bool {
        let degree = degree(graph.row_offsets, other);
        // Without branches, so that loads for several neighbours are in flight together.
        (degree > self.degree) | ((degree == self.degree) & (label(seed, other) > self.label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn labels_are_different_for_nodes_and_for_seeds() {
        for seed in [0, 1, u32::MAX] {
            let labels: HashSet<u32> = (0..100_000).map(|node| label(seed, node)).collect();
            assert_eq!(labels.len(), 100_000);
        }
        assert!((0..1000).all(|node| label(1, node) != label(2, node)));
    }
}
