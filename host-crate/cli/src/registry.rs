//! The commands that are made from each registered algorithm. Nothing in this folder names one.

use super::{
    balance::BalanceCommand,
    compare::{CompareCommand, Comparison},
    demo::{Scene, demonstrate},
    options::{WeightOptions, capitalised, weigh},
    run::RunCommand,
    settings::Given,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use evenkeel::{
    Error, Result,
    algorithm::{self, Algorithm, Alternative, Selectable, Source, Visitor, WeightUse},
    graph::{
        BuildReport, Graph,
        weights::{WeightSource, assign},
    },
    report::shown::Show,
    settings::rejoin,
};
use std::marker::PhantomData;

/// A command of one algorithm.
#[derive(Clone, Copy)]
pub struct Subcommand {
    /// What it is called, and which options it takes.
    pub command: fn() -> Command,
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
    /// Compares all alternatives on a graph.
    pub compare_all: fn(&mut Comparison<'_>, &Graph) -> anyhow::Result<()>,
    /// Compares those that the demonstration shows.
    pub demonstrate: fn(&mut Comparison<'_>, &Graph) -> anyhow::Result<Vec<Scene>>,
}

/// The options of a command, and what it does.
pub trait Execute: Args {
    /// Does what the options say; `matches` tells which of them were given.
    fn execute(&self, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()>;
}

impl Subcommand {
    fn of<A: Algorithm, C: Execute>() -> Self {
        let command = || C::augment_args(Command::new(A::NAME)).about(capitalised(A::SUMMARY));
        let execute = |matches: &ArgMatches, quiet| {
            C::from_arg_matches(matches).unwrap_or_else(|error| error.exit()).execute(matches, quiet)
        };
        Self { command, execute }
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
            run: Subcommand::of::<A, RunCommand<A>>(),
            compare: Subcommand::of::<A, CompareCommand<A>>(),
            balance: counted.then(Subcommand::of::<A, BalanceCommand<A>>),
            compare_all: |comparison, graph| comparison.add_all::<A>(graph),
            demonstrate: demonstrate::<A>,
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
pub fn unknown<'a>(name: &str, known: impl IntoIterator<Item = &'a Registered>) -> Error {
    let mut known: Vec<String> = known.into_iter().map(|algorithm| algorithm.name.to_owned()).collect();
    known.sort();
    Error::unknown("algorithm", name, known)
}

/// A command with a subcommand for each algorithm that offers it.
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    pub examples: &'static str,
    /// How the examples of an algorithm end: behind the command, the algorithm and a graph.
    pub example: fn(&Registered) -> String,
    pub of: fn(&Registered) -> Option<Subcommand>,
}

impl Group {
    pub fn command(&self) -> Command {
        Command::new(self.name)
            .about(self.about)
            .after_help(self.examples)
            .subcommand_value_name("ALGORITHM")
            .subcommand_help_heading("Algorithms")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .allow_external_subcommands(true)
            .subcommands(all().iter().filter_map(|algorithm| self.subcommand(algorithm)))
    }

    fn subcommand(&self, algorithm: &Registered) -> Option<Command> {
        let (name, example) = (format!("evenkeel {} {}", self.name, algorithm.name), (self.example)(algorithm));
        let examples = format!("Examples:\n  {name} rmat:scale=14\n  {name} GRAPH {example}");
        Some(((self.of)(algorithm)?.command)().after_help(examples))
    }

    pub fn execute(&self, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
        let registered = all();
        let (name, options) = matches.subcommand().ok_or_else(|| Error::Usage("which algorithm?".into()))?;
        match registered.iter().find(|algorithm| algorithm.name == name).and_then(self.of) {
            Some(offered) => (offered.execute)(options, quiet),
            None => Err(unknown(name, registered.iter().filter(|algorithm| (self.of)(algorithm).is_some())).into()),
        }
    }
}

/// The options that say what an algorithm is run on beside the graph. Weights are among them where they matter.
pub struct InputOptions<A: Algorithm> {
    input: Given<A::InputOptions>,
    weights: Option<WeightOptions>,
}

impl<A: Algorithm> Args for InputOptions<A> {
    fn augment_args(command: Command) -> Command {
        let command = Given::<A::InputOptions>::augment_args(command);
        match A::WEIGHTS {
            WeightUse::Ignored => command,
            WeightUse::Optional => WeightOptions::augment_args(command),
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<A: Algorithm> FromArgMatches for InputOptions<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let weights = match A::WEIGHTS {
            WeightUse::Ignored => None,
            WeightUse::Optional => Some(WeightOptions::from_arg_matches(matches)?),
        };
        Ok(Self { input: Given::from_arg_matches(matches)?, weights })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Algorithm> InputOptions<A> {
    /// What the input is made of, with the files among it read.
    pub fn read(&self) -> Result<A::InputOptions> {
        self.input.read()
    }

    pub fn weights(&self) -> Result<WeightSource> {
        self.weights.as_ref().map_or(Ok(WeightSource::File), WeightOptions::source)
    }

    /// Gives one worker's share of a graph these weights, unless the algorithm does without any.
    pub fn weigh_share(&self, graph: &mut Graph) -> Result<()> {
        match A::WEIGHTS {
            WeightUse::Ignored => Ok(()),
            WeightUse::Optional => assign(graph, self.weights()?),
        }
    }

    /// Gives a graph these weights, unless the algorithm does without any.
    pub fn weigh(&self, graph: &mut Graph, built: &BuildReport) -> Result<()> {
        match A::WEIGHTS {
            WeightUse::Ignored => Ok(()),
            WeightUse::Optional => weigh(graph, built, self.weights()?),
        }
    }
}

/// The options that say what of an answer is shown. A target is among them where there are paths.
pub struct ShowOptions<A: Algorithm> {
    top: Option<usize>,
    target: Option<String>,
    algorithm: PhantomData<A>,
}

/// How many entries of an answer are shown.
#[derive(Args)]
#[command(next_help_heading = "Output")]
struct TopOptions {
    /// Show so many of the most important entries: the highest, the furthest or the largest [default: 10].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

/// To which node a path is shown.
#[derive(Args)]
#[command(next_help_heading = "Run")]
struct TargetOptions {
    /// Show the path from the source to this node, which is named as --source is.
    #[arg(long, value_name = "NODE")]
    target: Option<String>,
}

impl<A: Algorithm> Args for ShowOptions<A> {
    fn augment_args(command: Command) -> Command {
        let command = TopOptions::augment_args(command);
        if A::FINDS_PATHS { TargetOptions::augment_args(command) } else { command }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<A: Algorithm> FromArgMatches for ShowOptions<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let TopOptions { top } = TopOptions::from_arg_matches(matches)?;
        let target = if A::FINDS_PATHS { TargetOptions::from_arg_matches(matches)?.target } else { None };
        Ok(Self { top, target, algorithm: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<A: Algorithm> ShowOptions<A> {
    /// What is shown of an answer on a graph, which may have no such node.
    pub fn find(&self, graph: &Graph) -> Result<Show> {
        let target = self.target.clone().map(|name| Source::Node(name).find(graph)).transpose()?;
        Ok(Show { top: self.top.unwrap_or(Show::default().top), target })
    }

    /// Refuses a number of entries where a configuration finds nothing for each node.
    pub fn check(&self, config: &A::Config) -> Result<()> {
        match self.top {
            Some(_) if A::columns(config) == 0 => Err(Error::Usage(format!(
                "with these options {} finds nothing for each node that --top could show",
                A::NAME
            ))),
            _ => Ok(()),
        }
    }
}

/// What stands for all alternatives.
const ALL: &str = "all";

/// Which alternatives to take.
#[derive(Args)]
pub struct NameOptions<A: Algorithm> {
    #[arg(long, visible_alias = "schedules", value_name = "NAMES", value_delimiter = ',', default_value = ALL)]
    #[arg(help_heading = "Strategy")]
    #[arg(help = format!("Which to take: names from `evenkeel strategies {}` with commas between, or all", A::NAME))]
    strategies: Vec<String>,
    #[arg(skip)]
    algorithm: PhantomData<A>,
}

impl<A: Algorithm> NameOptions<A> {
    /// Whether all are taken.
    pub fn is_all(&self) -> bool {
        self.strategies == [ALL]
    }

    /// The names that were given, or all, of the alternatives that can be taken; others are refused.
    pub fn chosen(&self, can_be_taken: fn(&Alternative) -> bool) -> Result<Vec<String>> {
        let (offered, others): (Vec<_>, Vec<_>) = A::alternatives().into_iter().partition(can_be_taken);
        let all: Vec<String> = offered.iter().map(|it| it.about.name.to_owned()).collect();
        if self.is_all() {
            return Ok(all);
        }
        let known =
            |name: &String| match others.iter().any(|other| other.about.name == name) {
                false => A::known_alternative(name),
                true => Err(Error::unknown(A::ALTERNATIVE, name, &all)
                    .with_hint(|name| Some(format!("{name} cannot be counted")))),
            };
        rejoin(&self.strategies).iter().map(known).collect()
    }
}
