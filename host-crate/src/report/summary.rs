//! A report as a person reads it: a handful of lines, each with a word in front that says what it is about.

use super::{
    Report, RunReport,
    shown::{Cell, Figures, FoundPath, Histogram, Listing, Summary, ValueBin, four_digits, three_digits},
};
use crate::{
    algorithm::Value,
    device::memory::Bytes,
    graph::statistics::bar,
    numerals::{counted, grouped},
};
use std::{fmt, iter};

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |label: &str, text: String| writeln!(f, "{label:<9} {text}");
        line("graph", self.graph.to_string())?;
        line("device", format!("{} ({})", self.device.name, self.device.kind))?;
        let from = self.source.as_ref().map_or(String::new(), |source| format!("from node {source} "));
        let chosen = self.method.as_ref().map_or(String::new(), |method| format!(", which chose {method}"));
        let ordered = self.ordered_by.map_or(String::new(), |by| format!(", nodes ordered by {by}"));
        line(self.algorithm, format!("{from}with {} {}{chosen}{ordered}", self.alternative, self.strategy))?;
        let (rates, figures): (Vec<_>, Vec<_>) =
            self.lines_of_figures().into_iter().partition(|(word, _)| *word == RATE);
        for (word, text) in figures {
            line(word, text)?;
        }
        for (word, text) in self.answer.as_ref().map_or(Vec::new(), Summary::lines) {
            line(word, text)?;
        }
        line("time", self.time_text())?;
        let more: String = rates.into_iter().map(|(_, text)| format!(", {text}")).collect();
        line(RATE, format!("{} MTEPS{more}", three_digits(self.mteps)))?;
        line("memory", format!("{} on the device", Bytes(self.memory_bytes)))?;
        line("valid", validity(self.valid).to_owned())
    }
}

/// The word of the line with the rate, to which figures can add.
const RATE: &str = "rate";

impl Report {
    /// The lines of figures: a word, and the texts of all figures that name it.
    #[doc(hidden)]
    pub fn lines_of_figures(&self) -> Vec<(&'static str, String)> {
        figure_lines(&self.figures, self.answer.as_ref())
    }

    fn time_text(&self) -> String {
        let RunReport { total_ms, kernel_ms, overhead_ms, iterations, streamed_bytes } = self.median;
        let of = match self.runs.len() {
            1 => "in 1 run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        let [total, kernels, overhead] = [total_ms, kernel_ms, overhead_ms].map(time);
        let iterations = counted(iterations.into(), "iteration");
        let streamed = match streamed_bytes {
            0 => String::new(),
            bytes => format!(", streamed {} ({:.1} GB/s)", Bytes(bytes), bytes as f64 / total_ms / 1e6),
        };
        format!("{total} ms {of} (kernels {kernels} ms, overhead {overhead} ms), {iterations}{streamed}")
    }
}

/// The lines of figures, and of the numbers of what is shown: a word, and the texts of all that name it.
pub(super) fn figure_lines(figures: &Figures, answer: Option<&Summary>) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    let numbers = answer.into_iter().flat_map(|answer| &answer.numbers);
    for (word, text) in figures.list.iter().chain(numbers).filter_map(|figure| figure.line.as_ref()) {
        match lines.iter_mut().find(|(known, _)| known == word) {
            Some((_, line)) => *line = format!("{line}, {text}"),
            None => lines.push((word, text.clone())),
        }
    }
    lines
}

impl Summary {
    /// The lines of what is shown beside the numbers, the first of each block with a word in front of it.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let histogram = self.histogram.as_ref().map(|histogram| ("spread", histogram.lines()));
        let top = self.top.as_ref().map(|top| (top.word, top.lines()));
        let path = self.path.as_ref().map(|path| ("path", path.lines()));
        let block = |(word, lines): (&'static str, Vec<String>)| iter::once(word).chain(iter::repeat("")).zip(lines);
        [histogram, top, path].into_iter().flatten().flat_map(block).collect()
    }
}

impl Histogram {
    fn lines(&self) -> Vec<String> {
        let label = |bin: &ValueBin| match bin.from == bin.to {
            true => number(bin.from),
            false => format!("{} – {}", number(bin.from), number(bin.to)),
        };
        let most = self.bins.iter().map(|bin| bin.nodes).max().unwrap_or(0);
        let head = [self.name, "nodes", ""].map(str::to_owned).to_vec();
        let row = |bin: &ValueBin| vec![label(bin), grouped(bin.nodes), bar(bin.nodes, most)];
        aligned(iter::once(head).chain(self.bins.iter().map(row)).collect(), 2)
    }
}

impl Listing {
    fn lines(&self) -> Vec<String> {
        let text = |cell: &Cell| match cell {
            Cell::Node(name) => name.to_string(),
            Cell::Value(value) => value.to_string(),
        };
        let head = self.columns.iter().map(|name| (*name).to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(text).collect());
        aligned(iter::once(head).chain(rows).collect(), self.columns.len())
    }
}

/// The most nodes of a path that a person is shown; a program gets all of them.
const PATH_SHOWN: usize = 40;
/// Where the lines of a path end.
const PATH_WIDTH: usize = 90;

impl FoundPath {
    /// The path in a few lines, the middle of a long one left out.
    #[doc(hidden)]
    pub fn lines(&self) -> Vec<String> {
        let Some(length) = self.length.filter(|_| !self.nodes.is_empty()) else {
            return vec![format!("no path found to node {}", self.target)];
        };
        let mut words: Vec<String> = self.nodes.iter().map(ToString::to_string).collect();
        if words.len() > PATH_SHOWN {
            let between = PATH_SHOWN / 2..words.len() - PATH_SHOWN / 2;
            let more = format!("… {} more …", grouped(between.len() as u64));
            words.splice(between, [more]);
        }
        let mut lines = vec![words.remove(0)];
        for word in words {
            match lines.last_mut() {
                Some(line) if line.chars().count() + word.chars().count() < PATH_WIDTH => {
                    *line += &format!(" → {word}")
                }
                _ => lines.push(format!("→ {word}")),
            }
        }
        let edges = self.nodes.len().saturating_sub(1);
        lines.push(format!("length {length}, {}", counted(edges as u64, "edge")));
        lines
    }
}

