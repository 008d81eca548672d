//! Tables of measured levels as Parquet, compressed by zstd: the same columns as in CSV, the numbers as doubles.

use super::table::{Row, TEXTS, Table, WHOLE, check_columns, numbers};
use evenkeel::{Error, Result, graph::formats::guarded};
use parquet::{
    basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        properties::{EnabledStatistics, WriterProperties},
        reader::{FileReader, SerializedFileReader},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    record::RowAccessor,
    schema::types::Type,
};
use std::{fs::File, path::Path, sync::Arc};

pub(super) fn bytes(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let compression = Compression::ZSTD(ZstdLevel::try_new(19)?);
    // The numbers of a table are few, so that statistics of each column would be a good part of the file.
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_created_by("evenkeel".into())
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema()?), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let rows = &table.rows;
    let texts: [fn(&Row) -> &str; 3] = [|row| &row.graph, |row| &row.collection, |row| &row.device];
    for text in texts {
        column::<ByteArrayType>(&mut group, &rows.iter().map(|row| text(row).into()).collect::<Vec<ByteArray>>())?;
    }
    // Ids and levels come back as they went: both variants keep the bits.
    column::<Int64Type>(&mut group, &rows.iter().map(|row| row.source as i64).collect::<Vec<_>>())?;
    column::<Int32Type>(&mut group, &rows.iter().map(|row| row.level as i32).collect::<Vec<_>>())?;
    let values: Vec<Vec<f64>> = rows.iter().map(|row| row.numbers().collect()).collect();
    for number in 0..numbers().len() {
        column::<DoubleType>(&mut group, &values.iter().map(|row| row[number]).collect::<Vec<_>>())?;
    }
    group.close()?;
    writer.into_inner()
}

fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn schema() -> Result<Type, ParquetError> {
    let field = |name: &str, physical, converted| {
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        builder.with_converted_type(converted).build().map(Arc::new)
    };
    let mut fields = Vec::new();
    for name in TEXTS {
        fields.push(field(name, Physical::BYTE_ARRAY, ConvertedType::UTF8)?);
    }
    fields.push(field(WHOLE[0], Physical::INT64, ConvertedType::NONE)?);
    fields.push(field(WHOLE[1], Physical::INT32, ConvertedType::NONE)?);
    for name in numbers() {
        fields.push(field(&name, Physical::DOUBLE, ConvertedType::NONE)?);
    }
    Type::group_type_builder("levels").with_fields(fields).build()
}

/// Reads a file and adds its rows.
pub(super) fn read(file: File, path: &Path, rows: &mut Vec<Row>) -> Result<()> {
    rows.extend(guarded(path, || read_rows(file, path))?);
    Ok(())
}

fn read_rows(file: File, path: &Path) -> Result<Vec<Row>> {
    let wrong = |reason: String| Error::File { path: path.to_owned(), reason };
    let failed = |error: ParquetError| wrong(error.to_string());
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let columns = reader.metadata().file_metadata().schema_descr().columns().iter().map(|column| column.name());
    check_columns(columns).map_err(wrong)?;
    let mut rows = Vec::new();
    for (number, row) in reader.get_row_iter(None).map_err(failed)?.enumerate() {
        let row = row.map_err(failed)?;
        let text = |column: usize| row.get_string(column).cloned().map_err(failed);
        let texts = [text(0)?, text(1)?, text(2)?];
        let (source, level) = (row.get_long(3).map_err(failed)? as u64, row.get_int(4).map_err(failed)? as u32);
        let values = (TEXTS.len() + WHOLE.len()..row.len()).map(|column| row.get_double(column));
        let row = Row::of(texts, source, level, &values.collect::<Result<Vec<_>, _>>().map_err(failed)?);
        rows.push(row.map_err(|reason| wrong(format!("row {}: {reason}", number + 1)))?);
    }
    Ok(rows)
}
