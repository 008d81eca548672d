//! Several strategies for the same work, side by side: as a table, as CSV, and as JSON. A strategy that was refused has its place
//! among them, with the reason.

use super::table::table;
use evenkeel::report::{GraphReport, Report, shown::three_digits, summary::time};
use evenkeel::{
    algorithm::Value,
    device::{DeviceInfo, memory::Bytes},
    graph::statistics::bar_of,
    numerals::grouped,
};
use serde::Serialize;
use std::{fmt::Display, io};

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

/// Compares the strategies of one algorithm on one graph.
pub fn compare(outcomes: Vec<Result<Report, Refusal>>) -> Vec<Entry> {
    let right = outcomes.iter().flatten().filter(|report| report.valid != Some(false));
    let best = right.map(|report| report.median.total_ms).min_by(f64::total_cmp);
    let entry = |outcome: Result<Report, Refusal>| match outcome {
        Ok(report) => {
            let ratio = best.map(|best| report.median.total_ms / best);
            Entry::Measured(Box::new(Measurement { report, ratio }))
        }
        Err(refusal) => Entry::Refused(Box::new(refusal)),
    };
    outcomes.into_iter().map(entry).collect()
}

/// The strategies of one algorithm on one graph as a table, whose first column has the heading `alternative`.
pub fn text(alternative: &str, entries: &[Entry]) -> String {
    let figures = figures(entries);
    let of_figures: Vec<String> = figures.iter().map(|(_, heading)| format!(">{heading}")).collect();
    let mut headings = vec![alternative, ">total ms", "", ">kernel ms", ">overhead ms", ">ratio", ">MTEPS"];
    headings.extend(of_figures.iter().map(String::as_str));
    headings.extend([">memory", ">iterations", "valid"]);
    let columns = headings.len();
    let slowest = entries.iter().filter_map(Entry::report).map(|report| report.median.total_ms).fold(0.0, f64::max);
    table(&headings, entries.iter().map(|entry| entry.cells(columns, &figures, slowest)))
}

/// The names and headings of the figures that have a column, in the order in which they first appear.
fn figures(entries: &[Entry]) -> Vec<(&'static str, &'static str)> {
    let mut columns = Vec::new();
    for figure in entries.iter().filter_map(Entry::report).flat_map(|report| &report.figures.list) {
        if let Some(heading) = figure.column
            && !columns.contains(&(figure.name, heading))
        {
            columns.push((figure.name, heading));
        }
    }
    columns
}

impl Entry {
    /// What was measured, if it ran.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Self::Measured(measurement) => Some(&measurement.report),
            Self::Refused(_) => None,
        }
    }

    fn cells(&self, columns: usize, figures: &[(&str, &str)], slowest: f64) -> Vec<String> {
        match self {
            Self::Measured(measurement) => measurement.cells(figures, slowest),
            Self::Refused(refusal) => {
                let mut cells = vec![String::new(); columns];
                cells[0] = refusal.strategy.clone();
                cells[columns - 1] = format!("refused: {}", refusal.refused);
                cells
            }
        }
    }
}

/// The length of the slowest strategy's bar.
const BAR: usize = 12;

impl Measurement {
    fn figure(&self, name: &str) -> Option<Value> {
        self.report.figures.list.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }

    fn cells(&self, figures: &[(&str, &str)], slowest: f64) -> Vec<String> {
        let report = &self.report;
        let median = &report.median;
        let bar = bar_of(median.total_ms / slowest, BAR);
        let mut cells = vec![report.strategy.clone(), time(median.total_ms), bar];
        cells.extend([median.kernel_ms, median.overhead_ms].map(time));
        cells.extend([given(self.ratio.map(|ratio| format!("{ratio:.2}"))), three_digits(report.mteps)]);
        cells.extend(figures.iter().map(|(name, _)| given(self.figure(name).map(cell))));
        cells.extend([Bytes(report.memory_bytes).to_string(), grouped(median.iterations.into())]);
        let valid = match report.valid {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "not checked",
        };
        cells.push(valid.to_owned());
        cells
    }
}

/// A figure in a table: whole numbers in groups of three digits, others as rates are.
fn cell(value: Value) -> String {
    match value {
        Value::Whole(number) => grouped(number.into()),
        Value::Count(number) => grouped(number),
        Value::Real(number) => three_digits(number.into()),
        Value::Double(number) => three_digits(number),
        Value::Truth(holds) => holds.to_string(),
    }
}

/// Writes a line for each entry under a line with the columns' names; fails only when `writer` does. What an entry lacks is empty.
pub fn write_csv(entries: &[Entry], writer: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    let figures = figures(entries);
    let before = ["graph", "nodes", "edges", "device", "algorithm", "strategy", "total_ms", "kernel_ms", "overhead_ms"];
    let between = ["iterations", "ratio", "mteps"];
    let after = ["memory_bytes", "valid", "runs_ms", "refused"];
    let names = figures.iter().map(|(name, _)| *name);
    writer.write_record(before.into_iter().chain(between).chain(names).chain(after))?;
    for entry in entries {
        writer.write_record(entry.record(&figures))?;
    }
    writer.flush()
}

