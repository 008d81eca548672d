//! Strategies: how the edges of a traversal are handed to a GPU's invocations. Each is a file here and one in the kernels'
//! `strategy/`, and one line in [`STRATEGIES`]. None knows which algorithm it drives; that is the operator's business.
//!
//! ```
//! use evenkeel::algorithm::{Bfs, BfsConfig};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, strategy::{self, Operator}};
//!
//! let chain = "chain:nodes=4".parse::<Generator>()?.generate()?;
//! let device = Device::open("cpu", &DeviceOptions::default())?;
//! for strategy in strategy::of(Operator::Bfs) {
//!     let config = BfsConfig { strategy: strategy.name.to_owned(), ..BfsConfig::default() };
//!     let mut bfs = Bfs::prepare(&device, &chain.csr, &config)?;
//!     bfs.run(0)?;
//!     assert_eq!(bfs.depths()?, [0, 1, 2, 3]);
//! }
//! # Ok::<(), evenkeel::Error>(())
//! ```

pub mod adaptive;
mod auto;
mod decompose;
mod direction;
mod edge;
mod hierarchical;
mod near_far;
mod node;
mod parallel;
mod queue;
mod scan;
mod scheduled;
mod split;
mod threshold;
mod tuning;
mod two_phase;
mod worklists;

pub use crate::engine::{DeviceGraph, DeviceLoop, LoopRun};
pub use evenkeel_kernels::operator::Operator;
pub use split::SplitGraph;
pub use tuning::{Chunking, Delta, Setting, Tuning};

use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan},
    graph::{
        Csr,
        statistics::{Skew, max_degree_node},
        transform,
    },
};
use adaptive::{Adaptive, Fixed, Implementation};
use auto::Auto;
use decompose::Decompose;
use direction::Direction;
use edge::Edge;
use evenkeel_kernels::{schedule::Schedule, strategy::text};
use hierarchical::Hierarchical;

use near_far::NearFar;
use node::Node;
use parallel::Parallel;
use queue::Queue;
use scan::Scan;
use scheduled::Scheduled;
use split::Split;
use std::cell::OnceCell;
use two_phase::TwoPhase;

/// A strategy that can be asked for by name.
pub struct Strategy {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// Its name in the paper it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The operators it is made for.
    pub operators: &'static [Operator],
    /// What of a [`Tuning`] it reads.
    pub reads: &'static [Setting],
    /// The files it is made of, here and in the kernels, but for what most strategies share.
    pub text: &'static [&'static str],
    /// How it does it.
    pub how: &'static dyn Iterate,
}

impl Strategy {
    /// How many lines of code it takes: those of its files that hold more than a comment, tests left out.
    pub fn lines_of_code(&self) -> usize {
        self.text.iter().map(|text| lines_of_code(text)).sum()
    }

    /// The device memory it needs beside the graph and the algorithm's values.
    ///
    /// # Errors
    /// When it is tuned in a way that it does not know.
    pub fn plan(&self, csr: &Csr, operator: Operator, tuning: &Tuning) -> Result<MemoryPlan> {
        tuning.check(&[self])?;
        Ok(self.how.plan(csr, operator, tuning))
    }

    /// Allocates what the strategy needs and records the loop.
    ///
    /// # Errors
    /// When something does not fit.
    pub fn record(&self, device: &Device, traversal: &Traversal) -> Result<DeviceLoop> {
        self.how.record(device, traversal, &format!("{} {}", traversal.operator.name(), self.name))
    }
}

/// What a strategy's author writes.
pub trait Iterate: Sync {
    /// The device memory it needs beside the graph and the algorithm's values.
    fn plan(&self, csr: &Csr, operator: Operator, tuning: &Tuning) -> MemoryPlan;

    /// Allocates that and records the loop, which is called `name` in profilers and traces.
    ///
    /// # Errors
    /// When something does not fit.
    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop>;
}

/// The strategy unless another is asked for.
pub const AUTO: &str = "auto";

