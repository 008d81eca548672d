//! PageRank (Page, Brin, Motwani and Winograd 1999) by LDBC Graphalytics' rule: a fixed number of iterations, and the rank of
//! a node that no edge leaves goes to all nodes alike. Also until the ranks change little, as the GAP Benchmark Suite has it, and personalised, with
//! seeds that get what would go to all. A gather over the rows of the transposed graph, under any schedule.

mod blocks;
mod chunk_ranges;
mod cpu;
mod kernels;
pub(crate) mod pull;
#[cfg(feature = "cluster")]
mod rows;
mod seeds;

pub use seeds::{SeedOptions, Seeds};
#[cfg(feature = "cluster")]
pub(crate) use {cpu::Number, rows::RowRanks};

use super::{Precision, Reorder, prelude::*, reorder};
use crate::{
    engine::Layout,
    graph::NodeOrder,
    numerals::counted,
    oracle::pagerank,
    settings::{self, Configurable},
    strategy::About,
};
use evenkeel_kernels::algorithm::pagerank::blocks::PLACES;
use pull::Pull;
use rayon::prelude::*;
use std::sync::Arc;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRankConfig {
    /// Who does which part.
    pub schedule: Configured<PageRank>,
    /// How likely a walk is to follow an edge rather than to begin anew: from 0 to 1
    pub damping: f64,
    /// The number of iterations; with --tolerance the most there are
    pub iterations: u32,
    /// Stop after an iteration in which the ranks together change by less than this
    pub tolerance: Option<f64>,
    /// The numbers that ranks are computed with; double needs a device that has them
    pub precision: Precision,
    /// In which order the device keeps nodes: by degree the ranks that are read most stay in the caches
    pub reorder: Reorder,
}

impl Settings for PageRankConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, damping, iterations, tolerance, precision, reorder } = self;
        let mut keys = schedule.keys();
        let about = "How likely a walk is to follow an edge rather than to begin anew: from 0 to 1";
        let reported = Some(*damping);
        keys.push(Key::option("damping", about, damping).within(0, 1).placeholder("D").reported_as(reported));
        let about = "The number of iterations; with the setting `tolerance` the most there are";
        keys.push(Key::option("iterations", about, iterations).within(1, u32::MAX).placeholder("N"));
        let about = "Stop after an iteration in which the ranks together change by less than this";
        let reported = *tolerance;
        keys.push(Key::optional("tolerance", about, "", tolerance).above(0).placeholder("EPS").reported_as(reported));
        let about = "The numbers that ranks are computed with; double needs a device that has them";
        keys.push(Key::choice("precision", about, precision).placeholder("NAME"));
        let about = "In which order the device keeps nodes: by degree the ranks that are read most stay in the caches";
        keys.push(Key::choice("reorder", about, reorder).placeholder("NAME"));
        keys
    }
}

/// How the shares that a node gets are added up: under a schedule, or by the threads of the CPU device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankSchedule {
    /// By kernels.
    Rows(RowSchedule),
    /// By threads.
    PullCpu,
}

const PULL_CPU: About =
    About::cpu_only("pull-cpu", "", "threads add up rows, and make each rank the next share at once");

impl RankSchedule {
    /// The schedule of the kernels.
    pub(crate) fn rows(self) -> RowSchedule {
        match self {
            Self::Rows(schedule) => schedule,
            Self::PullCpu => RowSchedule::Auto,
        }
    }

    fn is_native(self, device: &DeviceInfo) -> bool {
        self == Self::PullCpu || self == Self::default() && device.kind == DeviceKind::Cpu
    }
}

impl Default for RankSchedule {
    fn default() -> Self {
        Self::Rows(RowSchedule::Auto)
    }
}

impl Configurable for RankSchedule {
    fn name(&self) -> &'static str {
        self.about().name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        match self {
            Self::Rows(schedule) => schedule.keys(),
            Self::PullCpu => Vec::new(),
        }
    }
}

impl Selectable for RankSchedule {
    const KIND: &'static str = RowSchedule::KIND;
    const HELP: &'static str = <RowSchedule as Selectable>::HELP;
    const NOTE: &'static str = RowSchedule::NOTE;

