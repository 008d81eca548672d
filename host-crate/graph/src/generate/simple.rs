//! The extreme shapes: a star (one row holds half of all edges), a chain (the longest path there is) and the complete graph.

use super::{Family, Parts, check_stored, family_settings};
use crate::{Csr, build::build_symmetric_rows};
use evenkeel_base::Result;

/// Declares a family that has a number of nodes and no other setting, with the functions that give the number of its directed
/// edges and the neighbours of a node.
macro_rules! shape {
    ($type:ident, $name:literal, $about:literal, $default:expr, $edges:expr, $neighbours:expr) => {
        family_settings! {
            #[doc = concat!("The family `", $name, "`: ", $about, ".")]
            $type {
                size("nodes", "number of nodes") nodes: u64 = $default,
            }
        }

        impl Family for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = $about;

            fn check(&self) -> Result<()> {
                check_stored(self.nodes, $edges(self.nodes))
            }

            fn build(&self) -> Result<Csr> {
                let nodes = self.nodes as u32;
                build_symmetric_rows(nodes, 0..nodes, |node| $neighbours(node, nodes))
            }

            fn parts(&self) -> Result<Parts<'_>> {
                let nodes = self.nodes as u32;
                let make = move |rows| build_symmetric_rows(nodes, rows, |node| $neighbours(node, nodes));
                Ok(Parts::Rows(Box::new(make)))
            }
        }
    };
}

fn of_star(node: u32, nodes: u32) -> impl Iterator<Item = u32> {
    if node == 0 { 1..nodes } else { 0..1 }
}

fn of_chain(node: u32, nodes: u32) -> impl Iterator<Item = u32> {
    let next = (node + 1 < nodes).then(|| node + 1);
    [node.checked_sub(1), next].into_iter().flatten()
}

fn of_complete(node: u32, nodes: u32) -> impl Iterator<Item = u32> {
    (0..node).chain(node + 1..nodes)
}

/// The directed edges of a tree.
fn tree_edges(nodes: u64) -> u64 {
    nodes.saturating_sub(1).saturating_mul(2)
}

fn pairs(nodes: u64) -> u64 {
    nodes.saturating_mul(nodes.saturating_sub(1))
}

shape!(Star, "star", "node 0 joined to every other", 1 << 20, tree_edges, of_star);
shape!(Chain, "chain", "each node joined to the next", 1 << 16, tree_edges, of_chain);
shape!(Complete, "complete", "every node joined to every other", 1 << 10, pairs, of_complete);

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(csr: &Csr) -> Vec<&[u32]> {
        (0..csr.nodes()).map(|node| csr.neighbours(node)).collect()
    }

    #[test]
    fn four_nodes_of_each() {
        assert_eq!(rows(&Star { nodes: 4 }.build().unwrap()), [&[1, 2, 3][..], &[0], &[0], &[0]]);
        assert_eq!(rows(&Chain { nodes: 4 }.build().unwrap()), [&[1][..], &[0, 2], &[1, 3], &[2]]);
        assert_eq!(rows(&Complete { nodes: 4 }.build().unwrap()), [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]);
    }

    #[test]
    fn none_and_one() {
        for nodes in [0, 1] {
            for csr in [Star { nodes }.build(), Chain { nodes }.build(), Complete { nodes }.build()] {
                let csr = csr.unwrap();
                assert_eq!((u64::from(csr.nodes()), csr.edges()), (nodes, 0));
            }
        }
    }

    #[test]
    fn too_many_edges_are_refused_with_the_numbers() {
        assert!(Complete { nodes: 100_000 }.check().is_ok(), "more than 32 bits count");
        let message = Complete { nodes: 100_000_000 }.check().unwrap_err().to_string();
        assert!(message.contains("9999999900000000") && message.contains("281474976710656"), "{message}");
    }
}
