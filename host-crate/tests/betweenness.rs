//! Betweenness with every strategy, on every device, against the double-precision oracle: graphs of every shape, hubs, long paths, and
//! more paths than a float can count.

use crate::common::{self, graph};
use evenkeel::{
    Error,
    algorithm::{Algorithm, Betweenness, BetweennessConfig, FrontEnd, Source},
    device::{Device, DeviceKind},
    graph::{Graph, generate::Generator},
};
use proptest::prelude::*;

fn generated(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

fn exact() -> BetweennessConfig {
    BetweennessConfig::default()
}

fn sampled(count: u32) -> BetweennessConfig {
    BetweennessConfig { sources: Some(count), seed: 3, ..exact() }
}

fn single(node: u32) -> BetweennessConfig {
    BetweennessConfig { source: Some(Source::Node(node.to_string())), ..exact() }
}

/// Every strategy that the device has.
fn strategies(device: &Device) -> impl Iterator<Item = &'static str> {
    let info = device.info().clone();
    Betweenness::alternatives().into_iter().map(|it| it.about).filter(move |it| it.runs_on(&info)).map(|it| it.name)
}

fn check(device: &Device, graph: &Graph, what: &str, config: &BetweennessConfig) {
    let input = Betweenness::input(&(), graph, config).unwrap();
    let expected = Betweenness::reference(graph, &input, config).unwrap();
    for strategy in strategies(device) {
        let config = Betweenness::with_alternative(config, strategy).unwrap();
        let mut betweenness = Betweenness::prepare(device, &graph.csr, &config).unwrap();
        let mut answers = Vec::new();
        for _ in 0..2 {
            betweenness.run(&input).unwrap();
            let found = betweenness.answer().unwrap();
            let mismatch = Betweenness::check(&found, &expected, graph, &input);
            assert_eq!(mismatch, None, "{what}, {config:?} on {device:?}");
            answers.push(found);
        }
        assert!(answers[0] == answers[1], "{what}, {config:?} on {device:?}: two runs, two answers");
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", graph(0, [], true)),
        ("one node", graph(1, [], false)),
        ("one node with an edge to itself", graph(1, [(0, 0)], true)),
        ("two nodes", graph(2, [(0, 1)], false)),
        ("no edge at all", graph(30, [], false)),
        ("one edge", graph(20, [(19, 3)], true)),
        ("edges to themselves", graph(4, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (3, 3)], false)),
        ("parallel edges", graph(5, [(0, 1), (0, 1), (0, 2), (1, 3), (2, 3), (2, 3), (2, 3), (3, 4)], true)),
        ("a chain one way", graph(20, (0..19).map(|node| (node, node + 1)), true)),
        (
            "many ends, one way",
            graph(24, (0..12).map(|node| (node / 2, node + 12)).chain((0..9).map(|node| (node, node + 3))), true),
        ),
        ("a ring one way", graph(16, (0..16).map(|node| (node, (node + 1) % 16)), true)),
        (
            "two parts",
            graph(20, (0..9).map(|node| (node, node + 1)).chain([(12, 13), (13, 14), (12, 15), (15, 14)]), false),
        ),
        ("a star", generated("star:nodes=40")),
        ("a grid", generated("grid:rows=4,cols=6")),
        ("a complete graph", generated("complete:nodes=12")),
        ("a skewed graph", generated("rmat:scale=5")),
    ];
    for (turn, (shape, graph)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, graph, shape, &BetweennessConfig { normalized: turn % 3 == 0, ..exact() });
            common::finish(&device);
        }
    }
}

