//! PageRank under every schedule, on every device, against the double-precision oracle: graphs of every shape, those whose sums
//! single precision is bad at among them.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, PageRank, PageRankConfig, Precision, Reorder, Seeds, plan},
    device::Device,
    engine::schedule::Choice,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds, generate::Generator},
    oracle::pagerank::{DOUBLE_TOLERANCE, TOLERANCE, first_mismatch, ranks, rounds},
    settings::Configured,
};
use proptest::prelude::*;

/// The orders of nodes.
const ORDERS: [Reorder; 2] = [Reorder::None, Reorder::Degree];

/// All schedules, groups narrower and wider than a subgroup, and the choice by rows.
fn schedules() -> Vec<String> {
    let others = ["group-mapped:1", "group-mapped:256", "auto"].map(str::to_owned);
    Choice::all().iter().map(Choice::to_string).chain(others).collect()
}

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, BuildOptions::default())
        .unwrap()
        .0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn check(device: &Device, csr: &Csr, what: &str) {
    check_with(device, csr, what, &PageRankConfig::default(), &schedules());
}

fn check_with(device: &Device, csr: &Csr, what: &str, config: &PageRankConfig, schedules: &[String]) {
    let expected = ranks(csr, config.damping, config.iterations);
    let pair = |schedule| ORDERS.map(|order| (schedule, order));
    let all: Vec<_> = schedules.iter().flat_map(pair).collect();
    // An odd number of parts, so that each schedule has both orders in turn.
    for (schedule, reorder) in common::share(&all, 3, csr.nodes() as usize) {
        let config = PageRankConfig { schedule: schedule.parse().unwrap(), reorder, ..config.clone() };
        let planned = plan::<PageRank>(device.info(), csr, &config).unwrap().bytes();
        let mut pagerank = PageRank::prepare(device, csr, &config).unwrap();
        assert!(pagerank.session().memory().bytes() <= planned, "{what}, {config:?} on {device:?}");
        assert_eq!(pagerank.session().ordered_by(), (reorder == Reorder::Degree).then_some("degree"));
        let mut answers = Vec::new();
        for _ in 0..2 {
            assert_eq!(pagerank.run(&Seeds::default()).unwrap().iterations, config.iterations);
            let found = pagerank.answer().unwrap().ranks;
            assert_eq!(first_mismatch(&expected, &found, TOLERANCE), None, "{what}, {config:?} on {device:?}");
            answers.push(found);
        }
        assert!(answers[0] == answers[1], "{what}, {config:?} on {device:?}: two runs, two answers");
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("one node with an edge to itself", csr(1, [(0, 0)])),
        ("no edge at all", csr(3000, [])),
        ("one edge", csr(700, [(699, 3)])),
        ("edges to themselves, and one node without", csr(600, (0..599).map(|node| (node, node)))),
        ("parallel edges", csr(3, [(0, 1), (0, 1), (0, 2), (1, 0), (1, 0), (1, 1)])),
        ("a chain one way", csr(900, (0..899).map(|node| (node, node + 1)))),
        ("a ring one way", csr(900, (0..900).map(|node| (node, (node + 1) % 900)))),
        ("all dangling but one", csr(2500, (1..2500).map(|node| (0, node)))),
        ("all to one, which is dangling", csr(2500, (1..2500).map(|node| (node, 0)))),
        ("all to one, which goes on", csr(2500, (0..2500).map(|node| (node, 17)))),
        ("a dense row among rows", csr(2500, (0..2500).flat_map(|node| [(1234, node), (node, (node * 7) % 2500)]))),
        ("a star", generated("star:nodes=3000")),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a complete graph", generated("complete:nodes=600")),
        ("a skewed graph", generated("rmat:scale=10")),
    ];
    for (turn, (shape, csr)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, csr, shape);
            common::finish(&device);
        }
    }
}

/// Added up one after another, 100,000 equal terms come to a thousandth too much or too little; and each iteration adds to what
/// those before it lost where it is the dangling nodes' ranks.
#[test]
fn long_sums_of_equal_terms() {
    const LEAVES: u32 = 100_000;
    let shapes = [
        ("out of a hub", csr(LEAVES + 1, (1..=LEAVES).map(|leaf| (0, leaf)))),
        ("into a hub", csr(LEAVES + 1, (1..=LEAVES).map(|leaf| (leaf, 0)))),
        ("to a hub and back", csr(LEAVES + 1, (1..=LEAVES).flat_map(|leaf| [(0, leaf), (leaf, 0)]))),
        ("none", csr(LEAVES, [])),
    ];
    for device in common::devices() {
        for (turn, (shape, csr)) in shapes.iter().enumerate() {
            let quick = ["thread-mapped", "group-mapped:1", "radix-binned", "merge-path", "auto"].map(str::to_owned);
            let config = PageRankConfig { iterations: 12, ..PageRankConfig::default() };
            check_with(&device, csr, shape, &config, &common::share(&quick, 3, turn));
        }
        common::finish(&device);
    }
}

