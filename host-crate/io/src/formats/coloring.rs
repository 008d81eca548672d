//! The graph colouring format of the 2nd DIMACS challenge (`.col`): `p edge <nodes> <edges>`, then `e <node> <node>`.
//! Undirected, without weights; nodes are counted from 1. Lines of node weights and coordinates (`n`, `d`, `v`, `x`) are
//! skipped. The promised number of edges is not checked: well-known files count each edge once and list it twice, or the
//! other way round.

use super::prelude::*;
use super::problem::{Problem, push_edge};

pub(super) struct Coloring;

const PROBLEM: Problem = Problem {
    names: &["edge", "col", "edges", "coloring"],
    listing: Listing::UndirectedOnce,
    weights: EdgeWeights::None,
    keeps_promise: false,
};

impl FileFormat for Coloring {
    const NAME: &'static str = "coloring";
    const ABOUT: &'static str = "DIMACS colouring problems";
    const EXTENSIONS: &'static [&'static str] = &["col"];
    const LACKS: &'static [Feature] = &[Feature::Directed, Feature::Weights, Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        PROBLEM.recognise(beginning)
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        PROBLEM.read(files.main.text(), |line, nodes, edges| match line.field() {
            Some(b"e") => push_edge(line, nodes, edges),
            Some(b"n" | b"d" | b"v" | b"x") => Ok(()),
            _ => Err(line.flaw("a line here is an edge, 'e <node> <node>', or a comment, 'c ...'")),
        })
    }
}

fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p edge {} {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_edges(graph, out, "e ", rows::counted, &Weights::None)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::NodeIds;

    #[test]
    fn edges_with_any_promise() {
        let parsed = parsed(Coloring::read, "c x\np col 3 5\nn 1 4\ne 1 2\ne 2 1\ne 3 3\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (3, vec![(0, 1), (1, 0), (2, 2)]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedOnce));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(
            reason(Coloring::read, "p edge 2 1\ne 1 3\n"),
            "test:2: there is no node 3: nodes are counted from 1 to 2"
        );
        assert!(reason(Coloring::read, "p edge 2 1\n1 2\n").starts_with("test:2: a line here is an edge"));
        assert!(
            reason(Coloring::read, "e 1 2\n").starts_with("test:1: a problem line 'p edge <nodes> <edges>' belongs")
        );
    }
}
