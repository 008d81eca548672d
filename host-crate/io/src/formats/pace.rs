//! The format of the PACE challenges (`.gr`): `p tw <nodes> <edges>`, then a line `<node> <node>` for each edge, once.
//! Undirected, without weights; nodes are counted from 1; as many edges must be there as are promised.

use super::prelude::*;
use super::problem::{Problem, push_edge};

pub(super) struct Pace;

const PROBLEM: Problem = Problem {
    // Tree width and, since 2019, vertex cover.
    names: &["tw", "td"],
    listing: Listing::UndirectedOnce,
    weights: EdgeWeights::None,
    keeps_promise: true,
};

impl FileFormat for Pace {
    const NAME: &'static str = "pace";
    const ABOUT: &'static str = "graphs of the PACE challenges";
    const EXTENSIONS: &'static [&'static str] = &["pace.gr"];
    const LACKS: &'static [Feature] = &[Feature::Directed, Feature::Weights, Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        PROBLEM.recognise(beginning)
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        PROBLEM.read(files.main.text(), push_edge)
    }
}

fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p tw {} {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_edges(graph, out, "", rows::counted, &Weights::None)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::NodeIds;

    #[test]
    fn edges_once_without_weights() {
        let parsed = parsed(Pace::read, "c x\np tw 3 2\n1 2\nc y\n3 1\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (3, vec![(0, 1), (2, 0)]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedOnce));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(reason(Pace::read, "p tw 2 1\n1 3\n"), "test:2: there is no node 3: nodes are counted from 1 to 2");
        assert_eq!(reason(Pace::read, "p tw 2 1\n1 2 3\n"), "test:2: '3' is more than this line should hold");
        assert_eq!(reason(Pace::read, "p tw 2 1\n"), "test: the header promises 1 edges, but the file holds 0");
        assert!(reason(Pace::read, "p sp 2 1\n").starts_with("test:1: the problem is 'sp'"));
    }
}
