//! A report as a person reads it: a handful of lines, each with a word in front that says what it is about.

use super::{Report, RunReport};
use crate::{algorithm::three_digits, device::memory::Bytes, graph::statistics::grouped};
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |label: &str, text: String| writeln!(f, "{label:<10}{text}");
        line("graph", self.graph.to_string())?;
        line("device", format!("{} ({})", self.device.name, self.device.kind))?;
        let from = self.source.as_ref().map_or(String::new(), |source| format!("from node {source} "));
        line(self.algorithm, format!("{from}with {} {}", self.alternative, self.strategy))?;
        let (rates, figures): (Vec<_>, Vec<_>) =
            self.lines_of_figures().into_iter().partition(|(word, _)| *word == RATE);
        for (word, text) in figures {
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
    fn lines_of_figures(&self) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&'static str, String)> = Vec::new();
        for (word, text) in self.figures.list.iter().filter_map(|figure| figure.line.as_ref()) {
            match lines.iter_mut().find(|(known, _)| known == word) {
                Some((_, line)) => *line = format!("{line}, {text}"),
                None => lines.push((word, text.clone())),
            }
        }
        lines
    }

    fn time_text(&self) -> String {
        let RunReport { total_ms, kernel_ms, overhead_ms, iterations } = self.median;
        let of = match self.runs.len() {
            1 => "in 1 run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        let [total, kernels, overhead] = [total_ms, kernel_ms, overhead_ms].map(time);
        let (count, plural) = (grouped(iterations.into()), if iterations == 1 { "" } else { "s" });
        format!("{total} ms {of} (kernels {kernels} ms, overhead {overhead} ms), {count} iteration{plural}")
    }
}

fn validity(valid: Option<bool>) -> &'static str {
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
        algorithm::{Figure, Figures, Value},
        report::tests::{example, product},
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
    fn rates_have_about_three_digits() {
        assert_eq!([0.123, 9.5, 12.34, 123.4, 98_765.4].map(three_digits), ["0.12", "9.50", "12.3", "123", "98,765"]);
    }
}
