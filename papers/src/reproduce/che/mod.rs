//! Che et al.: colouring by random labels, with queues and stealing, and by degrees first.

mod hybrid;
mod iterations;
mod queues;
#[cfg(test)]
mod tests;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part, Substitutes},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};
use serde_json::Value;

pub const PAPER: Paper = Paper {
    name: "che",
    cite: "Che, Rodgers, Beckmann, Reinhardt: Graph Coloring on the GPU and Some Techniques to Improve Load Imbalance",
    device: "an AMD Radeon HD 7950 with 28 compute units",
    experiments,
    parts,
};

/// The graphs, by the paper's names: skewed, of people who wrote together, and structured.
const GRAPHS: [&str; 3] = ["dip", "coAuthorsDBLP", "G3_circuit"];

/// The numbers of queues of Table I.
const QUEUES: [u32; 3] = [4, 8, 16];

/// How often the queues of Table I are counted.
const COUNTS: u32 = 5;

/// The iterations after which random labels take over in Fig. 8; 0 is the baseline.
const SWITCHES: [u32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16];

/// Those of Fig. 6, beside the end of what degrees can do, where the hybrid switches by itself.
const HYBRIDS: [&str; 5] =
    ["hybrid", "hybrid:switch-at=1", "hybrid:switch-at=2", "hybrid:switch-at=4", "hybrid:switch-at=8"];

fn graph(setting: &Setting, name: &str) -> String {
    match name {
        // At the paper's scale 16,384 nodes, 80,134 edges and a highest degree of 315; the paper's has 19,928, 82,406 and about 300.
        "dip" => setting.file_or(
            &["dip20090126_MAX.mtx", "dip20090126_MAX.gml", "dip20090126_MAX.txt", "dip20090126_MAX.graph"],
            setting.pick(
                "rmat:scale=12,edge-factor=5,a=0.5,b=0.15,c=0.15",
                "rmat:scale=14,edge-factor=5,a=0.5,b=0.15,c=0.15",
            ),
        ),
        // At the paper's scale 262,144 nodes, 1,046,128 edges and a highest degree of 205; the paper's has 299,067, 977,676 and about 240.
        "coAuthorsDBLP" => setting.file_or(
            &[
                "coAuthorsDBLP.graph",
                "coAuthorsDBLP.graph.bz2",
                "coAuthorsDBLP.mtx",
                "com-dblp.tsv.gz",
                "com-dblp.ungraph.txt.gz",
            ],
            setting.pick(
                "rmat:scale=13,edge-factor=4,a=0.45,b=0.15,c=0.15",
                "rmat:scale=18,edge-factor=4,a=0.45,b=0.15,c=0.15",
            ),
        ),
        _ => setting.file_or(
            &["G3_circuit.mtx", "G3_circuit.mtx.gz"],
            setting.pick("grid:rows=125,cols=125", "grid:rows=1259,cols=1259"),
        ),
    }
}

/// Queues whose elements are as many nodes as a workgroup has invocations, one for each, as in the paper: there they are 64, here 256.
fn queued(queues: u32, steal: bool) -> String {
    format!("stealing:queues={queues},chunk=256{}", if steal { "" } else { ",steal=false" })
}

fn switched(iteration: u32) -> String {
    format!("hybrid:switch-at={iteration}")
}

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let compare = |strategies: &[String]| {
        let rounds = setting.pick(2, 5);
        format!(
            "compare color {{}} --strategies {} --rounds {rounds} --runs 3 --warmup 1 {check}",
            strategies.join(",")
        )
    };
    let dip = graph(setting, "dip");
    let mut list = Vec::new();
    for name in GRAPHS {
        let graph = graph(setting, name);
        list.push(Experiment::new(format!("graph {name}"), "info {} --undirected", &[&graph]));
        let strategies: Vec<String> = hybrid::strategies().map(str::to_owned).collect();
        list.push(Experiment::new(format!("hybrid {name}"), &compare(&strategies), &[&graph]));
    }
    let strategies: Vec<String> =
        QUEUES.into_iter().flat_map(|it| [false, true].map(|steal| queued(it, steal))).collect();
    list.push(Experiment::new("stealing", &compare(&strategies), &[&dip]));
    for queues in QUEUES {
        for count in 1..=COUNTS {
            // The queues are those of the run after so many others; each count is a command of its own.
            let command = format!("color {{}} --strategy {} --details --warmup {}", queued(queues, true), 1 + count);
            list.push(Experiment::new(format!("queues {queues}, count {count}"), &command, &[&dip]));
        }
    }
    for strategy in ["hybrid", "random"] {
        let command = format!("color {{}} --strategy {strategy} --details");
        list.push(Experiment::new(format!("iterations {strategy}"), &command, &[&dip]));
    }
    list.push(Experiment::new("switch", &compare(&SWITCHES.map(switched)), &[&dip]));
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![
        queues::stealing(results),
        queues::consumed(results),
        degrees(results),
        hybrid::hybrid(results),
        hybrid::transfers(results),
        iterations::active(results),
        iterations::switching(results),
        iterations::colored(results),
    ]
}

