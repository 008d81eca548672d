//! What a run on several workers comes to: what a [`Report`](super::Report) has, as far as it means something there, and what was exchanged.

use super::{
    RunReport,
    shown::{Figures, Summary, three_digits},
    summary::{figure_lines, time, validity},
};
use crate::{
    device::memory::Bytes,
    graph::NodeName,
    numerals::{counted, grouped},
};
use serde::Serialize;
use std::fmt;

/// One object for one command on several workers.
#[derive(Clone, Debug, Serialize)]
pub struct WorkersReport {
    /// The version of evenkeel.
    pub version: &'static str,
    /// The graph that all workers have together.
    pub graph: WorkersGraph,
    /// The workers, by their numbers.
    pub workers: Vec<WorkerReport>,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Everything that was chosen for the algorithm.
    pub config: serde_json::Value,
    /// The own name of the node it began at, if it began at one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<NodeName<'static>>,
    /// The figures that the algorithm states, as fields of the object itself.
    #[serde(flatten)]
    pub figures: Figures,
    /// What is shown of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Summary>,
    /// What getting the shares of the graph took.
    pub load_ms: f64,
    /// What getting ready took on worker 0: opening the device and copying the share to it, and what workers exchange before the first run.
    pub prepare_ms: f64,
    /// The timed runs in order, on worker 0. `kernel_ms` is the time outside of exchanges, and `overhead_ms` that within.
    pub runs: Vec<RunReport>,
    /// The run with the median total; of an even number, the faster of the two in the middle.
    pub median: RunReport,
    /// Millions of traversed edges a second over the median total.
    pub mteps: f64,
    /// What each iteration of the last run exchanged.
    pub iterations: Vec<IterationReport>,
    /// The bytes of the blocks of these iterations, of all workers together.
    pub bytes_exchanged: u64,
    /// The time of these exchanges.
    pub exchange_ms: f64,
    /// Whether the answer agrees with the oracle's; null when it was not asked for.
    pub valid: Option<bool>,
}

/// A graph that is shared out.
#[derive(Clone, Debug, Serialize)]
pub struct WorkersGraph {
    /// The file's name, or the generator as it was written.
    pub name: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges stored by all workers; an undirected edge counts twice.
    pub edges: u64,
    /// Whether edges have a direction.
    pub directed: bool,
    /// The kind of the edges' weights: `none`, `u32` or `f32`.
    pub weights: &'static str,
}

/// One of the workers.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerReport {
    /// Where it listens.
    pub address: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many edges these have.
    pub edges: u64,
    /// All that it has sent, the shares of the graph, the answer and timely's own messages included.
    pub bytes_sent: u64,
    /// The name of the device that it computes on, or of the processor whose threads it computes on.
    pub device: String,
    /// The number of that device on its machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_index: Option<u64>,
    /// Whether it computes by kernels on a device, rather than on the threads of the CPU.
    pub on_device: bool,
}

/// What an iteration exchanged.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IterationReport {
    /// Its number, from 1.
    pub iteration: u32,
    /// The bytes of the blocks of all workers together.
    pub bytes: u64,
    /// How long the exchange took on the worker where it took longest, waiting for the slowest included.
    pub exchange_ms: f64,
}

impl fmt::Display for WorkersReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |label: &str, text: String| writeln!(f, "{label:<9} {text}");
        line("graph", self.graph.to_string())?;
        let most = self.workers.iter().map(|worker| worker.edges).max().unwrap_or(0);
        let workers = counted(self.workers.len() as u64, "worker");
        line("workers", format!("{workers}, at most {} edges each", grouped(most)))?;
        if self.workers.iter().any(|worker| worker.on_device) {
            line("devices", devices(&self.workers))?;
        }
        let from = self.source.as_ref().map_or(String::new(), |source| format!("from node {source} "));
        line(self.algorithm, format!("{from}on {workers}"))?;
        for (word, text) in figure_lines(&self.figures, self.answer.as_ref()) {
            line(word, text)?;
        }
        for (word, text) in self.answer.as_ref().map_or(Vec::new(), Summary::lines) {
            line(word, text)?;
        }
        let RunReport { total_ms, overhead_ms, iterations, .. } = self.median;
        let of = match self.runs.len() {
            1 => "in 1 run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        let iterations = counted(iterations.into(), "iteration");
        line("time", format!("{} ms {of} (exchange {} ms), {iterations}", time(total_ms), time(overhead_ms)))?;
        let exchanges = counted(self.iterations.len() as u64, "exchange");
        line("exchanged", format!("{} in {exchanges}", Bytes(self.bytes_exchanged)))?;
        line("rate", format!("{} MTEPS", three_digits(self.mteps)))?;
        line("valid", validity(self.valid).to_owned())
    }
}

/// Says which worker computes on which device.
fn devices(workers: &[WorkerReport]) -> String {
    let mut list: Vec<(String, Vec<String>)> = Vec::new();
    for (number, worker) in workers.iter().enumerate() {
        let name = match (worker.on_device, worker.device_index) {
            (true, Some(index)) => format!("{} (device {index})", worker.device),
            (true, None) => worker.device.clone(),
            (false, _) => format!("threads of {}", worker.device),
        };
        match list.iter_mut().find(|(known, _)| *known == name) {
            Some((_, numbers)) => numbers.push(number.to_string()),
            None => list.push((name, vec![number.to_string()])),
        }
    }
    match &list[..] {
        [(name, _)] => name.clone(),
        _ => {
            let of = |(name, numbers): &(String, Vec<String>)| format!("{name}: worker {}", numbers.join(", "));
            list.iter().map(of).collect::<Vec<_>>().join("; ")
        }
    }
}

impl fmt::Display for WorkersGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (thing, remark) =
            if self.directed { ("directed edge", "") } else { ("edge", " (undirected, both directions counted)") };
        write!(f, "{}: {}, {}{remark}", self.name, counted(self.nodes.into(), "node"), counted(self.edges, thing))?;
        if self.weights != "none" {
            write!(f, ", {} weights", self.weights)?;
        }
        Ok(())
    }
}
