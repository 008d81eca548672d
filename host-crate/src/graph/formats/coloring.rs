//! The graph colouring format of the 2nd DIMACS challenge (`.col`): `p edge <nodes> <edges>`, then `e <node> <node>`.
//! Undirected, without weights; nodes are counted from 1. Lines of node weights and coordinates (`n`, `d`, `v`, `x`) are
//! skipped. The promised number of edges is not checked: well-known files count each edge once and list it twice, or the
//! other way round.

use super::{
    FileFormat, Files, Holds, Listing, Loaded, Parsed, Recognition, Writer,
    batch::{self, Batch},
    lines::{Flaw, Lines, Text},
    problem::{counted_node, is_comment, parse_problem, problem_name},
    rows,
};
use crate::{
    Result,
    graph::{EdgeWeights, Graph, NodeIds, Weights},
};
use std::io::{self, Write};

/// Colouring problems of the 2nd DIMACS challenge.
pub(super) struct Coloring;

impl FileFormat for Coloring {
    const NAME: &'static str = "coloring";
    const ABOUT: &'static str = "DIMACS colouring problems";
    const EXTENSIONS: &'static [&'static str] = &["col"];
    const HOLDS: Holds = Holds { directed: false, weights: false, ids: false, ..Holds::EVERYTHING };
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        Recognition::certain_if(problem_name(beginning).is_some_and(|name| PROBLEMS.contains(&name)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        parse(files.main.text()).map(Loaded::Edges)
    }
}

/// Names that the problem line has in such files.
const PROBLEMS: [&str; 4] = ["edge", "col", "edges", "coloring"];

/// Reads a colouring problem.
fn parse(text: Text<'_>) -> Result<Parsed> {
    let problem = parse_problem(text, &PROBLEMS)?;
    let batches = text.in_pieces(problem.start, |lines| piece(lines, problem.nodes))?;
    let edges = batch::join(text, batches)?;
    if problem.edges != edges.sources.len() as u64 {
        tracing::warn!("{}: {} edges promised, {} there", text.path.display(), problem.edges, edges.sources.len());
    }
    Ok(Parsed::dense(problem.nodes, edges, NodeIds::Counted { first: 1 }, Listing::UndirectedOnce))
}

fn piece(lines: Lines<'_>, nodes: u32) -> Result<Batch<u32>, Flaw> {
    let mut batch = Batch::new(lines.records_of(10), EdgeWeights::None);
    for mut line in lines {
        if is_comment(line) {
            continue;
        }
        match line.field() {
            Some(b"e") => {
                batch.push(counted_node(&mut line, nodes)?, counted_node(&mut line, nodes)?);
                line.end()?;
            }
            Some(b"n" | b"d" | b"v" | b"x") => {}
            _ => return Err(line.flaw("a line here is an edge, 'e <node> <node>', or a comment, 'c ...'")),
        }
    }
    Ok(batch)
}

/// Writes each edge once.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "p edge {} {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_counted_edges(graph, out, "e ", &Weights::None)
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};

    #[test]
    fn edges_with_any_promise() {
        let parsed = parsed(parse, "c x\np col 3 5\nn 1 4\ne 1 2\ne 2 1\ne 3 3\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (3, vec![(0, 1), (1, 0), (2, 2)]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedOnce));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(reason(parse, "p edge 2 1\ne 1 3\n"), "test:2: there is no node 3: nodes are counted from 1 to 2");
        assert!(reason(parse, "p edge 2 1\n1 2\n").starts_with("test:2: a line here is an edge"));
        assert!(reason(parse, "e 1 2\n").starts_with("test:1: a problem line 'p edge <nodes> <edges>' belongs"));
    }
}
