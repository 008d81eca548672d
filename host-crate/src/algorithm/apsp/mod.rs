//! All-pairs shortest paths: the distance of every node from every other, a matrix that stays on the device. Three ways to it:
//! all sources at once along the edges (`sssp`), and two on the dense matrix, in which weights may be negative, too.

mod matrix;
mod record;

pub use matrix::AllPairs;

use super::{Algorithm, Run, sssp};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recording, memory::Bytes},
    graph::{Csr, Weights},
    strategy::{self, AUTO, DeviceGraph, DeviceLoop},
};
use evenkeel_kernels::{algorithm::apsp::Length, memory::UVec4};
use evenkeel_types::{Control, MATRIX_TILE, SPAN};
use record::Job;
use std::time::Instant;

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "apsp", summary: "all-pairs shortest paths: the distance of every node from every other" };

/// A way to all distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Sssp,
    FloydWarshall,
    Blocked,
}

/// The strategies for all pairs: name, where it is from, and what it does.
pub const STRATEGIES: [[&str; 3]; 4] = [
    ["sssp", "Bellman and Ford", "all sources at once, every edge for 128 of them at a time; no negative weights"],
    ["floyd-warshall", "Floyd; Warshall", "a pass over the whole matrix for each node"],
    ["blocked", "Venkataraman et al.", "the same for 64 nodes at a time, in three phases of tiles"],
    [AUTO, "", "sssp where there are few edges, else blocked"],
];

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct ApspConfig {
    /// The way to the distances: sssp, floyd-warshall, blocked or auto, which looks at the density.
    #[arg(long, value_name = "NAME", default_value = AUTO, value_parser = known_strategy)]
    pub strategy: String,
}

impl Default for ApspConfig {
    fn default() -> Self {
        Self { strategy: AUTO.to_owned() }
    }
}

/// That name, if a strategy has it that all pairs can take: for the command line.
///
/// # Errors
/// [`Error::UnknownName`] with the names there are.
pub fn known_strategy(name: &str) -> Result<String> {
    let names = || STRATEGIES.iter().map(|strategy| strategy[0]);
    names().find(|known| *known == name).map(str::to_owned).ok_or_else(|| Error::UnknownName {
        kind: "strategy",
        name: name.to_owned(),
        known: names().map(str::to_owned).collect(),
    })
}

impl ApspConfig {
    fn way(&self, csr: &Csr) -> Result<Way> {
        Ok(match known_strategy(&self.strategy)?.as_str() {
            "sssp" => Way::Sssp,
            "floyd-warshall" => Way::FloydWarshall,
            "blocked" => Way::Blocked,
            _ => choose(csr.nodes(), csr.edges(), is_negative(csr)),
        })
    }
}

/// On an H200 `sssp` and `blocked` take 16 and 24 ms where a node has one in 89 of all nodes for neighbours (4,412 nodes), and 110
/// and 86 ms where it has one in 34 (7,500 nodes).
const SPARSE: f64 = 50.0;

/// The rule of `auto`: edges are less work than the matrix when a node has less than a fiftieth of all nodes for neighbours.
fn choose(nodes: u32, edges: u32, negative: bool) -> Way {
    if !negative && f64::from(edges) * SPARSE < f64::from(nodes) * f64::from(nodes) { Way::Sssp } else { Way::Blocked }
}

/// Words in a row of the matrix, and rows.
fn width(nodes: u32) -> u32 {
    nodes.max(1).next_multiple_of(SPAN)
}

/// The widest matrix whose words can be counted in 32 bits.
const WIDEST: u32 = (1 << 16) - SPAN;

/// All pairs of one graph, ready to run.
pub struct Apsp {
    device: Device,
    csr: Csr,
    length: Length,
    matrix: Buffer<u32>,
    steps: Steps,
}

/// How a run goes.
enum Steps {
    /// Recordings one after the other, which are so many iterations.
    Fixed(Vec<Recording>, u32),
    /// Iterations until no distance falls.
    Loop(DeviceLoop),
}

impl Apsp {
    /// The device memory it needs, the graph and the matrix included.
    ///
    /// # Errors
    /// When the strategy is not known, or the matrix has more distances than can be counted.
    pub fn plan(csr: &Csr, config: &ApspConfig) -> Result<MemoryPlan> {
        let way = config.way(csr)?;
        if csr.nodes() > WIDEST {
            let distances = u64::from(csr.nodes()) * u64::from(csr.nodes());
            return Err(Error::Memory(format!(
                "{} nodes have {distances} distances, {}; the most whose distances can be counted in 32 bits is {WIDEST}",
                csr.nodes(),
                Bytes(4 * distances)
            )));
        }
        Ok(plan(csr.nodes(), csr.columns.len(), way))
    }