    fn all() -> Vec<Self> {
        RowSchedule::all().into_iter().map(Self::Rows).chain([Self::PullCpu]).collect()
    }

    fn about(&self) -> About {
        match self {
            Self::Rows(schedule) => schedule.about(),
            Self::PullCpu => PULL_CPU,
        }
    }

    fn is_counted(&self) -> bool {
        matches!(self, Self::Rows(schedule) if schedule.is_counted())
    }
}

/// The damping unless another is asked for.
const DAMPING: f64 = 0.85;
/// The most iterations that the oracle takes for the last, where a tolerance decides.
const POSSIBLE: usize = 8;
/// The iterations unless others are asked for.
const ITERATIONS: u32 = 20;

impl Default for PageRankConfig {
    fn default() -> Self {
        Self {
            schedule: Configured::default(),
            damping: DAMPING,
            iterations: ITERATIONS,
            tolerance: None,
            precision: Precision::Single,
            reorder: Reorder::Auto,
        }
    }
}

/// The rounds of an oracle that may have been the last, by their numbers. Where a tolerance ends them, rounding may make it one more or one less.
pub(super) fn last_rounds(
    rounds: impl Iterator<Item = (Vec<f64>, f64)>,
    tolerance: Option<f64>,
    precision: Precision,
) -> Vec<(u32, Vec<f64>)> {
    let noise = if precision == Precision::Single { 1e-5 } else { 1e-12 };
    let below = |change: f64, margin: f64| {
        tolerance.is_some_and(|most| change < most * (1.0 + margin) + noise * margin.signum())
    };
    let (mut possible, mut first) = (Vec::new(), true);
    for (number, (values, change)) in (1..).zip(rounds) {
        if first {
            possible.clear();
        }
        possible.push((number, values));
        first = !below(change, 0.01);
        if below(change, -0.01) || possible.len() == POSSIBLE {
            break;
        }
    }
    possible
}

/// The values after so many rounds, or after the last, after which they hardly change.
pub(super) fn round(rounds: &[(u32, Vec<f64>)], iterations: u32) -> Option<&[f64]> {
    let same = rounds.iter().find(|(number, _)| *number == iterations).or(rounds.last());
    same.map(|(_, values)| values.as_slice())
}

/// Warns of ranks that still changed when there were to be no more iterations; returns whether they changed little enough.
pub(crate) fn has_converged(iterations: u32, change: f64, tolerance: f64) -> bool {
    if change >= tolerance {
        tracing::warn!(
            "after {} the ranks still changed by {change:.3e} together, not by less than the tolerance of {tolerance:e}; more \
             iterations may get there",
            counted(iterations.into(), "iteration")
        );
    }
    change < tolerance
}

/// Ranks that are ready to be computed on one graph.
pub struct PageRank {
    session: Session,
    ranking: Box<dyn Ranking>,
    precision: Precision,
    tolerance: Option<f64>,
    /// The most iterations there are.
    limit: u32,
    /// The seeds of the last run.
    loaded: Seeds,
    /// The iterations of the last run.
    iterations: u32,
    /// The order of the nodes on the device, where it is another than the graph's.
    order: Option<Arc<NodeOrder>>,
}

/// A form of the computation that is ready to run.
trait Ranking: Send {
    /// Takes the part of each node in what does not follow an edge; none where all nodes are alike, as they are at first.
    fn load(&mut self, parts: Option<&[f64]>) -> Result<()>;

    /// Runs once.
    fn run(&mut self) -> Result<Run>;

    /// By how much the ranks together changed in the last iteration of the last run; known where there is a tolerance.
    fn change(&self) -> Result<f64>;

    /// The ranks after the last run.
    fn ranks(&self) -> Result<Vec<f64>>;
}

/// The rank of each node; the ranks add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// In double precision, which holds both kinds.
    pub ranks: Vec<f64>,
    /// The precision they were computed in.
    pub precision: Precision,
    /// The iterations that it took.
    pub iterations: u32,
    /// Whether the ranks changed by less than the tolerance in the last of them; none where there is no tolerance.
    pub converged: Option<bool>,
}

