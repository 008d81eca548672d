//! Edges from the columns of Arrow's record batches, for Parquet and Arrow files: the ends are whole numbers of any width or text, also
//! encoded by a dictionary; the weights are numbers. Nothing is made of single rows.

use super::{
    Listing, Loaded,
    batch::Batch,
    columns::{self, Columns, Positions},
    ends::{self, Ends, canonical},
    lines::{Text, shown},
    names::PieceNames,
    rounding::Unit,
    weight::Weight,
};
use arrow_array::{
    Array, ArrowPrimitiveType, RecordBatch,
    cast::AsArray,
    types::{
        Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
        UInt64Type,
    },
};
use arrow_schema::{DataType, Schema};
use evenkeel_base::Result;
use evenkeel_graph::EdgeWeights;
use std::{borrow::Cow, mem};

/// Which columns of a table to read.
pub(super) struct Wanted {
    /// Their places in the table.
    pub positions: Positions,
    /// The places in ascending order, without repetition, as the batches have their columns.
    pub read: Vec<usize>,
    names: Vec<String>,
}

impl Wanted {
    /// Finds them by their names, or as the user says.
    pub fn find(text: Text<'_>, schema: &Schema, columns: Option<&Columns>) -> Result<Self> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let positions = columns::resolve(columns, &names).map_err(|reason| text.error_of_file(reason))?;
        let mut read = vec![positions.source, positions.target];
        read.extend(positions.weight);
        read.sort_unstable();
        read.dedup();
        Ok(Self { positions, read, names })
    }

    /// How they are described to a user.
    fn described(&self) -> super::Table {
        self.positions.described(None, Some(&self.names))
    }

    /// No edges yet.
    pub fn no_edges(&self) -> Ends<'static> {
        let weights = self.positions.weight.map_or(EdgeWeights::None, |_| EdgeWeights::U32(Vec::new()));
        Ends::Numbers(Batch::new(0, weights).with_places_in(Unit::Row))
    }

    /// Makes a graph of the edges of all pieces of the table.
    pub fn load(&self, text: Text<'_>, pieces: Vec<Result<Ends<'_>>>) -> Result<Loaded> {
        let pieces = pieces.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(ends::load(text, pieces, Listing::Directed)?.with_table(self.described(), false))
    }

    /// Adds the edges of a batch, whose first row is number `first_row` of the table, counted from 1.
    pub fn append(&self, text: Text<'_>, batch: &RecordBatch, first_row: u64, ends: &mut Ends<'static>) -> Result<()> {
        let column = |position: usize| {
            let place = self.read.iter().position(|read| *read == position).unwrap_or_default();
            let name = shown(self.names[position].as_bytes());
            let array = batch.columns().get(place).ok_or_else(|| text.error_of_file("a column is missing"))?;
            if let Some(row) = (0..array.len()).find(|row| array.null_count() > 0 && array.is_null(*row)) {
                let row = first_row + row as u64;
                return Err(text.error_of_file(format!("row {row} has nothing in the column '{name}'")));
            }
            Ok((array, name))
        };
        let ids = |position: usize| {
            let (array, name) = column(position)?;
            IdColumn::new(array).ok_or_else(|| {
                let kind = array.data_type();
                text.error_of_file(format!("the column '{name}' is of the type {kind}, not whole numbers or text"))
            })
        };
        let (sources, targets) = (ids(self.positions.source)?, ids(self.positions.target)?);
        if let Some(position) = self.positions.weight {
            let (array, name) = column(position)?;
            push_weights(array, first_row as usize, ends)
                .map_err(|reason| text.error_of_file(format!("the column '{name}': {reason}")))?;
        }
        if let (IdColumn::Numbers(sources), IdColumn::Numbers(targets), Ends::Numbers(batch)) =
            (&sources, &targets, &mut *ends)
        {
            batch.sources.extend_from_slice(sources);
            batch.targets.extend_from_slice(targets);
            return Ok(());
        }
        ends.become_names();
        if let Ends::Names(names, batch) = ends {
            sources.append(names, &mut batch.sources);
            targets.append(names, &mut batch.targets);
        }
        Ok(())
    }
}

/// The number of the first row of each piece, counted from 1, where pieces have so many rows.
pub(super) fn first_rows(rows: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    rows.scan(1_u64, |next, rows| Some(mem::replace(next, next.saturating_add(rows))))
}

