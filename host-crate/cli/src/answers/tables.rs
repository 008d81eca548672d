//! Answers as tables of typed columns: Parquet (`.parquet`) and Arrow's IPC file (`.arrow`). The column `node` holds the names, as
//! numbers or texts, and so does a column of nodes; what is missing is null.

use super::rows;
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use evenkeel::{
    algorithm::{Column, Value, Values},
    graph::{Graph, NodeIds, NodeName},
};
use parquet::arrow::ArrowWriter;
use std::{
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

/// Values in a batch: enough for columns to be written well, and little to hold.
const BATCH: usize = 1 << 20;

/// Writes Parquet without compression.
pub fn write_parquet(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut table = ArrowWriter::try_new(writer, schema(columns, graph), None).map_err(io::Error::other)?;
    batches(columns, graph, |batch| table.write(&batch).map_err(io::Error::other))?;
    table.close().map(drop).map_err(io::Error::other)
}

/// Writes an Arrow IPC file.
pub fn write_arrow(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut table = FileWriter::try_new(writer, &schema(columns, graph)).map_err(io::Error::other)?;
    batches(columns, graph, |batch| table.write(&batch).map_err(io::Error::other))?;
    table.finish().map_err(io::Error::other)
}

fn schema(columns: &[Column<'_>], graph: &Graph) -> Arc<Schema> {
    let names = if matches!(graph.ids, NodeIds::Named(_)) { DataType::Utf8 } else { DataType::UInt64 };
    let mut fields = Vec::new();
    for column in columns {
        let kind = match column.values {
            Values::U32(_) => DataType::UInt32,
            Values::U64(_) => DataType::UInt64,
            Values::F32(_) => DataType::Float32,
            Values::F64(_) => DataType::Float64,
            Values::Nodes(_) => names.clone(),
        };
        fields.extend(
            (0..column.width(graph.csr.nodes()))
                .map(|place| Field::new(column.name_at(place), kind.clone(), column.partial)),
        );
    }
    Arc::new(Schema::new(fields))
}

fn batches(
    columns: &[Column<'_>],
    graph: &Graph,
    mut write: impl FnMut(RecordBatch) -> io::Result<()>,
) -> io::Result<()> {
    let (nodes, schema) = (graph.csr.nodes(), schema(columns, graph));
    let (rows, piece) = (rows(columns), (BATCH / schema.fields().len()).max(1));
    for first in (0..rows).step_by(piece) {
        let range = first..first.saturating_add(piece as u32).min(rows);
        let mut arrays = Vec::new();
        for column in columns {
            let width = column.width(nodes);
            arrays.extend((0..width).map(|place| values(column, range.clone(), (width, place), graph)));
        }
        let batch: Result<_, ArrowError> = RecordBatch::try_new(schema.clone(), arrays);
        write(batch.map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// The values of the rows in a range, of which each has `width` and gives that at `place`.
fn values(column: &Column<'_>, range: Range<u32>, (width, place): (usize, usize), graph: &Graph) -> ArrayRef {
    let places = range.map(|node| node as usize * width + place);
    macro_rules! array {
        ($array:ident, $all:expr) => {
            Arc::new(places.map(|place| column.value(place).map(|_| $all[place])).collect::<$array>())
        };
    }
    match &column.values {
        Values::U32(all) => array!(UInt32Array, all),
        Values::U64(all) => array!(UInt64Array, all),
        Values::F32(all) => array!(Float32Array, all),
        Values::F64(all) => array!(Float64Array, all),
        Values::Nodes(_) => {
            let node = |place| match column.value(place) {
                Some(Value::Whole(node)) => Some(node),
                _ => None,
            };
            names_of(places.map(node), graph)
        }
    }
}

/// The names of nodes.
fn names_of(nodes: impl Iterator<Item = Option<u32>>, graph: &Graph) -> ArrayRef {
    let names = nodes.map(|node| node.map(|node| graph.ids.name(node)));
    match graph.ids {
        NodeIds::Named(_) => Arc::new(names.map(|name| name.map(|name| name.to_string())).collect::<StringArray>()),
        _ => {
            let number = |name: NodeName<'_>| if let NodeName::Number(number) = name { Some(number) } else { None };
            Arc::new(names.map(|name| name.and_then(number)).collect::<UInt64Array>())
        }
    }
}