#[test]
fn from_some_sources() {
    let directed = graph(2500, (0..2500).flat_map(|node| [(1234, node), (node, (node * 7) % 2500), (node, 17)]), true);
    let shapes = [
        ("a skewed graph", generated("rmat:scale=10")),
        ("a dense row among rows, one way", directed),
        ("hubs", graph(9000, (0..9000).flat_map(|node| [(node % 2, node), (node, (node * 31) % 9000)]), false)),
        ("a road network", generated("road:nodes=3000")),
        ("a long chain", generated("chain:nodes=1200")),
    ];
    let chain = generated("chain:nodes=400");
    // From as many as fill a batch and some more; and a batch with more levels than it takes.
    let batches = [
        ("a skewed graph", &shapes[0].1, sampled(40)),
        ("a dense row among rows, one way", &shapes[1].1, sampled(9)),
        ("hubs", &shapes[2].1, sampled(8)),
        ("a chain", &chain, sampled(8)),
        ("one drawn node", &shapes[0].1, BetweennessConfig { normalized: true, ..sampled(1) }),
    ];
    for (turn, (shape, graph)) in shapes.iter().enumerate() {
        // One source and several both have every device.
        for device in common::devices_in_turn(turn / 2) {
            common::share(&[sampled(2), single(17)], 2, turn).iter().for_each(|it| check(&device, graph, shape, it));
            common::finish(&device);
        }
    }
    for (turn, (shape, graph, config)) in batches.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, graph, shape, config);
            common::finish(&device);
        }
    }
}

/// From corner to corner of this grid there are more than 2^1200 shortest paths; levels have up to 600 nodes.
#[test]
fn more_paths_than_a_float_holds() {
    let grid = generated("grid:rows=600,cols=620");
    for device in common::devices() {
        // A debug build of the kernels takes minutes on the CPU device; its native form does not.
        let is_cpu = device.info().kind == DeviceKind::Cpu;
        let config = if is_cpu { Betweenness::with_alternative(&single(0), "levels-cpu").unwrap() } else { single(0) };
        let input = Betweenness::input(&(), &grid, &config).unwrap();
        let expected = Betweenness::reference(&grid, &input, &config).unwrap();
        let mut betweenness = Betweenness::prepare(&device, &grid.csr, &config).unwrap();
        betweenness.run(&input).unwrap();
        let found = betweenness.answer().unwrap();
        assert_eq!(Betweenness::check(&found, &expected, &grid, &input), None, "{device:?}");
        if is_cpu {
            check(
                &device,
                &grid,
                "two sources",
                &BetweennessConfig { strategy: "levels-cpu".parse().unwrap(), ..sampled(2) },
            );
        }
        common::finish(&device);
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(24), failure_persistence: None, ..Default::default() };
        let edges = (1u32..300).prop_flat_map(|nodes| {
            // Squaring crowds edges onto the first nodes, at both ends: long rows, and nodes without edges.
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..600), any::<bool>(), any::<bool>())
        });
        let run = |(nodes, edges, directed, normalized): (u32, Vec<(u32, u32)>, bool, bool)| {
            let graph = graph(nodes, edges, directed);
            check(&device, &graph, "random", &BetweennessConfig { normalized, ..sampled(nodes.min(12)) });
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn what_does_not_suit_the_graph_is_refused() {
    let (device, chain) = (common::devices().pop().unwrap(), generated("chain:nodes=5"));
    let refused = |config: BetweennessConfig| Betweenness::input(&(), &chain, &config).err().unwrap().to_string();
    assert!(refused(sampled(6)).contains("6 sources cannot be drawn"), "{}", refused(sampled(6)));
    assert!(refused(sampled(0)).contains("at least one source"));
    assert!(refused(single(9)).contains("has no node 9"));
    let all = Betweenness::input(&(), &chain, &exact()).unwrap();
    let mut betweenness = Betweenness::prepare(&device, &chain.csr, &single(0)).unwrap();
    let error = betweenness.run(&all).unwrap_err();
    assert!(matches!(&error, Error::Usage(message) if message.contains("prepared for one source")), "{error}");
    let mut betweenness = Betweenness::prepare(&device, &chain.csr, &exact()).unwrap();
    let mut wrong = all.clone();
    wrong.nodes.push(5);
    let error = betweenness.run(&wrong).unwrap_err();
    assert!(matches!(&error, Error::Usage(message) if message.contains("no node 5")), "{error}");
    assert!(betweenness.answer().is_err());
}
