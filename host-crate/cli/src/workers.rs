//! A run on several workers: who this one is, what all of them do together, and what worker 0 does with the answer.

mod gathered;

use super::{
    answers::AnswerForm,
    failure::{self, WrongAnswer},
    measure::{QUICK, answers_need_a_check},
    options::{DeviceOptions, FoundGraph, remark_on_weights},
    output::{Output, print},
    progress::while_showing,
    registry::{Shown, Weighing},
};
use clap::{ArgMatches, Args, Command, parser::ValueSource};
use evenkeel::{
    Error, Result,
    algorithm::{Answer, Setup},
    cluster::{
        Cluster,
        connect::{Place, listen},
        hosts,
        load::{GraphSource, load},
        local::{self, LocalWorkers},
        registry::{self, Handle},
        run::Found,
        secret::Secret,
        watch::{Fault, OnFault, Watch},
    },
    device::Device,
    graph::{Csr, Graph, formats::graph_name},
    machine,
    report::{
        self, RunReport,
        shown::Outcome,
        workers::{WorkersGraph, WorkersReport},
    },
};
use gathered::{exchanged, names_of, with_edges};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::TcpListener,
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long a worker may be silent, in seconds, unless it is said.
const TIMEOUT: u64 = 60;

/// On which workers to run.
#[derive(Args, Default)]
#[command(next_help_heading = "Workers")]
pub struct Workers {
    /// Run on so many workers on this machine: processes that each have a part of the graph.
    #[arg(long, value_name = "N", conflicts_with = "hosts", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Run on several machines: a file with a line host:port for each worker. The same command is started on each, with its --process.
    #[arg(long, value_name = "FILE", requires_all = ["process", "secret_file"])]
    hosts: Option<PathBuf>,
    /// The number of this worker: its line in the file of hosts, from 0. Worker 0 reports and writes.
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// The file with the secret that all workers on several machines know: at least 16 bytes, which only its owner may read.
    #[arg(long, value_name = "FILE", requires = "hosts")]
    secret_file: Option<PathBuf>,
    /// How many seconds a worker may be silent before the others give up [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
    timeout: Option<u64>,
}

impl Workers {
    /// Whether there shall be several, or one in the manner of several.
    pub fn are_given(&self) -> Result<bool> {
        match (self.workers.is_some() || self.hosts.is_some(), self.timeout) {
            (true, _) => Ok(true),
            (false, None) => Ok(false),
            (false, Some(_)) => Err(Error::Usage("--timeout is about workers: --workers or --hosts says which".into())),
        }
    }
}

/// How many workers share this machine's processors.
pub fn on_this_machine(matches: &ArgMatches) -> usize {
    let of = |options: &ArgMatches| options.try_get_one::<u16>("workers").ok().flatten().copied();
    matches.subcommand().and_then(|(_, options)| of(options)).map_or(1, usize::from)
}

/// Who this worker is, with what it needs to find the others.
struct Role {
    place: Place,
    secret: Secret,
    listener: Option<TcpListener>,
    /// The workers that this one has started.
    started: Option<LocalWorkers>,
    /// Whether another worker has started this one.
    is_started: bool,
}

impl Workers {
    /// Takes a role: starts the others, was started by one, or is one of those in the file.
    fn role(&self) -> Result<Role> {
        let (Some(hosts), Some(secret), Some(process)) = (&self.hosts, &self.secret_file, self.process) else {
            if let Some(number) = local::number() {
                let (place, secret, listener) = local::join(number)?;
                return Ok(Role { place, secret, listener: Some(listener), started: None, is_started: true });
            }
            let (started, place, secret) = LocalWorkers::start(self.workers.map_or(1, usize::from))?;
            return Ok(Role { place, secret, listener: None, started: Some(started), is_started: false });
        };
        let (addresses, secret) = (hosts::read(hosts)?, Secret::read(secret)?);
        if process >= addresses.len() {
            let (hosts, count) = (hosts.display(), addresses.len());
            return Err(Error::Usage(format!("--process {process}: {hosts} has {count} workers, from 0 on")));
        }
        let place = Place { process, addresses };
        let listener = listen(&place)?;
        Ok(Role { place, secret, listener, started: None, is_started: false })
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(TIMEOUT))
    }
}

/// What all workers do together.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub found: &'a FoundGraph,
    pub weighing: &'a Weighing,
    pub shown: &'a Shown,
    pub setup: &'a dyn Setup,
    /// What says which device each worker has.
    pub device: &'a DeviceOptions,
    pub runs: u32,
    pub warmup: u32,
    pub validate: bool,
}

/// The files that worker 0 writes, and whether it prints.
pub struct WorkersOutputs {
    pub answer: Option<(AnswerForm, Output)>,
    pub json: Option<Output>,
    pub is_shown: bool,
}

/// What came of all runs, on worker 0.
struct Ran {
    answer: Box<dyn Answer>,
    /// The names of the nodes, and no edges.
    graph: Graph,
    report: WorkersReport,
    /// Whether the answer is checked in any case, because of the device of a worker.
    needs_check: bool,
}

