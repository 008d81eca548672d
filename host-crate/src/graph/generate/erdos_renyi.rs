//! Uniform random graphs (Erdős and Rényi, "On random graphs I", 1959): edges between nodes drawn at random, degrees close to
//! their mean. The given degree is met before self-loops and duplicates go, of which a sparse graph has next to none.

use super::{Family, Key, check_drawn, check_nodes, random::Stream};
use crate::{
    Error, Result,
    graph::{
        Csr,
        build::{EdgeSource, build},
    },
};
use std::ops::Range;

/// The family `er`.
#[derive(Clone, Debug, PartialEq)]
pub struct ErdosRenyi {
    /// The number of nodes.
    pub nodes: u64,
    /// The average degree: nodes · degree / 2 edges are drawn.
    pub degree: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for ErdosRenyi {
    fn default() -> Self {
        Self { nodes: 1 << 20, degree: 8.0, seed: 0 }
    }
}

impl ErdosRenyi {
    fn edges(&self) -> u64 {
        (self.nodes as f64 * self.degree / 2.0) as u64
    }
}

impl Family for ErdosRenyi {
    const NAME: &'static str = "er";
    const ABOUT: &'static str = "uniform random: edges between any two nodes, degrees near their mean";

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![
            Key::size("nodes", "number of nodes", &mut self.nodes),
            Key::size("degree", "average degree", &mut self.degree),
            Key::option("seed", "another seed, another graph", &mut self.seed),
        ]
    }

    fn check(&self) -> Result<()> {
        if !(self.degree >= 0.0 && self.degree.is_finite()) {
            return Err(Error::Usage(format!("er: degree={} is not the average of anything", self.degree)));
        }
        check_nodes(self.nodes)?;
        check_drawn(self.nodes, self.edges())
    }

    fn build(&self) -> Result<Csr> {
        let stream = Stream::ERDOS_RENYI.seeded(self.seed);
        let edges = Edges { nodes: self.nodes as u32, edges: self.edges(), stream };
        Ok(build(edges, super::UNDIRECTED)?.0)
    }
}

struct Edges {
    nodes: u32,
    edges: u64,
    stream: Stream,
}

impl EdgeSource for Edges {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn edges(&self) -> u64 {
        self.edges
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        let end = |index| (self.stream.at(index) % u64::from(self.nodes)) as u32;
        for index in indices {
            visit(end(2 * index), end(2 * index + 1), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_refused() {
        for degree in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(ErdosRenyi { degree, ..ErdosRenyi::default() }.check().is_err(), "{degree}");
        }
        assert!(ErdosRenyi { nodes: 1 << 32, degree: 1.0, seed: 0 }.check().is_err());
    }

    #[test]
    fn no_nodes_and_no_edges_are_graphs_too() {
        assert_eq!(ErdosRenyi { nodes: 0, degree: 8.0, seed: 0 }.build().unwrap().nodes(), 0);
        let csr = ErdosRenyi { nodes: 7, degree: 0.0, seed: 0 }.build().unwrap();
        assert_eq!((csr.nodes(), csr.edges()), (7, 0));
    }
}
