//! Answers as text: lines of words (`.txt`), and comma-separated values (`.csv`) as RFC 4180 has them.

use super::{rows, write_pieces};
use evenkeel::{
    algorithm::{Column, Shape, Value, Values},
    graph::{Graph, NodeName, formats::quoted},
};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Writes `name value` for each node, or the values of each edge: `inf` for a value that is missing, and `-` for a node that is.
pub fn write_lines(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    write_rows(columns, graph, writer, &Style { separator: ' ', missing: ["inf", "-"], quote: plain })
}

/// Writes a line with the columns' names, and one for each row. What is missing is empty.
pub fn write_csv(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    for (number, column) in columns.iter().enumerate() {
        for place in 0..column.width(graph.csr.nodes()) as u32 {
            let mut name = String::from(if number > 0 { "," } else { "" });
            match column.shape {
                Shape::Single => name.push_str(column.name),
                Shape::Wide(_) => quote(&NodeName::Text(column.name_at(place as usize).into()), &mut name),
                Shape::Square => quote(&graph.ids.name(place), &mut name),
            }
            writer.write_all(name.as_bytes())?;
        }
    }
    writer.write_all(b"\n")?;
    write_rows(columns, graph, writer, &Style { separator: ',', missing: ["", ""], quote })
}

/// How a row is written.
struct Style {
    separator: char,
    /// What stands for a missing value, and for a missing node.
    missing: [&'static str; 2],
    quote: fn(&NodeName<'_>, &mut String),
}

fn write_rows(columns: &[Column<'_>], graph: &Graph, writer: &mut dyn Write, style: &Style) -> io::Result<()> {
    let nodes = graph.csr.nodes();
    let width = columns.iter().map(|column| column.width(nodes)).sum();
    write_pieces(rows(columns), width, writer, |range| {
        let mut text = String::with_capacity(16 * width * range.len());
        for row in range {
            for (number, column) in columns.iter().enumerate() {
                let width = column.width(nodes);
                for place in row as usize * width..(row as usize + 1) * width {
                    if number > 0 {
                        text.push(style.separator);
                    }
                    push(column, place, graph, style, &mut text);
                }
            }
            text.push('\n');
        }
        text
    })
}

fn push(column: &Column<'_>, place: usize, graph: &Graph, style: &Style, text: &mut String) {
    let is_node = matches!(column.values, Values::Nodes(_));
    match column.value(place) {
        None => text.push_str(style.missing[usize::from(is_node)]),
        Some(Value::Whole(node)) if is_node => (style.quote)(&graph.ids.name(node), text),
        // Writing to a string does not fail.
        Some(value) => drop(write!(text, "{value}")),
    }
}

/// A name as an edge list has it between blanks.
fn plain(name: &NodeName<'_>, text: &mut String) {
    // Writing to a string does not fail.
    let _ = match name {
        NodeName::Text(name) => write!(text, "{}", quoted(name, b' ')),
        NodeName::Number(number) => write!(text, "{number}"),
    };
}

/// A name between quotation marks where it would be misread without them.
pub(super) fn quote(name: &NodeName<'_>, text: &mut String) {
    // Writing to a string does not fail.
    let _ = match name {
        NodeName::Text(plain) if plain.is_empty() || plain.contains([',', '"', '\r', '\n']) => {
            write!(text, "\"{}\"", plain.replace('"', "\"\""))
        }
        name => write!(text, "{name}"),
    };
}
