//! Several strategies for the same work, side by side: as a table, as CSV, and as JSON. A strategy that was refused has its place
//! among them, with the reason.

use super::{
    GraphReport, Report,
    summary::{rate, time},
    table::table,
};
use crate::{
    device::{DeviceInfo, memory::Bytes},
    graph::statistics::grouped,
};
use serde::Serialize;
use std::io;

/// What came of one strategy. In JSON, what was measured has the fields of a [`Report`] and `ratio`; what was refused has the
/// fields of a [`Refusal`].
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Entry {
    /// It ran.
    Measured(Box<Measurement>),
    /// It did not.
    Refused(Box<Refusal>),
}

/// A report, and how it compares.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// What was measured.
    #[serde(flatten)]
    pub report: Report,
    /// The median total over that of the fastest strategy whose answer is not wrong; none when there is no such strategy.
    pub ratio: Option<f64>,
    /// How many lines of code the strategy takes, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_of_code: Option<usize>,
}

/// A strategy that did not run.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The graph.
    pub graph: GraphReport,
    /// The device.
    pub device: DeviceInfo,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The strategy's or schedule's name.
    pub strategy: String,
    /// Why.
    pub refused: String,
}

/// Compares the strategies of one algorithm on one graph; `lines_of_code` says how many a strategy takes.
pub fn compare(outcomes: Vec<Result<Report, Refusal>>, lines_of_code: impl Fn(&str) -> Option<usize>) -> Vec<Entry> {
    let right = outcomes.iter().flatten().filter(|report| report.valid != Some(false));
    let best = right.map(|report| report.median.total_ms).min_by(f64::total_cmp);
    let entry = |outcome: Result<Report, Refusal>| match outcome {
        Ok(report) => {
            let ratio = best.map(|best| report.median.total_ms / best);
            let lines_of_code = lines_of_code(&report.strategy);
            Entry::Measured(Box::new(Measurement { report, ratio, lines_of_code }))
        }
        Err(refusal) => Entry::Refused(Box::new(refusal)),
    };
    outcomes.into_iter().map(entry).collect()
}

/// The strategies of one algorithm on one graph as a table, whose first column has the heading `choice`.
pub fn text(choice: &str, entries: &[Entry]) -> String {
    let any = |has: fn(&Measurement) -> bool| {
        entries.iter().any(|entry| matches!(entry, Entry::Measured(measurement) if has(measurement)))
    };
    let with_bytes = any(|measurement| measurement.report.gbytes_per_s.is_some());
    let with_colors = any(|measurement| measurement.report.colors.is_some());
    let with_lines = any(|measurement| measurement.lines_of_code.is_some());
    let mut headings = vec![choice, ">total ms", ">kernel ms", ">overhead ms", ">ratio", ">MTEPS"];
    headings.extend(with_bytes.then_some(">GB/s"));
    headings.extend([">memory", ">iterations"]);
    headings.extend(with_colors.then_some(">colours"));
    headings.extend(with_lines.then_some(">lines"));
    headings.push("valid");
    let columns = headings.len();
    table(&headings, entries.iter().map(|entry| entry.cells(columns)))
}

impl Entry {
    fn cells(&self, columns: usize) -> Vec<String> {
        match self {
            Self::Measured(measurement) => measurement.cells(),
            Self::Refused(refusal) => {
                let mut cells = vec![String::new(); columns];
                cells[0] = refusal.strategy.clone();
                cells[columns - 1] = format!("refused: {}", refusal.refused);
                cells
            }
        }
    }
}

impl Measurement {
    fn cells(&self) -> Vec<String> {
        let report = &self.report;
        let median = &report.median;
        let mut cells = vec![
            report.strategy.clone(),
            time(median.total_ms),
            time(median.kernel_ms),
            time(median.overhead_ms),
            self.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")),
            rate(report.mteps),
        ];
        cells.extend(report.gbytes_per_s.map(rate));
        cells.extend([Bytes(report.memory_bytes).to_string(), grouped(median.iterations.into())]);
        cells.extend(report.colors.map(|colors| grouped(colors.into())));
        cells.extend(self.lines_of_code.map(|lines| lines.to_string()));
        let valid = match report.valid {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "not checked",
        };
        cells.push(valid.to_owned());
        cells
    }
}

/// A line of CSV. What an entry lacks is empty.
#[derive(Default, Serialize)]
struct Row<'a> {
    graph: &'a str,
    nodes: u32,
    edges: u32,
    device: &'a str,
    algorithm: &'a str,
    strategy: &'a str,
    total_ms: Option<f64>,
    kernel_ms: Option<f64>,
    overhead_ms: Option<f64>,
    iterations: Option<u32>,
    ratio: Option<f64>,
    mteps: Option<f64>,
    gbytes_per_s: Option<f64>,
    memory_bytes: Option<u64>,
    lines_of_code: Option<usize>,
    colors: Option<u32>,
    valid: Option<bool>,
    /// The total of each run, in order, with spaces between.
    runs_ms: String,
    refused: &'a str,
}

/// Writes a line for each entry under a line with the columns' names.
///
/// # Errors
/// When writing fails.
pub fn write_csv(entries: &[Entry], writer: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    for entry in entries {
        writer.serialize(Row::of(entry)).map_err(io::Error::from)?;
    }
    writer.flush()
}

