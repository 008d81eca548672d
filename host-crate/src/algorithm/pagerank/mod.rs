//! PageRank (Page, Brin, Motwani and Winograd 1999) by LDBC Graphalytics' rule: a fixed number of iterations, and the rank of
//! a node that no edge leaves goes to all nodes alike. A gather over the rows of the transposed graph, in single precision,
//! under any schedule; all iterations are recorded, and the host looks at none.

mod cpu;
mod pull;

use super::prelude::*;
use crate::{device::DeviceKind, oracle::pagerank};
use evenkeel_kernels::{
    algorithm::{
        pagerank::{RankGather, RankJoin, RankParams, RankStart, RankUpdate, Ranks as RankData},
        spmv::ProductParams,
    },
    primitive::LengthParams,
};
use pull::{Pull, PullSize};

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct PageRankConfig {
    /// Who does which part.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub schedule: Configured<PageRank>,
    /// How likely a walk is to follow an edge rather than to begin anew: from 0 to 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", default_value_t = DAMPING, value_parser = known_damping))]
    pub damping: f64,
    /// The number of iterations
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = ITERATIONS))]
    #[cfg_attr(feature = "cli", arg(value_parser = clap::value_parser!(u32).range(1..)))]
    pub iterations: u32,
}

/// The damping unless another is asked for.
const DAMPING: f64 = 0.85;
/// The iterations unless others are asked for.
const ITERATIONS: u32 = 20;

/// The damping that a text names, if it is a number from 0 to 1.
fn known_damping(text: &str) -> Result<f64> {
    let damping = text.parse().ok().filter(|damping| (0.0..=1.0).contains(damping));
    damping.ok_or_else(|| Error::Usage(format!("'{text}' is no damping: a number from 0 to 1 belongs here")))
}

impl Default for PageRankConfig {
    fn default() -> Self {
        Self { schedule: Configured::default(), damping: DAMPING, iterations: ITERATIONS }
    }
}

/// Ranks that are ready to be computed on one graph.
pub struct PageRank {
    session: Session,
    ranks: Buffer<f32>,
    iterations: u32,
    first: Recording,
    /// A whole batch, and how often it is run.
    more: Option<(Recording, u32)>,
    /// The schedule that was taken, where the one that was asked for chooses.
    taken: Option<String>,
}

/// The most iterations in one recording. Each takes up to five dispatches, and a submission costs less than one.
const BATCH: u32 = 64;

/// The rank of each node; the ranks add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks(pub Vec<f32>);

impl Answer for Ranks {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("rank", Values::F32((&self.0).into()))]
    }
}

impl Algorithm for PageRank {
    const NAME: &'static str = "pagerank";
    const SUMMARY: &'static str = "the rank of every node: how likely a random walk is to be there";
    const HELP: &'static str = "\
The rule is LDBC Graphalytics': all nodes begin alike, a node that no edge leaves gives its rank to all, and weights do not \
matter. The output is a line `id rank` for each node; the ranks add up to 1. An answer is right when each rank is within a \
ten-thousandth of its own size of a double-precision reference, as LDBC has it.

Examples:
  evenkeel pagerank rmat:scale=20 --validate
  evenkeel pagerank web.mtx --directed --damping 0.9 --iterations 50 --output ranks.txt
  evenkeel pagerank grid:rows=1024,cols=1024 --schedule merge-path --runs 10 --warmup 2 --profile";
    type Alternative = RowSchedule;
    type Config = PageRankConfig;
    type InputOptions = ();
    type Tables = ();
    type Input = ();
    type Answer = Ranks;
    type Reference = Vec<f64>;

