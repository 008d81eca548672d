//! The two tables of the README: what balance is worth, and this program beside others.

use super::{
    super::{finding::Part, results::Results},
    kept,
    plan::COMPARED,
    tables,
};
use evenkeel::algorithm::{Bfs, FrontEnd};
use evenkeel_cli::report::html::{Cell, Data, axis::short};
use serde_json::Value;

/// The graph of both.
pub const GRAPH: &str = "rmat 20";

fn number(value: f64) -> Cell {
    Cell::Number(short(value), value)
}

/// Breadth-first search by every strategy on a skewed graph, the slowest first.
pub fn strategies(results: &Results) -> Option<Part> {
    let shown = COMPARED.iter().find(|it| it.algorithm == "bfs")?.strategies;
    let mut times: Vec<(&str, &str, f64)> = Bfs::alternatives()
        .into_iter()
        .filter(|it| shown.contains(&it.about.name))
        .filter_map(|it| Some((it.about.name, it.about.summary, tables::time(results, "bfs", GRAPH, it.about.name)?)))
        .collect();
    times.sort_by(|a, b| b.2.total_cmp(&a.2));
    let row = |&(name, summary, time): &(&str, &str, f64)| vec![Cell::text(name), number(time), Cell::text(summary)];
    let data = Data::new(&["strategy", "ms", "what it does"]).rows(times.iter().map(row));
    let entry = results.entry(&format!("bfs {GRAPH}"), "auto")?;
    let edges =
        entry.pointer("/graph/edges").and_then(Value::as_f64).map(|edges| short(edges).replace(" M", " million"));
    let device = entry.pointer("/device/name")?.as_str()?;
    let text = format!("Breadth-first search on {device}, on a skewed graph with {} edges:", edges?);
    let title = "What balance is worth";
    let any = !data.rows.is_empty();
    any.then(|| Part { name: "balance", title: title.into(), text, data, chart: None, findings: Vec::new() })
}

/// The three algorithms that are shown: their names, and their fields in the file of other tools.
const SHOWN: [(&str, &str); 3] = [("bfs", "bfs_ms"), ("sssp", "sssp_ms"), ("pagerank", "pagerank_ms")];

/// This program beside libraries on a small graph, and beside others of its kind on a larger one.
pub fn beside(results: &Results) -> Option<Part> {
    let file = results.file("others")?;
    let words = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut push = |tool: String, machine: String, graph: &str, times: [Option<f64>; 3]| {
        if times.iter().any(Option::is_some) {
            let times = times.map(|time| Cell::maybe(time, number));
            rows.push([tool, machine, graph.to_owned()].map(Cell::text).into_iter().chain(times).collect());
        }
    };
    for row in file["rows"].as_array().into_iter().flatten() {
        let tool = format!("{} {}", words(row, "tool"), words(row, "version"));
        push(tool, words(file, "machine"), "rmat 16", SHOWN.map(|(_, field)| row[field].as_f64()));
    }
    let own = SHOWN.map(|(algorithm, _)| tables::time(results, algorithm, GRAPH, "auto"));
    let device =
        results.entry(&format!("bfs {GRAPH}"), "auto").and_then(|entry| entry.pointer("/device/name")?.as_str());
    push("evenkeel".into(), device.unwrap_or_default().into(), GRAPH, own);
    let others = ["Gunrock 2"].map(|program| {
        let of = |(algorithm, _): (&str, &str)| {
            let peers = tables::peers(results, algorithm);
            peers.into_iter().find(|peer| tables::program(peer) == program)
        };
        let machine = of(SHOWN[0]).map(|peer| words(peer, "machine")).unwrap_or_default();
        (program, machine, SHOWN.map(|shown| of(shown)?["milliseconds"].get(GRAPH)?.as_f64()))
    });
    for (program, machine, times) in others {
        push(program.into(), machine, GRAPH, times);
    }
    let pairs = kept::pairs(results);
    let of =
        |algorithm: &str| pairs.iter().find(|it| it.threads == 16 && it.graph == GRAPH && it.algorithm == algorithm);
    let cores = || "16 cores of an Intel Xeon".to_owned();
    push("evenkeel, CPU device".into(), cores(), GRAPH, SHOWN.map(|(algorithm, _)| Some(of(algorithm)?.own)));
    push("GAP Benchmark Suite".into(), cores(), GRAPH, SHOWN.map(|(algorithm, _)| Some(of(algorithm)?.suite)));
    let data = Data::new(&["program", "on", "graph", "BFS, ms", "SSSP, ms", "PageRank, ms"]).rows(rows);
    let text = "rmat 16 has 65,536 nodes and 1.8 million edges, rmat 20 a million nodes and 31 million edges. PageRank has 20 iterations; \
                igraph's goes on until it converges. Weights are 1 to 64, on 16 cores 1 to 255. The graph is in memory."
        .to_owned();
    let title = "Beside other programs";
    Some(Part { name: "beside", title: title.into(), text, data, chart: None, findings: Vec::new() })
}
