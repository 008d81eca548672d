//! Edges in files of Arrow's IPC format (`.arrow`, `.feather`) and its streams (`.arrows`), an edge a row. Columns are found by their names,
//! or told; batches are turned into edges in parallel.

use super::{
    ends::{self, Ends},
    guard::guarded,
    prelude::*,
    table::Wanted,
};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use rayon::prelude::*;
use std::io::Cursor;

pub(super) struct Arrow;

impl FileFormat for Arrow {
    const NAME: &'static str = "arrow";
    const ABOUT: &'static str = "an Arrow IPC file or stream, or Feather, with an edge a row; read only";
    const EXTENSIONS: &'static [&'static str] = &["arrow", "feather", "ipc", "arrows"];
    const HAS_COLUMNS: bool = true;

    fn recognise(beginning: Text<'_>) -> Recognition {
        // A stream begins with a mark and the length of the schema, which is no empty one.
        let stream = beginning.bytes.strip_prefix(&[0xff; 4]).and_then(|rest| rest.first_chunk());
        let is_stream = stream.is_some_and(|length| i32::from_le_bytes(*length) > 0);
        Recognition::certain_if(is_stream || beginning.bytes.starts_with(FILE_MARK))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let wrong = |error: ArrowError| text.error_of_file(error.to_string());
        let (wanted, batches) = guarded(text, || {
            let schema = schema(text.bytes).map_err(wrong)?;
            let wanted = Wanted::find(text, &schema, files.columns)?;
            let batches = batches(text.bytes, wanted.read.clone()).map_err(wrong)?;
            Ok((wanted, batches))
        })?;
        let first_rows = batches.iter().scan(1_u64, |row, batch| {
            let first = *row;
            *row += batch.num_rows() as u64;
            Some(first)
        });
        let numbered: Vec<(u64, &RecordBatch)> = first_rows.zip(&batches).collect();
        let pieces: Vec<Result<Ends<'_>>> = numbered
            .into_par_iter()
            .map(|(first_row, batch)| {
                guarded(text, || {
                    let mut ends = wanted.no_edges();
                    wanted.append(text, batch, first_row, &mut ends)?;
                    Ok(ends)
                })
            })
            .collect();
        let pieces = pieces.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(ends::load(text, pieces, Listing::Directed)?.from_table(wanted.described(), false))
    }
}

const FILE_MARK: &[u8] = b"ARROW1";

fn schema(bytes: &[u8]) -> Result<SchemaRef, ArrowError> {
    Ok(match bytes.starts_with(FILE_MARK) {
        true => FileReader::try_new(Cursor::new(bytes), None)?.schema(),
        false => StreamReader::try_new(Cursor::new(bytes), None)?.schema(),
    })
}

/// All batches, with these columns alone.
fn batches(bytes: &[u8], columns: Vec<usize>) -> Result<Vec<RecordBatch>, ArrowError> {
    match bytes.starts_with(FILE_MARK) {
        true => FileReader::try_new(Cursor::new(bytes), Some(columns))?.collect(),
        false => StreamReader::try_new(Cursor::new(bytes), Some(columns))?.collect(),
    }
}
