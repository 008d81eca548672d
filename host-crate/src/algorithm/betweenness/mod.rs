//! Betweenness centrality (Brandes 2001): the part of all shortest paths that leads through each node, exact or estimated from sampled
//! sources. Values and factors are NetworkX's.

mod batch;
mod cpu;
mod levels;
mod number;
mod sources;
mod strategy;

pub(super) use sources::drawn;
pub use sources::{PathSources, Scope};

use super::{Source, prelude::*, source::source_key};
use crate::{
    graph::{BuildOptions, NodeIds, transform::rebuild},
    oracle::betweenness,
};
use rayon::prelude::*;
use strategy::Method;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BetweennessConfig {
    /// How paths are counted.
    pub strategy: Configured<Betweenness>,
    /// Count the paths that begin at one node alone: its name in the file, or where no node has that name max-degree or random:SEED.
    pub source: Option<Source>,
    /// Estimate from the paths that begin at so many nodes, which are drawn; all nodes unless given.
    pub sources: Option<u32>,
    /// The seed by which these nodes are drawn.
    pub seed: u64,
    /// Divide by the number of pairs of other nodes: from 0 to 1. From one node alone there are no pairs, and nothing is divided.
    pub normalized: bool,
}

impl Settings for BetweennessConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { strategy, source, sources, seed, normalized } = self;
        let mut keys = strategy.keys();
        let about = "Count the paths that begin at one node alone: its name in the file, or where no node has that name max-degree or \
                     random:SEED";
        keys.push(source_key(about, source).excludes(&["sources"]));
        let about = "Estimate from the paths that begin at so many nodes, which are drawn; all nodes unless given";
        keys.push(Key::optional("sources", about, "", sources).within(1, u32::MAX).placeholder("K"));
        let about = "The seed by which these nodes are drawn";
        keys.push(Key::option("seed", about, seed).needs(&["sources"]).placeholder("SEED"));
        let about = "Divide by the number of pairs of other nodes: from 0 to 1. From one node alone there are no pairs, and nothing is \
                     divided";
        keys.push(Key::switch("normalized", about, normalized).excludes(&["source"]));
        keys
    }
}

/// The centrality of each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Centralities {
    /// The values of all nodes, in the order of the graph.
    pub values: Vec<f64>,
    /// How many nodes the paths that were counted begin at.
    pub sources: u64,
}

impl Answer for Centralities {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("betweenness", Values::F64((&self.values).into())).meaning(Meaning::Score)]
    }

    fn facts(&self) -> Vec<Fact> {
        vec![Fact { name: SOURCES, value: Value::Count(self.sources) }]
    }
}

/// What a strategy's file makes ready: dependencies on each node, added up over sources.
trait Dependencies {
    /// Adds up the dependencies of these sources, each of which has edges. Returns the time and the number of levels.
    fn run(&mut self, device: &Device, sources: &[u32]) -> Result<Run>;

    /// The sums of the last run.
    fn totals(&self, device: &Device) -> Result<Vec<f64>>;
}

/// Betweenness on one graph, ready to run from any sources.
pub struct Betweenness {
    session: Session,
    normalized: bool,
    /// How many sources the memory was planned for; one, or any number.
    is_single: bool,
    steps: Box<dyn Dependencies>,
    /// The sources of the last run.
    sources: Option<PathSources>,
}