    /// The most nodes whose matrix the device has room for, beside as many edges.
    ///
    /// # Errors
    /// When the strategy is not known.
    pub fn most_nodes(device: &Device, csr: &Csr, config: &ApspConfig) -> Result<u32> {
        let way = config.way(csr)?;
        let spans: Vec<u32> = (1..=WIDEST / SPAN).collect();
        let fits = |spans: &u32| device.admit(&plan(spans * SPAN, csr.columns.len(), way)).is_ok();
        Ok(spans.partition_point(fits) as u32 * SPAN)
    }

    /// Copies the graph to the device and records the computation. A graph without weights gets 1 for each edge.
    ///
    /// # Errors
    /// When a weight is negative and the strategy takes none, the strategy is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &ApspConfig) -> Result<Self> {
        strategy::refuse_unending_rows(device, csr)?;
        device.admit(&Self::plan(csr, config)?)?;
        let way = config.way(csr)?;
        if way == Way::Sssp && is_negative(csr) {
            return Err(Error::Graph(
                "the graph has negative weights, which strategy sssp cannot take; blocked and floyd-warshall can"
                    .into(),
            ));
        }
        let (length, width) = (length(csr), width(csr.nodes()) as usize);
        let fours = device.buffer::<UVec4>("distances", width * width / 4)?;
        let job = Job {
            device,
            graph: DeviceGraph::upload(device, csr)?,
            weights: sssp::upload_weights(device, csr)?,
            length,
            words: fours.cast(),
            fours,
        };
        let steps = match way {
            Way::Sssp => Steps::Loop(job.batched()?),
            Way::FloydWarshall => Steps::Fixed(job.floyd_warshall()?, csr.nodes()),
            Way::Blocked => Steps::Fixed(job.blocked()?, csr.nodes().div_ceil(MATRIX_TILE)),
        };
        Ok(Self { device: device.clone(), csr: csr.clone(), length, matrix: job.words, steps })
    }

    /// Computes all distances.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self) -> Result<Run> {
        match &mut self.steps {
            Steps::Loop(iterations) => Ok(iterations.run()?.into()),
            Steps::Fixed(recordings, iterations) => {
                let begin = Instant::now();
                let kernel = recordings.iter_mut().map(Recording::run).sum::<Result<_>>()?;
                Ok(Run { total: begin.elapsed(), kernel, iterations: *iterations })
            }
        }
    }

    /// The distances found by the last run.
    ///
    /// # Errors
    /// When the device fails, a cycle is negative, or a distance does not fit into 32 bits.
    pub fn distances(&self) -> Result<AllPairs> {
        let words = self.device.download(&self.matrix)?;
        AllPairs::from_words(words, width(self.csr.nodes()) as usize, &self.csr, self.length)
    }
}

fn plan(nodes: u32, edges: usize, way: Way) -> MemoryPlan {
    let width = width(nodes) as usize;
    let plan = MemoryPlan::new()
        .with::<u32>("row offsets", nodes as usize + 1)
        .with::<u32>("columns", edges)
        .with::<u32>("weights", edges)
        .with::<u32>("distances", width * width);
    match way {
        Way::Sssp => plan.with::<u32>("marks", marks(nodes)).with::<Control>("control", 1),
        _ => plan,
    }
}

/// One for each node and each piece of its row.
fn marks(nodes: u32) -> usize {
    nodes as usize * (width(nodes) / SPAN) as usize
}

fn is_negative(csr: &Csr) -> bool {
    matches!(&csr.weights, Weights::F32(weights) if weights.iter().any(|weight| *weight < 0.0))
}

/// What distances are: a path has an edge less than there are nodes, each no longer than the longest.
fn length(csr: &Csr) -> Length {
    let longest = csr.weights.range().map_or(1.0, |(_, longest)| longest);
    let furthest = f64::from(csr.nodes().max(2) - 1) * longest;
    match csr.weights {
        Weights::F32(_) => Length::Real,
        _ if furthest < f64::from(Length::Short.unreached()) => Length::Short,
        _ => Length::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_and_sign_decide() {
        assert_eq!(choose(5881, 35_592, false), Way::Sssp, "bitcoin-otc");
        assert_eq!(choose(4412, 217_640, false), Way::Sssp, "faster by edges on an H200");
        assert_eq!(choose(7500, 1_673_348, false), Way::Blocked, "and this by tiles");
        assert_eq!(choose(5881, 35_592, true), Way::Blocked);
        assert_eq!(choose(0, 0, false), Way::Blocked);
    }

    #[test]
    fn a_length_is_chosen_by_the_longest_path_there_could_be() {
        let csr = |weights| Csr { row_offsets: vec![0, 2, 2, 2].into(), columns: vec![1, 2].into(), weights };
        let whole = |longest| length(&csr(Weights::U32(vec![1, longest].into())));
        assert_eq!(length(&csr(Weights::None)), Length::Short);
        assert_eq!(whole(u32::MAX / 4), Length::Short, "2³¹ - 2 at most");
        assert_eq!(whole(u32::MAX / 4 + 1), Length::Whole);
        assert_eq!(length(&csr(Weights::F32(vec![1.0, -1.0].into()))), Length::Real);
    }
}
