//! The commands that are made from each registered algorithm. Nothing in this folder names one.

use super::{
    balance::BalanceCommand,
    compare::{CompareCommand, Comparison},
    options::{WeightOptions, capitalised},
    run::RunCommand,
};
use crate::{
    Error, Result,
    algorithm::{self, Algorithm, Alternative, Selectable, Visitor, WeightUse},
    graph::{Graph, weights::WeightSource},
    settings::rejoin,
};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// A command of one algorithm.
#[derive(Clone, Copy)]
pub struct Subcommand {
    /// What it is called, and which options it takes.
    pub command: fn() -> Command,
    /// Does what the options say.
    pub execute: fn(&ArgMatches, bool) -> anyhow::Result<()>,
}

/// What the command line needs of an algorithm.
pub struct Registered {
    pub name: &'static str,
    pub summary: &'static str,
    pub alternative: &'static str,
    pub heading: &'static str,
    pub note: &'static str,
    pub alternatives: fn() -> Vec<Alternative>,
    pub run: Subcommand,
    pub compare: Subcommand,
    /// Only where alternatives can be counted.
    pub balance: Option<Subcommand>,
    /// Adds all alternatives to the demonstration.
    pub demonstrate: Option<fn(&mut Comparison<'_>, &Graph) -> anyhow::Result<()>>,
}

/// A command whose options can be read.
pub trait Execute: Sized {
    /// The command with its options.
    fn command() -> Command;
    /// Reads them.
    fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error>;
    /// Does what they say.
    fn execute(&self, quiet: bool) -> anyhow::Result<()>;
}

impl Subcommand {
    fn of<C: Execute>() -> Self {
        let execute =
            |matches: &ArgMatches, quiet| C::from_matches(matches).unwrap_or_else(|error| error.exit()).execute(quiet);
        Self { command: C::command, execute }
    }
}

impl Registered {
    fn of<A: Algorithm>() -> Self {
        let counted = A::alternatives().iter().any(|alternative| alternative.counted);
        Self {
            name: A::NAME,
            summary: A::SUMMARY,
            alternative: A::ALTERNATIVE,
            heading: A::Alternative::HEADING,
            note: A::Alternative::NOTE,
            alternatives: A::alternatives,
            run: Subcommand::of::<RunCommand<A>>(),
            compare: Subcommand::of::<CompareCommand<A>>(),
            balance: counted.then(Subcommand::of::<BalanceCommand<A>>),
            demonstrate: A::IN_DEMO.then_some(|comparison, graph| comparison.add_all::<A>(graph)),
        }
    }
}

/// All algorithms, in the order they are registered.
pub fn all() -> Vec<Registered> {
    struct Collect(Vec<Registered>);

    impl Visitor for Collect {
        fn visit<A: Algorithm>(&mut self) {
            self.0.push(Registered::of::<A>());
        }
    }

    let mut collect = Collect(Vec::new());
    algorithm::visit(&mut collect);
    collect.0
}

/// The error for a name that none of these algorithms has.
pub fn unknown(name: &str, registered: &[Registered]) -> Error {
    let mut known: Vec<String> = registered.iter().map(|algorithm| algorithm.name.to_owned()).collect();
    known.sort();
    Error::UnknownName { kind: "algorithm", name: name.to_owned(), known }
}

/// The options that say what an algorithm is run on beside the graph. Weights are among them where they matter.
pub struct InputOptions<A: Algorithm> {
    pub input: A::InputOptions,
    weights: Option<WeightOptions>,
}

impl<A: Algorithm> InputOptions<A> {
    pub fn augment(command: Command) -> Command {
        let command = A::InputOptions::augment_args(command);
        match A::WEIGHTS {
            WeightUse::Ignored => command,
            WeightUse::Optional => WeightOptions::augment_args(command),
        }
    }

    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let weights = match A::WEIGHTS {
            WeightUse::Ignored => None,
            WeightUse::Optional => Some(WeightOptions::from_arg_matches(matches)?),
        };
        Ok(Self { input: A::InputOptions::from_arg_matches(matches)?, weights })
    }

    /// Where the edges' weights come from.
    pub fn weights(&self) -> Result<WeightSource> {
        self.weights.as_ref().map_or(Ok(WeightSource::File), WeightOptions::source)
    }
}

/// A command named after an algorithm, with the options that `augment` adds.
pub fn named<A: Algorithm>(augment: impl FnOnce(Command) -> Command) -> Command {
    // Each group of options brings a description of its own, so that of the algorithm comes last.
    augment(Command::new(A::NAME)).about(capitalised(A::SUMMARY))
}

/// The option by which several alternatives are named.
pub fn names_option<A: Algorithm>() -> Arg {
    Arg::new("strategies")
        .long("strategies")
        .visible_alias("schedules")
        .value_name("NAMES")
        .value_delimiter(',')
        .default_value(ALL)
        .help(format!("Which to take: names from `evenkeel strategies {}` with commas between, or all", A::NAME))
}

/// What stands for all alternatives.
const ALL: &str = "all";

/// The names that were given; none for all.
pub fn names_given(matches: &ArgMatches) -> Option<Vec<String>> {
    let names: Vec<String> = matches.get_many("strategies").into_iter().flatten().cloned().collect();
    (names != [ALL]).then(|| rejoin(&names))
}
