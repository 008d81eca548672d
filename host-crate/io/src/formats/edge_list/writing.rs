//! Writing edge lists: with blanks and SNAP's remarks, or as a table that other programs read, by the ending of the file's name. Nodes
//! without edges have no place in either.

use super::super::{Dialect, Feature, rows};
use evenkeel_graph::{Graph, NodeIds, NodeName};
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Comma-separated values, as RFC 4180 has them.
pub(super) const CSV: Dialect = Dialect { ending: "csv", lacks: &[Feature::Direction], writer: write_csv };

/// Edge lists with tabs between the fields.
pub(super) const TSV: Dialect = Dialect { ending: "tsv", lacks: &[Feature::Direction], writer: write_tsv };

/// Writes an edge list with SNAP's remark on directions. Where nodes have names, a header keeps the first edge from being taken for
/// one.
pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let kind = if graph.directed { "Directed" } else { "Undirected" };
    writeln!(out, "# {kind} graph\n# Nodes: {} Edges: {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    match &graph.ids {
        NodeIds::Named(_) => write_table(graph, out, b' '),
        _ => rows::write_edges(graph, out, "", |node| graph.ids.name(node), graph.csr.weights()),
    }
}

fn write_csv(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    write_table(graph, out, b',')
}

fn write_tsv(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    write_table(graph, out, b'\t')
}

/// Writes a header, and a row for each edge.
fn write_table(graph: &Graph, out: &mut dyn Write, separator: u8) -> io::Result<()> {
    let columns: &[&str] =
        if graph.csr.weights().is_none() { &["source", "target"] } else { &["source", "target", "weight"] };
    writeln!(out, "{}", columns.join(&char::from(separator).to_string()))?;
    let name = |text: &mut Vec<u8>, node: u32| match graph.ids.name(node) {
        NodeName::Text(name) => text.extend_from_slice(quoted(&name, separator).as_bytes()),
        number => rows::push_name(text, &number),
    };
    rows::write_rows(graph, out, |node, text| {
        for (target, position) in rows::listed(graph, node) {
            name(text, node);
            text.push(separator);
            name(text, target);
            rows::push_weight(text, separator, graph.csr.weights(), position);
            text.push(b'\n');
        }
    })
}

/// A name as it is written between such separators: in quotes where it would be read as something else.
pub fn quoted(name: &str, separator: u8) -> Cow<'_, str> {
    let separator = char::from(separator);
    // Beside blanks, readers may take any of these for the separator.
    let separates =
        |it: char| if separator == ' ' { matches!(it, ' ' | '\t' | ',' | ';' | '|') } else { it == separator };
    let needs_quotes = name.is_empty()
        || name.starts_with(['#', '%', ' ', '\t'])
        || name.ends_with([' ', '\t'])
        || name.contains(|it: char| separates(it) || matches!(it, '"' | '\r' | '\n'));
    if needs_quotes { format!("\"{}\"", name.replace('"', "\"\"")).into() } else { Cow::Borrowed(name) }
}
