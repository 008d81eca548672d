//! Pathak et al., slides: three breadth-first searches, shortest paths with coarser threads, and all pairs in three ways.

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

pub const PAPER: Paper = Paper {
    name: "pathak",
    cite: "Pathak, Raj, Chowdhury, Patra, Porwal, Agarwal, Poddar: Accelerating large graph algorithms on GPU using CUDA (slides)",
    device: "a GPU that the slides do not name",
    experiments,
    parts,
};

const SEARCHES: [&str; 4] = ["parallel", "queue", "scan", "auto"];
const COARSER: [&str; 5] = ["two-phase", "two-phase:coarsen=2", "two-phase:coarsen=4", "two-phase:coarsen=8", "auto"];
const ALL_PAIRS: [&str; 4] = ["sssp", "floyd-warshall", "blocked", "auto"];

/// The five graphs of searches: random ones of the slides' numbers of nodes and edges. The slides name none.
fn graphs(setting: &Setting) -> [&'static str; 5] {
    let small = [
        "er:nodes=675,degree=463",
        "er:nodes=2185,degree=116",
        "er:nodes=8217,degree=12.3",
        "er:nodes=16384,degree=13.1",
        "er:nodes=65536,degree=15.8",
    ];
    let paper = [
        "er:nodes=2700,degree=1852",
        "er:nodes=21853,degree=1158",
        "er:nodes=82168,degree=12.3",
        "er:nodes=1694616,degree=13.1",
        "er:nodes=16777214,degree=15.8",
    ];
    setting.pick(small, paper)
}

/// The five of all pairs.
fn small_graphs(setting: &Setting) -> [&'static str; 5] {
    let small = [
        "er:nodes=169,degree=116",
        "er:nodes=252,degree=44",
        "er:nodes=276,degree=49.6",
        "er:nodes=368,degree=7.3",
        "er:nodes=469,degree=113.3",
    ];
    let paper = [
        "er:nodes=2700,degree=1852",
        "er:nodes=4039,degree=43.9",
        "er:nodes=4412,degree=49.6",
        "er:nodes=5881,degree=7.3",
        "er:nodes=7500,degree=226.6",
    ];
    setting.pick(small, paper)
}

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let mut list = Vec::new();
    for (number, graph) in graphs(setting).into_iter().enumerate() {
        let number = number + 1;
        let command = format!("compare bfs {{}} --strategies {} --runs 3 --warmup 1 {check}", SEARCHES.join(","));
        list.push(Experiment::new(format!("bfs {number}"), &command, &[graph]));
        let weights = "--weights random:1..64";
        let command =
            format!("compare sssp {{}} {weights} --strategies {} --runs 3 --warmup 1 {check}", COARSER.join(","));
        list.push(Experiment::new(format!("sssp {number}"), &command, &[graph]));
        let command = format!("sssp {{}} {weights} --device cpu --threads 1");
        list.push(Experiment::new(format!("cpu {number}"), &command, &[graph]));
    }
    for (number, graph) in small_graphs(setting).into_iter().enumerate() {
        let number = number + 1;
        let command = format!(
            "compare apsp {{}} --weights random:1..64 --strategies {} --runs 3 --warmup 1 {check}",
            ALL_PAIRS.join(",")
        );
        list.push(Experiment::new(format!("apsp {number}"), &command, &[graph]));
    }
    list
}

fn parts(results: &Results) -> Vec<Part> {
    let text = "The graphs have the slides' sizes and densities; the slides do not name them.";
    vec![
        part(results, ("bfs", "Breadth-first search: three ways"), &SEARCHES, text, search_findings(results)),
        part(results, ("sssp", "Shortest paths: coarser threads"), &COARSER, text, path_findings(results)),
        part(results, ("apsp", "All pairs: three ways"), &ALL_PAIRS, text, all_pairs_findings(results)),
    ]
}

