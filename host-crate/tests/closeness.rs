//! Closeness with every strategy, on every device, against a plain search from each source.

use crate::common::{self, graph};
use evenkeel::{
    Error,
    algorithm::{Algorithm, Closeness, ClosenessConfig, FrontEnd},
    device::Device,
    graph::{Graph, generate::Generator},
};
use proptest::prelude::*;

fn generated(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

fn sampled(count: u32) -> ClosenessConfig {
    ClosenessConfig { sources: Some(count), seed: 5, ..ClosenessConfig::default() }
}

fn check(device: &Device, graph: &Graph, what: &str, config: &ClosenessConfig) {
    let input = Closeness::input(&(), graph, config).unwrap();
    let expected = Closeness::reference(graph, &input, config).unwrap();
    let mut answers = Vec::new();
    for strategy in Closeness::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
        let config = Closeness::with_alternative(config, strategy.about.name).unwrap();
        let mut closeness = Closeness::prepare(device, &graph.csr, &config).unwrap();
        for _ in 0..2 {
            closeness.run(&input).unwrap();
            let found = closeness.answer().unwrap();
            assert_eq!(Closeness::check(&found, &expected, graph, &input), None, "{what}, {config:?} on {device:?}");
            answers.push(found);
        }
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{what}, {config:?} on {device:?}: two answers");
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", graph(0, [], true)),
        ("one node", graph(1, [], false)),
        ("one node with an edge to itself", graph(1, [(0, 0)], true)),
        ("two nodes", graph(2, [(0, 1)], true)),
        ("no edge at all", graph(70, [], false)),
        ("parallel edges and edges to themselves", graph(4, [(0, 1), (0, 1), (1, 1), (1, 2), (2, 3), (2, 3)], true)),
        ("a chain one way", graph(100, (0..99).map(|node| (node, node + 1)), true)),
        ("a ring one way", graph(65, (0..65).map(|node| (node, (node + 1) % 65)), true)),
        ("two parts", graph(20, (0..9).map(|node| (node, node + 1)).chain([(12, 13), (13, 14), (12, 15)]), false)),
        ("a star", generated("star:nodes=200")),
        ("a grid", generated("grid:rows=9,cols=15")),
        ("a complete graph", generated("complete:nodes=40")),
        ("a skewed graph", generated("rmat:scale=8")),
        ("a road network", generated("road:nodes=300")),
    ];
    for device in common::devices() {
        for (shape, graph) in &shapes {
            check(&device, graph, shape, &ClosenessConfig::default());
        }
        common::finish(&device);
    }
}

#[test]
fn hubs_and_few_or_many_sources() {
    // Rows of more than 2,048 edges, which workgroups and whole dispatches share.
    let hubs = graph(9000, (0..9000).flat_map(|node| [(node % 3, node), (node, (node * 31) % 9000)]), false);
    let one_way = graph(9000, (0..9000).flat_map(|node| [(node % 3, node), (node, (node * 31) % 9000)]), true);
    for device in common::devices() {
        for count in [1, 31, 32, 33, 64, 65] {
            check(&device, &hubs, "hubs", &sampled(count));
        }
        check(&device, &one_way, "hubs, one way", &sampled(40));
        check(&device, &generated("rmat:scale=11"), "a skewed graph", &sampled(100));
        common::finish(&device);
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(24), failure_persistence: None, ..Default::default() };
        let edges = (1u32..400).prop_flat_map(|nodes| {
            // Squaring crowds edges onto the first nodes, at both ends: long rows, and nodes without edges.
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..1200), any::<bool>(), 1..=nodes)
        });
        let run = |(nodes, edges, directed, count): (u32, Vec<(u32, u32)>, bool, u32)| {
            check(&device, &graph(nodes, edges, directed), "random", &sampled(count));
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn what_does_not_suit_the_graph_is_refused() {
    let (device, chain) = (common::devices().pop().unwrap(), generated("chain:nodes=5"));
    let error = Closeness::input(&(), &chain, &sampled(6)).unwrap_err();
    assert!(matches!(&error, Error::Usage(message) if message.contains("6 sources")), "{error}");
    let mut closeness = Closeness::prepare(&device, &chain.csr, &ClosenessConfig::default()).unwrap();
    for (sources, words) in [(vec![0, 5], "no node 5"), (vec![1, 0], "ascending"), (vec![1, 1], "each once")] {
        let error = closeness.run(&sources).unwrap_err();
        assert!(matches!(&error, Error::Usage(message) if message.contains(words)), "{error}");
        assert!(closeness.answer().is_err());
    }
}
