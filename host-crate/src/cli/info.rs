//! `evenkeel info GRAPH`.

use super::{
    options::{GraphOptions, remark_on_weights},
    output::{Output, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::while_showing,
};
use crate::{
    graph::{formats::Recognised, statistics::Statistics},
    report::{GraphReport, SplitReport, html},
    strategy::{
        SplitGraph,
        threshold::{DEFAULT_BINS, MAX_BINS},
    },
};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel info roads.gr.gz
  evenkeel info rmat:scale=18 --split --json -";

/// Describe a graph: what its file was taken for, nodes, edges, degrees, self-loops, parallel edges, weights.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Info {
    #[command(flatten)]
    graph: GraphOptions,
    /// Say too what node splitting, strategy split, would make of it.
    #[arg(long, help_heading = "Strategy")]
    split: bool,
    /// Bins of the degrees' histogram, which says how many edges are too many.
    #[arg(long, value_name = "B", requires = "split", default_value_t = DEFAULT_BINS)]
    #[arg(help_heading = "Strategy", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BINS)))]
    bins: u32,
    /// Write the description as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
}

impl Info {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let found = self.graph.find()?;
        let [html, svg] = self.pictures.paths();
        let outputs = [("--json", self.json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--json, --html and --svg")?;
        refuse_same_files(&outputs, &found.files())?;
        let (output, pictures) = (Output::create_if(self.json.as_deref())?, self.pictures.open()?);
        let (graph, built) = found.load()?;
        remark_on_weights(&built);
        let statistics = while_showing("counting", "", || Statistics::of(&graph));
        let split = self.split.then(|| {
            let (splitting, [memory_bytes, memory_bytes_after]) = SplitGraph::describe(&graph.csr, self.bins);
            SplitReport { splitting, memory_bytes, memory_bytes_after }
        });
        let description = Description { statistics, recognised: built.recognised.clone(), split };
        pictures.write(|| description.page(graph.directed))?;
        let text = || description.text(&GraphReport::new(&graph, &built));
        Ok(write_json_or_print(output, &description, quiet || self.pictures.take_standard(), text)?)
    }
}

#[derive(Serialize)]
struct Description {
    #[serde(flatten)]
    statistics: Statistics,
    /// What the file was taken for; none for a generated graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    recognised: Option<Recognised>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<SplitReport>,
}

impl Description {
    fn page(&self, directed: bool) -> html::Page {
        let facts = self.recognised.as_ref().map_or(Vec::new(), |recognised| recognised.lines(directed));
        html::graph::page(&self.statistics, &facts, self.split.as_ref())
    }

    fn text(&self, report: &GraphReport) -> String {
        let changed = report.self_loops_dropped + report.parallel_edges_merged > 0;
        let changes = if changed { format!("\n{report}\n") } else { String::new() };
        let split = self.split.as_ref().map_or(String::new(), |split| format!("\n{split}"));
        let statistics = self.statistics.to_string();
        let (name, rest) = statistics.split_once('\n').unwrap_or((&statistics, ""));
        let line = |(what, value): (&str, String)| format!("{what:<21}{value}\n");
        let recognised: String = match &self.recognised {
            Some(recognised) => recognised.lines(report.directed).into_iter().map(line).collect(),
            None => String::new(),
        };
        format!("{name}\n{recognised}{rest}{changes}{split}")
    }
}
