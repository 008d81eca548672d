//! Tables of measured levels as Parquet, without compression: the same columns as in CSV, the numbers as doubles.

use super::table::{NAMES, Row, Table, numbers};
use crate::{Error, Result};
use parquet::{
    basic::{ConvertedType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        reader::{FileReader, SerializedFileReader},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    record::RowAccessor,
    schema::types::Type,
};
use std::{fs::File, path::Path, sync::Arc};

pub(super) fn bytes(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema()?), Arc::default())?;
    let mut group = writer.next_row_group()?;
    let rows = &table.rows;
    let graphs: Vec<ByteArray> = rows.iter().map(|row| row.graph.as_str().into()).collect();
    column::<ByteArrayType>(&mut group, &graphs)?;
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
    let mut fields = vec![
        field(NAMES[0], Physical::BYTE_ARRAY, ConvertedType::UTF8)?,
        field(NAMES[1], Physical::INT64, ConvertedType::NONE)?,
        field(NAMES[2], Physical::INT32, ConvertedType::NONE)?,
    ];
    for name in numbers() {
        fields.push(field(&name, Physical::DOUBLE, ConvertedType::NONE)?);
    }
    Type::group_type_builder("levels").with_fields(fields).build()
}

pub(super) fn read(file: File, path: &Path, rows: &mut Vec<Row>) -> Result<()> {
    let wrong = |reason: String| Error::File { path: path.to_owned(), reason };
    let failed = |error: ParquetError| wrong(error.to_string());
    let reader = SerializedFileReader::new(file).map_err(failed)?;
    let columns = reader.metadata().file_metadata().schema_descr().columns().iter().map(|column| column.name());
    if !columns.eq(NAMES.into_iter().chain(numbers().iter().map(String::as_str))) {
        return Err(wrong("the columns are not those of `evenkeel measure-levels`".into()));
    }
    for row in reader.get_row_iter(None).map_err(failed)? {
        let row = row.map_err(failed)?;
        let values = (NAMES.len()..row.len()).map(|column| row.get_double(column)).collect::<Result<Vec<_>, _>>();
        let (graph, source, level) = (row.get_string(0), row.get_long(1), row.get_int(2));
        let graph = graph.map_err(failed)?.clone();
        let (source, level) = (source.map_err(failed)? as u64, level.map_err(failed)? as u32);
        let row = Row::of(graph, source, level, &values.map_err(failed)?);
        rows.push(row.ok_or_else(|| wrong("a number is not what it should be".into()))?);
    }
    Ok(())
}
