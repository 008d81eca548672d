//! The format of the PACE challenges (`.gr`): `p tw <nodes> <edges>`, then a line `<node> <node>` for each edge, once.
//! Undirected, without weights; nodes are counted from 1; as many edges must be there as are promised.

use super::{
    FileFormat, Files, Holds, Listing, Loaded, Parsed, Recognition, Writer,
    batch::{self, Batch, check_promised_edges},
    lines::{Flaw, Lines, Text},
    problem::{counted_node, is_comment, parse_problem, problem_name},
    rows,
};
use crate::{
    Result,
    graph::{EdgeWeights, Graph, NodeIds, Weights},
};
use std::io::{self, Write};

/// Graphs of the PACE challenges.
pub(super) struct Pace;

impl FileFormat for Pace {
    const NAME: &'static str = "pace";
    const ABOUT: &'static str = "graphs of the PACE challenges";
    const EXTENSIONS: &'static [&'static str] = &["pace.gr"];
    const HOLDS: Holds = Holds { directed: false, weights: false, ids: false, ..Holds::EVERYTHING };
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        Recognition::certain_if(problem_name(beginning).is_some_and(|name| PROBLEMS.contains(&name)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        parse(files.main.text()).map(Loaded::Edges)
    }
}

/// Names of problems whose files have this form: tree width and, since 2019, vertex cover.
const PROBLEMS: [&str; 2] = ["tw", "td"];

/// Reads a PACE graph.
fn parse(text: Text<'_>) -> Result<Parsed> {
    let problem = parse_problem(text, &PROBLEMS)?;
    let batches = text.in_pieces(problem.start, |lines| piece(lines, problem.nodes))?;
    let edges = batch::join(text, batches)?;
    check_promised_edges(text, problem.edges, edges.sources.len())?;
    Ok(Parsed::dense(problem.nodes, edges, NodeIds::Counted { first: 1 }, Listing::UndirectedOnce))
}

fn piece(lines: Lines<'_>, nodes: u32) -> Result<Batch<u32>, Flaw> {
    let mut batch = Batch::new(lines.records_of(12), EdgeWeights::None);
    for mut line in lines {
        if !is_comment(line) {
            batch.push(counted_node(&mut line, nodes)?, counted_node(&mut line, nodes)?);
            line.end()?;
        }
    }
    Ok(batch)
}

/// Writes each edge once.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p tw {} {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_counted_edges(graph, out, "", &Weights::None)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};

    #[test]
    fn edges_once_without_weights() {
        let parsed = parsed(parse, "c x\np tw 3 2\n1 2\nc y\n3 1\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (3, vec![(0, 1), (2, 0)]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedOnce));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(reason(parse, "p tw 2 1\n1 3\n"), "test:2: there is no node 3: nodes are counted from 1 to 2");
        assert_eq!(reason(parse, "p tw 2 1\n1 2 3\n"), "test:2: '3' is more than this line should hold");
        assert_eq!(reason(parse, "p tw 2 1\n"), "test: the header promises 1 edges, but the file holds 0");
        assert!(reason(parse, "p sp 2 1\n").starts_with("test:1: the problem is 'sp'"));
    }
}
