//! Prepares an algorithm, warms up, runs it, checks its answer, and reports: what a single run and a comparison have in common.

use super::{
    failure::{WrongAnswer, named},
    phases,
    progress::{counting, while_showing},
};
use anyhow::Context;
use evenkeel::{
    Error, Result,
    algorithm::{Answer, Prepared, Problem, Table},
    device::{
        Device, DeviceKind,
        memory::Bytes,
        profile::{self, Span},
    },
    graph::{BuildReport, Graph},
    numerals::counted,
    oracle::Mismatch,
    phase,
    report::{
        self, GraphReport, PrepareReport, Profile, Report, RunReport,
        shown::{Outcome, Show},
    },
};
use std::{
    collections::BTreeMap,
    mem,
    time::{Duration, Instant},
};

pub struct Bench<'a> {
    pub device: &'a Device,
    pub graph: &'a Graph,
    pub built: &'a BuildReport,
    /// The algorithm with its settings and its input. It keeps what the oracle said, so that the oracle is asked once for all strategies.
    pub problem: &'a dyn Problem,
    pub runs: u32,
    pub warmup: u32,
    /// Whether the device was busy until a moment ago, so that its clock is high.
    pub is_warm: bool,
    pub validate: bool,
    /// What is reported of the answer; nothing where it is none.
    pub show: Option<Show>,
    /// Whether a graphics debugger shall record the timed runs.
    pub capture: bool,
}

/// How long a GPU has to be busy until its clock is as high as it gets: on an H200 it rises from 345 to 1,980 MHz.
const CLOCK_RISES: Duration = Duration::from_millis(300);

/// How long it has to be busy after it was prepared for, when it was busy until then: long enough to see that the clock stays high.
const CLOCK_STAYS: Duration = Duration::from_millis(50);

/// An algorithm with one strategy, on the device and ready to run.
pub struct Ready<'a> {
    algorithm: Box<dyn Prepared + 'a>,
    name: String,
    /// What making it ready took.
    times: PrepareReport,
}

/// What the rounds so far measured of one strategy, each of which made it ready anew.
#[derive(Default)]
pub struct Rounds {
    prepared: Vec<PrepareReport>,
    runs: Vec<RunReport>,
    fetched_ms: Vec<f64>,
}

/// What the timed runs of one strategy left behind.
struct Ended<'a> {
    /// What all rounds measured, this one included.
    rounds: &'a Rounds,
    /// How many of the runs are of this round.
    count: usize,
    spans: &'a [Span],
    answer: &'a dyn Answer,
    valid: bool,
    /// What the oracle took, if it was asked.
    oracle_ms: Option<f64>,
    /// What `--details` and the like add to the JSON.
    details: serde_json::Map<String, serde_json::Value>,
}

pub struct Measured {
    pub report: Report,
    pub answer: Box<dyn Answer>,
    /// The first node at which the answer is wrong, if it was checked and is.
    pub mismatch: Option<Mismatch>,
    /// The tables that were asked for beside the answer.
    pub tables: Vec<Table>,
    /// What the device and the host did in the timed runs: for the table by kernel.
    pub spans: Vec<Span>,
    /// What they did before and after these: the trace has it too.
    pub spans_around: Vec<Span>,
}

