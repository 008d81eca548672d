//! The GAP benchmark suite (Beamer, Asanović and Patterson 2015): breadth-first search and shortest paths from 64 sources each, PageRank,
//! components, betweenness from 4 sources at a time, and triangles. A trial is one answer with the graph in the device's memory;
//! everything that depends on the source or that an algorithm does to the graph first, such as ordering it, is in the time.

use super::{
    SuiteOptions,
    suite::{Suite, Task},
};
use crate::options::{FoundGraph, ReadingOptions, weigh};
use clap::{Args, ValueEnum};
use evenkeel::{
    Result,
    algorithm::{self, Part, PathSources, Seeds, Source, betweenness::Scope},
    engine::SharedGraph,
    graph::{Direction, Graph, OpenOptions, adapt, weights::WeightSource},
    settings,
};
use std::any::Any;

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kernel {
    Bfs,
    Sssp,
    Pr,
    Cc,
    Bc,
    Tc,
}

impl Kernel {
    /// What the suite calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Sssp => "sssp",
            Self::Pr => "pr",
            Self::Cc => "cc",
            Self::Bc => "bc",
            Self::Tc => "tc",
        }
    }

    /// The algorithm, how often the suite runs it, and its settings.
    fn rules(self) -> (&'static str, u32, &'static [(&'static str, &'static str)]) {
        match self {
            Self::Bfs => ("bfs", 64, &[]),
            Self::Sssp => ("sssp", 64, &[]),
            // It ends by its tolerance long before.
            Self::Pr => ("pagerank", 16, &[("tolerance", "0.0001"), ("iterations", "1000")]),
            Self::Cc => ("components", 16, &[]),
            // The memory is planned for as many sources as a trial has.
            Self::Bc => ("betweenness", 16, &[("sources", "4")]),
            Self::Tc => ("triangles", 3, &[]),
        }
    }

    /// What trials begin with. Betweenness takes four of the sources at a time.
    fn inputs(self, sources: &[u32], directed: bool) -> Vec<Box<dyn Any>> {
        let some = |nodes: &[u32]| -> Box<dyn Any> {
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            nodes.dedup();
            Box::new(PathSources { nodes, scope: Scope::Sample, directed })
        };
        match self {
            Self::Bfs | Self::Sssp => sources.iter().map(|source| Box::new(*source) as Box<dyn Any>).collect(),
            Self::Pr => vec![Box::new(Seeds::default())],
            Self::Bc => sources.chunks(4).map(some).collect(),
            Self::Cc | Self::Tc => vec![Box::new(())],
        }
    }

    /// Whether edges are taken both ways.
    fn is_undirected(self) -> bool {
        matches!(self, Self::Cc | Self::Tc)
    }
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
        let sources = self.sources(&graph, 64)?;
        self.run_kernels(suite, &graph, &sources, false)?;
        if self.kernels.iter().any(|kernel| kernel.is_undirected()) {
            let both_ways = OpenOptions { direction: Some(Direction::Undirected), ..OpenOptions::default() };
            self.run_kernels(suite, &adapt(graph, &both_ways)?.0, &sources, true)?;
        }
        Ok(())
    }

    /// Runs the kernels that take edges both ways, or the others, in the order of the suite.
    fn run_kernels(&self, suite: &mut Suite, graph: &Graph, sources: &[u32], undirected: bool) -> anyhow::Result<()> {
        let shared = SharedGraph::new(suite.device(), &graph.csr);
        let is_wanted = |kernel: &&Kernel| self.kernels.contains(kernel) && kernel.is_undirected() == undirected;
        for kernel in Kernel::value_variants().iter().filter(is_wanted) {
            let (algorithm, trials, settings) = kernel.rules();
            let mut setup = algorithm::named(algorithm)?.setup();
            for (name, value) in settings {
                settings::set(setup.settings(Part::Config), name, value)?;
            }
            suite.run(Task {
                kernel: kernel.name(),
                graph,
                shared: &shared,
                setup,
                inputs: kernel.inputs(sources, graph.directed),
                trials: self.options.trials.unwrap_or(trials),
                size: graph.csr.edges(),
                check: None,
            })?;
        }
        Ok(())
    }

    /// Nodes that have edges.
    fn sources(&self, graph: &Graph, count: u64) -> Result<Vec<u32>> {
        (0..count).map(|number| Source::Random(self.seed.wrapping_add(number * 1000)).find(graph)).collect()
    }
}
