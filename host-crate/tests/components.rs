//! Components with every strategy, on every device, against the textbook: weak and strong ones of graphs of every shape, of random graphs,
//! and the published answers of LDBC Graphalytics.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{Algorithm, Components, ComponentsConfig},
    device::Device,
    engine::schedule::Choice,
    graph::{BuildOptions, Csr, Direction, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle::{components, first_mismatch},
};
use proptest::prelude::*;

/// All strategies, those under a schedule included.
fn names() -> Vec<String> {
    let under = Choice::all().into_iter().map(|choice| format!("all-edges:{choice}"));
    ["afforest", "all-edges", "auto"].map(str::to_owned).into_iter().chain(under).collect()
}

fn csr(nodes: u32, symmetrise: bool, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    let options = BuildOptions { symmetrise, ..BuildOptions::default() };
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, options).unwrap().0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

/// About half of the edges, some of them with their reverses.
fn one_way(csr_of: &Csr) -> Csr {
    let ends = |node: u32| csr_of.neighbours(node).iter().map(move |end| (node, *end));
    let edges = (0..csr_of.nodes()).flat_map(ends).filter(|(source, target)| (source * 7 + target * 3) % 5 < 2);
    csr(csr_of.nodes(), false, edges)
}

/// Holds the named strategies against the oracle, twice each: weak components, and strong ones where they can be found so.
fn check(device: &Device, csr: &Csr, what: &str, names: &[String]) {
    for (strong, expected) in [(false, components::weak(csr)), (true, components::strong(csr))] {
        for name in names {
            let config = ComponentsConfig { strategy: name.parse().unwrap(), strong };
            let mut found = match Components::prepare(device, csr, &config) {
                Err(Error::Usage(_)) if strong && name == "afforest" && !csr.is_symmetric() => continue,
                prepared => prepared.unwrap(),
            };
            for _ in 0..2 {
                found.run(&()).unwrap();
                let labels = found.answer().unwrap().0;
                assert_eq!(first_mismatch(&expected, &labels), None, "{what}, {config:?} on {device:?}");
            }
        }
    }
}

#[test]
fn graphs_of_every_shape() {
    let ring = |nodes: u32| (0..nodes).map(move |node| (node, (node + 1) % nodes));
    let cliques =
        (0..30u32).flat_map(|clique| (0..100u32).map(move |edge| (clique * 10 + edge / 10, clique * 10 + edge % 10)));
    let shuffled = |node: u32| (node * 617) % 1000;
    let shapes = [
        ("no node", csr(0, false, [])),
        ("one node", csr(1, false, [])),
        ("one node with an edge to itself", csr(1, true, [(0, 0)])),
        ("no edge at all", csr(3000, false, [])),
        ("one edge", csr(700, false, [(699, 3)])),
        (
            "edges to themselves, and parallel ones",
            csr(600, false, (0..599).flat_map(|n| [(n, n), (n, n / 2), (n, n / 2)])),
        ),
        ("a chain one way", csr(900, false, (0..899).map(|node| (node, node + 1)))),
        ("a chain the other way", csr(900, false, (0..899).map(|node| (node + 1, node)))),
        ("a shuffled chain", csr(1000, true, (0..999).map(|node| (shuffled(node), shuffled(node + 1))))),
        ("a shuffled chain one way", csr(1000, false, (0..999).map(|node| (shuffled(node), shuffled(node + 1))))),
        ("a ring one way", csr(90, false, ring(90))),
        ("a ring the other way", csr(90, false, ring(90).map(|(from, to)| (to, from)))),
        ("a shuffled ring one way", csr(1000, false, ring(200).map(|(from, to)| (shuffled(from), shuffled(to))))),
        (
            "two rings with an edge between",
            csr(200, false, ring(100).chain(ring(100).map(|(a, b)| (a + 100, b + 100))).chain([(99, 100)])),
        ),
        ("cliques", csr(300, true, cliques)),
        (
            "ends that alternate",
            csr(
                64,
                false,
                (0..63).map(|place| {
                    (2 * place.min(63 - place) + place / 32, 2 * (place + 1).min(62 - place) + (place + 1) / 32)
                }),
            ),
        ),
        ("all to one", csr(2500, false, (1..2500).map(|node| (node, 0)))),
        ("a star", generated("star:nodes=3000")),
        ("a grid", generated("grid:rows=30,cols=40")),
        ("a road network", generated("road:nodes=2000")),
        ("a sparse random graph", generated("er:nodes=3000,degree=2")),
        ("a skewed graph", generated("rmat:scale=10")),
        ("a skewed directed graph", one_way(&generated("rmat:scale=9"))),
    ];
    // One in three strategies for each graph, so that each strategy has every device in turn.
    for (turn, (shape, csr)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, csr, shape, &common::share(&names(), 3, turn));
            common::finish(&device);
        }
    }
}

