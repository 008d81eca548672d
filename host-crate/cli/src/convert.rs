//! `evenkeel convert GRAPH FILE`.

use super::{
    help::formats_help,
    options::{GraphOptions, WeightOptions, weigh},
    output::{print, refuse_same_files},
    progress::while_showing,
};
use clap::Args;
use evenkeel::{
    Result,
    graph::{
        BuildReport, Graph,
        formats::{self, Format, format_to_write, is_standard},
    },
    report::GraphReport,
};
use std::path::{Path, PathBuf};

/// Read a graph and write it in another format.
#[derive(Args)]
#[command(after_help = after_help())]
pub struct Convert {
    #[command(flatten)]
    graph: GraphOptions,
    /// The file to write; a name that ends in .gz, .xz or .zst is compressed. `-` is standard output.
    #[arg(value_name = "FILE")]
    output: PathBuf,
    /// The format to write [default: told by the file's name].
    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = Format::to_write)]
    to: Option<Format>,
    #[command(flatten)]
    weights: WeightOptions,
}

impl Convert {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let format = format_to_write(&self.output, self.to)?;
        let weights = self.weights.source()?;
        let found = self.graph.find()?;
        let written = format.files_to_write(&self.output);
        let outputs: Vec<_> = written.iter().map(|path| ("the output", Some(path.as_path()))).collect();
        refuse_same_files(&outputs, &found.files())?;
        let (mut graph, built) = found.load()?;
        weigh(&mut graph, &built, weights)?;
        Ok(write_graph(&graph, &built, &self.output, format, quiet)?)
    }
}

pub fn write_graph(graph: &Graph, built: &BuildReport, path: &Path, format: Format, quiet: bool) -> Result<()> {
    if is_standard(path) {
        // The graph is what standard output is for; a report would end up in the middle of it.
        return formats::write(graph, path, Some(format));
    }
    while_showing("writing", &path.display().to_string(), || formats::write(graph, path, Some(format)))?;
    match quiet {
        true => Ok(()),
        false => print(&format!("{}\nwritten to {} as {format}\n", GraphReport::new(graph, built), path.display())),
    }
}

fn after_help() -> String {
    format!(
        "{}\nExamples:\n  \
           evenkeel convert roads.gr.gz roads.ekg      the binary format opens at once\n  \
           evenkeel convert web.mtx web.txt --undirected --drop-self-loops\n  \
           evenkeel convert graph.txt weighted.gr --weights random:1..64\n  \
           curl -s https://example.org/friends.csv.gz | evenkeel convert - - --to binary > friends.ekg",
        formats_help()
    )
}
