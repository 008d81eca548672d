//! The laboratory beside the command: the experiments of the papers and of the documentation, and the measuring and training of the model
//! that the strategy `adaptive` chooses by.

mod measure_levels;
mod measure_switching;
mod reproduce;
mod train;
mod tuning;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::{env, process::ExitCode};

#[global_allocator]
static ALLOCATOR: evenkeel_cli::Allocator = evenkeel_cli::Allocator;

/// The word behind which this program is the command `evenkeel` of the same build: experiments run it, and nobody needs to install it.
const COMMAND: &str = "evenkeel";

const EXAMPLES: &str = "\
Examples:
  evenkeel-papers reproduce all
  evenkeel-papers measure-levels rmat:scale=16 grid:rows=300,cols=300 --output levels.csv
  evenkeel-papers train levels.csv --output my.tree
  evenkeel-papers evenkeel bfs rmat:scale=16           any command of evenkeel";

/// The experiments of evenkeel: those of the papers, and the measurements of its documentation.
#[derive(Parser)]
#[command(name = "evenkeel-papers", version, about, after_help = EXAMPLES, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
struct Papers {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    Reproduce(reproduce::Reproduce),
    MeasureLevels(measure_levels::MeasureLevels),
    MeasureSwitching(measure_switching::MeasureSwitching),
    Train(train::Train),
}

fn command() -> Command {
    evenkeel_cli::with_global_options(Papers::command())
}

fn execute(matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    match Papers::from_arg_matches(matches).unwrap_or_else(|error| error.exit()).chore {
        Chore::Reproduce(reproduce) => reproduce.execute(quiet),
        Chore::MeasureLevels(measure) => measure.execute(quiet),
        Chore::MeasureSwitching(measure) => measure.execute(quiet),
        Chore::Train(train) => train.execute(quiet),
    }
}

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().collect();
    match words.get(1) {
        Some(word) if word == COMMAND => evenkeel_cli::main(&words[1..]),
        _ => evenkeel_cli::run(&words, command, execute),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_commands_are_well_formed() {
        super::command().debug_assert();
    }
}
