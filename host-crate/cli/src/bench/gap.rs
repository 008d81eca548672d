//! The GAP benchmark suite (Beamer, Asanović and Patterson 2015): breadth-first search and shortest paths from 64 sources each, PageRank,
//! components, betweenness from 4 sources at a time, and triangles. A trial is one answer with the graph in the device's memory;
//! everything that depends on the source or that an algorithm does to the graph first, such as ordering it, is in the time.

use super::{
    SuiteOptions,
    suite::{Suite, Task, by_oracle},
};
use crate::options::{FoundGraph, ReadingOptions, weigh};
use clap::{Args, ValueEnum};
use evenkeel::{
    Result,
    algorithm::{
        Betweenness, BetweennessConfig, Bfs, BfsConfig, Components, ComponentsConfig, FrontEnd, PageRank,
        PageRankConfig, PathSources, Seeds, Source, Sssp, SsspConfig, Triangles, TrianglesConfig, betweenness::Scope,
    },
    engine::SharedGraph,
    graph::{Direction, Graph, OpenOptions, adapt, weights::WeightSource},
};

const EXAMPLES: &str = "\
Examples:
  evenkeel bench gap rmat:scale=20 roads.gr.gz --json gap.json
  evenkeel bench gap web.ekg --kernels bfs,cc --trials 4";

/// The GAP benchmark suite: bfs, sssp, pr, cc, bc and tc.
///
/// The rules are the suite's: bfs and sssp are timed from 64 sources, drawn among the nodes that have edges; pr ends when the ranks change
/// by less than 0.0001 together; bc is of 4 sources a trial; cc and tc take edges both ways. Where a graph has no weights, sssp draws them
/// from 1 to 255. Every answer is of the last trial, and checked against a sequential oracle.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Gap {
    /// Files, or generators such as rmat:scale=20 (`evenkeel generate --help` lists them)
    #[arg(value_name = "GRAPH", required = true)]
    graphs: Vec<String>,
    /// Which kernels to run.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_enum, default_values_t = Kernel::value_variants().to_vec())]
    #[arg(help_heading = "Run")]
    kernels: Vec<Kernel>,
    /// The seed by which sources and weights are drawn.
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = "Run")]
    seed: u64,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    options: SuiteOptions,
}

/// By how much the ranks together change at most in the last iteration.
const TOLERANCE: f64 = 1e-4;
/// PageRank ends by its tolerance long before.
const MOST_ITERATIONS: u32 = 1000;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kernel {
    Bfs,
    Sssp,
    Pr,
    Cc,
    Bc,
    Tc,
}

impl Gap {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let found: Vec<FoundGraph> = self.graphs.iter().map(|graph| self.reading.find(graph)).collect::<Result<_>>()?;
        let inputs: Vec<_> = found.iter().flat_map(FoundGraph::files).collect();
        let mut suite = self.options.begin("GAP", quiet, &inputs)?;
        for found in found {
            let (mut graph, built) = found.load()?;
            if graph.csr.weights().is_none() {
                weigh(&mut graph, &built, WeightSource::Random { low: 1, high: 255, seed: self.seed })?;
            }
            self.run(&mut suite, graph)?;
        }
        suite.finish()
    }

    fn run(&self, suite: &mut Suite, graph: Graph) -> anyhow::Result<()> {
        let shared = SharedGraph::new(suite.device(), &graph.csr);
        let sources = self.sources(&graph, 64)?;
        if self.takes(Kernel::Bfs) {
            suite.run(self.task::<Bfs>("bfs", (&graph, &shared), BfsConfig::default(), sources.clone(), 64))?;
        }
        if self.takes(Kernel::Sssp) {
            suite.run(self.task::<Sssp>("sssp", (&graph, &shared), SsspConfig::default(), sources.clone(), 64))?;
        }
        if self.takes(Kernel::Pr) {
            let config =
                PageRankConfig { tolerance: Some(TOLERANCE), iterations: MOST_ITERATIONS, ..PageRankConfig::default() };
            suite.run(self.task::<PageRank>("pr", (&graph, &shared), config, vec![Seeds::default()], 16))?;
        }
        if self.takes(Kernel::Bc) {
            let (scope, directed) = (Scope::Sample, graph.directed);
            let some = |nodes: &[u32]| {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                nodes.dedup();
                PathSources { nodes, scope, directed }
            };
            let inputs = sources.chunks(4).map(some).collect();
            // The memory is planned for as many sources as a trial has.
            let config = BetweennessConfig { sources: Some(4), ..BetweennessConfig::default() };
            suite.run(self.task::<Betweenness>("bc", (&graph, &shared), config, inputs, 16))?;
        }
        if !self.takes(Kernel::Cc) && !self.takes(Kernel::Tc) {
            return Ok(());
        }
        drop(shared);
        let both_ways = OpenOptions { direction: Some(Direction::Undirected), ..OpenOptions::default() };
        let (graph, _) = adapt(graph, &both_ways)?;
        let shared = SharedGraph::new(suite.device(), &graph.csr);
        if self.takes(Kernel::Cc) {
            let config = ComponentsConfig::default();
            suite.run(self.task::<Components>("cc", (&graph, &shared), config, vec![()], 16))?;
        }
        if self.takes(Kernel::Tc) {
            let config = TrianglesConfig::default();
            suite.run(self.task::<Triangles>("tc", (&graph, &shared), config, vec![()], 3))?;
        }
        Ok(())
    }

    fn takes(&self, kernel: Kernel) -> bool {
        self.kernels.contains(&kernel)
    }

    /// Nodes that have edges.
    fn sources(&self, graph: &Graph, count: u64) -> Result<Vec<u32>> {
        (0..count).map(|number| Source::Random(self.seed.wrapping_add(number * 1000)).find(graph)).collect()
    }

    /// A kernel by the suite's rules, unless other numbers of trials were asked for.
    fn task<'a, A: FrontEnd>(
        &self,
        kernel: &'static str,
        (graph, shared): (&'a Graph, &'a SharedGraph),
        config: A::Config,
        inputs: Vec<A::Input>,
        trials: u32,
    ) -> Task<'a, A> {
        let trials = self.options.trials.unwrap_or(trials);
        let (size, check) = (graph.csr.edges(), by_oracle::<A>(graph));
        Task { kernel, graph, shared, config, inputs, trials, size, check }
    }
}
