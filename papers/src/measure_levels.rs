//! `evenkeel-papers measure-levels GRAPH… --output FILE`: the time of every variant to search a level, for `train`.

use crate::tuning::{Measuring, Table, levels_page};
use clap::Args;
use evenkeel::{Error, Result, strategy::adaptive::VIRTUAL_WARPS};
use evenkeel_cli::{
    failure::{self, Interrupted},
    options::{DeviceOptions, FoundGraph, ReadingOptions},
    output::{Output, is_standard, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::{Steps, while_showing},
};
use serde::Serialize;
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
    /// Write as JSON which graphs were measured. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
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
  evenkeel-papers measure-levels rmat:scale=16 grid:rows=300,cols=300 er:nodes=100000,degree=8 --output levels.csv
  evenkeel-papers train levels.csv --output my.tree
  evenkeel bfs rmat:scale=18 --strategy adaptive --model my.tree --validate";

/// What was measured of a graph, or why nothing was.
#[derive(Default, Serialize)]
struct Measured {
    graph: String,
    collection: String,
    nodes: u32,
    edges: u64,
    directed: bool,
    levels: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl MeasureLevels {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        if !VIRTUAL_WARPS.contains(&self.measuring.virtual_warp) {
            return Err(Error::Usage("--virtual-warp is 2, 4, 8, 16 or 32".into()).into());
        }
        let found: Vec<FoundGraph> = self.graphs.iter().map(|graph| self.reading.find(graph)).collect::<Result<_>>()?;
        let [html, svg] = self.pictures.paths();
        let outputs = [("--output", Some(&*self.output)), ("--json", self.json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--output, --json, --html and --svg")?;
        found.iter().try_for_each(|found| refuse_same_files(&outputs, &found.files()))?;
        let (output, pictures) = (Output::create(&self.output)?, self.pictures.open()?);
        let json = Output::create_if(self.json.as_deref())?;
        let device = self.device.open(true)?;
        let (mut table, mut measured) = (Table::default(), Vec::new());
        let steps = Steps::new(found.len() as u64 * u64::from(self.measuring.sources), "searches");
        failure::heed_interrupts();
        for (name, found) in self.graphs.iter().zip(&found) {
            if failure::is_interrupted() {
                break;
            }
            let collection = found.collection();
            let graph = match found.load() {
                Ok((graph, _)) => graph,
                // One file among many that is no graph is no reason to lose the others.
                Err(error) if self.graphs.len() > 1 => {
                    tracing::warn!("{name} is left out: {error}");
                    let refused = Some(error.to_string());
                    measured.push(Measured { graph: name.clone(), collection, refused, ..Measured::default() });
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let before = table.rows.len();
            while_showing("measuring", &graph.name, || {
                self.measuring.measure(&device, &graph, &collection, |row| {
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
            let levels = table.rows.len() - before;
            tracing::info!("{}: {levels} levels", graph.name);
            let (nodes, edges, directed) = (graph.csr.nodes(), graph.csr.edges(), !graph.csr.is_symmetric());
            measured.push(Measured { graph: graph.name, collection, nodes, edges, directed, levels, refused: None });
        }
        drop(steps);
        if table.rows.is_empty() && !failure::is_interrupted() {
            return Err(Error::Usage("none of these graphs has a level to measure".into()).into());
        }
        output.write(|writer| table.write(&self.output, writer))?;
        pictures.write(|| levels_page::page(&table))?;
        if failure::is_interrupted() {
            return Err(Interrupted.into());
        }
        let quiet = quiet || is_standard(&self.output) || self.pictures.take_standard();
        let said = || {
            let graphs = measured.iter().filter(|it| it.refused.is_none()).count();
            format!("{} levels of {graphs} graphs in {}\n", table.rows.len(), self.output.display())
        };
        Ok(write_json_or_print(json, &measured, quiet, said)?)
    }
}
