//! Algorithms without their types. What is the same for all of them, such as a command, a comparison or a report, is written with these, once,
//! and takes an algorithm by name.
//!
//! A [`Handle`] is an algorithm, a [`Setup`] one with its settings, a [`Problem`] that on a graph, and a [`Prepared`] one ready to run on a
//! device:
//!
//! ```
//! use evenkeel::{
//!     algorithm::{self, Part},
//!     device::{Device, DeviceOptions},
//!     graph::generate::Generator,
//!     settings,
//! };
//!
//! let star = "star:nodes=5".parse::<Generator>()?.generate()?;
//! let mut setup = algorithm::named("bfs")?.setup();
//! settings::set(setup.settings(Part::Input), "source", "4")?;
//! let problem = setup.on(&star)?;
//! let mut search = problem.prepare(&Device::open("cpu", &DeviceOptions::default())?)?;
//! search.run()?;
//! let answer = search.answer()?;
//! assert_eq!(answer.columns()[0].value(3).unwrap().to_string(), "2");
//! problem.ask_oracle()?;
//! assert!(problem.check(&*answer).is_none());
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod typed;

pub use typed::{Of, TypedSetup};

use super::{Alternative, Answer, RowKind, Run, Session, Table, WeightUse};
use crate::{
    Result,
    device::{Device, DeviceInfo, MemoryPlan, profile::Span},
    engine::SharedGraph,
    graph::{Csr, Graph},
    oracle::Mismatch,
    settings::Settings,
};
use std::{any::Any, path::PathBuf};

/// What is said of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The name in commands and reports.
    pub name: &'static str,
    /// What it computes, in a line that begins in lower case.
    pub summary: &'static str,
    /// What its help ends with.
    pub help: &'static str,
    /// What its alternatives are called: `strategy` or `schedule`.
    pub alternative: &'static str,
    /// The heading of its alternatives in a listing, and what is said below them.
    pub heading: &'static str,
    /// What is said below its alternatives in a listing.
    pub note: &'static str,
    /// What the weights of edges mean to it.
    pub weights: WeightUse,
    /// Whether a path to a target can be shown.
    pub finds_paths: bool,
    /// What the rows of its answer are.
    pub rows: RowKind,
}

/// A part of the settings of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What can be chosen of the algorithm.
    Config,
    /// What its input is made of.
    Input,
    /// The tables that it writes beside its answer.
    Tables,
}

/// An algorithm.
pub trait Handle: Send + Sync {
    /// What is said of it.
    fn described(&self) -> Described;

    /// All strategies or schedules, in the order they are listed.
    fn alternatives(&self) -> Vec<Alternative>;

    /// The name of a strategy or schedule as reports have it.
    ///
    /// # Errors
    /// [`Error::UnknownName`](crate::Error::UnknownName) when there is none.
    fn known_alternative(&self, name: &str) -> Result<String>;

    /// The algorithm with its default settings.
    fn setup(&self) -> Box<dyn Setup>;
}

/// An algorithm with its settings.
pub trait Setup: Any {
    /// What is said of the algorithm.
    fn described(&self) -> Described;

    /// A part of the settings.
    fn settings(&mut self, part: Part) -> &mut dyn Settings;

    /// The configuration as reports have it.
    fn report(&self) -> serde_json::Value;

    /// The strategy or schedule.
    fn alternative(&self) -> String;

    /// Changes the strategy or schedule, and leaves out the settings that the other one does not read.
    ///
    /// # Errors
    /// When there is no such one.
    fn with_alternative(&self, name: &str) -> Result<Box<dyn Setup>>;

    /// What is counted of the algorithm for `balance`: a run by default, or less where that would be many runs in one.
    fn counted(&self) -> Box<dyn Setup>;

    /// Refuses values out of range, settings that none of the named strategies or schedules reads, and tables that there are not.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::Error::Usage) with the first of these.
    fn check(&self, names: &[&str]) -> Result<()>;

    /// Whether the directions of edges do not count: then they cannot be asked for.
    fn ignores_directions(&self) -> bool;

    /// Whether every edge is needed in both directions.
    fn is_undirected(&self) -> bool;

    /// How many columns the answer has.
    fn columns(&self) -> usize;

    /// About how many operations a run takes.
    fn operations(&self, csr: &Csr) -> u64;