/// A table and a chart of some strategies on the five graphs.
fn part(
    results: &Results,
    (name, title): (&'static str, &str),
    strategies: &[&str],
    text: &str,
    findings: Vec<Finding>,
) -> Part {
    let mut data = Data::new(&[&["graph", "nodes", "edges"], strategies].concat());
    let series = |strategy: &&str| {
        let point = |number: usize| {
            let time = results.time(&format!("{name} {number}"), strategy)?;
            Some(Point::named(format!("graph {number}"), time))
        };
        Series { name: (*strategy).to_owned(), points: (1..=5).filter_map(point).collect() }
    };
    for number in 1..=5 {
        let experiment = format!("{name} {number}");
        let size = |what: &str| {
            let entry = results.get(&experiment)?.entries().into_iter().next()?;
            entry.pointer(&format!("/graph/{what}"))?.as_u64()
        };
        let mut row = vec![Cell::text(number)];
        row.extend(["nodes", "edges"].map(|what| Cell::maybe(size(what), Cell::whole)));
        let time = |strategy: &&str| Cell::maybe(results.time(&experiment, strategy), |time| Cell::real(time, 3));
        row.extend(strategies.iter().map(time));
        data.rows.push(row);
    }
    let y = Axis::log("total time in ms (log)");
    let series = strategies.iter().map(series).collect();
    let chart = Chart::bars(title, y, series);
    Part { name, title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// How many times as fast the first strategy is as the second on each of these graphs, where both were measured.
fn ratios(results: &Results, what: &str, first: &str, second: &str, graphs: &[u32]) -> Vec<(u32, f64)> {
    let ratio = |number: &u32| {
        let experiment = format!("{what} {number}");
        Some((*number, results.time(&experiment, second)? / results.time(&experiment, first)?))
    };
    graphs.iter().filter_map(ratio).collect()
}

/// Whether each ratio is at least so much, and the ratios.
fn at_least(ratios: &[(u32, f64)], least: f64) -> Option<(bool, String)> {
    let each: Vec<String> =
        ratios.iter().map(|(number, ratio)| format!("{ratio:.2} times on graph {number}")).collect();
    (!ratios.is_empty()).then(|| (ratios.iter().all(|(_, ratio)| *ratio >= least), each.join(", ")))
}

fn search_findings(results: &Results) -> Vec<Finding> {
    let all = [1, 2, 3, 4, 5];
    let best = ["queue", "scan"].map(|other| ratios(results, "bfs", "parallel", other, &all)).concat();
    vec![
        Finding::new("The parallel search gives the best results on all graphs", at_least(&best, 1.0)),
        Finding::new(
            "The search with a queue does well on dense graphs (1 and 2), against scan",
            at_least(&ratios(results, "bfs", "queue", "scan", &[1, 2]), 1.0),
        ),
        Finding::new(
            "The search with a scan does well on sparse graphs (3 to 5), against queue",
            at_least(&ratios(results, "bfs", "scan", "queue", &[3, 4, 5]), 1.0),
        ),
    ]
}

fn path_findings(results: &Results) -> Vec<Finding> {
    let slower = COARSER[..4].windows(2).flat_map(|pair| ratios(results, "sssp", pair[0], pair[1], &[1, 2, 3, 4, 5]));
    let slower: Vec<(u32, f64)> = slower.collect();
    let is_cpu = results.get("sssp 1").is_some_and(|record| {
        record.entries().first().and_then(|entry| entry.pointer("/device/kind")?.as_str()) == Some("cpu")
    });
    let speedup = |number: u32| {
        let cpu = results.get(&format!("cpu {number}"))?.result.pointer("/median/total_ms")?.as_f64()?;
        Some(cpu / results.time(&format!("sssp {number}"), "two-phase")?)
    };
    let speedups = speedup(1).zip(speedup(5)).filter(|_| !is_cpu).map(|(dense, sparse)| {
        (sparse > dense, format!("{dense:.1} times one thread on graph 1, {sparse:.1} times on graph 5"))
    });
    vec![
        Finding::new("Performance falls with every coarsening of threads", at_least(&slower, 1.0)),
        Finding::new("The sparser the graph, the more a GPU gains over a processor: 4 times on 1, 95 on 5", speedups),
    ]
}

fn all_pairs_findings(results: &Results) -> Vec<Finding> {
    let all = [1, 2, 3, 4, 5];
    let per_cube = |number: u32| {
        let experiment = format!("apsp {number}");
        let nodes = results.entry(&experiment, "floyd-warshall")?.pointer("/graph/nodes")?.as_f64()?;
        Some((number, results.time(&experiment, "floyd-warshall")? / nodes.powi(3) * 1e9))
    };
    let cubes: Vec<(u32, f64)> = all.into_iter().filter_map(per_cube).collect();
    let (low, high) = cubes.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), (_, it)| (low.min(*it), high.max(*it)));
    let alike = (!cubes.is_empty()).then(|| {
        (
            high <= 2.0 * low,
            format!("{low:.2} to {high:.2} ns a thousand relaxations, from the densest to the sparsest"),
        )
    });
    vec![
        Finding::new(
            "Plain Floyd–Warshall beats shortest paths from every node on the dense graph (1)",
            at_least(&ratios(results, "apsp", "floyd-warshall", "sssp", &[1]), 1.0),
        ),
        Finding::new(
            "The blocked form is a massive improvement over the plain one",
            at_least(&ratios(results, "apsp", "blocked", "floyd-warshall", &all), 2.0),
        ),
        Finding::new("Floyd–Warshall does not depend on the graph's sparsity", alike),
    ]
}
