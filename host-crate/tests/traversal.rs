//! Breadth-first search and shortest paths, under every strategy, on every device, against the oracles: on graphs of every
//! shape, and on random ones.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, Bfs, BfsConfig, Distances, Sssp, SsspConfig},
    device::Device,
    engine::SharedGraph,
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Graph, Limit, NodeIds, Splitting,
        generate::Generator,
        weights::{WeightSource, assign},
    },
    oracle,
    settings::Configured,
    strategy::{self, Operator, SplitGraph},
};
use proptest::prelude::*;
use std::{cell::LazyCell, num::NonZeroU32};

fn csr(nodes: u32, edges: &[(u32, u32)], weights: EdgeWeights) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

/// Every strategy for an operator, with its default settings.
fn untuned(operator: Operator, device: &Device) -> Vec<String> {
    strategy::of(operator, device.info()).map(|strategy| strategy.name.to_owned()).collect()
}

/// Strategies with other settings: extremes, so that short lists go through every branch.
fn tuned() -> Vec<String> {
    let mut strategies =
        ["edge:chunking=edge", "group-mapped:1", "group-mapped:8", "group-mapped:256"].map(str::to_owned).to_vec();
    strategies.extend([1, 3, 1024].map(|bins| format!("split:bins={bins}")));
    for switch_below in [0, 1, 20, 65_535] {
        strategies.extend([2, 10, 200].map(|bins| format!("hierarchical:bins={bins},switch-below={switch_below}")));
    }
    strategies
}

fn check_bfs(device: &Device, csr: &Csr, source: u32, strategies: &[impl AsRef<str>]) {
    let expected = oracle::bfs::depths(csr, source);
    for strategy in strategies.iter().map(AsRef::as_ref) {
        let config = BfsConfig { strategy: strategy.parse().unwrap(), parents: true, ..BfsConfig::default() };
        let mut bfs = Bfs::prepare(device, csr, &config).unwrap();
        // Twice: a run must not depend on what the one before it left.
        for _ in 0..2 {
            bfs.run(&source).unwrap();
            let depths = bfs.answer().unwrap().depths;
            assert_eq!(oracle::first_mismatch(&expected, &depths), None, "{strategy} on {device:?}");
            let parents = bfs.answer().unwrap().parents.unwrap();
            assert_eq!(
                oracle::bfs::check_parents(csr, &[source], &depths, &parents),
                Ok(()),
                "{strategy} on {device:?}"
            );
        }
    }
}

fn check_sssp(device: &Device, csr: &Csr, source: u32, strategies: &[impl AsRef<str>]) {
    let whole = LazyCell::new(|| oracle::dijkstra::whole(csr, source).unwrap());
    let wide = LazyCell::new(|| oracle::dijkstra::wide(csr, source).unwrap());
    let real = LazyCell::new(|| oracle::dijkstra::real(csr, source).unwrap());
    let double = LazyCell::new(|| oracle::dijkstra::double(csr, source).unwrap());
    for strategy in strategies.iter().map(AsRef::as_ref) {
        let config = SsspConfig { strategy: strategy.parse().unwrap(), parents: true, ..SsspConfig::default() };
        let mut sssp = Sssp::prepare(device, csr, &config).unwrap();
        for _ in 0..2 {
            sssp.run(&source).unwrap();
            let answer = sssp.answer().unwrap();
            let lengths = match answer.distances {
                Distances::F64(_) => oracle::dijkstra::Lengths::Double(&double),
                Distances::F32(_) => oracle::dijkstra::Lengths::Real(&real),
                _ => oracle::dijkstra::Lengths::Whole(wide.as_slice().into()),
            };
            let checked = oracle::dijkstra::check_parents(csr, &[source], &lengths, &answer.parents.unwrap());
            assert_eq!(checked, Ok(()), "parents by {strategy} on {device:?}");
            let mismatch = match answer.distances {
                Distances::U32(found) => oracle::first_mismatch(&whole, &found),
                Distances::F32(found) => oracle::first_mismatch(&real, &found),
                Distances::F64(found) => oracle::first_mismatch(&double, &found),
                Distances::U64(_) => panic!("no distance exceeds 32 bits"),
            };
            assert_eq!(mismatch, None, "{strategy} on {device:?}");
        }
    }
}