/// Options that have the same meaning on several workers for every algorithm, and on which all workers must agree.
const AGREED: &[&str] =
    &["format", "columns", "directed", "undirected", "drop_self_loops", "merge_parallel_edges", "runs", "warmup"];
/// Options that are about this worker, or about worker 0 alone.
const OWN: &[&str] = &[
    "graph",
    "device",
    "validation_layer",
    "no_pipeline_cache",
    "validate",
    "output",
    "json",
    "top",
    "workers",
    "hosts",
    "process",
    "secret_file",
    "timeout",
    "quiet",
    "verbose",
    "threads",
    "color",
];

/// Whether an option stands on the command line.
fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
}

impl Task<'_> {
    /// The algorithm, if several workers can run it.
    fn handle(&self) -> Result<&'static dyn Handle> {
        let name = self.setup.described().name;
        registry::named(name).ok_or_else(|| Error::Usage(format!("{name} runs on one worker")))
    }

    /// Refuses options that several workers do not follow. Returns what all workers must agree on.
    pub fn check(&self, matches: &ArgMatches, command: Command) -> Result<String> {
        let handle = self.handle()?;
        let own = handle.options();
        let mut agreed = vec![env!("CARGO_PKG_VERSION").to_owned(), self.setup.described().name.to_owned()];
        for option in command.get_arguments() {
            let id = option.get_id().as_str();
            if !is_given(matches, id) || OWN.contains(&id) {
                continue;
            }
            if !AGREED.contains(&id) && !own.contains(&id) {
                let name = option.get_long().unwrap_or(id);
                return Err(Error::Usage(format!(
                    "--{name} is for one worker: leave it out, or --workers and --hosts"
                )));
            }
            let values = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
            agreed.push(format!("{id}={}", values.collect::<Vec<_>>().join(",")));
        }
        handle.check(self.setup)?;
        agreed.push(match self.found.to_share()?.0 {
            GraphSource::File(path) => graph_name(path),
            GraphSource::Generator(generator) => generator.to_string(),
        });
        Ok(agreed.join("\n"))
    }

    /// Runs on all workers; worker 0 opens the outputs before and writes them after.
    pub fn execute(
        &self,
        workers: &Workers,
        agreed: &str,
        open: impl FnOnce() -> Result<WorkersOutputs>,
    ) -> anyhow::Result<()> {
        let is_first = local::number().is_none() && workers.process.unwrap_or(0) == 0;
        let outputs = is_first.then(open).transpose()?;
        let Role { place, secret, listener, started, is_started } = workers.role()?;
        let kill = started.as_ref().map(LocalWorkers::killer);
        let on_fault: OnFault = Box::new(move |fault: &Fault| {
            let error = fault.clone().error();
            match &kill {
                // The message comes first: nobody shall wait for it.
                Some(kill) => failure::end_after(&error, kill),
                None => failure::end(&error),
            }
        });
        let begin = |watch: &Watch| match &started {
            Some(started) => started.watch(watch),
            None if is_started => local::end_with_parent(watch),
            None => Ok(()),
        };
        let mut cluster = while_showing("connecting workers", "", || {
            Cluster::join(place, &secret, listener, workers.timeout(), on_fault, begin)
        })?;
        let ran = self.run(&mut cluster, agreed).inspect_err(|error| cluster.watch().fail(error))?;
        cluster.close()?;
        if let Some(started) = started {
            started.finish();
        }
        match (ran, outputs) {
            (Some(ran), Some(outputs)) => self.conclude(ran, outputs),
            _ => Ok(()),
        }
    }

    /// What every worker does. The answer is on worker 0.
    fn run(&self, cluster: &mut Cluster, agreed: &str) -> Result<Option<Ran>> {
        agree(cluster, agreed)?;
        let name = self.setup.described().name;
        let begin = Instant::now();
        let (source, options) = self.found.to_share()?;
        let mut share = while_showing("getting a share of the graph", "", || load(cluster, source, options))?;
        self.weighing.weigh_share(&mut share.graph)?;
        let load_ms = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let device = self.open_device(cluster, &share.graph.csr)?;
        let prepare = || self.handle()?.prepare(cluster, &share, self.setup, device.as_ref());
        let advise = |error: Error| match error {
            Error::Memory(reason) if self.device.is_automatic() => {
                Error::Memory(format!("{reason}; with --device cpu workers compute on the threads of the CPU"))
            }
            error => error,
        };
        let mut prepared = while_showing("getting ready", name, prepare).map_err(advise)?;
        let prepare_ms = begin.elapsed().as_secs_f64() * 1e3;
        let mut runs = Vec::new();
        let mut last = None;
        for number in 0..self.warmup + self.runs {
            let (begin, before) = (Instant::now(), cluster.exchange().rounds.len());
            let found = while_showing("running", name, || prepared.run(cluster))?;
            let total = begin.elapsed();
            let exchange: Duration = cluster.exchange().rounds[before..].iter().map(|round| round.time).sum();
            if number >= self.warmup {
                runs.push(RunReport {
                    total_ms: total.as_secs_f64() * 1e3,
                    kernel_ms: total.saturating_sub(exchange).as_secs_f64() * 1e3,
                    overhead_ms: exchange.min(total).as_secs_f64() * 1e3,
                    iterations: found.iterations,
                    streamed_bytes: 0,
                });
            }
            last = Some(found);
        }
        let Some(found) = last else { return Ok(None) };
        let (iterations, workers) = exchanged(cluster, &share, device.as_ref(), &found)?;
        let needs_check = device.as_ref().is_some_and(answers_need_a_check);
        let needs_check = cluster.sum([needs_check.into()])? != [0];
        let Found { answer: Some(answer), edges, .. } = found else { return Ok(None) };
        remark_on_weights(&share.built);
        let graph = names_of(&share)?;
        let median = report::median(&runs).ok_or_else(|| Error::Usage("at least one run is needed".into()))?;
        let seconds = median.total_ms / 1e3;
        let outcome = Outcome { algorithm: name, graph: &graph, answer: &*answer, reference: None, seconds };
        let figures = with_edges(outcome.figures(), edges);
        let summary = self.shown.find(&graph).map(|show| outcome.summary(&show))?;
        let report = WorkersReport {
            version: env!("CARGO_PKG_VERSION"),
            graph: WorkersGraph {
                name: graph.name.clone(),
                nodes: share.nodes(),
                edges: share.edges,
                directed: share.graph.directed,
                weights: share.graph.csr.weights().kind().name(),
            },
            workers,
            algorithm: name,
            config: self.setup.report(),
            source: prepared.source().map(|source| graph.ids.name(source).into_owned()),
            figures,
            answer: Some(summary),
            load_ms,
            prepare_ms,
            mteps: report::mteps(edges, median.total_ms),
            runs,
            median,
            bytes_exchanged: iterations.iter().map(|iteration| iteration.bytes).sum(),
            exchange_ms: iterations.iter().map(|iteration| iteration.exchange_ms).sum(),
            iterations,
            valid: None,
        };
        Ok(Some(Ran { answer, graph, report, needs_check }))
    }

    /// Opens the device of this worker, if it computes on one: not where its threads are done before a GPU has started.
    fn open_device(&self, cluster: &mut Cluster, csr: &Csr) -> Result<Option<Device>> {
        let is_quick = self.device.may_be_cpu() && self.runs + self.warmup == 1 && self.setup.operations(csr) <= QUICK;
        let (worker, watch) = (cluster.process(), cluster.watch().clone());
        let open = || if is_quick { Ok(None) } else { watch.during(|| self.device.open_for_worker(worker)) };
        let device = cluster.first(open)?;
        let name = device.as_ref().map_or_else(machine::name, |device| device.info().name.clone());
        tracing::info!("worker {worker} computes on {name}");
        Ok(device)
    }

    /// Checks the answer, if that was asked for, and writes it.
    fn conclude(&self, ran: Ran, outputs: WorkersOutputs) -> anyhow::Result<()> {
        let Ran { answer, graph, mut report, needs_check } = ran;
        let validate = self.validate || needs_check;
        let mismatch = match validate {
            false => None,
            true => {
                tracing::info!("worker 0 reads the whole graph, to ask the oracle");
                let (mut whole, built) = self.found.load()?;
                self.weighing.weigh(&mut whole, &built)?;
                let problem = self.setup.on(&whole)?;
                while_showing("asking the oracle", "", || problem.ask_oracle())?;
                problem.check(&*answer)
            }
        };
        report.valid = validate.then_some(mismatch.is_none());
        if mismatch.is_some() {
            report.answer = None;
        }
        let WorkersOutputs { answer: output, json, is_shown } = outputs;
        if let (Some((form, output)), None) = (output, &mismatch) {
            let write = || output.write(|writer| form.write(&*answer, &graph, writer));
            while_showing("writing the answer", "", write)?;
        }
        if let Some(json) = json {
            json.write_json(&report)?;
        }
        if is_shown {
            print(&report.to_string())?;
        }
        match mismatch {
            None => Ok(()),
            Some(it) => Err(WrongAnswer::of_workers(self.setup.described().name, &graph, &it).into()),
        }
    }
}

/// Refuses workers that were started to do something else.
fn agree(cluster: &mut Cluster, agreed: &str) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    agreed.hash(&mut hasher);
    let all = cluster.share(&[hasher.finish()])?;
    match all.iter().position(|other| *other != all[0]) {
        None => Ok(()),
        Some(process) => Err(Error::Worker {
            process,
            address: cluster.address(process).to_owned(),
            reason: "was started with another graph, other options or another version than worker 0".into(),
            status: 2,
        }),
    }
}
