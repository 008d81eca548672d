//! Section 4.3: what a prediction takes, what a change of the variant takes, and the memory of the representations that variants read.

use super::{Part, Results, Verdict, list, number, search, text, verdict};
use crate::reproduce::{
    experiment::{Experiment, Setting},
    finding::Finding,
};
use evenkeel_cli::report::html::{Cell, Data};
use serde_json::Value;

/// The name of the experiment.
const SWITCHING: &str = "switching";

/// Times predictions by a model for all levels of some tables, and searches that change the variant in every level.
pub fn experiment(setting: &Setting, tables: &[&str], model: &str) -> Experiment {
    let places = vec!["{}"; tables.len()].join(" ");
    let options = setting.pick("--levels 32 --runs 3", "--levels 256 --runs 30");
    let words: Vec<&str> = tables.iter().copied().chain([model]).collect();
    Experiment::new(SWITCHING, &format!("measure-switching {places} --model {{}} {options}"), &words).after_others()
}

/// What the paper measured for a prediction, in nanoseconds.
const PAPERS_NS: f64 = 144.0;

/// What is insignificant: a hundredth of what a level takes.
const INSIGNIFICANT: f64 = 0.01;

/// Predictions and changes.
pub fn predicting(results: &Results) -> Part {
    let measured = results.get(SWITCHING).map(|record| &record.result);
    let of = |pointer: &str| measured.and_then(|measured| number(measured, pointer));
    let headings =
        ["implementation", "a level µs", "decisions of a level µs", "a change to or from edge-list µs", "of a level"];
    let mut data = Data::new(&headings);
    let mut worst: Option<(f64, String)> = None;
    for pair in list(measured, "device") {
        let at = |key: &str| pair[key].as_f64();
        let real = |key: &str| Cell::maybe(at(key), |value| Cell::real(value, 3));
        let part = at("switch_us").zip(at("decided_us")).map(|(switch, level)| switch / level);
        let mut row = vec![Cell::text(text(pair, "implementation"))];
        row.extend(["decided_us", "prediction_us", "switch_us"].map(real));
        row.push(Cell::maybe(part, |part| Cell::Number(format!("{:.1} %", 100.0 * part), part)));
        data.rows.push(row);
        if let Some(part) = part.filter(|part| worst.as_ref().is_none_or(|(worst, _)| part > worst)) {
            let switch = at("switch_us").unwrap_or_default();
            let name = text(pair, "implementation");
            worst =
                Some((part, format!("{switch:.2} µs between edge-list and {name}, {:.1} % of a level", 100.0 * part)));
        }
    }
    let host = of("/host/mean_ns").zip(of("/host/level_us")).map(|(mean, level)| {
        let part = mean / (level * 1000.0);
        let found = match (part < INSIGNIFICANT, mean <= 1.25 * PAPERS_NS) {
            (true, true) => Verdict::Holds,
            (true, false) => Verdict::Direction,
            _ => Verdict::Fails,
        };
        let [deviation, most] = ["/host/deviation_ns", "/host/most_ns"].map(|it| of(it).unwrap_or_default());
        let here = format!(
            "{mean:.0} ns on the host, with a standard deviation of {deviation:.0} ns and a maximum of {most:.0} ns; a \
             level takes {level:.0} µs in its best variant, of which that is {:.2} %",
            100.0 * part
        );
        (found, here)
    });
    let cheap = worst.map(|(part, here)| (part < 0.2, format!("at most {here}")));
    let sizes = [of("/levels"), of("/decisions"), of("/runs")];
    let sizes = match sizes {
        [Some(levels), Some(decisions), Some(runs)] => format!(
            " The device walks the tree by itself: these are searches of a chain of {levels} levels by trees of \
             {decisions} decisions, medians of {runs} runs. The leaves name one implementation, or two in turn so that \
             every level changes it."
        ),
        _ => String::new(),
    };
    Part {
        name: "switching",
        title: "What switching takes".into(),
        text: format!(
            "The host predicts the variant of every measured level by the paper's model, 64 times in a row.{sizes} What \
             is below 0 is what times differ by from run to run."
        ),
        data,
        chart: None,
        findings: vec![
            verdict("A prediction takes 144 ns on average, which is insignificant against 28 ms of a level", host),
            Finding::new("A change of the implementation does not outweigh what switching gains, 20 % at least", cheap),
        ],
    }
}

/// Whether a buffer of a name is of a representation.
type IsOf = fn(&str) -> bool;

/// The bytes of some buffers of an entry.
fn bytes(entry: &Value, is_of: IsOf) -> f64 {
    let of = list(Some(entry), "buffers").iter().filter(|buffer| is_of(text(buffer, "name")));
    of.filter_map(|buffer| buffer["bytes"].as_f64()).sum()
}

/// What the variants read, by the names of buffers.
const REPRESENTATIONS: [(&str, IsOf); 4] = [
    ("rows and ends of edges (CSR)", |name| ["row offsets", "columns"].contains(&name)),
    ("origins of edges", |name| name == "origins of edges"),
    ("reversed rows and ends", |name| ["reversed row offsets", "reversed columns"].contains(&name)),
    ("reversed origins", |name| name == "reversed origins of edges"),
];

/// The memory of each representation.
pub fn memory(results: &Results) -> Part {
    const MIB: f64 = 1_048_576.0;
    let headings = ["graph", "directed", "edges"].into_iter().chain(REPRESENTATIONS.map(|(name, _)| name));
    let mut data = Data::new(&headings.collect::<Vec<_>>());
    let mut of_edges = Vec::new();
    for found in search::all(results) {
        let Some(edges) = found.entries.first().and_then(|entry| entry.pointer("/graph/edges")?.as_f64()) else {
            continue;
        };
        // Each is there in full for whichever strategy reads it.
        let most = |is_of: IsOf| found.entries.iter().map(|it| bytes(it, is_of)).fold(0.0, f64::max);
        let sizes = REPRESENTATIONS.map(|(_, is_of)| most(is_of));
        let directed = found.entries[0].pointer("/graph/directed").and_then(Value::as_bool) == Some(true);
        let mut row = vec![Cell::text(found.graph), Cell::text(if directed { "yes" } else { "no" })];
        row.push(Cell::whole(edges as u64));
        row.extend(sizes.map(|bytes| Cell::maybe((bytes > 0.0).then_some(bytes / MIB), |mib| Cell::real(mib, 1))));
        data.rows.push(row);
        of_edges.extend((sizes[1] > 0.0).then_some(sizes[1] / edges));
    }
    let each = (!of_edges.is_empty()).then(|| {
        let mean = of_edges.iter().sum::<f64>() / of_edges.len() as f64;
        let here = format!("{mean:.2} bytes an edge, {:.1} MiB for 10,000,000 edges", mean * 1e7 / MIB);
        (of_edges.iter().all(|bytes| (bytes - 4.0).abs() < 0.04), here)
    });
    Part {
        name: "memory",
        title: "The memory of the representations".into(),
        text: "In MiB, of the searches below. Rows and ends of edges are for all variants; the edge lists also read the \
               origin of each edge. What pulls, and the reversed edge list, read the reversed graph, which is the graph \
               itself where it has each edge both ways; the paper does not count that."
            .into(),
        data,
        chart: None,
        findings: vec![Finding::new(
            "Origins beside the rows let all variants read one graph, for one integer an edge: 38 MiB for 10,000,000",
            each,
        )],
    }
}