/// Checks every other strategy, those whose turn it is; all of them in a sweep.
fn check_untuned(device: &Device, csr: &Csr, source: u32, turn: usize) {
    check_bfs(device, csr, source, &common::share(&untuned(Operator::Bfs, device), 4, turn));
    check_sssp(device, csr, source, &common::share(&untuned(Operator::SsspU32, device), 4, turn));
}

fn check(device: &Device, csr: &Csr, source: u32, strategies: &[impl AsRef<str>]) {
    check_bfs(device, csr, source, strategies);
    check_sssp(device, csr, source, strategies);
}

#[test]
fn graphs_of_every_shape() {
    let star: Vec<_> = (1..3000).map(|leaf| (0, leaf)).collect();
    let stars: Vec<_> = (1..50)
        .flat_map(|hub| [(0, hub), (hub, 0)].into_iter().chain((0..60).map(move |leaf| (hub, 50 * hub + leaf))))
        .collect();
    let chain: Vec<_> = (0..400).map(|node| (node, node + 1)).collect();
    // Behind a fan of 1,300 nodes, enough not to be a short list: hubs, each with the same leaves, at growing distances.
    let fan = (1..=1300).flat_map(|node| [(0, node), (node, 1301 + node % 7)]);
    let hubs: Vec<_> = fan.chain((1301..1308).flat_map(|hub| (1308..2200).map(move |leaf| (hub, leaf)))).collect();
    let lengths = EdgeWeights::U32((0..hubs.len() as u32).map(|edge| edge.wrapping_mul(2_654_435_761) >> 22).collect());
    let real = EdgeWeights::F32((0..hubs.len()).map(|edge| (edge % 97) as f32 / 7.0).collect());
    let shapes = [
        ("one node", csr(1, &[], EdgeWeights::None), 0),
        ("one node and a loop", csr(1, &[(0, 0)], EdgeWeights::None), 0),
        ("no edges", csr(700, &[], EdgeWeights::None), 699),
        (
            "parallel edges and loops",
            csr(3, &[(0, 1), (0, 1), (1, 1), (1, 2), (0, 2), (2, 2)], EdgeWeights::U32(vec![5, 3, 1, 1, 9, 0])),
            0,
        ),
        ("two components", csr(600, &[(0, 1), (1, 0), (598, 599)], EdgeWeights::None), 598),
        ("a star from its hub", csr(3000, &star, EdgeWeights::None), 0),
        ("a star from a leaf", csr(3000, &star, EdgeWeights::None), 7),
        ("a star of stars", csr(2600, &stars, EdgeWeights::None), 0),
        ("many equal hubs", csr(2200, &hubs, lengths), 0),
        ("many equal hubs, real weights", csr(2200, &hubs, real), 0),
        ("hubs from a node without edges", csr(2200, &hubs, EdgeWeights::None), 2199),
        ("a chain longer than a batch", csr(401, &chain, EdgeWeights::None), 0),
        ("edges of no weight", csr(401, &chain, EdgeWeights::U32(vec![0; 400])), 0),
        (
            "real weights, some of them nothing",
            csr(401, &chain, EdgeWeights::F32((0..400).map(|i| 0.1 * (i % 3) as f32).collect())),
            3,
        ),
    ];
    for (turn, (shape, csr, source)) in shapes.iter().enumerate() {
        // After four graphs the strategies have another device.
        for device in common::devices_in_turn(turn + turn / 4) {
            println!("{shape}");
            check_untuned(&device, csr, *source, turn);
            check(&device, csr, *source, &common::share(&tuned(), 4, turn));
            common::finish(&device);
        }
    }
}

#[test]
fn generated_graphs() {
    let texts =
        ["rmat:scale=12", "er:nodes=3000,degree=5", "grid:rows=40,cols=53", "road:nodes=5000", "complete:nodes=120"];
    for (turn, text) in texts.into_iter().enumerate() {
        let graph: Generator = text.parse().unwrap();
        for device in common::devices_in_turn(turn) {
            check_untuned(&device, &graph.generate().unwrap().csr, 1, turn);
            common::finish(&device);
        }
    }
}