/// A column of ids.
enum IdColumn<'a> {
    Numbers(Vec<u64>),
    /// Names, and for each row which one it has; row by row where that is not said.
    Names(Vec<Cow<'a, str>>, Option<Vec<usize>>),
}

impl<'a> IdColumn<'a> {
    /// The ids of an array without nulls, unless it holds something else.
    fn new(array: &'a dyn Array) -> Option<Self> {
        if let DataType::Dictionary(..) = array.data_type() {
            let array = array.as_any_dictionary();
            let keys = array.normalized_keys();
            return Some(match Self::new(array.values().as_ref())? {
                Self::Numbers(values) => Self::Numbers(keys.into_iter().map(|key| values[key]).collect()),
                Self::Names(values, None) => Self::of_names(values, Some(keys)),
                // A dictionary of a dictionary.
                Self::Names(..) => return None,
            });
        }
        let names: Vec<Cow<'a, str>> = match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().iter().map(|text| text.unwrap_or_default().into()).collect(),
            DataType::LargeUtf8 => {
                array.as_string::<i64>().iter().map(|text| text.unwrap_or_default().into()).collect()
            }
            DataType::Utf8View => array.as_string_view().iter().map(|text| text.unwrap_or_default().into()).collect(),
            _ => return whole_ids(array),
        };
        Some(Self::of_names(names, None))
    }

    /// Names, or the numbers that all those that occur are.
    fn of_names(names: Vec<Cow<'a, str>>, keys: Option<Vec<usize>>) -> Self {
        let number = |name: &Cow<'_, str>| canonical(name.as_bytes());
        let numbers: Option<Vec<u64>> = match &keys {
            None => names.iter().map(number).collect(),
            Some(keys) => {
                let numbers: Vec<Option<u64>> = names.iter().map(number).collect();
                keys.iter().map(|key| numbers[*key]).collect()
            }
        };
        numbers.map_or_else(|| Self::Names(names, keys), Self::Numbers)
    }

    /// Adds the numbers that the names have in a piece.
    fn append(self, names: &mut PieceNames<'static>, numbers: &mut Vec<u32>) {
        let mut number = |name: &str| match names.known(name.as_bytes()) {
            Some(number) => number,
            // A string is UTF-8, so that the default is never taken.
            None => names.number(Cow::Owned(name.as_bytes().to_vec())).unwrap_or_default(),
        };
        match self {
            Self::Numbers(column) => numbers.extend(column.iter().map(|id| number(&id.to_string()))),
            Self::Names(values, None) => numbers.extend(values.iter().map(|name| number(name))),
            Self::Names(values, Some(keys)) => {
                // Values that no row has are no nodes.
                let mut of_values = vec![None; values.len()];
                numbers.extend(keys.iter().map(|key| *of_values[*key].get_or_insert_with(|| number(&values[*key]))));
            }
        }
    }
}

/// The values of an array of numbers as others, if it is one.
fn values<T: ArrowPrimitiveType, V>(array: &dyn Array, into: impl Fn(T::Native) -> V) -> Option<Vec<V>> {
    Some(array.as_primitive_opt::<T>()?.values().iter().map(|value| into(*value)).collect())
}

fn whole_ids(array: &dyn Array) -> Option<IdColumn<'_>> {
    let signed = match array.data_type() {
        DataType::UInt8 => return values::<UInt8Type, _>(array, u64::from).map(IdColumn::Numbers),
        DataType::UInt16 => return values::<UInt16Type, _>(array, u64::from).map(IdColumn::Numbers),
        DataType::UInt32 => return values::<UInt32Type, _>(array, u64::from).map(IdColumn::Numbers),
        DataType::UInt64 => return values::<UInt64Type, _>(array, |id| id).map(IdColumn::Numbers),
        DataType::Int8 => values::<Int8Type, _>(array, i64::from)?,
        DataType::Int16 => values::<Int16Type, _>(array, i64::from)?,
        DataType::Int32 => values::<Int32Type, _>(array, i64::from)?,
        DataType::Int64 => values::<Int64Type, _>(array, |id| id)?,
        _ => return None,
    };
    Some(match signed.iter().any(|id| *id < 0) {
        false => IdColumn::Numbers(signed.into_iter().map(|id| id as u64).collect()),
        true => IdColumn::Names(signed.iter().map(|id| id.to_string().into()).collect(), None),
    })
}

