//! Core numbers by every strategy, on every device, against the oracle: graphs of every shape, random ones, and those whose numbers are
//! known in closed form.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, Cores, KCore, KCoreConfig},
    device::Device,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, generate::Generator},
    oracle::kcore,
};
use proptest::prelude::*;

const STRATEGIES: [&str; 3] = ["peel", "h-index", "auto"];

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

fn found(device: &Device, csr: &Csr, strategy: &str, k: Option<u32>) -> Vec<u32> {
    let config = KCoreConfig { strategy: strategy.parse().unwrap(), k };
    let mut cores = KCore::prepare(device, csr, &config).unwrap();
    cores.run(&()).unwrap();
    let first = cores.answer().unwrap();
    cores.run(&()).unwrap();
    assert_eq!(cores.answer().unwrap(), first, "a second run");
    let Cores { k: of, nodes } = first;
    assert_eq!(of, k);
    nodes
}

fn check(csr: &Csr, what: &str) {
    let expected = kcore::cores(csr);
    let largest = expected.iter().copied().max().unwrap_or(0);
    for device in common::devices() {
        for strategy in STRATEGIES {
            assert_eq!(found(&device, csr, strategy, None), expected, "{what}, {strategy} on {device:?}");
            for k in [1, 2, largest + 1] {
                let members: Vec<u32> = expected.iter().map(|core| u32::from(*core >= k)).collect();
                assert_eq!(
                    found(&device, csr, strategy, Some(k)),
                    members,
                    "{what}, {k}-core, {strategy} on {device:?}"
                );
            }
        }
        common::finish(&device);
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("no edge at all", csr(700, [])),
        ("one edge", csr(700, [(699, 3)])),
        ("edges to themselves alone", csr(300, (0..300).map(|node| (node, node)))),
        ("a chain, which is taken away from both ends", csr(900, (0..899).map(|node| (node, node + 1)))),
        ("a star", generated("star:nodes=3000")),
        ("a wheel", csr(801, (0..800).flat_map(|node| [(node, (node + 1) % 800), (node, 800)]))),
        ("two sides", csr(120, (0..60).flat_map(|left| (60..120).map(move |right| (left, right))))),
        ("a clique, whose levels are skipped", generated("complete:nodes=150")),
        ("a grid, which is taken away from its corners", generated("grid:rows=30,cols=40")),
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
    check(&directed(5, twice), "every edge twice");
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
        check(&csr(nodes, edges), "random");
        Ok(())
    };
    proptest::test_runner::TestRunner::new(runner).run(&edges, run).unwrap();
}

#[test]
fn more_nodes_at_a_level_than_a_queue_holds() {
    // Rings of three in a row, each node with a leaf: first all leaves, then all rings.
    let rings = (0..4000u32).flat_map(|ring| {
        let (a, b, c) = (6 * ring, 6 * ring + 1, 6 * ring + 2);
        [(a, b), (b, c), (c, a), (a, a + 3), (b, b + 3), (c, c + 3)]
    });
    let csr = csr(24_000, rings);
    let expected: Vec<u32> = (0..24_000).map(|node| if node % 6 < 3 { 2 } else { 1 }).collect();
    // A path that a single invocation could take away from both ends, and a skewed graph of a hundred levels.
    let path = generated("chain:nodes=20000");
    let skewed = generated("rmat:scale=11");
    let cores = kcore::cores(&skewed);
    for device in common::devices() {
        for strategy in STRATEGIES {
            assert_eq!(found(&device, &csr, strategy, None), expected, "{strategy} on {device:?}");
            assert_eq!(found(&device, &skewed, strategy, None), cores, "{strategy} on {device:?}");
        }
        assert_eq!(found(&device, &path, "auto", None), vec![1; 20_000], "{device:?}");
        common::finish(&device);
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let device = common::devices().pop().unwrap();
    let refused =
        |csr: &Csr, k| KCore::prepare(&device, csr, &KCoreConfig { k, ..KCoreConfig::default() }).err().unwrap();
    let error = refused(&directed(3, [(0, 1), (1, 2), (2, 0)]), None);
    assert!(matches!(&error, Error::Graph(message) if message.contains("--undirected")), "{error}");
    let error = refused(&csr(2, [(0, 1)]), Some(0));
    assert!(matches!(&error, Error::Usage(message) if message.contains("from 1 on")), "{error}");
}
