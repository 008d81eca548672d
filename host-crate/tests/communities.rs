//! Communities by label propagation with every strategy, on every device, against the oracle: graphs of every shape, with rows that are cut in
//! pieces and rows that are not, and the answers that LDBC Graphalytics publishes.

use crate::common;
use evenkeel::{
    algorithm::{Algorithm, Communities, CommunitiesConfig},
    device::Device,
    graph::{BuildOptions, Csr, Direction, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle::communities::labels,
};
use proptest::prelude::*;
use std::{io::Read, path::Path};

const STRATEGIES: [&str; 3] = ["all", "changed", "auto"];

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, BuildOptions::default())
        .unwrap()
        .0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn config(strategy: &str, iterations: u32) -> CommunitiesConfig {
    CommunitiesConfig { strategy: strategy.parse().unwrap(), iterations }
}

/// Each strategy, run twice.
fn check(device: &Device, csr: &Csr, iterations: u32, what: &str) {
    let expected = labels(csr, iterations);
    for strategy in STRATEGIES {
        let mut communities = Communities::prepare(device, csr, &config(strategy, iterations)).unwrap();
        for run in 0..2 {
            assert!(communities.run(&()).unwrap().iterations <= iterations);
            let found = communities.answer().unwrap().0;
            let wrong = (0..found.len()).find(|&node| found[node] != expected[node]);
            let wrong = wrong.map(|node| (node, found[node], expected[node]));
            assert_eq!(wrong, None, "{what}, {strategy}, {iterations} iterations, run {run} on {device:?}");
            assert_eq!(found.len(), expected.len());
        }
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("one node with an edge to itself", csr(1, [(0, 0)])),
        ("no edge at all", csr(700, [])),
        ("one edge", csr(700, [(699, 3)])),
        ("edges to themselves", csr(300, (0..300).map(|node| (node, node)))),
        ("parallel edges", csr(4, [(0, 1), (0, 1), (0, 2), (1, 0), (3, 0), (3, 0), (3, 0), (1, 1)])),
        ("a chain one way", csr(900, (0..899).map(|node| (node, node + 1)))),
        ("a ring", csr(900, (0..900).flat_map(|node| [(node, (node + 1) % 900), ((node + 1) % 900, node)]))),
        ("a star", generated("star:nodes=3000")),
        ("a star one way", csr(5000, (1..5000).map(|node| (node, 0)))),
        ("two hubs alike", csr(4002, (2..4002).flat_map(|leaf| [(0, leaf), (leaf, 1)]))),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a complete graph", generated("complete:nodes=600")),
        ("a skewed graph", generated("rmat:scale=10")),
        ("a skewed graph with longer rows", generated("rmat:scale=12,edge-factor=32")),
    ];
    for device in common::devices() {
        for (shape, csr) in &shapes {
            for iterations in [1, 7] {
                check(&device, csr, iterations, shape);
            }
        }
        common::finish(&device);
    }
}

#[test]
fn no_iteration_and_many_of_them() {
    let path = csr(300, (0..299).flat_map(|node| [(node, node + 1), (node + 1, node)]));
    for device in common::devices() {
        for iterations in [0, 31, 32, 33, 34, 100] {
            check(&device, &path, iterations, "a path");
            check(&device, &csr(3, [(0, 1), (1, 2), (2, 0), (0, 2)]), iterations, "three nodes");
        }
        // All labels of a clique are alike after two iterations, which a third one finds out.
        let mut communities =
            Communities::prepare(&device, &generated("complete:nodes=50"), &config("auto", 99)).unwrap();
        assert_eq!(communities.run(&()).unwrap().iterations, 3);
        common::finish(&device);
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(16), failure_persistence: None, ..Default::default() };
        let edges = (1u32..1500).prop_flat_map(|nodes| {
            // Squaring crowds edges onto the first nodes.
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..6000), 1u32..12)
        });
        let run = |(nodes, edges, iterations): (u32, Vec<(u32, u32)>, u32)| {
            check(&device, &csr(nodes, edges), iterations, "random");
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

/// Holds every strategy against an answer file with a line `id label` for each node.
fn check_answers(
    device: &Device,
    input: &Path,
    direction: Direction,
    format: Option<&str>,
    iterations: u32,
    answers: &Path,
) {
    let format = format.map(|format| format.parse().unwrap());
    let graph = open(input, &OpenOptions { direction: Some(direction), format, ..Default::default() }).unwrap().0;
    let bytes = std::fs::read(answers).unwrap();
    let mut text = String::new();
    match answers.extension().is_some_and(|extension| extension == "gz") {
        true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(|_| ()).unwrap(),
        false => text = String::from_utf8(bytes).unwrap(),
    }
    let node = |id: &str| graph.ids.find(id.trim(), graph.csr.nodes()).unwrap();
    let mut expected = vec![u32::MAX; graph.csr.nodes() as usize];
    for (id, label) in text.lines().filter_map(|line| line.split_once(char::is_whitespace)) {
        expected[node(id) as usize] = node(label);
    }
    assert!(labels(&graph.csr, iterations) == expected, "the oracle on {}", input.display());
    for strategy in STRATEGIES {
        let mut communities = Communities::prepare(device, &graph.csr, &config(strategy, iterations)).unwrap();
        communities.run(&()).unwrap();
        assert!(communities.answer().unwrap().0 == expected, "{}, {strategy} on {device:?}", input.display());
    }
}

/// With as many iterations as the properties beside the graphs say.
#[test]
fn ldbc_answers() {
    let Some(data) = common::data() else { return };
    let (ldbc, gnutella) = (data.join("reference/ldbc"), data.join("reference/p2p-Gnutella31"));
    let (directed, undirected) = (Direction::Directed, Direction::Undirected);
    for device in common::devices() {
        for (name, direction) in [("dir", directed), ("undir", undirected)] {
            let [input, output] = ["input", "output"].map(|kind| ldbc.join(format!("cdlp/{name}-{kind}")));
            check_answers(&device, &input, direction, Some("adjacency"), 5, &output);
        }
        for (name, direction) in [("example-directed", directed), ("example-undirected", undirected)] {
            let [input, output] = [".e", "-CDLP"].map(|kind| ldbc.join(format!("example/{name}{kind}")));
            check_answers(&device, &input, direction, None, 2, &output);
        }
        let [input, output] = ["p2p-31.e.gz", "p2p-31-CDLP.gz"].map(|name| gnutella.join(name));
        check_answers(&device, &input, undirected, None, 10, &output);
        common::finish(&device);
    }
}