#[test]
fn any_damping_and_any_number_of_iterations() {
    let graph = csr(300, (0..900).map(|edge| (edge * 31 % 200, edge * edge % 300)));
    let schedules = ["thread-mapped", "merge-path"].map(str::to_owned);
    for device in common::devices() {
        for (damping, iterations) in [(0.0, 3), (1.0, 5), (0.5, 1), (0.85, 2), (0.85, 63), (0.9, 64), (0.85, 150)] {
            let config = PageRankConfig { damping, iterations, ..PageRankConfig::default() };
            check_with(&device, &graph, "three edges a node", &config, &schedules);
        }
        common::finish(&device);
    }
}

/// Nodes enough that the shares of two blocks are added up from workgroup memory, and those of a third are not.
fn hubs() -> Csr {
    let hubs = [5000, 11_111, 19_999];
    csr(20_000, (0..20_000).flat_map(|node| hubs.map(|hub| [(hub, node), (node, hub)])).flatten())
}

/// Graphs on which ranks settle at different speeds, with dangling nodes and without. A test takes one in four schedules for each, and after four
/// graphs those that had one device have another.
fn settling() -> Vec<(&'static str, Csr)> {
    vec![
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("three edges a node", csr(300, (0..900).map(|edge| (edge * 31 % 200, edge * edge % 300)))),
        ("a star one way", csr(5000, (1..5000).map(|node| (node, 0)))),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a skewed graph", generated("rmat:scale=10")),
        ("a skewed graph of several blocks", generated("rmat:scale=14,edge-factor=4")),
        ("three hubs with an edge to and from every node", hubs()),
    ]
}

fn graph_of(csr: &Csr) -> Graph {
    Graph { name: "graph".into(), csr: csr.clone(), ids: NodeIds::Counted { first: 0 }, directed: true }
}

/// Runs twice with the seeds, and without them in between, in the graph's own order or in another, whichever is next; in both in a full run.
fn check_with_seeds(device: &Device, csr: &Csr, what: &str, config: &PageRankConfig, seeds: &Seeds) {
    for reorder in common::share(&ORDERS, 2, csr.nodes() as usize + config.schedule.to_string().len()) {
        check_order_with_seeds(device, csr, what, &PageRankConfig { reorder, ..config.clone() }, seeds);
    }
}

fn check_order_with_seeds(device: &Device, csr: &Csr, what: &str, config: &PageRankConfig, seeds: &Seeds) {
    let graph = graph_of(csr);
    let mut pagerank = PageRank::prepare(device, csr, config).unwrap();
    let mut answers = Vec::new();
    for seeds in [seeds, &Seeds::default(), seeds] {
        let expected = PageRank::reference(&graph, seeds, config).unwrap();
        let run = pagerank.run(seeds).unwrap();
        let found = pagerank.answer().unwrap();
        assert_eq!(run.iterations, found.iterations);
        let of_oracle: Vec<u32> = expected.iter().map(|(iterations, _)| *iterations).collect();
        assert!(of_oracle.contains(&run.iterations), "{what}, {config:?} on {device:?}: {run:?}, not {of_oracle:?}");
        assert_eq!(PageRank::check(&found, &expected, &graph, seeds), None, "{what}, {config:?} on {device:?}");
        answers.push(found.ranks);
    }
    assert!(answers[0] == answers[2], "{what}, {config:?} on {device:?}: two runs, two answers");
}

#[test]
fn until_ranks_change_little() {
    for (turn, (what, csr)) in settling().iter().enumerate() {
        for device in common::devices_in_turn(turn + turn / 4) {
            for schedule in common::share(&["merge-path", "auto", "thread-mapped", "radix-binned"], 4, turn) {
                for (tolerance, iterations) in [(1e-2, 100), (1e-4, 100), (1e-4, 7)] {
                    let config = PageRankConfig {
                        schedule: schedule.parse().unwrap(),
                        iterations,
                        tolerance: Some(tolerance),
                        ..PageRankConfig::default()
                    };
                    check_with_seeds(&device, csr, what, &config, &Seeds::default());
                }
            }
            common::finish(&device);
        }
    }
}

#[test]
fn double_precision() {
    for (turn, (what, csr)) in settling().iter().enumerate() {
        for device in common::devices_in_turn(turn + turn / 4).iter().filter(|device| device.info().float64) {
            for (place, schedule) in common::share(&schedules(), 4, turn).into_iter().enumerate() {
                // Each schedule with one graph after the other in both ways.
                let tolerance = (place + turn).is_multiple_of(2).then_some(1e-9);
                let config = PageRankConfig {
                    schedule: schedule.parse().unwrap(),
                    iterations: if tolerance.is_some() { 300 } else { 20 },
                    tolerance,
                    precision: Precision::Double,
                    ..PageRankConfig::default()
                };
                check_with_seeds(device, csr, what, &config, &Seeds::default());
            }
            common::finish(device);
        }
    }
}

