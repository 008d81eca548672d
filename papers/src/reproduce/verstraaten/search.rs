//! Section 4.3: whole searches that switch, by the trees that were grown, on generated graphs that no tree has seen and on those that
//! Gunrock was measured with.

use super::{COST, Finding, LISTED, PAPERS, Part, Results, on_other_graphs, percent};
use crate::{
    reproduce::{
        experiment::{Experiment, Setting},
        finding::Range,
    },
    tuning::geometric_mean,
};
use evenkeel::strategy::adaptive::{Count, Implementation};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

/// What the names of these experiments begin with.
const SEARCH: &str = "search ";

/// The trees that search, and what they are called here.
const SEARCHED: [(&str, &str); 3] =
    [(PAPERS, "by the paper's model"), (COST, "by a cost tree"), (LISTED, "by a tree with lists")];

/// Graphs that no tree has seen.
fn generated(setting: &Setting) -> [&'static str; 6] {
    setting.pick(
        [
            "rmat:scale=8,seed=5",
            "graph500:scale=8,seed=5",
            "er:nodes=600,degree=6,seed=5",
            "grid:rows=15,cols=25",
            "road:nodes=500,seed=5",
            "rmat:scale=8,seed=5,directed=true",
        ],
        [
            "rmat:scale=19,seed=5",
            "graph500:scale=18,seed=5",
            "er:nodes=800000,degree=8,seed=5",
            "grid:rows=700,cols=1100",
            "road:nodes=300000,seed=5",
            "rmat:scale=17,seed=5,directed=true",
        ],
    )
}

/// Generated graphs that other programs were measured with, by their names there.
const OF_OTHERS: [(&str, &str); 3] = [
    ("rmat 20", "rmat:scale=20"),
    ("er 2^22", "er:nodes=4194304,degree=8"),
    ("grid 1,024²", "grid:rows=1024,cols=1024"),
];

/// Files of such graphs.
const FILES: [(&str, &[&str]); 3] = [
    ("road-NY", &["USA-road-d.NY.gr.gz", "USA-road-d.NY.gr"]),
    ("com-dblp", &["com-dblp.tsv.gz", "com-dblp.ungraph.txt.gz"]),
    ("cnr-2000", &["cnr-2000.el.xz", "cnr-2000.el"]),
];

/// The variants that search alone: each implementation, as the paper counts.
fn single() -> impl Iterator<Item = String> {
    Implementation::TOPOLOGY_DRIVEN.into_iter().map(|it| format!("{it}:count={}", Count::Atomic))
}

/// Comparisons of the trees in files with single variants.
pub fn experiments(setting: &Setting, file: impl Fn(&str) -> String) -> Vec<Experiment> {
    let trees = SEARCHED.iter().map(|(tree, _)| format!("adaptive:model={}", file(tree)));
    let strategies = single().chain(trees).collect::<Vec<_>>().join(",");
    let check = setting.pick("", "--no-validate");
    let runs = setting.pick("--runs 3 --warmup 1", "--runs 7 --warmup 2");
    let compare = |name: &str, graph: &str, options: &str| {
        let command = format!("compare bfs {{}} {options} --strategies {{}} {runs} {check}");
        Experiment::new(format!("{SEARCH}{name}"), &command, &[graph, &strategies]).after_others()
    };
    let mut list: Vec<Experiment> = generated(setting).map(|graph| compare(graph, graph, "")).into();
    list.extend(setting.pick(&[][..], &OF_OTHERS).iter().map(|(name, graph)| compare(name, graph, "")));
    let files = FILES.iter().filter_map(|(name, files)| Some((name, setting.file(files)?)));
    list.extend(files.map(|(name, file)| compare(name, &file, "--undirected")));
    list
}

/// What was found with a graph.
pub struct Found<'a> {
    /// The name of the graph.
    pub graph: &'a str,
    /// The device.
    pub device: &'a str,
    /// Everything that was compared.
    pub entries: Vec<&'a Value>,
    /// The fastest variant that searches alone, and its milliseconds.
    pub single: Option<(String, f64)>,
    /// The milliseconds by each tree.
    pub by_tree: [Option<f64>; SEARCHED.len()],
}

