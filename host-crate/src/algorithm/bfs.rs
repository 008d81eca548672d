//! Breadth-first search: the depth of every node, that is, the fewest edges from the source, and on request a parent of each.

use super::{Algorithm, Run};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recording},
    graph::{Csr, statistics::Skew},
    strategy::{self, DeviceGraph, DeviceLoop, Strategy, Traversal, Tuning},
};
use evenkeel_kernels::{algorithm::bfs::BfsParents, operator::Operator};
use evenkeel_types::{TraversalParams, UNREACHED};
use std::{cell::OnceCell, time::Instant};

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "bfs", summary: "breadth-first search: the depth of every node, and parents on request" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct BfsConfig {
    /// How edges are handed to invocations: a name from `evenkeel strategies`.
    #[arg(long, value_name = "NAME", default_value = strategy::AUTO, value_parser = known_strategy)]
    pub strategy: String,
    /// Find a parent of every node too.
    #[arg(long)]
    pub parents: bool,
    /// What to change about the strategy.
    #[command(flatten)]
    #[serde(flatten)]
    pub tuning: Tuning,
}

/// That name, if a strategy has it that bfs can take: for the command line.
///
/// # Errors
/// As for [`strategy::by_name`].
pub fn known_strategy(name: &str) -> Result<String> {
    strategy::by_name(Operator::Bfs, name).map(|strategy| strategy.name.to_owned())
}

impl Default for BfsConfig {
    fn default() -> Self {
        Self { strategy: strategy::AUTO.to_owned(), parents: false, tuning: Tuning::default() }
    }
}

/// A search that is ready to run on one graph, from any source.
pub struct Bfs {
    device: Device,
    depths: Buffer<u32>,
    source: Buffer<u32>,
    traversal: DeviceLoop,
    parents: Option<Parents>,
}

struct Parents {
    parents: Buffer<u32>,
    recording: Recording,
}

impl Bfs {
    /// The device memory it needs, the graph included.
    ///
    /// # Errors
    /// When the strategy is not known, or does not read what was tuned.
    pub fn plan(csr: &Csr, config: &BfsConfig) -> Result<MemoryPlan> {
        let plan = plan_with(csr, strategy::by_name(Operator::Bfs, &config.strategy)?, &config.tuning)?;
        Ok(if config.parents { plan.with::<u32>("parents", csr.nodes() as usize) } else { plan })
    }

    /// Copies the graph to the device and records the search.
    ///
    /// # Errors
    /// When the strategy is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &BfsConfig) -> Result<Self> {
        strategy::refuse_unending_rows(device, csr)?;
        device.admit(&Self::plan(csr, config)?)?;
        let traversal = traversal(device, csr, config.tuning)?;
        let parents = if config.parents { Some(Parents::record(device, &traversal)?) } else { None };
        Ok(Self {
            device: device.clone(),
            traversal: strategy::by_name(Operator::Bfs, &config.strategy)?.record(device, &traversal)?,
            depths: traversal.values,
            source: traversal.source,
            parents,
        })
    }

    /// Searches from node `source`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self, source: u32) -> Result<Run> {
        self.device.upload(&self.source, 0, &[source])?;
        let mut run = Run::from(self.traversal.run()?);
        if let Some(parents) = &mut self.parents {
            let begin = Instant::now();
            run.kernel += parents.recording.run()?;
            run.total += begin.elapsed();
        }
        Ok(run)
    }

    /// The depths found by the last run, [`UNREACHED`] for nodes it did not reach.
    ///
    /// # Errors
    /// When the device fails.
    pub fn depths(&self) -> Result<Vec<u32>> {
        self.device.download(&self.depths)
    }

    /// The parents found by the last run, if they were asked for; [`UNREACHED`] for the source and for nodes not reached.
    ///
    /// # Errors
    /// When the device fails.
    pub fn parents(&self) -> Result<Option<Vec<u32>>> {
        self.parents.as_ref().map(|parents| self.device.download(&parents.parents)).transpose()
    }
}

/// The memory of a search without parents.
pub(crate) fn plan_with(csr: &Csr, strategy: &Strategy, tuning: &Tuning) -> Result<MemoryPlan> {
    let plan = DeviceGraph::plan(csr).with::<u32>("depths", csr.nodes() as usize);
    Ok(plan.and(strategy.plan(csr, Operator::Bfs, tuning)?))
}

/// Copies the graph to the device, and makes what a search writes.
pub(crate) fn traversal(device: &Device, csr: &Csr, tuning: Tuning) -> Result<Traversal> {
    Ok(Traversal {
        operator: Operator::Bfs,
        graph: DeviceGraph::upload(device, csr)?,
        weights: device.buffer("no weights", 1)?,
        values: device.buffer("depths", csr.nodes() as usize)?,
        marks: device.buffer("no marks", 1)?,
        source: device.buffer("source", 1)?,
        tuning,
        skew: Skew::of(csr),
        csr: csr.clone(),
        symmetric: OnceCell::new(),
    })
}

impl Parents {
    fn record(device: &Device, traversal: &Traversal) -> Result<Self> {
        let (graph, nodes) = (&traversal.graph, traversal.graph.nodes());
        let parents = device.buffer("parents", nodes as usize)?;
        let params = TraversalParams { nodes, max_groups: device.info().max_groups };
        let step = BfsParents {
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            depths: &traversal.values,
            parents: &parents,
        };
        let recording = device.record("bfs parents", |recorder| {
            recorder.fill(&parents, UNREACHED);
            recorder.dispatch(&step, params, nodes as usize);
        })?;
        Ok(Self { parents, recording })
    }
}
