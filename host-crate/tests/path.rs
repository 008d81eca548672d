//! One shortest path between two nodes, on every device: its length is the oracle's, its edges are there, and the search stops early. Also the
//! nodes within some hops.

use crate::common;
use evenkeel::{
    Error,
    algorithm::path::{check_path, neighbourhood, shortest_path},
    device::Device,
    engine::SharedGraph,
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds, Weights,
        generate::Generator,
        weights::{WeightSource, assign},
    },
    oracle,
};
use proptest::prelude::*;

/// Pairs of nodes: edges, or ends of paths.
type Pairs = Vec<(u32, u32)>;

fn graph(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
    let (sources, targets) = edges.into_iter().unzip();
    let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(list, BuildOptions::default()).unwrap().0;
    Graph { name: "graph".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
}

fn generated(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

fn weighted(mut graph: Graph, low: u32, high: u32) -> Graph {
    assign(&mut graph, WeightSource::Random { low, high, seed: 5 }).unwrap();
    graph
}

/// Gives a graph real weights.
fn real(graph: Graph) -> Graph {
    let graph = weighted(graph, 0, 9);
    let Weights::U32(weights) = graph.csr.weights() else { panic!("whole weights") };
    let reals: Vec<f32> = weights.iter().map(|weight| *weight as f32 / 4.0).collect();
    Graph { csr: graph.csr.with_weights(Weights::F32(reals.into())).unwrap(), ..graph }
}

fn check(device: &Device, graph: &Graph, pairs: &[(u32, u32)], what: &str) {
    let shared = SharedGraph::new(device, &graph.csr);
    let has_weights = !matches!(graph.csr.weights(), Weights::None);
    for by_weights in [false, true].into_iter().filter(|by_weights| has_weights || !by_weights) {
        for &(from, to) in pairs {
            let (route, _) = shortest_path(&shared, from, to, by_weights).unwrap();
            let wrong = check_path(graph, route.as_ref(), (from, to), by_weights).unwrap();
            assert_eq!(wrong, None, "{what}, {from} to {to}, by weights: {by_weights}, on {device:?}: {route:?}");
            let (again, _) = shortest_path(&shared, from, to, by_weights).unwrap();
            assert_eq!(route, again, "{what}, {from} to {to} on {device:?}");
        }
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("one node", graph(1, []), vec![(0, 0)]),
        ("no edge", graph(3, []), vec![(0, 2), (1, 1)]),
        ("an edge one way", graph(3, [(0, 1)]), vec![(0, 1), (1, 0), (0, 2)]),
        ("parallel edges and edges to themselves", graph(3, [(0, 0), (0, 1), (0, 1), (1, 2), (2, 2)]), vec![(0, 2)]),
        (
            "two parts",
            graph(900, (0..449).flat_map(|node| [(node, node + 1), (node + 450, node + 451)])),
            vec![(3, 400), (3, 460)],
        ),
        ("a star", generated("star:nodes=3000"), vec![(1, 2999), (0, 7), (7, 0)]),
        ("a chain", generated("chain:nodes=3000"), vec![(0, 2999), (1500, 1501), (1500, 1400)]),
        ("a grid", generated("grid:rows=60,cols=70"), vec![(0, 4199), (2000, 2071), (9, 10)]),
        ("a road network", generated("road:nodes=4000"), vec![(0, 3999), (1000, 1010)]),
        ("a skewed graph", generated("rmat:scale=11"), vec![(0, 1), (5, 2000), (77, 900)]),
    ];
    for device in common::devices() {
        for (what, graph, pairs) in &shapes {
            check(&device, graph, pairs, what);
            check(&device, &weighted(graph.clone(), 1, 64), pairs, &format!("{what}, whole weights"));
            check(&device, &real(graph.clone()), pairs, &format!("{what}, real weights, some of them 0"));
        }
        common::finish(&device);
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(24), failure_persistence: None, ..Default::default() };
        let edges = (2u32..600).prop_flat_map(|nodes| {
            let ends = (0..nodes, 0..nodes);
            (Just(nodes), prop::collection::vec(ends.clone(), 0..2500), prop::collection::vec(ends, 3))
        });
        let run = |(nodes, edges, pairs): (u32, Pairs, Pairs)| {
            check(&device, &weighted(graph(nodes, edges.clone()), 0, 5), &pairs, "random, whole weights");
            check(&device, &real(graph(nodes, edges)), &pairs, "random, real weights");
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

/// A path to a neighbour takes a few iterations, where a search of all nodes takes hundreds.
#[test]
fn the_search_stops_at_the_target() {
    let grid = weighted(generated("grid:rows=150,cols=150"), 1, 64);
    for device in common::devices() {
        let shared = SharedGraph::new(&device, &grid.csr);
        let iterations = |to: u32, by_weights: bool| shortest_path(&shared, 0, to, by_weights).unwrap().1.iterations;
        for by_weights in [false, true] {
            let (near, far) = (iterations(2, by_weights), iterations(22_499, by_weights));
            assert!(near * 4 < far, "by weights: {by_weights}, {near} and {far} iterations on {device:?}");
        }
        common::finish(&device);
    }
}

#[test]
fn the_nodes_within_some_hops() {
    let grid = generated("grid:rows=20,cols=30");
    let depths = oracle::bfs::depths(&grid.csr, 45);
    for device in common::devices() {
        let shared = SharedGraph::new(&device, &grid.csr);
        for hops in [0, 1, 3, 100] {
            let (near, _) = neighbourhood(&shared, 45, hops).unwrap();
            let mut expected: Vec<(u32, u32)> =
                (0..).zip(depths.iter().copied()).filter(|(_, depth)| *depth <= hops).collect();
            expected.sort_by_key(|(node, depth)| (*depth, *node));
            assert_eq!(near, expected, "{hops} hops on {device:?}");
        }
        common::finish(&device);
    }
}

#[test]
fn a_node_that_is_not_there_is_refused() {
    let device = common::devices().pop().unwrap();
    let shared = SharedGraph::new(&device, &graph(3, [(0, 1)]).csr);
    for (from, to) in [(0, 3), (3, 0)] {
        let error = shortest_path(&shared, from, to, false).unwrap_err();
        assert!(matches!(&error, Error::Usage(message) if message.contains("no node 3")), "{error}");
    }
    assert!(matches!(neighbourhood(&shared, 3, 1), Err(Error::Usage(_))));
}
