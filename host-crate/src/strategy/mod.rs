//! Strategies: how the edges of a traversal are handed to a GPU's invocations. Each is a file here and one of the same name
//! in the kernels' `strategy/`, and one line in the registry below, and has its settings as its own fields. None knows which
//! algorithm it drives; that is the operator's business.
//!
//! ```
//! use evenkeel::algorithm::{Algorithm, Bfs, BfsConfig};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, strategy::{self, Operator}};
//!
//! let chain = "chain:nodes=4".parse::<Generator>()?.generate()?;
//! let device = Device::open("cpu", &DeviceOptions::default())?;
//! for strategy in strategy::of(Operator::Bfs, device.info()) {
//!     let config = BfsConfig { strategy: strategy.name.parse()?, ..BfsConfig::default() };
//!     let mut bfs = Bfs::prepare(&device, &chain.csr, &config)?;
//!     bfs.run(&0)?;
//!     assert_eq!(bfs.answer()?.depths, [0, 1, 2, 3]);
//! }
//! # Ok::<(), evenkeel::Error>(())
//! ```

pub mod adaptive;
mod auto;
// The forms that take the rows of a worker are for the cluster alone.
#[cfg_attr(not(feature = "cluster"), allow(dead_code, unused_imports))]
mod cpu;
mod decompose;
mod direction;
mod edge;
mod hierarchical;
mod named;
mod near_far;
mod node;
mod parallel;
mod queue;
mod rounds;
mod scan;
mod scheduled;
mod small;
mod split;
mod sweep;
pub mod threshold;
mod two_phase;
mod worklists;

pub use crate::engine::loops::refuse_unending_rows;
pub use crate::engine::{DeviceGraph, DeviceLoop, DeviceRows, LoopRun};
pub use cpu::DeltaStepping;
#[cfg(feature = "cluster")]
pub(crate) use cpu::{Metric, RowPaths, RowSearch};
pub(crate) use cpu::{double_distances, wide_distances};
pub use edge::{Chunking, Edge};
pub use evenkeel_kernels::operator::{Operator, TraversalData};
pub use hierarchical::Hierarchical;
pub use near_far::NearFar;
pub(crate) use rounds::{CooperationPlan, MAX_GROUPS};
pub use scheduled::Scheduled;
pub use split::{Split, SplitGraph};
pub use sweep::Sweep;
pub use two_phase::TwoPhase;

use crate::engine::{Layout, Parts, SharedGraph, partition, partitions_said};
use adaptive::{Adaptive, Fixed, LevelSize};
use evenkeel_kernels::{operator::Path, primitive::forest::GAVE_UP};
use prelude::*;
use std::{
    any::{Any, TypeId},
    sync::Arc,
};

/// What most strategies are written with.
mod prelude {
    pub(super) use super::{About, Strategy, Target, Traversal};
    pub(super) use crate::{
        Error, Result,
        device::{Buffer, Device, DeviceInfo, DeviceKind, Recorder},
        engine::{DeviceGraph, DeviceLoop, DeviceRows, loops},
        graph::Csr,
        settings::{Configurable, Key},
    };
    pub(super) use evenkeel_kernels::{launch::Buffers, operator::Operator};
    pub(super) use evenkeel_types::{LoopHeader, LoopState};
}

/// What commands, tables and the documentation say of a strategy or schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// Its name in the paper it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Whether only the CPU device can run it.
    pub cpu_only: bool,
}

impl About {
    /// The three texts, of what runs on all devices.
    pub const fn new(name: &'static str, paper: &'static str, summary: &'static str) -> Self {
        Self { name, paper, summary, cpu_only: false }
    }

    /// Describes a strategy that only the CPU device can run.
    pub const fn cpu_only(name: &'static str, paper: &'static str, summary: &'static str) -> Self {
        Self { name, paper, summary, cpu_only: true }
    }

    /// Whether a device can run it.
    pub fn runs_on(&self, device: &DeviceInfo) -> bool {
        !self.cpu_only || device.kind == DeviceKind::Cpu
    }

    /// Refuses a device that cannot run it.
    pub(crate) fn check_device(&self, device: &DeviceInfo) -> Result<()> {
        if self.runs_on(device) {
            return Ok(());
        }
        let (name, other) = (self.name, &device.name);
        Err(Error::Usage(format!("{name} runs on the CPU device alone, and this is {other}; take --device cpu")))
    }
}

/// What a strategy is asked for.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The device.
    pub device: &'a DeviceInfo,
    /// What is done at an edge.
    pub operator: Operator,
}

/// A strategy with its settings, which are its fields.
pub trait Strategy: CloneStrategy + Any + Send + Sync {
    /// Names and describes it; the same for all settings.
    fn about(&self) -> About;

