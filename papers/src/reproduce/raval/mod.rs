//! Raval et al. 2017: five strategies for BFS and SSSP on skewed, random, road and Graph500 graphs.

mod chunking;
mod graphs;
mod overhead;
mod ranks;
mod splitting;
#[cfg(test)]
mod tests;
mod times;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::Part,
    results::Results,
};
use evenkeel_cli::report::html::Series;

pub const PAPER: Paper = Paper {
    name: "raval",
    cite: "Raval, Nasre, Kumar, Vasudevan, Vadhiyar, Pingali: Dynamic Load Balancing Strategies for Graph Applications on GPUs (2017)",
    device: "a Tesla K20c with 4.66 GB of memory",
    experiments,
    parts,
};

/// The paper's names of the strategies.
const STRATEGIES: [(&str, &str); 5] =
    [("BS", "node"), ("EP", "edge"), ("WD", "decompose"), ("NS", "split"), ("HP", "hierarchical")];

/// EP with an atomic addition for every edge, which Fig. 11 holds against that for all edges of a node.
const EDGE_BY_EDGE: &str = "edge:chunking=edge";

/// The strategies that hand out nodes.
const NODE_BASED: [&str; 3] = ["decompose", "split", "hierarchical"];

/// The graphs, by the paper's names. Those of Graph500 differ by their seeds.
const GRAPHS: [&str; 9] =
    ["rmat20", "ER20", "ER23", "road-FLA", "road-W", "road-USA", "Graph500 a", "Graph500 b", "Graph500 c"];

/// Graphs with a small diameter.
const SMALL_DIAMETER: [&str; 3] = ["rmat20", "ER20", "ER23"];

const ROADS: [&str; 3] = ["road-FLA", "road-W", "road-USA"];

const GRAPH500: [&str; 3] = ["Graph500 a", "Graph500 b", "Graph500 c"];

/// The graphs on which the paper could run all strategies.
const ALL_RUN: [&str; 6] = ["rmat20", "ER20", "ER23", "road-FLA", "road-W", "road-USA"];

/// Graphs whose kernels are timed one by one: of each kind one or more, for that takes runs of their own.
const TIMED: [&str; 5] = ["rmat20", "ER20", "ER23", "road-FLA", "Graph500 a"];

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let names = STRATEGIES.map(|(_, name)| name).join(",");
    let mut list = Vec::new();
    for name in GRAPHS {
        let graph = graphs::graph(setting, name);
        for algorithm in ["sssp", "bfs"] {
            // Files have the lengths of roads.
            let has_weights = algorithm == "bfs" || graphs::is_file(&graph);
            let weights = if has_weights { "" } else { "--weights random:1..64" };
            let compare = |more: &str, runs: &str| {
                Experiment::new(
                    "",
                    &format!("compare {algorithm} {{}} {weights} --strategies {names}{more} {runs} --warmup 1 {check}"),
                    &[&graph],
                )
            };
            let more = if algorithm == "sssp" { format!(",{EDGE_BY_EDGE}") } else { String::new() };
            let measured = compare(&more, "--rounds 3 --runs 1");
            list.push(Experiment { name: format!("{algorithm} {name}"), ..measured });
            if TIMED.contains(&name) {
                let timed = compare("", "--profile --runs 1");
                list.push(Experiment { name: format!("kernels {algorithm} {name}"), ..timed });
            }
        }
        list.push(Experiment::new(format!("split {name}"), "info {} --split", &[&graph]));
    }
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![
        graphs::table(results),
        times::sssp(results),
        times::bfs(results),
        overhead::preparing(results),
        overhead::kernels(results),
        ranks::ranks(results),
        splitting::splitting(results),
        chunking::chunking(results),
    ]
}

/// A series for each strategy.
fn no_points() -> Vec<Series> {
    STRATEGIES.map(|(short, _)| Series { name: short.into(), points: Vec::new() }).into()
}

/// The paper's name of a strategy beside its own.
fn both_names(short: &str, strategy: &str) -> String {
    format!("{short} ({strategy})")
}