/// `direction` in all its steps: from the hub the whole dispatch pushes; then nodes pull, among them one with thousands of edges,
/// until only the tail is left, which is pushed along again. From a fan, whose nodes are so many that they are not listed, they have to push after
/// all. On the grid one workgroup, then a few, go from level to level.
#[test]
fn every_step_of_direction() {
    const CORE: u32 = 4000;
    const TAIL: u32 = 3000;
    // Few of the core's nodes know the first hub, and more than a subgroup takes at once know the second.
    let hubs = (0..CORE).filter(|node| node % 50 == 0).map(|node| (CORE, node));
    let hubs = hubs.chain((0..CORE).filter(|node| node % 3 > 0).map(|node| (CORE + 1, node)));
    let ring = (0..CORE).flat_map(|node| (1..12).map(move |step| (node, (node + step * step * 31) % CORE)));
    let tail = (0..TAIL).map(|node| (if node == 0 { 17 } else { CORE + 1 + node }, CORE + 2 + node));
    let edges: Vec<_> = hubs.chain(ring).chain(tail).flat_map(|(from, to)| [(from, to), (to, from)]).collect();
    let core = csr(CORE + 2 + TAIL, &edges, EdgeWeights::None);
    // The edges of the fan are few beside those of the clique behind it.
    const FAN: u32 = 1500;
    let clique = FAN + 1..FAN + 151;
    let pairs = clique.clone().flat_map(|from| clique.clone().filter(move |to| *to > from).map(move |to| (from, to)));
    let fan = (1..=FAN).map(|node| (0, node)).chain([(1, FAN + 1)]).chain(pairs);
    let edges: Vec<_> = fan.flat_map(|(from, to)| [(from, to), (to, from)]).collect();
    let fan = csr(FAN + 151, &edges, EdgeWeights::None);
    // Some drivers stop an invocation's loops after 65,535 iterations, all together: these levels have more.
    let grid = "grid:rows=1600,cols=5000".parse::<Generator>().unwrap().generate().unwrap();
    let direction = ["direction"];
    for (turn, device) in common::devices().into_iter().enumerate() {
        for source in common::share(&[CORE, CORE + 1, 5, CORE + 1 + TAIL], 2, turn) {
            check_bfs(&device, &core, source, &direction);
        }
        for source in [0, 7, FAN + 100] {
            check_bfs(&device, &fan, source, &direction);
        }
        if device.info().loop_limit.is_some() {
            check_bfs(&device, &grid.csr, 0, &direction);
        }
        common::finish(&device);
    }
}

/// `near-far` in all its steps: on the large grid one workgroup, then a few, go from iteration to iteration, and some lists are left to
/// the whole dispatch; a hub's row is taken in pieces; and the threshold grows by nothing, by little, by much, or at once to the end.
#[test]
fn every_step_of_near_far() {
    const RING: u32 = 4000;
    let ring = (0..RING).flat_map(|node| (1..12).map(move |step| (node, (node + step * step * 31) % RING)));
    let hubs = (0..RING).flat_map(|node| [(RING, node), (node, RING + node % 2), (RING + 1, (node * 7) % RING)]);
    let edges: Vec<_> = ring.chain(hubs).collect();
    let lengths = (0..edges.len() as u32).map(|edge| edge.wrapping_mul(2_654_435_761) >> 20);
    let whole = csr(RING + 2, &edges, EdgeWeights::U32(lengths.clone().collect()));
    let real = csr(RING + 2, &edges, EdgeWeights::F32(lengths.map(|length| length as f32 / 64.0).collect()));
    let generate = |text: &str| {
        let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
        assign(&mut graph, WeightSource::Random { low: 0, high: 64, seed: 5 }).unwrap();
        graph.csr
    };
    let (small, large) = (generate("grid:rows=20,cols=31"), generate("grid:rows=500,cols=700"));
    let too_far = csr(4, &[(0, 1), (1, 2), (2, 3), (0, 3)], EdgeWeights::F32(vec![f32::MAX, f32::MAX, 1.0, f32::MAX]));
    let usual = "near-far";
    let others = ["near-far:delta=0", "near-far:delta=0.3", "near-far:delta=40", "near-far:delta=1e30"];
    let cases = [(&whole, 0), (&real, 0), (&small, 0), (&too_far, 0), (&whole, RING + 1)];
    for (turn, (csr, source)) in cases.into_iter().enumerate() {
        for device in common::devices_in_turn(turn / 2) {
            check_sssp(&device, csr, source, &[usual]);
            check_sssp(&device, csr, source, &common::share(&others, 2, turn));
            common::finish(&device);
        }
    }
    for device in common::devices_in_turn(0) {
        check_sssp(&device, &large, 350, &[usual]);
        common::finish(&device);
    }
    for delta in ["-1", "NaN", "inf", "much"] {
        assert!(format!("near-far:delta={delta}").parse::<Configured<Sssp>>().is_err(), "{delta}");
    }
}

