//! What the DIMACS challenges' formats share: comment lines that begin with `c`, and a problem line
//! `p <name> <nodes> <edges>` before the first edge. Nodes are counted from 1.

use super::{
    batch::check_claimed_nodes,
    lines::{Flaw, Line, Lines, Text, shown},
};
use crate::Result;

/// What the problem line says, and where the lines after it begin.
pub(super) struct Problem {
    pub nodes: u32,
    pub edges: u64,
    pub start: usize,
}

/// The name on the problem line, if that is the first line that is no comment.
pub(super) fn problem_name(text: Text<'_>) -> Option<&str> {
    let (name, _) = problem_line(&mut text.lines_from(0))?;
    str::from_utf8(name).ok()
}

/// Finds the first line that is no comment and its name, if it is a problem line.
fn problem_line<'a>(lines: &mut Lines<'a>) -> Option<(&'a [u8], Line<'a>)> {
    let mut line = lines.find(|line| !is_comment(*line))?;
    (line.field() == Some(b"p")).then_some(())?;
    Some((line.field()?, line))
}

/// Whether a line is blank or begins with the letter `c` alone.
pub(super) fn is_comment(mut line: Line<'_>) -> bool {
    line.first().is_none_or(|first| first == b'c' && line.field() == Some(b"c"))
}

/// Reads the problem line, which must have one of `names`.
pub(super) fn parse_problem(text: Text<'_>, names: &[&str]) -> Result<Problem> {
    let wanted = || format!("a problem line 'p {} <nodes> <edges>' belongs before the first edge", names[0]);
    let mut lines = text.lines_from(0);
    let Some(first) = text.lines_from(0).find(|line| !is_comment(*line)) else {
        return Err(text.error_of_file(wanted()));
    };
    let Some((name, mut line)) = problem_line(&mut lines) else {
        return Err(text.error(first.flaw(wanted())));
    };
    if !names.iter().any(|known| known.as_bytes() == name) {
        return Err(text.error(line.flaw(format!("the problem is '{}'; {}", shown(name), wanted()))));
    }
    let claimed = (|| Ok((line.whole("the number of nodes")?, line.whole("the number of edges")?, line.end()?)))();
    let (nodes, edges, ()) = claimed.map_err(|flaw| text.error(flaw))?;
    Ok(Problem { nodes: check_claimed_nodes(text, nodes)?, edges, start: lines.position() })
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
