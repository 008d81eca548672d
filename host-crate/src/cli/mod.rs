//! The command line: what can be asked, in one file a subcommand, and what the exit status says. Nothing is computed here; the
//! library does that, and its errors arrive here with the facts in them.

mod answers;
mod apsp;
mod balance;
mod bfs;
mod color;
mod compare;
mod convert;
mod demo;
mod devices;
mod failure;
mod generate;
mod info;
mod levels;
mod logging;
mod measure;
mod measure_levels;
mod options;
mod output;
mod pagerank;
mod progress;
mod run;
mod spmm;
mod spmv;
mod sssp;
mod strategies;
mod task;
mod train;

use clap::{ArgAction, Args, Parser, Subcommand};
use evenkeel::algorithm::{Apsp, Color, PageRank, Spmm, Spmv, Sssp};
use run::RunCommand;
use std::process::ExitCode;

const EXAMPLES: &str = "\
A GRAPH is a file (Matrix Market, SNAP and other edge lists, DIMACS, PACE, METIS, KONECT, LDBC, or evenkeel's own; .gz, .xz \
and .zst are read as they are) or a generator such as rmat:scale=20 or grid:rows=1024,cols=1024. `evenkeel generate --help` \
lists the generators and the formats.

Examples:
  evenkeel demo                                        see what this device can do
  evenkeel bfs rmat:scale=18 --validate                search a generated graph and check the answer
  evenkeel sssp roads.gr.gz --source 1 -o distances    shortest paths of a file, from its node 1
  evenkeel bfs web.mtx --runs 10 --warmup 2 --json -   time it, for a program to read
  evenkeel compare sssp roads.gr.gz web.mtx            the strategies side by side

Exit status: 0 all is right, 1 an answer failed validation, 2 usage, 3 bad input, 4 device or memory.";

/// Load-balanced graph algorithms on any Vulkan GPU.
#[derive(Parser)]
#[command(name = "evenkeel", version, about, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Args)]
struct GlobalOptions {
    /// Print errors and what was asked for with `-`, nothing else.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more about what is being done; twice for details.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// How many threads read, generate and write graphs [default: one a processor].
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Command {
    Devices(devices::Devices),
    Strategies(strategies::Strategies),
    Info(info::Info),
    Generate(generate::Generate),
    Convert(convert::Convert),
    /// Breadth-first search: the depth of every node, that is, the fewest edges from the source.
    #[command(after_help = bfs::EXAMPLES)]
    Bfs(levels::BfsCommand),
    /// Single-source shortest paths: the distance of every node, that is, the smallest sum of weights from the source.
    #[command(after_help = sssp::EXAMPLES)]
    Sssp(RunCommand<Sssp>),
    /// All-pairs shortest paths: the distance of every node from every other.
    #[command(after_help = apsp::EXAMPLES)]
    Apsp(RunCommand<Apsp>),
    /// Sparse matrix times dense vector: the graph's matrix with a vector of random numbers.
    #[command(after_help = spmv::EXAMPLES)]
    Spmv(RunCommand<Spmv>),
    /// Sparse matrix times dense matrix: the graph's matrix with one of random numbers.
    #[command(after_help = spmm::EXAMPLES)]
    Spmm(RunCommand<Spmm>),
    /// PageRank: the rank of every node, that is, how likely a random walk is to be there.
    #[command(name = "pagerank", after_help = pagerank::EXAMPLES)]
    PageRank(RunCommand<PageRank>),
    /// Graph colouring: a colour for every node that none of its neighbours has.
    #[command(after_help = color::EXAMPLES)]
    Color(RunCommand<Color>),
    /// Run an algorithm with every strategy on the same graphs, and show them side by side.
    #[command(subcommand, after_help = compare::EXAMPLES)]
    Compare(compare::Compare),
    Balance(balance::Balance),
    MeasureLevels(measure_levels::MeasureLevels),
    Train(train::Train),
    Demo(demo::Demo),
}

/// Does what the command line says; the exit status says how that went.
pub fn main() -> ExitCode {
    let Cli { global, command } = Cli::parse();
    logging::start(&global);
    progress::start(global.quiet);
    match failure::remove_files_when_interrupted().and_then(|()| execute(&global, command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

fn execute(global: &GlobalOptions, command: Command) -> anyhow::Result<()> {
    if let Some(threads) = global.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let quiet = global.quiet;
    match command {
        Command::Devices(devices) => devices.execute(quiet),
        Command::Strategies(strategies) => strategies.execute(),
        Command::Info(info) => info.execute(quiet),
        Command::Generate(generate) => generate.execute(quiet),
        Command::Convert(convert) => convert.execute(quiet),
        Command::Bfs(bfs) => bfs.execute(quiet),
        Command::Sssp(sssp) => sssp.execute(quiet),
        Command::Apsp(apsp) => apsp.execute(quiet),
        Command::Spmv(spmv) => spmv.execute(quiet),
        Command::Spmm(spmm) => spmm.execute(quiet),
        Command::PageRank(pagerank) => pagerank.execute(quiet),
        Command::Color(color) => color.execute(quiet),
        Command::Compare(compare) => compare.execute(quiet),
        Command::Balance(balance) => balance.execute(quiet),
        Command::MeasureLevels(measure) => measure.execute(quiet),
        Command::Train(train) => train.execute(quiet),
        Command::Demo(demo) => demo.execute(quiet),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }
}