impl Answer for Ranks {
    fn columns(&self) -> Vec<Column<'_>> {
        let values = match self.precision {
            Precision::Single => Values::F32(self.ranks.par_iter().map(|&rank| rank as f32).collect::<Vec<_>>().into()),
            Precision::Double => Values::F64((&self.ranks).into()),
        };
        vec![Column::new("rank", values).meaning(Meaning::Score)]
    }
}

impl Algorithm for PageRank {
    const ABOUT: Description = Description {
        name: "pagerank",
        summary: "the rank of every node: how likely a random walk is to be there",
        help: "\
The rule is LDBC Graphalytics': all nodes begin alike, a node that no edge leaves gives its rank to all, and weights do not \
matter. With --seeds all begin at these nodes, in proportion to their weights, and what does not follow an edge goes to them. The output is a line `id rank` \
for each node; the ranks add up to 1. An answer is right when each rank is within a ten-thousandth of its own size of a double-precision \
reference, as LDBC has it; with --precision double within a billionth. Rounding in single precision can hide changes of less than about 1e-5. With the same \
schedule and device the ranks are the same to the last bit.

Examples:
  evenkeel pagerank rmat:scale=20 --validate
  evenkeel pagerank rmat:scale=20 --tolerance 1e-4 --iterations 100
  evenkeel pagerank web.mtx --directed --damping 0.9 --iterations 50 --precision double --output ranks.txt
  evenkeel pagerank friends.csv --seeds friends-of-mine.txt --tolerance 1e-6 --iterations 200
  evenkeel pagerank grid:rows=1024,cols=1024 --schedule merge-path --runs 10 --warmup 2 --profile",
        ..Description::DEFAULT
    };

    type Config = PageRankConfig;
    type Input = Seeds;
    type Answer = Ranks;
    /// The iterations that may have been the last, and the ranks after each.
    type Reference = Vec<(u32, Vec<f64>)>;

    fn build(graph: &SharedGraph, config: &PageRankConfig) -> Result<Self> {
        settings::check_values(config)?;
        let (device, precision) = (graph.device(), config.precision);
        precision.check(device.info())?;
        let order = graph.once("order", || {
            Ok(config.reorder.for_iterations(device.info(), graph.csr(), precision.bytes())?.map(Arc::new))
        })?;
        let (session, order) = (Session::any(graph), Option::clone(&order));
        let schedule = config.schedule.item();
        schedule.about().check_device(device.info())?;
        let (ranking, taken) = if schedule.is_native(device.info()) {
            let taken = (*schedule != RankSchedule::PullCpu).then(|| PULL_CPU.name.to_owned());
            (cpu::prepare(graph, order.as_deref(), config)?, taken)
        } else {
            let kept = graph.once("matrix", || Kept::of(graph, order.as_deref(), config))?;
            let Kept { pull, choice, layout } = &*kept;
            (kernels::prepare(device, pull, layout, *choice, config)?, schedule.rows().taken(*choice))
        };
        let PageRankConfig { precision, tolerance, iterations: limit, .. } = *config;
        let session = session.with_method(taken).with_order(reorder::name_of(order.as_deref()));
        Ok(Self { session, ranking, precision, tolerance, limit, loaded: Seeds::default(), iterations: 0, order })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, seeds: &Seeds) -> Result<Run> {
        let Self { session, ranking, loaded, order, .. } = self;
        let run = session.run(|graph| {
            if *loaded != *seeds {
                let parts = seeds.parts(graph.csr().nodes())?;
                let parts = match order {
                    Some(order) => order.apply(&parts, 1),
                    None => parts,
                };
                ranking.load((!seeds.is_empty()).then_some(&parts))?;
                *loaded = seeds.clone();
            }
            ranking.run()
        })?;
        self.iterations = run.iterations;
        Ok(run)
    }

    fn answer(&self) -> Result<Ranks> {
        self.session.answered()?;
        let Self { precision, iterations, limit, .. } = *self;
        let converged = match self.tolerance {
            None => None,
            Some(_) if iterations < limit => Some(true),
            Some(tolerance) => Some(has_converged(iterations, self.ranking.change()?, tolerance)),
        };
        let ranks = self.ranking.ranks()?;
        let ranks = match &self.order {
            Some(order) => order.undo(&ranks, 1),
            None => ranks,
        };
        Ok(Ranks { ranks, precision, iterations, converged })
    }