/// The edge of a bin.
fn number(value: Value) -> String {
    match value {
        Value::Whole(number) => grouped(number.into()),
        Value::Count(number) => grouped(number),
        Value::Real(_) | Value::Truth(_) => value.to_string(),
        Value::Double(number) => four_digits(number),
    }
}

/// Cells in columns, of which the first so many end at the right.
fn aligned(rows: Vec<Vec<String>>, right: usize) -> Vec<String> {
    let count = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let cell = |(column, text): (usize, &String)| match column < right {
        true => format!("{text:>width$}", width = widths[column]),
        false => text.clone(),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}

pub(super) fn validity(valid: Option<bool>) -> &'static str {
    match valid {
        Some(true) => "✓ every value agrees with the sequential oracle",
        Some(false) => "✗ the answer is wrong",
        None => "not checked (--validate does)",
    }
}

/// Milliseconds, to the microsecond.
pub fn time(milliseconds: f64) -> String {
    format!("{milliseconds:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        algorithm::Value,
        graph::NodeName,
        report::{
            shown::Figure,
            testing::{example, product},
        },
    };

    #[test]
    fn a_report_is_a_few_lines() {
        let expected = "\
graph     tiny: 6,000 nodes, 20,000 directed edges, u32 weights, 2 self-loops dropped
device    Imaginary 9000 (discrete GPU)
sssp      from node 7 with strategy node
reached   5,000 of 6,000 nodes, the furthest at 2.5
time      2.000 ms median of 2 runs (kernels 1.500 ms, overhead 0.500 ms), 8 iterations
rate      9.50 MTEPS
memory    3.0 MiB on the device
valid     ✓ every value agrees with the sequential oracle
";
        assert_eq!(example().to_string(), expected);
        let text = product().to_string();
        assert!(text.contains("\nspmv      with schedule merge-path\ntime      2.000 ms"), "{text}");
        assert!(text.contains("\nrate      9.50 MTEPS, 2.50 GB/s\n"), "{text}");
        let figure = |value, text: &str| Figure::new("hues", value, "").in_line("colours", text.into());
        let list = vec![figure(Value::Whole(17), "17"), figure(Value::Whole(9), "where another takes 9")];
        let text = Report { source: None, figures: Figures { edges: 1, list }, ..example() }.to_string();
        assert!(text.contains("\nsssp      with strategy node\ncolours   17, where another takes 9\ntime"), "{text}");
    }

    #[test]
    fn the_answer_comes_before_the_time() {
        let name = |number| NodeName::Number(number);
        let bin = |from, to, nodes| ValueBin { from: Value::Whole(from), to: Value::Whole(to), nodes };
        let row = |node, value| vec![Cell::Node(name(node)), Cell::Value(Value::Whole(value))];
        let answer = Summary {
            numbers: vec![Figure::new("mean", Value::Double(0.5), "").in_line("means", "mean 0.5".into())],
            histogram: Some(Histogram { name: "distance", bins: vec![bin(0, 999, 20), bin(1000, 1999, 5)] }),
            top: Listing::new("furthest", vec!["node", "distance"], vec![row(12, 1500), row(3, 7)]),
            path: Some(FoundPath {
                target: name(12),
                length: Some(Value::Whole(1500)),
                nodes: (0..100).map(name).collect(),
            }),
        };
        let object = serde_json::to_value(Report { answer: Some(answer.clone()), ..example() }).unwrap();
        let answer_object = &object["answer"];
        assert_eq!((&answer_object["mean"], &answer_object["path"]["nodes"][99]), (&0.5.into(), &99.into()));
        assert_eq!(
            answer_object["top"],
            serde_json::json!([{"node": 12, "distance": 1500}, {"node": 3, "distance": 7}])
        );
        assert_eq!(answer_object["histogram"][1], serde_json::json!({"from": 1000, "to": 1999, "nodes": 5}));
        let method = Some("near-far".to_owned());
        let text = Report { answer: Some(answer), method, strategy: "auto".into(), ..example() }.to_string();
        let expected = "\
sssp      from node 7 with strategy auto, which chose near-far
reached   5,000 of 6,000 nodes, the furthest at 2.5
means     mean 0.5
spread         distance  nodes
                0 – 999     20  ████████████████████████████████████████
          1,000 – 1,999      5  ██████████
furthest  node  distance
            12      1500
             3         7
path      0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10 → 11 → 12 → 13 → 14 → 15 → 16 → 17 → 18 → 19
          → … 60 more … → 80 → 81 → 82 → 83 → 84 → 85 → 86 → 87 → 88 → 89 → 90 → 91 → 92 → 93 → 94
          → 95 → 96 → 97 → 98 → 99
          length 1500, 99 edges
time ";
        assert!(text.contains(expected), "{text}");
        let path = FoundPath { target: name(5), length: None, nodes: Vec::new() };
        let answer = Some(Summary { path: Some(path), ..Summary::default() });
        assert!(Report { answer, ..example() }.to_string().contains("\npath      no path found to node 5\n"));
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!([0.123, 9.5, 12.34, 123.4, 98_765.4].map(three_digits), ["0.12", "9.50", "12.3", "123", "98,765"]);
    }
}
