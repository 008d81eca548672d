//! A table of measured levels: a row for each level of each search, with what was known of it and the time of every variant. It is
//! kept as CSV, or as Parquet where a file's name ends so; both have the same columns. A table of an older version, which has fewer, is
//! refused: what it lacks was not measured.

use super::parquet;
use evenkeel::strategy::adaptive::{Feature, Features, Variant};
use evenkeel::{Error, Result};
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
    /// Where the graph is from: the family of a generator, or the folder of a file.
    pub collection: String,
    /// The name of the device that it was measured on.
    pub device: String,
    /// The id of the node at which the search began.
    pub source: u64,
    /// The level, from 0 on.
    pub level: u32,
    /// What was known of it.
    pub features: Features,
    /// The time of each of [`Variant::all`].
    pub microseconds: Vec<f64>,
    /// The part of that time that the variant spends on later levels of the same dispatch, where the frontier suits it.
    pub dispatch: f64,
}

/// The measured times of all variants, a row for each level of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its rows; those of a search follow each other, in the order of the levels.
    pub rows: Vec<Row>,
}

/// Columns of text, which come first.
pub(super) const TEXTS: [&str; 3] = ["graph", "collection", "device"];
/// Columns of whole numbers, which follow.
pub(super) const WHOLE: [&str; 2] = ["source", "level"];

/// The names of the other columns.
pub(super) fn numbers() -> Vec<String> {
    let features = Feature::ALL.iter().map(|feature| feature.name().to_owned());
    features.chain(Variant::all().iter().map(Variant::to_string)).chain(["dispatch".to_owned()]).collect()
}

/// Refuses a table with other columns, and says what the first difference is.
pub(super) fn check_columns<'a>(found: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let found: Vec<&str> = found.collect();
    let expected: Vec<String> = TEXTS.iter().chain(&WHOLE).map(|name| (*name).to_owned()).chain(numbers()).collect();
    if found == expected {
        return Ok(());
    }
    let missing = expected.iter().find(|name| !found.contains(&name.as_str()));
    let detail = missing.map_or("there are others".into(), |name| format!("there is no {name}"));
    Err(format!("the columns are not those of this version's `evenkeel-papers measure-levels`: {detail}"))
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

impl Row {
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.features.0.iter().chain(&self.microseconds).chain([&self.dispatch]).copied()
    }

    /// The row with these numbers, one for each column; an error is the reason why they are none of a level.
    pub(super) fn of(texts: [String; 3], source: u64, level: u32, values: &[f64]) -> Result<Self, String> {
        let variants = Variant::all().len();
        if values.len() != Feature::COUNT + variants + 1 {
            return Err(format!(
                "there are {} numbers, and columns for {}",
                values.len(),
                Feature::COUNT + variants + 1
            ));
        }
        // A time that is infinite would make every tree as bad as any other.
        if let Some(wrong) = values.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(format!("{} is {}, which is no number from 0 on", numbers()[wrong], values[wrong]));
        }
        let [graph, collection, device] = texts;
        let (features, times) = values.split_at(Feature::COUNT);
        let (microseconds, dispatch) = times.split_at(variants);
        Ok(Self {
            graph,
            collection,
            device,
            source,
            level,
            features: Features(std::array::from_fn(|feature| features[feature])),
            microseconds: microseconds.to_vec(),
            dispatch: dispatch[0],
        })
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
        csv.write_record(TEXTS.iter().chain(&WHOLE).map(|name| (*name).to_owned()).chain(numbers()))?;
        for row in &self.rows {
            let texts = [row.graph.clone(), row.collection.clone(), row.device.clone()];
            let whole = [row.source.to_string(), row.level.to_string()];
            csv.write_record(texts.into_iter().chain(whole).chain(row.numbers().map(|number| number.to_string())))?;
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
        check_columns(headings.iter()).map_err(|reason| wrong(1, reason))?;
        let line = |position: Option<&csv::Position>| position.map_or(1, csv::Position::line);
        for record in reader.records() {
            let record = record.map_err(|error| wrong(line(error.position()), error.to_string()))?;
            self.rows.push(row(&record).map_err(|reason| wrong(line(record.position()), reason))?);
        }
        Ok(())
    }
}

