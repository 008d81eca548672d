//! The shortest-path format of the 9th DIMACS challenge (`.gr`): `p sp <nodes> <arcs>`, then `a <tail> <head> <weight>`.
//! Directed; nodes are counted from 1; as many arcs must be there as are promised.

use super::prelude::*;
use super::problem::{Problem, push_edge};

pub(super) struct Dimacs;

const PROBLEM: Problem =
    Problem { names: &["sp"], listing: Listing::Directed, weights: EdgeWeights::U32(Vec::new()), keeps_promise: true };

impl FileFormat for Dimacs {
    const NAME: &'static str = "dimacs";
    const ABOUT: &'static str = "DIMACS shortest-path problems";
    const EXTENSIONS: &'static [&'static str] = &["gr"];
    const LACKS: &'static [Feature] = &[Feature::Direction, Feature::RealWeights, Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        PROBLEM.recognise(beginning)
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        PROBLEM.read(files.main.text(), |line, nodes, arcs| match line.field() {
            Some(b"a") => push_edge(line, nodes, arcs),
            _ => Err(line.flaw("a line here is an arc, 'a <tail> <head> <weight>', or a comment, 'c ...'")),
        })
    }
}

/// Writes every stored arc, both of an undirected edge; a graph without weights gets 1 for each.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p sp {} {}", graph.csr.nodes(), graph.csr.edges())?;
    rows::write_rows(graph, out, |node, text| {
        for position in graph.csr.row(node) {
            let ends = [node, graph.csr.columns()[position]].map(rows::counted);
            rows::push_edge(text, "a ", &ends, graph.csr.weights(), position);
            if graph.csr.weights().is_none() {
                text.pop();
                text.extend_from_slice(b" 1\n");
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::NodeIds;

    #[test]
    fn arcs_with_weights() {
        let parsed = parsed(Dimacs::read, "c a road map\nc\np sp 4 2\nc one\na 1 2 803\na 4 1 17\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (4, vec![(0, 1), (3, 0)]));
        assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![803, 17]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::Directed));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let reason = |text| reason(Dimacs::read, text);
        assert!(reason("").starts_with("test: a problem line 'p sp <nodes> <edges>' belongs"));
        assert!(reason("c\na 1 2 3\n").starts_with("test:2: a problem line"));
        assert!(reason("p tw 1 2\n").starts_with("test:1: the problem is 'tw'; a problem line 'p sp"));
        assert_eq!(reason("p sp 1\n"), "test:1: the line ends where the number of edges should be");
        assert_eq!(reason("p sp 2 1\na 1 3 5\n"), "test:2: there is no node 3: nodes are counted from 1 to 2");
        assert_eq!(reason("p sp 2 1\na 0 1 5\n"), "test:2: there is no node 0: nodes are counted from 1 to 2");
        assert_eq!(reason("p sp 2 1\na 1 2\n"), "test:2: the line ends where a weight should be");
        assert_eq!(reason("p sp 2 1\na 1 2 3 4\n"), "test:2: '4' is more than this line should hold");
        assert!(reason("p sp 2 1\nc\narc 1 2 3\n").starts_with("test:3: a line here is an arc"));
        assert_eq!(reason("p sp 2 2\na 1 2 3\n"), "test: the header promises 2 edges, but the file holds 1");
    }

    #[test]
    fn claims_are_not_believed_without_limit() {
        assert!(
            reason(Dimacs::read, "p sp 4000000000 0\n")
                .contains("the file claims 4000000000 nodes, but a file of 18 bytes")
        );
        assert!(
            reason(Dimacs::read, "p sp 1000000000000000000 0\n")
                .contains("are too many: 32-bit indices allow 4294967294")
        );
        assert!(reason(Dimacs::read, "p sp 1 1000000000000000000\n").contains("promises 1000000000000000000 edges"));
    }
}
