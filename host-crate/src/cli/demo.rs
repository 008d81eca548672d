//! `evenkeel demo`: a graph whose degrees differ wildly and one whose do not, BFS, SSSP and SpMV with
//! every strategy, all checked.

use super::{
    compare::{CompareOptions, Comparison},
    options::weigh,
    output::print,
    progress::while_showing,
    spmm::Dense,
    task::Task,
};
use clap::Args;
use evenkeel::{
    algorithm::{Bfs, Source, Spmm, Spmv, Sssp, spmv::random_vector},
    graph::{Graph, csr::BuildReport, generate::Generator, weights::WeightSource},
};

/// Shortest paths need weights; these are those of the benchmarks.
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

/// Run BFS, SSSP and SpMV with every strategy on a skewed and a road-like graph, check all answers, and print tables.
#[derive(Args)]
#[command(mut_arg("runs", |runs| runs.default_value("3")))]
pub struct Demo {
    /// The graphs have 2 to this power nodes.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=26))]
    scale: u32,
    #[command(flatten)]
    comparing: CompareOptions,
}

impl Demo {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let mut comparison = self.comparing.begin(quiet)?;
        let shown = comparison.shown();
        for generator in [format!("rmat:scale={}", self.scale), format!("road:nodes={}", 1 << self.scale)] {
            let generator: Generator = generator.parse()?;
            let mut graph = while_showing(format!("making {generator}"), || generator.generate())?;
            weigh(&mut graph, WEIGHTS)?;
            add_all(&mut comparison, &graph)?;
        }
        comparison.finish()?;
        if shown {
            print(NEXT)?;
        }
        Ok(())
    }
}

/// The algorithms on one graph: a new one is a line here. Not PageRank: where there is no GPU, twenty iterations under every
/// schedule take longer than all the rest.
fn add_all(comparison: &mut Comparison<'_>, graph: &Graph) -> anyhow::Result<()> {
    let edges = graph.csr.edges().into();
    let built = BuildReport { edges_given: edges, edges_stored: edges, ..BuildReport::default() };
    let source = Source::MaxDegree.find(graph)?;
    comparison.add::<Bfs>(graph, &built, source, &Default::default(), &Bfs::alternatives())?;
    comparison.add::<Sssp>(graph, &built, source, &Default::default(), &Sssp::alternatives())?;
    let x = random_vector(graph.csr.nodes() as usize, 1);
    comparison.add::<Spmv>(graph, &built, x, &Default::default(), &Spmv::alternatives())?;
    comparison.add::<Spmm>(graph, &built, Dense::new(1), &Default::default(), &Spmm::alternatives())
}

const NEXT: &str = "
What to try next:
  evenkeel demo --scale 20                    larger graphs
  evenkeel devices                            other devices
  evenkeel info GRAPH                         what a graph looks like: a file, or a generator such as rmat:scale=18
  evenkeel sssp GRAPH --validate --profile    shortest paths, checked, with a table by kernel
  evenkeel compare bfs GRAPH                  the strategies side by side
";