impl Entry {
    fn record(&self, figures: &[(&str, &str)]) -> Vec<String> {
        let about = |graph: &GraphReport, device: &DeviceInfo, algorithm: &str, strategy: &str| {
            let (nodes, edges) = (graph.nodes.to_string(), graph.edges.to_string());
            vec![graph.name.clone(), nodes, edges, device.name.clone(), algorithm.to_owned(), strategy.to_owned()]
        };
        match self {
            Self::Refused(refusal) => {
                let mut record = about(&refusal.graph, &refusal.device, refusal.algorithm, &refusal.strategy);
                // Six numbers about the runs, the figures, and memory, validity and runs.
                record.resize(record.len() + 6 + figures.len() + 3, String::new());
                record.push(refusal.refused.clone());
                record
            }
            Self::Measured(entry) => {
                let Measurement { report, ratio } = &**entry;
                let mut record = about(&report.graph, &report.device, report.algorithm, &report.strategy);
                let median = &report.median;
                // As in JSON, a real number always shows that it is one.
                let real = |number: f64| format!("{number:?}");
                record.extend([median.total_ms, median.kernel_ms, median.overhead_ms].map(real));
                record.extend([median.iterations.to_string(), given(ratio.map(real)), real(report.mteps)]);
                let text = |value| match value {
                    Value::Double(number) => real(number),
                    other => other.to_string(),
                };
                record.extend(figures.iter().map(|(name, _)| given(entry.figure(name).map(text))));
                let runs: Vec<String> = report.runs.iter().map(|run| run.total_ms.to_string()).collect();
                record.extend([report.memory_bytes.to_string(), given(report.valid)]);
                record.extend([runs.join(" "), String::new()]);
                record
            }
        }
    }
}

/// The text of a value, if there is one.
fn given(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{example, product};
    use evenkeel::report::RunReport;

    fn taking(total_ms: f64, report: Report) -> Report {
        let median = RunReport { total_ms, overhead_ms: total_ms - 1.5, ..report.median };
        Report { strategy: format!("in {total_ms}"), median, ..report }
    }

    /// The fastest is wrong, the slowest right, and one does not fit.
    fn entries(report: fn() -> Report) -> Vec<Entry> {
        let Report { graph, device, algorithm, .. } = report();
        let refused = "1.0 GiB of device memory needed, \"tiny\" has less".to_owned();
        let outcomes = vec![
            Ok(taking(5.0, report())),
            Ok(Report { valid: Some(false), ..taking(2.0, report()) }),
            Ok(Report { valid: None, ..taking(4.0, report()) }),
            Err(Refusal { graph, device, algorithm, strategy: "large".into(), refused }),
        ];
        compare(outcomes)
    }

    #[test]
    fn ratios_are_to_the_best_that_is_not_wrong() {
        let ratio = |entry: &Entry| match entry {
            Entry::Measured(entry) => entry.ratio,
            Entry::Refused(_) => None,
        };
        let ratios: Vec<_> = entries(example).iter().map(ratio).collect();
        assert_eq!(ratios, [Some(1.25), Some(0.5), Some(1.0), None]);
        let wrong = compare(vec![Ok(Report { valid: Some(false), ..example() })]);
        assert_eq!(ratio(&wrong[0]), None);
    }

    #[test]
    fn a_table_has_a_line_for_each() {
        let expected = "\
strategy  total ms                kernel ms  overhead ms  ratio  MTEPS   memory  iterations  valid
in 5         5.000  ████████████      1.500        3.500   1.25   9.50  3.0 MiB           8  ✓
in 2         2.000  ████▊             1.500        0.500   0.50   9.50  3.0 MiB           8  ✗
in 4         4.000  █████████▋        1.500        2.500   1.00   9.50  3.0 MiB           8  not checked
large                                                                                        \
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
memory_bytes,valid,runs_ms,refused
tiny,6000,20000,Imaginary 9000,spmv,in 5,5.0,1.5,3.5,8,1.25,9.5,2.5,3145728,true,4 2,
tiny,6000,20000,Imaginary 9000,spmv,in 2,2.0,1.5,0.5,8,0.5,9.5,2.5,3145728,false,4 2,
tiny,6000,20000,Imaginary 9000,spmv,in 4,4.0,1.5,2.5,8,1.0,9.5,2.5,3145728,,4 2,
tiny,6000,20000,Imaginary 9000,spmv,large,,,,,,,,,,,\"1.0 GiB of device memory needed, \"\"tiny\"\" has less\"
";
        assert_eq!(str::from_utf8(&written).unwrap(), expected);
    }

    #[test]
    fn json_has_reports_and_reasons() {
        let array = serde_json::to_value(entries(example)).unwrap();
        assert_eq!((&array[0]["ratio"], &array[0]["source"]), (&1.25.into(), &7.into()));
        assert_eq!((&array[3]["strategy"], &array[3]["graph"]["name"]), (&"large".into(), &"tiny".into()));
        assert!(array[3]["refused"].as_str().unwrap().starts_with("1.0 GiB") && array[3].get("runs").is_none());
    }
}
