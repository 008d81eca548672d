//! Colouring with every strategy, on every device: no edge has the same colour at both ends, the colours are the same wherever
//! and however often they are computed, and they are few. Graphs of every shape, random ones, and real ones whose fewest colours
//! are known.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, Color, ColorConfig, color::names_with_schedules},
    device::{Device, DeviceKind, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle::color::{check, count, largest_first},
    settings::Configured,
};
use proptest::prelude::*;
use std::{collections::HashSet, fs, path::Path};

/// The strategies that give every node the smallest colour that is free.
const GREEDY: [&str; 3] = ["independent", "speculative", "auto"];

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    let undirected = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, undirected).unwrap().0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn config(strategy: &str) -> ColorConfig {
    ColorConfig { strategy: strategy.parse().unwrap(), ..ColorConfig::default() }
}

fn colors(device: &Device, csr: &Csr, config: &ColorConfig) -> Vec<u32> {
    let mut color = Color::prepare(device, csr, config).unwrap();
    color.run(&()).unwrap();
    color.answer().unwrap().0
}

/// That every smaller colour is around each node already.
fn is_greedy(csr: &Csr, colors: &[u32]) -> bool {
    (0..csr.nodes()).all(|node| {
        let around: HashSet<u32> = csr.neighbours(node).iter().map(|neighbour| colors[*neighbour as usize]).collect();
        (0..colors[node as usize]).all(|color| around.contains(&color))
    })
}

/// Checks the named strategies on all devices: each gives one and the same answer, and those that differ only in who does which
/// part give that of their plain form.
fn check_all(csr: &Csr, what: &str, names: &[String]) {
    let mut known: Vec<(String, Vec<u32>)> = Vec::new();
    for device in common::devices() {
        for name in names {
            let found = colors(&device, csr, &config(name));
            assert_eq!(check(csr, &found), Ok(()), "{what}, {name} on {device:?}");
            let used = count(&found);
            assert!(found.iter().all(|color| *color < used), "{what}, {name}: colours without gaps");
            if GREEDY.contains(&name.as_str()) {
                assert!(is_greedy(csr, &found), "{what}, {name} on {device:?}");
            }
            let plain = match name.split(':').next().unwrap() {
                "stealing" => "random",
                "hybrid-stealing" => "hybrid",
                "auto" => "independent",
                base => base,
            };
            match known.iter().find(|(name, _)| name == plain) {
                Some((_, same)) => assert!(*same == found, "{what}, {name} on {device:?}: not as {plain} has it"),
                None => known.push((plain.to_owned(), found)),
            }
        }
        common::finish(&device);
    }
}

/// Queues without stealing, and elements of other sizes.
fn queues() -> Vec<String> {
    let settings =
        ["stealing:steal=false", "stealing:queues=5,chunk=64", "hybrid-stealing:queues=3,chunk=7,steal=false"];
    settings.map(str::to_owned).to_vec()
}

#[test]
fn graphs_of_every_shape() {
    let pair = |hub: u32, leaves: u32| (2..2 + leaves).map(move |leaf| (hub, leaf));
    let shapes = [
        ("no node", csr(0, [])),
        ("one node", csr(1, [])),
        ("no edge at all", csr(700, [])),
        ("one edge", csr(700, [(699, 3)])),
        ("edges to themselves alone", csr(300, (0..300).map(|node| (node, node)))),
        ("a chain with edges to themselves", csr(900, (0..899).flat_map(|node| [(node, node + 1), (node, node)]))),
        ("a star", generated("star:nodes=3000")),
        ("a hub of all, on a ring", csr(801, (0..800).flat_map(|node| [(node, (node + 1) % 800), (node, 800)]))),
        ("two hubs alike", csr(902, pair(0, 900).chain(pair(1, 900)).chain([(0, 1)]))),
        ("two sides", csr(120, (0..60).flat_map(|left| (60..120).map(move |right| (left, right))))),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a skewed graph", generated("rmat:scale=8")),
    ];
    for (turn, (shape, csr)) in shapes.iter().enumerate() {
        check_all(csr, shape, &common::share(&[names_with_schedules(), queues()].concat(), 2, turn));
    }
}