impl<'a> Row<'a> {
    fn of(entry: &'a Entry) -> Self {
        match entry {
            Entry::Refused(refusal) => Self {
                algorithm: refusal.algorithm,
                strategy: &refusal.strategy,
                refused: &refusal.refused,
                ..Self::about(&refusal.graph, &refusal.device)
            },
            Entry::Measured(entry) => {
                let Measurement { report, ratio, lines_of_code } = &**entry;
                let runs: Vec<String> = report.runs.iter().map(|run| run.total_ms.to_string()).collect();
                Self {
                    algorithm: report.algorithm,
                    strategy: &report.strategy,
                    total_ms: Some(report.median.total_ms),
                    kernel_ms: Some(report.median.kernel_ms),
                    overhead_ms: Some(report.median.overhead_ms),
                    iterations: Some(report.median.iterations),
                    ratio: *ratio,
                    mteps: Some(report.mteps),
                    gbytes_per_s: report.gbytes_per_s,
                    memory_bytes: Some(report.memory_bytes),
                    lines_of_code: *lines_of_code,
                    colors: report.colors,
                    valid: report.valid,
                    runs_ms: runs.join(" "),
                    ..Self::about(&report.graph, &report.device)
                }
            }
        }
    }

    fn about(graph: &'a GraphReport, device: &'a DeviceInfo) -> Self {
        Self { graph: &graph.name, nodes: graph.nodes, edges: graph.edges, device: &device.name, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{
        RunReport,
        tests::{example, product},
    };

    fn taking(total_ms: f64, report: Report) -> Report {
        let median = RunReport { total_ms, overhead_ms: total_ms - 1.5, ..report.median };
        Report { strategy: format!("in {total_ms}"), median, ..report }
    }

    /// The fastest is wrong, the slowest right, and one does not fit.
    fn entries(report: fn() -> Report) -> Vec<Entry> {
        let Report { graph, device, algorithm, .. } = report();
        let refused = "1.0 GiB of device memory needed, \"tiny\" has less".to_owned();
        let lines = |_: &str| (algorithm == "sssp").then_some(120);
        let outcomes = vec![
            Ok(taking(5.0, report())),
            Ok(Report { valid: Some(false), ..taking(2.0, report()) }),
            Ok(Report { valid: None, ..taking(4.0, report()) }),
            Err(Refusal { graph, device, algorithm, strategy: "large".into(), refused }),
        ];
        compare(outcomes, lines)
    }

    #[test]
    fn ratios_are_to_the_best_that_is_not_wrong() {
        let ratio = |entry: &Entry| match entry {
            Entry::Measured(entry) => entry.ratio,
            Entry::Refused(_) => None,
        };
        let ratios: Vec<_> = entries(example).iter().map(ratio).collect();
        assert_eq!(ratios, [Some(1.25), Some(0.5), Some(1.0), None]);
        let wrong = compare(vec![Ok(Report { valid: Some(false), ..example() })], |_| None);
        assert_eq!(ratio(&wrong[0]), None);
    }

    #[test]
    fn a_table_has_a_line_for_each() {
        let expected = "\
strategy  total ms  kernel ms  overhead ms  ratio  MTEPS   memory  iterations  lines  valid
in 5         5.000      1.500        3.500   1.25   9.50  3.0 MiB           8    120  ✓
in 2         2.000      1.500        0.500   0.50   9.50  3.0 MiB           8    120  ✗
in 4         4.000      1.500        2.500   1.00   9.50  3.0 MiB           8    120  not checked
large                                                                                 \
refused: 1.0 GiB of device memory needed, \"tiny\" has less
";
        assert_eq!(text("strategy", &entries(example)), expected);
        let heading = text("schedule", &entries(product)).lines().next().unwrap().to_owned();
        assert!(heading.starts_with("schedule  ") && heading.contains("  MTEPS  GB/s   memory  "), "{heading}");
    }

    #[test]
    fn csv_has_a_line_for_each_and_quotes_what_must_be() {
        let mut written = Vec::new();
        write_csv(&entries(product), &mut written).unwrap();
        let expected = "\
graph,nodes,edges,device,algorithm,strategy,total_ms,kernel_ms,overhead_ms,iterations,ratio,mteps,gbytes_per_s,\
memory_bytes,lines_of_code,colors,valid,runs_ms,refused
tiny,6000,20000,Imaginary 9000,spmv,in 5,5.0,1.5,3.5,8,1.25,9.5,2.5,3145728,,,true,4 2,
tiny,6000,20000,Imaginary 9000,spmv,in 2,2.0,1.5,0.5,8,0.5,9.5,2.5,3145728,,,false,4 2,
tiny,6000,20000,Imaginary 9000,spmv,in 4,4.0,1.5,2.5,8,1.0,9.5,2.5,3145728,,,,4 2,
tiny,6000,20000,Imaginary 9000,spmv,large,,,,,,,,,,,,,\"1.0 GiB of device memory needed, \"\"tiny\"\" has less\"
";
        assert_eq!(str::from_utf8(&written).unwrap(), expected);
    }

    #[test]
    fn json_has_reports_and_reasons() {
        let array = serde_json::to_value(entries(example)).unwrap();
        assert_eq!((&array[0]["ratio"], &array[0]["source"]), (&1.25.into(), &7.into()));
        assert_eq!(array[0]["lines_of_code"], 120);
        assert_eq!((&array[3]["strategy"], &array[3]["graph"]["name"]), (&"large".into(), &"tiny".into()));
        assert!(array[3]["refused"].as_str().unwrap().starts_with("1.0 GiB") && array[3].get("runs").is_none());
    }
}
