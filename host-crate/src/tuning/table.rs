//! A table of measured levels: a row for each level of each search, with what was known of it and the time of every variant. It is
//! kept as CSV, or as Parquet where a file's name ends so; both have the same columns.

use super::parquet;
use crate::strategy::adaptive::{Feature, Features, Variant};
use crate::{Error, Result};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

/// A level, timed in every variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The graph's name.
    pub graph: String,
    /// The id of the node at which the search began.
    pub source: u64,
    /// The level, from 0 on.
    pub level: u32,
    /// What was known of it.
    pub features: Features,
    /// What each of [`Variant::all`] took.
    pub microseconds: Vec<f64>,
    /// What of the variant that goes on in the same dispatch is not the level's, where the frontier is for it.
    pub dispatch: f64,
}

/// The measured times of all variants, a row for each level of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its rows; those of a search follow each other, in the order of the levels.
    pub rows: Vec<Row>,
}

/// Columns before the features: the graph, the source, the level.
pub(super) const NAMES: [&str; 3] = ["graph", "source", "level"];

pub(super) fn numbers() -> Vec<String> {
    let features = Feature::ALL.iter().map(|feature| feature.name().to_owned());
    features.chain(Variant::all().iter().map(Variant::to_string)).chain(["dispatch".to_owned()]).collect()
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

impl Row {
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.features.0.iter().chain(&self.microseconds).chain([&self.dispatch]).copied()
    }

    /// The row with these numbers, if there are as many as it has columns.
    pub(super) fn of(graph: String, source: u64, level: u32, numbers: &[f64]) -> Option<Self> {
        let (features, times) = numbers.split_at_checked(Feature::COUNT)?;
        let (&dispatch, microseconds) = times.split_last()?;
        let features = Features(features.try_into().ok()?);
        let right = microseconds.len() == Variant::all().len() && numbers.iter().all(|number| *number >= 0.0);
        right.then(|| Self { graph, source, level, features, microseconds: microseconds.to_vec(), dispatch })
    }
}

impl Table {
    /// Writes it in the format that the file's name asks for; fails only when `writer` does.
    pub fn write(&self, path: &Path, writer: &mut dyn Write) -> io::Result<()> {
        if is_parquet(path) {
            writer.write_all(&parquet::bytes(self).map_err(io::Error::other)?)
        } else {
            self.write_csv(writer)
        }
    }

    fn write_csv(&self, writer: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(NAMES.iter().map(|name| (*name).to_owned()).chain(numbers()))?;
        for row in &self.rows {
            let names = [row.graph.clone(), row.source.to_string(), row.level.to_string()];
            csv.write_record(names.into_iter().chain(row.numbers().map(|number| number.to_string())))?;
        }
        csv.flush()
    }

    /// Reads a file and adds its rows; fails when it cannot be read or is no such table, with the line if it is CSV.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let file = File::open(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        if is_parquet(path) { parquet::read(file, path, &mut self.rows) } else { self.read_csv(file, path) }
    }

    fn read_csv(&mut self, file: File, path: &Path) -> Result<()> {
        let wrong = |line: u64, reason: String| Error::Line { path: path.to_owned(), line, reason };
        let mut reader = csv::Reader::from_reader(file);
        let headings = reader.headers().map_err(|error| wrong(1, error.to_string()))?;
        if !headings.iter().eq(NAMES.into_iter().chain(numbers().iter().map(String::as_str))) {
            return Err(wrong(1, "the columns are not those of `evenkeel measure-levels`".into()));
        }
        let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
        for record in reader.records() {
            let record = record.map_err(|error| wrong(line(error.position()), error.to_string()))?;
            let refused = || wrong(line(record.position()), "a field is not the number it should be".into());
            self.rows.push(row(&record).ok_or_else(refused)?);
        }
        Ok(())
    }
}

fn row(record: &csv::StringRecord) -> Option<Row> {
    let numbers: Vec<f64> = record.iter().skip(NAMES.len()).map(|text| text.parse().ok()).collect::<Option<_>>()?;
    Row::of(record.get(0)?.to_owned(), record.get(1)?.parse().ok()?, record.get(2)?.parse().ok()?, &numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn table() -> Table {
        let row = |graph: &str, source, level| Row {
            graph: graph.into(),
            source,
            level,
            features: Features(std::array::from_fn(|feature| feature as f64 / 3.0)),
            microseconds: (0..Variant::all().len()).map(|variant| 1.5 + variant as f64).collect(),
            dispatch: 0.75,
        };
        Table { rows: vec![row("a, \"b\"", 7, 0), row("a, \"b\"", 7, 1), row("road", u64::MAX >> 1, 3000)] }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["levels.csv", "levels.parquet", "levels"] {
            let path = folder.path().join(name);
            table().write(&path, &mut File::create(&path).unwrap()).unwrap();
            let mut read = Table::default();
            read.read(&path).unwrap();
            assert_eq!(read, table(), "{name}");
        }
        assert_eq!(&fs::read(folder.path().join("levels.parquet")).unwrap()[..4], b"PAR1");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            let error = Table::default().read(&path).unwrap_err().to_string();
            error.rsplit('/').next().unwrap().to_owned()
        };
        let mut text = Vec::new();
        table().write_csv(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(refused("a.csv", "graph,source\nroad,1\n").starts_with("a.csv:1: the columns are not"));
        assert!(refused("b.csv", &text.replace("road,", "road,x")).starts_with("b.csv:4: a field is not"));
        assert!(refused("c.csv", &text.replace(",3000,", ",")).starts_with("c.csv:4: "));
        assert!(refused("d.csv", &text.replace(",1.5,", ",NaN,")).starts_with("d.csv:2: "));
        assert!(refused("e.parquet", &text).starts_with("e.parquet: "));
    }
}
