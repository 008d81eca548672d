//! The command line: what can be asked, and what the exit status says. Nothing is computed here; the library does that, and its
//! errors arrive here with the facts in them. A command about graphs or devices is a file; the commands that run algorithms are
//! made from the registry of [`evenkeel::algorithm`].

mod advice;
mod answers;
mod balance;
mod bench;
mod color;
mod compare;
mod completions;
mod convert;
mod demo;
mod devices;
pub mod failure;
mod fallback;
mod generate;
mod help;
mod info;
mod kernels;
mod logging;
mod man;
mod measure;
pub mod options;
mod out_of_memory;
pub mod output;
mod path;
mod phases;
pub mod pictures;
pub mod progress;
mod registry;
pub mod report;
mod run;
mod settings;
mod signals;
mod strategies;
mod tips;
mod workers;

use anyhow::Context;
use balance::BALANCE;
use clap::{ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use compare::COMPARE;
use evenkeel::{algorithm, device::profile};
pub use out_of_memory::Allocator;
use run::RUN;
use std::{ffi::OsString, process::ExitCode, thread};

const EXAMPLES: &str = "\
A GRAPH is a file, - for standard input, or a generator such as rmat:scale=20 or grid:rows=1024,cols=1024. Files are edge lists \
(CSV, TSV, SNAP and the like), tables (Parquet, Arrow, JSON lines), GraphML, GML, DOT, Pajek, node-link JSON, SciPy's .npz, Matrix \
Market, DIMACS, PACE, METIS, KONECT, LDBC or evenkeel's own; .gz, .xz, .zst, .bz2 and .zip are read as they are. \
`evenkeel generate --help` lists the generators, `evenkeel convert --help` the formats.

Exit status: 0 all is right, 1 an answer failed validation, 2 usage, 3 bad input or a file that cannot be written, 4 device, memory or another worker, 130 \
interrupted, 143 asked to end.

Examples:
  evenkeel demo                                        see what this device can do
  evenkeel bfs rmat:scale=18 --validate                search a generated graph and check the answer
  evenkeel sssp roads.gr.gz --source 1 -o distances    shortest paths of a file, from its node 1
  evenkeel bfs web.mtx --runs 10 --warmup 2 --json -   time it, for a program to read
  evenkeel compare sssp roads.gr.gz web.mtx            the strategies side by side";

/// Load-balanced graph algorithms on any Vulkan GPU.
#[derive(Parser)]
#[command(name = "evenkeel", version, about, after_help = EXAMPLES, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Cli {}

// What every command takes. A documentation comment would become the help of the program.
#[derive(Args)]
#[command(next_help_heading = "Global")]
struct GlobalOptions {
    /// Print errors and what was asked for with `-`, nothing else.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more about what is being done; twice for details.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// How many threads read, generate and write graphs, and compute on the CPU device [default: one a processor].
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

// Commands that are not made from the registry. A doc comment would become the help of the whole program.
#[derive(Subcommand)]
enum Plain {
    Devices(devices::Devices),
    Strategies(strategies::Strategies),
    Info(info::Info),
    Generate(generate::Generate),
    Convert(convert::Convert),
    // After the algorithms.
    #[command(display_order = 100)]
    Path(path::PathCommand),
    // These stand after what runs and compares algorithms.
    #[command(display_order = 101)]
    Bench(bench::BenchSuite),
    #[command(display_order = 102)]
    Kernels(kernels::Kernels),
    #[command(display_order = 103)]
    Demo(demo::Demo),
    #[command(display_order = 104)]
    Completions(completions::Completions),
    #[command(display_order = 105)]
    Man(man::Manual),
}

/// All commands with their options.
pub fn command() -> Command {
    let command = Plain::augment_subcommands(Cli::command());
    let command = command.subcommands(algorithm::all().map(|algorithm| RUN.command(algorithm)));
    with_global_options(command.subcommands([COMPARE.command(), BALANCE.command()]))
}

/// A command with the options that each of its subcommands accepts, and with its help in the order of their headings.
pub fn with_global_options(command: Command) -> Command {
    help::arranged(GlobalOptions::augment_args(command).arg(color::option()))
}

/// Does what the words of a command line say, the program's name included; the exit status says how that went.
pub fn main(words: &[OsString]) -> ExitCode {
    run(words, command, execute)
}

/// Runs a program: parses its command line, and executes what it matches, quietly or not. Logging, progress, colours and signals are those
/// of the command.
pub fn run(
    words: &[OsString],
    command: fn() -> Command,
    execute: fn(&ArgMatches, bool) -> anyhow::Result<()>,
) -> ExitCode {
    // Reading the clock for the first time starts it.
    profile::now();
    out_of_memory::exit_instead_of_aborting();
    signals::expect_trouble_with_files();
    let interruptible = failure::remove_files_when_interrupted().context("signals cannot be waited for");
    let text: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    color::choose(&text);
    let wrong = |error| tips::improved(error, command(), &text).exit();
    let matches = command().try_get_matches_from(words).unwrap_or_else(wrong);
    let global = GlobalOptions::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    progress::start(global.quiet);
    logging::start(&global);
    let done = interruptible
        .and_then(|()| start_threads(global.threads, workers::on_this_machine(&matches)))
        .and_then(|()| execute(&matches, global.quiet));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

fn execute(matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    let Some((name, options)) = matches.subcommand() else { return Ok(()) };
    if let Ok(algorithm) = algorithm::named(name) {
        return (RUN.execute)(algorithm, options, quiet);
    }
    if let Some(group) = [COMPARE, BALANCE].iter().find(|group| group.name == name) {
        return group.execute(options, quiet);
    }
    match Plain::from_arg_matches(matches).unwrap_or_else(|error| error.exit()) {
        Plain::Devices(devices) => devices.execute(quiet),
        Plain::Strategies(strategies) => strategies.execute(),
        Plain::Info(info) => info.execute(quiet),
        Plain::Generate(generate) => generate.execute(quiet),
        Plain::Convert(convert) => convert.execute(quiet),
        Plain::Path(path) => path.execute(quiet),
        Plain::Bench(bench) => bench.execute(quiet),
        Plain::Kernels(kernels) => kernels.execute(quiet),
        Plain::Demo(demo) => demo.execute(quiet),
        Plain::Completions(completions) => completions.execute(),
        Plain::Man(manual) => manual.execute(quiet),
    }
}

/// Starts the threads that read, generate and write graphs. Several workers share the processors.
fn start_threads(asked_for: Option<u16>, workers: usize) -> anyhow::Result<()> {
    let all = || thread::available_parallelism().map_or(1, usize::from).div_ceil(workers);
    let threads = asked_for.map_or_else(all, usize::from);
    let started = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    started.with_context(|| format!("the system does not start {threads} threads; fewer may do (--threads)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        command().debug_assert();
    }
}
