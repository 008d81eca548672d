//! The tables of what was measured: a column for each graph, a row for each strategy and for each other program.

use super::{
    super::{finding::Part, results::Results},
    plan::{self, COMPARED},
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series, axis::short};
use serde_json::Value;

/// The time of a run, from the first submission until the answer is ready on the device.
pub const TOTAL: &str = "/median/total_ms";
/// The time in which the device was busy.
pub const KERNEL: &str = "/median/kernel_ms";

/// The table of an algorithm whose strategies are compared.
pub struct Table {
    /// The algorithm, and the part's name.
    pub algorithm: &'static str,
    title: &'static str,
    text: &'static str,
    /// Which time it shows.
    pub time: &'static str,
}

pub const TABLES: [Table; 7] = [
    Table {
        algorithm: "bfs",
        title: "Breadth-first search",
        text: "Milliseconds, from the node with the most edges.",
        time: TOTAL,
    },
    Table { algorithm: "sssp", title: "Shortest paths", text: "Milliseconds, with weights of 1 to 64.", time: TOTAL },
    Table {
        algorithm: "spmv",
        title: "Sparse matrix times vector, f32",
        text: "Milliseconds in which the device was busy.",
        time: KERNEL,
    },
    Table {
        algorithm: "spmm",
        title: "Sparse matrix times 32 columns, f32",
        text: "Milliseconds in which the device was busy.",
        time: KERNEL,
    },
    Table { algorithm: "pagerank", title: "PageRank", text: "Milliseconds of 20 iterations.", time: TOTAL },
    Table { algorithm: "color", title: "Colouring", text: "Milliseconds.", time: TOTAL },
    Table { algorithm: "apsp", title: "All pairs", text: "Milliseconds, with weights of 1 to 64.", time: TOTAL },
];

/// The graphs that some experiments were run on, in the order of the columns.
pub fn graphs(results: &Results, experiments: &[&str]) -> Vec<&'static str> {
    let was_run = |graph: &&str| experiments.iter().any(|it| results.get(&format!("{it} {graph}")).is_some());
    plan::columns().into_iter().filter(was_run).collect()
}

/// The median time of a strategy on a graph.
pub fn time(results: &Results, algorithm: &str, graph: &str, strategy: &str) -> Option<f64> {
    let table = TABLES.iter().find(|table| table.algorithm == algorithm);
    results.number(&format!("{algorithm} {graph}"), strategy, table.map_or(TOTAL, |table| table.time))
}

