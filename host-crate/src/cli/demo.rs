//! `evenkeel demo`: a graph whose degrees differ widely and one whose degrees do not, the algorithms that ask to be shown with
//! every strategy, all checked.

use super::{
    compare::CompareOptions,
    options::{make, weigh},
    output::print,
    registry,
};
use crate::graph::weights::WeightSource;
use clap::Args;

/// Shortest paths need weights; these are those of the benchmarks.
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

/// Run searches and products with every strategy on a skewed and a road-like graph, check all answers, and print tables.
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
        let shown = comparison.shown;
        for generator in [format!("rmat:scale={}", self.scale), format!("road:nodes={}", 1 << self.scale)] {
            let mut graph = make(&generator.parse()?)?;
            weigh(&mut graph, WEIGHTS)?;
            for demonstrate in registry::all().iter().filter_map(|algorithm| algorithm.demonstrate) {
                demonstrate(&mut comparison, &graph)?;
            }
        }
        comparison.finish()?;
        if shown {
            print(NEXT)?;
        }
        Ok(())
    }
}

const NEXT: &str = "
What to try next:
  evenkeel demo --scale 20                    larger graphs
  evenkeel devices                            other devices
  evenkeel info GRAPH                         what a graph looks like: a file, or a generator such as rmat:scale=18
  evenkeel sssp GRAPH --validate --profile    shortest paths, checked, with a table by kernel
  evenkeel compare bfs GRAPH                  the strategies side by side
";
