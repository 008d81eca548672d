//! What `bfs`, `sssp`, `spmv` and every further algorithm do from the first option to the last line: find the graph, open the
//! device, run, check, write.

use super::{
    answers,
    measure::{Bench, Measured, Spans},
    options::{DeviceOptions, GraphOptions, weigh},
    output::{Output, is_standard, print},
    progress::while_showing,
    task::{Answer, Task},
};
use clap::Args;
use evenkeel::{
    Error, Result,
    device::{
        Device,
        profile::{self, KernelTimes},
    },
    graph::Graph,
};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

/// One algorithm on one graph with one strategy.
#[derive(Args)]
pub struct RunCommand<T: Task> {
    #[command(flatten)]
    graph: GraphOptions,
    #[command(flatten)]
    device: DeviceOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    options: T::Options,
    #[command(flatten, next_help_heading = "Algorithm")]
    config: T::Config,
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
    /// Check the last answer against a sequential oracle; exit with 1 if it is wrong.
    #[arg(long)]
    validate: bool,
    /// Write the answer, one line a node: `id value`, with inf where there is none. `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what was measured as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Time each kernel, and print a table.
    #[arg(long)]
    profile: bool,
    /// Time each kernel, and write a trace for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Record the timed runs with RenderDoc, when started under it.
    #[arg(long)]
    capture: bool,
}

/// The files a run will write, opened before it begins.
struct Outputs {
    answer: Option<Output>,
    json: Option<Output>,
    trace: Option<Output>,
    /// Whether data goes to standard output, which is then for nothing else.
    standard_taken: bool,
}

impl<T: Task> RunCommand<T> {
    /// Does it all.
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        self.execute_then(quiet, false, |_, _, _, _| Ok(()))
    }

    /// The same with each step timed if `timed`, and something else done with the answer, unless it is wrong.
    pub fn execute_then(
        &self,
        quiet: bool,
        timed: bool,
        then: impl FnOnce(&Device, &Graph, &T::Config, &Measured<T::Answer>) -> Result<()>,
    ) -> anyhow::Result<()> {
        let run = &self.run;
        let weights = T::weights(&self.options)?;
        T::check(&self.config)?;
        let outputs = run.outputs(&T::more_files(&self.config))?;
        let found = self.graph.find()?.undirected_if(T::UNDIRECTED)?;
        let device = self.device.open(timed || run.profile || run.trace.is_some())?;
        let (mut graph, built) = found.load()?;
        weigh(&mut graph, weights)?;
        let bench = Bench::<T> {
            device: &device,
            graph: &graph,
            built: &built,
            input: T::input(&self.options, &graph)?,
            runs: run.runs,
            warmup: run.warmup,
            validate: run.validate,
            capture: run.capture,
            expected: OnceCell::new(),
        };
        let measured = bench.measure(bench.prepare(&self.config)?)?;
        let standard_taken = outputs.standard_taken;
        outputs.write(&graph, &measured)?;
        if measured.mismatch.is_none() {
            then(&device, &graph, &self.config, &measured)?;
        }
        if !quiet && !standard_taken {
            print(&measured.report.to_string())?;
        }
        if run.profile {
            print_profile(&measured.spans, standard_taken)?;
        }
        measured.verdict(&graph)
    }
}

impl RunOptions {
    /// Opens what all algorithms write. The files that an algorithm writes by itself, `more`, are opened later; that they can
    /// be is found out here.
    fn outputs(&self, more: &[&Path]) -> Result<Outputs> {
        let paths = [&self.output, &self.json, &self.trace].map(Option::as_deref);
        let standard = paths.iter().flatten().chain(more).filter(|path| is_standard(path)).count();
        if standard > 1 {
            return Err(Error::Usage(
                "only one of --output, --json, --trace and the like can be - (standard output)".into(),
            ));
        }
        for path in more {
            Output::create(path)?;
        }
        let [answer, json, trace] = paths.map(|path: Option<&Path>| Output::create_if(path));
        Ok(Outputs { answer: answer?, json: json?, trace: trace?, standard_taken: standard > 0 })
    }
}

impl Outputs {
    /// Writes what was asked for; of a wrong answer only what says that it is wrong.
    fn write(self, graph: &Graph, measured: &Measured<impl Answer>) -> Result<()> {
        if let (Some(output), None) = (self.answer, &measured.mismatch) {
            while_showing("writing the answer", || {
                let text = output.is_text();
                output.write(|writer| match !text && measured.answer.write_binary(writer)? {
                    true => Ok(()),
                    false => answers::write(&measured.answer, graph, writer),
                })
            })?;
        }
        if let Some(output) = self.trace {
            let spans: Vec<_> = measured.spans.around.iter().chain(&measured.spans.runs).cloned().collect();
            output.write(|writer| profile::write_trace(writer, &spans))?;
        }
        self.json.map_or(Ok(()), |output| output.write_json(&measured.report))
    }
}

/// The table was asked for, so it is shown even where standard output is taken: beside it.
fn print_profile(spans: &Spans, standard_taken: bool) -> Result<()> {
    let table = KernelTimes::from_spans(&spans.runs).to_string();
    let table = table.trim_end();
    if standard_taken {
        eprintln!("{table}");
        return Ok(());
    }
    print(&format!("\n{table}\n"))
}
