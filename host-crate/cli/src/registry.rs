//! The commands that are made from each registered algorithm. Nothing in this folder names one.

use super::{
    options::{WeightOptions, capitalised, weigh},
    settings::{self, Blank},
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use evenkeel::{
    Error, Result,
    algorithm::{self, Alternative, Described, Handle, Part, Setup, Source, WeightUse},
    graph::{
        BuildReport, Graph,
        weights::{WeightSource, assign},
    },
    report::shown::Show,
    settings::rejoin,
};

/// A command that each algorithm, or each of some, has.
#[derive(Clone, Copy)]
pub struct Offer {
    /// The command of an algorithm with its options, less its name and what it is about.
    pub options: fn(&'static dyn Handle, Command) -> Command,
    pub execute: fn(&'static dyn Handle, &ArgMatches, bool) -> anyhow::Result<()>,
    /// Whether an algorithm has it.
    pub is_offered: fn(&'static dyn Handle) -> bool,
}

impl Offer {
    /// The command of an algorithm.
    pub fn command(self, algorithm: &'static dyn Handle) -> Command {
        let Described { name, summary, .. } = algorithm.described();
        (self.options)(algorithm, Command::new(name)).about(capitalised(summary))
    }
}

/// Those that have a command.
pub fn offering(offer: Offer) -> impl Iterator<Item = &'static dyn Handle> {
    algorithm::all().filter(move |algorithm| (offer.is_offered)(*algorithm))
}

/// The value of options, which ends the program with a message where it is wrong.
pub fn parsed<T>(parsed: Result<T, clap::Error>) -> T {
    parsed.unwrap_or_else(|error| error.exit())
}

/// The error for a name that none of these algorithms has.
pub fn unknown(name: &str, known: impl Iterator<Item = &'static dyn Handle>) -> Error {
    let mut known: Vec<String> = known.map(|algorithm| algorithm.described().name.to_owned()).collect();
    known.sort();
    Error::unknown("algorithm", name, known)
}

/// A command with a subcommand for each algorithm that offers it.
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    pub examples: &'static str,
    /// How the examples of an algorithm end: behind the command, the algorithm and a graph.
    pub example: fn(&'static dyn Handle) -> String,
    pub offer: Offer,
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
            .subcommands(offering(self.offer).map(|algorithm| self.subcommand(algorithm)))
    }

    fn subcommand(&self, algorithm: &'static dyn Handle) -> Command {
        let name = format!("evenkeel {} {}", self.name, algorithm.described().name);
        let example = (self.example)(algorithm);
        let examples = format!("Examples:\n  {name} rmat:scale=14\n  {name} GRAPH {example}");
        self.offer.command(algorithm).after_help(examples)
    }

    pub fn execute(&self, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
        let (name, options) = matches.subcommand().ok_or_else(|| Error::Usage("which algorithm?".into()))?;
        match offering(self.offer).find(|algorithm| algorithm.described().name == name) {
            Some(algorithm) => (self.offer.execute)(algorithm, options, quiet),
            None => Err(unknown(name, offering(self.offer)).into()),
        }
    }
}

/// The options that say what an algorithm is run on beside the graph. Weights are among them where they matter.
pub fn input_options(algorithm: &'static dyn Handle, command: Command) -> Command {
    let command = settings::augment(command, Blank { algorithm, part: Part::Input });
    match algorithm.described().weights {
        WeightUse::Ignored => command,
        WeightUse::Optional => WeightOptions::augment_args(command),
    }
}

/// The weights that edges get.
pub struct Weighing {
    /// None for an algorithm that does without any.
    source: Option<WeightSource>,
}

impl Weighing {
    /// Takes them from the options.
    pub fn from_matches(algorithm: &'static dyn Handle, matches: &ArgMatches) -> Result<Self> {
        let source = match algorithm.described().weights {
            WeightUse::Ignored => None,
            WeightUse::Optional => Some(parsed(WeightOptions::from_arg_matches(matches)).source()?),
        };
        Ok(Self { source })
    }

    /// Gives one worker's share of a graph these weights.
    pub fn weigh_share(&self, graph: &mut Graph) -> Result<()> {
        self.source.map_or(Ok(()), |source| assign(graph, source))
    }

    /// Gives a graph these weights.
    pub fn weigh(&self, graph: &mut Graph, built: &BuildReport) -> Result<()> {
        self.source.map_or(Ok(()), |source| weigh(graph, built, source))
    }
}

/// The parts of an answer that are shown. A target is asked for where there are paths.
pub struct Shown {
    top: Option<usize>,
    target: Option<String>,
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

impl Shown {
    /// The options that say it.
    pub fn options(algorithm: &'static dyn Handle, command: Command) -> Command {
        let command = TopOptions::augment_args(command);
        if algorithm.described().finds_paths { TargetOptions::augment_args(command) } else { command }
    }

    /// Takes it from the options.
    pub fn from_matches(algorithm: &'static dyn Handle, matches: &ArgMatches) -> Self {
        let TopOptions { top } = parsed(TopOptions::from_arg_matches(matches));
        let target = match algorithm.described().finds_paths {
            true => parsed(TargetOptions::from_arg_matches(matches)).target,
            false => None,
        };
        Self { top, target }
    }

    /// What is shown of an answer on a graph, which may have no such node.
    pub fn find(&self, graph: &Graph) -> Result<Show> {
        let target = self.target.clone().map(|name| Source::Node(name).find(graph)).transpose()?;
        Ok(Show { top: self.top.unwrap_or(Show::default().top), target })
    }

    /// Refuses a number of entries where a configuration finds nothing for each node.
    pub fn check(&self, setup: &dyn Setup) -> Result<()> {
        match self.top {
            Some(_) if setup.columns() == 0 => Err(Error::Usage(format!(
                "with these options {} finds nothing for each node that --top could show",
                setup.described().name
            ))),
            _ => Ok(()),
        }
    }
}

/// What stands for all alternatives.
const ALL: &str = "all";

/// Selects the alternatives to run.
pub struct Names(Vec<String>);

impl Names {
    /// The option that says it.
    pub fn option(algorithm: &'static dyn Handle) -> Arg {
        let name = algorithm.described().name;
        let help = format!("Which to take: names from `evenkeel strategies {name}` with commas between, or all");
        let option = Arg::new("strategies").long("strategies").visible_alias("schedules").value_name("NAMES");
        option.action(ArgAction::Append).value_delimiter(',').default_value(ALL).help_heading("Strategy").help(help)
    }

    /// Takes them from the options.
    pub fn from_matches(matches: &ArgMatches) -> Self {
        Self(matches.get_many::<String>("strategies").into_iter().flatten().cloned().collect())
    }

    /// Whether all are taken.
    pub fn is_all(&self) -> bool {
        self.0 == [ALL]
    }

    /// The names that were given, or all, of the alternatives that can be taken; others are refused.
    pub fn chosen(
        &self,
        algorithm: &'static dyn Handle,
        can_be_taken: fn(&Alternative) -> bool,
    ) -> Result<Vec<String>> {
        let (offered, others): (Vec<_>, Vec<_>) = algorithm.alternatives().into_iter().partition(can_be_taken);
        let all: Vec<String> = offered.iter().map(|it| it.about.name.to_owned()).collect();
        if self.is_all() {
            return Ok(all);
        }
        let known = |name: &String| match others.iter().any(|other| other.about.name == name) {
            false => algorithm.known_alternative(name),
            true => Err(Error::unknown(algorithm.described().alternative, name, &all)
                .with_hint(|name| Some(format!("{name} cannot be counted")))),
        };
        rejoin(&self.0).iter().map(known).collect()
    }
}
