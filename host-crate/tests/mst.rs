//! Spanning forests with every strategy, on every device, against Kruskal's: the same edges, in every run.

use crate::common;
use evenkeel::{
    algorithm::{Algorithm, Answer, FrontEnd, Mst, MstConfig, Value},
    device::Device,
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds, Weights,
        generate::Generator,
        weights::{WeightSource, assign},
    },
};
use proptest::prelude::*;

const NAMES: [&str; 3] = ["boruvka", "light-first", "auto"];

fn graph(nodes: u32, symmetrise: bool, edges: Vec<(u32, u32)>, weights: EdgeWeights) -> Graph {
    let (sources, targets) = edges.into_iter().unzip();
    let options = BuildOptions { symmetrise, ..BuildOptions::default() };
    let csr = Csr::from_edges(EdgeList { nodes, sources, targets, weights }, options).unwrap().0;
    Graph { name: "made".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: !symmetrise }
}

/// With whole weights from 1 on, few of which are different.
fn whole(nodes: u32, symmetrise: bool, edges: Vec<(u32, u32)>) -> Graph {
    let weights = (0..edges.len() as u32).map(|edge| 1 + edge.wrapping_mul(2_654_435_761) % 7).collect();
    graph(nodes, symmetrise, edges, EdgeWeights::U32(weights))
}

fn generated(text: &str, high: u32) -> Graph {
    let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
    if high > 0 {
        assign(&mut graph, WeightSource::Random { low: 1, high, seed: 0 }).unwrap();
    }
    graph
}

fn check(device: &Device, graph: &Graph, what: &str) {
    let expected = Mst::reference(graph, &(), &MstConfig::default()).unwrap();
    for name in NAMES {
        let config = MstConfig { strategy: name.parse().unwrap() };
        let mut mst = Mst::prepare(device, &graph.csr, &config).unwrap();
        for _ in 0..2 {
            mst.run(&()).unwrap();
            let found = mst.answer().unwrap();
            let mismatch = Mst::check(&found, &expected, graph, &());
            assert_eq!(mismatch, None, "{what}, {name} on {device:?}");
            assert_eq!(found.total(), expected.total(), "{what}, {name} on {device:?}");
        }
    }
}

#[test]
fn graphs_of_every_shape() {
    let ring = |nodes: u32| (0..nodes).map(|node| (node, (node + 1) % nodes)).collect::<Vec<_>>();
    let reals =
        |count: usize| EdgeWeights::F32((0..count).map(|edge| [0.5, -3.0, -0.0, 0.0, 1e30, -7.25][edge % 6]).collect());
    let largest =
        |count: usize| EdgeWeights::U32((0..count).map(|edge| if edge % 3 > 0 { u32::MAX } else { 0 }).collect());
    let crowd: Vec<(u32, u32)> = (0..3000u32).map(|edge| (edge * 7 % 101, edge * 31 % 97)).collect();
    let shapes = [
        ("no node", whole(0, true, Vec::new())),
        ("one node", whole(1, true, Vec::new())),
        ("edges to themselves alone", whole(300, true, (0..300).map(|node| (node, node)).collect())),
        ("no edge at all", whole(700, true, Vec::new())),
        ("one edge", whole(700, true, vec![(699, 3)])),
        ("a ring", whole(900, true, ring(900))),
        ("a ring one way", whole(900, false, ring(900))),
        ("a ring of real weights", graph(900, true, ring(900), reals(900))),
        ("parallel edges of real weights", graph(101, true, crowd.clone(), reals(3000))),
        ("the largest weights", graph(101, true, crowd.clone(), largest(3000))),
        ("parallel edges one way", whole(101, false, crowd)),
        ("no weights", generated("rmat:scale=9", 0)),
        ("a star", generated("star:nodes=3000", 64)),
        ("a chain", generated("chain:nodes=5000", 3)),
        ("a grid", generated("grid:rows=50,cols=60", 64)),
        ("a road network", generated("road:nodes=3000,lengths=true", 0)),
        ("a sparse random graph", generated("er:nodes=4000,degree=3", 64)),
        ("a random graph", generated("er:nodes=2000,degree=16", 1000)),
        ("a skewed graph", generated("rmat:scale=11", 64)),
        ("a complete graph", generated("complete:nodes=150", 9)),
    ];
    for device in common::devices() {
        shapes.iter().for_each(|(shape, graph)| check(&device, graph, shape));
        common::finish(&device);
    }
}

#[test]
fn both_directions_of_an_edge_may_weigh_differently() {
    let mut graph = generated("er:nodes=500,degree=8", 0);
    let weights =
        (0..graph.csr.narrow_edges().unwrap()).map(|edge| edge.wrapping_mul(40_503) % 50).collect::<Vec<u32>>();
    graph.csr = graph.csr.with_weights(Weights::U32(weights.into())).unwrap();
    for device in common::devices() {
        check(&device, &graph, "weights of each direction");
    }
}

#[test]
fn closed_forms() {
    let device = common::devices().pop().unwrap();
    for (text, edges) in [("grid:rows=20,cols=30", 599), ("complete:nodes=40", 39), ("star:nodes=9", 8)] {
        let graph = generated(text, 0);
        let mut mst = Mst::prepare(&device, &graph.csr, &MstConfig::default()).unwrap();
        mst.run(&()).unwrap();
        let forest = mst.answer().unwrap();
        assert_eq!((forest.sources.len(), forest.total()), (edges, Value::Count(edges as u64)), "{text}");
        assert!(forest.sources.iter().zip(&forest.targets).all(|(source, target)| source < target));
        assert_eq!(forest.columns().len(), Mst::columns(&MstConfig::default()));
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(24), failure_persistence: None, ..Default::default() };
        let edges = (1u32..1200).prop_flat_map(|nodes| {
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::bool::ANY, prop::collection::vec((crowded(), 0..nodes), 0..4000))
        });
        let run = |(nodes, symmetrise, edges): (u32, bool, Vec<(u32, u32)>)| {
            check(&device, &whole(nodes, symmetrise, edges), "random");
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}
