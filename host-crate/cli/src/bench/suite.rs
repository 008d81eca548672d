//! A benchmark suite under way: kernels are run on graphs, trial by trial, and checked; the table is printed as it grows.

use crate::{
    failure::WrongAnswer,
    output::{Output, print},
    progress::{counting, while_showing},
    report::table::table,
};
use evenkeel::{
    Error, Result,
    algorithm::{Answer, Problem, Run, Setup},
    device::{Device, DeviceInfo},
    engine::SharedGraph,
    graph::Graph,
    numerals::grouped,
    oracle::Mismatch,
    report::{mteps, shown::three_digits, summary::time},
};
use serde::Serialize;
use std::any::Any;

/// A suite that runs: its device, its results so far, and where these are written.
pub struct Suite {
    name: &'static str,
    device: Device,
    validate: bool,
    shown: bool,
    csv: Option<Output>,
    json: Option<Output>,
    rows: Vec<Row>,
    /// Why something was not run that the suite asks for, and that would run with better files: the first of all reasons.
    refused: Option<Error>,
    /// Why the first of the kernels could not be prepared that could not.
    unable: Option<Error>,
}

/// One kernel on one graph.
pub struct Task<'a> {
    /// What the suite calls it.
    pub kernel: &'static str,
    pub graph: &'a Graph,
    /// The graph on the device, which all kernels share.
    pub shared: &'a SharedGraph,
    pub setup: Box<dyn Setup>,
    /// Trials take them in turn. Each is an input of the algorithm.
    pub inputs: Vec<Box<dyn Any>>,
    pub trials: u32,
    /// How many nodes and edges a trial counts as, for the rate.
    pub size: u64,
    /// Finds what is wrong with the answer of the last trial, for a suite that brings answers of its own; else the oracle does.
    pub check: Option<Check<'a>>,
}

/// How an answer is checked: `None` where it is right.
pub type Check<'a> = Box<dyn Fn(&dyn Answer) -> Option<String> + 'a>;

/// What one kernel took on one graph.
#[derive(Clone, Debug, Default, Serialize)]
struct Row {
    graph: String,
    nodes: u32,
    edges: u64,
    kernel: &'static str,
    algorithm: &'static str,
    config: serde_json::Value,
    trials: usize,
    mean_ms: f64,
    median_ms: f64,
    best_ms: f64,
    worst_ms: f64,
    /// Millions of nodes or edges a second, as the suite counts them, over the mean.
    millions_per_s: f64,
    memory_bytes: u64,
    /// Null where it was not checked.
    valid: Option<bool>,
    /// Why it is wrong, or was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    trials_ms: Vec<f64>,
}

#[derive(Serialize)]
struct SuiteReport<'a> {
    version: &'static str,
    suite: &'static str,
    device: &'a DeviceInfo,
    kernels: &'a [Row],
}

/// What is wrong with an answer, if anything is, as the oracle says.
fn by_oracle(problem: &dyn Problem, answer: &dyn Answer, graph: &Graph) -> Result<Option<String>> {
    while_showing("asking the oracle", problem.described().name, || problem.ask_oracle())?;
    let told = |it: Mismatch| {
        format!("node {} has {} where the oracle has {}", graph.ids.name(it.node), it.found, it.expected)
    };
    Ok(problem.check(answer).map(told))
}

