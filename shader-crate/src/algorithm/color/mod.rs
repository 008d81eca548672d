//! Graph colouring: every node gets a colour that no neighbour has. Two families, both after Jones and Plassmann 1993:
//!
//! - one colour an iteration, to all nodes whose label is the largest around ([`labelled`], [`stealing`]; Che et al.);
//! - the smallest colour that no neighbour has, to nodes in an order that is given beforehand ([`independent`],
//!   [`speculative`]), by a worklist in three sections ([`sections`]).
//!
//! What comes out depends on the graph and the seed alone: nobody looks at a colour that is being written.

pub mod independent;
pub mod labelled;
pub mod sections;
pub mod speculative;
pub mod stealing;

use crate::memory::Read;

/// A random label. No two nodes have the same: every step of the mixing can be undone.
#[inline(always)]
pub fn label(seed: u32, node: u32) -> u32 {
    let mut word = node.wrapping_add(seed.wrapping_mul(0x9e37_79b9));
    word = (word ^ (word >> 16)).wrapping_mul(0x7feb_352d);
    word = (word ^ (word >> 15)).wrapping_mul(0x846c_a68b);
    word ^ (word >> 16)
}

/// The number of edges of a node.
#[inline(always)]
fn degree(row_offsets: Read<u32>, node: u32) -> u32 {
    row_offsets.get(node + 1) - row_offsets.get(node)
}

/// Where a node is in the order in which nodes are coloured.
struct Rank {
    degree: u32,
    label: u32,
}

impl Rank {
    /// That of a node.
    #[inline(always)]
    fn of(row_offsets: Read<u32>, seed: u32, node: u32) -> Self {
        Self { degree: degree(row_offsets, node), label: label(seed, node) }
    }

    /// Whether `other` is coloured before the node: it has more edges, or as many and the larger label.
    #[inline(always)]
    fn is_after(&self, row_offsets: Read<u32>, seed: u32, other: u32) -> bool {
        let degree = degree(row_offsets, other);
        degree > self.degree || (degree == self.degree && label(seed, other) > self.label)
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
