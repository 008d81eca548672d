//! Edges in Parquet files (`.parquet`), an edge a row. Columns are found by their names, or told; only those that are needed are read, row
//! groups in parallel.

use super::{
    ends::Ends,
    guard::guarded,
    prelude::*,
    table::{Wanted, first_rows},
};
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder},
};
use rayon::prelude::*;
use std::{fmt::Display, sync::Arc};

pub(super) struct Parquet;

impl FileFormat for Parquet {
    const NAME: &'static str = "parquet";
    const ABOUT: &'static str = "a Parquet table with an edge a row; read only";
    const EXTENSIONS: &'static [&'static str] = &["parquet", "pq"];
    const HAS_COLUMNS: bool = true;

    fn recognise(beginning: Text<'_>) -> Recognition {
        Recognition::certain_if(beginning.bytes.starts_with(b"PAR1"))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let bytes = files.main.contents.into_bytes();
        let text = Text { path: files.main.path, bytes: &bytes };
        let wrong = |error: &dyn Display| text.error_of_file(error.to_string());
        let (metadata, wanted) = guarded(text.path, || {
            let metadata =
                ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).map_err(|error| wrong(&error))?;
            let wanted = Wanted::find(text, metadata.schema(), files.columns)?;
            Ok((with_dictionaries(metadata, &wanted), wanted))
        })?;
        let rows = metadata.metadata().row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        let groups: Vec<(usize, u64)> = first_rows(rows).enumerate().collect();
        let pieces: Vec<Result<Ends<'_>>> = groups
            .into_par_iter()
            .map(|(group, first_row)| {
                guarded(text.path, || read_group(text, &bytes, &metadata, &wanted, group, first_row))
            })
            .collect();
        wanted.load(text, pieces)
    }
}

/// Rows that are decoded at a time: enough that the cost of a batch does not show, and few enough that it stays in the cache.
const ROWS: usize = 1 << 15;

/// Text that names nodes is read as a dictionary, as most files hold it, so that a name is looked up once and not for every row.
fn with_dictionaries(metadata: ArrowReaderMetadata, wanted: &Wanted) -> ArrowReaderMetadata {
    let ends = [wanted.positions.source, wanted.positions.target];
    let fields = metadata.schema().fields().iter().enumerate().map(|(place, field)| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if ends.contains(&place) => {
            let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            Arc::new(field.as_ref().clone().with_data_type(dictionary))
        }
        _ => field.clone(),
    });
    let schema = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata.schema().metadata().clone()));
    let options = ArrowReaderOptions::new().with_schema(schema);
    // Where a file cannot be read so, it is read as it is.
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).unwrap_or(metadata)
}

fn read_group(
    text: Text<'_>,
    bytes: &Bytes,
    metadata: &ArrowReaderMetadata,
    wanted: &Wanted,
    group: usize,
    mut row: u64,
) -> Result<Ends<'static>> {
    let wrong = |error: &dyn Display| text.error_of_file(error.to_string());
    let columns = ProjectionMask::roots(metadata.parquet_schema(), wanted.read.iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
        .with_projection(columns)
        .with_row_groups(vec![group])
        .with_batch_size(ROWS)
        .build()
        .map_err(|error| wrong(&error))?;
    let mut ends = wanted.no_edges();
    ends.reserve(usize::try_from(metadata.metadata().row_group(group).num_rows()).unwrap_or(0));
    for batch in reader {
        let batch = batch.map_err(|error| wrong(&error))?;
        wanted.append(text, &batch, row, &mut ends)?;
        row = row.saturating_add(batch.num_rows() as u64);
    }
    Ok(ends)
}
