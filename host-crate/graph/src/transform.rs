//! Changes of graphs: transposed, symmetrised, without self-loops, without parallel edges. What a change removed or merged
//! is returned as a [`BuildReport`], so that it can be shown.

use super::{
    Csr, Dimensions, Graph,
    build::{BuildOptions, BuildReport, EdgeSource, build},
    weights::WeightKind,
};
use evenkeel_base::Result;
use std::ops::Range;

/// Reverses every edge and keeps its weight; fails when there is no memory for the result.
pub fn transpose(csr: &Csr) -> Result<Csr> {
    let Dimensions { rows, columns } = csr.dimensions();
    build(Reversed(csr), BuildOptions::default())?.0.with_dimensions(Dimensions { rows: columns, columns: rows })
}

/// Adds the reverse of every edge, without merging: an edge that has its reverse already is there twice in each direction, and one from a node
/// to itself twice. Fails when there is no memory for the result.
pub fn both_ways(csr: &Csr) -> Result<Csr> {
    Ok(build(BothWays(csr), BuildOptions::default())?.0.state_symmetric(true))
}

/// Removes edges from a node to itself; fails when there is no memory for the result.
pub fn drop_self_loops(graph: &Graph) -> Result<(Graph, BuildReport)> {
    rebuild(graph, BuildOptions { drop_self_loops: true, ..BuildOptions::default() })
}

/// Changes a graph as the options say.
///
/// # Errors
/// When there is no memory for the result.
pub fn rebuild(graph: &Graph, options: BuildOptions) -> Result<(Graph, BuildReport)> {
    let (csr, report) = build(&graph.csr, options)?;
    // Every change treats an edge and its reverse alike, so that a symmetric graph stays symmetric.
    let csr = if graph.csr.known_symmetric() == Some(true) { csr.state_symmetric(true) } else { csr };
    let directed = graph.directed && !options.symmetrise;
    let csr = if options.symmetrise { csr } else { csr.with_dimensions(graph.csr.dimensions())? };
    Ok((Graph { name: graph.name.clone(), csr, ids: graph.ids.clone(), directed }, report))
}

struct Reversed<'a>(&'a Csr);

impl EdgeSource for Reversed<'_> {
    fn extent(&self) -> (u32, u64, WeightKind) {
        self.0.extent()
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        self.0.visit(indices, |source, target, weight| visit(target, source, weight));
    }
}

struct BothWays<'a>(&'a Csr);

impl EdgeSource for BothWays<'_> {
    fn extent(&self) -> (u32, u64, WeightKind) {
        let (nodes, edges, weights) = self.0.extent();
        (nodes, 2 * edges, weights)
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        let edges = self.0.edges();
        self.0.visit(indices.start.min(edges)..indices.end.min(edges), &mut visit);
        let reversed = indices.start.max(edges) - edges..indices.end.max(edges) - edges;
        Reversed(self.0).visit(reversed, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeIds, Weights};

    fn csr(row_offsets: &[u32], columns: &[u32], weights: &[f32]) -> Csr {
        let weights = Weights::F32(weights.to_vec().into());
        Csr::new(row_offsets.to_vec(), columns.to_vec(), weights).unwrap()
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
    fn both_ways_keeps_every_edge_and_adds_every_reverse() {
        let doubled = both_ways(&example().csr.without_weights()).unwrap();
        let expected = Csr::new(vec![0, 5, 9, 10, 10], vec![0, 0, 1, 1, 1, 0, 0, 0, 2, 1], Weights::None).unwrap();
        assert_eq!(doubled, expected);
        assert!(doubled.is_symmetric() && expected.is_symmetric());
    }

    #[test]
    fn symmetrising_keeps_the_smallest_weight_in_both_directions() {
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        let (graph, report) = rebuild(&example(), options).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 5, 5], &[0, 1, 0, 2, 1], &[5.0, -1.0, -1.0, 4.0, 4.0]));
        assert!(!graph.directed && graph.csr.has_symmetric_weights());
        assert_eq!((graph.name, graph.ids), ("example".into(), NodeIds::Counted { first: 1 }));
        let expected =
            BuildReport { edges_given: 5, parallel_edges_merged: 4, edges_stored: 5, ..BuildReport::default() };
        assert_eq!(report, expected);
    }

    #[test]
    fn dropping_and_merging_count_what_they_do() {
        let (graph, report) = drop_self_loops(&example()).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 4, 4], &[1, 1, 0, 2], &[-1.0, 2.0, 0.5, 4.0]));
        assert_eq!((report.self_loops_dropped, report.parallel_edges_merged, graph.directed), (1, 0, true));
        let options = BuildOptions { merge_parallel_edges: true, ..BuildOptions::default() };
        let (graph, report) = rebuild(&example(), options).unwrap();
        assert_eq!(graph.csr, csr(&[0, 2, 4, 4, 4], &[0, 1, 0, 2], &[5.0, -1.0, 0.5, 4.0]));
        assert_eq!((report.self_loops_dropped, report.parallel_edges_merged), (0, 1));
    }
}
