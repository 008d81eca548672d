//! Triangles, of the whole graph or of each node, and local clustering coefficients. Every edge is kept once, from the node of lower
//! degree, and the lists of kept edges at both ends of one are intersected. All that is counted is whole numbers: the answer is the same
//! on every device, every time.

mod cpu;
mod record;
pub mod strategy;

use super::{
    prelude::*,
    undirected::{undirected, warn_of_self_loops},
};
use crate::{
    engine::{DevicePartition, partition},
    graph::{BuildOptions, NodeIds, transform},
    oracle::triangles,
};
use record::Extent;
use std::sync::Arc;
use strategy::Method;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrianglesConfig {
    /// How common neighbours are found.
    pub strategy: Configured<Triangles>,
    /// What is found for each node, beside the number of all triangles
    pub per_node: PerNode,
}

impl Settings for TrianglesConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let mut keys = self.strategy.keys();
        let about = "What is found for each node, beside the number of all triangles";
        keys.push(Key::choice("per-node", about, &mut self.per_node).placeholder("WHAT"));
        keys
    }
}

/// What is found for each node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerNode {
    /// Nothing: the fastest.
    #[default]
    None,
    /// The number of triangles it is in.
    Count,
    /// The local clustering coefficient, by LDBC's rule: directions count in a directed graph.
    Lcc,
}

impl Choices for PerNode {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (Self::None, named("none", "Nothing: the fastest")),
        (Self::Count, named("count", "The number of triangles it is in")),
        (
            Self::Lcc,
            named("lcc", "The local clustering coefficient, by LDBC's rule: directions count in a directed graph"),
        ),
    ];
}

/// A graph whose triangles are ready to be counted.
pub struct Triangles {
    session: Session,
    per_node: PerNode,
    /// The graph whose triangles are counted.
    csr: Csr,
    /// Whether the directions of edges are counted, and not the edges.
    marked: bool,
    counts: Counts,
    recording: Recording,
}

/// What is counted, in two words each.
struct Counts {
    /// By the workgroups of two kernels; all together it is the number of triangles.
    totals: [Buffer<u32>; 2],
    /// For each node.
    nodes: Buffer<u32>,
}

/// What is counted, and with what.
struct TriangleInputs<'a> {
    device: &'a Device,
    csr: &'a Csr,
    parts: &'a [DevicePartition],
    /// The number of directions in which each edge was given; nothing where that does not matter.
    marks: &'a [u32],
    name: &'a str,
}

/// The triangles that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleCounts {
    /// How many there are.
    pub total: u64,
    /// What was asked for each node.
    pub nodes: NodeTriangles,
}

/// What was found for each node.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeTriangles {
    /// Nothing was asked for.
    None,
    /// The number of triangles.
    Counts(Vec<u64>),
    /// The local clustering coefficient.
    Coefficients(Vec<f64>),
}

impl Answer for TriangleCounts {
    fn columns(&self) -> Vec<Column<'_>> {
        match &self.nodes {
            NodeTriangles::None => Vec::new(),
            NodeTriangles::Counts(counts) => vec![Column::new("triangles", Values::U64(counts.into()))],
            NodeTriangles::Coefficients(all) => vec![Column::new("lcc", Values::F64(all.into()))],
        }
    }
}

/// Whether the number of directions of each edge must be known: for coefficients of a graph with directions.
fn is_marked(csr: &Csr, config: &TrianglesConfig) -> bool {
    config.per_node == PerNode::Lcc && !csr.is_symmetric()
}

/// The graph with every edge in both directions, which are given unless it is `marked`; and in how many of them each edge was given, where
/// that matters.
fn both_ways(graph: &SharedGraph, marked: bool) -> Result<(SharedGraph, Arc<Vec<u32>>)> {
    if !marked {
        let undirected = || Ok(undirected(graph.csr(), "triangles are")?.into_owned());
        return Ok((graph.derived("undirected", undirected)?, Arc::default()));
    }
    let found = graph.once("both ways, with marks", || {
        let (csr, marks) = with_marks(graph.csr())?;
        Ok((csr, Arc::new(marks)))
    })?;
    Ok((graph.derived("both ways", || Ok(found.0.clone()))?, found.1.clone()))
}

/// The graph with every edge in both directions, and in how many of them each was given.
fn with_marks(csr: &Csr) -> Result<(Csr, Vec<u32>)> {
    let graph =
        Graph { name: String::new(), csr: csr.without_weights(), ids: NodeIds::Counted { first: 0 }, directed: true };
    let options = BuildOptions { symmetrise: true, drop_self_loops: true, ..BuildOptions::default() };
    let both_ways = transform::rebuild(&graph, options)?.0.csr;
    let has = |from: u32, to: u32| u32::from(csr.neighbours(from).binary_search(&to).is_ok());
    let marks = both_ways.map_edges(|from, to| has(from, to) + has(to, from))?;
    Ok((both_ways, marks))
}

/// The number of neighbours of each node; parallel edges count once.
fn neighbours(csr: &Csr, node: u32) -> u64 {
    let row = csr.neighbours(node);
    row.len() as u64 - row.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
}

