//! `evenkeel-papers reproduce PAPER`: runs the experiments of a paper, keeps what was measured, and makes a report of it: what the paper says, what
//! was found here, and whether it holds. An experiment is a command, so that anybody can repeat it alone; those that were
//! measured before are not measured again. `evenkeel-papers reproduce measurements` does the same for what the documentation says of the program.

mod che;
mod experiment;
mod finding;
mod measurements;
mod osama;
mod pathak;
mod raval;
mod results;
#[cfg(test)]
mod testing;
mod verstraaten;
mod write;

use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use evenkeel::{
    Error,
    device::{Device, DeviceOptions},
};
use evenkeel_cli::{
    failure::{self, Interrupted},
    output::print,
    progress::Steps,
};
use experiment::{Experiment, Setting};
use finding::Part;
use results::Results;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel-papers reproduce raval
  evenkeel-papers reproduce all --scale paper --folder papers
  evenkeel-papers reproduce raval --scale paper --data roads
  evenkeel-papers reproduce osama --data matrices
  evenkeel-papers reproduce pathak --report-only
  evenkeel-papers reproduce measurements --data graphs";

/// The papers, and what the documentation says of this program: one file and one line each.
const PAPERS: &[Paper] =
    &[raval::PAPER, osama::PAPER, verstraaten::PAPER, che::PAPER, pathak::PAPER, measurements::PAPER];

/// A paper whose experiments can be run.
struct Paper {
    /// Its name on the command line: the first author's.
    name: &'static str,
    /// Who wrote what, where and when.
    cite: &'static str,
    /// What it was measured on; empty for the documentation of this program, which says where its figures are from.
    device: &'static str,
    /// The experiments, in the order of the paper.
    experiments: fn(&Setting) -> Vec<Experiment>,
    /// What comes of them.
    parts: fn(&Results) -> Vec<Part>,
}

/// Run the experiments of the papers, or the documentation's measurements, and report what holds
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Reproduce {
    /// The paper, by its first author; measurements, for what the documentation says of evenkeel; or all of them
    #[arg(value_name = "PAPER", value_parser = PossibleValuesParser::new(names()))]
    paper: String,
    /// How large the graphs are: small ones take minutes on a processor, those of the papers want a GPU.
    #[arg(long, value_name = "SCALE", value_enum, default_value_t = Scale::Small, help_heading = "Run")]
    scale: Scale,
    /// A folder with graphs that were used, such as USA-road-d.FLA.gr.gz; each is taken where it is there. For osama all matrices
    /// are, and for verstraaten all graphs, as a collection for each folder in it.
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
    /// As in the papers and in the documentation.
    Paper,
}

impl Paper {
    /// Whether it is the documentation of this program, whose pages take each part by itself.
    fn is_own(&self) -> bool {
        self.device.is_empty()
    }

    /// What stands above its sentences, the numbers, and the verdicts.
    fn headings(&self) -> [&'static str; 3] {
        if self.is_own() { ["claim", "here", "holds?"] } else { ["the paper says", "here", "verdict"] }
    }
}

fn names() -> Vec<&'static str> {
    PAPERS.iter().map(|paper| paper.name).chain(["all"]).collect()
}

impl Reproduce {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        if let Some(data) = self.data.as_ref().filter(|data| !data.is_dir()) {
            return Err(Error::Usage(format!("--data {} is not a folder", data.display())).into());
        }
        let papers = PAPERS.iter().filter(|paper| self.paper == "all" || self.paper == paper.name);
        papers.map(|paper| self.reproduce(paper, quiet)).collect::<anyhow::Result<Vec<()>>>().map(drop)
    }

    fn reproduce(&self, paper: &Paper, quiet: bool) -> anyhow::Result<()> {
        let folder = self.folder.join(paper.name);
        let setting = Setting { scale: self.scale, data: self.data.clone(), folder: folder.clone() };
        let mut results = Results::open(&folder, self.scale)?;
        if let Some(folder) = &setting.data {
            results.take_others(folder)?;
        }
        if !self.report_only {
            let device = Device::open(&self.device, &DeviceOptions::default())?.info().name.clone();
            let experiments = (paper.experiments)(&setting);
            let pending = pending(&experiments, |it| results.has(it, &device));
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

/// The experiments that must be run: those that were not, and those that read what one of these writes.
fn pending(experiments: &[Experiment], is_done: impl Fn(&Experiment) -> bool) -> Vec<&Experiment> {
    let mut renewed = false;
    let is_pending = |it: &&Experiment| {
        let is_pending = !is_done(it) || it.reads_others && renewed;
        renewed |= is_pending;
        is_pending
    };
    experiments.iter().filter(is_pending).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_the_results_of_others_is_repeated_with_them() {
        let plain = ["a", "b"].map(|name| Experiment::new(name, name, &[]));
        let list: Vec<Experiment> = plain.into_iter().chain([Experiment::new("c", "c", &[]).after_others()]).collect();
        let names = |undone: &str| -> Vec<String> {
            pending(&list, |it| it.name != undone).into_iter().map(|it| it.name.clone()).collect()
        };
        assert_eq!(names("none"), [""; 0]);
        assert_eq!(names("a"), ["a", "c"]);
        assert_eq!(names("c"), ["c"]);
    }
}
