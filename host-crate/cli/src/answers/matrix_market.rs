//! Answers that are edges or entries, as a sparse matrix in the coordinate format of Matrix Market (`.mtx`). Rows and columns are counted from 1, in
//! the order of the graph.

use super::{rows, write_pieces};
use evenkeel::{
    algorithm::{Column, Value, Values},
    graph::Graph,
};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Writes a line for each row of the answer, which has two columns of nodes and one of values.
pub fn write(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let [Column { values: Values::Nodes(from), .. }, Column { values: Values::Nodes(to), .. }, values] = columns else {
        return Err(io::Error::other("a matrix has two columns of nodes and one of values"));
    };
    let is_whole = matches!(values.values, Values::U32(_) | Values::U64(_));
    let (field, nodes, entries) = (if is_whole { "integer" } else { "real" }, graph.csr.nodes(), rows(columns));
    writeln!(writer, "%%MatrixMarket matrix coordinate {field} general\n{nodes} {nodes} {entries}")?;
    write_pieces(entries, columns.len(), writer, |range| {
        let mut text = String::new();
        for row in range {
            let place = row as usize;
            let value = values.value(place).unwrap_or(Value::Whole(0));
            // Writing to a string does not fail.
            let _ = writeln!(text, "{} {} {value}", u64::from(from[place]) + 1, u64::from(to[place]) + 1);
        }
        text
    })
}