#[test]
fn tuned_strategies_on_a_skewed_graph() {
    let mut graph = "rmat:scale=12".parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut graph, WeightSource::Random { low: 0, high: 64, seed: 5 }).unwrap();
    for device in common::devices() {
        check(&device, &graph.csr, 1, &tuned());
        common::finish(&device);
    }
}

/// Where a worklist has more edges than workload decomposition has invocations, a block has several and spans nodes.
#[test]
fn blocks_of_several_edges() {
    let strategies = ["decompose", "hierarchical"];
    for text in ["complete:nodes=900", "er:nodes=70000,degree=12"] {
        let graph = text.parse::<Generator>().unwrap().generate().unwrap();
        assert!(graph.csr.edges() > 3 << 18);
        for device in common::devices() {
            check_bfs(&device, &graph.csr, 1, &strategies);
            common::finish(&device);
        }
    }
}

#[test]
fn what_a_strategy_does_not_read_is_refused() {
    let refused = |text: &str| match text.parse::<Configured<Bfs>>() {
        Err(error) => error.to_string(),
        Ok(strategy) => panic!("{strategy} is taken"),
    };
    assert_eq!(refused("node:bins=4"), "node has no settings, and so no 'bins'");
    assert!(refused("split:chunking=node").starts_with("there is no setting named 'split:chunking'; there is bins=10"));
    assert!(refused("split:bins=0").contains("split: bins='0': 0 is not in 1..=1024"));
    assert!(refused("hierarchical:switch-below=65536").contains("65536 is not in 0..=65535"));
    assert!(refused("group-mapped:24").contains("group='24': it is one of 1, 2, 4"));
    assert!(refused("sweep").contains("there is no strategy named 'sweep'"));
    let split = |bins| Configured::<Bfs>::new(strategy::Split { bins, mdt: None });
    assert!(split(1024).is_ok() && split(0).is_err());
}

/// The device's threshold and pieces against the host's, which shares no code with it.
#[test]
fn splitting_on_the_device() {
    let hubs =
        csr(900, &(0..4000).map(|edge| (edge % 3 * edge % 7, edge % 900)).collect::<Vec<_>>(), EdgeWeights::None);
    let generated = ["rmat:scale=11", "road:nodes=3000", "er:nodes=2000,degree=4", "star:nodes=5000", "chain:nodes=1"];
    let generate = |text: &str| text.parse::<Generator>().unwrap().generate().unwrap().csr;
    for device in common::devices() {
        for csr in generated.map(generate).iter().chain([&hubs]) {
            let bins = [1, 2, 10, 37, 1024].map(Limit::Bins);
            for limit in
                bins.into_iter().chain([1, 5, 100_000].map(|most| Limit::Given(NonZeroU32::new(most).unwrap())))
            {
                let expected = Splitting::of(csr, limit);
                let split = SplitGraph::of(&SharedGraph::new(&device, csr), limit).unwrap();
                assert_eq!(split.threshold.threshold, expected.threshold, "{limit:?}");
                assert_eq!(u64::from(split.threshold.split_nodes), expected.nodes_split, "{limit:?}");
                assert_eq!(u64::from(split.threshold.pieces), expected.nodes_after, "{limit:?}");
                let [firsts, offsets, parents] = [&split.first_pieces, &split.piece_offsets, &split.parents]
                    .map(|buffer| device.download(buffer).unwrap());
                for node in 0..csr.nodes() as usize {
                    let pieces = firsts[node] as usize..firsts[node + 1] as usize;
                    assert!(parents[pieces.clone()].iter().all(|parent| *parent as usize == node));
                    let ends = [offsets[pieces.start], offsets[pieces.end]];
                    assert_eq!(ends, csr.row_offsets().unwrap()[node..node + 2]);
                    let sizes = pieces.map(|piece| offsets[piece + 1] - offsets[piece]).collect::<Vec<_>>();
                    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
                    assert!(*most <= expected.threshold && most - least <= 1, "{sizes:?}");
                }
            }
        }
        common::finish(&device);
    }
}