#[test]
fn more_colours_than_are_marked_at_a_time() {
    // By an invocation or a subgroup 128, by a workgroup 2,048.
    let few = ["random", "hybrid-stealing", "independent", "speculative"].map(str::to_owned);
    check_all(&generated("complete:nodes=140"), "a clique", &few);
    check_all(&generated("rmat:scale=12"), "a skewed graph", &GREEDY.map(str::to_owned));
    check_all(&generated("complete:nodes=2100"), "a large clique", &["independent".to_owned()]);
}

#[test]
fn random_graphs() {
    let runner = ProptestConfig { cases: common::cases(4), failure_persistence: None, ..Default::default() };
    let edges = (1u32..800).prop_flat_map(|nodes| {
        // Squaring crowds edges onto the first nodes.
        let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
        (Just(nodes), prop::collection::vec((crowded(), crowded()), 0..3000))
    });
    let run = |(nodes, edges): (u32, Vec<(u32, u32)>)| {
        check_all(&csr(nodes, edges), "random", &[names_with_schedules(), queues()].concat());
        Ok(())
    };
    proptest::test_runner::TestRunner::new(runner).run(&edges, run).unwrap();
}

#[test]
fn runs_are_alike_and_two_seeds_are_not() {
    // With wide nodes; with light ones alone, of which those with odd numbers come first in the second graph.
    for graph in ["rmat:scale=10", "grid:rows=30,cols=40", "er:nodes=1000,degree=8"].map(generated) {
        for device in common::devices() {
            for name in ["random", "hybrid-stealing", "independent", "speculative"] {
                let mut color = Color::prepare(&device, &graph, &config(name)).unwrap();
                let first = (color.run(&()).unwrap().iterations, color.answer().unwrap().0);
                for looks_between in [false, true, false] {
                    let next = (color.run(&()).unwrap().iterations, color.answer().unwrap().0);
                    // How often a node is looked at before its neighbours have colours is a matter of time.
                    assert!(first.0 == next.0 || name == "independent", "{name} on {device:?}");
                    assert!(first.1 == next.1, "{name} on {device:?}");
                    if looks_between {
                        assert_eq!(color.iterations().unwrap()[0].active, first.1.len(), "{name} on {device:?}");
                        assert!(color.answer().unwrap().0 == first.1, "{name} on {device:?}");
                    }
                }
                let other = colors(&device, &graph, &ColorConfig { seed: 1, ..config(name) });
                assert_eq!(check(&graph, &other), Ok(()));
                assert!(other != first.1, "{name} on {device:?}");
            }
            common::finish(&device);
        }
    }
}

#[test]
fn few_colours() {
    let device = common::devices().pop().unwrap();
    for graph in ["rmat:scale=10", "rmat:scale=11", "rmat:scale=12", "er:nodes=3000,degree=12"] {
        let graph_csr = generated(graph);
        let sequential = count(&largest_first(&graph_csr));
        for name in GREEDY {
            let found = count(&colors(&device, &graph_csr, &config(name)));
            assert!(f64::from(found) <= f64::from(sequential) * 1.1 + 1.0, "{graph}, {name}: {found} to {sequential}");
        }
        let (auto, baseline) = (count(&colors(&device, &graph_csr, &config("auto"))), config("random"));
        assert!(auto < count(&colors(&device, &graph_csr, &baseline)), "{graph}");
    }
}

