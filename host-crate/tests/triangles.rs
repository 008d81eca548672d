//! Triangles by every strategy, on every device, all together and of each node, against the oracle: graphs of every shape, random ones,
//! and those whose number of triangles is known in closed form.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, NodeTriangles, PerNode, TriangleCounts, Triangles, TrianglesConfig},
    device::Device,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Weights, generate::Generator},
    oracle::triangles,
};
use proptest::prelude::*;

/// With tables for all nodes, too: few graphs here have heavy ones.
const STRATEGIES: [&str; 4] = ["binary-search", "bitmap:heavy=1", "bitmap", "auto"];

fn directed(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
    Csr::from_edges(list, BuildOptions::default()).unwrap().0
}

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, options).unwrap().0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn config(strategy: &str, per_node: PerNode) -> TrianglesConfig {
    TrianglesConfig { strategy: strategy.parse().unwrap(), per_node }
}

fn found(device: &Device, csr: &Csr, config: &TrianglesConfig) -> TriangleCounts {
    let mut triangles = Triangles::prepare(device, csr, config).unwrap();
    triangles.run(&()).unwrap();
    triangles.answer().unwrap()
}

fn check_coefficients(csr: &Csr, what: &str) {
    let expected = triangles::clustering(csr);
    for device in common::devices() {
        for strategy in ["binary-search", "bitmap:heavy=1", "auto"] {
            let NodeTriangles::Coefficients(all) = found(&device, csr, &config(strategy, PerNode::Lcc)).nodes else {
                panic!("coefficients were asked for")
            };
            assert_eq!(triangles::first_mismatch(&expected, &all), None, "{what}, {strategy} on {device:?}");
        }
        common::finish(&device);
    }
}

fn check(csr: &Csr, what: &str) {
    let counts = triangles::counts(csr);
    let total = counts.iter().sum::<u64>() / 3;
    for device in common::devices() {
        for strategy in STRATEGIES {
            let of_all = found(&device, csr, &config(strategy, PerNode::None));
            let expected = TriangleCounts { total, nodes: NodeTriangles::None };
            assert_eq!(of_all, expected, "{what}, {strategy} on {device:?}");
            if strategy == "bitmap" {
                continue;
            }
            let of_nodes = found(&device, csr, &config(strategy, PerNode::Count));
            let expected = TriangleCounts { total, nodes: NodeTriangles::Counts(counts.clone()) };
            assert_eq!(of_nodes, expected, "{what}, {strategy} on {device:?}");
        }
        common::finish(&device);
    }
    check_coefficients(csr, what);
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("no edge at all", csr(700, [])),
        ("one edge", csr(700, [(699, 3)])),
        ("one triangle among many nodes", csr(7000, [(6999, 3), (3, 4000), (4000, 6999)])),
        ("edges to themselves alone", csr(300, (0..300).map(|node| (node, node)))),
        ("a chain with edges to themselves", csr(900, (0..899).flat_map(|node| [(node, node + 1), (node, node)]))),
        ("a star", generated("star:nodes=3000")),
        ("a wheel", csr(2801, (0..2800).flat_map(|node| [(node, (node + 1) % 2800), (node, 2800)]))),
        ("two sides", csr(120, (0..60).flat_map(|left| (60..120).map(move |right| (left, right))))),
        ("a clique", generated("complete:nodes=90")),
        ("as many edges as a block holds", csr(1024, (0..1024).map(|node| (node, (node + 1) % 1024)))),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a skewed graph", generated("rmat:scale=9")),
    ];
    for (shape, csr) in &shapes {
        check(csr, shape);
    }
}

#[test]
fn parallel_edges_count_once() {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
    let twice = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a), (a, b), (b, a)]).chain([(1, 1)]);
    let csr = directed(5, twice);
    assert_eq!(csr.edges(), 17);
    check(&csr, "every edge twice");
}