/// A hub outside the largest component is cut into pieces, which all workgroups take.
#[test]
fn hubs_that_are_not_in_the_largest_component() {
    const GRID: u32 = 16_384;
    let grid = (0..GRID)
        .flat_map(|node| [(node, if node % 128 == 127 { node } else { node + 1 }), (node, (node + 128) % GRID)]);
    let star = |hub: u32, leaves: u32| (1..=leaves).map(move |leaf| (hub, hub + leaf));
    let two = csr(GRID + 15_002, true, grid.chain(star(GRID, 5000)).chain(star(GRID + 5001, 10_000)));
    let one_way = csr(20_001, false, star(0, 20_000).map(|(hub, leaf)| (20_000 - hub, 20_000 - leaf)));
    for device in common::devices() {
        check(&device, &two, "stars beside a grid", &names());
        check(&device, &one_way, "a star one way", &names());
        common::finish(&device);
    }
}

/// Trees as deep as a path is long, in every order of nodes.
#[test]
fn long_paths() {
    const NODES: u32 = 20_000;
    let shuffled = |node: u32| (u64::from(node) * 13_331 % u64::from(NODES)) as u32;
    let path = |name: fn(u32) -> u32| csr(NODES, true, (1..NODES).map(move |node| (name(node - 1), name(node))));
    let shapes = [
        ("in order", path(|node| node)),
        ("backwards", path(|node| NODES - 1 - node)),
        ("shuffled", csr(NODES, true, (1..NODES).map(|node| (shuffled(node - 1), shuffled(node))))),
        ("one way", csr(NODES, false, (1..NODES).map(|node| (shuffled(node - 1), shuffled(node))))),
    ];
    let names = ["afforest", "auto"].map(str::to_owned);
    for (turn, (shape, csr)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            check(&device, csr, shape, &names);
            common::finish(&device);
        }
    }
}

#[test]
fn random_graphs() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(24), failure_persistence: None, ..Default::default() };
        let edges = (1u32..1500).prop_flat_map(|nodes| {
            // Squaring crowds edges onto the first nodes, at both ends: long rows, and nodes without edges.
            let crowded = move || (0..nodes).prop_map(move |node| (u64::from(node).pow(2) / u64::from(nodes)) as u32);
            (Just(nodes), prop::bool::ANY, prop::collection::vec((crowded(), 0..nodes), 0..2500))
        });
        let run = |(nodes, symmetrise, edges): (u32, bool, Vec<(u32, u32)>)| {
            check(&device, &csr(nodes, symmetrise, edges), "random", &common::share(&names(), 2, nodes as usize));
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn strong_components_are_not_found_by_skipping_edges() {
    let device = common::devices().pop().unwrap();
    let config = ComponentsConfig { strategy: "afforest".parse().unwrap(), strong: true };
    let error = Components::prepare(&device, &csr(2, false, [(0, 1)]), &config).err().unwrap();
    assert!(matches!(&error, Error::Usage(message) if message.contains("all-edges")), "{error}");
}

/// Nodes with the same label in LDBC's answer, and only those, are in one component.
#[test]
fn ldbc_answers() {
    let Some(data) = common::data() else { return };
    let ldbc = data.join("reference/ldbc");
    let cases = [
        ("wcc/dir-input", "wcc/dir-output", Direction::Directed, Some("adjacency")),
        ("wcc/undir-input", "wcc/undir-output", Direction::Undirected, Some("adjacency")),
        ("example/example-directed.e", "example/example-directed-WCC", Direction::Directed, None),
        ("example/example-undirected.e", "example/example-undirected-WCC", Direction::Undirected, None),
    ];
    for (input, output, direction, format) in cases {
        let format = format.and_then(|format| format.parse().ok());
        let options = OpenOptions { direction: Some(direction), format, ..Default::default() };
        let graph = open(&ldbc.join(input), &options).unwrap().0;
        let text = std::fs::read_to_string(ldbc.join(output)).unwrap();
        let mut smallest = std::collections::HashMap::new();
        let mut labels = vec![String::new(); graph.csr.nodes() as usize];
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (id, label) = line.split_once(char::is_whitespace).unwrap();
            let node = graph.ids.find(id, graph.csr.nodes()).unwrap();
            let first = smallest.entry(label.trim().to_owned()).or_insert(node);
            *first = node.min(*first);
            labels[node as usize] = label.trim().to_owned();
        }
        let expected: Vec<u32> = labels.iter().map(|label| smallest[label]).collect();
        for device in common::devices() {
            for name in names() {
                let config = ComponentsConfig { strategy: name.parse().unwrap(), strong: false };
                let mut found = Components::prepare(&device, &graph.csr, &config).unwrap();
                found.run(&()).unwrap();
                assert_eq!(first_mismatch(&expected, &found.answer().unwrap().0), None, "{input}, {name}");
            }
            common::finish(&device);
        }
    }
}
