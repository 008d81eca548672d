//! Strategies: how the edges of a traversal are handed to a GPU's invocations. Each is a file here and one in the kernels'
//! `strategy/`, and one line in [`STRATEGIES`]. None knows which algorithm it drives; that is the operator's business.

mod device_loop;
mod node;

pub use device_loop::{DeviceLoop, LoopRun};

use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan},
    graph::{Csr, statistics::max_degree_node},
};
use evenkeel_kernels::operator::Operator;
use evenkeel_types::Control;

/// A strategy that can be asked for by name.
pub struct Strategy {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// Its name in the paper it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The device memory it needs beside the graph and the algorithm's values.
    pub plan: fn(&Csr) -> MemoryPlan,
    /// Allocates that and records the loop.
    pub record: fn(&Device, &Traversal) -> Result<DeviceLoop>,
}

/// All strategies, for every traversal.
pub const STRATEGIES: &[Strategy] = &[node::STRATEGY];

/// The strategy of that name.
///
/// # Errors
/// [`Error::UnknownName`] with the names there are.
pub fn by_name(name: &str) -> Result<&'static Strategy> {
    STRATEGIES.iter().find(|strategy| strategy.name == name).ok_or_else(|| Error::UnknownName {
        kind: "strategy",
        name: name.to_owned(),
        known: STRATEGIES.iter().map(|strategy| strategy.name.to_owned()).collect(),
    })
}

/// That name, if a strategy has it: for the command line.
///
/// # Errors
/// As for [`by_name`].
pub fn known_name(name: &str) -> Result<String> {
    by_name(name).map(|strategy| strategy.name.to_owned())
}

/// Refuses a graph with a row that the driver would stop in the middle of, with a wrong answer and no error.
///
/// # Errors
/// [`Error::Device`] with the node and the numbers.
pub fn refuse_unending_rows(device: &Device, csr: &Csr) -> Result<()> {
    let info = device.info();
    match (info.loop_limit, max_degree_node(csr)) {
        (Some(limit), Some(node)) if csr.degree(node) >= limit => Err(Error::Device(format!(
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
}

/// A CSR in device memory.
#[derive(Clone)]
pub struct DeviceGraph {
    /// Where each row begins, and the number of edges.
    pub row_offsets: Buffer<u32>,
    /// The neighbour at the end of each edge.
    pub columns: Buffer<u32>,
}

impl DeviceGraph {
    /// The memory a graph takes.
    pub fn plan(csr: &Csr) -> MemoryPlan {
        MemoryPlan::new().with::<u32>("row offsets", csr.row_offsets.len()).with::<u32>("columns", csr.columns.len())
    }

    /// Copies a graph to the device.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn upload(device: &Device, csr: &Csr) -> Result<Self> {
        Ok(Self {
            row_offsets: device.buffer_from("row offsets", &csr.row_offsets)?,
            columns: device.buffer_from("columns", &csr.columns)?,
        })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        (self.row_offsets.len() - 1) as u32
    }
}

/// A control block, seen whole by the host and as words by kernels.
#[derive(Clone)]
struct ControlBlock {
    block: Buffer<Control>,
    words: Buffer<u32>,
}

impl ControlBlock {
    fn new(device: &Device) -> Result<Self> {
        let block = device.buffer::<Control>("control", 1)?;
        Ok(Self { words: block.cast(), block })
    }
}
