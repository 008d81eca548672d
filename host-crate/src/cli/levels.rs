//! `evenkeel bfs … --levels FILE`: what each level of the search had to do, how it was searched and how long that took.

use super::{
    bfs,
    measure::Measured,
    output::{Output, is_standard},
    run::RunCommand,
};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{Bfs, BfsConfig},
    device::Device,
    graph::Graph,
    tuning::{TracedLevel, trace},
};
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// A search, and a table of its levels if that is asked for.
#[derive(Args)]
pub struct BfsCommand {
    #[command(flatten)]
    run: RunCommand<Bfs>,
    /// Write a line for each level of the last run as CSV: frontier, discovered so far, edges out of the frontier,
    /// implementation, microseconds.
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    levels: Option<PathBuf>,
}

impl BfsCommand {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let Some(path) = &self.levels else { return self.run.execute(quiet) };
        if is_standard(path) {
            return Err(Error::Usage("--levels goes to a file: standard output is for the others".into()).into());
        }
        let output = Output::create(path)?;
        self.run.execute_then(quiet, true, |device, graph, config, measured| {
            let levels = levels(device, graph, config, measured)?;
            output.write(|writer| write(&levels, writer))
        })
    }
}

fn levels(
    device: &Device,
    graph: &Graph,
    config: &BfsConfig,
    measured: &Measured<bfs::Tree>,
) -> Result<Vec<TracedLevel>> {
    trace(device, &graph.csr, (&config.strategy, &config.tuning), measured.answer.depths(), &measured.spans.runs)
}

fn write(levels: &[TracedLevel], writer: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(writer);
    csv.write_record(["level", "frontier", "discovered", "frontier_edges", "implementation", "microseconds"])?;
    for (level, TracedLevel { moment, implementation, time }) in levels.iter().enumerate() {
        csv.write_record([
            level.to_string(),
            moment.frontier.to_string(),
            moment.discovered.to_string(),
            moment.edges.to_string(),
            implementation.clone(),
            format!("{:.3}", time.as_secs_f64() * 1e6),
        ])?;
    }
    csv.flush()
}
