//! Figures: numbers about an answer, which reports show without knowing what they mean.

use crate::{algorithm::Value, numerals::grouped};
use serde::{Serialize, Serializer};

/// A number worth showing.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name in JSON and CSV.
    pub name: &'static str,
    /// The number.
    pub value: Value,
    /// What it is counted in; empty where the name says that.
    pub unit: &'static str,
    /// Where a summary shows it: the word at the beginning of the line, and the text. Texts of the same word share a line.
    pub line: Option<(&'static str, String)>,
    /// The heading of its column in a comparison, where it has one.
    pub column: Option<&'static str>,
}

impl Figure {
    /// A figure that only programs read.
    pub fn new(name: &'static str, value: Value, unit: &'static str) -> Self {
        Self { name, value, unit, line: None, column: None }
    }

    /// Shows the figure in the line of the summary that begins with `word`.
    pub fn in_line(self, word: &'static str, text: String) -> Self {
        Self { line: Some((word, text)), ..self }
    }

    /// Gives the figure a column in comparisons.
    pub fn in_column(self, heading: &'static str) -> Self {
        Self { column: Some(heading), ..self }
    }

    /// The bytes that any computation of the answer must read and write, over the time it took, in 10⁹ a second.
    pub fn gbytes_per_second(bytes: u64, seconds: f64) -> Self {
        let rate = bytes as f64 / (seconds * 1e9);
        Self::new("gbytes_per_s", Value::Double(rate), "GB/s")
            .in_line("rate", format!("{} GB/s", three_digits(rate)))
            .in_column("GB/s")
    }
}

/// A rate with about three digits.
pub fn three_digits(rate: f64) -> String {
    match rate {
        rate if rate < 10.0 => format!("{rate:.2}"),
        rate if rate < 100.0 => format!("{rate:.1}"),
        rate => grouped(rate.round() as u64),
    }
}

/// A number with about four digits, where its size does not matter as much as its digits.
pub fn four_digits(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size.is_finite() && (1e-3..1e6).contains(&size) => {
            let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
            format!("{number:.decimals$}")
        }
        _ => format!("{number:.3e}"),
    }
}

/// All figures of a run. In JSON they are fields of the report itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The edges that were traversed, each as often as it was: the rate in edges a second follows from it.
    pub edges: u64,
    /// The others.
    pub list: Vec<Figure>,
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.list.iter().map(|figure| (figure.name, figure.value)))
    }
}