impl<'a> Bench<'a> {
    /// Makes the strategy ready, or says why it cannot be run here.
    pub fn prepare(&self) -> anyhow::Result<Ready<'a>> {
        let name = name(self.problem);
        let begin = profile::now();
        let mut parts = BTreeMap::new();
        let prepare = || {
            let prepared = self.problem.prepare(self.device);
            parts = phases::parts_since(begin);
            prepared
        };
        let algorithm = while_showing("preparing", &name, prepare).or_else(|error| match error {
            Error::Memory(_) => self.advise(error),
            other => Err(other.into()),
        })?;
        let times = PrepareReport::new(profile::now().saturating_sub(begin), parts);
        let memory = algorithm.session().memory();
        tracing::info!("{name} takes {} of device memory: {memory}", Bytes(memory.bytes()));
        Ok(Ready { algorithm, name, times })
    }

    /// Does everything that precedes the timed runs, so that the device, its clock and its kernels are warm in the rounds that count.
    pub fn rehearse(&self) -> anyhow::Result<()> {
        let Ready { mut algorithm, name, .. } = self.prepare()?;
        self.warm_up(&name, &mut *algorithm)
    }

    /// Measures one round. The report is of all rounds: their runs, and the medians of what preparing and fetching took.
    pub fn measure(&self, mut ready: Ready<'_>, rounds: &mut Rounds) -> anyhow::Result<Measured> {
        let Ready { algorithm, name, times } = &mut ready;
        self.warm_up(name, &mut **algorithm)?;
        let mut spans_around = self.device.take_spans();
        let runs = self.timed_runs(name, &mut **algorithm)?;
        let spans = self.device.take_spans();
        let begin = Instant::now();
        let answer = while_showing("fetching the answer", "", || algorithm.answer());
        let answer = answer.map_err(|error| named(error, &self.graph.ids))?;
        rounds.fetched_ms.push(begin.elapsed().as_secs_f64() * 1e3);
        rounds.prepared.push(mem::take(times));
        let count = runs.len();
        rounds.runs.extend(runs);
        let (mismatch, oracle_ms) = if self.validate { self.check(&*answer)? } else { (None, None) };
        let details = algorithm.details()?;
        let tables = if mismatch.is_none() { algorithm.tables(&*answer, &spans)? } else { Vec::new() };
        spans_around.extend(self.device.take_spans());
        let valid = mismatch.is_none();
        let ended = Ended { rounds, count, spans: &spans, answer: &*answer, valid, oracle_ms, details };
        let report = while_showing("summing up", "", || self.report(&ready, ended))?;
        phase::during("freeing", || drop(ready));
        Ok(Measured { report, answer, mismatch, tables, spans, spans_around })
    }

    /// The error with what would fit, where it is the plan that does not.
    fn advise<T>(&self, error: Error) -> anyhow::Result<T> {
        let info = self.device.info();
        let fits = |alternative: Option<&str>| {
            self.problem.plan(info, alternative).and_then(|plan| self.device.admit(&plan)).is_ok()
        };
        if fits(None) {
            return Err(error.into());
        }
        let described = self.problem.described();
        let alternatives = self.problem.alternatives();
        let names = alternatives.iter().filter(|it| it.about.runs_on(info)).map(|it| it.about.name);
        let fitting: Vec<&str> = names.filter(|name| fits(Some(name))).collect();
        let advice = match fitting.is_empty() {
            true => format!("it fits with no {}", described.alternative),
            false => format!("it would fit with --{} {}", described.alternative, fitting.join(" or ")),
        };
        Err(error).with_context(|| format!("{} does not fit; {advice}", name(self.problem)))
    }

    fn timed_runs(&self, name: &str, algorithm: &mut dyn Prepared) -> Result<Vec<RunReport>> {
        // Without a debugger the run is still worth having, so that is only said.
        let warn = |reason: &Error| tracing::warn!("nothing is captured: {reason}");
        let capturing = self.capture && self.device.begin_capture().inspect_err(warn).is_ok();
        let runs = counting(self.runs, "running", name, |number| {
            let run = RunReport::from(algorithm.run()?);
            tracing::info!(
                "run {}: {:.3} ms, {}",
                number + 1,
                run.total_ms,
                counted(run.iterations.into(), "iteration")
            );
            Ok(run)
        });
        if capturing {
            self.device.end_capture()?;
        }
        runs
    }

    /// The first node at which the answer is wrong, and what the oracle took in milliseconds, if it had not been asked before.
    fn check(&self, answer: &dyn Answer) -> Result<(Option<Mismatch>, Option<f64>)> {
        let begin = Instant::now();
        let asked = while_showing("asking the oracle", "", || self.problem.ask_oracle());
        let was_asked = asked.map_err(|error| named(error, &self.graph.ids))?;
        let oracle_ms = was_asked.then(|| begin.elapsed().as_secs_f64() * 1e3);
        if let Some(time) = oracle_ms {
            tracing::info!("the oracle took {time:.3} ms");
        }
        Ok((self.problem.check(answer), oracle_ms))
    }

    /// Runs that are not timed. A discrete GPU that has waited for the graph runs at a fraction of its clock, so there they go on until it
    /// has had the time to rise.
    fn warm_up(&self, name: &str, algorithm: &mut dyn Prepared) -> anyhow::Result<()> {
        let begin = Instant::now();
        counting(self.warmup, "warming up", name, |_| algorithm.run())?;
        let is_slow_to_rise = self.warmup > 0 && self.device.info().kind == DeviceKind::Discrete;
        if !is_slow_to_rise {
            return Ok(());
        }
        let _phase = phase::begin("waiting for the clock to rise", name);
        let least = if self.is_warm { CLOCK_STAYS } else { CLOCK_RISES };
        while begin.elapsed() < least {
            algorithm.run()?;
        }
        Ok(())
    }

    fn report(&self, ready: &Ready<'_>, ended: Ended<'_>) -> anyhow::Result<Report> {
        let Ready { algorithm, .. } = ready;
        let described = self.problem.described();
        let Ended { rounds, count, spans, answer, valid, oracle_ms, details } = ended;
        let Rounds { prepared, runs, fetched_ms } = rounds;
        let own_runs = &runs[runs.len() - count..];
        let median = report::median(runs).ok_or_else(|| Error::Usage("at least one run is needed".into()))?;
        let (graph, reference) = (self.graph, self.problem.reference());
        let outcome = Outcome { algorithm: described.name, graph, answer, reference, seconds: median.total_ms / 1e3 };
        let figures = outcome.figures();
        // Of a wrong answer nothing is shown that could be taken for a right one.
        let show = self.show.as_ref().filter(|_| valid);
        let profile = |runs: &[RunReport]| {
            let iterations = runs.last().map_or(0, |run| run.iterations);
            // Without timed steps there are no spans of the device.
            let is_timed = spans.iter().any(|span| span.on_device);
            is_timed
                .then(|| Profile::new(spans, runs.len(), iterations, if valid { outcome.levels() } else { Vec::new() }))
        };
        Ok(Report {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(graph, self.built),
            device: self.device.info().clone(),
            algorithm: described.name,
            alternative: described.alternative,
            strategy: self.problem.alternative(),
            method: algorithm.session().method().map(str::to_owned),
            ordered_by: algorithm.session().ordered_by(),
            config: self.problem.report(),
            source: self.problem.source().map(|source| graph.ids.name(source).into_owned()),
            prepare_ms: PrepareReport::median(prepared),
            fetch_ms: report::median_of(fetched_ms.iter().copied()),
            details,
            median,
            profile: profile(own_runs),
            runs: runs.clone(),
            mteps: report::mteps(figures.edges, median.total_ms),
            figures,
            answer: show.map(|show| outcome.summary(show)),
            memory_bytes: algorithm.session().memory().bytes(),
            buffers: report::buffers(algorithm.session().memory()),
            valid: self.validate.then_some(valid),
            oracle_ms,
        })
    }
}

/// What is being run, as messages say it.
fn name(problem: &dyn Problem) -> String {
    let described = problem.described();
    format!("{} with {} {}", described.name, described.alternative, problem.alternative())
}

impl Measured {
    /// The error that a wrong answer is, with the node's own id.
    pub fn verdict(&self, graph: &Graph) -> anyhow::Result<()> {
        let Some(mismatch) = &self.mismatch else { return Ok(()) };
        Err(WrongAnswer::new(&self.report, &graph.ids.name(mismatch.node), mismatch).into())
    }
}

/// Whether answers of a device are always checked: its driver may stop an invocation in the middle without an error. What may come to that is
/// refused before it runs, and this is the second lock.
pub fn answers_need_a_check(device: &Device) -> bool {
    device.info().loop_limit.is_some()
}

/// A run of at most so many operations takes a few milliseconds on the CPU. Starting a GPU takes more than a hundred.
pub const QUICK: u64 = 1 << 21;
