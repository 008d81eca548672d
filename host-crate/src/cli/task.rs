//! What an algorithm's file in this folder tells the code that all algorithms share: which options it takes, how it is prepared,
//! run and checked, and how its answer is read. Measuring, comparing, validating, writing and reporting follow from that.

use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::Run,
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, NodeIds, weights::WeightSource},
    oracle::Mismatch,
    report::Value,
};
use serde::Serialize;
use std::{
    io::{self, Write},
    path::Path,
};

/// An algorithm that gives each node a value.
pub trait Task: Sized {
    /// Its name in commands and reports.
    const ALGORITHM: &'static str;
    /// What it can be run with several of, as its option calls it: `strategy` or `schedule`.
    const CHOICE: &'static str;
    /// Whether edges have no direction to it, and are taken both ways.
    const UNDIRECTED: bool = false;
    /// What can be chosen, the strategy or schedule among it.
    type Config: Args + Clone + Default + Serialize;
    /// The part of that which `compare` takes for all of them.
    type Tuning: Args;
    /// The options that say what it is run on beside the graph.
    type Options: Args;
    /// What these come to: the node to begin at, or a vector.
    type Input;
    /// What the oracle finds.
    type Expected;
    /// What it finds.
    type Answer: Answer;

    /// The names of all strategies or schedules, in the order they are listed.
    fn alternatives() -> Vec<String>;

    /// A strategy's or schedule's name as reports have it, if there is one of that name.
    fn known(name: &str) -> Result<String>;

    /// The one that a configuration names.
    fn choice(config: &Self::Config) -> &str;

    /// The same configuration with another.
    fn with_choice(config: &Self::Config, name: &str) -> Self::Config;

    /// What is chosen for a comparison of the named ones.
    fn tuned(_tuning: &Self::Tuning, _names: &[String]) -> Result<Self::Config> {
        Ok(Self::Config::default())
    }

    /// Refuses options that change nothing, before anything that takes long.
    fn check(_config: &Self::Config) -> Result<()> {
        Ok(())
    }

    /// How many lines of code one of them takes, where that is counted.
    fn lines_of_code(_name: &str) -> Option<usize> {
        None
    }

    /// Where the edges' weights come from.
    fn weights(_options: &Self::Options) -> Result<WeightSource> {
        Ok(WeightSource::File)
    }

    /// What it is run on beside the graph.
    fn input(options: &Self::Options, graph: &Graph) -> Result<Self::Input>;

    /// The node it begins at, if it begins at one.
    fn source(_input: &Self::Input) -> Option<u32> {
        None
    }

    /// The bytes that any computation of the answer must read and write, where that is what bounds it.
    fn bytes_to_move(_csr: &Csr) -> Option<u64> {
        None
    }

    /// The edges that a run takes, each as often as it does, of an algorithm that begins at no node.
    fn edges_taken(csr: &Csr) -> u64 {
        csr.edges().into()
    }

    /// What is said where a device has no room for the plan: `error` has the numbers.
    fn refusal(error: Error, _device: &Device, _csr: &Csr, _config: &Self::Config) -> Error {
        error
    }

    /// The device memory it needs.
    fn plan(csr: &Csr, config: &Self::Config) -> Result<MemoryPlan>;

    /// Copies the graph to the device and makes everything ready.
    fn prepare(device: &Device, csr: &Csr, config: &Self::Config) -> Result<Self>;

    /// Runs once.
    fn run(&mut self, input: &Self::Input) -> Result<Run>;

    /// Brings back what the last run found.
    fn answer(&self) -> Result<Self::Answer>;

    /// The files that a configuration asks for beside the answer.
    fn more_files(_config: &Self::Config) -> Vec<&Path> {
        Vec::new()
    }

    /// Writes these, after the timed runs.
    fn write_more(&mut self, _config: &Self::Config) -> Result<()> {
        Ok(())
    }

    /// Asks the oracle. It is the same whatever strategy or schedule is chosen.
    fn expected(graph: &Graph, input: &Self::Input, config: &Self::Config) -> Result<Self::Expected>;

    /// How many colours the oracle takes, of an algorithm that gives out colours.
    fn expected_colors(_expected: &Self::Expected) -> Option<u32> {
        None
    }

    /// The first node for which the oracle found something else.
    fn mismatch(
        found: &Self::Answer,
        expected: &Self::Expected,
        graph: &Graph,
        input: &Self::Input,
    ) -> Option<Mismatch>;
}

/// A value for each node that was reached.
pub trait Answer: Sync {
    /// What was found for a node; none when it was not reached.
    fn value(&self, node: u32) -> Option<Value>;

    /// How many colours there are, where values are colours.
    fn colors(&self) -> Option<u32> {
        None
    }

    /// Further columns of a node's line in the output, each with a space before it.
    fn further_columns(&self, _node: u32, _ids: &NodeIds, _line: &mut String) {}

    /// Writes it for a program, where it has a form for that; false when it has none.
    fn write_binary(&self, _writer: &mut dyn Write) -> io::Result<bool> {
        Ok(false)
    }
}

/// The first node whose value differs, as a person reads it: a node that was not reached is at `inf`.
pub fn first_difference(expected: &impl Answer, found: &impl Answer, graph: &Graph) -> Option<Mismatch> {
    let node = (0..graph.csr.nodes()).find(|&node| expected.value(node) != found.value(node))?;
    let text = |value: Option<Value>| value.map_or("inf".to_owned(), |value| value.to_string());
    Some(Mismatch { node, expected: text(expected.value(node)), found: text(found.value(node)) })
}