impl Suite {
    pub fn new(
        name: &'static str,
        device: Device,
        validate: bool,
        shown: bool,
        csv: Option<Output>,
        json: Option<Output>,
    ) -> Self {
        Self { name, device, validate, shown, csv, json, rows: Vec::new(), refused: None, unable: None }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs a kernel. What cannot be run here, say because it does not fit, is a line that says so.
    pub fn run(&mut self, task: Task<'_>) -> anyhow::Result<()> {
        let Task { kernel, graph, shared, setup, inputs, trials, size, check } = task;
        let mut row = Row {
            graph: graph.name.clone(),
            nodes: graph.csr.nodes(),
            edges: graph.csr.edges(),
            kernel,
            algorithm: setup.described().name,
            config: setup.report(),
            ..Row::default()
        };
        let name = format!("{kernel} on {}", graph.name);
        let problems: Vec<_> = inputs.into_iter().map(|input| setup.with_input(graph, input)).collect::<Result<_>>()?;
        let problem = |trial: u32| &*problems[trial as usize % problems.len()];
        match while_showing("preparing", &name, || problem(0).prepare_on(shared)) {
            Err(error) => {
                row.problem = Some(error.to_string());
                self.unable.get_or_insert(error);
            }
            Ok(mut algorithm) => {
                row.memory_bytes = algorithm.session().memory().bytes();
                let runs = counting(trials, "running", &name, |trial| algorithm.run_with(problem(trial).input()))?;
                row.measured(&runs, size);
                if self.validate {
                    let answer = while_showing("fetching the answer", "", || algorithm.answer())?;
                    row.problem = match &check {
                        Some(check) => check(&*answer),
                        None => by_oracle(problem(trials - 1), &*answer, graph)?,
                    };
                    row.valid = Some(row.problem.is_none());
                }
            }
        }
        if let Some(problem) = &row.problem {
            tracing::warn!("{name}: {problem}");
        }
        self.rows.push(row);
        Ok(())
    }

    /// Notes that a kernel was not run, because its parameters or its right answer are not as they should be.
    pub fn not_run(&mut self, kernel: &'static str, graph: &str, reason: Error) {
        tracing::warn!("{kernel} on {graph}: {reason}");
        let problem = Some(reason.to_string());
        self.rows.push(Row { graph: graph.to_owned(), kernel, problem, ..Row::default() });
        self.refused.get_or_insert(reason);
    }

    /// Prints the table, writes what was asked for, and fails if an answer was wrong, or something could not be run or nothing was.
    pub fn finish(self) -> anyhow::Result<()> {
        let DeviceInfo { name, kind, .. } = self.device.info();
        if self.shown {
            let head = format!("evenkeel {} on {name} ({kind})\n\n", self.name);
            let headings = ["graph", "kernel", ">trials", ">mean ms", ">median ms", ">best ms", ">M/s", "valid"];
            print(&(head + &table(&headings, self.rows.iter().map(Row::cells))))?;
        }
        if let Some(output) = self.csv {
            output.write(|writer| {
                let mut writer = csv::Writer::from_writer(writer);
                writer.write_record(Row::COLUMNS)?;
                self.rows.iter().try_for_each(|row| writer.write_record(row.record()))?;
                writer.flush()
            })?;
        }
        if let Some(output) = self.json {
            let report = SuiteReport {
                version: env!("CARGO_PKG_VERSION"),
                suite: self.name,
                device: self.device.info(),
                kernels: &self.rows,
            };
            output.write_json(&report)?;
        }
        match self.rows.iter().find(|row| row.valid == Some(false)) {
            Some(row) => {
                let problem = row.problem.as_deref().unwrap_or_default();
                Err(WrongAnswer::of_kernel(row.kernel, &row.graph, problem).into())
            }
            None => {
                let nothing_ran = self.rows.iter().all(|row| row.trials == 0);
                let reason = self.refused.or(self.unable.filter(|_| nothing_ran));
                reason.map_or(Ok(()), |reason| Err(reason.into()))
            }
        }
    }
}

impl Row {
    const COLUMNS: [&'static str; 11] = [
        "graph",
        "nodes",
        "edges",
        "kernel",
        "trials",
        "mean_ms",
        "median_ms",
        "best_ms",
        "worst_ms",
        "valid",
        "problem",
    ];

    fn measured(&mut self, runs: &[Run], size: u64) {
        let mut times: Vec<f64> = runs.iter().map(|run| run.total.as_secs_f64() * 1e3).collect();
        self.trials_ms = times.clone();
        times.sort_by(f64::total_cmp);
        self.trials = times.len();
        self.mean_ms = times.iter().sum::<f64>() / times.len() as f64;
        self.median_ms = times[(times.len() - 1) / 2];
        self.best_ms = times[0];
        self.worst_ms = times[times.len() - 1];
        self.millions_per_s = mteps(size, self.mean_ms);
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.graph.clone(), self.kernel.to_owned(), grouped(self.trials as u64)];
        let measured = [self.mean_ms, self.median_ms, self.best_ms];
        match self.trials {
            0 => cells.extend(["", "", "", ""].map(str::to_owned)),
            _ => {
                cells.extend(measured.map(time));
                let rate = self.millions_per_s;
                cells.push(if rate < 0.1 { format!("{rate:.4}") } else { three_digits(rate) });
            }
        }
        cells.push(match (self.valid, &self.problem) {
            (Some(true), _) => "✓".to_owned(),
            (Some(false), _) => "✗".to_owned(),
            (None, Some(problem)) => format!("not run: {problem}"),
            (None, None) => "not checked".to_owned(),
        });
        cells
    }

    fn record(&self) -> Vec<String> {
        let mut record = vec![self.graph.clone(), self.nodes.to_string(), self.edges.to_string()];
        record.extend([self.kernel.to_owned(), self.trials.to_string()]);
        record.extend([self.mean_ms, self.median_ms, self.best_ms, self.worst_ms].map(|time| format!("{time:?}")));
        record.push(self.valid.map_or(String::new(), |valid| valid.to_string()));
        record.push(self.problem.clone().unwrap_or_default());
        record
    }
}
