//! `evenkeel balance ALGORITHM GRAPH`: runs an algorithm with each strategy on the CPU device with its atoms counted, and says how
//! evenly they were shared out. It answers for a user's own graph why a strategy is fast or slow on a GPU.

use super::{
    options::GraphOptions,
    output::{Output, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::while_showing,
    registry::{Execute, Group, InputOptions, NameOptions},
};
use crate::report::{
    balance::{BalanceReport, StrategyBalance},
    html,
};
use clap::{ArgMatches, Args};
use evenkeel::{Result, algorithm::Algorithm, device::Device, graph::Csr, report::GraphReport};
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
        let counted = (algorithm.alternatives)().into_iter().filter(|it| it.counted);
        let names: Vec<_> = counted.map(|it| it.about.name).take(2).collect();
        format!("--strategies {} --lanes 64 --json -", names.join(","))
    },
    of: |algorithm| algorithm.balance,
};

#[derive(Args)]
pub struct BalanceCommand<A: Algorithm> {
    #[command(flatten)]
    names: NameOptions<A>,
    #[command(flatten)]
    graph: GraphOptions,
    #[command(flatten)]
    counting: CountingOptions,
    #[command(flatten, next_help_heading = "Algorithm")]
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
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
}

impl<A: Algorithm> Execute for BalanceCommand<A> {
    fn execute(&self, _: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
        let CountingOptions { lanes, json, pictures } = &self.counting;
        self.input.weights()?;
        let names = self.names.chosen(|alternative| alternative.counted)?;
        let found = self.graph.find()?.directed_for::<A>(&A::Config::default())?;
        let [html, svg] = pictures.paths();
        let outputs = [("--json", json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--json, --html and --svg")?;
        refuse_same_files(&outputs, &found.files())?;
        let (output, drawn) = (Output::create_if(json.as_deref())?, pictures.open()?);
        let (mut graph, built) = found.load()?;
        self.input.weigh(&mut graph, &built)?;
        let input = A::input(&self.input.read()?, &graph, &A::counted_config())?;
        let count = |name: &String| count::<A>(&graph.csr, name, &input, *lanes);
        let report = BalanceReport {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(&graph, &built),
            algorithm: A::NAME,
            source: A::source(&input).map(|node| graph.ids.name(node).into_owned()),
            lanes: *lanes,
            strategies: names.iter().map(count).collect::<Result<_>>()?,
        };
        drawn.write(|| html::balance::page(&report))?;
        Ok(write_json_or_print(output, &report, quiet || pictures.take_standard(), || report.to_string())?)
    }
}

/// Counts the atoms of one run with an alternative. A device of its own for each, so that the memory of one is free again before the next.
pub fn count<A: Algorithm>(csr: &Csr, name: &str, input: &A::Input, lanes: u32) -> Result<StrategyBalance> {
    let (device, counters) = Device::counting(lanes);
    let config = A::with_alternative(&A::counted_config(), name)?;
    while_showing("counting", &format!("{} with {} {name}", A::NAME, A::ALTERNATIVE), || {
        A::prepare(&device, csr, &config)?.run(input)
    })?;
    Ok(StrategyBalance::new(name.to_owned(), counters.take()))
}
