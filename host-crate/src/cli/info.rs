//! `evenkeel info GRAPH`.

use super::{
    options::GraphOptions,
    output::{Output, is_standard, print},
    progress::while_showing,
};
use clap::Args;
use evenkeel::{graph::statistics::Statistics, report::GraphReport};
use std::path::PathBuf;

/// Describe a graph: nodes, edges, degrees, self-loops, parallel edges, weights.
#[derive(Args)]
pub struct Info {
    #[command(flatten)]
    graph: GraphOptions,
    /// Write the description as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Info {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let output = Output::create_if(self.json.as_deref())?;
        let (graph, built) = self.graph.find()?.load()?;
        let statistics = while_showing("counting", || Statistics::of(&graph))?;
        if let Some(output) = output {
            output.write_json(&statistics)?;
        }
        if !quiet && !self.json.as_deref().is_some_and(is_standard) {
            print(&text(&statistics, &GraphReport::new(&graph, &built)))?;
        }
        Ok(())
    }
}

fn text(statistics: &Statistics, report: &GraphReport) -> String {
    let changed = report.self_loops_dropped + report.parallel_edges_merged > 0;
    match changed {
        true => format!("{statistics}\n{report}\n"),
        false => statistics.to_string(),
    }
}