#[test]
fn the_hybrid_switches_when_it_is_told_to() {
    let graph = generated("rmat:scale=10");
    let at = |iterations: u32| config(&format!("hybrid:switch-at={iterations}"));
    for device in common::devices() {
        let plain = colors(&device, &graph, &config("hybrid"));
        let random = colors(&device, &graph, &config("random"));
        assert!(plain != random);
        assert!(colors(&device, &graph, &at(0)) == random, "never by degree");
        let at_once = colors(&device, &graph, &at(1));
        assert!(
            colors(&device, &graph, &config("hybrid:switch-below=4294967295")) == at_once,
            "too few in the first iteration"
        );
        for iterations in [1, 3] {
            let found = colors(&device, &graph, &at(iterations));
            assert_eq!(check(&graph, &found), Ok(()));
            // The nodes that the first iterations colour are those that the plain hybrid colours in them.
            let early = |colors: &[u32], node: usize| Some(colors[node]).filter(|color| *color < iterations);
            assert!((0..plain.len()).all(|node| early(&plain, node) == early(&found, node)), "{iterations}");
            assert!(found != plain, "{iterations}");
        }
    }
}

#[test]
fn iterations_add_up() {
    let strategies = ["random", "hybrid", "hybrid:merge-path", "stealing", "independent", "speculative"];
    // The second has no wide nodes, so that a run of `independent` begins with its first iteration.
    for graph in ["rmat:scale=9", "er:nodes=1000,degree=8"].map(generated) {
        for (device, name) in common::devices().into_iter().flat_map(|it| strategies.map(|name| (it.clone(), name))) {
            let mut color = Color::prepare(&device, &graph, &config(name)).unwrap();
            let run = color.run(&()).unwrap();
            let found = color.answer().unwrap().0;
            let iterations = color.iterations().unwrap();
            assert!(color.answer().unwrap().0 == found, "{name}: as in a run");
            // A node is left to the next iteration when nothing changes for a while, which is a matter of time.
            if name != "independent" {
                assert_eq!(iterations.len() as u32, run.iterations, "{name} on {device:?}");
            }
            let (first, last) = (&iterations[0], iterations.last().unwrap());
            assert!(first.colored > 0, "{name} on {device:?}");
            assert_eq!((first.active, last.colored), (found.len(), found.len()), "{name} on {device:?}");
            assert_eq!(last.colors, count(&found), "{name} on {device:?}");
            let highest = (0..graph.nodes()).map(|node| graph.degree(node)).max();
            assert_eq!(Some(first.highest_degree), highest);
            assert!((first.mean_degree - graph.edges() as f64 / f64::from(graph.nodes())).abs() < 1e-9);
            for pair in iterations.windows(2) {
                assert_eq!(pair[1].active, found.len() - pair[0].colored, "{name} on {device:?}");
            }
            for iteration in &iterations {
                assert_eq!(iteration.degrees.iter().sum::<usize>(), iteration.active, "{name} on {device:?}");
            }
        }
    }
}

#[test]
fn every_element_is_taken_once() {
    let graph = generated("rmat:scale=12");
    for device in common::devices() {
        for queues in [1, 4, 300] {
            let config = config(&format!("stealing:queues={queues}"));
            let mut color = Color::prepare(&device, &graph, &config).unwrap();
            let run = color.run(&()).unwrap();
            assert_eq!(check(&graph, &color.answer().unwrap().0), Ok(()));
            let counts = color.queues().unwrap();
            assert_eq!(counts.len(), queues as usize);
            let taken: u32 = counts.iter().map(|count| count.popped + count.stolen).sum();
            assert_eq!(taken, run.iterations * (4096 / 256), "{queues} queues on {device:?}");
        }
        assert_eq!(Color::prepare(&device, &graph, &config("random")).unwrap().queues().unwrap(), []);
    }
}

#[test]
fn without_stealing_each_queue_is_emptied_by_its_own_workgroup() {
    // 1,024 nodes are 11 elements of 100, the last with 24: queues of 3, 3, 3 and 2.
    let graph = generated("rmat:scale=10");
    for device in common::devices() {
        for base in ["stealing", "hybrid-stealing"] {
            let config = config(&format!("{base}:queues=4,chunk=100,steal=false"));
            let mut color = Color::prepare(&device, &graph, &config).unwrap();
            let run = color.run(&()).unwrap();
            assert_eq!(check(&graph, &color.answer().unwrap().0), Ok(()));
            let taken: Vec<_> =
                color.queues().unwrap().iter().map(|count| (count.queue, count.popped, count.stolen)).collect();
            let each = |queue: usize, elements: u32| (queue, run.iterations * elements, 0);
            assert_eq!(taken, [each(0, 3), each(1, 3), each(2, 3), each(3, 2)], "{base} on {device:?}");
        }
    }
}

