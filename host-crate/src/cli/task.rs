//! What an algorithm's file in this folder tells the code that all algorithms share: how it is prepared, run and checked, and
//! how its answer is read. Measuring, validating, writing and reporting follow from that.

use evenkeel::{
    Result,
    algorithm::Run,
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, NodeIds},
    oracle::Mismatch,
    report::Value,
};
use serde::Serialize;

/// An algorithm that starts at a node and gives each node a value.
pub trait Task: Sized {
    /// Its name in commands and reports.
    const ALGORITHM: &'static str;
    /// What can be chosen.
    type Config: Clone + Serialize;
    /// What it finds.
    type Answer: Answer;

    /// The strategy that a configuration names.
    fn strategy(config: &Self::Config) -> &str;

    /// The same configuration with another strategy.
    fn with_strategy(config: &Self::Config, strategy: &str) -> Self::Config;

    /// The device memory it needs.
    fn plan(csr: &Csr, config: &Self::Config) -> Result<MemoryPlan>;

    /// Copies the graph to the device and makes everything ready.
    fn prepare(device: &Device, csr: &Csr, config: &Self::Config) -> Result<Self>;

    /// Runs once, from a node.
    fn run(&mut self, source: u32) -> Result<Run>;

    /// Brings back what the last run found.
    fn answer(&self) -> Result<Self::Answer>;
}

/// A value for each node that was reached.
pub trait Answer: Sync {
    /// What was found for a node; none when it was not reached.
    fn value(&self, node: u32) -> Option<Value>;

    /// Further columns of a node's line in the output, each with a space before it.
    fn further_columns(&self, _node: u32, _ids: &NodeIds, _line: &mut String) {}

    /// The first node for which the oracle finds something else.
    fn check(&self, graph: &Graph, source: u32) -> Result<Option<Mismatch>>;
}

/// A mismatch as a person reads it: a value that means "not reached" becomes `inf`.
pub fn readable(mismatch: Mismatch) -> Mismatch {
    let text = |value: String| if value == u32::MAX.to_string() { "inf".to_owned() } else { value };
    Mismatch { expected: text(mismatch.expected), found: text(mismatch.found), ..mismatch }
}