    fn reference(graph: &Graph, seeds: &Seeds, config: &PageRankConfig) -> Result<Vec<(u32, Vec<f64>)>> {
        let parts = seeds.parts(graph.csr.nodes())?;
        let rounds = pagerank::rounds(&graph.csr, config.damping, &parts).take(config.iterations as usize);
        Ok(last_rounds(rounds, config.tolerance, config.precision))
    }

    fn check(found: &Ranks, expected: &Vec<(u32, Vec<f64>)>, _: &Graph, _: &Seeds) -> Option<Mismatch> {
        let tolerance = match found.precision {
            Precision::Single => pagerank::TOLERANCE,
            Precision::Double => pagerank::DOUBLE_TOLERANCE,
        };
        pagerank::first_mismatch(round(expected, found.iterations)?, &found.ranks, tolerance)
    }
}

impl FrontEnd for PageRank {
    type Alternative = RankSchedule;
    type InputOptions = SeedOptions;
    type Tables = ();

    fn choice(config: &mut PageRankConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input(options: &SeedOptions, graph: &Graph, _: &PageRankConfig) -> Result<Seeds> {
        options.seeds.as_ref().map_or(Ok(Seeds::default()), |file| Seeds::read(file, graph))
    }

    fn operations(csr: &Csr, config: &PageRankConfig) -> u64 {
        u64::from(config.iterations) * (u64::from(csr.nodes()) + csr.edges())
    }
}

/// A graph of fewer edges is not cut into blocks unless an order is asked for: an iteration takes little longer than its dispatches.
const LARGE: u64 = 4_000_000;

/// The matrix that is gathered by, and how it is kept.
struct Kept {
    pull: Pull,
    choice: Choice,
    layout: Layout,
}

impl Kept {
    /// In blocks, where that pays and all of it fits on the device; a stream has plain rows.
    fn of(graph: &SharedGraph, order: Option<&NodeOrder>, config: &PageRankConfig) -> Result<Self> {
        let csr = graph.csr();
        if order.is_some() && csr.narrow_edges().is_ok() && can_block(graph.device().info(), csr, config) {
            match Self::in_form(graph, order, config, true) {
                Ok(kept) if !kept.layout.is_streamed() => return Ok(kept),
                Ok(_) | Err(Error::Memory(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Self::in_form(graph, order, config, false)
    }

    fn in_form(
        graph: &SharedGraph,
        order: Option<&NodeOrder>,
        config: &PageRankConfig,
        in_blocks: bool,
    ) -> Result<Self> {
        let info = graph.device().info();
        let mut whole = Pull::of(graph.csr(), order)?;
        if in_blocks {
            whole = whole.into_blocks(most_shares(info))?;
        }
        let choice = config.schedule.item().rows().choose(&whole.matrix, info);
        let pull = whole.cut_for(choice.schedule);
        refuse_long_loops(info, || choice.rounds(&pull.matrix))?;
        let needed = |layout: &Layout| {
            let planned = graph.planned(|graph| kernels::prepare(graph.device(), &pull, layout, choice, config))?;
            Ok(planned.bytes())
        };
        let layout = Layout::new(info, &pull.matrix, size_of::<u32>() as u64, needed)?;
        Ok(Self { pull, choice, layout })
    }
}

/// Whether shares of nodes in another order may be added up from workgroup memory. Where a CPU emulates that memory, it is no faster than other
/// memory, and is used only for an order that is asked for.
fn can_block(device: &DeviceInfo, csr: &Csr, config: &PageRankConfig) -> bool {
    let fits = device.workgroup_memory as usize >= PLACES * size_of::<f32>();
    let pays = device.kind.is_gpu() && csr.edges() >= LARGE || config.reorder == Reorder::Degree;
    config.precision == Precision::Single && fits && pays
}

/// The most shares in single precision, of nodes and of chunks, that a buffer holds.
fn most_shares(device: &DeviceInfo) -> u64 {
    device.max_buffer / size_of::<f32>() as u64
}