#[test]
fn more_elements_than_queues_can_hold_are_refused() {
    let device = common::devices().pop().unwrap();
    let graph = generated("chain:nodes=70000");
    let error = Color::prepare(&device, &graph, &config("stealing:chunk=2")).err().unwrap();
    assert!(matches!(&error, Error::Usage(message) if message.contains("--chunk 3 or more for 70000")), "{error}");
    assert!(Color::prepare(&device, &graph, &config("stealing:chunk=3")).is_ok());
}

/// The files say in their names how many colours suffice: `NAME_ans_5_lb_None_ub_None.col`, or `lb_26` where nobody knows.
#[test]
fn known_chromatic_numbers() {
    let Some(folder) = common::data() else { return };
    let mut files: Vec<_> = fs::read_dir(folder.join("coloring")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let strategies = ["random", "hybrid", "independent", "speculative"].map(str::to_owned);
    for (turn, path) in files.into_iter().enumerate() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let number =
            |word: &str| name.split('_').skip_while(|part| *part != word).nth(1).and_then(|n| n.parse::<u32>().ok());
        let fewest = number("ans").or(number("lb")).unwrap();
        let graph = undirected(&path);
        check_all(&graph, name, &common::share(&strategies, 2, turn));
        let device = common::devices().pop().unwrap();
        let (found, sequential) = (count(&colors(&device, &graph, &config("auto"))), count(&largest_first(&graph)));
        assert!(found >= fewest, "{name}: {found} are fewer than can be, {fewest}");
        assert!(f64::from(found) <= 1.15 * f64::from(sequential) + 1.0, "{name}: {found} where {sequential} suffice");
    }
}

#[test]
fn real_graphs() {
    let Some(folder) = common::data() else { return };
    for name in ["AS-oregon-1", "ca-GrQc", "EU-email-core", "celegans", "DNC-emails", "chess"] {
        let graph = undirected(&folder.join(format!("corpus/{name}.txt.gz")));
        let strategies = ["random", "hybrid-stealing", "random:nonzero-split", "independent", "speculative"];
        check_all(&graph, name, &strategies.map(str::to_owned));
    }
}

fn undirected(path: &Path) -> Csr {
    let build = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    open(path, &OpenOptions { build, ..OpenOptions::default() }).unwrap().0.csr
}

#[test]
fn what_means_nothing_is_refused() {
    let device = common::devices().pop().unwrap();
    let refused = |csr: &Csr, config: &ColorConfig| Color::prepare(&device, csr, config).err().unwrap();
    let one_way = EdgeList { nodes: 2, sources: vec![0], targets: vec![1], weights: EdgeWeights::None };
    let (one_way, _) = Csr::from_edges(one_way, BuildOptions::default()).unwrap();
    let error = refused(&one_way, &ColorConfig::default());
    assert!(matches!(&error, Error::Graph(message) if message.contains("--undirected")), "{error}");
    let error = "greedy".parse::<Configured<Color>>().unwrap_err();
    assert!(matches!(error, Error::UnknownName { kind: "strategy", .. }), "{error}");
    let error = "hybrid:queues=4".parse::<Configured<Color>>().unwrap_err();
    assert!(matches!(&error, Error::UnknownName { kind: "setting", .. }), "{error}");
}

/// llvmpipe stops a loop after 65,535 rounds without a word: a hub that one invocation takes is refused, one that a workgroup
/// takes is coloured.
#[test]
fn a_hub_beyond_the_drivers_patience() {
    let hub = generated("star:nodes=100000");
    for device in common::devices() {
        for name in GREEDY {
            let found = colors(&device, &hub, &config(name));
            assert_eq!((check(&hub, &found), count(&found)), (Ok(()), 2), "{name} on {device:?}");
        }
        let baseline = Color::prepare(&device, &hub, &config("random"));
        assert_eq!(baseline.is_err(), device.info().kind == DeviceKind::Software, "{device:?}");
    }
}

