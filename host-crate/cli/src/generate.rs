//! `evenkeel generate GENERATOR --output FILE`.

use super::{
    convert::write_graph,
    help::formats_help,
    options::{WeightOptions, make, unchanged, weigh},
};
use clap::Args;
use evenkeel::graph::{
    formats::{Format, format_to_write},
    generate,
};
use std::path::PathBuf;

/// Make a graph and write it to a file.
#[derive(Args)]
#[command(after_help = after_help())]
pub struct Generate {
    /// A family and its settings, such as rmat:scale=20,edge-factor=16,seed=1.
    generator: String,
    /// The file; a name that ends in .gz, .xz or .zst is compressed. `-` is standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    /// The file's format [default: told by its name].
    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = Format::to_write)]
    format: Option<Format>,
    #[command(flatten)]
    weights: WeightOptions,
}

impl Generate {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let format = format_to_write(&self.output, self.format)?;
        let weights = self.weights.source()?;
        let mut graph = make(&self.generator.parse()?)?;
        let built = unchanged(&graph);
        weigh(&mut graph, &built, weights)?;
        Ok(write_graph(&graph, &built, &self.output, format, quiet)?)
    }
}

fn after_help() -> String {
    format!(
        "Generators, with their settings and defaults:\n\n{}\n{}\n\
         Examples:\n  \
           evenkeel generate rmat:scale=18 --output rmat18.ekg\n  \
           evenkeel generate road:nodes=100000 --weights random:1..1000 --seed 3 --output road.gr.gz",
        generate::describe(),
        formats_help()
    )
}
