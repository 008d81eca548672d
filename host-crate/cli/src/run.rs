//! One algorithm on one graph, from the first option to the last line: find the graph, open the device, run, check, write.

use super::{
    advice,
    answers::AnswerForm,
    measure::{Bench, Measured, QUICK, Rounds, answers_need_a_check},
    options::{DeviceOptions, FoundGraph, GraphOptions},
    output::{Output, print, refuse_same_files, takes_standard},
    phases,
    pictures::{PictureOptions, Pictures},
    progress::while_showing,
    registry::{Offer, Shown, Weighing, input_options, parsed},
    settings::{self, Blank, Given},
    workers::{Task, Workers, WorkersOutputs},
};
use crate::report::html;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use evenkeel::{
    Result,
    algorithm::{Described, Handle, Part, Setup, WeightUse},
    cluster::registry,
    device::{
        Device,
        profile::{self, KernelTimes},
    },
    graph::{BuildReport, Csr, Graph},
    phase,
};
use std::{panic::resume_unwind, path::PathBuf, sync::Arc, thread};

/// The command of each algorithm.
pub const RUN: Offer = Offer { options, execute, is_offered: |_| true };

fn options(algorithm: &'static dyn Handle, command: Command) -> Command {
    let Described { name, help, .. } = algorithm.described();
    let command = DeviceOptions::augment_args(GraphOptions::augment_args(command.after_help(help)));
    let command = input_options(algorithm, RunOptions::augment_args(command));
    let command = Shown::options(algorithm, command);
    let command = settings::augment(command, Blank { algorithm, part: Part::Tables });
    let command = settings::augment(command, Blank { algorithm, part: Part::Config });
    if registry::named(name).is_some() { Workers::augment_args(command) } else { command }
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

fn execute(algorithm: &'static dyn Handle, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    let run = &parsed(RunOptions::from_arg_matches(matches));
    let (graph, device) =
        (parsed(GraphOptions::from_arg_matches(matches)), parsed(DeviceOptions::from_arg_matches(matches)));
    let (shown, name) = (Shown::from_matches(algorithm, matches), algorithm.described().name);
    let given = parsed(Given::from_matches(algorithm, &[Part::Input, Part::Tables, Part::Config], matches));
    let weighing = Weighing::from_matches(algorithm, matches)?;
    let setup = given.read()?;
    let workers =
        if registry::named(name).is_some() { parsed(Workers::from_arg_matches(matches)) } else { Workers::default() };
    if workers.are_given()? {
        let form = run.output.as_deref().map(|path| AnswerForm::of(path, &*setup)).transpose()?;
        let found = graph.find()?.directed_for(&*setup)?;
        let RunOptions { runs, warmup, validate, .. } = *run;
        let (found, device) = (&found, &device);
        let task = Task { found, weighing: &weighing, shown: &shown, setup: &*setup, device, runs, warmup, validate };
        let agreed = task.check(matches, RUN.command(algorithm))?;
        let outputs = || {
            let outputs = run.outputs(form, &[], &found.files())?;
            let is_shown = !quiet && !outputs.standard_taken;
            Ok(WorkersOutputs { answer: outputs.answer, json: outputs.json, is_shown })
        };
        return task.execute(&workers, &agreed, outputs);
    }
    setup.check(&[&setup.alternative()])?;
    shown.check(&*setup)?;
    let form = run.output.as_deref().map(|path| AnswerForm::of(path, &*setup)).transpose()?;
    let found = graph.find()?.directed_for(&*setup)?;
    let outputs = run.outputs(form, &setup.table_paths(), &found.files())?;
    let watched = found.watch_mapped();
    let profile = setup.needs_spans() || run.profile || run.trace.is_some() || run.pictures.are_wanted();
    let may_be_quick = device.may_be_cpu() && !run.is_measured(&*setup) && is_default(algorithm, &*setup);
    let (opened, (mut graph, built)) = match may_be_quick && found.loads_quickly() {
        true => {
            let loaded = found.load()?;
            (open_for(&device, &*setup, &loaded.0.csr, profile)?, loaded)
        }
        false => open_beside_loading(|| device.open(profile), found)?,
    };
    weighing.weigh(&mut graph, &built)?;
    let is_shown = !quiet && !outputs.standard_taken;
    let fallback = device.fallback(&opened);
    let problem = phase::during("making the input", || setup.on(&graph))?;
    let mut bench = Bench {
        device: &opened,
        graph: &graph,
        built: &built,
        problem: &*problem,
        runs: run.runs,
        warmup: run.warmup,
        is_warm: false,
        validate: run.validate || answers_need_a_check(&opened),
        // Where nobody sees it, it is not worth the time; a target that is not there is an error anyhow.
        show: Some(shown.find(&graph)?).filter(|_| is_shown || run.json.is_some() || run.pictures.are_wanted()),
        capture: run.capture,
    };
    let ready = bench.prepare_or_on(fallback.as_ref())?;
    let measured = bench.measure(ready, &mut Rounds::default());
    // The file changed while it was read, so the answer is discarded.
    watched.map_or(Ok(()), |(path, watched)| watched.check(&path))?;
    let measured = measured?;
    let standard_taken = outputs.standard_taken;
    outputs.write(&graph, &measured)?;
    if is_shown {
        print(&measured.report.to_string())?;
    }
    if algorithm.described().weights == WeightUse::Optional
        && let Some(advice) = advice::on_weights(&graph, &built)
    {
        tracing::warn!("{advice}");
    }
    // A search that was told where to stop says nothing about directions.
    let is_limited = measured.report.config.get("max_depth").is_some_and(|depth| !depth.is_null());
    if let (Some(source), None, false) = (problem.source(), &measured.mismatch, is_limited)
        && let Some(advice) = advice::on_direction(&graph, &built, source, &*measured.answer)
    {
        tracing::warn!("{advice}");
    }
    if run.profile {
        print_profile(&measured, standard_taken)?;
    }
    let verdict = measured.verdict(&graph);
    drop(problem);
    device.let_go(opened);
    verdict
}

/// Whether no certain strategy or schedule was asked for.
fn is_default(algorithm: &'static dyn Handle, setup: &dyn Setup) -> bool {
    setup.alternative() == algorithm.setup().alternative()
}

/// Opens the CPU for a run that is over before a GPU has started, and what the options say for any other.
fn open_for(device: &DeviceOptions, setup: &dyn Setup, csr: &Csr, profile: bool) -> Result<Device> {
    if setup.operations(csr) > QUICK {
        return device.open(profile);
    }
    tracing::info!("the graph is small, so that the CPU has the answer before a GPU has started");
    device.open_as("cpu", profile)
}

impl RunOptions {
    /// Whether a measurement is wanted, rather than one answer as soon as possible.
    fn is_measured(&self, setup: &dyn Setup) -> bool {
        let Self { runs, warmup, profile, capture, ref trace, ref pictures, .. } = *self;
        let is_timed = runs > 1 || warmup > 0 || profile || capture || trace.is_some();
        is_timed || setup.needs_spans() || pictures.are_wanted()
    }

    /// Opens the files that will be written. `tables` are those of the algorithm's own tables, and `graph` are the files that are read.
    fn outputs(&self, form: Option<AnswerForm>, tables: &[PathBuf], graph: &[PathBuf]) -> Result<Outputs> {
        let paths = [&self.output, &self.json, &self.trace].map(Option::as_deref);
        let pictures = self.pictures.paths();
        let options = ["--output", "--json", "--trace"].into_iter().zip(paths).chain(pictures);
        let all = paths
            .into_iter()
            .chain(pictures.map(|(_, path)| path))
            .flatten()
            .chain(tables.iter().map(PathBuf::as_path));
        let standard_taken = takes_standard(all, "--output, --json, --trace and the like")?;
        let named: Vec<_> =
            options.chain(tables.iter().map(|path| ("a table's option", Some(path.as_path())))).collect();
        refuse_same_files(&named, graph)?;
        let [answer, json, trace] = paths.map(Output::create_if);
        let open = |path: &PathBuf| Ok((path.clone(), Output::create(path)?));
        let tables = tables.iter().map(open).collect::<Result<_>>()?;
        let answer = form.zip(answer?);
        let pictures = self.pictures.open()?;
        Ok(Outputs { answer, json: json?, trace: trace?, pictures, tables, standard_taken })
    }
}

impl Outputs {
    /// Writes what was asked for; of a wrong answer only what says that it is wrong.
    fn write(self, graph: &Graph, measured: &Measured) -> Result<()> {
        if let (Some((form, output)), None) = (self.answer, &measured.mismatch) {
            let write = || output.write(|writer| form.write(&*measured.answer, graph, writer));
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
fn print_profile(measured: &Measured, standard_taken: bool) -> Result<()> {
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