/// On the CPU device `independent` has a form of its own, which gives the colours of the kernels.
#[test]
fn the_cpu_form_of_independent_gives_the_colours_of_the_kernels() {
    let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let graphs = ["rmat:scale=11", "er:nodes=3000,degree=12", "road:nodes=5000", "star:nodes=900", "complete:nodes=70"];
    for (generator, seed) in graphs.into_iter().zip(0..) {
        let csr = generator.parse::<Generator>().unwrap().generate().unwrap().csr;
        let config = ColorConfig { strategy: "independent".parse().unwrap(), seed };
        let mut color = Color::prepare(&device, &csr, &config).unwrap();
        color.run(&()).unwrap();
        let native = color.answer().unwrap();
        assert!(!color.iterations().unwrap().is_empty(), "{generator}");
        assert_eq!(native, color.answer().unwrap(), "{generator}");
    }
}

/// The colours of a sequential greedy colouring: nodes with more edges first, of those with as many the one with the larger label, each with
/// the smallest colour that is not around it. Up to 26 edges the label is that of a block of 64 nodes, and the node's place in it; where more than
/// one in 32 of the edges of such nodes leads to the node before or after, odd nodes are before all even ones.
fn greedy(csr: &Csr, seed: u32) -> Vec<u32> {
    let mix = |number: u32, bits: u32| {
        let modulus = 1_u64 << bits;
        let mut word = (u64::from(number) + u64::from(seed) * 0x9e37_79b9) % modulus;
        for (shift, factor) in [(16, 0x7feb_352d), (15, 0x846c_a68b)] {
            word = ((word ^ (word >> shift)) * factor) % modulus;
        }
        word ^ (word >> 16)
    };
    let is_light = |node: &u32| csr.neighbours(*node).len() <= 26;
    let edges =
        || (0..csr.nodes()).filter(is_light).flat_map(|node| csr.neighbours(node).iter().map(move |to| (node, *to)));
    let next_to = edges().filter(|(from, to)| from + 1 == *to || to + 1 == *from).count();
    let odd_first = 32 * next_to > edges().count();
    let label = |node: u32| {
        if !is_light(&node) {
            return mix(node, 32);
        }
        let block = mix(node / 64, 26);
        // The bits of the place in the block, the last one first.
        let reversed =
            |bits: u32, place: u32| (0..bits).map(|bit| u64::from(place >> bit & 1) << (bits - 1 - bit)).sum();
        if odd_first {
            let place: u64 = reversed(5, node / 2 % 32);
            (u64::from(node % 2) << 31) + 32 * block + (place ^ (block / 128 % 32))
        } else {
            let place: u64 = reversed(6, node % 64);
            64 * block + (place ^ (block / 128 % 64))
        }
    };
    let mut order: Vec<u32> = (0..csr.nodes()).collect();
    order.sort_by_key(|&node| std::cmp::Reverse((csr.neighbours(node).len(), label(node))));
    let mut colors = vec![None; order.len()];
    for node in order {
        let around: HashSet<u32> = csr.neighbours(node).iter().filter_map(|&other| colors[other as usize]).collect();
        colors[node as usize] = (0..).find(|color| !around.contains(color));
    }
    colors.into_iter().map(Option::unwrap).collect()
}

