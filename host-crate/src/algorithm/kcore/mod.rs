//! Core numbers: the largest k for which a node is in the k-core, the largest part of the graph in which every node has at least k
//! neighbours. The numbers are the same on every device, every time, whatever the order in which nodes are taken away.

mod cpu;
mod record;
pub mod strategy;

use super::{
    prelude::*,
    undirected::{simple, warn_of_self_loops},
};
use crate::engine::{partition, partitions_said};
use evenkeel_kernels::algorithm::kcore::NOT_PEELED;
use std::ops::RangeInclusive;
use strategy::Method;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KCoreConfig {
    /// How core numbers are found.
    pub strategy: Configured<KCore>,
    /// Find the K-core alone, from 1 on: whether each node is in it
    pub k: Option<u32>,
}

impl Settings for KCoreConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let (mut keys, reported) = (self.strategy.keys(), serde_json::json!(self.k));
        let k = Key::optional("k", "Find the K-core alone, from 1 on: whether each node is in it", "", &mut self.k);
        keys.push(k.within(1, u32::MAX).placeholder("K").reported_as(Some(reported)));
        keys
    }
}

/// A graph whose core numbers are ready to be found.
pub struct KCore {
    session: Session,
    k: Option<u32>,
    cores: Buffer<u32>,
    whole: DeviceLoop,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores {
    /// The core that was asked for, if it was one.
    pub k: Option<u32>,
    /// The core number of each node; where one core was asked for, 1 for the nodes in it and 0 for the others.
    pub nodes: Vec<u32>,
}

impl Answer for Cores {
    fn columns(&self) -> Vec<Column<'_>> {
        let name = if self.k.is_some() { "in_core" } else { "core" };
        vec![Column::new(name, Values::U32((&self.nodes).into()))]
    }
}

impl Cores {
    /// Makes the answer of the core numbers, among which the largest number stands for those that were not needed.
    fn new(cores: Vec<u32>, k: Option<u32>) -> Self {
        let nodes = match k {
            Some(k) => cores.into_iter().map(|core| u32::from(core >= k)).collect(),
            None => cores,
        };
        Self { k, nodes }
    }
}

/// The levels at which nodes are taken away: for one core, those of too few neighbours for it.
fn levels(k: Option<u32>) -> Result<RangeInclusive<u32>> {
    match k {
        // The largest number stands for a node that has no core number.
        None => Ok(0..=NOT_PEELED - 1),
        Some(0) => Err(Error::Usage("every node is in the 0-core: take a core from 1 on".into())),
        Some(k) => Ok(k - 1..=k - 1),
    }
}

/// How core numbers are found, unless the graph has several partitions and they cannot be found in these.
fn method(device: &DeviceInfo, csr: &Csr, config: &KCoreConfig) -> Result<Method> {
    let count = partition(device, csr).list().len();
    match config.strategy.item().on(device)?.choose(device.kind) {
        Method::HIndex if count > 1 => Err(Error::Unsupported(format!(
            "{}, and strategy h-index takes only one; take one of peel, auto",
            partitions_said(device, count)
        ))),
        method => Ok(method),
    }
}

impl Algorithm for KCore {
    const ABOUT: Description = Description {
        name: "kcore",
        summary: "the core number of every node, or the k-core",
        help: "\
The k-core is the largest part of a graph in which every node has at least k neighbours; a node's core number is the largest k for \
which it is in the k-core. Edges are taken both ways, edges from a node to itself are ignored, and parallel edges count once. The \
output is a line `id core` for each node; with --k K it is `id in_core`, which is 1 for the nodes of the K-core and 0 for the others, \
and takes less time. The numbers are the same on every device, every time.

Examples:
  evenkeel kcore rmat:scale=20 --validate
  evenkeel kcore friends.csv --output cores.csv
  evenkeel kcore rmat:scale=20 --k 100 --output -
  evenkeel compare kcore rmat:scale=14 --strategies peel,h-index,auto",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = KCoreConfig;
    type Input = ();
    type Answer = Cores;
    type Reference = Cores;

    /// Edges from a node to itself are ignored; an edge without its reverse is an error.
    fn build(graph: &SharedGraph, config: &KCoreConfig) -> Result<Self> {
        let (device, name) = (graph.device(), format!("kcore {}", config.strategy));
        let levels = levels(config.k)?;
        let method = method(device.info(), graph.csr(), config)?;
        let session = Session::new(graph)?;
        let graph = graph.derived("simple", || Ok(simple(graph.csr(), "cores are")?.into_owned()))?;
        let cores = device.buffer("cores", graph.csr().nodes() as usize)?;
        let whole = match method {
            Method::PeelCpu => cpu::record(device, &name, graph.csr(), &cores, levels)?,
            Method::HIndex => record::record_h_index(device, &name, graph.csr(), graph.rows()?, &cores)?,
            Method::Peel | Method::Auto => record::record_peel(device, &name, graph.partitions()?, &cores, levels)?,
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        Ok(Self { session, k: config.k, cores, whole })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|_| Ok(self.whole.run()?.into()))
    }

    fn answer(&self) -> Result<Cores> {
        Ok(Cores::new(self.session.answered()?.device().download(&self.cores)?, self.k))
    }

    fn reference(graph: &Graph, (): &(), config: &KCoreConfig) -> Result<Cores> {
        Ok(Cores::new(oracle::kcore::cores(&graph.csr), config.k))
    }

    fn check(found: &Cores, expected: &Cores, _: &Graph, (): &()) -> Option<Mismatch> {
        oracle::first_mismatch(&expected.nodes, &found.nodes)
    }
}

impl FrontEnd for KCore {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut KCoreConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn is_undirected(_: &KCoreConfig) -> bool {
        true
    }

    /// Warns of edges that are going to be ignored.
    fn input((): &(), graph: &Graph, _: &KCoreConfig) -> Result<()> {
        warn_of_self_loops(graph);
        Ok(())
    }
}