fn row(record: &csv::StringRecord) -> Result<Row, String> {
    let (texts, rest) = (TEXTS.len(), TEXTS.len() + WHOLE.len());
    let field = |column: usize| record.get(column).unwrap_or_default();
    let not_whole =
        |column: usize| format!("{} is '{}', which is no whole number", WHOLE[column - texts], field(column));
    let source = field(texts).parse().map_err(|_| not_whole(texts))?;
    let level = field(texts + 1).parse().map_err(|_| not_whole(texts + 1))?;
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("'{text}' is no number"));
    let values: Vec<f64> = record.iter().skip(rest).map(number).collect::<Result<_, _>>()?;
    Row::of([0, 1, 2].map(|column| field(column).to_owned()), source, level, &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::generate::random::mix;
    use std::fs;

    fn table() -> Table {
        let row = |graph: &str, source, level| Row {
            graph: graph.into(),
            collection: "some".into(),
            device: "a device".into(),
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
        assert!(refused("a.csv", "graph,source\nroad,1\n").ends_with("there is no collection"));
        assert!(refused("a.csv", &text.replace("in-degree-min", "else")).ends_with("there is no in-degree-min"));
        assert!(
            refused("b.csv", &text.replace("road,some,a device,", "road,some,a device,x"))
                .starts_with("b.csv:4: source is 'x")
        );
        assert!(refused("c.csv", &text.replace(",3000,", ",")).starts_with("c.csv:4: "));
        assert!(refused("d.csv", &text.replace(",1.5,", ",NaN,")).starts_with("d.csv:2: "));
        assert!(refused("d.csv", &text.replace(",1.5,", ",x,")).starts_with("d.csv:2: 'x' is no number"));
        // Times that overflow are infinite, as are those that say so.
        for infinite in ["inf", "1e999", "-inf"] {
            let text = text.replacen(",1.5,", &format!(",{infinite},"), 1);
            assert!(refused("f.csv", &text).starts_with("f.csv:2: edge-list atomic is "), "{infinite}");
        }
        assert!(refused("e.parquet", &text).starts_with("e.parquet: "));
    }

    #[test]
    fn an_infinite_time_in_parquet_is_said_with_its_row() {
        let (folder, mut table) = (tempfile::tempdir().unwrap(), table());
        table.rows[1].microseconds[2] = f64::INFINITY;
        let path = folder.path().join("levels.parquet");
        table.write(&path, &mut File::create(&path).unwrap()).unwrap();
        let error = Table::default().read(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("levels.parquet: row 2: edge-list workgroup is inf, which is no number from 0 on"),
            "{error}"
        );
    }

    #[test]
    fn a_damaged_file_is_an_error_whatever_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["levels.parquet", "levels.csv"] {
            let path = folder.path().join(name);
            table().write(&path, &mut File::create(&path).unwrap()).unwrap();
            let whole = fs::read(&path).unwrap();
            let mut refused = 0;
            for number in 0..4000 {
                let (mut bytes, place) = (whole.clone(), mix(number) as usize % whole.len());
                match number % 4 {
                    0 => bytes[place] ^= 1 << (number / 4 % 8),
                    1 => bytes[place] = (mix(number) >> 56) as u8,
                    2 => bytes.truncate(place),
                    _ => drop(bytes.splice(place..(place + 4).min(whole.len()), [0xff; 4])),
                }
                fs::write(&path, bytes).unwrap();
                match Table::default().read(&path) {
                    Err(error) if error.exit_status() == 3 => refused += 1,
                    Err(error) => panic!("{name}, {number}: {error}"),
                    Ok(()) => {}
                }
            }
            assert!(refused > 1000, "{name}: {refused} of 4000");
        }
    }
}