    /// Whether a device can run the strategy or schedule.
    fn runs_on(&self, device: &DeviceInfo) -> bool;

    /// The files of the tables that were asked for.
    fn table_paths(&self) -> Vec<PathBuf>;

    /// Whether a table shows the time of each step, for which the device must be opened with `profile`.
    fn needs_spans(&self) -> bool;

    /// Puts the algorithm on a graph.
    ///
    /// # Errors
    /// When the settings do not suit the graph.
    fn on<'g>(&self, graph: &'g Graph) -> Result<Box<dyn Problem + 'g>>;

    /// Puts the algorithm on a graph with an input, which is an [`Algorithm::Input`](super::Algorithm::Input) of this algorithm, instead of
    /// that which the settings describe.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::Error::Usage) when it is the input of another algorithm; when the settings do not suit the graph.
    fn with_input<'g>(&self, graph: &'g Graph, input: Box<dyn Any>) -> Result<Box<dyn Problem + 'g>>;
}

/// An algorithm with its settings on a graph.
pub trait Problem {
    /// What is said of the algorithm.
    fn described(&self) -> Described;

    /// The strategy or schedule.
    fn alternative(&self) -> String;

    /// All strategies or schedules, in the order they are listed.
    fn alternatives(&self) -> Vec<Alternative>;

    /// Takes another strategy or schedule, with those of the given settings that it reads.
    ///
    /// # Errors
    /// When there is no such one.
    fn choose(&mut self, alternative: &str) -> Result<()>;

    /// The configuration as reports have it.
    fn report(&self) -> serde_json::Value;

    /// The node it begins at, if it begins at one.
    fn source(&self) -> Option<u32>;

    /// The input, an [`Algorithm::Input`](super::Algorithm::Input) of this algorithm.
    fn input(&self) -> &dyn Any;

    /// Whether a device can run the strategy or schedule.
    fn runs_on(&self, device: &DeviceInfo) -> bool;

    /// The memory it needs on a device, by another strategy or schedule if one is named.
    ///
    /// # Errors
    /// When no device can hold the answer.
    fn plan(&self, device: &DeviceInfo, alternative: Option<&str>) -> Result<MemoryPlan>;

    /// Makes everything ready to run.
    ///
    /// # Errors
    /// When the settings or the graph are wrong, or something does not fit.
    fn prepare(&self, device: &Device) -> Result<Box<dyn Prepared + '_>>;

    /// Makes everything ready to run on a device's copy of the graph that others use, too.
    ///
    /// # Errors
    /// As [`Problem::prepare`].
    fn prepare_on(&self, shared: &SharedGraph) -> Result<Box<dyn Prepared + '_>>;

    /// Asks the oracle, which is done once, whatever strategy is chosen. Returns whether it was not asked before.
    ///
    /// # Errors
    /// When there is no answer, say because of a negative cycle.
    fn ask_oracle(&self) -> Result<bool>;

    /// What the oracle found, if it was asked.
    fn reference(&self) -> Option<&dyn Any>;

    /// The first node for which the oracle, if it was asked, found something else.
    fn check(&self, answer: &dyn Answer) -> Option<Mismatch>;
}

/// An algorithm that is ready to run.
pub trait Prepared {
    /// What it was prepared on and with.
    fn session(&self) -> &Session;

    /// Runs once.
    ///
    /// # Errors
    /// When the device fails.
    fn run(&mut self) -> Result<Run>;

    /// Runs once with the input of another problem of the same algorithm on the same graph.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::Error::Usage) when it is the input of another algorithm; when the device fails.
    fn run_with(&mut self, input: &dyn Any) -> Result<Run>;

    /// Brings back what the last run found.
    ///
    /// # Errors
    /// [`Error::Usage`](crate::Error::Usage) when there was no successful run; when the device fails.
    fn answer(&self) -> Result<Box<dyn Answer>>;

    /// What the report's `details` have of the last run, where the settings ask for it.
    ///
    /// # Errors
    /// When the device fails.
    fn details(&mut self) -> Result<serde_json::Map<String, serde_json::Value>>;

    /// Makes the tables that were asked for after the last run, which found `answer`; `spans` are those of the timed runs.
    ///
    /// # Errors
    /// When the device fails, or the spans are not those of the run.
    fn tables(&mut self, answer: &dyn Answer, spans: &[Span]) -> Result<Vec<Table>>;
}
