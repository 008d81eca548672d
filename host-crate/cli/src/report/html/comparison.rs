//! The page of a comparison: for each algorithm on each graph a bar for every strategy, with the range of its runs.

use super::{Axis, Cell, Chart, Data, Page, Point, Section, Series};
use crate::report::comparison::{Entry, Measurement};
use evenkeel::{
    device::DeviceInfo,
    report::{GraphReport, Report},
};

/// The page of the entries of a comparison, those of one algorithm on one graph after those of another.
pub fn page(entries: &[Entry], version: &str) -> Page {
    let blocks: Vec<&[Entry]> = entries.chunk_by(|a, b| a.subject() == b.subject()).collect();
    let mut algorithms = Vec::new();
    for (algorithm, _) in entries.iter().map(Entry::subject) {
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    let graphs = match blocks[..] {
        [block] => block.first().map_or(String::new(), |entry| entry.subject().1.name.clone()),
        _ => format!("{} graphs", blocks.len().div_ceil(algorithms.len().max(1))),
    };
    let mut page = Page::new(format!("Comparison of {} on {graphs}", algorithms.join(", ")), version);
    if let Some(DeviceInfo { name, kind, .. }) = entries.first().map(Entry::device) {
        page = page.fact("device", format!("{name} ({kind})"));
    }
    let runs = entries.iter().filter_map(Entry::report).map(|report| report.runs.len()).max().unwrap_or(0);
    page =
        page.fact("runs", format!("{runs}; bars are medians, and lines over them go from the fastest to the slowest"));
    // One picture of all graphs comes first where there are several, so that it is the one that stands for the page.
    if (2..=COLOURS).contains(&blocks.len()) && algorithms.len() == 1 {
        let series = blocks
            .iter()
            .filter_map(|block| Some(Series { name: block.first()?.subject().1.name.clone(), points: points(block) }));
        page = page.section(Section::new("All graphs").chart(&chart("Median time on each graph", series.collect())));
    }
    blocks.iter().fold(page, |page, block| page.section(section(block)))
}

/// The most graphs in one picture.
const COLOURS: usize = 8;

fn chart(title: &str, series: Vec<Series>) -> Chart {
    let y = Axis::log("total time in ms (log)");
    Chart::bars(title, y, series)
}

/// A bar for each strategy that ran, with the range of its runs.
fn points(entries: &[Entry]) -> Vec<Point> {
    let point = |measurement: &Measurement| {
        let (low, high) = range(&measurement.report);
        let point = Point::named(&measurement.report.strategy, measurement.report.median.total_ms).between(low, high);
        Point { best: is_best(measurement), ..point }
    };
    entries.iter().filter_map(Entry::measurement).map(point).collect()
}

/// Whether no other that is right is faster.
fn is_best(measurement: &Measurement) -> bool {
    measurement.ratio == Some(1.0) && measurement.report.valid != Some(false)
}

fn range(report: &Report) -> (f64, f64) {
    let times = report.runs.iter().map(|run| run.total_ms);
    (times.clone().fold(f64::INFINITY, f64::min), times.fold(0.0, f64::max))
}

fn section(entries: &[Entry]) -> Section {
    let Some((algorithm, graph)) = entries.first().map(Entry::subject) else { return Section::default() };
    let alternative = entries.iter().find_map(Entry::report).map_or("strategy", |report| report.alternative);
    let headings =
        [alternative, "median ms", "fastest ms", "slowest ms", "ratio", "kernel ms", "overhead ms", "MTEPS", "memory"];
    let headings = [&headings[..], &["iterations", "valid"]].concat();
    let mut data = Data::new(&headings).rows(entries.iter().map(|entry| row(entry, headings.len())));
    let best = |entry: &Entry| entry.measurement().is_some_and(is_best);
    data.best = (0..entries.len()).filter(|number| best(&entries[*number])).collect();
    let title = format!("{algorithm} on {}", graph.name);
    let series = Series { name: graph.name.clone(), points: points(entries) };
    Section::new(&title).text(graph.to_string()).chart(&chart(&title, vec![series])).data(data)
}

fn row(entry: &Entry, columns: usize) -> Vec<Cell> {
    let mut row = match entry {
        Entry::Measured(measurement) => {
            let Measurement { report, ratio } = &**measurement;
            let (low, high) = range(report);
            let valid = match report.valid {
                Some(true) => "✓",
                Some(false) => "✗ wrong",
                None => "not checked",
            };
            let mut row = vec![Cell::text(&report.strategy)];
            row.extend([report.median.total_ms, low, high].map(|time| Cell::real(time, 3)));
            row.push(Cell::maybe(*ratio, |ratio| Cell::real(ratio, 2)));
            row.extend([report.median.kernel_ms, report.median.overhead_ms].map(|time| Cell::real(time, 3)));
            row.push(Cell::real(report.mteps, 2));
            row.push(Cell::bytes(report.memory_bytes));
            row.extend([Cell::whole(report.median.iterations), Cell::text(valid)]);
            row
        }
        Entry::Refused(refusal) => vec![Cell::text(&refusal.strategy)],
    };
    row.resize(columns, Cell::text(""));
    if let Entry::Refused(refusal) = entry {
        row[columns - 1] = Cell::text(format!("refused: {}", refusal.refused));
    }
    row
}

impl Entry {
    fn measurement(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) => Some(measurement),
            Self::Refused(_) => None,
        }
    }

    /// The algorithm and the graph.
    fn subject(&self) -> (&'static str, &GraphReport) {
        match self {
            Self::Measured(it) => (it.report.algorithm, &it.report.graph),
            Self::Refused(it) => (it.algorithm, &it.graph),
        }
    }

    fn device(&self) -> &DeviceInfo {
        match self {
            Self::Measured(it) => &it.report.device,
            Self::Refused(it) => &it.device,
        }
    }
}
