//! PageRank (Page, Brin, Motwani and Winograd 1999) by LDBC Graphalytics' rule: a fixed number of iterations, and the rank of
//! a node that no edge leaves goes to all nodes alike. A gather over the rows of the transposed graph, in single precision,
//! under any schedule; all iterations are recorded, and the host looks at none.

use super::{
    Algorithm, Run,
    pull::{Pull, PullSize},
};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recorder, Recording},
    engine::schedule::{self, AUTO, Choice, Extent, PAPER, Room, Schedule},
    graph::Csr,
    strategy::DeviceGraph,
};
use evenkeel_kernels::algorithm::pagerank::{RankGather, RankJoin, RankStart, RankUpdate};
use evenkeel_types::{LengthParams, ProductParams, RankParams};
use std::time::Instant;

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "pagerank", summary: "the rank of every node: how likely a random walk is to be there" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, clap::Args, serde::Serialize)]
pub struct PageRankConfig {
    /// Who does which part: a schedule's name, group-mapped:SIZE, or auto, which looks at the rows
    #[arg(long, value_name = "NAME", default_value = AUTO, value_parser = schedule::known)]
    pub schedule: String,
    /// How likely a walk is to follow an edge rather than to begin anew: from 0 to 1
    #[arg(long, value_name = "D", default_value_t = DAMPING, value_parser = known_damping)]
    pub damping: f64,
    /// How many iterations
    #[arg(long, value_name = "N", default_value_t = ITERATIONS, value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
}

/// The damping unless another is asked for.
pub const DAMPING: f64 = 0.85;
/// The iterations unless others are asked for.
pub const ITERATIONS: u32 = 20;

/// The damping that a text names: for the command line.
///
/// # Errors
/// When it is no number from 0 to 1.
pub fn known_damping(text: &str) -> Result<f64> {
    let damping = text.parse().ok().filter(|damping| (0.0..=1.0).contains(damping));
    damping.ok_or_else(|| Error::Usage(format!("'{text}' is no damping: a number from 0 to 1 belongs here")))
}

impl Default for PageRankConfig {
    fn default() -> Self {
        Self { schedule: AUTO.to_owned(), damping: DAMPING, iterations: ITERATIONS }
    }
}

/// Ranks that are ready to be computed on one graph.
pub struct PageRank {
    device: Device,
    ranks: Buffer<f32>,
    iterations: u32,
    first: Recording,
    /// A whole batch, and how often it is run.
    more: Option<(Recording, u32)>,
}

/// The most iterations in one recording. Each takes up to five dispatches, and a submission costs less than one.
const BATCH: u32 = 64;

impl PageRank {
    /// The most device memory it can need, the graph included. Which schedule `auto` takes, and which rows are long, is known
    /// only when the graph has been transposed.
    ///
    /// # Errors
    /// When the schedule is not known.
    pub fn plan(csr: &Csr, config: &PageRankConfig) -> Result<MemoryPlan> {
        let most = |schedule| plan(PullSize::most(csr, schedule), schedule);
        if ![AUTO, PAPER].contains(&config.schedule.as_str()) {
            return Ok(most(config.schedule.parse::<Choice>()?.schedule));
        }
        let (alike, skewed) = (most(Schedule::ThreadMapped), most(Schedule::NonzeroSplit));
        Ok(if alike.bytes() > skewed.bytes() { alike } else { skewed })
    }

