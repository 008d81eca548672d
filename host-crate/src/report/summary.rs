//! A report as a person reads it: a handful of lines, each with a word in front that says what it is about.

use super::{Extent, Report};
use crate::{device::memory::Bytes, graph::statistics::grouped};
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |label: &str, text: String| writeln!(f, "{label:<10}{text}");
        line("graph", self.graph.to_string())?;
        line("device", format!("{} ({})", self.device.name, self.device.kind))?;
        let from = self.extent.map_or(String::new(), |extent| format!("from node {} ", extent.source));
        line(self.algorithm, format!("{from}with {} {}", self.choice, self.strategy))?;
        if let Some(extent) = &self.extent {
            line("reached", extent.text(self.graph.nodes))?;
        }
        if let Some(colors) = self.colors {
            line("colours", colors_text(colors, self.sequential_colors))?;
        }
        line("time", self.time_text())?;
        line("rate", self.rate_text())?;
        line("memory", format!("{} on the device", Bytes(self.memory_bytes)))?;
        line("valid", validity(self.valid).to_owned())
    }
}

impl Extent {
    fn text(&self, nodes: u32) -> String {
        let furthest = self.furthest.map_or(String::new(), |value| format!(", the furthest at {value}"));
        format!("{} of {} nodes{furthest}", grouped(self.reached), grouped(nodes.into()))
    }
}

impl Report {
    fn rate_text(&self) -> String {
        let bytes = self.gbytes_per_s.map_or(String::new(), |bytes| format!(", {} GB/s", rate(bytes)));
        format!("{} MTEPS{bytes}", rate(self.mteps))
    }

    fn time_text(&self) -> String {
        let median = &self.median;
        let of = match self.runs.len() {
            1 => "in 1 run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        format!(
            "{} ms {of} (kernels {} ms, overhead {} ms), {} iteration{}",
            time(median.total_ms),
            time(median.kernel_ms),
            time(median.overhead_ms),
            grouped(median.iterations.into()),
            if median.iterations == 1 { "" } else { "s" }
        )
    }
}

fn colors_text(colors: u32, sequential: Option<u32>) -> String {
    let beside = sequential.map_or(String::new(), |colors| {
        format!(", where a sequential greedy colouring takes {}", grouped(colors.into()))
    });
    format!("{}{beside}", grouped(colors.into()))
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
    use crate::report::tests::{example, product};

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
        let coloring = Report { extent: None, colors: Some(17), ..example() };
        assert!(coloring.to_string().contains("\ncolours   17\n"), "{coloring}");
        let beside = Report { sequential_colors: Some(1600), ..coloring }.to_string();
        assert!(beside.contains("\ncolours   17, where a sequential greedy colouring takes 1,600\n"), "{beside}");
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!([0.123, 9.5, 12.34, 123.4, 98_765.4].map(rate), ["0.12", "9.50", "12.3", "123", "98,765"]);
    }
}
