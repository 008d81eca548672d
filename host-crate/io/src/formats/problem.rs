//! What the DIMACS challenges' formats share: comment lines that begin with `c`, and a problem line
//! `p <name> <nodes> <edges>` before the first edge. Nodes are counted from 1.

use super::{
    Listing, Loaded, Recognition,
    batch::{Batch, check_claimed_nodes, check_edges, read_edges},
    lines::{Flaw, Line, Lines, Text, shown},
};
use evenkeel_base::Result;
use evenkeel_graph::EdgeWeights;

pub(super) struct Problem {
    /// The names that the problem line may have, the usual one first.
    pub names: &'static [&'static str],
    pub listing: Listing,
    pub weights: EdgeWeights,
    /// Whether as many edges must be there as are promised.
    pub keeps_promise: bool,
}

impl Problem {
    pub fn recognise(&self, beginning: Text<'_>) -> Recognition {
        let problem = problem_line(&mut beginning.lines_from(0));
        Recognition::certain_if(problem.is_some_and(|(name, _)| self.has_name(name)))
    }

    fn has_name(&self, name: &[u8]) -> bool {
        self.names.iter().any(|known| known.as_bytes() == name)
    }

    /// Reads a graph; `edge` reads a line that is no comment, given the number of nodes.
    pub fn read(
        &self,
        text: Text<'_>,
        edge: impl Fn(&mut Line<'_>, u32, &mut Batch<u32>) -> Result<(), Flaw> + Sync,
    ) -> Result<Loaded> {
        let (nodes, promised, start) = self.header(text)?;
        let is_data = |line: &Line<'_>| !is_comment(*line);
        let edges = read_edges(text, start, &self.weights, is_data, |line, batch| edge(line, nodes, batch))?;
        check_edges(text, self.keeps_promise, promised, edges.sources.len())?;
        Ok(Loaded::counted(text, nodes, edges, 1, self.listing))
    }

    /// The numbers of nodes and edges on the problem line, and where the lines after it begin.
    fn header(&self, text: Text<'_>) -> Result<(u32, u64, usize)> {
        let wanted = || format!("a problem line 'p {} <nodes> <edges>' belongs before the first edge", self.names[0]);
        let mut lines = text.lines_from(0);
        let Some(first) = text.lines_from(0).find(|line| !is_comment(*line)) else {
            return Err(text.error_of_file(wanted()));
        };
        let Some((name, mut line)) = problem_line(&mut lines) else {
            return Err(text.error(first.flaw(wanted())));
        };
        if !self.has_name(name) {
            return Err(text.error(line.flaw(format!("the problem is '{}'; {}", shown(name), wanted()))));
        }
        let claimed = (|| Ok((line.whole("the number of nodes")?, line.whole("the number of edges")?, line.end()?)))();
        let (nodes, edges, ()) = claimed.map_err(|flaw| text.error(flaw))?;
        Ok((check_claimed_nodes(text, nodes)?, edges, lines.position))
    }
}

/// Finds the first line that is no comment and its name, if it is a problem line.
fn problem_line<'a>(lines: &mut Lines<'a>) -> Option<(&'a [u8], Line<'a>)> {
    let mut line = lines.find(|line| !is_comment(*line))?;
    (line.field() == Some(b"p")).then_some(())?;
    Some((line.field()?, line))
}

/// Whether a line is blank or begins with the letter `c` alone.
fn is_comment(mut line: Line<'_>) -> bool {
    line.first().is_none_or(|first| first == b'c' && line.field() == Some(b"c"))
}

/// Adds the edge that is the rest of the line: two nodes, and a weight if edges have some.
#[inline]
pub(super) fn push_edge(line: &mut Line<'_>, nodes: u32, batch: &mut Batch<u32>) -> Result<(), Flaw> {
    let (source, target) = (counted_node(line, nodes)?, counted_node(line, nodes)?);
    batch.push(source, target, line)?;
    line.end()
}

/// The next field as a node counted from 1, as its index.
#[inline]
pub(super) fn counted_node(line: &mut Line<'_>, nodes: u32) -> Result<u32, Flaw> {
    let id = line.whole("a node")?;
    match id.checked_sub(1) {
        Some(index) if index < u64::from(nodes) => Ok(index as u32),
        _ => Err(line.flaw(format!("there is no node {id}: nodes are counted from 1 to {nodes}"))),
    }
}
