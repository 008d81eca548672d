//! Prepares an algorithm, warms up, runs it, checks its answer, and reports: what a single run and a comparison have in common.

use super::{
    failure::WrongAnswer,
    progress::{counting, while_showing},
    task::{Answer, Task},
};
use anyhow::Context;
use evenkeel::{
    Error, Result,
    device::{Device, MemoryPlan, memory::Bytes, profile::Span},
    graph::{Graph, csr::BuildReport},
    oracle::Mismatch,
    report::{self, Extent, GraphReport, Report, RunReport},
};
use std::{cell::OnceCell, time::Instant};

/// What to measure on.
pub struct Bench<'a, T: Task> {
    pub device: &'a Device,
    pub graph: &'a Graph,
    pub built: &'a BuildReport,
    /// What the algorithm is run on beside the graph.
    pub input: T::Input,
    /// Runs that are timed.
    pub runs: u32,
    /// Runs before these.
    pub warmup: u32,
    /// Whether to ask the oracle.
    pub validate: bool,
    /// Whether a graphics debugger shall record the timed runs.
    pub capture: bool,
    /// What the oracle said: it is asked once, however many strategies there are.
    pub expected: OnceCell<T::Expected>,
}

/// An algorithm with one strategy, on the device and ready to run.
pub struct Prepared<'a, T: Task> {
    task: T,
    config: &'a T::Config,
    plan: MemoryPlan,
    name: String,
}

/// What came of it.
pub struct Measured<A> {
    pub report: Report,
    pub answer: A,
    /// The first node at which the answer is wrong, if it was checked and is.
    pub mismatch: Option<Mismatch>,
    /// What the device and the host did, everything and the timed runs alone.
    pub spans: Spans,
}

/// Spans, as they are shown.
pub struct Spans {
    /// Of the timed runs: for the table by kernel.
    pub runs: Vec<Span>,
    /// Before and after these: the trace has them too.
    pub around: Vec<Span>,
}

