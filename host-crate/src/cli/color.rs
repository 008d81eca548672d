//! Graph colouring on the command line.

use super::{
    output::Output,
    task::{Answer, Task},
};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{
        Color, ColorConfig, Run,
        color::{ColorTuning, Iteration, QueueCount, STRATEGIES, has_queues, known_strategy, self_loops},
    },
    device::{Device, MemoryPlan},
    graph::{Csr, Graph},
    oracle::{
        Mismatch,
        color::{check, count, largest_first},
    },
    report::Value,
};
use serde::Serialize;
use std::{
    io,
    path::{Path, PathBuf},
};

/// What `evenkeel color --help` ends with.
pub const EXAMPLES: &str = "\
Edges are taken both ways, and edges from a node to itself are ignored. The output is a line `id colour` for each node; colours \
are counted from 0. The same seed gives the same colours on every device. An answer is right when no edge has the same colour at \
both ends; how many colours a sequential greedy colouring takes, largest degrees first, is shown beside it.

Examples:
  evenkeel color rmat:scale=20 --validate
  evenkeel color schedule.col --seed 7 --output colours.txt
  evenkeel color rmat:scale=14 --strategy hybrid --switch-at 4 --per-iteration iterations.csv
  evenkeel color rmat:scale=14 --strategy stealing --queues 16 --queue-counts queues.csv
  evenkeel compare color rmat:scale=14 --strategies random,random:merge-path,hybrid,auto";

/// What `evenkeel color` can choose.
#[derive(Args, Clone, Default, Serialize)]
pub struct ColorOptions {
    #[command(flatten)]
    #[serde(flatten)]
    config: ColorConfig,
    /// Colour once more after the timed runs, and write a line for each iteration as CSV: how many nodes had no colour, their
    /// degrees, how many have one now, and how long it took. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    #[serde(skip)]
    per_iteration: Option<PathBuf>,
    /// stealing: write for each queue how many elements its workgroup popped and stole in the last run, as CSV. `-` is standard
    /// output.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    #[serde(skip)]
    queue_counts: Option<PathBuf>,
}

/// What `evenkeel compare color` can choose for all strategies.
#[derive(Args)]
pub struct CompareTuning {
    /// The seed of the random labels: another one, another colouring.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u32,
    #[command(flatten)]
    tuning: ColorTuning,
}

/// The graph is all it is run on.
#[derive(Args)]
pub struct NoOptions {}

impl Task for Color {
    const ALGORITHM: &'static str = "color";
    const CHOICE: &'static str = "strategy";
    const UNDIRECTED: bool = true;
    type Config = ColorOptions;
    type Tuning = CompareTuning;
    type Options = NoOptions;
    type Input = ();
    type Expected = u32;
    type Answer = Colors;

    fn alternatives() -> Vec<String> {
        STRATEGIES.iter().map(|strategy| strategy.name.to_owned()).collect()
    }

    fn known(name: &str) -> Result<String> {
        known_strategy(name)
    }

    fn choice(options: &ColorOptions) -> &str {
        &options.config.strategy
    }

    fn with_choice(options: &ColorOptions, name: &str) -> ColorOptions {
        let ColorConfig { seed, tuning, .. } = options.config;
        let config = ColorConfig { strategy: name.to_owned(), seed, tuning: tuning.read_by(name) };
        ColorOptions { config, ..options.clone() }
    }

    fn tuned(tuning: &CompareTuning, names: &[String]) -> Result<ColorOptions> {
        tuning.tuning.check(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let config = ColorConfig { seed: tuning.seed, tuning: tuning.tuning, ..ColorConfig::default() };
        Ok(ColorOptions { config, ..ColorOptions::default() })
    }

    fn check(options: &ColorOptions) -> Result<()> {
        options.config.tuning.check(&[&options.config.strategy])?;
        if options.queue_counts.is_some() && !has_queues(&options.config.strategy) {
            return Err(Error::Usage("--queue-counts is for strategy stealing and hybrid-stealing".into()));
        }
        Ok(())
    }

    fn input(_: &NoOptions, graph: &Graph) -> Result<()> {
        match self_loops(&graph.csr) {
            0 => {}
            count => tracing::warn!("{}: edges from a node to itself are ignored: {count}", graph.name),
        }
        Ok(())
    }

    fn plan(csr: &Csr, options: &ColorOptions) -> Result<MemoryPlan> {
        Self::plan(csr, &options.config)
    }

    fn prepare(device: &Device, csr: &Csr, options: &ColorOptions) -> Result<Self> {
        Self::prepare(device, csr, &options.config)
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.run()
    }

    fn answer(&self) -> Result<Colors> {
        self.colors().map(Colors)
    }

    fn more_files(options: &ColorOptions) -> Vec<&Path> {
        [&options.per_iteration, &options.queue_counts].into_iter().flatten().map(PathBuf::as_path).collect()
    }

    fn write_more(&mut self, options: &ColorOptions) -> Result<()> {
        if let Some(output) = Output::create_if(options.queue_counts.as_deref())? {
            let counts: Vec<QueueCount> = self.queues()?;
            output.write(|writer| write_csv(writer, &counts))?;
        }
        if let Some(output) = Output::create_if(options.per_iteration.as_deref())? {
            let iterations: Vec<Iteration> = self.iterations()?;
            output.write(|writer| write_csv(writer, &iterations))?;
        }
        Ok(())
    }

    fn expected(graph: &Graph, (): &(), _: &ColorOptions) -> Result<u32> {
        Ok(count(&largest_first(&graph.csr)))
    }

    fn expected_colors(expected: &u32) -> Option<u32> {
        Some(*expected)
    }

    fn mismatch(found: &Colors, _: &u32, graph: &Graph, (): &()) -> Option<Mismatch> {
        check(&graph.csr, &found.0).err()
    }
}

fn write_csv(writer: &mut dyn io::Write, rows: &[impl Serialize]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    for row in rows {
        writer.serialize(row).map_err(io::Error::from)?;
    }
    writer.flush()
}

/// A colour for each node.
pub struct Colors(Vec<u32>);

impl Answer for Colors {
    fn value(&self, node: u32) -> Option<Value> {
        Some(Value::Whole(self.0[node as usize]))
    }

    fn colors(&self) -> Option<u32> {
        Some(count(&self.0))
    }
}
