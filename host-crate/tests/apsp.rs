//! All-pairs shortest paths, every way on every device, against Floyd and Warshall and against Dijkstra.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, AllPairs, Apsp, ApspConfig, Distances, FrontEnd, plan},
    device::{Device, DeviceKind, DeviceOptions},
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, OpenOptions, Weights,
        generate::{Generator, random::mix},
        open, transform,
        weights::{WeightSource, assign},
    },
    oracle::{dijkstra, floyd_warshall},
};

const EVERY_WAY: [&str; 5] = ["sssp", "floyd-warshall", "blocked", "dijkstra", "auto"];
const DENSE: [&str; 2] = ["floyd-warshall", "blocked"];

fn csr(nodes: u32, edges: &[(u32, u32)], weights: EdgeWeights) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

/// Edges between nodes that a seed draws, some of them loops or twice.
fn random_edges(nodes: u32, count: u32, seed: u64) -> Vec<(u32, u32)> {
    let draw = |number: u64| (mix(seed << 32 | number) % u64::from(nodes)) as u32;
    (0..u64::from(count)).map(|edge| (draw(2 * edge), draw(2 * edge + 1))).collect()
}

fn prepared(device: &Device, csr: &Csr, way: &str) -> evenkeel::Result<Apsp> {
    Apsp::prepare(device, csr, &ApspConfig { strategy: way.parse().unwrap() })
}

fn distances(device: &Device, csr: &Csr, way: &str) -> evenkeel::Result<AllPairs> {
    let mut apsp = prepared(device, csr, way)?;
    // Twice: a run must not depend on what the one before it left.
    apsp.run(&())?;
    apsp.run(&())?;
    apsp.answer()
}

/// Whether a device can run it.
fn runs(device: &Device, way: &str) -> bool {
    way != "dijkstra" || device.info().kind == DeviceKind::Cpu
}

fn check(device: &Device, csr: &Csr, ways: &[&str], what: &str) {
    let real = matches!(csr.weights(), Weights::F32(_));
    let whole = if real { Vec::new() } else { floyd_warshall::whole(csr).unwrap() };
    let reals = if real { floyd_warshall::real(csr).unwrap() } else { Vec::new() };
    for way in ways.iter().filter(|way| runs(device, way)) {
        let found = distances(device, csr, way).unwrap();
        assert_eq!(found.nodes, csr.nodes());
        match found.distances {
            Distances::U32(found) => assert!(found == whole, "{what}, {way} on {device:?}"),
            Distances::U64(_) | Distances::F64(_) => panic!("distances of all pairs have 32 bits"),
            Distances::F32(found) => {
                assert_eq!(found.len(), reals.len());
                for (place, (found, expected)) in found.into_iter().zip(&reals).enumerate() {
                    let close = f64::from(found) == *expected || (f64::from(found) - expected).abs() < 1e-3;
                    assert!(close, "{what}, {way} on {device:?}: {place} is {found}, not {expected}");
                }
            }
        }
    }
}

#[test]
fn the_strategies_are_those_that_are_listed() {
    assert!(Apsp::alternatives().into_iter().map(|strategy| strategy.about.name).eq(EVERY_WAY));
}

#[test]
fn graphs_of_every_shape() {
    let ring: Vec<_> = (0..150).map(|node| (node, (node + 1) % 150)).collect();
    let twice = [(0, 1), (0, 1), (1, 1), (1, 2), (0, 2), (2, 2), (2, 0)];
    let many = random_edges(200, 900, 1);
    let reals = EdgeWeights::F32((0..900).map(|edge| (edge % 97) as f32 / 7.0).collect());
    let shapes = [
        ("no node", csr(0, &[], EdgeWeights::None)),
        ("one node", csr(1, &[], EdgeWeights::None)),
        ("one node and a loop", csr(1, &[(0, 0)], EdgeWeights::U32(vec![u32::MAX]))),
        ("no edges", csr(130, &[], EdgeWeights::None)),
        ("parallel edges and loops", csr(3, &twice, EdgeWeights::U32(vec![5, 3, 1, 1, 9, 0, 2]))),
        ("two components", csr(140, &[(0, 1), (1, 0), (138, 139)], EdgeWeights::None)),
        ("a ring, one way", csr(150, &ring, EdgeWeights::None)),
        ("edges of no weight", csr(150, &ring, EdgeWeights::U32(vec![0; 150]))),
        ("a random graph", csr(200, &many, EdgeWeights::U32((0..900).map(|edge| edge % 61).collect()))),
        ("a random graph with real weights", csr(200, &many, reals)),
    ];
    for (turn, (what, csr)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, csr, &EVERY_WAY, what);
            common::finish(&device);
        }
    }
}

