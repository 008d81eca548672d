//! Che et al.: colouring by random labels, with queues and stealing, and by degrees first.

mod hybrid;
mod iterations;
mod queues;
#[cfg(test)]
mod tests;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part},
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

/// The iterations after which random labels take over in Fig. 8; 0 is the baseline.
const SWITCHES: [u32; 8] = [0, 1, 2, 3, 4, 6, 8, 16];

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

/// Queues of as many nodes at a time as the paper's: 312 elements of its 19,928 nodes are 64 each.
fn queued(queues: u32, steal: bool) -> String {
    format!("stealing:queues={queues},chunk=64{}", if steal { "" } else { ",steal=false" })
}

fn switched(iteration: u32) -> String {
    format!("hybrid:switch-at={iteration}")
}

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let compare = |strategies: &[String]| {
        let runs = setting.pick(3, 9);
        format!("compare color {{}} --strategies {} --runs {runs} --warmup 1 {check}", strategies.join(","))
    };
    let dip = graph(setting, "dip");
    let mut list = Vec::new();
    for name in GRAPHS {
        let graph = graph(setting, name);
        list.push(Experiment::new(format!("graph {name}"), "info {} --undirected", &[&graph]));
        let strategies = ["random", "hybrid", "hybrid-stealing"].map(str::to_owned);
        list.push(Experiment::new(format!("hybrid {name}"), &compare(&strategies), &[&graph]));
    }
    let strategies: Vec<String> =
        QUEUES.into_iter().flat_map(|it| [false, true].map(|steal| queued(it, steal))).collect();
    list.push(Experiment::new("stealing", &compare(&strategies), &[&dip]));
    for queues in QUEUES {
        let command = format!("color {{}} --strategy {} --details", queued(queues, true));
        list.push(Experiment::new(format!("queues {queues}"), &command, &[&dip]));
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
        series.push(Series { name: graph.into(), points: bins.filter_map(point).collect() });
    }
    let of = |name: &str| highest.iter().find(|(graph, ..)| *graph == name).map(|(_, most, median)| (*most, *median));
    let tails = of("dip").zip(of("coAuthorsDBLP")).map(|(dip, authors)| {
        let is_long = |(most, median): (u64, u64)| most >= 10 * median.max(1);
        let here =
            format!("highest {} on dip, {} on coAuthorsDBLP; medians {} and {}", dip.0, authors.0, dip.1, authors.1);
        (is_long(dip) && is_long(authors), here)
    });
    let findings = vec![
        Finding::new(
            "The degrees of G3_circuit are 2 to 5",
            of("G3_circuit").map(|(most, _)| (most <= 5, format!("the highest is {most}"))),
        ),
        Finding::new("Most nodes of dip and coAuthorsDBLP have small degrees, with long tails to 300 and 240", tails),
    ];
    let title = "Table II and Fig. 5: the graphs and their degrees";
    let (x, y) = (Axis::log("degree (log)"), Axis::log("nodes (log)"));
    let chart = Chart { title: title.into(), kind: Kind::Lines, x, y, series };
    let text = "Where a file of the paper's graph is not given by --data, a generated graph of about its size and degrees is coloured.";
    Part { name: "fig5", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
