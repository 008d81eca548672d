//! `evenkeel demo`: a graph whose degrees differ wildly and one whose do not, every algorithm, every strategy, all checked.

use super::{
    measure::Bench,
    options::{DeviceOptions, weigh},
    output::{Output, is_standard, print},
    progress::while_showing,
    task::Task,
};
use clap::Args;
use evenkeel::{
    algorithm::{Bfs, BfsConfig, Source, Sssp, SsspConfig},
    device::Device,
    graph::{Graph, csr::BuildReport, generate::Generator, statistics::grouped, weights::WeightSource},
    report::{
        Report,
        summary::{rate, time},
        table::table,
    },
    strategy::STRATEGIES,
};
use std::path::PathBuf;

/// Shortest paths need weights; these are those of the benchmarks.
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

/// Run every algorithm with every strategy on a skewed and a road-like graph, check all answers, and print a table.
#[derive(Args)]
pub struct Demo {
    /// The graphs have 2 to this power nodes.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=26))]
    scale: u32,
    /// How many runs to time.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// How many runs to do before these.
    #[arg(long, value_name = "N", default_value_t = 1)]
    warmup: u32,
    /// Write all that was measured as a JSON array. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceOptions,
}

/// Reports so far, and the first answer that was wrong.
#[derive(Default)]
struct Results {
    reports: Vec<Report>,
    wrong: Option<anyhow::Error>,
}

impl Demo {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let output = Output::create_if(self.json.as_deref())?;
        let device = self.device.open(false)?;
        let mut results = Results::default();
        for generator in [format!("rmat:scale={}", self.scale), format!("road:nodes={}", 1 << self.scale)] {
            let generator: Generator = generator.parse()?;
            let mut graph = while_showing(format!("making {generator}"), || generator.generate())?;
            weigh(&mut graph, WEIGHTS)?;
            self.measure(&device, &graph, &mut results)?;
        }
        if let Some(output) = output {
            output.write_json(&results.reports)?;
        }
        if !quiet && !self.json.as_deref().is_some_and(is_standard) {
            print(&self.text(&device, &results.reports))?;
        }
        results.wrong.map_or(Ok(()), Err)
    }

    /// Every algorithm on one graph: a new one is a line here.
    fn measure(&self, device: &Device, graph: &Graph, results: &mut Results) -> anyhow::Result<()> {
        let edges = graph.csr.edges().into();
        let bench = Bench {
            device,
            graph,
            built: &BuildReport { edges_given: edges, edges_stored: edges, ..BuildReport::default() },
            source: Source::MaxDegree.find(graph)?,
            runs: self.runs,
            warmup: self.warmup,
            validate: true,
            capture: false,
        };
        results.add::<Bfs>(&bench, &BfsConfig { parents: true, ..BfsConfig::default() })?;
        results.add::<Sssp>(&bench, &SsspConfig::default())
    }

    fn text(&self, device: &Device, reports: &[Report]) -> String {
        let headings =
            ["graph", ">nodes", ">edges", "algorithm", "strategy", ">median ms", ">MTEPS", ">iterations", "valid"];
        let right = reports.iter().filter(|report| report.valid == Some(true)).count();
        format!(
            "evenkeel on {} ({}), median of {} runs\n\n{}\n{}\n\n{NEXT}",
            device.info().name,
            device.info().kind,
            self.runs,
            table(&headings, reports.iter().map(row)),
            match right == reports.len() {
                true => format!("All {right} answers agree with the sequential oracles."),
                false => format!("{right} of {} answers agree with the sequential oracles.", reports.len()),
            },
        )
    }
}

impl Results {
    /// Measures an algorithm with every strategy.
    fn add<T: Task>(&mut self, bench: &Bench<'_>, config: &T::Config) -> anyhow::Result<()> {
        for strategy in STRATEGIES {
            let measured = bench.measure::<T>(&T::with_strategy(config, strategy.name))?;
            if let Err(wrong) = measured.verdict(bench.graph) {
                self.wrong.get_or_insert(wrong.into());
            }
            self.reports.push(measured.report);
        }
        Ok(())
    }
}

fn row(report: &Report) -> Vec<String> {
    vec![
        report.graph.name.clone(),
        grouped(report.graph.nodes.into()),
        grouped(report.graph.edges.into()),
        report.algorithm.to_owned(),
        report.strategy.clone(),
        time(report.median.total_ms),
        rate(report.mteps),
        grouped(report.median.iterations.into()),
        if report.valid == Some(true) { "✓" } else { "✗" }.to_owned(),
    ]
}

const NEXT: &str = "\
What to try next:
  evenkeel demo --scale 20                    larger graphs
  evenkeel devices                            other devices
  evenkeel info GRAPH                         what a graph looks like: a file, or a generator such as rmat:scale=18
  evenkeel sssp GRAPH --validate --profile    shortest paths, checked, with a table by kernel
";
