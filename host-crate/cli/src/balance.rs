//! `evenkeel balance ALGORITHM GRAPH`: runs an algorithm with each strategy on the CPU device with its atoms counted, and says how
//! evenly they were shared out. It answers for a user's own graph why a strategy is fast or slow on a GPU.

use super::{
    options::GraphOptions,
    output::{Output, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::while_showing,
    registry::{Group, Names, Offer, Weighing, input_options, parsed},
    settings::Given,
};
use crate::report::{
    balance::{BalanceReport, StrategyBalance},
    html,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use evenkeel::{
    Result,
    algorithm::{Described, Handle, Part, Problem},
    device::Device,
    report::GraphReport,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel balance bfs rmat:scale=16
  evenkeel balance spmv matrix.mtx --strategies thread-mapped,merge-path --lanes 64";

/// The command, for the algorithms whose alternatives can be counted.
pub const BALANCE: Group = Group {
    name: "balance",
    about: "Count how many edges each invocation, group of lanes and workgroup takes, and show how even that is",
    examples: EXAMPLES,
    example: |algorithm| {
        let counted = algorithm.alternatives().into_iter().filter(|it| it.counted);
        let names: Vec<_> = counted.map(|it| it.about.name).take(2).collect();
        format!("--strategies {} --lanes 64 --json -", names.join(","))
    },
    offer: Offer {
        options,
        execute,
        is_offered: |algorithm| algorithm.alternatives().iter().any(|alternative| alternative.counted),
    },
};

fn options(algorithm: &'static dyn Handle, command: Command) -> Command {
    let command = GraphOptions::augment_args(command.arg(Names::option(algorithm)));
    input_options(algorithm, CountingOptions::augment_args(command))
}

/// How to count, and where to write it.
#[derive(Args)]
#[command(next_help_heading = "Run")]
struct CountingOptions {
    /// How many neighbouring invocations run in step: the subgroup size of the GPU you have in mind.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=256))]
    lanes: u32,
    /// Write all that was counted, each dispatch included, as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
}

fn execute(algorithm: &'static dyn Handle, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    let CountingOptions { lanes, json, pictures } = &parsed(CountingOptions::from_arg_matches(matches));
    let setup = parsed(Given::from_matches(algorithm, &[Part::Input], matches));
    let weighing = Weighing::from_matches(algorithm, matches)?;
    let names = Names::from_matches(matches).chosen(algorithm, |alternative| alternative.counted)?;
    let setup = setup.read()?;
    let found = parsed(GraphOptions::from_arg_matches(matches)).find()?.directed_for(&*setup)?;
    let [html, svg] = pictures.paths();
    let outputs = [("--json", json.as_deref()), html, svg];
    takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--json, --html and --svg")?;
    refuse_same_files(&outputs, &found.files())?;
    let (output, drawn) = (Output::create_if(json.as_deref())?, pictures.open()?);
    let (mut graph, built) = found.load()?;
    weighing.weigh(&mut graph, &built)?;
    let mut problem = setup.counted().on(&graph)?;
    let source = problem.source().map(|node| graph.ids.name(node).into_owned());
    let report = BalanceReport {
        version: env!("CARGO_PKG_VERSION"),
        graph: GraphReport::new(&graph, &built),
        algorithm: algorithm.described().name,
        source,
        lanes: *lanes,
        strategies: names.iter().map(|name| count(&mut *problem, name, *lanes)).collect::<Result<_>>()?,
    };
    drawn.write(|| html::balance::page(&report))?;
    Ok(write_json_or_print(output, &report, quiet || pictures.take_standard(), || report.to_string())?)
}

/// Counts the atoms of one run with an alternative. A device of its own for each, so that the memory of one is free again before the next.
pub fn count(problem: &mut dyn Problem, name: &str, lanes: u32) -> Result<StrategyBalance> {
    let (device, counters) = Device::counting(lanes);
    let Described { name: algorithm, alternative, .. } = problem.described();
    problem.choose(name)?;
    while_showing("counting", &format!("{algorithm} with {alternative} {name}"), || problem.prepare(&device)?.run())?;
    Ok(StrategyBalance::new(name.to_owned(), counters.take()))
}