#[test]
fn any_number_of_nodes_has_its_tiles() {
    for (turn, nodes) in [2, 63, 64, 65, 127, 128, 129, 192, 257].into_iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            let edges = random_edges(nodes, 4 * nodes, u64::from(nodes));
            let weights = EdgeWeights::U32((0..edges.len() as u32).map(|edge| edge * 7 % 31).collect());
            check(&device, &csr(nodes, &edges, weights), &["sssp", "blocked"], &format!("{nodes} nodes"));
            common::finish(&device);
        }
    }
}

/// Weights below zero on no cycle that is: every edge climbs from one node's height to another's, and heights cancel round it.
fn climbing(nodes: u32) -> Csr {
    let edges = random_edges(nodes, 5 * nodes, 3);
    let height = |node: u32| (mix(u64::from(node)) % 64) as f32 / 4.0;
    let weights = edges.iter().zip(0..).map(|((u, v), edge)| (edge % 13) as f32 / 8.0 + height(*u) - height(*v));
    let weights = EdgeWeights::F32(weights.collect());
    csr(nodes, &edges, weights)
}

#[test]
fn negative_weights_are_for_the_dense_ways() {
    let csr = climbing(150);
    assert!(csr.weight_range().unwrap().0 < -10.0);
    for device in common::devices() {
        check(&device, &csr, &["floyd-warshall", "blocked", "auto"], "negative weights");
        match prepared(&device, &csr, "sssp") {
            Err(Error::Graph(reason)) => assert!(reason.contains("negative"), "{reason}"),
            _ => panic!("sssp takes negative weights"),
        }
    }
}

#[test]
fn a_negative_cycle_is_found_and_a_node_on_it_named() {
    // Nodes 70, 140 and 7, in three different tiles; 9 leads there, and nothing leads back.
    let cycle = [(70, 140), (140, 7), (7, 70), (9, 7), (3, 3)];
    let graphs = [
        csr(150, &cycle, EdgeWeights::F32(vec![1.0, -3.0, 1.5, 1.0, 1.0])),
        csr(150, &[(3, 4), (90, 90)], EdgeWeights::F32(vec![1.0, -0.25])),
        // So many that their lengths double at every step until they are infinite.
        csr(300, &random_edges(300, 3000, 5), EdgeWeights::F32(vec![-1.0; 3000])),
    ];
    for device in common::devices() {
        for (csr, nodes) in graphs.iter().zip([&[7, 70, 140][..], &[90], &[]]) {
            assert!(floyd_warshall::real(csr).is_err());
            for way in DENSE {
                let Err(Error::NegativeCycle { node, length }) = distances(&device, csr, way) else {
                    panic!("{way} finds no cycle")
                };
                let named = nodes.is_empty() || nodes.contains(&node);
                assert!((length < 0.0 || length.is_nan()) && named, "{way}: {node} {length}");
            }
        }
    }
}

#[test]
fn a_sum_that_no_real_holds_is_refused_and_not_taken_for_no_path() {
    let path = |weights: [f32; 3]| csr(70, &[(0, 1), (1, 2), (2, 65)], EdgeWeights::F32(weights.to_vec()));
    for device in common::devices() {
        for (weights, ways) in
            [([3e38, 3e38, 1.0], &EVERY_WAY[..]), ([3e38, 3e38, -3e38], &DENSE), ([-3e38, -3e38, 1.0], &DENSE)]
        {
            for way in ways.iter().filter(|way| runs(&device, way)) {
                let Err(Error::Graph(reason)) = distances(&device, &path(weights), way) else {
                    panic!("{way} takes {weights:?}")
                };
                assert!(reason.contains("a path is longer than"), "{way}: {reason}");
            }
            let graph = evenkeel::graph::Graph {
                name: String::new(),
                csr: path(weights),
                ids: evenkeel::graph::NodeIds::Counted { first: 0 },
                directed: true,
            };
            assert!(Apsp::reference(&graph, &(), &ApspConfig::default()).is_err(), "{weights:?}");
        }
        assert!(distances(&device, &path([3e38, 1.0, 2.0]), "auto").is_ok());
    }
}