    /// The operators it is made for. One for all of them hands the edges of a worklist to whichever it is.
    fn operators(&self) -> &'static [Operator] {
        Operator::ALL
    }

    /// Whether the atoms that each invocation takes can be counted on the CPU device.
    fn is_counted(&self) -> bool {
        self.operators() == Operator::ALL
    }

    /// Its settings, in the order in which they are written.
    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }

    /// The strategy that it leaves such a graph to, where it chooses among the others.
    ///
    /// # Errors
    /// When the device fails.
    fn choose(&self, _graph: &SharedGraph, _operator: Operator) -> Result<Option<Box<dyn Strategy>>> {
        Ok(None)
    }

    /// Whether it takes graphs of several partitions: it records an iteration once for each.
    fn takes_partitions(&self) -> bool {
        false
    }

    /// Whether it reads the rows of the graph, the weights and the marks on the device. The forms for a CPU read the host's graph,
    /// and nothing of these is allocated for them.
    fn reads_device_graph(&self, _target: Target<'_>) -> bool {
        true
    }

    /// The most rounds that the loops of an invocation go through in a dispatch. A graph that takes more than the driver lets it is refused
    /// ([`DeviceInfo::loop_limit`]). By default an invocation may have a row to itself.
    fn rounds(&self, csr: &Csr, _target: Target<'_>) -> u64 {
        loops::rounds_of_a_row(loops::longest_row(csr))
    }

    /// Allocates what it needs beside the graph and the algorithm's values, and records the loop, which is called `name` in profilers and traces.
    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop>;

    /// Says what each level of a search was done by; none where an iteration of the loop is not a level.
    fn level_names(&self, _device: &Device, _csr: &Csr, levels: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(Some(vec![self.about().name.to_owned(); levels.len()]))
    }
}

/// Cloning behind a pointer, which every strategy has that is `Clone`.
pub trait CloneStrategy {
    /// Returns the same strategy with the same settings.
    fn boxed(&self) -> Box<dyn Strategy>;
}

impl<S: Strategy + Clone> CloneStrategy for S {
    fn boxed(&self) -> Box<dyn Strategy> {
        Box::new(self.clone())
    }
}

impl<S: Strategy> From<S> for Box<dyn Strategy> {
    fn from(strategy: S) -> Self {
        Box::new(strategy)
    }
}

impl Clone for Box<dyn Strategy> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl Default for Box<dyn Strategy> {
    fn default() -> Self {
        Box::new(auto::Auto)
    }
}

impl Configurable for Box<dyn Strategy> {
    fn name(&self) -> &'static str {
        self.about().name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        (**self).keys()
    }

    fn type_id_of(&self) -> TypeId {
        (**self).type_id()
    }
}

/// The registry: all strategies with their default settings, a line each, and one for each schedule.
pub(crate) fn items() -> Vec<Box<dyn Strategy>> {
    let mut strategies: Vec<Box<dyn Strategy>> = vec![
        Box::new(node::Node),
        Box::new(Edge::default()),
        Box::new(decompose::Decompose),
        Box::new(Split::default()),
        Box::new(Hierarchical::default()),
    ];
    strategies.extend(Scheduled::all());
    strategies.push(Box::new(direction::Direction));
    strategies.push(Box::new(NearFar::default()));
    strategies.push(Box::new(Sweep::default()));
    strategies.push(Box::new(small::Small));
    strategies.push(Box::new(cpu::DirectionCpu));
    strategies.push(Box::new(DeltaStepping::default()));
    strategies.push(Box::new(parallel::Parallel));
    strategies.push(Box::new(queue::Queue));
    strategies.push(Box::new(scan::Scan));
    strategies.push(Box::new(TwoPhase::default()));
    strategies.extend(Fixed::all());
    strategies.push(Box::new(Adaptive::default()));
    strategies.push(Box::new(auto::Auto));
    strategies
}

/// Describes all strategies, in the order they are listed.
pub fn all() -> impl Iterator<Item = About> {
    items().into_iter().map(|strategy| strategy.about())
}

/// Describes the strategies that an operator can take on a device, in the order they are listed.
pub fn of(operator: Operator, device: &DeviceInfo) -> impl Iterator<Item = About> {
    let items = items().into_iter().filter(move |it| it.operators().contains(&operator));
    items.map(|strategy| strategy.about()).filter(|about| about.runs_on(device))
}

/// The strategy that a traversal of a graph takes.
pub(crate) struct Chosen {
    /// The strategy.
    pub strategy: Box<dyn Strategy>,
    /// Its name, where the one that was asked for left the graph to it.
    pub instead: Option<&'static str>,
}

impl Chosen {
    /// The strategy that was asked for, or the one that it leaves the graph to. It is found out once.
    pub fn of(graph: &SharedGraph, operator: Operator, asked: &dyn Strategy) -> Result<Arc<Self>> {
        graph.once("strategy", || {
            let (mut strategy, mut instead) = (asked.boxed(), None);
            while let Some(other) = strategy.choose(graph, operator)? {
                instead = Some(other.about().name);
                tracing::info!("{} takes {}", strategy.about().name, other.about().name);
                strategy = other;
            }
            Ok(Self { strategy, instead })
        })
    }

