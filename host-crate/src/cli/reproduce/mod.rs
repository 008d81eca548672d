//! `evenkeel reproduce PAPER`: runs the experiments of a paper, keeps what was measured, and makes a report of it: what the paper says, what
//! was found here, and whether it holds. An experiment is a command of this program, so that anybody can repeat it alone; those that were
//! measured before are not measured again.

mod experiment;
mod finding;
mod pathak;
mod raval;
mod results;
mod write;

use super::{
    failure::{self, Interrupted},
    output::print,
    progress::Steps,
};
use crate::{
    Error,
    device::{Device, DeviceOptions},
};
use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use experiment::{Experiment, Setting};
use finding::Part;
use results::Results;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel reproduce raval
  evenkeel reproduce all --scale paper --folder papers
  evenkeel reproduce raval --scale paper --data roads
  evenkeel reproduce pathak --report-only";

/// The papers: one file and one line each.
const PAPERS: &[Paper] = &[raval::PAPER, pathak::PAPER];

/// A paper whose experiments can be run.
struct Paper {
    /// Its name on the command line: the first author's.
    name: &'static str,
    /// Who wrote what, where and when.
    cite: &'static str,
    /// What it was measured on.
    device: &'static str,
    /// The experiments, in the order of the paper.
    experiments: fn(&Setting) -> Vec<Experiment>,
    /// What comes of them.
    parts: fn(&Results) -> Vec<Part>,
}

/// Run the experiments of the papers and report what holds
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Reproduce {
    /// The paper, by its first author, or all of them
    #[arg(value_name = "PAPER", value_parser = PossibleValuesParser::new(names()))]
    paper: String,
    /// How large the graphs are: small ones take minutes on a processor, those of the papers want a GPU.
    #[arg(long, value_name = "SCALE", value_enum, default_value_t = Scale::Small, help_heading = "Run")]
    scale: Scale,
    /// A folder with graphs that the papers used, such as USA-road-d.FLA.gr.gz; each is taken where it is there.
    #[arg(long, value_name = "FOLDER", help_heading = "Run")]
    data: Option<PathBuf>,
    /// Run nothing; make the report from what was measured before.
    #[arg(long, help_heading = "Run")]
    report_only: bool,
    /// Where results and reports go, in a folder for each paper.
    #[arg(short, long, value_name = "FOLDER", default_value = "reproduced", help_heading = "Output")]
    folder: PathBuf,
    /// auto, cpu, an index from `evenkeel devices`, or a part of a name.
    #[arg(long, value_name = "DEVICE", default_value = "auto", help_heading = "Device")]
    device: String,
}

/// How large the graphs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Tens of thousands of edges.
    Small,
    /// As in the papers.
    Paper,
}

fn names() -> Vec<&'static str> {
    PAPERS.iter().map(|paper| paper.name).chain(["all"]).collect()
}

impl Reproduce {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        if let Some(data) = self.data.as_ref().filter(|data| !data.is_dir()) {
            return Err(Error::Usage(format!("--data {} is not a folder", data.display())).into());
        }
        let setting = Setting { scale: self.scale, data: self.data.clone() };
        let papers = PAPERS.iter().filter(|paper| self.paper == "all" || self.paper == paper.name);
        papers.map(|paper| self.reproduce(paper, &setting, quiet)).collect::<anyhow::Result<Vec<()>>>().map(drop)
    }

    fn reproduce(&self, paper: &Paper, setting: &Setting, quiet: bool) -> anyhow::Result<()> {
        let folder = self.folder.join(paper.name);
        let mut results = Results::open(&folder, self.scale)?;
        if !self.report_only {
            let device = Device::open(&self.device, &DeviceOptions::default())?.info().name.clone();
            let experiments = (paper.experiments)(setting);
            let pending: Vec<&Experiment> = experiments.iter().filter(|it| !results.has(it, &device)).collect();
            failure::heed_interrupts();
            let steps = Steps::new(pending.len() as u64, paper.name);
            for experiment in pending {
                steps.begin(&experiment.words.join(" "));
                let record = experiment.run(&self.device, &device)?;
                if failure::is_interrupted() {
                    return Err(Interrupted.into());
                }
                results.keep(record)?;
                steps.end();
            }
        }
        if results.is_empty() {
            let reason = format!("nothing was measured yet in {}; leave out --report-only", folder.display());
            return Err(Error::Usage(reason).into());
        }
        let parts = (paper.parts)(&results);
        write::all(paper, &folder, &results, &parts)?;
        if !quiet {
            print(&write::summary(paper, &folder, &parts))?;
        }
        Ok(())
    }
}
