//! `--output`: an answer in the form that the ending of the file's name asks for. A form is a family of writers in a file of this
//! folder, and each of them writes any answer from its columns.

mod binary;
mod json;
mod list;
mod matrix_market;
mod numpy;
mod tables;
mod text;

pub use list::NodeList;

use evenkeel::{
    Error, Result,
    algorithm::{Answer, Column, Described, RowKind, Setup, Values},
    graph::{
        Graph,
        formats::{Compression, compress},
    },
};
use rayon::prelude::*;
use std::{
    io::{self, Write},
    ops::Range,
    path::Path,
};

/// A form of answers: a line of [`FORMS`].
#[derive(Debug)]
struct Form {
    /// What names of such files end with.
    ending: &'static str,
    /// Whether it is text, which may be compressed.
    is_text: bool,
    /// Whether answers with such rows can be written so: a table has no column for each node, and only all pairs have a binary form.
    suits: fn(RowKind) -> bool,
    /// Writes an answer.
    write: Writer,
}

/// What writes an answer.
#[derive(Debug)]
enum Writer {
    /// From all columns of a table: where rows are nodes, these come first.
    Table(WriteForm),
    /// From the columns of the answer alone.
    Columns(WriteForm),
}

type WriteForm = fn(&[Column<'_>], &Graph, &mut (dyn Write + Send)) -> io::Result<()>;

impl Form {
    const fn text(ending: &'static str, write: WriteForm) -> Self {
        Self { ending, is_text: true, suits: |_| true, write: Writer::Table(write) }
    }

    const fn matrix(ending: &'static str, write: WriteForm) -> Self {
        Self { ending, is_text: true, suits: |rows| matches!(rows, RowKind::Edges), write: Writer::Columns(write) }
    }

    const fn table(ending: &'static str, write: WriteForm) -> Self {
        Self { ending, is_text: false, suits: |rows| !matches!(rows, RowKind::Pairs), write: Writer::Table(write) }
    }

    const fn columns(ending: &'static str, suits: fn(RowKind) -> bool, write: WriteForm) -> Self {
        Self { ending, is_text: false, suits, write: Writer::Columns(write) }
    }
}

/// All forms. What has no ending is written as the first.
const FORMS: &[Form] = &[
    Form::text("txt", text::write_lines),
    Form::text("csv", text::write_csv),
    Form::text("json", json::write_object),
    Form::text("jsonl", json::write_lines),
    Form::matrix("mtx", matrix_market::write),
    Form::table("parquet", tables::write_parquet),
    Form::table("arrow", tables::write_arrow),
    Form::columns(NPY, |_| true, numpy::write_npy),
    Form::columns("npz", |_| true, numpy::write_npz),
    Form::columns("bin", |rows| matches!(rows, RowKind::Pairs), binary::write),
];

/// The ending of a file that holds one column.
const NPY: &str = "npy";

/// The form of a file, which may be compressed.
#[derive(Clone, Copy, Debug)]
pub struct AnswerForm {
    form: &'static Form,
    compression: Option<Compression>,
    /// What the rows of the answer are.
    rows: RowKind,
}

impl AnswerForm {
    /// The form that a name asks for. Standard output and a name without an ending get text; an ending that is not known, or that an
    /// answer of the algorithm with this configuration cannot have, is refused.
    pub fn of(path: &Path, setup: &dyn Setup) -> Result<Self> {
        let Described { name, rows, .. } = setup.described();
        let refused = |reason: String| Err(Error::Usage(format!("--output {}: {reason}", path.display())));
        let it = Self::by_ending(path, rows, || offered(rows))?;
        if !(it.form.suits)(rows) {
            return refused(format!("{name} cannot be written so; {}", offered(rows)));
        }
        match setup.columns() {
            0 => refused(format!("with these options {name} finds nothing for each node")),
            count if it.form.ending == NPY && count > 1 => {
                refused(format!(".npy holds one array, and the answer has {count} columns; take .npz"))
            }
            _ => Ok(it),
        }
    }

    /// The form that a name asks for, whatever is written so; `offered` says which there are.
    fn by_ending(path: &Path, rows: RowKind, offered: impl Fn() -> String) -> Result<Self> {
        let compression = Compression::of_path(path).filter(|compression| compression.is_written());
        let inner = if compression.is_some() { path.with_extension("") } else { path.to_path_buf() };
        let refused = |reason: String| Err(Error::Usage(format!("--output {}: {reason}", path.display())));
        let form = match inner.extension() {
            None => &FORMS[0],
            Some(ending) => match FORMS.iter().find(|form| ending.eq_ignore_ascii_case(form.ending)) {
                Some(form) => form,
                None => return refused(format!("there is no form .{}; {}", ending.display(), offered())),
            },
        };
        if compression.is_some() && !form.is_text {
            return refused("only text is compressed: .txt, .csv, .json, .jsonl and .mtx".into());
        }
        Ok(Self { form, compression, rows })
    }

    /// Writes an answer on a graph.
    pub fn write(self, answer: &dyn Answer, graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
        let columns = answer.columns();
        compress(self.compression, writer, |writer| match self.form.write {
            Writer::Table(write) => write(&table(&columns, self.rows, graph), graph, writer),
            Writer::Columns(write) => write(&columns, graph, writer),
        })
    }
}

/// The endings that answers of an algorithm can have.
fn offered(rows: RowKind) -> String {
    let endings = FORMS.iter().filter(|form| (form.suits)(rows)).map(|form| format!(".{}", form.ending));
    let compressions = Compression::ALL.into_iter().filter(|compression| compression.is_written());
    let compressions: Vec<String> = compressions.map(|compression| format!(".{}", compression.extension())).collect();
    format!("there is {}, and text also with {}", endings.collect::<Vec<_>>().join(", "), compressions.join(", "))
}

/// The columns as a table has them: where rows are nodes, these come first.
fn table<'a>(columns: &[Column<'a>], rows: RowKind, graph: &Graph) -> Vec<Column<'a>> {
    // The answer of a matrix has as many rows as that.
    let nodes = || Column::new("node", Values::Nodes((0..graph.csr.dimensions().rows).collect::<Vec<_>>().into()));
    (rows != RowKind::Edges).then(nodes).into_iter().chain(columns.iter().cloned()).collect()
}

/// The number of rows of a table, whose first column has one value for each.
fn rows(columns: &[Column<'_>]) -> u32 {
    columns.first().map_or(0, |column| column.values.len() as u32)
}

/// Values that one thread formats at a time: half a megabyte of text.
const PIECE: usize = 1 << 15;

/// Writes texts of ranges of rows in their order, which all threads make. A row has so many values.
fn write_pieces(
    rows: u32,
    width: usize,
    writer: &mut dyn Write,
    text: impl Fn(Range<u32>) -> String + Sync,
) -> io::Result<()> {
    let piece = (PIECE / width.max(1)).max(1) as u32;
    let pieces: Vec<u32> = (0..rows.div_ceil(piece)).collect();
    // A few pieces a thread at a time: enough to keep all busy, without holding the whole text.
    for batch in pieces.chunks(4 * rayon::current_num_threads()) {
        let format = |number: &u32| text(number * piece..(number * piece).saturating_add(piece).min(rows));
        for text in batch.par_iter().map(format).collect::<Vec<String>>() {
            writer.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