/// The fastest strategy on a graph and its time, but for `auto` and one more.
pub fn fastest_but(results: &Results, algorithm: &str, graph: &str, but: &str) -> Option<(&'static str, f64)> {
    let strategies = COMPARED.iter().find(|it| it.algorithm == algorithm)?.strategies;
    let others = strategies.iter().filter(|strategy| ![but, "auto"].contains(strategy));
    let times = others.filter_map(|strategy| Some((*strategy, time(results, algorithm, graph, strategy)?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What other programs take for an algorithm.
pub fn peers<'a>(results: &'a Results, algorithm: &str) -> Vec<&'a Value> {
    let all = results.file("peers").and_then(|file| file["figures"].as_array()).into_iter().flatten();
    all.filter(|peer| peer["algorithm"] == algorithm).collect()
}

/// The name of the program in one of these.
pub fn program(peer: &Value) -> &str {
    peer["program"].as_str().unwrap_or_default()
}

fn number(value: f64) -> Cell {
    Cell::Number(short(value), value)
}

/// A row with a cell for each graph, unless all of them are empty.
fn row(label: &str, graphs: &[&str], cell: impl Fn(&str) -> Option<Cell>) -> Option<Vec<Cell>> {
    let cells: Vec<Option<Cell>> = graphs.iter().map(|graph| cell(graph)).collect();
    let any = cells.iter().any(Option::is_some);
    any.then(|| [Cell::text(label)].into_iter().chain(cells.into_iter().map(|it| Cell::maybe(it, |it| it))).collect())
}

/// A row of what another program took.
fn peer_rows(peer: &Value, graphs: &[&str]) -> Vec<Vec<Cell>> {
    let name = program(peer);
    let cell = |what: &'static str| {
        move |graph: &str| match peer.get(what)?.get(graph)? {
            Value::String(words) => Some(Cell::text(words)),
            other => other.as_f64().map(number),
        }
    };
    let colors = row(&format!("{name}, colours"), graphs, cell("colors"));
    row(name, graphs, cell("milliseconds")).into_iter().chain(colors).collect()
}

/// The table of an algorithm's strategies and of other programs.
pub fn compared(results: &Results, table: &Table) -> Option<Part> {
    let Table { algorithm, title, text, .. } = *table;
    let graphs = graphs(results, &[algorithm]);
    let first = results.get(&format!("{algorithm} {}", graphs.first()?))?;
    let of = |strategy: &str, graph: &str| time(results, algorithm, graph, strategy);
    let auto = |graph: &str| results.entry(&format!("{algorithm} {graph}"), "auto");
    let strategies = COMPARED.iter().find(|it| it.algorithm == algorithm)?.strategies;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for strategy in strategies {
        rows.extend(row(strategy, &graphs, |graph| of(strategy, graph).map(number)));
    }
    let took = |graph: &str| auto(graph)?["method"].as_str().map(Cell::text);
    rows.extend(row("auto takes", &graphs, took));
    let whole = |pointer: &'static str| move |graph: &str| auto(graph)?.pointer(pointer)?.as_u64().map(Cell::whole);
    match algorithm {
        "bfs" => {
            // An iteration of `direction` is a level; one of what `auto` takes may be several.
            let levels = |graph: &str| {
                let levelled = results.entry(&format!("{algorithm} {graph}"), "direction").or_else(|| auto(graph));
                levelled?.pointer("/median/iterations")?.as_u64()
            };
            let per_level = |graph: &str| Some(number(1000.0 * of("auto", graph)? / levels(graph)? as f64));
            rows.extend(row("levels", &graphs, |graph| levels(graph).map(Cell::whole)));
            rows.extend(row("auto, µs a level", &graphs, per_level));
        }
        "color" => rows.extend(row("auto, colours", &graphs, whole("/colors"))),
        "apsp" => {
            let rate = |graph: &str| {
                let nodes = auto(graph)?.pointer("/graph/nodes")?.as_f64()?;
                Some(number(nodes.powi(3) / of("blocked", graph)? / 1e9))
            };
            rows.extend(row("blocked, 10¹² relaxations a second", &graphs, rate));
        }
        _ => {}
    }
    let peers = peers(results, algorithm);
    rows.extend(peers.iter().flat_map(|peer| peer_rows(peer, &graphs)));
    let data = Data::new(&[&["ms"], &graphs[..]].concat()).rows(rows);
    let series = |name: &str, time: &dyn Fn(&str) -> Option<f64>| {
        let points = graphs.iter().filter_map(|graph| Some(Point::named(*graph, time(graph)?)));
        Series { name: name.to_owned(), points: points.collect() }
    };
    let mut drawn = vec![
        series("auto", &|graph| of("auto", graph)),
        series("the best that auto does not take", &|graph| {
            let took = auto(graph)?["method"].as_str().unwrap_or_default();
            Some(fastest_but(results, algorithm, graph, took)?.1)
        }),
    ];
    drawn.extend(peers.iter().map(|peer| series(program(peer), &|graph| peer["milliseconds"].get(graph)?.as_f64())));
    drawn.retain(|series| !series.points.is_empty());
    let chart = (!drawn.is_empty()).then(|| Chart::bars(title, Axis::log("time in ms (log)"), drawn));
    let text = format!("{text} Of {}: `{}`.", graphs[0], first.command);
    Some(Part { name: algorithm, title: title.into(), text, data, chart, findings: Vec::new() })
}

/// What is measured with `auto` alone: the experiment, what its row is called, and the algorithm by which other programs are found.
const STRUCTURE: [(&str, &str, &str); 8] = [
    ("components", "components", "components"),
    ("mst", "mst, weights of 1 to 64 or the file's", "mst"),
    ("triangles", "triangles", "triangles"),
    ("betweenness", "betweenness, one source", "betweenness"),
    ("betweenness of 64", "betweenness, 64 sources", ""),
    ("kcore", "kcore", "kcore"),
    ("closeness", "closeness, 64 sources", "closeness"),
    ("communities", "communities, 10 iterations", "communities"),
];

/// The time of one of these on a graph.
pub fn alone(results: &Results, experiment: &str, graph: &str) -> Option<f64> {
    results.number(&format!("{experiment} {graph}"), "auto", TOTAL)
}

/// Components, forests, triangles, cores and centralities.
pub fn structure(results: &Results) -> Option<Part> {
    let graphs = graphs(results, &STRUCTURE.map(|(experiment, ..)| experiment));
    let mut rows = Vec::new();
    for (experiment, label, algorithm) in STRUCTURE {
        rows.extend(row(label, &graphs, |graph| alone(results, experiment, graph).map(number)));
        rows.extend(peers(results, algorithm).iter().flat_map(|peer| peer_rows(peer, &graphs)));
    }
    let title = "Components, forests, triangles, cores and centralities";
    let first = results.get(&format!("components {}", graphs.first()?))?;
    let text = format!(
        "Milliseconds of `auto`, with everything that a run does to the graph first (ordering edges, counting degrees). \
         Components of {}: `{}`.",
        graphs[0], first.command
    );
    let data = Data::new(&[&["ms"], &graphs[..]].concat()).rows(rows);
    Some(Part { name: "structure", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// The experiments with 64 sources, and what they find.
pub const MANY: [(&str, &str); 3] = [
    ("one of 64", "the depth from one of the sources"),
    ("nearest of 64", "the depth from the nearest of 64"),
    ("each of 64", "the depth from each of 64"),
];

/// Searches from 64 sources together, against one after the other.
pub fn many_sources(results: &Results) -> Option<Part> {
    let one = results.time(MANY[0].0, "auto")?;
    let rows = MANY.iter().filter_map(|(experiment, what)| {
        let time = results.time(experiment, "auto")?;
        Some(vec![Cell::text(what), number(time), number(64.0 * one / time)])
    });
    let graph = results.entry(MANY[0].0, "auto")?.pointer("/graph/name")?.as_str()?;
    let data = Data::new(&["bfs finds", "ms", "times as fast as 64 single searches"]).rows(rows);
    let text = format!("On {graph}; 64 single searches are taken to last 64 times as long as the first of them.");
    let title = "Many sources at once";
    Some(Part { name: "many-sources", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// Answers that were checked.
pub fn checked(results: &Results) -> Option<Part> {
    let rows: Vec<Vec<Cell>> = plan::checked()
        .filter_map(|(algorithm, experiment)| {
            let entry = results.entry(&experiment, "auto")?;
            let valid = match &entry["valid"] {
                Value::Bool(true) => "yes",
                Value::Bool(false) => "no",
                _ => "not checked",
            };
            let took = entry["method"].as_str().unwrap_or("auto");
            Some([algorithm, took, entry.pointer("/graph/name")?.as_str()?, valid].map(Cell::text).into())
        })
        .collect();
    let data = Data::new(&["algorithm", "auto takes", "graph", "right"]).rows(rows);
    let text = "Runs of their own, because an oracle lets the device's clock fall.".to_owned();
    let title = "Answers that were checked";
    let any = !data.rows.is_empty();
    any.then(|| Part { name: "checked", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// What was measured with.
pub fn machine(results: &Results) -> Option<Part> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for record in results.records() {
        let entries = record.entries();
        let words = |pointer: &str| entries.first()?.pointer(pointer)?.as_str();
        let Some(name) = words("/device/name") else { continue };
        let row = [name, words("/device/driver").unwrap_or(""), &record.version].map(Cell::text).to_vec();
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    let data = Data::new(&["device", "driver", "evenkeel"]).rows(rows);
    let text =
        "Every run with its command and its time is in results.json of the folder, or in a compressed form of it."
            .to_owned();
    let any = !data.rows.is_empty();
    any.then(|| Part { name: "machine", title: "Measured on".into(), text, data, chart: None, findings: Vec::new() })
}