/// The time of an entry of a comparison.
fn time(entry: &Value) -> Option<f64> {
    entry.pointer("/median/total_ms")?.as_f64()
}

/// What was found with each graph.
pub fn all(results: &Results) -> impl Iterator<Item = Found<'_>> {
    results.records().iter().filter_map(|record| {
        let graph = record.experiment.strip_prefix(SEARCH)?;
        let entries = record.entries();
        let name = |entry: &Value| entry["strategy"].as_str().unwrap_or_default().to_owned();
        let model = |entry: &Value| entry.pointer("/config/model").and_then(Value::as_str).map(str::to_owned);
        let alone = entries.iter().filter(|entry| model(entry).is_none());
        let single = alone.filter_map(|entry| Some((name(entry), time(entry)?))).min_by(|a, b| a.1.total_cmp(&b.1));
        let by_tree = SEARCHED.map(|(tree, _)| {
            entries.iter().find(|entry| model(entry).as_deref() == Some(tree)).and_then(|entry| time(entry))
        });
        Some(Found { graph, device: &record.device, entries, single, by_tree })
    })
}

/// What was found with a graph of that name.
pub fn found<'a>(results: &'a Results, graph: &str) -> Option<Found<'a>> {
    all(results).find(|found| found.graph == graph)
}

/// Whole searches.
pub fn part(results: &Results) -> Part {
    let titles = SEARCHED.map(|(_, title)| title);
    let columns = ["graph", "best single variant", "its ms"];
    let mut data = Data::new(&[&columns[..], &titles[..], &["the gain of the paper's model"]].concat());
    let names = ["best single variant"].into_iter().chain(titles);
    let mut series: Vec<Series> = names.map(|name| Series { name: name.into(), points: Vec::new() }).collect();
    let mut gains: Vec<(&str, [Option<f64>; SEARCHED.len()])> = Vec::new();
    for Found { graph, single, by_tree, .. } in all(results) {
        let Some((fastest, alone)) = single else { continue };
        let gain = by_tree.map(|time| time.map(|time| alone / time));
        series[0].points.push(Point::named(graph, alone));
        for (series, time) in series[1..].iter_mut().zip(by_tree) {
            series.points.extend(time.map(|time| Point::named(graph, time)));
        }
        let fastest = fastest.split(':').next().unwrap_or_default();
        let mut row = vec![Cell::text(graph), Cell::text(fastest), Cell::real(alone, 3)];
        row.extend(by_tree.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
        row.push(Cell::maybe(gain[0], |gain| Cell::text(percent(gain - 1.0))));
        data.rows.push(row);
        gains.push((graph, gain));
    }
    let mean = |tree: usize| geometric_mean(gains.iter().filter_map(|(_, gain)| gain[tree]));
    let means: Vec<String> = titles
        .iter()
        .enumerate()
        .filter_map(|(tree, title)| Some(format!("{} {title}", percent(mean(tree)? - 1.0))))
        .collect();
    let cases: Vec<_> =
        gains.iter().map(|(graph, gain)| (format!("on {graph}"), gain[0].map(|gain| gain - 1.0))).collect();
    let title = "Searches that switch";
    let gained = if means.is_empty() {
        String::new()
    } else {
        format!(" In the geometric mean they gain {}.", means.join(", "))
    };
    Part {
        name: "search",
        title: title.into(),
        text: format!(
            "Whole searches in ms, from the node with the most edges: on generated graphs that are in no table of levels, \
             and on the graphs of Fig. 3, some of which are in the tables. The best single variant is that of the five. \
             With lists there are four more implementations, which the paper does not have.{gained}"
        ),
        chart: (!gains.is_empty()).then(|| Chart::bars(title, Axis::log("total time in ms (log)"), series)),
        data,
        findings: vec![on_other_graphs(Finding::range(
            "Switching gains 20 to 80 % over the best single variant",
            Range::percent(20.0, 80.0),
            &cases,
        ))],
    }
}