/// Adds the numbers of an array without nulls to the weights. The first is that of row `row`.
fn push_weights(array: &dyn Array, row: usize, ends: &mut Ends<'_>) -> Result<(), String> {
    let mut whole = |numbers: Option<Vec<i128>>| {
        let numbers = numbers.into_iter().flatten().zip(row..);
        numbers.for_each(|(number, row)| ends.push_weight(Weight::of_whole(number), row));
        Ok(())
    };
    match array.data_type() {
        DataType::Int8 => whole(values::<Int8Type, _>(array, i128::from)),
        DataType::Int16 => whole(values::<Int16Type, _>(array, i128::from)),
        DataType::Int32 => whole(values::<Int32Type, _>(array, i128::from)),
        DataType::Int64 => whole(values::<Int64Type, _>(array, i128::from)),
        DataType::UInt8 => whole(values::<UInt8Type, _>(array, i128::from)),
        DataType::UInt16 => whole(values::<UInt16Type, _>(array, i128::from)),
        DataType::UInt32 => whole(values::<UInt32Type, _>(array, i128::from)),
        DataType::UInt64 => whole(values::<UInt64Type, _>(array, i128::from)),
        DataType::Float32 => push_reals(values::<Float32Type, _>(array, f64::from), row, ends),
        DataType::Float64 => push_reals(values::<Float64Type, _>(array, |number| number), row, ends),
        other => Err(format!("its type is {other}, not numbers")),
    }
}

fn push_reals(numbers: Option<Vec<f64>>, row: usize, ends: &mut Ends<'_>) -> Result<(), String> {
    for (number, row) in numbers.into_iter().flatten().zip(row..) {
        ends.push_weight(Weight::of_real(number).map_err(|reason| format!("row {row}: {reason}"))?, row);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::testing::edges_of, *};
    use arrow_array::{ArrayRef, Float64Array, Int64Array};
    use std::sync::Arc;

    /// What is said of a table with these weights in two batches, or why it is refused.
    fn remark(batches: [ArrayRef; 2]) -> Result<Option<String>, String> {
        let text = Text { path: "test".as_ref(), bytes: b"" };
        let batches = batches.map(|weights| {
            let ends: ArrayRef = Arc::new(Int64Array::from_iter_values(0..weights.len() as i64));
            RecordBatch::try_from_iter([("u", ends.clone()), ("v", ends), ("w", weights)]).unwrap()
        });
        let wanted = Wanted::find(text, &batches[0].schema(), None).unwrap();
        let rows = first_rows(batches.iter().map(|batch| batch.num_rows() as u64));
        let pieces = rows.zip(&batches).map(|(row, batch)| {
            let mut ends = wanted.no_edges();
            wanted.append(text, batch, row, &mut ends).map(|()| ends)
        });
        let loaded = wanted.load(text, pieces.collect()).map_err(|error| error.to_string())?;
        Ok(edges_of(loaded).weight_remark)
    }

    #[test]
    fn what_weights_lose_is_said_with_the_row() {
        let reals = |reals: &[f64]| -> ArrayRef { Arc::new(Float64Array::from(reals.to_vec())) };
        let whole = |whole: &[i64]| -> ArrayRef { Arc::new(Int64Array::from(whole.to_vec())) };
        let rounded =
            |row: u32| Ok(Some(format!("test: row {row}: the weight 16777217 is read as 16777216, a 32-bit real")));
        assert_eq!(remark([reals(&[1.0, 0.1]), reals(&[2.0])]), Ok(None));
        assert_eq!(remark([reals(&[1.0, 0.1]), reals(&[16_777_217.0])]), rounded(3));
        assert_eq!(remark([whole(&[1, 16_777_217]), whole(&[-1])]), rounded(2));
        assert_eq!(remark([whole(&[1, 16_777_217]), whole(&[1])]), Ok(None));
        let zero = remark([reals(&[1.0, 0.0]), reals(&[1e-50])]).unwrap().unwrap();
        assert!(zero.starts_with("test: row 3: the weight is not 0 and read as 0"), "{zero}");
        let error = remark([reals(&[1.0]), reals(&[1e39])]).unwrap_err();
        assert!(error.starts_with("test: the column 'w': row 2: the weight '1"), "{error}");
    }
}
