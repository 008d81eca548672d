//! Figures: the numbers that an algorithm states about an answer and that reports show without knowing what they mean.

use super::{Algorithm, Answer, Value};
use crate::graph::{Graph, statistics::grouped};
use rayon::prelude::*;
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

    /// The same figure, shown in the line of a summary that begins with `word`.
    pub fn in_line(self, word: &'static str, text: String) -> Self {
        Self { line: Some((word, text)), ..self }
    }

    /// The same figure with a column in comparisons.
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

/// What was measured, for an algorithm to state its figures from.
pub struct Outcome<'a, A: Algorithm> {
    /// The graph.
    pub graph: &'a Graph,
    /// What the algorithm was run on beside it.
    pub input: &'a A::Input,
    /// What was found.
    pub answer: &'a A::Answer,
    /// What the oracle found, where it was asked.
    pub reference: Option<&'a A::Reference>,
    /// The median time of a run in seconds.
    pub seconds: f64,
}

impl<A: Algorithm> Outcome<'_, A> {
    /// How far an algorithm came that begins at a node: its figures, and the edges that leave the nodes it reached.
    pub fn reach(&self) -> Figures {
        let (csr, columns) = (&self.graph.csr, self.answer.columns());
        // No value is less than any.
        let further = |a: Option<Value>, b: Option<Value>| if a > b { a } else { b };
        let of_node = |node: u32| match columns.first().and_then(|column| column.value(node as usize)) {
            Some(value) => (1, u64::from(csr.degree(node)), Some(value)),
            None => (0, 0, None),
        };
        let (reached, edges, furthest) = (0..csr.nodes())
            .into_par_iter()
            .map(of_node)
            .reduce(|| (0, 0, None), |a, b| (a.0 + b.0, a.1 + b.1, further(a.2, b.2)));
        let nodes = format!("{} of {} nodes", grouped(reached), grouped(csr.nodes().into()));
        let mut list = vec![
            Figure::new("reached", Value::Count(reached), "nodes").in_line("reached", nodes),
            Figure::new("reached_edges", Value::Count(edges), "edges"),
        ];
        list.extend(
            furthest
                .map(|value| Figure::new("furthest", value, "").in_line("reached", format!("the furthest at {value}"))),
        );
        Figures { edges, list }
    }
}