#[test]
fn lengths_up_to_the_last_word_are_right_and_longer_ones_refused() {
    let path = |weights: Vec<u32>| csr(4, &[(0, 1), (1, 2), (2, 3), (0, 3)], EdgeWeights::U32(weights));
    let half = u32::MAX / 2;
    for device in common::devices() {
        for weights in [
            vec![half, half, 0, u32::MAX - 1],
            vec![half - 1, 1, half, half],
            vec![1, 1, 1, u32::MAX],
            vec![u32::MAX - 3, 1, 1, u32::MAX],
        ] {
            check(&device, &path(weights.clone()), &EVERY_WAY, &format!("{weights:?}"));
        }
        for weights in [vec![half, half, 2, u32::MAX], vec![u32::MAX, 1, 1, 1]] {
            for way in EVERY_WAY.into_iter().filter(|way| runs(&device, way)) {
                match distances(&device, &path(weights.clone()), way) {
                    Err(Error::Graph(reason)) => assert!(reason.contains("4,294,967,294"), "{reason}"),
                    other => panic!("{way} gives {other:?} for {weights:?}"),
                }
            }
        }
    }
}

#[test]
fn all_sources_at_once_are_dijkstra_from_each() {
    let mut graph = "rmat:scale=9,edge-factor=8".parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut graph, WeightSource::Random { low: 0, high: 1000, seed: 4 }).unwrap();
    let whole = graph.csr.clone();
    // A third of each: sums of these are rounded.
    let Weights::U32(weights) = whole.weights() else { panic!("no weights") };
    let thirds: Vec<f32> = weights.iter().map(|weight| *weight as f32 / 3.0).collect();
    let real = whole.with_weights(Weights::F32(thirds.into())).unwrap();
    let reversed = transform::transpose(&real).unwrap();
    let nodes = whole.nodes() as usize;
    for device in common::devices() {
        let Distances::U32(found) = distances(&device, &whole, "sssp").unwrap().distances else { panic!() };
        for (source, row) in (0..).zip(found.chunks(nodes)) {
            assert!(row == dijkstra::whole(&whole, source).unwrap(), "from node {source} on {device:?}");
        }
        // To the bit, when edges are added in the same order: from the target on.
        let Distances::F32(found) = distances(&device, &real, "sssp").unwrap().distances else { panic!() };
        for target in 0..nodes {
            let column: Vec<f32> = found.iter().skip(target).step_by(nodes).copied().collect();
            assert!(column == dijkstra::real(&reversed, target as u32).unwrap(), "to node {target} on {device:?}");
        }
        common::finish(&device);
    }
}

#[test]
fn a_matrix_that_does_not_fit_is_refused_with_the_most_that_does() {
    let limit = DeviceOptions { memory_limit: Some(1 << 20), ..DeviceOptions::default() };
    let device = Device::open("cpu", &limit).unwrap();
    let csr = csr(600, &[(0, 1)], EdgeWeights::None);
    for way in EVERY_WAY {
        let config = ApspConfig { strategy: way.parse().unwrap() };
        assert!(matches!(Apsp::prepare(&device, &csr, &config), Err(Error::Memory(_))), "{way}");
        let most = Apsp::most_nodes(&device, &csr, &config);
        assert_eq!(most, 384, "{way}: 512 × 512 words are the whole limit");
        assert!(prepared(&device, &Csr::new(vec![0; 385], vec![], Weights::None).unwrap(), way).is_ok());
    }
    let huge = Csr::new(vec![0; 70_001], vec![], Weights::None).unwrap();
    let Err(Error::Memory(reason)) = plan::<Apsp>(device.info(), &huge, &ApspConfig::default()) else {
        panic!("70,000 nodes are taken")
    };
    assert!(reason.contains("4900000000 distances") && reason.contains("65408"), "{reason}");
}

#[test]
fn real_graphs() {
    let Some(folder) = common::data() else { return };
    let files = [
        ("matrix/jazz.mtx", &EVERY_WAY[..]),
        ("mesh/foodweb-baydry.konect", &EVERY_WAY[..]),
        ("matrix/1138_bus.mtx", &["sssp", "blocked"]),
    ];
    for (turn, (file, ways)) in files.into_iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            let (mut graph, _) = open(&folder.join(file), &OpenOptions::default()).unwrap();
            assign(&mut graph, WeightSource::Random { low: 1, high: 64, seed: 0 }).unwrap();
            let nodes = graph.csr.nodes() as usize;
            for way in ways.iter().filter(|way| runs(&device, way)) {
                let Distances::U32(found) = distances(&device, &graph.csr, way).unwrap().distances else { panic!() };
                for source in (0..nodes).step_by(37) {
                    let expected = dijkstra::whole(&graph.csr, source as u32).unwrap();
                    assert!(found[source * nodes..][..nodes] == expected, "{file}, {way} on {device:?}");
                }
            }
        }
    }
}
