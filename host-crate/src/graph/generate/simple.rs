//! The extreme shapes: a star (one row holds half of all edges), a chain (the longest path there is) and the complete graph.

use super::{Family, Key, check_nodes, check_stored};
use crate::{
    Result,
    graph::{Csr, build::build_symmetric_rows},
};

/// The family `star`: node 0 has an edge to every other.
#[derive(Clone, Debug, PartialEq)]
pub struct Star {
    /// The number of nodes, the hub included.
    pub nodes: u64,
}

/// The family `chain`: node i has an edge to node i + 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The number of nodes.
    pub nodes: u64,
}

/// The family `complete`: every node has an edge to every other.
#[derive(Clone, Debug, PartialEq)]
pub struct Complete {
    /// The number of nodes.
    pub nodes: u64,
}

impl Default for Star {
    fn default() -> Self {
        Self { nodes: 1 << 20 }
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self { nodes: 1 << 16 }
    }
}

impl Default for Complete {
    fn default() -> Self {
        Self { nodes: 1 << 10 }
    }
}

impl Family for Star {
    const NAME: &'static str = "star";
    const ABOUT: &'static str = "node 0 joined to every other";

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![Key::size("nodes", "number of nodes", &mut self.nodes)]
    }

    fn check(&self) -> Result<()> {
        check_nodes(self.nodes)?;
        check_stored(self.nodes, 2 * self.nodes.saturating_sub(1))
    }

    fn build(&self) -> Result<Csr> {
        let nodes = self.nodes as u32;
        build_symmetric_rows(nodes, |node| if node == 0 { 1..nodes } else { 0..1 })
    }
}

impl Family for Chain {
    const NAME: &'static str = "chain";
    const ABOUT: &'static str = "each node joined to the next";

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![Key::size("nodes", "number of nodes", &mut self.nodes)]
    }

    fn check(&self) -> Result<()> {
        check_nodes(self.nodes)?;
        check_stored(self.nodes, 2 * self.nodes.saturating_sub(1))
    }

    fn build(&self) -> Result<Csr> {
        let nodes = self.nodes as u32;
        build_symmetric_rows(nodes, |node| {
            let next = (node + 1 < nodes).then(|| node + 1);
            [node.checked_sub(1), next].into_iter().flatten()
        })
    }
}

impl Family for Complete {
    const NAME: &'static str = "complete";
    const ABOUT: &'static str = "every node joined to every other";

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![Key::size("nodes", "number of nodes", &mut self.nodes)]
    }

    fn check(&self) -> Result<()> {
        check_nodes(self.nodes)?;
        check_stored(self.nodes, self.nodes * self.nodes.saturating_sub(1))
    }

    fn build(&self) -> Result<Csr> {
        let nodes = self.nodes as u32;
        build_symmetric_rows(nodes, |node| (0..node).chain(node + 1..nodes))
    }
}

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
    fn ten_thousand_million_edges_are_refused_with_the_numbers() {
        let message = Complete { nodes: 100_000 }.check().unwrap_err().to_string();
        assert!(message.contains("9999900000") && message.contains("4294967295"), "{message}");
    }
}
