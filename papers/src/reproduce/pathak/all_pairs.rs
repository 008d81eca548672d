//! All pairs in three ways.

use super::{
    NUMBERS, Table, compare,
    graphs::{ALL_PAIRS, is_file, judged},
    ratios,
};
use crate::reproduce::{
    experiment::{Experiment, Setting},
    finding::{Finding, Order, Part, Range},
    results::Results,
};

const STRATEGIES: [&str; 4] = ["sssp", "floyd-warshall", "blocked", "auto"];

/// How many searches of Algorithm 13 are timed.
const SEARCHES: u64 = 4;

/// The degrees of the graphs that are equally large, from sparse to dense.
const DEGREES: [u32; 4] = [2, 8, 32, 128];

pub(super) fn experiments(setting: &Setting, number: usize, graph: &str) -> Vec<Experiment> {
    let both = if is_file(graph) { "--undirected" } else { "" };
    let search = |search: u64| {
        let command = format!(
            "sssp {{}} {both} --weights random:1..64 --strategy two-phase --source random:{search} --runs 3 --warmup 1"
        );
        Experiment::new(format!("search {search} of {number}"), &command, &[graph])
    };
    let all = compare(setting, format!("apsp {number}"), "apsp", graph, &STRATEGIES, 1);
    [all].into_iter().chain((1..=SEARCHES).map(search)).collect()
}

/// Graphs that differ by their density alone.
pub(super) fn densities(setting: &Setting) -> Vec<Experiment> {
    let experiment = |degree: u32| {
        let graph = format!("er:nodes={},degree={degree}", setting.pick(160, 4096));
        compare(setting, format!("density {degree}"), "apsp", &graph, &["floyd-warshall", "blocked"], 1)
    };
    DEGREES.map(experiment).into()
}

/// What Algorithm 13 takes, shortest paths from one node after the other: as many times as there are nodes what a search takes in the mean of some.
fn from_each(results: &Results, number: usize) -> Option<f64> {
    let time = |search: u64| {
        let record = results.get(&format!("search {search} of {number}"))?;
        record.result.pointer("/median/total_ms")?.as_f64()
    };
    let times: Vec<f64> = (1..=SEARCHES).map(time).collect::<Option<_>>()?;
    let nodes = results.get(&format!("search 1 of {number}"))?.result.pointer("/graph/nodes")?.as_f64()?;
    Some(nodes * times.iter().sum::<f64>() / times.len() as f64)
}

/// The name of that in the table.
const FROM_EACH: &str = "two-phase from each node";

pub(super) fn part(results: &Results) -> Part {
    let time = |number: usize, strategy: &str| results.time(&format!("apsp {number}"), strategy);
    let matrix_first = |number: usize| Order {
        case: format!("on graph {number}"),
        own: time(number, "floyd-warshall"),
        others: vec![(FROM_EACH, from_each(results, number))],
    };
    let edges_first = |number: usize| Order {
        case: format!("on graph {number}"),
        own: from_each(results, number),
        others: vec![("floyd-warshall", time(number, "floyd-warshall"))],
    };
    let of = |numbers: &[usize], finding: Finding| judged(results, "apsp", numbers, finding);
    let at = |degree: u32| results.time(&format!("density {degree}"), "floyd-warshall");
    let alike = DEGREES[1..].iter().map(|degree| {
        let ratio = at(*degree).zip(at(DEGREES[0])).map(|(dense, sparse)| dense / sparse - 1.0);
        (format!("with {degree} edges a node instead of {}", DEGREES[0]), ratio)
    });
    let findings = vec![
        of(
            &[1],
            Finding::order(
                "Plain Floyd–Warshall beats shortest paths from every node on the dense graph (1)",
                &[matrix_first(1)],
            ),
        ),
        of(&[4], Finding::order("Shortest paths from every node suit sparse graphs (4)", &[edges_first(4)])),
        of(
            &NUMBERS,
            Finding::range(
                "The blocked form is a massive improvement over the plain one (at least twice as fast)",
                Range::times(2.0, f64::INFINITY),
                &ratios(results, "apsp", "blocked", "floyd-warshall"),
            ),
        ),
        Finding::range(
            "Floyd–Warshall does not depend on the graph's sparsity (within 10 %, on random graphs of the same size)",
            Range::percent(-10.0, 10.0),
            &alike.collect::<Vec<_>>(),
        ),
    ];
    let table = Table {
        name: "apsp",
        title: "All pairs: three ways",
        text: "Algorithm 13 is shortest paths by two-phase from one node after the other: a search is timed from four nodes, and their mean counted once \
               for each node. What is called sssp here, and does best on sparse graphs, searches from many nodes at once.",
        slides: &ALL_PAIRS,
        strategies: &STRATEGIES,
        more: vec![(FROM_EACH, NUMBERS.map(|number| from_each(results, number)).to_vec())],
    };
    table.part(results, findings)
}
