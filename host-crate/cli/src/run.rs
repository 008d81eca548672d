//! One algorithm on one graph, from the first option to the last line: find the graph, open the device, run, check, write.

use super::{
    advice,
    answers::AnswerForm,
    measure::{Bench, Measured},
    options::{DeviceOptions, FoundGraph, GraphOptions},
    output::{Output, print, refuse_same_files, takes_standard},
    phases,
    pictures::{PictureOptions, Pictures},
    progress::while_showing,
    registry::{Execute, InputOptions, ShowOptions},
    settings::Given,
    workers::{Task, Workers, WorkersOptions, WorkersOutputs},
};
use crate::report::html;
use clap::{ArgMatches, Args, Command};
use evenkeel::{
    Result,
    algorithm::{Algorithm, Answer, Tables, WeightUse},
    device::{
        Device,
        profile::{self, KernelTimes},
    },
    graph::{BuildReport, Csr, Graph},
    phase,
};
use std::{
    cell::OnceCell,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

/// One algorithm on one graph with one strategy.
#[derive(Args)]
#[command(after_help = A::HELP)]
pub struct RunCommand<A: Algorithm> {
    #[command(flatten)]
    graph: GraphOptions,
    #[command(flatten)]
    device: DeviceOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten, next_help_heading = "Algorithm")]
    input: InputOptions<A>,
    #[command(flatten, next_help_heading = "Output")]
    show: ShowOptions<A>,
    #[command(flatten, next_help_heading = "Output")]
    tables: Given<A::Tables>,
    #[command(flatten, next_help_heading = "Algorithm")]
    config: Given<A::Config>,
    #[command(flatten, next_help_heading = "Workers")]
    workers: WorkersOptions<A>,
}

/// How to run, and what to do with the answer.
#[derive(Args)]
#[command(next_help_heading = "Run")]
struct RunOptions {
    /// How many runs to time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// How many runs to do before these.
    #[arg(long, value_name = "N", default_value_t = 0)]
    warmup: u32,
    /// Check the last answer against a sequential oracle; exit with 1 if it is wrong. On a driver that limits loops (lavapipe) that is always
    /// done.
    #[arg(long)]
    validate: bool,
    /// Write the answer as the name ends: .txt (a line `node value` each), .csv, .json, .jsonl, .parquet, .arrow, .npy or .npz; text
    /// also with .gz, .xz, .zst or .bz2. `-` is text on standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Write what was measured as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Time each kernel and each phase of the host, and print two tables.
    #[arg(long, help_heading = "Output")]
    profile: bool,
    /// Time each kernel and each phase of the host, and write a trace for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
    /// Record the timed runs with RenderDoc, when started under it.
    #[arg(long)]
    capture: bool,
}

/// The files a run will write, opened before it begins.
struct Outputs {
    answer: Option<(AnswerForm, Output)>,
    json: Option<Output>,
    trace: Option<Output>,
    pictures: Pictures,
    /// The algorithm's own tables, by their paths.
    tables: Vec<(PathBuf, Output)>,
    /// Whether data goes to standard output, which is then for nothing else.
    standard_taken: bool,
}

