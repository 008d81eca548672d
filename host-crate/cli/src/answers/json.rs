//! Answers as JSON: one object with an array for each column (`.json`), or an object for each row (`.jsonl`). What is missing, and
//! what is not a finite number, is null.

use super::{rows, write_pieces};
use evenkeel::{
    algorithm::{Column, Shape, Value, Values},
    graph::{Graph, NodeName, weights::is_whole},
};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Writes `{"node": […], "depth": […]}`. A node with several values has an array of them.
pub fn write_object(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    for (number, column) in columns.iter().enumerate() {
        let before = if number > 0 { "],\n" } else { "{\n" };
        write!(writer, "{before}\"{}\": [", column.name)?;
        write_array(rows(columns), column.width(graph.csr.nodes()), writer, |row, text| {
            push_values(column, row, graph, text)
        })?;
    }
    writeln!(writer, "]\n}}")
}

fn write_array(
    rows: u32,
    width: usize,
    writer: &mut dyn Write,
    push: impl Fn(u32, &mut String) + Sync,
) -> io::Result<()> {
    write_pieces(rows, width, writer, |range| {
        let mut text = String::with_capacity(12 * width * range.len());
        for row in range {
            if row > 0 {
                text.push(',');
            }
            push(row, &mut text);
        }
        text
    })
}

/// Writes `{"node": …, "depth": …}` for each row.
pub fn write_lines(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let nodes = graph.csr.nodes();
    let width = columns.iter().map(|column| column.width(nodes)).sum();
    write_pieces(rows(columns), width, writer, |range| {
        let mut text = String::with_capacity(16 * width * range.len());
        for row in range {
            for (number, column) in columns.iter().enumerate() {
                let before = if number > 0 { ',' } else { '{' };
                // Writing to a string does not fail.
                let _ = write!(text, "{before}\"{}\":", column.name);
                push_values(column, row, graph, &mut text);
            }
            text.push_str("}\n");
        }
        text
    })
}

fn push_values(column: &Column<'_>, row: u32, graph: &Graph, text: &mut String) {
    let width = column.width(graph.csr.nodes());
    if column.shape == Shape::Single {
        return push_value(column, row as usize, graph, text);
    }
    text.push('[');
    for place in 0..width {
        if place > 0 {
            text.push(',');
        }
        push_value(column, row as usize * width + place, graph, text);
    }
    text.push(']');
}

fn push_value(column: &Column<'_>, place: usize, graph: &Graph, text: &mut String) {
    match column.value(place) {
        Some(Value::Whole(node)) if matches!(column.values, Values::Nodes(_)) => push_name(&graph.ids.name(node), text),
        // Writing to a string does not fail.
        Some(value) if value.real().is_finite() => {
            let _ = match value {
                // With an exponent where that is shorter: not every reader takes hundreds of digits.
                Value::Real(number) if is_whole(number.into()) => write!(text, "{:?}", f64::from(number) + 0.0),
                Value::Real(number) => write!(text, "{number:?}"),
                Value::Double(number) => write!(text, "{number:?}"),
                whole => write!(text, "{whole}"),
            };
        }
        _ => text.push_str("null"),
    }
}

fn push_name(name: &NodeName<'_>, text: &mut String) {
    // A number or a string is always written.
    text.push_str(&serde_json::to_string(name).unwrap_or_default());
}