    fn choice(config: &mut PageRankConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input((): &(), _: &Graph, _: &PageRankConfig) -> Result<()> {
        Ok(())
    }

    fn operations(csr: &Csr, config: &PageRankConfig) -> u64 {
        u64::from(config.iterations) * (u64::from(csr.nodes()) + u64::from(csr.edges()))
    }

    /// An upper bound: which rows are long, and which schedule suits them, is known only when the graph has been transposed.
    fn plan(device: &DeviceInfo, csr: &Csr, config: &PageRankConfig) -> Result<MemoryPlan> {
        if is_native(device, config) {
            return Ok(cpu::plan(csr));
        }
        let schedules = match config.schedule.item() {
            RowSchedule::Fixed(choice) => vec![choice.schedule],
            RowSchedule::Auto if device.kind.is_cpu() => vec![Schedule::ThreadMapped],
            RowSchedule::Auto | RowSchedule::Paper => vec![Schedule::ThreadMapped, Schedule::NonzeroSplit],
        };
        let plans = schedules.into_iter().map(|schedule| plan(PullSize::most(csr, schedule), schedule));
        Ok(plans.max_by_key(MemoryPlan::bytes).unwrap_or_default())
    }

    /// The device gets the transposed graph alone.
    fn prepare_on(graph: &SharedGraph, config: &PageRankConfig) -> Result<Self> {
        known_damping(&config.damping.to_string())?;
        let (device, iterations) = (graph.device(), config.iterations);
        if is_native(device.info(), config) {
            let session = Session::open(graph, cpu::plan(graph.csr()))?;
            let ranks = device.buffer("ranks", graph.csr().nodes() as usize)?;
            let first = cpu::record(device, graph.csr(), config, &ranks)?;
            return Ok(Self { session, first, ranks, iterations, more: None, taken: Some(cpu::NAME.to_owned()) });
        }
        let whole = Pull::of(graph.csr())?;
        let choice = config.schedule.item().choose(&whole.matrix, device.info());
        let pull = whole.cut_for(choice.schedule);
        let session = Session::open(graph, plan(pull.size(), choice.schedule))?;
        let ranks = device.buffer("ranks", graph.csr().nodes() as usize)?;
        let steps = Steps::new(device, &pull, choice, config, &ranks)?;
        let batch = |start: bool, length: u32| {
            device.record(&format!("pagerank {choice}, {length} iterations"), |recorder| {
                if start {
                    recorder.label("start");
                    recorder.dispatch(&RankStart { nodes: &steps.nodes }, steps.params, ranks.len());
                }
                (1..=length).for_each(|number| steps.iteration(recorder, number == length));
            })
        };
        let (batches, rest) = (iterations / BATCH, iterations % BATCH);
        let more = if batches > 0 { Some((batch(false, BATCH)?, batches)) } else { None };
        let taken = config.schedule.item().taken(choice);
        Ok(Self { session, first: batch(true, rest)?, ranks, iterations, more, taken })
    }

    fn taken(&self) -> Option<String> {
        self.taken.clone()
    }

    fn memory(&self) -> &MemoryPlan {
        self.session.memory()
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|_| {
            Run::timed(self.iterations, || {
                let mut kernel = self.first.run()?;
                if let Some((batch, times)) = &mut self.more {
                    for _ in 0..*times {
                        kernel += batch.run()?;
                    }
                }
                Ok(kernel)
            })
        })
    }

    fn answer(&self) -> Result<Ranks> {
        self.session.answered()?.device().download(&self.ranks).map(Ranks)
    }

    fn reference(graph: &Graph, (): &(), config: &PageRankConfig) -> Result<Vec<f64>> {
        Ok(pagerank::ranks(&graph.csr, config.damping, config.iterations))
    }

    fn check(found: &Ranks, expected: &Vec<f64>, _: &Graph, (): &()) -> Option<Mismatch> {
        pagerank::first_mismatch(expected, &found.0)
    }

    fn summary(outcome: &Outcome<'_, Self>, show: &Show) -> Summary {
        let columns = outcome.answer.columns();
        let highest = largest(outcome.answer.0.len(), show.top, |node| columns[0].value(node));
        Summary { top: Listing::of_nodes("highest", &columns[0], highest, &outcome.graph.ids), ..Summary::default() }
    }
}

/// Whether the CPU device chooses: it then runs a form of its own.
fn is_native(device: &DeviceInfo, config: &PageRankConfig) -> bool {
    device.kind == DeviceKind::Cpu && *config.schedule.item() == RowSchedule::Auto
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
        .and(ScratchSpace::<f32>::plan_gather(schedule, TileExtent::new(size.rows, size.entries)))
}

/// What an iteration reads and writes.
struct Steps {
    schedule: Schedule,
    params: RankParams,
    graph: DeviceGraph,
    cuts: Buffer<u32>,
    nodes: RankData<Buffers>,
    sums: Buffer<f32>,
    scratch: ScratchSpace<f32>,
}

impl Steps {
    fn new(device: &Device, pull: &Pull, choice: Choice, config: &PageRankConfig, ranks: &Buffer<f32>) -> Result<Self> {
        let graph = DeviceGraph::upload(device, &pull.matrix)?;
        let (all, damping) = (ranks.len() as f64, config.damping);
        Ok(Self {
            schedule: choice.schedule,
            params: RankParams {
                nodes: ranks.len() as u32,
                start: (1.0 / all) as f32,
                teleport: ((1.0 - damping) / all) as f32,
                damping: damping as f32,
                spread: (damping / all) as f32,
                last: 0,
            },
            scratch: ScratchSpace::gather(device, choice, &graph.row_offsets, extent(&pull.matrix))?,
            graph,
            cuts: device.buffer_from("cuts", pull.cuts.as_flattened())?,
            nodes: RankData {
                factors: device.buffer_from("factors", &pull.factors)?,
                shares: device.buffer("shares", ranks.len())?,
                ranks: ranks.clone(),
            },
            sums: device.buffer("sums", pull.size().rows)?,
        })
    }

    fn iteration(&self, recorder: &mut Recorder, last: bool) {
        recorder.label("iteration");
        let Self { schedule, graph, cuts, nodes, sums, scratch, .. } = self;
        let (rows, shares, buffers) = (graph.nodes(), &nodes.shares, &scratch.buffers);
        let gather = RankGather { schedule: *schedule, graph, shares, sums, scratch: buffers };
        scratch.record_gather(recorder, &gather, |schedule| ProductParams { rows, schedule });
        if !cuts.is_empty() {
            let count = cuts.len() / 3;
            recorder.dispatch(&RankJoin { cuts, sums }, LengthParams { length: count as u32 }, count);
        }
        let params = RankParams { last: last.into(), ..self.params };
        recorder.dispatch(&RankUpdate { sums, nodes }, params, nodes.ranks.len());
    }
}
