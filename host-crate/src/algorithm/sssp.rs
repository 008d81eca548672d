//! Single-source shortest paths: the distance of every node, the smallest sum of weights from the source. Weights are whole
//! or real, none negative.

use super::{Algorithm, Run};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan},
    graph::{Csr, Weights, statistics::Skew},
    strategy::{self, DeviceGraph, DeviceLoop, Traversal, Tuning},
};
use evenkeel_kernels::operator::Operator;
use evenkeel_types::UNREACHED;
use std::cell::OnceCell;

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "sssp", summary: "single-source shortest paths: the distance of every node by weighted edges" };

/// For whole weights or for real ones, there are the same strategies.
const OPERATOR: Operator = Operator::SsspU32;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct SsspConfig {
    /// How edges are handed to invocations: a name from `evenkeel strategies`.
    #[arg(long, value_name = "NAME", default_value = strategy::AUTO, value_parser = known_strategy)]
    pub strategy: String,
    /// What to change about the strategy.
    #[command(flatten)]
    #[serde(flatten)]
    pub tuning: Tuning,
}

/// That name, if a strategy has it that sssp can take: for the command line.
///
/// # Errors
/// As for [`strategy::by_name`].
pub fn known_strategy(name: &str) -> Result<String> {
    strategy::by_name(OPERATOR, name).map(|strategy| strategy.name.to_owned())
}

impl Default for SsspConfig {
    fn default() -> Self {
        Self { strategy: strategy::AUTO.to_owned(), tuning: Tuning::default() }
    }
}

/// The distances of all nodes, in the kind of number that the weights are.
#[derive(Clone, Debug, PartialEq)]
pub enum Distances {
    /// Of whole weights; [`UNREACHED`] for nodes not reached.
    U32(Vec<u32>),
    /// Of real weights; infinite for nodes not reached.
    F32(Vec<f32>),
}

/// Shortest paths that are ready to run on one graph, from any source.
pub struct Sssp {
    device: Device,
    csr: Csr,
    distances: Buffer<u32>,
    source: Buffer<u32>,
    traversal: DeviceLoop,
    overflowed: bool,
}

impl Sssp {
    /// The device memory it needs, the graph and its weights included.
    ///
    /// # Errors
    /// When the strategy is not known, or does not read what was tuned.
    pub fn plan(csr: &Csr, config: &SsspConfig) -> Result<MemoryPlan> {
        let nodes = csr.nodes() as usize;
        Ok(DeviceGraph::plan(csr)
            .with::<u32>("weights", csr.columns.len())
            .with::<u32>("distances", nodes)
            .with::<u32>("marks", nodes)
            .and(strategy::by_name(OPERATOR, &config.strategy)?.plan(csr, OPERATOR, &config.tuning)?))
    }

    /// Copies the graph to the device and records the computation. A graph without weights gets 1 for each edge.
    ///
    /// # Errors
    /// When a weight is negative, the strategy is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &SsspConfig) -> Result<Self> {
        refuse_negative(csr)?;
        strategy::refuse_unending_rows(device, csr)?;
        device.admit(&Self::plan(csr, config)?)?;
        let nodes = csr.nodes() as usize;
        let is_real = matches!(csr.weights, Weights::F32(_));
        let traversal = Traversal {
            operator: if is_real { Operator::SsspF32 } else { Operator::SsspU32 },
            graph: DeviceGraph::upload(device, csr)?,
            weights: upload_weights(device, csr)?,
            values: device.buffer("distances", nodes)?,
            marks: device.buffer("marks", nodes)?,
            source: device.buffer("source", 1)?,
            tuning: config.tuning,
            skew: Skew::of(csr),
            csr: csr.clone(),
            symmetric: OnceCell::new(),
        };
        Ok(Self {
            device: device.clone(),
            csr: csr.clone(),
            traversal: strategy::by_name(OPERATOR, &config.strategy)?.record(device, &traversal)?,
            distances: traversal.values,
            source: traversal.source,
            overflowed: false,
        })
    }

    /// Computes the distances from node `source`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self, source: u32) -> Result<Run> {
        self.device.upload(&self.source, 0, &[source])?;
        let run = self.traversal.run()?;
        self.overflowed = run.header.flags != 0;
        Ok(run.into())
    }

    /// The distances found by the last run.
    ///
    /// # Errors
    /// When the device fails, or a node's distance does not fit into 32 bits.
    pub fn distances(&self) -> Result<Distances> {
        let words = self.device.download(&self.distances)?;
        match &self.csr.weights {
            Weights::F32(_) => {
                let real = |word: u32| if word == UNREACHED { f32::INFINITY } else { f32::from_bits(word) };
                Ok(Distances::F32(words.into_iter().map(real).collect()))
            }
            _ if self.overflowed => refuse_overflow(&self.csr, &words).map(|()| Distances::U32(words)),
            _ => Ok(Distances::U32(words)),
        }
    }
}

/// Copies the weights of all edges to the device, the bits of real ones. A graph without weights gets 1 for each edge.
pub(super) fn upload_weights(device: &Device, csr: &Csr) -> Result<Buffer<u32>> {
    match &csr.weights {
        Weights::None => device.buffer_from("weights", &vec![1; csr.columns.len()]),
        Weights::U32(weights) => device.buffer_from("weights", weights),
        Weights::F32(weights) => Ok(device.buffer_from::<f32>("weights", weights)?.cast()),
    }
}

/// A sum may have passed 32 bits. That matters only where a node has no shorter path: where an edge leads from a node that was
/// reached to one that was not.
pub(super) fn refuse_overflow(csr: &Csr, distances: &[u32]) -> Result<()> {
    for node in (0..csr.nodes()).filter(|node| distances[*node as usize] != UNREACHED) {
        if csr.neighbours(node).iter().any(|neighbour| distances[*neighbour as usize] == UNREACHED) {
            return Err(Error::Graph(
                "a shortest path is longer than 4,294,967,294, the most that whole distances hold; \
                 use smaller or real weights"
                    .into(),
            ));
        }
    }
    Ok(())
}

/// Shortest paths are not defined by relaxation alone where a weight is negative.
fn refuse_negative(csr: &Csr) -> Result<()> {
    if let Weights::F32(weights) = &csr.weights
        && let Some(weight) = weights.iter().find(|weight| **weight < 0.0)
    {
        return Err(Error::Graph(format!(
            "the graph has negative weights ({weight} is one), and shortest paths need weights that are not; \
             take --weights unit or --weights random:1..64 instead of the file's"
        )));
    }
    Ok(())
}
