//! Graphs made from graphs: transposed, symmetrised, without self-loops, without parallel edges. What a change removed or merged
//! comes back as a [`BuildReport`], so that nothing goes in silence.

use super::{
    Csr, Graph,
    build::{EdgeSource, WeightKind, build},
    csr::{BuildOptions, BuildReport},
    generate::random::mix,
};
use crate::Result;
use rayon::prelude::*;
use std::ops::Range;

/// The same edges the other way round, weights included.
///
/// # Errors
/// When there is no memory for it.
pub fn transpose(csr: &Csr) -> Result<Csr> {
    Ok(build(Reversed(csr), BuildOptions::default())?.0)
}

/// The undirected graph of a directed one: both directions of every edge, parallel edges merged, the smallest weight kept.
///
/// # Errors
/// When that is more than `u32::MAX` directed edges.
pub fn symmetrise(graph: &Graph) -> Result<(Graph, BuildReport)> {
    let (graph, report) = rebuild(graph, BuildOptions { symmetrise: true, ..BuildOptions::default() })?;
    Ok((Graph { directed: false, ..graph }, report))
}

/// The graph without edges from a node to itself.
///
/// # Errors
/// When there is no memory for it.
pub fn drop_self_loops(graph: &Graph) -> Result<(Graph, BuildReport)> {
    rebuild(graph, BuildOptions { drop_self_loops: true, ..BuildOptions::default() })
}

/// The graph with one edge, the lightest, of several between the same nodes in the same direction.
///
/// # Errors
/// When there is no memory for it.
pub fn merge_parallel_edges(graph: &Graph) -> Result<(Graph, BuildReport)> {
    rebuild(graph, BuildOptions { merge_parallel_edges: true, ..BuildOptions::default() })
}

/// Several of these at once.
///
/// # Errors
/// When the result has more than `u32::MAX` directed edges.
pub fn rebuild(graph: &Graph, options: BuildOptions) -> Result<(Graph, BuildReport)> {
    let (csr, report) = build(&graph.csr, options)?;
    let directed = graph.directed && !options.symmetrise;
    Ok((Graph { name: graph.name.clone(), csr, ids: graph.ids.clone(), directed }, report))
}

/// Whether every edge has its reverse, as often and with the same weights.
///
/// # Errors
/// When there is no memory to transpose the graph, which takes a fraction of the time of searching for each edge's reverse.
pub fn is_symmetric(csr: &Csr) -> Result<bool> {
    // Most directed graphs are told by this alone.
    let rows = || (0..csr.nodes()).into_par_iter().map(|node| (node, csr.neighbours(node)));
    let down: usize = rows().map(|(node, row)| row.partition_point(|&neighbour| neighbour < node)).sum();
    let up: usize = rows().map(|(node, row)| row.len() - row.partition_point(|&neighbour| neighbour <= node)).sum();
    Ok(up == down && transpose(csr)? == *csr)
}

/// Whether every edge has its reverse, as often; weights do not count. It takes one pass and no memory: the sums of a random
/// number for each edge, and for each reversed edge, are equal by chance in one of 2^64 cases.
pub fn is_surely_symmetric(csr: &Csr) -> bool {
    let edge = |from: u32, to: u32| mix(mix(u64::from(from) << 32 | u64::from(to)));
    let sums = (0..csr.nodes()).into_par_iter().map(|node| {
        csr.neighbours(node).iter().fold((0u64, 0u64), |(there, back), &neighbour| {
            (there.wrapping_add(edge(node, neighbour)), back.wrapping_add(edge(neighbour, node)))
        })
    });
    let (there, back) = sums.reduce(|| (0, 0), |a, b| (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1)));
    there == back
}

struct Reversed<'a>(&'a Csr);

