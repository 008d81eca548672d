//! Runs kernels of one's own on a graph, under the schedule that the command line names, checks every answer against a plain
//! loop, and shows the heaviest nodes.
//!
//! ```sh
//! cargo run --release -- rmat:scale=14 --schedule merge-path
//! ```

mod check;
mod finder;

use clap::Parser;
use evenkeel::{
    Result,
    device::{Device, DeviceOptions},
    engine::schedule::Choice,
    graph::{
        Graph, OpenOptions,
        generate::Generator,
        open,
        weights::{WeightSource, assign},
    },
};
use finder::{Facts, Finder};
use std::{array, iter, path::Path, process::ExitCode};

#[derive(Parser)]
#[command(about = "The weighted degree and the heaviest neighbour of each node of a graph")]
struct Arguments {
    /// A file, or a generator such as rmat:scale=14
    graph: String,
    /// Who does which part: thread-mapped, group-mapped, group-mapped:SIZE, merge-path, nonzero-split or radix-binned
    #[arg(long, value_name = "NAME", default_value = "merge-path")]
    schedule: Choice,
    /// Where: auto, cpu, a device's number or a part of its name
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: String,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(mismatch)) => {
            eprintln!("wrong: {mismatch}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}

/// Does it all, and returns the first wrong answer, if there is one.
fn run(arguments: &Arguments) -> Result<Option<String>> {
    let graph = graph(&arguments.graph)?;
    let device = Device::open(&arguments.device, &DeviceOptions::default())?;
    let mut finder = Finder::prepare(&device, &graph.csr, arguments.schedule)?;
    let busy = finder.run()?;
    let facts = finder.facts()?;
    let (nodes, edges) = (graph.csr.nodes(), graph.csr.edges());
    println!("{}: {nodes} nodes, {edges} edges", graph.name);
    println!("{} on {}: {:.3} ms\n", arguments.schedule, device.info().name, busy.as_secs_f64() * 1e3);
    let mismatch = check::first_mismatch(&graph, &facts);
    if mismatch.is_none() {
        println!("{}\nall {nodes} nodes are as a plain loop finds them", heaviest_nodes(&graph, &facts));
    }
    Ok(mismatch)
}

/// The graph, with random weights if it has none.
fn graph(name: &str) -> Result<Graph> {
    let path = Path::new(name);
    let mut graph =
        if path.exists() { open(path, &OpenOptions::default())?.0 } else { name.parse::<Generator>()?.generate()? };
    if graph.csr.weights().is_none() {
        assign(&mut graph, WeightSource::Random { low: 1, high: 1_000_000, seed: 1 })?;
    }
    Ok(graph)
}

/// A table of the five nodes with the largest weighted degrees.
fn heaviest_nodes(graph: &Graph, facts: &Facts) -> String {
    let mut nodes: Vec<u32> = (0..graph.csr.nodes()).filter(|node| graph.csr.degree(*node) > 0).collect();
    nodes.sort_by(|a, b| facts.degrees[*b as usize].total_cmp(&facts.degrees[*a as usize]));
    let row = |node: u32| {
        let index = node as usize;
        [
            graph.ids.name(node).to_string(),
            graph.csr.degree(node).to_string(),
            facts.degrees[index].to_string(),
            graph.ids.name(facts.neighbours[index]).to_string(),
            facts.heaviest[index].to_string(),
            facts.climbs[index].to_string(),
        ]
    };
    let headings = ["node", "edges", "weighted degree", "heaviest neighbour", "weight", "climb"].map(str::to_owned);
    let rows: Vec<[String; 6]> = iter::once(headings).chain(nodes.into_iter().take(5).map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = array::from_fn(width);
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ") + "\n"
    };
    rows.iter().map(line).collect()
}