impl Algorithm for Triangles {
    const ABOUT: Description = Description {
        name: "triangles",
        summary: "the number of triangles, of all or of every node, and clustering coefficients",
        help: "\
A triangle is three nodes with an edge between any two of them. Edges are taken both ways, edges from a node to itself are ignored, \
and parallel edges count once. Without --per-node only the number of all triangles is found, and there is nothing for --output. \
With --per-node count the output is a line `id triangles` for each node; with --per-node lcc it is `id lcc`, the local clustering \
coefficient by LDBC Graphalytics' rule: of all ordered pairs of a node's neighbours, in either direction, the part that has an \
edge from the first to the second. There the directions of a directed graph count. Everything is counted in whole numbers, so the \
answer is the same on every device, every time.

Examples:
  evenkeel triangles rmat:scale=20 --validate
  evenkeel triangles friends.csv --per-node count --top 5
  evenkeel triangles web.mtx --per-node lcc --output coefficients.csv
  evenkeel compare triangles rmat:scale=14 --strategies binary-search,bitmap,auto",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = TrianglesConfig;
    type Input = ();
    type Answer = TriangleCounts;
    type Reference = TriangleCounts;

    /// An edge without its reverse is an error, but for coefficients.
    fn build(graph: &SharedGraph, config: &TrianglesConfig) -> Result<Self> {
        let (device, given, name) = (graph.device(), graph.csr(), format!("triangles {}", config.strategy));
        let session = Session::new(graph)?;
        let (marked, per_node) = (is_marked(given, config), config.per_node != PerNode::None);
        let (graph, marks) = both_ways(graph, marked)?;
        let csr = graph.csr();
        let asked = *config.strategy.item().on(device.info())?;
        let method = asked.choose(device.info().kind, given.skew().highest);
        let size = (csr.columns().len(), partition(device.info(), csr).list().len());
        let extent = Extent::new(device.info(), given, size, method, marked, per_node);
        let [search, bitmap] = totals(method, extent);
        let counts = Counts {
            totals: [device.buffer("totals", search)?, device.buffer("bitmap totals", bitmap)?],
            nodes: device.buffer("counts", 2 * Self::columns(config) * csr.nodes() as usize)?,
        };
        let recording = if method == Method::Marks {
            cpu::record(device, &name, csr, marks, &counts, per_node)?
        } else {
            let inputs = TriangleInputs { device, csr, parts: graph.partitions()?, marks: &marks, name: &name };
            record::record(&inputs, extent, &counts)?
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        Ok(Self { session, per_node: config.per_node, csr: csr.clone(), marked, counts, recording })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|_| Run::timed(1, || self.recording.run()))
    }

    fn answer(&self) -> Result<TriangleCounts> {
        let device = self.session.answered()?.device();
        let of_words = |words: &[u32]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let numbers = |words: &Buffer<u32>| -> Result<Vec<u64>> {
            Ok(device.download(words)?.chunks_exact(2).map(of_words).collect())
        };
        let [search, bitmap] = &self.counts.totals;
        let total = numbers(search)?.into_iter().chain(numbers(bitmap)?).sum();
        let counts = numbers(&self.counts.nodes)?;
        let nodes = match self.per_node {
            PerNode::None => NodeTriangles::None,
            PerNode::Count => NodeTriangles::Counts(counts),
            PerNode::Lcc => {
                let coefficient = |(node, count): (u32, u64)| {
                    let (neighbours, directions) = (neighbours(&self.csr, node), if self.marked { 1 } else { 2 });
                    let pairs = neighbours * neighbours.saturating_sub(1);
                    if pairs == 0 { 0.0 } else { (directions * count) as f64 / pairs as f64 }
                };
                NodeTriangles::Coefficients((0..).zip(counts).map(coefficient).collect())
            }
        };
        Ok(TriangleCounts { total, nodes })
    }

    fn reference(graph: &Graph, (): &(), config: &TrianglesConfig) -> Result<TriangleCounts> {
        let csr = &graph.csr;
        Ok(match config.per_node {
            PerNode::None => TriangleCounts { total: triangles::total(csr), nodes: NodeTriangles::None },
            PerNode::Count => {
                let counts = triangles::counts(csr);
                TriangleCounts { total: counts.iter().sum::<u64>() / 3, nodes: NodeTriangles::Counts(counts) }
            }
            PerNode::Lcc => {
                let nodes = NodeTriangles::Coefficients(triangles::clustering(csr));
                TriangleCounts { total: triangles::total(csr), nodes }
            }
        })
    }

    fn check(found: &TriangleCounts, expected: &TriangleCounts, _: &Graph, (): &()) -> Option<Mismatch> {
        let of_nodes = match (&expected.nodes, &found.nodes) {
            (NodeTriangles::Counts(expected), NodeTriangles::Counts(found)) => oracle::first_mismatch(expected, found),
            (NodeTriangles::Coefficients(expected), NodeTriangles::Coefficients(found)) => {
                triangles::first_mismatch(expected, found)
            }
            _ => None,
        };
        let of_all = || {
            let [expected, found] = [expected, found].map(|counts| format!("{} triangles in all", counts.total));
            (expected != found).then_some(Mismatch { node: 0, expected, found })
        };
        of_nodes.or_else(of_all)
    }
}

impl FrontEnd for Triangles {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut TrianglesConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn is_undirected(config: &TrianglesConfig) -> bool {
        config.per_node != PerNode::Lcc
    }

    fn columns(config: &TrianglesConfig) -> usize {
        usize::from(config.per_node != PerNode::None)
    }

    /// Warns of edges that are going to be ignored.
    fn input((): &(), graph: &Graph, _: &TrianglesConfig) -> Result<()> {
        warn_of_self_loops(graph);
        Ok(())
    }
}

/// The words of the totals of each kernel.
fn totals(method: Method, extent: Extent) -> [usize; 2] {
    if method == Method::Marks { [2, 0] } else { extent.totals() }
}