#[test]
fn a_distance_past_32_bits_has_64_and_a_detour_past_it_has_not() {
    let far = u32::MAX - 1;
    let (too_far, detour) = (
        csr(3, &[(0, 1), (1, 2)], EdgeWeights::U32(vec![far, 5])),
        csr(3, &[(0, 1), (1, 2), (0, 2)], EdgeWeights::U32(vec![far, 5, 7])),
    );
    for device in common::devices() {
        let mut sssp = Sssp::prepare(&device, &too_far, &SsspConfig::default()).unwrap();
        sssp.run(&0).unwrap();
        let answer = sssp.answer().unwrap();
        assert_eq!(answer.distances, Distances::U64(vec![0, far.into(), u64::from(far) + 5]));
        let graph =
            Graph { name: "far".into(), csr: too_far.clone(), ids: NodeIds::Counted { first: 0 }, directed: true };
        let expected = Sssp::reference(&graph, &0, &SsspConfig::default()).unwrap();
        assert_eq!(Sssp::check(&answer, &expected, &graph, &0), None);
        let mut sssp = Sssp::prepare(&device, &detour, &SsspConfig::default()).unwrap();
        sssp.run(&0).unwrap();
        assert_eq!(sssp.answer().unwrap().distances, Distances::U32(vec![0, far, 7]));
    }
}

#[test]
fn negative_weights_are_refused() {
    let signed = csr(2, &[(0, 1)], EdgeWeights::F32(vec![-1.0]));
    for device in common::devices() {
        let refused = Sssp::prepare(&device, &signed, &SsspConfig::default());
        assert!(matches!(refused, Err(Error::Graph(reason)) if reason.contains("-1")));
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_allocated() {
    let csr = csr(2000, &[(0, 1)], EdgeWeights::None);
    let options = evenkeel::device::DeviceOptions { memory_limit: Some(10_000), ..Default::default() };
    let Some(device) = common::device_with(options) else { return };
    match Bfs::prepare(&device, &csr, &BfsConfig::default()) {
        Err(Error::Memory(reason)) => assert!(reason.contains("9.8 KiB") && reason.contains("row offsets"), "{reason}"),
        _ => panic!("2,000 nodes fit into 10,000 bytes"),
    }
}

/// A random graph, its weights, and a source in it.
fn random_graph() -> impl Strategy<Value = (Csr, u32)> {
    (1u32..300)
        .prop_flat_map(|nodes| {
            let edge = (0..nodes, 0..nodes, 0u32..1000);
            (Just(nodes), prop::collection::vec(edge, 0..900), 0..3, 0..nodes)
        })
        .prop_map(|(nodes, edges, kind, source)| {
            let weights = match kind {
                0 => EdgeWeights::None,
                1 => EdgeWeights::U32(edges.iter().map(|edge| edge.2).collect()),
                _ => EdgeWeights::F32(edges.iter().map(|edge| edge.2 as f32 / 7.0).collect()),
            };
            let ends: Vec<_> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
            (csr(nodes, &ends, weights), source)
        })
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: common::cases(32),
            failure_persistence: None,
            ..Default::default()
        });
        runner
            .run(&random_graph(), |(csr, source)| {
                check_untuned(&device, &csr, source, source as usize);
                Ok(())
            })
            .unwrap();
        common::finish(&device);
    }
}

#[test]
fn the_same_input_gives_the_same_parents() {
    let graph: Generator = "rmat:scale=11".parse().unwrap();
    let csr = graph.generate().unwrap().csr;
    assert!(csr.weights().is_none());
    for device in common::devices() {
        let mut bfs = Bfs::prepare(&device, &csr, &BfsConfig { parents: true, ..Default::default() }).unwrap();
        let mut answers = Vec::new();
        for _ in 0..3 {
            bfs.run(&5).unwrap();
            answers.push(bfs.answer().unwrap().parents.unwrap());
        }
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

#[test]
fn a_row_that_a_driver_would_stop_in_is_refused() {
    let graph: Generator = "star:nodes=70000".parse().unwrap();
    let csr = graph.generate().unwrap().csr;
    for device in common::devices() {
        match (device.info().loop_limit, Bfs::prepare(&device, &csr, &BfsConfig::default())) {
            (None, Ok(_)) => check_bfs(&device, &csr, 0, &untuned(Operator::Bfs, &device)),
            (Some(_), Err(Error::Unsupported(reason))) => assert!(reason.contains("69999 edges"), "{reason}"),
            _ => panic!("neither refused nor run by {device:?}"),
        }
    }
}
