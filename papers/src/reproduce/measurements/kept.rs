//! Tables of what no experiment measures: figures of processors, of reading files and of other programs, from files beside the results.

use super::super::{finding::Part, results::Results};
use crate::tuning::geometric_mean;
use evenkeel_cli::report::html::{Cell, Data, axis::short};
use serde_json::Value;

fn number(value: f64) -> Cell {
    Cell::Number(short(value), value)
}

fn array<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value[name].as_array().into_iter().flatten()
}

fn words<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// The least of a list of times, in which a time may be an object of times by setting.
fn least(times: &Value) -> Option<f64> {
    match times {
        Value::Array(times) => times.iter().filter_map(least).reduce(f64::min),
        Value::Object(times) => times.values().filter_map(least).reduce(f64::min),
        time => time.as_f64(),
    }
}

/// The machine and the commands of a file of results.
fn commands(file: &Value) -> String {
    let commands: Vec<String> = array(file, "commands").filter_map(Value::as_str).map(|it| format!("`{it}`")).collect();
    format!("On {}; {}. Commands: {}.", words(file, "machine"), words(file, "what"), commands.join(", "))
}

/// What the suite takes and what we take: the kernel's name there, our algorithm, and both their fields in the file.
type Kernel = (&'static str, &'static str, &'static str, &'static str);

/// The kernels of the two files.
pub const SEARCHES: [Kernel; 3] = [
    ("bfs", "bfs", "gap_bfs_ms", "bfs_ms"),
    ("sssp", "sssp", "gap_sssp_ms", "sssp_ms"),
    ("pr", "pagerank", "gap_pagerank_ms", "pagerank_ms"),
];
pub const STRUCTURE: [Kernel; 3] = [
    ("cc", "components", "gap_cc_ms", "components_ms"),
    ("bc", "betweenness", "gap_bc_ms", "betweenness_ms"),
    ("tc", "triangles", "gap_tc_ms", "triangles_ms"),
];

/// A cell of these tables.
pub struct Pair {
    /// On how many threads.
    pub threads: u64,
    /// On which graph.
    pub graph: String,
    /// Our algorithm.
    pub algorithm: &'static str,
    /// The suite's milliseconds.
    pub suite: f64,
    /// Ours.
    pub own: f64,
}

/// All pairs of times of the suite and of ours.
pub fn pairs(results: &Results) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (name, kernels) in [("cpu-gapbs", SEARCHES), ("cpu-gapbs-structure", STRUCTURE)] {
        for run in results.file(name).into_iter().flat_map(|file| array(file, "runs")) {
            for (_, algorithm, suite, own) in kernels {
                let Some((suite, own)) = least(&run[suite]).zip(least(&run[own])) else { continue };
                let (threads, graph) = (run["threads"].as_u64().unwrap_or(0), words(run, "graph").to_owned());
                pairs.push(Pair { threads, graph, algorithm, suite, own });
            }
        }
    }
    pairs
}