#[test]
fn random_graphs() {
    let runner = ProptestConfig { cases: common::cases(8), failure_persistence: None, ..Default::default() };
    let edges = (1u32..500).prop_flat_map(|nodes| {
        // Squaring crowds edges onto the first nodes.
        let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
        (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..3000))
    });
    let run = |(nodes, edges): (u32, Vec<(u32, u32)>)| {
        check(&csr(nodes, edges.iter().copied()), "random");
        check_coefficients(&directed(nodes, edges), "random and directed");
        Ok(())
    };
    proptest::test_runner::TestRunner::new(runner).run(&edges, run).unwrap();
}

#[test]
fn larger_graphs() {
    for device in common::devices() {
        let skewed = generated("rmat:scale=12");
        let total = triangles::total(&skewed);
        // Several workgroups to a kernel, rows in several pieces.
        assert!(skewed.skew().highest > 1024);
        for strategy in STRATEGIES {
            assert_eq!(found(&device, &skewed, &config(strategy, PerNode::None)).total, total, "{strategy}");
        }
        let mut again = Triangles::prepare(&device, &skewed, &config("bitmap", PerNode::Count)).unwrap();
        let mut counts = || {
            again.run(&()).unwrap();
            again.answer().unwrap()
        };
        assert_eq!(counts(), counts(), "a second run");
        let clique = generated("complete:nodes=300");
        assert_eq!(found(&device, &clique, &config("auto", PerNode::None)).total, 300 * 299 * 298 / 6);
        common::finish(&device);
    }
}

#[test]
fn more_nodes_of_high_degree_than_a_bitmap_has_bits() {
    let (apart, rim) = (45_000u32, 1000);
    let triangles = (0..apart).flat_map(|it| [(3 * it, 3 * it + 1), (3 * it + 1, 3 * it + 2), (3 * it + 2, 3 * it)]);
    let hub = 3 * apart + rim;
    let wheel = (0..rim).flat_map(|it| [(3 * apart + it, 3 * apart + (it + 1) % rim), (hub, 3 * apart + it)]);
    let csr = csr(hub + 1, triangles.chain(wheel));
    for device in &common::devices() {
        for per_node in [PerNode::None, PerNode::Count] {
            let counts = found(device, &csr, &config("bitmap:heavy=1", per_node));
            assert_eq!(counts.total, u64::from(apart + rim), "{device:?}");
        }
    }
}

#[test]
fn weights_do_not_matter_and_directions_are_refused() {
    let device = common::devices().pop().unwrap();
    let triangle = csr(3, [(0, 1), (1, 2), (2, 0)]);
    let weighted = triangle.with_weights(Weights::U32(vec![9; 6].into())).unwrap();
    assert_eq!(found(&device, &weighted, &TrianglesConfig::default()).total, 1);
    let one_way = directed(3, [(0, 1), (1, 2), (2, 0)]);
    for per_node in [PerNode::None, PerNode::Count] {
        let error = Triangles::prepare(&device, &one_way, &config("auto", per_node)).err().unwrap();
        assert!(matches!(&error, Error::Graph(message) if message.contains("--undirected")), "{error}");
    }
    // The same with as many edges in all as the undirected graph has: with loops, and with parallel edges.
    let with_loops = directed(3, [(0, 1), (1, 2), (2, 0), (0, 0), (1, 1), (2, 2)]);
    let twice = directed(3, [(0, 1), (1, 2), (2, 0), (0, 1), (1, 2), (2, 0)]);
    for device in &common::devices() {
        for csr in [&one_way, &with_loops, &twice] {
            for strategy in STRATEGIES {
                let counts = found(device, csr, &config(strategy, PerNode::Lcc));
                assert_eq!(counts.nodes, NodeTriangles::Coefficients(vec![0.5; 3]), "{strategy} on {device:?}");
                assert_eq!(counts.total, 1, "{strategy} on {device:?}");
            }
        }
    }
}
