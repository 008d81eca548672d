//! `evenkeel bench gap GRAPH…` and `evenkeel bench ldbc FOLDER`: the six kernels of a benchmark suite by its own rules, as the table that
//! people compare with.

mod gap;
mod ldbc;
mod suite;

use super::{
    options::DeviceOptions,
    output::{Output, refuse_same_files, takes_standard},
};
use clap::{Args, Subcommand};
use evenkeel::Result;
use std::path::PathBuf;
use suite::Suite;

const EXAMPLES: &str = "\
Examples:
  evenkeel bench gap rmat:scale=20 roads.gr.gz --json gap.json
  evenkeel bench ldbc graphs/ldbc --csv ldbc.csv";

/// Run the kernels of a benchmark suite by its rules, and show the table that is compared.
#[derive(Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub struct BenchSuite {
    #[command(subcommand)]
    suite: Which,
}

#[derive(Subcommand)]
enum Which {
    Gap(gap::Gap),
    Ldbc(ldbc::Ldbc),
}

impl BenchSuite {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        match &self.suite {
            Which::Gap(gap) => gap.execute(quiet),
            Which::Ldbc(ldbc) => ldbc.execute(quiet),
        }
    }
}

/// What both suites take.
#[derive(Args)]
struct SuiteOptions {
    /// Run each kernel so often [default: as often as the suite's rules say].
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..))]
    trials: Option<u32>,
    /// Do not check the answers.
    #[arg(long, help_heading = "Run")]
    no_validate: bool,
    /// Write a line for each kernel as CSV. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// Write all that was measured as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceOptions,
}

impl SuiteOptions {
    /// Opens what will be written and the device. `inputs` are the files of the graphs.
    fn begin(&self, name: &'static str, quiet: bool, inputs: &[PathBuf]) -> Result<Suite> {
        let paths = [&self.csv, &self.json].map(Option::as_deref);
        let standard_taken = takes_standard(paths.into_iter().flatten(), "--csv and --json")?;
        refuse_same_files(&[("--csv", paths[0]), ("--json", paths[1])], inputs)?;
        let [csv, json] = paths.map(Output::create_if);
        let device = self.device.open(false)?;
        Ok(Suite::new(name, device, !self.no_validate, !quiet && !standard_taken, csv?, json?))
    }
}