/// All strategies.
pub const STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "node",
        paper: "BS, Raval et al.",
        summary: "one invocation a node of the worklist, with all its edges",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::NODE, include_str!("node.rs")],
        how: &Node,
    },
    Strategy {
        name: "edge",
        paper: "EP, Raval et al.",
        summary: "one invocation an edge; the worklist holds edges",
        operators: Operator::ALL,
        reads: &[Setting::Chunking],
        text: &[text::EDGE, include_str!("edge.rs")],
        how: &Edge,
    },
    Strategy {
        name: "decompose",
        paper: "WD, Raval et al.",
        summary: "each invocation an equal block of the worklist's edges",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::DECOMPOSE, include_str!("decompose.rs")],
        how: &Decompose,
    },
    Strategy {
        name: "split",
        paper: "NS, Raval et al.",
        summary: "nodes with many edges split once, an invocation to each piece",
        operators: Operator::ALL,
        reads: &[Setting::Bins],
        text: &[text::SPLIT, text::THRESHOLD, include_str!("split.rs"), include_str!("threshold.rs")],
        how: &Split,
    },
    Strategy {
        name: "hierarchical",
        paper: "HP, Raval et al.",
        summary: "an invocation a node, in rounds of a few edges each; short lists decomposed",
        operators: Operator::ALL,
        reads: &[Setting::Bins, Setting::SwitchBelow],
        text: &[
            text::HIERARCHICAL,
            text::DECOMPOSE,
            text::THRESHOLD,
            include_str!("hierarchical.rs"),
            include_str!("threshold.rs"),
        ],
        how: &Hierarchical,
    },
    Strategy {
        name: Schedule::ThreadMapped.name(),
        paper: "Osama et al.",
        summary: "an invocation to each node, as a schedule of the programming model",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::schedule(Schedule::ThreadMapped), text::SCHEDULED, include_str!("scheduled.rs")],
        how: &Scheduled(Schedule::ThreadMapped),
    },
    Strategy {
        name: Schedule::GroupMapped.name(),
        paper: "Osama et al.",
        summary: "a group of invocations shares the edges of as many nodes",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::schedule(Schedule::GroupMapped), text::SCHEDULED, include_str!("scheduled.rs")],
        how: &Scheduled(Schedule::GroupMapped),
    },
    Strategy {
        name: Schedule::MergePath.name(),
        paper: "Osama et al.; Merrill and Garland",
        summary: "each workgroup an even share of nodes and edges together",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::schedule(Schedule::MergePath), text::SCHEDULED, include_str!("scheduled.rs")],
        how: &Scheduled(Schedule::MergePath),
    },
    Strategy {
        name: Schedule::NonzeroSplit.name(),
        paper: "Osama et al.",
        summary: "each workgroup an even share of edges",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::schedule(Schedule::NonzeroSplit), text::SCHEDULED, include_str!("scheduled.rs")],
        how: &Scheduled(Schedule::NonzeroSplit),
    },
    Strategy {
        name: Schedule::RadixBinned.name(),
        paper: "LRB, Fox et al.",
        summary: "nodes sorted by the logarithm of their degree; an invocation, a subgroup or a workgroup to each",
        operators: Operator::ALL,
        reads: &[],
        text: &[text::schedule(Schedule::RadixBinned), text::SCHEDULED, include_str!("scheduled.rs")],
        how: &Scheduled(Schedule::RadixBinned),
    },
    Strategy {
        name: "direction",
        paper: "Beamer et al.",
        summary: "pushes from a short frontier, many levels a dispatch; else unseen nodes pull",
        operators: &[Operator::Bfs],
        reads: &[],
        text: &[text::DIRECTION, include_str!("direction.rs")],
        how: &Direction,
    },
    Strategy {
        name: "near-far",
        paper: "Davidson et al.",
        summary: "what is near first; many iterations a dispatch while lists are short",
        operators: &[Operator::SsspU32, Operator::SsspF32],
        reads: &[Setting::Delta],
        text: &[text::NEAR_FAR, include_str!("near_far.rs")],
        how: &NearFar,
    },
    Strategy {
        name: "parallel",
        paper: "Harish and Narayanan",
        summary: "an invocation to every node in each iteration; those of the level take their edges",
        operators: &[Operator::Bfs],
        reads: &[],
        text: &[text::PARALLEL, include_str!("parallel.rs")],
        how: &Parallel,
    },
    Strategy {
        name: "queue",
        paper: "Pathak et al.",
        summary: "an invocation to each node of a queue, an atomic addition to each node found",
        operators: &[Operator::Bfs],
        reads: &[],
        text: &[text::QUEUE, include_str!("queue.rs")],
        how: &Queue,
    },
    Strategy {
        name: "scan",
        paper: "Pathak et al.; Blelloch",
        summary: "a queue whose places are found by prefix sums instead of atomic additions",
        operators: &[Operator::Bfs],
        reads: &[],
        text: &[text::SCAN, include_str!("scan.rs")],
        how: &Scan,
    },
    Strategy {
        name: "two-phase",
        paper: "Harish and Narayanan; Martín et al.",
        summary: "every node in each iteration: lower the costs to be of neighbours, then take those that fell",
        operators: &[Operator::SsspU32, Operator::SsspF32],
        reads: &[Setting::Coarsen],
        text: &[text::TWO_PHASE, include_str!("two_phase.rs")],
        how: &TwoPhase,
    },
    Strategy {
        name: Implementation::EdgeList.name(),
        paper: "Verstraaten et al.",
        summary: "an invocation to every edge of the graph, in every level",
        operators: &[Operator::Bfs],
        reads: &[Setting::Count],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs")],
        how: &Fixed(Implementation::EdgeList),
    },
    Strategy {
        name: Implementation::ReverseEdgeList.name(),
        paper: "Verstraaten et al.",
        summary: "the same in the order of the edges' ends",
        operators: &[Operator::Bfs],
        reads: &[Setting::Count],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs")],
        how: &Fixed(Implementation::ReverseEdgeList),
    },
    Strategy {
        name: Implementation::VertexPush.name(),
        paper: "Verstraaten et al.",
        summary: "an invocation to every node, which pushes if it is in the frontier",
        operators: &[Operator::Bfs],
        reads: &[Setting::Count],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs")],
        how: &Fixed(Implementation::VertexPush),
    },
    Strategy {
        name: Implementation::VertexPull.name(),
        paper: "Verstraaten et al.",
        summary: "an invocation to every node not reached, which looks for a neighbour in the frontier",
        operators: &[Operator::Bfs],
        reads: &[Setting::Count],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs")],
        how: &Fixed(Implementation::VertexPull),
    },
    Strategy {
        name: Implementation::VertexPushWarp.name(),
        paper: "Verstraaten et al.",
        summary: "vertex-push by virtual warps, which share each node's edges",
        operators: &[Operator::Bfs],
        reads: &[Setting::Count, Setting::VirtualWarp],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs")],
        how: &Fixed(Implementation::VertexPushWarp),
    },
    Strategy {
        name: "adaptive",
        paper: "Verstraaten et al.",
        summary: "for each level the way of these that a decision tree on the device chooses",
        operators: &[Operator::Bfs],
        reads: &[Setting::VirtualWarp, Setting::Model],
        text: &[text::LEVEL, include_str!("adaptive/mod.rs"), include_str!("adaptive/model.rs")],
        how: &Adaptive,
    },
    Strategy {
        name: AUTO,
        paper: "",
        summary: "whichever of these suits the algorithm, the graph and the device",
        operators: Operator::ALL,
        reads: &[],
        text: &[include_str!("auto.rs")],
        how: &Auto,
    },
];

