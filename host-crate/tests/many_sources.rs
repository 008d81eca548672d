//! Traversals from several sources at once: BFS and SSSP from the nearest with every strategy, and BFS from each, on every device.

use crate::common::{self, graph};
use evenkeel::{
    Error,
    algorithm::{ALL_SOURCES, Algorithm, Bfs, BfsConfig, FrontEnd, ManySources, Sssp, SsspConfig},
    device::Device,
    graph::{
        Graph,
        generate::Generator,
        weights::{WeightSource, assign},
    },
    settings::NamedText,
    strategy::{self, Operator},
};
use proptest::prelude::*;

fn generated(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

fn check<A: FrontEnd<Input = u32>>(device: &Device, graph: &Graph, what: &str, config: &A::Config) {
    let expected = A::reference(graph, &ALL_SOURCES, config).unwrap();
    let mut algorithm = A::prepare(device, &graph.csr, config).unwrap();
    for _ in 0..2 {
        algorithm.run(&ALL_SOURCES).unwrap();
        let found = algorithm.answer().unwrap();
        let mismatch = A::check(&found, &expected, graph, &ALL_SOURCES);
        assert_eq!(mismatch, None, "{} on {what}, {} on {device:?}", A::ABOUT.name, A::alternative(config));
    }
}

/// The nearest with some of the strategies, and each.
fn check_all(device: &Device, graph: &Graph, what: &str, sources: &[u32], turn: usize) {
    let from = ManySources::from(sources.to_vec());
    for parents in [false, true] {
        let base = BfsConfig { from: from.clone(), parents, ..BfsConfig::default() };
        let names: Vec<_> = strategy::of(Operator::Bfs, device.info()).map(|it| it.name).collect();
        for name in common::share(&names, 6, turn) {
            check::<Bfs>(device, graph, what, &Bfs::with_alternative(&base, name).unwrap());
        }
        check::<Bfs>(device, graph, what, &base);
        check::<Bfs>(device, graph, what, &BfsConfig { per_source: true, ..base });
    }
    let base = SsspConfig { from, parents: true, ..SsspConfig::default() };
    let names: Vec<_> = strategy::of(Operator::SsspU32, device.info()).map(|it| it.name).collect();
    for name in common::share(&names, 6, turn) {
        check::<Sssp>(device, graph, what, &Sssp::with_alternative(&base, name).unwrap());
    }
}

#[test]
fn graphs_of_every_shape() {
    let shapes = [
        ("one node", graph(1, [], false), vec![0]),
        ("no edge at all", graph(70, [], false), vec![3, 69, 0]),
        ("a chain one way", graph(100, (0..99).map(|node| (node, node + 1)), true), vec![50, 10, 98]),
        ("two parts", graph(20, (0..9).map(|node| (node, node + 1)).chain([(12, 13), (13, 14)]), false), vec![13, 2]),
        ("all nodes", generated("grid:rows=9,cols=15"), (0..135).collect()),
        ("a star", generated("star:nodes=200"), vec![7, 8]),
        ("a skewed graph", generated("rmat:scale=9"), (0..65).map(|source| source * 7).collect()),
        ("a road network", generated("road:nodes=600"), vec![0, 300, 599]),
        (
            "hubs",
            graph(5000, (0..5000).flat_map(|node| [(node % 2, node), (node, (node * 31) % 5000)]), false),
            vec![0, 9],
        ),
    ];
    for device in common::devices() {
        for (turn, (shape, graph, sources)) in shapes.iter().enumerate() {
            check_all(&device, graph, shape, sources, turn);
        }
        common::finish(&device);
    }
}

#[test]
fn weights_and_random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(16), failure_persistence: None, ..Default::default() };
        let edges = (1u32..300).prop_flat_map(|nodes| {
            let node = move || 0..nodes;
            let sources = prop::collection::hash_set(0..nodes, 1..=(nodes as usize).min(70));
            (Just(nodes), prop::collection::vec((node(), node()), 0..900), any::<bool>(), sources, any::<u8>())
        });
        let run = |(nodes, edges, directed, sources, turn): (u32, Vec<(u32, u32)>, bool, _, u8)| {
            let sources: Vec<u32> = std::collections::HashSet::<u32>::into_iter(sources).collect();
            let mut graph = graph(nodes, edges, directed);
            check_all(&device, &graph, "random", &sources, turn.into());
            let from = ManySources::from(sources);
            for weights in ["random:0..9", "random:1..64"] {
                let weights: WeightSource = weights.parse().unwrap();
                assign(&mut graph, weights).unwrap();
                check::<Sssp>(
                    &device,
                    &graph,
                    "random",
                    &SsspConfig { from: from.clone(), parents: true, ..SsspConfig::default() },
                );
            }
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let (device, chain) = (common::devices().pop().unwrap(), generated("chain:nodes=5"));
    let is_refused = |result: evenkeel::Result<()>, words: &str| {
        assert!(matches!(&result, Err(Error::Usage(message)) if message.contains(words)), "{result:?}");
    };
    let prepare = |config: &BfsConfig| Bfs::prepare(&device, &chain.csr, config).map(drop);
    let from = ManySources::from(vec![1, 3]);
    is_refused(prepare(&BfsConfig { per_source: true, ..BfsConfig::default() }), "the setting `sources`");
    is_refused(prepare(&BfsConfig { from: ManySources::from(vec![5]), ..BfsConfig::default() }), "no node 5");
    let unfound = ManySources { nodes: Vec::new(), ..from.clone() };
    is_refused(prepare(&BfsConfig { from: unfound.clone(), ..BfsConfig::default() }), "were not found");
    let node =
        BfsConfig { from: from.clone(), per_source: true, strategy: "node".parse().unwrap(), ..BfsConfig::default() };
    is_refused(prepare(&node), "does not take strategy node");
    let mut bfs = Bfs::prepare(&device, &chain.csr, &BfsConfig { from, ..BfsConfig::default() }).unwrap();
    is_refused(bfs.run(&1).map(drop), "2 sources at once");
    bfs.run(&ALL_SOURCES).unwrap();
    let tree = bfs.answer().unwrap();
    assert_eq!((tree.depths, tree.sources), (vec![1, 0, 1, 0, 1], vec![1, 3]));
    let found = unfound.found(&chain).unwrap();
    assert_eq!((found.nodes, found.names), (vec![1, 3], vec!["1".to_owned(), "3".to_owned()]));
    is_refused(ManySources::from(vec![9]).found(&chain).map(drop), "no node 9");
    let mut one = Bfs::prepare(&device, &chain.csr, &BfsConfig::default()).unwrap();
    is_refused(one.run(&ALL_SOURCES).map(drop), "no node");
}

#[test]
fn sources_are_found_in_the_contents_of_a_file() {
    let chain = generated("chain:nodes=9");
    let found = |text: &str| {
        let file = NamedText { name: "sources.txt".into(), text: text.to_owned() };
        ManySources { file: Some(file), ..ManySources::default() }.found(&chain)
    };
    assert_eq!(found("2\n\n 7 \n2\n").unwrap().nodes, [2, 7]);
    assert!(found("\n").unwrap_err().to_string().contains("sources.txt names no node"));
    assert!(found("12\n").unwrap_err().to_string().contains("sources.txt:1: "));
}