#[test]
fn with_seeds() {
    let seeds = [Seeds::new([(0, 1.0)]), Seeds::new([(3, 2.0), (299, 0.5), (17, 0.0)])].map(Result::unwrap);
    for (turn, (what, csr)) in settling().iter().enumerate().skip(2) {
        for device in common::devices_in_turn(turn + turn / 4) {
            for schedule in common::share(&["merge-path", "auto", "thread-mapped", "group-mapped"], 4, turn) {
                for (seeds, tolerance) in [(&seeds[0], None), (&seeds[1], Some(1e-4)), (&seeds[1], None)] {
                    let config =
                        PageRankConfig { schedule: schedule.parse().unwrap(), tolerance, ..PageRankConfig::default() };
                    check_with_seeds(&device, csr, what, &config, seeds);
                }
            }
            common::finish(&device);
        }
    }
}

/// networkx.pagerank(nx.DiGraph([(0, 1), (0, 2), (2, 1), (2, 3), (3, 0)]), alpha=0.85, personalization={2: 3, 3: 1}, tol=1e-15)
#[test]
fn seeds_as_networkx_has_them() {
    const EXPECTED: [f64; 4] = [0.19691203238165553, 0.2291536728485415, 0.34227308020314934, 0.23166121456665356];
    let graph = csr(4, [(0, 1), (0, 2), (2, 1), (2, 3), (3, 0)]);
    let seeds = Seeds::new([(2, 3.0), (3, 1.0)]).unwrap();
    for device in common::devices().iter().filter(|device| device.info().float64) {
        let config = PageRankConfig {
            iterations: 500,
            tolerance: Some(1e-14),
            precision: Precision::Double,
            ..PageRankConfig::default()
        };
        let mut pagerank = PageRank::prepare(device, &graph, &config).unwrap();
        pagerank.run(&seeds).unwrap();
        assert_eq!(first_mismatch(&EXPECTED, &pagerank.answer().unwrap().ranks, DOUBLE_TOLERANCE), None);
    }
    let parts = [0.0, 0.0, 0.75, 0.25];
    let (converged, _) = rounds(&graph, 0.85, &parts).nth(300).unwrap();
    assert_eq!(first_mismatch(&EXPECTED, &converged, DOUBLE_TOLERANCE), None);
}

#[test]
fn weights_do_not_matter() {
    let device = common::devices().pop().unwrap();
    let of = |csr: &Csr| {
        let mut pagerank = PageRank::prepare(&device, csr, &PageRankConfig::default()).unwrap();
        pagerank.run(&Seeds::default()).unwrap();
        pagerank.answer().unwrap().ranks
    };
    let plain = csr(5, [(0, 1), (0, 2), (2, 3), (3, 0), (3, 4)]);
    let weighted = plain.with_weights(evenkeel::graph::Weights::F32(vec![9.0, -1.0, 0.0, 3.5, 2.0].into())).unwrap();
    assert_eq!(of(&weighted), of(&plain));
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(12), failure_persistence: None, ..Default::default() };
        let edges = (1u32..1500).prop_flat_map(|nodes| {
            // Squaring crowds edges onto the first nodes, at both ends: long rows, and nodes without edges.
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..4000))
        });
        let run = |(nodes, edges): (u32, Vec<(u32, u32)>)| {
            check(&device, &csr(nodes, edges), "random");
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let device = common::devices().pop().unwrap();
    let refused = |config: PageRankConfig| PageRank::prepare(&device, &csr(2, [(0, 1)]), &config).err().unwrap();
    for damping in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let error = refused(PageRankConfig { damping, ..PageRankConfig::default() });
        assert!(matches!(&error, Error::Usage(message) if message.contains("is not in 0..=1")), "{error}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused(PageRankConfig { tolerance: Some(tolerance), ..PageRankConfig::default() });
        assert!(matches!(&error, Error::Usage(message) if message.contains("above 0")), "{error}");
    }
    let error = refused(PageRankConfig { iterations: 0, ..PageRankConfig::default() });
    assert!(matches!(&error, Error::Usage(message) if message.contains("0 is not in 1..")), "{error}");
    let mut pagerank = PageRank::prepare(&device, &csr(2, [(0, 1)]), &PageRankConfig::default()).unwrap();
    let error = pagerank.run(&Seeds::new([(2, 1.0)]).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::Usage(message) if message.contains("no node 2")), "{error}");
    assert!(pagerank.answer().is_err());
    let error = "even".parse::<Configured<PageRank>>().unwrap_err();
    assert!(matches!(error, Error::UnknownName { kind: "schedule", .. }), "{error}");
}