/// Tests stand at the end of a file.
fn lines_of_code(text: &str) -> usize {
    let lines = text.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// The strategies that an operator can take, in the order they are listed.
pub fn of(operator: Operator) -> impl Iterator<Item = &'static Strategy> {
    STRATEGIES.iter().filter(move |strategy| strategy.operators.contains(&operator))
}

/// Those of them that hand the edges of a worklist to an operator, whichever it is: whose balance can be counted.
pub fn counted(operator: Operator) -> impl Iterator<Item = &'static Strategy> {
    of(operator).filter(|strategy| strategy.operators == Operator::ALL)
}

/// The strategy of that name, for that operator.
///
/// # Errors
/// [`Error::UnknownName`] with the names there are.
pub fn by_name(operator: Operator, name: &str) -> Result<&'static Strategy> {
    of(operator).find(|strategy| strategy.name == name).ok_or_else(|| Error::UnknownName {
        kind: "strategy",
        name: name.to_owned(),
        known: of(operator).map(|strategy| strategy.name.to_owned()).collect(),
    })
}

/// Refuses a graph with a row that the driver would stop in the middle of, with a wrong answer and no error.
///
/// # Errors
/// [`Error::Device`] with the node and the numbers.
pub fn refuse_unending_rows(device: &Device, csr: &Csr) -> Result<()> {
    let info = device.info();
    // Most devices have no limit, and then there is nothing to look for.
    let Some(limit) = info.loop_limit else { return Ok(()) };
    match max_degree_node(csr) {
        Some(node) if csr.degree(node) >= limit => Err(Error::Device(format!(
            "a node has {} edges, and the driver of {} stops every loop after {limit} rounds; take --device cpu",
            csr.degree(node),
            info.name
        ))),
        _ => Ok(()),
    }
}

/// What a strategy is given: the graph on the device and the algorithm's state.
pub struct Traversal {
    /// What is done at an edge.
    pub operator: Operator,
    /// The graph.
    pub graph: DeviceGraph,
    /// A weight for each edge, or a single word where the operator needs none.
    pub weights: Buffer<u32>,
    /// A value for each node.
    pub values: Buffer<u32>,
    /// A mark for each node, or a single word where the operator needs none.
    pub marks: Buffer<u32>,
    /// The node to begin at.
    pub source: Buffer<u32>,
    /// What was changed about the strategy.
    pub tuning: Tuning,
    /// How uneven the graph's degrees are.
    pub skew: Skew,
    /// The graph on the host; a clone, which shares its memory.
    pub csr: Csr,
    /// What [`Traversal::is_symmetric`] has found, once it was asked.
    pub symmetric: OnceCell<bool>,
}

impl Traversal {
    /// Whether every edge has its reverse, found out when it is first asked.
    pub fn is_symmetric(&self) -> bool {
        *self.symmetric.get_or_init(|| transform::is_surely_symmetric(&self.csr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let text = "//! What it is.\n\nfn a() {\n    // Why.\n    b(); // here\n}\n\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(lines_of_code(text), 3);
    }

    #[test]
    fn names_are_said_once_and_every_strategy_has_code() {
        for (position, strategy) in STRATEGIES.iter().enumerate() {
            assert!(STRATEGIES[..position].iter().all(|other| other.name != strategy.name), "{}", strategy.name);
            assert!(strategy.lines_of_code() > 30, "{}", strategy.name);
        }
    }
}