/// Every shape that makes nodes wait long or need many colours.
fn hostile() -> Vec<(&'static str, Csr)> {
    let clique = |from: u32, to: u32| (from..to).flat_map(move |node| (node + 1..to).map(move |other| (node, other)));
    // Each node has one neighbour more than the one before, so that all wait for their neighbour in a long chain.
    let rising = (0..60u32).flat_map(|node| {
        let leaves = (0..node).map(move |leaf| (node, 60 + node * 60 + leaf));
        leaves.chain((node > 0).then_some((node, node.saturating_sub(1))))
    });
    // Hubs of 600 leaves each, every hub joined to the next three.
    let hubs = (0..12u32).flat_map(|hub| {
        let others = (1..4).map(move |step| (hub, (hub + step) % 12));
        (0..600).map(move |leaf| (hub, 12 + hub * 600 + leaf)).chain(others)
    });
    // A clique of 300 colours whose nodes also have leaves, and a node that sees only its last colours.
    let fringed =
        clique(0, 300).chain((0..300).map(|node| (node, 300 + node))).chain((200..300).map(|node| (node, 600)));
    let parts = (0..400u32)
        .flat_map(|node| (node + 1..400).filter(move |other| node % 7 != other % 7).map(move |other| (node, other)));
    vec![
        ("a path", csr(5000, (0..4999).map(|node| (node, node + 1)))),
        ("a star", generated("star:nodes=3000")),
        // The longest rows that an invocation takes and the shortest that a subgroup takes, with colours at the end of what a word can show.
        ("26 and 27 edges", csr(28, clique(0, 28).filter(|edge| *edge != (0, 1)))),
        ("31 and 32 edges", csr(33, clique(0, 33).filter(|edge| *edge != (0, 1)))),
        (
            "cliques about the size of a set",
            csr(
                135,
                clique(0, 25)
                    .chain(clique(25, 51))
                    .chain(clique(51, 78))
                    .chain(clique(78, 106))
                    .chain(clique(106, 135)),
            ),
        ),
        (
            "cliques about the size of a word",
            csr(126, clique(0, 30).chain(clique(30, 61)).chain(clique(61, 93)).chain(clique(93, 126))),
        ),
        ("a large clique", generated("complete:nodes=600")),
        ("rising degrees", csr(60 + 3600, rising)),
        ("a chain of hubs", csr(12 + 7200, hubs)),
        ("a clique with a fringe", csr(601, fringed)),
        ("seven parts", csr(400, parts)),
        ("a grid", generated("grid:rows=50,cols=60")),
        ("a random graph", generated("er:nodes=4000,degree=12")),
        ("a dense random graph", generated("er:nodes=700,degree=200")),
        ("a skewed graph", generated("rmat:scale=11")),
        ("a road network", generated("road:nodes=6000")),
    ]
}

fn check_greedy(device: &Device, graphs: &[(&'static str, Csr)], seed: u32) {
    for (shape, graph) in graphs {
        let expected = greedy(graph, seed);
        let config = ColorConfig { seed, ..config("independent") };
        let mut color = Color::prepare(device, graph, &config).unwrap();
        color.run(&()).unwrap();
        assert!(color.answer().unwrap().0 == expected, "{shape}, seed {seed} on {device:?}");
        // On the CPU device this is what runs the kernels.
        color.iterations().unwrap();
        assert!(color.answer().unwrap().0 == expected, "{shape}, seed {seed} on {device:?}, by iterations");
        color.run(&()).unwrap();
        assert!(color.answer().unwrap().0 == expected, "{shape}, seed {seed} on {device:?}, once more");
    }
}

#[test]
fn independent_is_greedy_in_the_order_of_ranks() {
    let graphs = hostile();
    // Large enough that many workgroups are under way at the same time.
    let large = [
        ("a large grid", generated("grid:rows=400,cols=400")),
        ("a large random graph", generated("er:nodes=100000,degree=8")),
        ("a large skewed graph", generated("rmat:scale=14")),
    ];
    for (turn, device) in common::devices().into_iter().enumerate() {
        for seed in common::share(&[0, 5], 2, turn) {
            check_greedy(&device, &graphs, seed);
            check_greedy(&device, &large, seed);
        }
        common::finish(&device);
    }
}

#[test]
fn independent_is_greedy_with_subgroups_of_every_width() {
    let graphs = hostile();
    let widths = ["subgroup=4,seed=1", "subgroup=8,seed=2,resident=2", "subgroup=32,seed=3", "subgroup=64,seed=4"];
    for (turn, settings) in widths.into_iter().enumerate() {
        let device = Device::open(&format!("cpu:{settings}"), &DeviceOptions::default()).unwrap();
        check_greedy(&device, &common::share(&graphs, 4, turn), 7);
    }
}