impl<T: Task> Bench<'_, T> {
    /// Makes one strategy ready, or says why it cannot be run here.
    pub fn prepare<'a>(&self, config: &'a T::Config) -> anyhow::Result<Prepared<'a, T>> {
        let plan = self.admit(config)?;
        let name = name::<T>(config);
        tracing::info!("{name} takes {} of device memory: {plan}", Bytes(plan.bytes()));
        let task = while_showing(format!("preparing {name}"), || T::prepare(self.device, &self.graph.csr, config))?;
        Ok(Prepared { task, config, plan, name })
    }

    /// Measures it.
    pub fn measure(&self, prepared: Prepared<'_, T>) -> anyhow::Result<Measured<T::Answer>> {
        let Prepared { mut task, config, plan, name } = prepared;
        counting(self.warmup, format!("warming up {name}"), |_| task.run(&self.input))?;
        let mut around = self.device.take_spans();
        let runs = self.timed_runs(&name, &mut task)?;
        let timed = self.device.take_spans();
        let answer = while_showing("fetching the answer", || task.answer())?;
        task.write_more(config)?;
        around.extend(self.device.take_spans());
        let mismatch = if self.validate { self.check(&answer, config)? } else { None };
        let report = self.report(config, &plan, runs, &answer, mismatch.is_none())?;
        Ok(Measured { report, answer, mismatch, spans: Spans { runs: timed, around } })
    }

    /// Refuses what does not fit, and says what would.
    fn admit(&self, config: &T::Config) -> anyhow::Result<MemoryPlan> {
        let plan = T::plan(&self.graph.csr, config)?;
        let Err(error) = self.device.admit(&plan) else { return Ok(plan) };
        let error = T::refusal(error, self.device, &self.graph.csr, config);
        let fits = |name: &String| {
            let plan = T::plan(&self.graph.csr, &T::with_choice(config, name));
            plan.is_ok_and(|plan| self.device.admit(&plan).is_ok())
        };
        let fitting: Vec<String> = T::alternatives().into_iter().filter(fits).collect();
        let advice = match fitting.is_empty() {
            true => format!("it fits with no {}", T::CHOICE),
            false => format!("it would fit with --{} {}", T::CHOICE, fitting.join(" or ")),
        };
        Err(error).with_context(|| format!("{} does not fit; {advice}", name::<T>(config)))
    }

    fn timed_runs(&self, name: &str, task: &mut T) -> Result<Vec<RunReport>> {
        let capturing = self.capture && self.begin_capture();
        let runs = counting(self.runs, format!("running {name}"), |number| {
            let run = RunReport::from(task.run(&self.input)?);
            tracing::info!("run {}: {:.3} ms, {} iterations", number + 1, run.total_ms, run.iterations);
            Ok(run)
        });
        if capturing {
            self.device.end_capture()?;
        }
        runs
    }

    /// Without a debugger the run is still worth having, so that is only said.
    fn begin_capture(&self) -> bool {
        self.device.begin_capture().inspect_err(|reason| tracing::warn!("nothing is captured: {reason}")).is_ok()
    }

    fn check(&self, answer: &T::Answer, config: &T::Config) -> Result<Option<Mismatch>> {
        if self.expected.get().is_none() {
            let begin = Instant::now();
            let expected = while_showing("asking the oracle", || T::expected(self.graph, &self.input, config))?;
            tracing::info!("the oracle took {:.3} ms", begin.elapsed().as_secs_f64() * 1e3);
            // It was empty, so this cannot fail.
            let _ = self.expected.set(expected);
        }
        Ok(self.expected.get().and_then(|expected| T::mismatch(answer, expected, self.graph, &self.input)))
    }

    fn report(
        &self,
        config: &T::Config,
        plan: &MemoryPlan,
        runs: Vec<RunReport>,
        answer: &T::Answer,
        valid: bool,
    ) -> anyhow::Result<Report> {
        let extent = T::source(&self.input).map(|source| extent(answer, self.graph, source));
        let edges = extent.map_or_else(|| T::edges_taken(&self.graph.csr), |extent| extent.reached_edges);
        let median = report::median(&runs).ok_or_else(|| Error::Usage("at least one run is needed".into()))?;
        let bytes = T::bytes_to_move(&self.graph.csr);
        Ok(Report {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(self.graph, self.built),
            device: self.device.info().clone(),
            algorithm: T::ALGORITHM,
            choice: T::CHOICE,
            strategy: T::choice(config).to_owned(),
            config: serde_json::to_value(config)?,
            extent,
            colors: answer.colors(),
            sequential_colors: self.expected.get().and_then(T::expected_colors),
            median,
            runs,
            mteps: report::mteps(edges, median.total_ms),
            gbytes_per_s: bytes.map(|bytes| report::gbytes_per_second(bytes, median.total_ms)),
            memory_bytes: plan.bytes(),
            valid: self.validate.then_some(valid),
        })
    }
}

/// What is being run, as messages say it.
fn name<T: Task>(config: &T::Config) -> String {
    format!("{} with {} {}", T::ALGORITHM, T::CHOICE, T::choice(config))
}

impl<A> Measured<A> {
    /// The error that a wrong answer is, with the node's own id.
    pub fn verdict(&self, graph: &Graph) -> anyhow::Result<()> {
        let Some(mismatch) = self.mismatch.clone() else { return Ok(()) };
        Err(WrongAnswer::new(&self.report, graph.ids.id(mismatch.node), mismatch).into())
    }
}

/// How far an answer reaches.
fn extent(answer: &impl Answer, graph: &Graph, source: u32) -> Extent {
    let mut extent = Extent { source: graph.ids.id(source), reached: 0, reached_edges: 0, furthest: None };
    for node in 0..graph.csr.nodes() {
        if let Some(value) = answer.value(node) {
            extent.reached += 1;
            extent.reached_edges += u64::from(graph.csr.degree(node));
            if extent.furthest.is_none_or(|furthest| value > furthest) {
                extent.furthest = Some(value);
            }
        }
    }
    extent
}
