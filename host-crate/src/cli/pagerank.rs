//! PageRank on the command line.

use super::task::{Answer, Task};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{
        PageRank, PageRankConfig, Run,
        pagerank::{DAMPING, ITERATIONS, known_damping},
    },
    device::{Device, MemoryPlan},
    engine::schedule,
    graph::{Csr, Graph},
    oracle::{
        Mismatch,
        pagerank::{first_mismatch, ranks},
    },
    report::Value,
};

/// What `evenkeel pagerank --help` ends with.
pub const EXAMPLES: &str = "\
The rule is LDBC Graphalytics': all nodes begin alike, a node that no edge leaves gives its rank to all, and weights do not \
matter. The output is a line `id rank` for each node; the ranks add up to 1. An answer is right when each rank is within a \
ten-thousandth of its own size of a double-precision reference, as LDBC has it.

Examples:
  evenkeel pagerank rmat:scale=20 --validate
  evenkeel pagerank web.mtx --directed --damping 0.9 --iterations 50 --output ranks.txt
  evenkeel pagerank grid:rows=1024,cols=1024 --schedule merge-path --runs 10 --warmup 2 --profile";

/// The graph is all it is run on.
#[derive(Args)]
pub struct NoOptions {}

/// What `evenkeel compare pagerank` can choose for all schedules.
#[derive(Args)]
pub struct PageRankTuning {
    /// How likely a walk is to follow an edge rather than to begin anew: from 0 to 1.
    #[arg(long, value_name = "D", default_value_t = DAMPING, value_parser = known_damping, help_heading = "Run")]
    damping: f64,
    /// How many iterations.
    #[arg(long, value_name = "N", default_value_t = ITERATIONS, help_heading = "Run")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
}

impl Task for PageRank {
    const ALGORITHM: &'static str = "pagerank";
    const CHOICE: &'static str = "schedule";
    type Config = PageRankConfig;
    type Tuning = PageRankTuning;
    type Options = NoOptions;
    type Input = ();
    type Expected = Vec<f64>;
    type Answer = Ranks;

    fn alternatives() -> Vec<String> {
        schedule::names()
    }

    fn known(name: &str) -> Result<String> {
        schedule::known(name)
    }

    fn choice(config: &PageRankConfig) -> &str {
        &config.schedule
    }

    fn with_choice(config: &PageRankConfig, name: &str) -> PageRankConfig {
        PageRankConfig { schedule: name.to_owned(), ..config.clone() }
    }

    fn tuned(tuning: &PageRankTuning, _: &[String]) -> Result<PageRankConfig> {
        Ok(PageRankConfig { damping: tuning.damping, iterations: tuning.iterations, ..PageRankConfig::default() })
    }

    fn input(_: &NoOptions, _: &Graph) -> Result<()> {
        Ok(())
    }

    fn plan(csr: &Csr, config: &PageRankConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &PageRankConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.run()
    }

    fn answer(&self) -> Result<Ranks> {
        self.ranks().map(Ranks)
    }

    fn expected(graph: &Graph, (): &(), config: &PageRankConfig) -> Result<Vec<f64>> {
        Ok(ranks(&graph.csr, config.damping, config.iterations))
    }

    fn mismatch(found: &Ranks, expected: &Vec<f64>, _: &Graph, (): &()) -> Option<Mismatch> {
        first_mismatch(expected, &found.0)
    }
}

/// A rank for each node.
pub struct Ranks(Vec<f32>);

impl Answer for Ranks {
    fn value(&self, node: u32) -> Option<Value> {
        Some(Value::Real(self.0[node as usize]))
    }
}