impl<A: Algorithm> Execute for RunCommand<A> {
    fn execute(&self, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
        self.input.weights()?;
        let (run, tables, config) = (&self.run, self.tables.read()?, &self.config.read()?);
        if let Some(workers) = self.workers.given()? {
            return self.execute_on(workers, config, matches, quiet);
        }
        A::check_config(config, &[&A::alternative(config)])?;
        tables.check(config)?;
        self.show.check(config)?;
        let form = run.output.as_deref().map(|path| AnswerForm::of::<A>(path, config)).transpose()?;
        let found = self.graph.find()?.directed_for::<A>(config)?;
        let outputs = run.outputs(form, &tables.paths(), &found.files())?;
        let watched = found.watch_mapped();
        let profile = tables.need_spans() || run.profile || run.trace.is_some() || run.pictures.are_wanted();
        let (device, (mut graph, built)) = match self.may_be_quick(config, &tables) && found.loads_quickly() {
            true => {
                let loaded = found.load()?;
                (self.open_for(&loaded.0.csr, config, profile)?, loaded)
            }
            false => open_beside_loading(|| self.device.open(profile), found)?,
        };
        self.input.weigh(&mut graph, &built)?;
        let (config, input) = (&A::find_nodes(config, &graph)?, self.input.read()?);
        let is_shown = !quiet && !outputs.standard_taken;
        let fallback = self.device.fallback(&device);
        let mut bench = Bench::<A> {
            device: &device,
            graph: &graph,
            built: &built,
            input: phase::during("making the input", || A::input(&input, &graph, config))?,
            runs: run.runs,
            warmup: run.warmup,
            validate: run.validate || answers_need_a_check(&device),
            // Where nobody sees it, it is not worth the time; a target that is not there is an error anyhow.
            show: Some(self.show.find(&graph)?).filter(|_| is_shown || run.json.is_some() || run.pictures.are_wanted()),
            capture: run.capture,
            reference: OnceCell::new(),
        };
        let prepared = bench.prepare_or_on(fallback.as_ref(), config)?;
        let measured = bench.measure(prepared, &tables);
        // Whatever came of it, it is not of the graph that was asked about.
        watched.map_or(Ok(()), |(path, watched)| watched.check(&path))?;
        let measured = measured?;
        let standard_taken = outputs.standard_taken;
        outputs.write(&graph, &measured)?;
        if is_shown {
            print(&measured.report.to_string())?;
        }
        if A::WEIGHTS == WeightUse::Optional
            && let Some(advice) = advice::on_weights(&graph, &built)
        {
            tracing::warn!("{advice}");
        }
        // A search that was told where to stop says nothing about directions.
        let is_limited = measured.report.config.get("max_depth").is_some_and(|depth| !depth.is_null());
        if let (Some(source), None, false) = (A::source(&bench.input), &measured.mismatch, is_limited)
            && let Some(advice) = advice::on_direction(&graph, &built, source, &measured.answer)
        {
            tracing::warn!("{advice}");
        }
        if run.profile {
            print_profile(&measured, standard_taken)?;
        }
        let verdict = measured.verdict(&graph);
        drop(bench);
        self.device.let_go(device);
        verdict
    }
}

impl<A: Algorithm> RunCommand<A> {
    /// The same on several workers.
    fn execute_on(
        &self,
        workers: &Workers,
        config: &A::Config,
        matches: &ArgMatches,
        quiet: bool,
    ) -> anyhow::Result<()> {
        let (run, input) = (&self.run, self.input.read()?);
        let form = run.output.as_deref().map(|path| AnswerForm::of::<A>(path, config)).transpose()?;
        let found = self.graph.find()?.directed_for::<A>(config)?;
        let task = Task::<A> {
            found: &found,
            options: &self.input,
            input: &input,
            show: &self.show,
            config,
            device: &self.device,
            runs: run.runs,
            warmup: run.warmup,
            validate: run.validate,
        };
        let agreed = task.check(matches, RunCommand::<A>::augment_args(Command::new(A::NAME)))?;
        let outputs = || {
            let outputs = run.outputs(form, &[], &found.files())?;
            Ok(WorkersOutputs {
                answer: outputs.answer,
                json: outputs.json,
                is_shown: !quiet && !outputs.standard_taken,
            })
        };
        task.execute(workers, &agreed, outputs)
    }
}

/// Whether answers of a device are always checked: its driver may stop an invocation in the middle without an error. What may come to that is
/// refused before it runs, and this is the second lock.
pub fn answers_need_a_check(device: &Device) -> bool {
    device.info().loop_limit.is_some()
}

/// A run of at most so many operations takes a few milliseconds on the CPU. Starting a GPU takes more than a hundred.
pub const QUICK: u64 = 1 << 21;

impl<A: Algorithm> RunCommand<A> {
    /// Whether one answer is wanted as soon as possible, rather than a measurement or a certain strategy.
    fn may_be_quick(&self, config: &A::Config, tables: &A::Tables) -> bool {
        let RunOptions { runs, warmup, profile, capture, ref trace, ref pictures, .. } = self.run;
        let is_measured = runs > 1 || warmup > 0 || profile || capture || trace.is_some() || tables.need_spans();
        let is_measured = is_measured || pictures.are_wanted();
        let is_default = A::alternative(config) == A::alternative(&A::Config::default());
        self.device.may_be_cpu() && is_default && !is_measured
    }