    /// Transposes the graph, copies it to the device and records the iterations. Weights do not matter.
    ///
    /// # Errors
    /// When the schedule is not known, the damping is not from 0 to 1, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &PageRankConfig) -> Result<Self> {
        known_damping(&config.damping.to_string())?;
        let whole = Pull::of(csr)?;
        let choice = Choice::for_rows(&config.schedule, &whole.matrix, device)?;
        let pull = whole.cut_for(choice.schedule);
        device.admit(&plan(pull.size(), choice.schedule))?;
        let state = State::new(device, &pull, choice, config)?;
        let batch = |start: bool, length: u32| {
            device.record(&format!("pagerank {choice}, {length} iterations"), |recorder| {
                if start {
                    state.record_start(recorder);
                }
                (1..=length).for_each(|number| state.record_iteration(recorder, number == length));
            })
        };
        let (batches, rest) = (config.iterations / BATCH, config.iterations % BATCH);
        let more = if batches > 0 { Some((batch(false, BATCH)?, batches)) } else { None };
        let first = batch(true, rest)?;
        Ok(Self { device: device.clone(), ranks: state.ranks, iterations: config.iterations, first, more })
    }

    /// Computes the ranks, from all nodes alike.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self) -> Result<Run> {
        let begin = Instant::now();
        let mut kernel = self.first.run()?;
        if let Some((batch, times)) = &mut self.more {
            for _ in 0..*times {
                kernel += batch.run()?;
            }
        }
        Ok(Run { total: begin.elapsed(), kernel, iterations: self.iterations })
    }

    /// The ranks found by the last run; they add up to 1.
    ///
    /// # Errors
    /// When the device fails.
    pub fn ranks(&self) -> Result<Vec<f32>> {
        self.device.download(&self.ranks)
    }
}

fn plan(size: PullSize, schedule: Schedule) -> MemoryPlan {
    MemoryPlan::new()
        .with::<u32>("row offsets", size.rows + 1)
        .with::<u32>("columns", size.entries)
        .with::<[u32; 3]>("cuts", size.cuts)
        .with::<f32>("factors", size.nodes)
        .with::<f32>("shares", size.nodes)
        .with::<f32>("ranks", size.nodes)
        .with::<f32>("sums", size.rows)
        .and(Room::<f32>::plan_gather(schedule, Extent::new(size.rows, size.entries)))
}

/// What an iteration reads and writes.
struct State {
    choice: Choice,
    params: RankParams,
    graph: DeviceGraph,
    cuts: Buffer<u32>,
    factors: Buffer<f32>,
    shares: Buffer<f32>,
    sums: Buffer<f32>,
    ranks: Buffer<f32>,
    room: Room<f32>,
}

impl State {
    fn new(device: &Device, pull: &Pull, choice: Choice, config: &PageRankConfig) -> Result<Self> {
        let PullSize { nodes, rows, entries, .. } = pull.size();
        let extent = Extent::new(rows, entries);
        let graph = DeviceGraph::upload(device, &pull.matrix)?;
        let (all, damping) = (nodes as f64, config.damping);
        let params = RankParams {
            nodes: nodes as u32,
            start: (1.0 / all) as f32,
            teleport: ((1.0 - damping) / all) as f32,
            damping: damping as f32,
            spread: (damping / all) as f32,
            last: 0,
        };
        Ok(Self {
            choice,
            params,
            room: Room::gather(device, choice.schedule, &graph.row_offsets, extent)?,
            graph,
            cuts: device.buffer_from("cuts", pull.cuts.as_flattened())?,
            factors: device.buffer_from("factors", &pull.factors)?,
            shares: device.buffer("shares", nodes)?,
            sums: device.buffer("sums", rows)?,
            ranks: device.buffer("ranks", nodes)?,
        })
    }

    fn record_start(&self, recorder: &mut Recorder) {
        recorder.label("start");
        let start = RankStart { factors: &self.factors, shares: &self.shares, ranks: &self.ranks };
        recorder.dispatch(&start, self.params, self.ranks.len());
    }

    fn record_iteration(&self, recorder: &mut Recorder, last: bool) {
        recorder.label("iteration");
        let gather = RankGather {
            schedule: self.choice.schedule,
            row_offsets: &self.graph.row_offsets,
            columns: &self.graph.columns,
            shares: &self.shares,
            sums: &self.sums,
            scratch: &self.room.scratch,
        };
        let rows = self.graph.nodes();
        self.room.record_gather(recorder, self.choice, &gather, |schedule| ProductParams { rows, schedule });
        let cuts = self.cuts.len() / 3;
        if cuts > 0 {
            let join = RankJoin { cuts: &self.cuts, sums: &self.sums };
            recorder.dispatch(&join, LengthParams { length: cuts as u32 }, cuts);
        }
        let update = RankUpdate { sums: &self.sums, factors: &self.factors, shares: &self.shares, ranks: &self.ranks };
        let params = RankParams { last: last.into(), ..self.params };
        recorder.dispatch(&update, params, self.ranks.len());
    }
}
