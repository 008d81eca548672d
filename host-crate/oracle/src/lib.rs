//! Sequential reference algorithms that check the kernels' answers. They are as short as in a textbook, run on the host's CSR, and
//! share no code with kernels, strategies or generators.

pub mod betweenness;
pub mod bfs;
pub mod closeness;
pub mod color;
pub mod communities;
pub mod components;
pub mod degree;
pub mod dijkstra;
pub mod eigenvector;
pub mod floyd_warshall;
pub mod kcore;
pub mod mst;
pub mod pagerank;
pub mod spgemm;
pub mod spmv;
pub mod triangles;

use std::fmt::Display;

/// The depth, the distance in whole numbers, or the parent of a node that cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// A node whose answer is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node}: expected {expected}, found {found}")]
pub struct Mismatch {
    /// The node's index.
    pub node: u32,
    /// The right answer, or what it has to be.
    pub expected: String,
    /// The answer that was found.
    pub found: String,
}

/// The first node for which two answers differ; one that is missing from either differs.
pub fn first_mismatch<T: PartialEq + Display>(expected: &[T], found: &[T]) -> Option<Mismatch> {
    let node = (0..expected.len().max(found.len())).find(|&node| expected.get(node) != found.get(node))?;
    let text = |values: &[T]| values.get(node).map_or("no value".to_owned(), T::to_string);
    Some(Mismatch { node: node as u32, expected: text(expected), found: text(found) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracles_take_graphs_with_wide_offsets() {
        use evenkeel_graph::{OffsetsView, generate::Generator, offsets::testing::in_both_widths, weights};
        for text in ["rmat:scale=6,directed=true", "road:nodes=60", "star:nodes=20"] {
            let answers = in_both_widths(|| {
                let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
                weights::assign(&mut graph, "random:1..9".parse().unwrap()).unwrap();
                let (csr, x): (_, Vec<f64>) = (&graph.csr, (0..graph.csr.nodes()).map(f64::from).collect());
                let sources = [0, 5];
                let depths = bfs::depths(csr, 5);
                let parents = vec![UNREACHABLE; depths.len()];
                let distances = dijkstra::wide(csr, 5).unwrap();
                let lengths = dijkstra::Lengths::Whole((&distances).into());
                let found = (
                    bfs::check_parents(csr, &[5], &depths, &parents),
                    dijkstra::check_parents(csr, &[5], &lengths, &parents),
                    (dijkstra::real(csr, 5).unwrap(), dijkstra::double(csr, 5).unwrap()),
                    (components::weak(csr), components::strong(csr), kcore::cores(csr), mst::kruskal(csr)),
                    (pagerank::ranks(csr, 0.85, 9), spmv::product(csr, &x), triangles::counts(csr)),
                    (betweenness::dependencies(csr, &sources), closeness::closeness(csr, &sources)),
                    (color::largest_first(csr), communities::labels(csr, 5), floyd_warshall::whole(csr).unwrap()),
                );
                let is_wide = matches!(csr.offsets(), OffsetsView::Wide(_));
                (is_wide, format!("{depths:?} {distances:?} {found:?}"))
            });
            assert_eq!([answers[0].0, answers[1].0], [false, true]);
            assert_eq!(answers[0].1, answers[1].1, "{text}");
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_mismatch(&[1, 2, 3], &[1, 2, 3]), None);
        let message = |expected: &[u32], found: &[u32]| first_mismatch(expected, found).unwrap().to_string();
        assert_eq!(message(&[1, 2, 3], &[1, 5, 6]), "node 1: expected 2, found 5");
        assert_eq!(message(&[1, 2, 3], &[1, 2]), "node 2: expected 3, found no value");
        assert_eq!(message(&[1], &[1, 2]), "node 1: expected no value, found 2");
    }
}
