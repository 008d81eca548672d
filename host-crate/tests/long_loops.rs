//! Graphs with such long rows and columns that some drivers would stop an invocation in the middle of one: every strategy is right or refuses
//! the graph, and none is wrong without a word.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{self, FrontEnd, Visitor},
    device::Device,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds},
};

/// Those whose time does not grow with the square of the nodes.
const ALGORITHMS: [&str; 7] = ["bfs", "sssp", "spmv", "spmm", "pagerank", "color", "components"];

/// Settings by which an invocation has most to do by itself.
const TUNED: [(&str, &str); 7] = [
    ("bfs", "split:bins=1"),
    ("bfs", "group-mapped:1"),
    ("sssp", "split:bins=1"),
    ("sssp", "group-mapped:256"),
    ("spmv", "group-mapped:1"),
    ("spmm", "group-mapped:1"),
    ("pagerank", "group-mapped:1"),
];

fn graph(name: &str, nodes: u32, edges: impl Iterator<Item = (u32, u32)>, symmetrise: bool) -> Graph {
    let (sources, targets) = edges.unzip();
    let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(list, BuildOptions { symmetrise, ..BuildOptions::default() }).unwrap().0;
    Graph { name: name.to_owned(), csr, ids: NodeIds::Counted { first: 0 }, directed: !symmetrise }
}

struct Check<'a> {
    device: &'a Device,
    graph: &'a Graph,
    turn: usize,
    right: Vec<String>,
    refused: Vec<String>,
}

impl Visitor for Check<'_> {
    fn visit<A: FrontEnd>(&mut self) {
        if !ALGORITHMS.contains(&A::ABOUT.name) || (A::is_undirected(&A::Config::default()) && self.graph.directed) {
            return;
        }
        let alternatives = A::alternatives().into_iter().filter(|it| it.about.runs_on(self.device.info()));
        let tuned = TUNED.into_iter().filter(|(algorithm, _)| *algorithm == A::ABOUT.name).map(|(_, name)| name);
        let names: Vec<_> = alternatives.map(|it| it.about.name).chain(tuned).collect();
        // What refuses nothing has one graph for each strategy.
        let parts = if self.device.info().loop_limit.is_none() { 3 } else { 1 };
        let input = A::input(&A::InputOptions::default(), self.graph, &A::Config::default()).unwrap();
        let reference = A::reference(self.graph, &input, &A::Config::default()).unwrap();
        for name in common::share(&names, parts, self.turn) {
            let what = format!("{} {name} on {}", A::ABOUT.name, self.graph.name);
            match run::<A>(self.device, self.graph, name, &input, &reference) {
                Ok(None) => self.right.push(what),
                Ok(Some(mismatch)) => panic!("{what}: {mismatch}"),
                Err(Error::Unsupported(reason)) => {
                    assert!(reason.contains("--device cpu"), "{what}: {reason}");
                    self.refused.push(what);
                }
                // It does not suit the graph, and says so.
                Err(Error::Usage(reason)) if reason.starts_with(name) => {}
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
}

fn run<A: FrontEnd>(
    device: &Device,
    graph: &Graph,
    name: &str,
    input: &A::Input,
    reference: &A::Reference,
) -> Result<Option<String>, Error> {
    let mut prepared = A::prepare(device, &graph.csr, &A::with_alternative(&A::Config::default(), name)?)?;
    prepared.run(input)?;
    Ok(A::check(&prepared.answer()?, reference, graph, input).map(|mismatch| format!("{mismatch:?}")))
}

#[test]
fn every_strategy_is_right_or_refuses() {
    let graphs = [
        // A search from node 0 comes back to a node that has all the others before it.
        graph("a column", 80_002, (1..80_000).map(|node| (node, 80_000)).chain([(0, 1), (80_000, 80_001)]), false),
        graph("a star", 40_000, (1..40_000).map(|node| (0, node)), true),
        // Several long rows for each group of invocations, and an empty row behind them.
        graph("hubs", 20_001, (0..16).flat_map(|hub| (0..20_000).map(move |node| (hub, node))), false),
    ];
    for device in common::devices() {
        for (turn, graph) in graphs.iter().enumerate() {
            let mut check = Check { device: &device, graph, turn, right: Vec::new(), refused: Vec::new() };
            algorithm::visit(&mut check);
            assert!(!check.right.is_empty(), "all refuse {} on {device:?}", graph.name);
            if device.info().loop_limit.is_none() {
                assert_eq!(check.refused, Vec::<String>::new(), "{device:?}");
            } else {
                let is_refused = |name: &str| check.refused.iter().any(|what| what.starts_with(name));
                let must = match graph.name.as_str() {
                    "a column" => "bfs vertex-pull",
                    "a star" => "spmv group-mapped:1",
                    _ => "bfs group-mapped",
                };
                assert!(is_refused(must), "{must} runs {} on {device:?}", graph.name);
                assert!(!is_refused("spmv merge-path"), "{:?}", check.refused);
            }
        }
        common::finish(&device);
    }
}