    /// Opens the CPU for a run that is over before a GPU has started, and what the options say for any other.
    fn open_for(&self, csr: &Csr, config: &A::Config, profile: bool) -> Result<Device> {
        if A::operations(csr, config) > QUICK {
            return self.device.open(profile);
        }
        tracing::info!("the graph is small, so that the CPU has the answer before a GPU has started");
        self.device.open_as("cpu", profile)
    }
}

impl RunOptions {
    /// Opens the files that will be written. `tables` are those of the algorithm's own tables, and `graph` are the files that are read.
    fn outputs(&self, form: Option<AnswerForm>, tables: &[&Path], graph: &[PathBuf]) -> Result<Outputs> {
        let paths = [&self.output, &self.json, &self.trace].map(Option::as_deref);
        let pictures = self.pictures.paths();
        let options = ["--output", "--json", "--trace"].into_iter().zip(paths).chain(pictures);
        let all = paths.into_iter().chain(pictures.map(|(_, path)| path)).flatten().chain(tables.iter().copied());
        let standard_taken = takes_standard(all, "--output, --json, --trace and the like")?;
        let named: Vec<_> = options.chain(tables.iter().map(|path| ("a table's option", Some(*path)))).collect();
        refuse_same_files(&named, graph)?;
        let [answer, json, trace] = paths.map(Output::create_if);
        let open = |path: &&Path| Ok((path.to_path_buf(), Output::create(path)?));
        let tables = tables.iter().map(open).collect::<Result<_>>()?;
        let answer = form.zip(answer?);
        let pictures = self.pictures.open()?;
        Ok(Outputs { answer, json: json?, trace: trace?, pictures, tables, standard_taken })
    }
}

impl Outputs {
    /// Writes what was asked for; of a wrong answer only what says that it is wrong.
    fn write<A: Answer>(self, graph: &Graph, measured: &Measured<A>) -> Result<()> {
        if let (Some((form, output)), None) = (self.answer, &measured.mismatch) {
            let write = || output.write(|writer| form.write(&measured.answer, graph, writer));
            while_showing("writing the answer", "", write)?;
        }
        if measured.mismatch.is_none() {
            for (path, output) in self.tables {
                let table = measured.tables.iter().find(|table| table.path == path);
                output.write(|writer| table.map_or(Ok(()), |table| writer.write_all(table.csv.as_bytes())))?;
            }
        }
        if let Some(output) = self.trace {
            let kept = measured.spans_around.iter().chain(&measured.spans).cloned();
            let spans: Vec<_> = phases::spans().into_iter().chain(kept).collect();
            output.write(|writer| profile::write_trace(writer, &spans))?;
        }
        self.pictures.write(|| html::run::page(&measured.report))?;
        self.json.map_or(Ok(()), |output| output.write_json(&measured.report))
    }
}

/// The tables were asked for, so they are shown even where standard output is taken: beside it.
fn print_profile<T>(measured: &Measured<T>, standard_taken: bool) -> Result<()> {
    let spans: Vec<_> = measured.spans_around.iter().chain(&measured.spans).cloned().collect();
    let tables = format!("{}\n{}", KernelTimes::from_spans(&measured.spans), phases::host_times(&spans));
    if standard_taken {
        eprint!("{tables}");
        return Ok(());
    }
    print(&format!("\n{tables}"))
}

/// Opens the device while another thread loads the graph. A device that cannot be opened is told at once: the thread ends with
/// the program. Where no thread can be started, one is done after the other.
fn open_beside_loading(
    open: impl FnOnce() -> Result<Device>,
    found: FoundGraph,
) -> Result<(Device, (Graph, BuildReport))> {
    let found = Arc::new(found);
    let loading = {
        let found = found.clone();
        thread::Builder::new().name("loading".into()).spawn(move || found.load())
    };
    let device = open()?;
    let loaded = match loading {
        Ok(thread) => {
            phase::during("waiting for the graph", || thread.join()).unwrap_or_else(|panic| resume_unwind(panic))
        }
        Err(_) => found.load(),
    };
    Ok((device, loaded?))
}
