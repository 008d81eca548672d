//! Prepares an algorithm, warms up, runs it, checks its answer, and reports: what `bfs`, `sssp` and `demo` have in common.

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
    report::{self, GraphReport, Report, RunReport, Value},
    strategy::STRATEGIES,
};

/// What to measure on.
pub struct Bench<'a> {
    pub device: &'a Device,
    pub graph: &'a Graph,
    pub built: &'a BuildReport,
    /// The node to begin at.
    pub source: u32,
    /// Runs that are timed.
    pub runs: u32,
    /// Runs before these.
    pub warmup: u32,
    /// Whether to ask the oracle.
    pub validate: bool,
    /// Whether a graphics debugger shall record the timed runs.
    pub capture: bool,
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

impl Bench<'_> {
    /// Measures one algorithm with one configuration.
    pub fn measure<T: Task>(&self, config: &T::Config) -> anyhow::Result<Measured<T::Answer>> {
        let plan = self.admit::<T>(config)?;
        let name = format!("{} with strategy {}", T::ALGORITHM, T::strategy(config));
        tracing::info!("{name} takes {} of device memory: {plan}", Bytes(plan.bytes()));
        let mut task = while_showing(format!("preparing {name}"), || T::prepare(self.device, &self.graph.csr, config))?;
        counting(self.warmup, format!("warming up {name}"), |_| task.run(self.source))?;
        let mut around = self.device.take_spans();
        let runs = self.timed_runs(&name, &mut task)?;
        let timed = self.device.take_spans();
        let answer = while_showing("fetching the answer", || task.answer())?;
        around.extend(self.device.take_spans());
        let mismatch = self.check(&answer)?;
        let report = self.report::<T>(config, &plan, runs, &answer, mismatch.is_none())?;
        Ok(Measured { report, answer, mismatch, spans: Spans { runs: timed, around } })
    }

    /// Refuses what does not fit, and says which strategies would.
    fn admit<T: Task>(&self, config: &T::Config) -> anyhow::Result<MemoryPlan> {
        let plan = T::plan(&self.graph.csr, config)?;
        let Err(error) = self.device.admit(&plan) else { return Ok(plan) };
        let fits = |name: &&str| {
            let plan = T::plan(&self.graph.csr, &T::with_strategy(config, name));
            plan.is_ok_and(|plan| self.device.admit(&plan).is_ok())
        };
        let fitting: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.name).filter(fits).collect();
        let advice = match fitting.is_empty() {
            true => "it fits with no strategy".to_owned(),
            false => format!("it would fit with --strategy {}", fitting.join(" or ")),
        };
        let strategy = T::strategy(config);
        Err(error).with_context(|| format!("{} with strategy {strategy} does not fit; {advice}", T::ALGORITHM))
    }

    fn timed_runs<T: Task>(&self, name: &str, task: &mut T) -> Result<Vec<RunReport>> {
        let capturing = self.capture && self.begin_capture();
        let runs = counting(self.runs, format!("running {name}"), |number| {
            let run = RunReport::from(task.run(self.source)?);
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

    fn check(&self, answer: &impl Answer) -> Result<Option<Mismatch>> {
        match self.validate {
            true => while_showing("checking against the oracle", || answer.check(self.graph, self.source)),
            false => Ok(None),
        }
    }

    fn report<T: Task>(
        &self,
        config: &T::Config,
        plan: &MemoryPlan,
        runs: Vec<RunReport>,
        answer: &T::Answer,
        valid: bool,
    ) -> anyhow::Result<Report> {
        let extent = Extent::of(answer, self.graph);
        let median = report::median(&runs).ok_or_else(|| Error::Usage("at least one run is needed".into()))?;
        Ok(Report {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(self.graph, self.built),
            device: self.device.info().clone(),
            algorithm: T::ALGORITHM,
            strategy: T::strategy(config).to_owned(),
            config: serde_json::to_value(config)?,
            source: self.graph.ids.id(self.source),
            median,
            runs,
            mteps: report::mteps(extent.edges, median.total_ms),
            reached: extent.nodes,
            reached_edges: extent.edges,
            furthest: extent.furthest,
            memory_bytes: plan.bytes(),
            valid: self.validate.then_some(valid),
        })
    }
}

impl<A> Measured<A> {
    /// The error that a wrong answer is, with the node's own id.
    pub fn verdict(&self, graph: &Graph) -> Result<(), WrongAnswer> {
        let Some(mismatch) = self.mismatch.clone() else { return Ok(()) };
        let Report { algorithm, strategy, .. } = &self.report;
        Err(WrongAnswer::new(algorithm, strategy, &graph.name, graph.ids.id(mismatch.node), mismatch))
    }
}

/// How far an answer reaches.
#[derive(Default)]
struct Extent {
    nodes: u64,
    edges: u64,
    furthest: Option<Value>,
}

impl Extent {
    fn of(answer: &impl Answer, graph: &Graph) -> Self {
        let mut extent = Self::default();
        for node in 0..graph.csr.nodes() {
            if let Some(value) = answer.value(node) {
                extent.nodes += 1;
                extent.edges += u64::from(graph.csr.degree(node));
                if extent.furthest.is_none_or(|furthest| value > furthest) {
                    extent.furthest = Some(value);
                }
            }
        }
        extent
    }
}
