//! A graph in a report: how large it is, and what was changed between the file and the algorithm.

use crate::{
    graph::{BuildReport, Dimensions, Graph},
    numerals::{counted, grouped},
};
use serde::Serialize;
use std::fmt;

/// What a report says about a graph. It displays as a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphReport {
    /// The file's name, or the generator as it was written.
    pub name: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges stored; an undirected edge counts twice.
    pub edges: u64,
    /// How many rows and columns a matrix has that is not square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rectangle: Option<[u32; 2]>,
    /// Whether edges have a direction.
    pub directed: bool,
    /// The kind of the edges' weights: `none`, `u32` or `f32`.
    pub weights: &'static str,
    /// The number of edges in the file, or that the generator made.
    pub edges_given: u64,
    /// Edges from a node to itself that were dropped.
    pub self_loops_dropped: u64,
    /// Edges merged into a parallel one.
    pub parallel_edges_merged: u64,
}

impl GraphReport {
    /// Describes a graph that was built with that report.
    pub fn new(graph: &Graph, built: &BuildReport) -> Self {
        Self {
            name: graph.name.clone(),
            nodes: graph.csr.nodes(),
            edges: graph.csr.edges(),
            rectangle: (!graph.csr.is_square()).then(|| {
                let Dimensions { rows, columns } = graph.csr.dimensions();
                [rows, columns]
            }),
            directed: graph.directed,
            weights: graph.csr.weights().kind().name(),
            edges_given: built.edges_given,
            self_loops_dropped: built.self_loops_dropped,
            parallel_edges_merged: built.parallel_edges_merged,
        }
    }
}

impl fmt::Display for GraphReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thing, remark) =
            if self.directed { ("directed edge", "") } else { ("edge", " (undirected, both directions counted)") };
        match self.rectangle {
            Some([rows, columns]) => {
                let [rows, columns] = [counted(rows.into(), "row"), counted(columns.into(), "column")];
                let entries = if self.edges == 1 { "entry" } else { "entries" };
                write!(f, "{}: a matrix of {rows} and {columns}, {} {entries}", self.name, grouped(self.edges))?;
            }
            None => {
                let (nodes, edges) = (counted(self.nodes.into(), "node"), counted(self.edges, thing));
                write!(f, "{}: {nodes}, {edges}{remark}", self.name)?;
            }
        }
        if self.weights != "none" {
            write!(f, ", {} weights", self.weights)?;
        }
        if self.self_loops_dropped > 0 {
            write!(f, ", {} dropped", counted(self.self_loops_dropped, "self-loop"))?;
        }
        if self.parallel_edges_merged > 0 {
            write!(f, ", {} merged", counted(self.parallel_edges_merged, "parallel edge"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::report::testing::example;

    #[test]
    fn a_line_says_what_was_changed() {
        let mut graph = example().graph;
        assert_eq!(graph.to_string(), "tiny: 6,000 nodes, 20,000 directed edges, u32 weights, 2 self-loops dropped");
        (graph.directed, graph.weights, graph.self_loops_dropped, graph.parallel_edges_merged) = (false, "none", 0, 3);
        let expected = "tiny: 6,000 nodes, 20,000 edges (undirected, both directions counted), 3 parallel edges merged";
        assert_eq!(graph.to_string(), expected);
        (graph.directed, graph.nodes, graph.edges, graph.parallel_edges_merged) = (true, 1, 1, 1);
        assert_eq!(graph.to_string(), "tiny: 1 node, 1 directed edge, 1 parallel edge merged");
        (graph.rectangle, graph.parallel_edges_merged) = (Some([2000, 1]), 0);
        assert_eq!(graph.to_string(), "tiny: a matrix of 2,000 rows and 1 column, 1 entry");
    }
}