fn suite(results: &Results, file: &str, name: &'static str, title: &str, kernels: [Kernel; 3]) -> Option<Part> {
    let file = results.file(file)?;
    let mut headings = vec!["cores".to_owned(), "graph".to_owned()];
    for (theirs, ours, ..) in kernels {
        headings.extend([format!("{theirs}: GAP"), format!("{ours}: evenkeel"), "ratio".to_owned()]);
    }
    let row = |run: &Value| {
        let mut row = vec![Cell::maybe(run["threads"].as_u64(), Cell::whole), Cell::text(words(run, "graph"))];
        for (.., suite, own) in kernels {
            let (suite, own) = (least(&run[suite]), least(&run[own]));
            let ratio = suite.zip(own).map(|(suite, own)| own / suite);
            row.extend([Cell::maybe(suite, number), Cell::maybe(own, number)]);
            row.push(Cell::maybe(ratio, |ratio| Cell::real(ratio, 2)));
        }
        row
    };
    let mut runs: Vec<&Value> = array(file, "runs").collect();
    runs.sort_by_key(|run| run["threads"].as_u64());
    let data = Data { headings, rows: runs.into_iter().map(row).collect(), best: Vec::new() };
    let text =
        format!("{} The smallest median of the passes is shown, and of the suite's deltas the best.", commands(file));
    Some(Part { name, title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// Searches, shortest paths and ranks on processors.
pub fn gapbs(results: &Results) -> Option<Part> {
    suite(results, "cpu-gapbs", "cpu-gapbs", "On processors, beside the GAP Benchmark Suite", SEARCHES)
}

/// Components, centrality and triangles on processors.
pub fn gapbs_structure(results: &Results) -> Option<Part> {
    let title = "The suite's other three kernels";
    suite(results, "cpu-gapbs-structure", "cpu-gapbs-structure", title, STRUCTURE)
}

/// How much `auto` loses on processors, by algorithm.
pub fn auto_on_cpu(results: &Results) -> Option<Part> {
    let file = results.file("cpu-auto")?;
    let mut algorithms: Vec<&str> = array(file, "rows").map(|row| words(row, "algorithm")).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    let row = |algorithm: &&str| {
        let of = array(file, "rows").filter(|row| words(row, "algorithm") == *algorithm);
        let ratios: Vec<f64> = of.filter_map(|row| row["ratio"].as_f64()).collect();
        let mean = geometric_mean(ratios.iter().copied()).unwrap_or(1.0);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let count = Cell::whole(ratios.len() as u64);
        vec![Cell::text(algorithm), count, Cell::real(mean, 2), Cell::real(most, 2)]
    };
    let headings = ["algorithm", "graphs and numbers of cores", "times the best, in the geometric mean", "at most"];
    let data = Data::new(&headings).rows(algorithms.iter().map(row));
    let text =
        format!("{} Where the best is what auto takes, the ratio says how much two runs differ.", commands(file));
    let title = "What auto loses on processors";
    Some(Part { name: "cpu-auto", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// Files that were read: their field, and what they are.
const READ: [(&str, &str); 5] = [
    ("edge_list_of_numbers", "edge list of whole numbers"),
    ("edge_list_gz", "the same, compressed with gzip"),
    ("csv_with_names", "CSV with names"),
    ("parquet_int64", "Parquet, two columns of 64-bit ids in no order"),
    ("parquet_int32_weight", "Parquet, 32-bit ids and a weight"),
];

/// How fast files are read.
pub fn reading(results: &Results) -> Option<Part> {
    let file = results.file("reading")?;
    let row = |(field, what): (&str, &str)| {
        let entry = file.get(field)?;
        let size = entry["megabytes"].as_f64()?;
        let rate = |field: &str| Cell::maybe(least(&entry[field]).map(|seconds| size / seconds), number);
        Some(vec![Cell::text(what), number(size), rate("convert_s"), rate("parsing_s")])
    };
    let headings = ["file", "MB", "MB/s, read, built and written as .ekg", "MB/s, parsing alone"];
    let data = Data::new(&headings).rows(READ.into_iter().filter_map(row));
    let text = commands(file).replace("; .", ".");
    let title = "Reading files";
    Some(Part { name: "reading", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// Where the figures of other programs are from.
pub fn peers(results: &Results) -> Option<Part> {
    let row = |peer: &Value| {
        let known = |name: &str| Cell::text(peer[name].as_str().unwrap_or("not kept"));
        let how = Cell::text(words(peer, "how"));
        vec![known("program"), known("algorithm"), known("version"), known("machine"), how, known("command")]
    };
    let rows = results.file("peers").into_iter().flat_map(|file| array(file, "figures")).map(row);
    let data = Data::new(&["program", "algorithm", "version", "machine", "how", "command"]).rows(rows);
    let text = "Milliseconds, median, the graph in memory. The graphs are the same to the bit.".to_owned();
    let title = "The other programs";
    let any = !data.rows.is_empty();
    any.then(|| Part { name: "peers", title: title.into(), text, data, chart: None, findings: Vec::new() })
}
