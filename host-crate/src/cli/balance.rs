//! `evenkeel balance`: runs an algorithm with each strategy on the CPU device with its atoms counted, and says how evenly they
//! were shared out. It answers for a user's own graph why a strategy is fast or slow on a GPU.

use super::{
    options::{GraphOptions, WeightOptions, weigh},
    output::{Output, is_standard, print},
    progress::while_showing,
};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{Bfs, BfsConfig, Source, Spmv, SpmvConfig, Sssp, SsspConfig, spmv::random_vector},
    device::Device,
    engine::schedule::{self, Schedule},
    graph::{Csr, weights::WeightSource},
    report::{
        GraphReport,
        balance::{BalanceReport, StrategyBalance},
    },
    strategy::{self, Operator},
};
use std::path::PathBuf;

/// What stands for every strategy.
const ALL: &str = "all";

/// An algorithm whose balance can be seen.
struct Counted {
    name: &'static str,
    /// Whether edges' weights matter to it.
    weighted: bool,
    /// Whether it begins at a node.
    sourced: bool,
    strategies: fn() -> Vec<String>,
    /// The name as it is registered, if it is.
    known: fn(&str) -> Result<String>,
    /// Runs it once with a strategy, from a node.
    run: fn(&Device, &Csr, &str, u32) -> Result<()>,
}

const COUNTED: &[Counted] = &[
    Counted {
        name: "bfs",
        weighted: false,
        sourced: true,
        strategies: || traversal_strategies(Operator::Bfs),
        known: |name| known_strategy(Operator::Bfs, name),
        run: |device, csr, strategy, source| {
            let config = BfsConfig { strategy: strategy.to_owned(), ..BfsConfig::default() };
            Bfs::prepare(device, csr, &config)?.run(source).map(|_| ())
        },
    },
    Counted {
        name: "sssp",
        weighted: true,
        sourced: true,
        strategies: || traversal_strategies(Operator::SsspU32),
        known: |name| known_strategy(Operator::SsspU32, name),
        run: |device, csr, strategy, source| {
            let config = SsspConfig { strategy: strategy.to_owned(), ..SsspConfig::default() };
            Sssp::prepare(device, csr, &config)?.run(source).map(|_| ())
        },
    },
    Counted {
        name: "spmv",
        weighted: true,
        sourced: false,
        strategies: || Schedule::ALL.iter().map(|schedule| schedule.name().to_owned()).collect(),
        known: schedule::known,
        run: |device, csr, strategy, _| {
            let x = random_vector(csr.nodes() as usize, 0);
            let config = SpmvConfig { schedule: strategy.to_owned(), ..SpmvConfig::default() };
            let mut spmv = Spmv::prepare(device, csr, &config)?;
            spmv.load(&x)?;
            spmv.run().map(|_| ())
        },
    },
];

fn traversal_strategies(operator: Operator) -> Vec<String> {
    strategy::counted(operator).map(|strategy| strategy.name.to_owned()).collect()
}

fn known_strategy(operator: Operator, name: &str) -> Result<String> {
    let known = traversal_strategies(operator);
    match known.iter().any(|strategy| strategy == name) {
        true => Ok(name.to_owned()),
        false => Err(Error::UnknownName { kind: "strategy", name: name.to_owned(), known }),
    }
}

/// Count how many edges each invocation, group of lanes and workgroup takes, and show how even that is.
#[derive(Args)]
pub struct Balance {
    /// bfs, sssp or spmv.
    #[arg(value_parser = by_name)]
    algorithm: &'static Counted,
    #[command(flatten)]
    graph: GraphOptions,
    /// Which strategies, with commas between them; for spmv these are schedules.
    #[arg(long, value_name = "NAMES", default_value = ALL, value_delimiter = ',')]
    strategies: Vec<String>,
    /// How many neighbouring invocations run in step: the subgroup size of the GPU you have in mind.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=256))]
    lanes: u32,
    /// The node to begin at: its id in the file, max-degree, or random:SEED [default: max-degree].
    #[arg(long, value_name = "NODE", value_parser = str::parse::<Source>)]
    source: Option<Source>,
    #[command(flatten)]
    weights: WeightOptions,
    /// Write all that was counted, each dispatch included, as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn by_name(name: &str) -> Result<&'static Counted> {
    COUNTED.iter().find(|algorithm| algorithm.name == name).ok_or_else(|| Error::UnknownName {
        kind: "algorithm",
        name: name.to_owned(),
        known: COUNTED.iter().map(|algorithm| algorithm.name.to_owned()).collect(),
    })
}

impl Balance {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let (strategies, weights) = (self.strategies()?, self.weights()?);
        let output = Output::create_if(self.json.as_deref())?;
        let (mut graph, built) = self.graph.find()?.load()?;
        weigh(&mut graph, weights)?;
        let source = self.source()?.map(|source| source.find(&graph)).transpose()?;
        let count = |strategy: String| self.count(&graph.csr, strategy, source.unwrap_or(0));
        let report = BalanceReport {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(&graph, &built),
            algorithm: self.algorithm.name,
            source: source.map(|node| graph.ids.id(node)),
            lanes: self.lanes,
            strategies: strategies.into_iter().map(count).collect::<Result<_>>()?,
        };
        if let Some(output) = output {
            output.write_json(&report)?;
        }
        if !quiet && !self.json.as_deref().is_some_and(is_standard) {
            print(&report.to_string())?;
        }
        Ok(())
    }

    /// A device of its own for each, so that a strategy's memory is free again before the next.
    fn count(&self, csr: &Csr, strategy: String, source: u32) -> Result<StrategyBalance> {
        let (device, counters) = Device::counting(self.lanes);
        while_showing(format!("counting {} with strategy {strategy}", self.algorithm.name), || {
            (self.algorithm.run)(&device, csr, &strategy, source)
        })?;
        Ok(StrategyBalance::new(strategy, counters.take()))
    }

    fn strategies(&self) -> Result<Vec<String>> {
        match self.strategies.as_slice() {
            [one] if one == ALL => Ok((self.algorithm.strategies)()),
            names => names.iter().map(|name| (self.algorithm.known)(name)).collect(),
        }
    }

    /// Where it begins; an option that would change nothing is refused.
    fn source(&self) -> Result<Option<Source>> {
        match (self.algorithm.sourced, self.source) {
            (false, None) => Ok(None),
            (false, Some(_)) => {
                Err(Error::Usage(format!("{} begins at no node: leave --source out", self.algorithm.name)))
            }
            (true, source) => Ok(Some(source.unwrap_or(Source::MaxDegree))),
        }
    }

    fn weights(&self) -> Result<WeightSource> {
        match self.weights.source()? {
            WeightSource::File => Ok(WeightSource::File),
            _ if !self.algorithm.weighted => {
                Err(Error::Usage(format!("{} takes no weights: leave --weights out", self.algorithm.name)))
            }
            weights => Ok(weights),
        }
    }
}