impl Algorithm for Betweenness {
    const ABOUT: Description = Description {
        name: "betweenness",
        summary: "betweenness centrality: how many shortest paths lead through every node",
        help: "\
The centrality of a node is the sum over all pairs of other nodes of the part of the shortest paths between them that leads through it; \
weights do not matter, parallel edges count once. Pairs of an undirected graph are counted once, those of a directed one in both orders. \
With --normalized the sum is divided by the number of these pairs. These are the values of networkx.betweenness_centrality. With \
--sources K only the paths from K nodes are counted, which are drawn by --seed, and the sum is scaled as NetworkX does it: an estimate; \
a node that is the only source gets 0. With --source the output is what the paths from that node alone depend on each other node, \
without any factor.

The output is a line `id betweenness` for each node. The same graph and sources give the same answer in every run. Paths are counted \
without overflow, in double precision on the CPU device; GPUs compute the dependencies of each source in single precision, and add them \
up in double precision if they have it. An answer is right when each value is within a ten-thousandth of its own size of a \
double-precision reference.

Examples:
  evenkeel betweenness rmat:scale=10 --normalized --validate
  evenkeel betweenness friends.csv --top 5 --output betweenness.csv
  evenkeel betweenness rmat:scale=20 --sources 64 --seed 7
  evenkeel betweenness rmat:scale=20 --source max-degree --runs 10 --warmup 2",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = BetweennessConfig;
    type Input = PathSources;
    type Answer = Centralities;
    type Reference = Vec<f64>;

    fn build(graph: &SharedGraph, config: &BetweennessConfig) -> Result<Self> {
        let device = graph.device();
        config.strategy.item().on(device.info())?;
        let session = Session::new(graph)?;
        let simple = graph.derived("without parallel edges", || simple(graph.csr()))?;
        let method = *graph.once("method", || method(&simple, config))?;
        let steps: Box<dyn Dependencies> = match method {
            Method::LevelsCpu => Box::new(cpu::Native::new(&simple, config)?),
            Method::Levels | Method::Auto => Box::new(levels::Levels::new(&Directions::of(&simple)?)?),
            Method::Batched => Box::new(batch::Batches::new(&Directions::of(&simple)?)?),
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        let is_single = config.source.is_some();
        Ok(Self { session, normalized: config.normalized, is_single, steps, sources: None })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, sources: &PathSources) -> Result<Run> {
        let Self { session, steps, is_single, .. } = self;
        let run = session.run(|graph| {
            sources.check(graph.csr(), *is_single)?;
            // No path leaves a node without edges, and a skewed graph has many of them.
            let has_edges = |node: &u32| graph.csr().degree(*node) > 0;
            let nodes: Vec<u32> = sources.nodes.iter().copied().filter(has_edges).collect();
            steps.run(graph.device(), &nodes)
        });
        self.sources = run.is_ok().then(|| sources.clone());
        run
    }

    fn answer(&self) -> Result<Centralities> {
        let mut totals = self.steps.totals(self.session.answered()?.device())?;
        if let Some(sources) = &self.sources {
            sources.scale(&mut totals, self.normalized);
        }
        let sources = self.sources.as_ref().map_or(0, |sources| sources.nodes.len() as u64);
        Ok(Centralities { values: totals, sources })
    }

    fn reference(graph: &Graph, sources: &PathSources, config: &BetweennessConfig) -> Result<Vec<f64>> {
        let dependencies = betweenness::dependencies(&graph.csr, &sources.nodes);
        Ok(match sources.scope {
            Scope::One => dependencies,
            Scope::All => betweenness::rescaled(dependencies, None, sources.directed, config.normalized),
            Scope::Sample => {
                betweenness::rescaled(dependencies, Some(&sources.nodes), sources.directed, config.normalized)
            }
        })
    }

    fn check(found: &Centralities, expected: &Vec<f64>, _: &Graph, _: &PathSources) -> Option<Mismatch> {
        betweenness::first_mismatch(expected, &found.values)
    }
}

impl FrontEnd for Betweenness {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn counted_config() -> BetweennessConfig {
        // As many as a batch has.
        BetweennessConfig { sources: Some(32), ..BetweennessConfig::default() }
    }

    fn choice(config: &mut BetweennessConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn input((): &(), graph: &Graph, config: &BetweennessConfig) -> Result<PathSources> {
        PathSources::find(graph, config)
    }

    fn source(sources: &PathSources) -> Option<u32> {
        (sources.scope == Scope::One).then(|| sources.nodes.first().copied()).flatten()
    }
}

/// How that strategy counts paths in that graph, where it has the memory for it.
fn method(graph: &SharedGraph, config: &BetweennessConfig) -> Result<Method> {
    let (device, csr) = (graph.device().info(), graph.csr());
    let suits_batches = || {
        let sources = config.sources.unwrap_or(csr.nodes()) as usize;
        let may_be = config.source.is_none() && sources >= batch::FEWEST && !levels::has_many_levels(csr);
        if may_be { fits_in_batches(graph) } else { Ok(false) }
    };
    config.strategy.item().method().choose(device.kind, suits_batches)
}

/// Whether the memory for batches of sources is there.
fn fits_in_batches(graph: &SharedGraph) -> Result<bool> {
    let planner = graph.planner();
    match batch::Batches::new(&Directions::of(&planner)?) {
        Ok(_) => Ok(planner.device().counted_memory().bytes() <= graph.device().info().available()),
        Err(Error::Memory(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// The graph in which parallel edges are one.
fn simple(csr: &Csr) -> Result<Csr> {
    let has_parallel = |node: u32| csr.neighbours(node).windows(2).any(|pair| pair[0] == pair[1]);
    if !(0..csr.nodes()).into_par_iter().any(has_parallel) {
        return Ok(csr.clone());
    }
    let ids = NodeIds::Counted { first: 0 };
    let whole = Graph { name: String::new(), csr: csr.without_weights(), ids, directed: true };
    let options = BuildOptions { merge_parallel_edges: true, ..BuildOptions::default() };
    Ok(rebuild(&whole, options)?.0.csr)
}

/// The rows of the edges that leave each node, and of those that lead to it; both are the same where every edge has its reverse.
struct Directions {
    leaving: SharedGraph,
    leading: SharedGraph,
}

impl Directions {
    fn of(graph: &SharedGraph) -> Result<Self> {
        let (leaving, leading) = (graph.clone(), graph.incoming(false)?);
        for graph in [&leaving, &leading] {
            refuse_unending_rows(graph.device(), graph.csr())?;
        }
        Ok(Self { leaving, leading })
    }
}