    /// What `search` makes of the graph for this strategy. It is given how the graph is kept, where the strategy reads it on the device or
    /// something else does.
    ///
    /// # Errors
    /// When the graph has several partitions, or must be streamed, and the strategy does not take them; what `search` fails with.
    pub fn search<T>(
        &self,
        graph: &SharedGraph,
        operator: Operator,
        is_read_anyway: bool,
        search: impl Fn(&SharedGraph, Option<Layout>) -> Result<T>,
    ) -> Result<T> {
        let (device, csr) = (graph.device().info(), graph.csr());
        let target = Target { device, operator };
        if !is_read_anyway && !self.strategy.reads_device_graph(target) {
            return search(graph, None);
        }
        let layout = if self.strategy.takes_partitions() {
            let arrays = if operator == Operator::Bfs { 1 } else { 2 };
            graph.layout(csr, arrays * size_of::<u32>(), |graph, layout| search(graph, Some(*layout)))?
        } else {
            check_partitions(&*self.strategy, csr, target)?;
            Layout::resident(device, csr)
        };
        search(graph, Some(layout))
    }
}

/// Refuses the answer of a run whose trees were so deep that an invocation stopped before the driver would have stopped it. `what` takes
/// long loops: "these components take".
pub(crate) fn refuse_given_up(device: &Device, run: &LoopRun, what: &str) -> Result<()> {
    refuse_given_up_flags(device, run.report.flags, what)
}

/// Refuses the answer of a run whose flags say that an invocation gave up.
pub(crate) fn refuse_given_up_flags(device: &Device, flags: u32, what: &str) -> Result<()> {
    if flags & GAVE_UP == 0 {
        return Ok(());
    }
    let name = &device.info().name;
    Err(Error::Unsupported(format!("the driver of {name} stops long loops, and {what} longer ones: take --device cpu")))
}

/// Refuses a graph of several partitions for a strategy that does not take them, and names those that do.
fn check_partitions(strategy: &dyn Strategy, csr: &Csr, target: Target<'_>) -> Result<()> {
    let runs = |it: &dyn Strategy| it.operators().contains(&target.operator) && it.about().runs_on(target.device);
    let takers = items().into_iter().filter(|it| it.takes_partitions() && runs(&**it));
    refuse_partitions_for(target.device, csr, strategy.about().name, takers.map(|it| it.about().name))
}

/// Refuses a graph of several partitions for what takes only one, a strategy of that name, and names those that take several.
pub(crate) fn refuse_partitions_for<'a>(
    device: &DeviceInfo,
    csr: &Csr,
    name: &str,
    takers: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let count = partition(device, csr).list().len();
    if count == 1 {
        return Ok(());
    }
    let (said, names) = (partitions_said(device, count), takers.collect::<Vec<_>>().join(", "));
    Err(Error::Unsupported(format!("{said}, and strategy {name} takes only one; take one of {names}")))
}

/// What a strategy is given: the graph on the device and the algorithm's state. Only algorithms make it, with buffers that fit the graph.
#[non_exhaustive]
pub struct Traversal {
    /// What is done at an edge.
    pub(crate) operator: Operator,
    /// The graph, for strategies that take one partition; a word for each array where the strategy reads none of it.
    pub(crate) graph: DeviceGraph,
    /// The graph in partitions, for strategies that take several: there is one at least.
    pub(crate) parts: Parts,
    /// What the operator reads and writes: weights and marks are a single word each where they are not needed.
    pub(crate) data: TraversalData<Buffers>,
    /// The node to begin at.
    pub(crate) source: Buffer<u32>,
    /// The graph on the host; a clone, which shares its memory.
    pub(crate) csr: Csr,
    /// The graph that all share, on the same device.
    pub(crate) shared: SharedGraph,
    /// The depth after which a search may end, where one was given; what it finds beyond is left out of the answer.
    pub(crate) max_depth: Option<u32>,
    /// The node that is searched for, where one is: a strategy may end when its value, and so all smaller ones, are final.
    pub(crate) target: Option<u32>,
}

impl Traversal {
    /// Allocates what the operator needs, with the graph where it is read on the device; the values are called as `values` says.
    ///
    /// # Errors
    /// When the device fails.
    pub(crate) fn new(graph: &SharedGraph, operator: Operator, kept: Option<Layout>, values: &str) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        let weighted = kept.is_some() && operator != Operator::Bfs;
        let nodes = csr.nodes() as usize;
        let parts = match kept {
            Some(layout) => graph.parts(weighted, &layout)?,
            None => Parts::none(device)?,
        };
        let first = &parts.list[0];
        let data = TraversalData {
            weights: first.weights.clone(),
            values: device.buffer(values, nodes)?,
            marks: device.buffer("marks", if weighted { nodes } else { 1 })?,
        };
        let (shared, graph, source) = (graph.clone(), first.graph.clone(), device.buffer("source", 1)?);
        Ok(Self { operator, graph, parts, data, source, csr: csr.clone(), shared, max_depth: None, target: None })
    }

    /// The paths that its operator finds, for kernels that find no other.
    fn path(&self) -> Path {
        if self.operator == Operator::SsspF32 { Path::Real } else { Path::Whole }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.csr.nodes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_once() {
        for (position, strategy) in all().enumerate() {
            assert!(all().take(position).all(|other| other.name != strategy.name), "{}", strategy.name);
        }
    }
}
