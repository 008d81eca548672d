//! A report as a person reads it: a handful of lines, each with a word in front that says what it is about.

use super::Report;
use crate::{device::memory::Bytes, graph::statistics::grouped};
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |label: &str, text: String| writeln!(f, "{label:<10}{text}");
        line("graph", self.graph.to_string())?;
        line("device", format!("{} ({})", self.device.name, self.device.kind))?;
        line(self.algorithm, format!("from node {} with strategy {}", self.source, self.strategy))?;
        line("reached", self.reached_text())?;
        line("time", self.time_text())?;
        line("rate", format!("{} MTEPS", rate(self.mteps)))?;
        line("memory", format!("{} on the device", Bytes(self.memory_bytes)))?;
        line("valid", validity(self.valid).to_owned())
    }
}

impl Report {
    fn reached_text(&self) -> String {
        let furthest = self.furthest.map_or(String::new(), |value| format!(", the furthest at {value}"));
        format!("{} of {} nodes{furthest}", grouped(self.reached), grouped(self.graph.nodes.into()))
    }

    fn time_text(&self) -> String {
        let median = &self.median;
        let of = match self.runs.len() {
            1 => "in 1 run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        format!(
            "{} ms {of} (kernels {} ms, overhead {} ms), {} iterations",
            time(median.total_ms),
            time(median.kernel_ms),
            time(median.overhead_ms),
            grouped(median.iterations.into())
        )
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

/// A rate with about three digits.
pub fn rate(rate: f64) -> String {
    match rate {
        rate if rate < 10.0 => format!("{rate:.2}"),
        rate if rate < 100.0 => format!("{rate:.1}"),
        rate => grouped(rate.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::example;

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
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!([0.123, 9.5, 12.34, 123.4, 98_765.4].map(rate), ["0.12", "9.50", "12.3", "123", "98,765"]);
    }
}