impl EdgeSource for Reversed<'_> {
    fn nodes(&self) -> u32 {
        self.0.nodes()
    }

    fn edges(&self) -> u64 {
        EdgeSource::edges(&self.0)
    }

    fn weight_kind(&self) -> WeightKind {
        self.0.weight_kind()
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        self.0.visit(indices, |source, target, weight| visit(target, source, weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{NodeIds, Weights};

    fn csr(row_offsets: &[u32], columns: &[u32], weights: &[f32]) -> Csr {
        let weights = Weights::F32(weights.to_vec().into());
        Csr { row_offsets: row_offsets.to_vec().into(), columns: columns.to_vec().into(), weights }
    }

    /// A self-loop at 0, two edges 0 → 1, one edge 1 → 0, one edge 1 → 2; nothing at 3.
    fn example() -> Graph {
        let csr = csr(&[0, 3, 5, 5, 5], &[0, 1, 1, 0, 2], &[5.0, -1.0, 2.0, 0.5, 4.0]);
        Graph { name: "example".into(), csr, ids: NodeIds::Counted { first: 1 }, directed: true }
    }

    #[test]
    fn transposing_carries_weights_and_sorts() {
        let transposed = transpose(&example().csr).unwrap();
        assert_eq!(transposed, csr(&[0, 2, 4, 5, 5], &[0, 1, 0, 0, 1], &[5.0, 0.5, -1.0, 2.0, 4.0]));
        assert_eq!(transpose(&transposed).unwrap(), example().csr);
    }

    #[test]
    fn symmetrising_keeps_the_smallest_weight_in_both_directions() {
        let (graph, report) = symmetrise(&example()).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 5, 5], &[0, 1, 0, 2, 1], &[5.0, -1.0, -1.0, 4.0, 4.0]));
        assert!(!graph.directed && is_symmetric(&graph.csr).unwrap());
        assert_eq!((graph.name, graph.ids), ("example".into(), NodeIds::Counted { first: 1 }));
        let expected = BuildReport { edges_given: 5, self_loops_dropped: 0, parallel_edges_merged: 4, edges_stored: 5 };
        assert_eq!(report, expected);
    }

    #[test]
    fn dropping_and_merging_count_what_they_do() {
        let (graph, report) = drop_self_loops(&example()).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 4, 4], &[1, 1, 0, 2], &[-1.0, 2.0, 0.5, 4.0]));
        assert_eq!((report.self_loops_dropped, report.parallel_edges_merged, graph.directed), (1, 0, true));
        let (graph, report) = merge_parallel_edges(&example()).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 4, 4], &[0, 1, 0, 2], &[5.0, -1.0, 0.5, 4.0]));
        assert_eq!((report.self_loops_dropped, report.parallel_edges_merged), (0, 1));
    }

    #[test]
    fn symmetry_is_of_structure_multiplicity_and_weight() {
        let symmetric = |row_offsets: &[u32], columns: &[u32], weights: &[f32]| {
            let csr = csr(row_offsets, columns, weights);
            let symmetric = is_symmetric(&csr).unwrap();
            assert!(is_surely_symmetric(&csr) || !symmetric);
            symmetric
        };
        assert!(symmetric(&[0], &[], &[]));
        assert!(symmetric(&[0, 1, 2], &[1, 0], &[3.0, 3.0]));
        assert!(!symmetric(&[0, 1, 2], &[1, 0], &[3.0, 4.0]));
        assert!(!symmetric(&[0, 1, 1], &[1], &[3.0]));
        assert!(!symmetric(&[0, 0, 1], &[0], &[3.0]));
        assert!(!symmetric(&[0, 2, 3], &[1, 1, 0], &[3.0, 3.0, 3.0]));
        assert!(!symmetric(&[0, 1, 2, 3], &[1, 2, 0], &[1.0; 3]), "a ring one way");
        assert!(symmetric(&[0, 3, 5], &[0, 1, 1, 0, 0], &[9.0, 1.0, 2.0, 1.0, 2.0]));
        assert!(is_surely_symmetric(&csr(&[0, 1, 2], &[1, 0], &[3.0, 4.0])), "weights do not count");
        assert!(!is_surely_symmetric(&csr(&[0, 1, 2, 3], &[1, 2, 0], &[1.0; 3])), "a ring one way");
        assert!(!is_surely_symmetric(&csr(&[0, 2, 3], &[1, 1, 0], &[3.0; 3])), "one edge there, two back");
    }
}
