//! `evenkeel measure-levels GRAPH… --output FILE`: the time of every variant to search a level, for `evenkeel train`.

use super::{
    failure::{self, Interrupted},
    options::{DeviceOptions, FoundGraph, ReadingOptions},
    output::{Output, is_standard, print, refuse_same_files, takes_standard},
    pictures::PictureOptions,
    progress::{Steps, while_showing},
};
use crate::{
    Error, Result,
    report::html,
    strategy::adaptive::VIRTUAL_WARPS,
    tuning::{Measuring, Table},
};
use clap::Args;
use std::{ops::ControlFlow, path::PathBuf};

/// Time every variant to search a level on every level of some searches, all from the same frontier.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MeasureLevels {
    /// Files, or generators such as rmat:scale=20 (`evenkeel generate --help` lists them).
    #[arg(value_name = "GRAPH", required = true)]
    graphs: Vec<String>,
    /// The table; Parquet if its name ends in .parquet, else CSV. `-` is standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten, next_help_heading = "Run")]
    measuring: Measuring,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

const EXAMPLES: &str = "\
Example, from measuring to a search that switches:
  evenkeel measure-levels rmat:scale=16 grid:rows=300,cols=300 er:nodes=100000,degree=8 --output levels.csv
  evenkeel train levels.csv --output my.tree
  evenkeel bfs rmat:scale=18 --strategy adaptive --model my.tree --validate";

impl MeasureLevels {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        if !VIRTUAL_WARPS.contains(&self.measuring.virtual_warp) {
            return Err(Error::Usage("--virtual-warp is 2, 4, 8, 16 or 32".into()).into());
        }
        let found: Vec<FoundGraph> = self.graphs.iter().map(|graph| self.reading.find(graph)).collect::<Result<_>>()?;
        let [html, svg] = self.pictures.paths();
        let outputs = [("--output", Some(&*self.output)), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--output, --html and --svg")?;
        found.iter().try_for_each(|found| refuse_same_files(&outputs, &found.files()))?;
        let (output, pictures) = (Output::create(&self.output)?, self.pictures.open()?);
        let device = self.device.open(true)?;
        let mut table = Table::default();
        let steps = Steps::new(found.len() as u64 * u64::from(self.measuring.sources), "searches");
        failure::heed_interrupts();
        for found in &found {
            if failure::is_interrupted() {
                break;
            }
            let (graph, _) = found.load()?;
            let before = table.rows.len();
            while_showing("measuring", &graph.name, || {
                self.measuring.measure(&device, &graph, |row| {
                    // The rows of a search follow each other.
                    let is_new =
                        table.rows.last().is_none_or(|last| (&last.graph, last.source) != (&row.graph, row.source));
                    if is_new && table.rows.len() > before {
                        steps.end();
                    }
                    table.rows.push(row);
                    if failure::is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            })?;
            steps.end();
            tracing::info!("{}: {} levels", graph.name, table.rows.len() - before);
        }
        drop(steps);
        output.write(|writer| table.write(&self.output, writer))?;
        pictures.write(|| html::levels::page(&table))?;
        if failure::is_interrupted() {
            return Err(Interrupted.into());
        }
        if !quiet && !is_standard(&self.output) && !self.pictures.take_standard() {
            print(&format!("{} levels of {} graphs in {}\n", table.rows.len(), found.len(), self.output.display()))?;
        }
        Ok(())
    }
}
