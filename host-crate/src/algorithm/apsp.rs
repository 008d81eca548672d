//! All-pairs shortest paths: the distance of every node from every other, a matrix that stays on the device. Three ways to it:
//! all sources at once along the edges (`sssp`), and two on the dense matrix, in which weights may be negative, too.

use super::{Algorithm, Distances, Run, sssp};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recorder, Recording, memory::Bytes},
    graph::{Csr, Weights},
    strategy::{self, AUTO, DeviceGraph, DeviceLoop},
};
use evenkeel_kernels::{
    apsp::{
        ApspDiagonal, ApspEdges, Length,
        batched::{Batched, BatchedStart},
        blocked::{BlockedCross, BlockedPivot, BlockedRest},
        floyd_warshall::FloydWarshall,
    },
    memory::UVec4,
};
use evenkeel_types::{BatchedParams, Control, MATRIX_TILE, PivotParams, SPAN, UNREACHED, WORKGROUP};
use std::{io, time::Instant};

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

/// A dozen passes over the edges, each at a tenth of the speed of `blocked`, which takes as many steps as there are nodes.
const SPARSE: f64 = 100.0;

/// The rule of `auto`: edges are fewer work than the matrix when a node has less than a hundredth of all nodes for neighbours.
fn choose(nodes: u32, edges: u32, negative: bool) -> Way {
    if !negative && f64::from(edges) * SPARSE < f64::from(nodes) * f64::from(nodes) { Way::Sssp } else { Way::Blocked }
}

/// Words in a row of the matrix, and rows.
fn width(nodes: u32) -> u32 {
    nodes.max(1).next_multiple_of(SPAN)
}

/// The widest matrix whose words can be counted in 32 bits.
const WIDEST: u32 = (1 << 16) - SPAN;

/// The distances of all pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct AllPairs {
    /// How many nodes there are.
    pub nodes: u32,
    /// As many distances from each node, one node after the other.
    pub distances: Distances,
}

impl AllPairs {
    /// What a file of them begins with.
    pub const MAGIC: [u8; 8] = *b"EVKPAIRS";

    /// Writes them for a program: [`Self::MAGIC`], the number of nodes and the kind (0 whole, 1 real) as 32-bit words, then all
    /// distances row by row, `u32` or `f32`; everything little-endian. What is not reached is the largest word, or infinite.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let kind = u32::from(matches!(self.distances, Distances::F32(_)));
        writer.write_all(&Self::MAGIC)?;
        writer.write_all(&[self.nodes.to_le_bytes(), kind.to_le_bytes()].concat())?;
        let words = |words: &mut dyn Iterator<Item = [u8; 4]>| words.flatten().collect::<Vec<u8>>();
        // A row at a time: enough to write in one go, and little to hold.
        let row = (self.nodes as usize).max(1);
        match &self.distances {
            Distances::U32(all) => {
                all.chunks(row).try_for_each(|row| writer.write_all(&words(&mut row.iter().map(|it| it.to_le_bytes()))))
            }
            Distances::F32(all) => {
                all.chunks(row).try_for_each(|row| writer.write_all(&words(&mut row.iter().map(|it| it.to_le_bytes()))))
            }
        }
    }
}

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
        let length = length(csr);
        let fours =
            device.buffer::<UVec4>("distances", width(csr.nodes()) as usize * width(csr.nodes()) as usize / 4)?;
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
        let (nodes, width) = (self.csr.nodes() as usize, width(self.csr.nodes()) as usize);
        let mut words = self.device.download(&self.matrix)?;
        for row in 1..nodes {
            words.copy_within(row * width..row * width + nodes, row * nodes);
        }
        words.truncate(nodes * nodes);
        let distances = if self.length == Length::Real {
            let reals: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
            refuse_negative_cycle(&reals, nodes)?;
            Distances::F32(reals)
        } else {
            if self.length == Length::Short {
                let whole = |word: &mut u32| *word = if *word == self.length.unreached() { UNREACHED } else { *word };
                words.iter_mut().for_each(whole);
            } else {
                words.chunks(nodes.max(1)).try_for_each(|row| sssp::refuse_overflow(&self.csr, row))?;
            }
            Distances::U32(words)
        };
        Ok(AllPairs { nodes: nodes as u32, distances })
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

/// A node from which a walk of negative length leads back is nearer than 0 to itself.
fn refuse_negative_cycle(distances: &[f32], nodes: usize) -> Result<()> {
    // What is no number came of a cycle that was gone round until nothing was left of it but infinity.
    let negative = |node: &usize| distances[node * nodes + node] < 0.0 || distances[node * nodes + node].is_nan();
    match (0..nodes).find(negative) {
        None => Ok(()),
        Some(node) => Err(Error::Graph(format!(
            "there is a negative cycle: a walk from node {node}, counted from 0, back to itself is of length {}, and round \
             again it would be shorter still",
            distances[node * nodes + node]
        ))),
    }
}

/// Nodes, or tiles of them, in one recording: a tenth of a second on an H200 for the largest matrices, and no device is kept
/// from other work for long.
const NODES_AT_A_TIME: u32 = 256;
const TILES_AT_A_TIME: u32 = 16;

/// The most workgroups that share an iteration over the edges: as many as fill a large GPU twice. Each ends with an atomic on
/// the same word, and a hundred thousand of those take longer than the iteration.
const MOST_GROUPS: u32 = 4096;

