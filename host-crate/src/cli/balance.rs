//! `evenkeel balance ALGORITHM GRAPH`: runs an algorithm with each strategy on the CPU device with its atoms counted, and says how
//! evenly they were shared out. It answers for a user's own graph why a strategy is fast or slow on a GPU.

use super::{
    options::{GraphOptions, weigh},
    output::{Output, is_standard, print},
    progress::while_showing,
    registry::{self, Execute, InputOptions, Registered, named, names_given, names_option},
};
use crate::{
    Error, Result,
    algorithm::Algorithm,
    device::Device,
    graph::Csr,
    report::{
        GraphReport,
        balance::{BalanceReport, StrategyBalance},
    },
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;

/// The algorithms whose alternatives can be counted.
fn counted() -> Vec<Registered> {
    let mut registered = registry::all();
    registered.retain(|algorithm| algorithm.balance.is_some());
    registered
}

/// The command, with a subcommand for each of them.
pub fn command() -> Command {
    let command = Command::new("balance")
        .about("Count how many edges each invocation, group of lanes and workgroup takes, and show how even that is")
        .subcommand_value_name("ALGORITHM")
        .subcommand_help_heading("Algorithms")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .allow_external_subcommands(true);
    command.subcommands(counted().iter().filter_map(|algorithm| algorithm.balance).map(|balance| (balance.command)()))
}

/// Counts for the algorithm that was named.
pub fn execute(matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    let counted = counted();
    let (name, options) = matches.subcommand().ok_or_else(|| Error::Usage("which algorithm?".into()))?;
    let found = counted.iter().find(|algorithm| algorithm.name == name).and_then(|algorithm| algorithm.balance);
    match found {
        Some(balance) => (balance.execute)(options, quiet),
        None => Err(registry::unknown(name, &counted).into()),
    }
}

/// Counts the atoms of one algorithm on one graph.
pub struct BalanceCommand<A: Algorithm> {
    graph: GraphOptions,
    /// None for all.
    names: Option<Vec<String>>,
    counting: CountingOptions,
    input: InputOptions<A>,
}

/// How to count, and where to write it.
#[derive(Args)]
#[command(next_help_heading = "Run")]
struct CountingOptions {
    /// How many neighbouring invocations run in step: the subgroup size of the GPU you have in mind.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=256))]
    lanes: u32,
    /// Write all that was counted, each dispatch included, as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl<A: Algorithm> Execute for BalanceCommand<A> {
    fn command() -> Command {
        named::<A>(|command| {
            let command = GraphOptions::augment_args(command.arg(names_option::<A>()));
            InputOptions::<A>::augment(CountingOptions::augment_args(command))
        })
    }

    fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            graph: GraphOptions::from_arg_matches(matches)?,
            names: names_given(matches),
            counting: CountingOptions::from_arg_matches(matches)?,
            input: InputOptions::from_matches(matches)?,
        })
    }

    fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let CountingOptions { lanes, json } = &self.counting;
        let (names, weights) = (self.names()?, self.input.weights()?);
        let output = Output::create_if(json.as_deref())?;
        let (mut graph, built) = self.graph.find()?.undirected_if(A::UNDIRECTED)?.load()?;
        weigh(&mut graph, weights)?;
        let input = A::input(&self.input.input, &graph, &A::Config::default())?;
        let count = |name: String| self.count(&graph.csr, name, &input);
        let report = BalanceReport {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(&graph, &built),
            algorithm: A::NAME,
            source: A::source(&input).map(|node| graph.ids.id(node)),
            lanes: *lanes,
            strategies: names.into_iter().map(count).collect::<Result<_>>()?,
        };
        if let Some(output) = output {
            output.write_json(&report)?;
        }
        if !quiet && !json.as_deref().is_some_and(is_standard) {
            print(&report.to_string())?;
        }
        Ok(())
    }
}

impl<A: Algorithm> BalanceCommand<A> {
    /// A device of its own for each, so that the memory of one is free again before the next.
    fn count(&self, csr: &Csr, name: String, input: &A::Input) -> Result<StrategyBalance> {
        let (device, counters) = Device::counting(self.counting.lanes);
        let config = A::with_alternative(&A::Config::default(), &name)?;
        while_showing(format!("counting {} with {} {name}", A::NAME, A::ALTERNATIVE), || {
            A::prepare(&device, csr, &config)?.run(input)
        })?;
        Ok(StrategyBalance::new(name, counters.take()))
    }

    /// The alternatives to count; what cannot be counted is refused.
    fn names(&self) -> Result<Vec<String>> {
        let alternatives = A::alternatives();
        let (counted, others): (Vec<_>, Vec<_>) = alternatives.into_iter().partition(|it| it.counted);
        let all: Vec<String> = counted.into_iter().map(|alternative| alternative.name).collect();
        let known = |name: &String| match others.iter().any(|other| other.name == *name) {
            false => A::known_alternative(name),
            true => Err(Error::UnknownName { kind: A::ALTERNATIVE, name: name.clone(), known: all.clone() }),
        };
        match &self.names {
            None => Ok(all),
            Some(names) => names.iter().map(known).collect(),
        }
    }
}