/// What was coloured in place of a graph, if it was not the paper's.
fn substitute(results: &Results, graph: &str) -> Option<String> {
    let name = results.get(&format!("graph {graph}"))?.result["name"].as_str()?;
    (!name.starts_with(graph)).then(|| name.to_owned())
}

/// A graph by the paper's name, and what was coloured in its place.
fn label(results: &Results, graph: &str) -> String {
    match substitute(results, graph) {
        Some(name) => format!("{} for {graph}", name.split([':', '.']).next().unwrap_or(&name)),
        None => graph.to_owned(),
    }
}

/// A finding about these graphs, of which some may not be the paper's.
fn judged(results: &Results, graphs: &[&str], finding: Finding) -> Finding {
    let is_other = |graph: &&&str| substitute(results, graph).is_some();
    let others: Vec<&str> = graphs.iter().filter(is_other).copied().collect();
    let reason = |graph: &&str| Some(format!("{} stands for {graph}", substitute(results, graph)?));
    let substitutes = (!others.is_empty()).then(|| Substitutes {
        graphs: others.iter().map(|graph| (*graph).to_owned()).collect(),
        all: others.len() == graphs.len(),
        reason: others.iter().filter_map(reason).collect::<Vec<_>>().join(", "),
    });
    finding.on_substitutes(substitutes)
}

/// A share with a digit behind the point.
fn finer(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Numbers with what each is of: "8 % on dip, 3 % on G3_circuit".
fn listed<T: AsRef<str>>(values: &[(T, f64)], text: impl Fn(f64) -> String) -> String {
    values.iter().map(|(name, value)| format!("{} {}", text(*value), name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// Table II and Fig. 5: the graphs and their degrees.
fn degrees(results: &Results) -> Part {
    let mut data = Data::new(&["graph", "what was coloured", "nodes", "edges", "lowest degree", "median", "highest"]);
    let mut series = Vec::new();
    let mut highest = Vec::new();
    for graph in GRAPHS {
        let Some(info) = results.get(&format!("graph {graph}")).map(|record| &record.result) else { continue };
        let number = |pointer: &str| info.pointer(pointer).and_then(Value::as_u64);
        let mut row = vec![Cell::text(graph), Cell::text(info["name"].as_str().unwrap_or_default())];
        let edges = number("/edges").map(|both| both / 2);
        let numbers =
            [number("/nodes"), edges, number("/degrees/min"), number("/degrees/median"), number("/degrees/max")];
        row.extend(numbers.map(|it| Cell::maybe(it, Cell::whole)));
        data.rows.push(row);
        highest
            .extend(number("/degrees/max").zip(number("/degrees/median")).map(|(most, median)| (graph, most, median)));
        let bins = info.pointer("/degrees/histogram").and_then(Value::as_array).into_iter().flatten();
        let point = |bin: &Value| {
            let (from, nodes) = (bin["from"].as_f64()?, bin["nodes"].as_f64()?);
            (from > 0.0 && nodes > 0.0).then(|| Point::new(from, nodes))
        };
        series.push(Series { name: label(results, graph), points: bins.filter_map(point).collect() });
    }
    let of = |name: &str| highest.iter().find(|(graph, ..)| *graph == name).map(|(_, most, median)| (*most, *median));
    let bounds = |graph: &str| {
        let info = &results.get(&format!("graph {graph}"))?.result;
        let number = |pointer: &str| info.pointer(pointer).and_then(Value::as_u64);
        number("/degrees/min").zip(number("/degrees/max"))
    };
    let tails = of("dip").zip(of("coAuthorsDBLP")).map(|(dip, authors)| {
        let is_long = |(most, median): (u64, u64)| most >= 10 * median.max(1);
        let here =
            format!("highest {} on dip, {} on coAuthorsDBLP; medians {} and {}", dip.0, authors.0, dip.1, authors.1);
        (is_long(dip) && is_long(authors), here)
    });
    let findings = vec![
        judged(
            results,
            &["G3_circuit"],
            Finding::new(
                "The degrees of G3_circuit are 2 to 5",
                bounds("G3_circuit").map(|(least, most)| ((least, most) == (2, 5), format!("{least} to {most}"))),
            ),
        ),
        judged(
            results,
            &["dip", "coAuthorsDBLP"],
            Finding::new(
                "Most nodes of dip and coAuthorsDBLP have small degrees, with long tails to 300 and 240",
                tails,
            ),
        ),
    ];
    let title = "Table II and Fig. 5: the graphs and their degrees";
    let (x, y) = (Axis::log("degree (log)"), Axis::log("nodes (log)"));
    let chart = Chart { title: title.into(), kind: Kind::Lines, x, y, series };
    let text = "Where a file of the paper's graph is not given by --data, another of about its size and degrees is coloured: one by rmat for dip, \
                com-dblp or one by rmat for coAuthorsDBLP, and a grid for G3_circuit. Tables name what was coloured.";
    Part { name: "fig5", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