/// What is recorded of, and on.
struct Job<'a> {
    device: &'a Device,
    graph: DeviceGraph,
    weights: Buffer<u32>,
    length: Length,
    /// The matrix as fours and as words.
    fours: Buffer<UVec4>,
    words: Buffer<u32>,
}

impl Job<'_> {
    fn params(&self, pivot: u32) -> PivotParams {
        let nodes = self.graph.nodes();
        PivotParams { nodes, width: width(nodes), pivot }
    }

    /// Nothing is reached but every node by itself.
    fn clear(&self, recorder: &mut Recorder) {
        recorder.fill(&self.words, self.length.unreached());
        recorder.dispatch(&ApspDiagonal { matrix: &self.words }, self.params(0), self.graph.nodes() as usize);
    }

    /// The matrix of the edges.
    fn start(&self) -> Result<Recording> {
        self.device.record("apsp start", |recorder| {
            recorder.label("start");
            self.clear(recorder);
            let edges = ApspEdges {
                length: self.length,
                row_offsets: &self.graph.row_offsets,
                columns: &self.graph.columns,
                weights: &self.weights,
                matrix: &self.words,
            };
            recorder.dispatch(&edges, self.params(0), workgroups(self.graph.nodes()));
        })
    }

    /// Records the matrix of the edges and then `step` for each of so many pivots.
    fn dense(
        &self,
        name: &str,
        pivots: u32,
        at_a_time: u32,
        step: impl Fn(&mut Recorder, u32),
    ) -> Result<Vec<Recording>> {
        let mut recordings = vec![self.start()?];
        for first in (0..pivots).step_by(at_a_time as usize) {
            let last = pivots.min(first + at_a_time);
            let recording = self.device.record(&format!("apsp {name}, {first} to {}", last - 1), |recorder| {
                recorder.label(name);
                (first..last).for_each(|pivot| step(recorder, pivot));
            });
            recordings.push(recording?);
        }
        Ok(recordings)
    }

    fn floyd_warshall(&self) -> Result<Vec<Recording>> {
        let nodes = self.graph.nodes();
        let step = FloydWarshall { length: self.length, matrix: &self.words };
        self.dense("floyd-warshall", nodes, NODES_AT_A_TIME, |recorder, pivot| {
            recorder.dispatch(&step, self.params(pivot), workgroups(nodes));
        })
    }

    fn blocked(&self) -> Result<Vec<Recording>> {
        let (nodes, length) = (self.graph.nodes(), self.length);
        let (tiles, spans) = (width(nodes) / MATRIX_TILE, width(nodes) / SPAN);
        let pivot_tile = BlockedPivot { length, matrix: &self.words };
        let cross = BlockedCross { length, matrix: &self.fours };
        let rest = BlockedRest { length, matrix: &self.fours };
        self.dense("blocked", nodes.div_ceil(MATRIX_TILE), TILES_AT_A_TIME, |recorder, pivot| {
            recorder.dispatch(&pivot_tile, self.params(pivot), workgroups(1));
            recorder.dispatch(&cross, self.params(pivot), workgroups(2 * tiles));
            recorder.dispatch(&rest, self.params(pivot), workgroups(spans * spans));
        })
    }

    fn batched(&self) -> Result<DeviceLoop> {
        let (device, nodes) = (self.device, self.graph.nodes());
        let marks = device.buffer("marks", marks(nodes))?;
        let control = device.buffer::<Control>("control", 1)?;
        let words = control.cast();
        let params = BatchedParams { nodes, width: width(nodes), groups: (marks.len() as u32).min(MOST_GROUPS) };
        let step = Batched {
            length: self.length,
            row_offsets: &self.graph.row_offsets,
            columns: &self.graph.columns,
            weights: &self.weights,
            matrix: &self.words,
            marks: &marks,
            control: &words,
        };
        let start = |recorder: &mut Recorder| {
            self.clear(recorder);
            recorder.fill(&marks, 0);
            recorder.dispatch(&BatchedStart { marks: &marks, control: &words }, params, nodes as usize);
        };
        DeviceLoop::record(device, "apsp sssp", &control, start, |recorder, _| {
            recorder.dispatch_indirect(&step, params, &control, Control::GROUPS);
        })
    }
}

/// The invocations of so many workgroups, as a dispatch counts.
fn workgroups(count: u32) -> usize {
    count as usize * WORKGROUP as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_and_sign_decide() {
        assert_eq!(choose(5881, 35_592, false), Way::Sssp, "bitcoin-otc");
        assert_eq!(choose(4039, 176_468, false), Way::Blocked, "ego-Facebook");
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

    #[test]
    fn a_file_says_what_is_in_it() {
        let mut written = Vec::new();
        AllPairs { nodes: 2, distances: Distances::U32(vec![0, 7, u32::MAX, 0]) }.write(&mut written).unwrap();
        let words = [2u32, 0, 0, 7, u32::MAX, 0].map(u32::to_le_bytes).concat();
        assert_eq!(written, [&b"EVKPAIRS"[..], &words].concat());
        written.clear();
        AllPairs { nodes: 1, distances: Distances::F32(vec![0.5]) }.write(&mut written).unwrap();
        assert_eq!(written[12..], [[1, 0, 0, 0], 0.5f32.to_le_bytes()].concat());
    }
}
