//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' `direction.rs` and `resident.rs`).

use super::{DeviceGraph, DeviceLoop, Iterate, Traversal, Tuning};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::Csr,
};
use evenkeel_kernels::strategy::{
    direction::{HEAVY, SearchLevel, SearchOneWay, SearchSkips, SearchStart},
    resident::{INVOCATIONS, SHORT, SearchResident},
};
use evenkeel_types::{Control, SearchParams, UNREACHED};

/// See the module.
pub(super) struct Direction;

/// The most workgroups of a dispatch: five for each of an H200's 132 multiprocessors, which is how many run at a time there. More
/// only take turns, and each costs 17 ns.
const MAX_GROUPS: u32 = 660;

/// Where nodes have fewer edges than this on average, frontiers grow slowly and there are many levels.
const FEW: f64 = 6.0;

/// Levels of the whole dispatch between two chances to take many levels in one: each chance not taken costs 3 µs on an H200.
const LEVELS_BETWEEN: usize = 8;

/// Whether every edge of the graph has its reverse.
///
/// # Errors
/// When the device fails.
pub(super) fn is_symmetric(device: &Device, graph: &DeviceGraph) -> Result<bool> {
    let flag = device.buffer_from("one-way flag", &[0_u32])?;
    let step = SearchOneWay { row_offsets: &graph.row_offsets, columns: &graph.columns, flag: &flag };
    let (params, edges) = (params(graph, false, 0), graph.columns.len());
    device.record("search for one-way edges", |recorder| recorder.dispatch(&step, params, edges))?.run()?;
    Ok(device.download(&flag)? == [0])
}

fn params(graph: &DeviceGraph, can_pull: bool, short: u32) -> SearchParams {
    SearchParams {
        nodes: graph.nodes(),
        edges: graph.columns.len() as u32,
        max_groups: MAX_GROUPS,
        can_pull: can_pull.into(),
        short,
        mean_degree: graph.columns.len().div_ceil(graph.nodes().max(1) as usize) as u32,
    }
}

impl Iterate for Direction {
    fn plan(&self, csr: &Csr, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let words = 2 * nodes.div_ceil(32);
        MemoryPlan::new()
            .with::<u32>("lists", 2 * nodes)
            .with::<u32>("seen", words)
            .with::<u32>("skips", words)
            .with::<Control>("control", 1)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, skew, .. } = traversal;
        let many_levels =
            skew.mean < FEW && skew.highest <= HEAVY && device.info().workgroup_invocations >= INVOCATIONS;
        let params = params(graph, is_symmetric(device, graph)?, if many_levels { SHORT } else { 0 });
        let steps = Steps::new(device, params, traversal)?;
        DeviceLoop::record(
            device,
            name,
            &steps.control,
            |recorder| steps.start(recorder, traversal),
            |recorder, _| {
                if many_levels {
                    steps.resident(recorder, traversal);
                }
                for _ in 0..if many_levels { LEVELS_BETWEEN } else { 1 } {
                    steps.level(recorder, traversal);
                }
            },
        )
    }
}

/// What an iteration is made of.
struct Steps {
    params: SearchParams,
    skips: Buffer<u32>,
    seen: Buffer<u32>,
    lists: Buffer<u32>,
    control: Buffer<Control>,
    words: Buffer<u32>,
}

impl Steps {
    fn new(device: &Device, params: SearchParams, traversal: &Traversal) -> Result<Self> {
        let words = 2 * params.words() as usize;
        let skips = device.buffer("skips", words)?;
        let step = SearchSkips { row_offsets: &traversal.graph.row_offsets, skips: &skips };
        device.record("nodes to skip", |recorder| recorder.dispatch(&step, params, words / 2))?.run()?;
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            params,
            skips,
            seen: device.buffer("seen", words)?,
            lists: device.buffer("lists", 2 * params.nodes as usize)?,
            words: control.cast(),
            control,
        })
    }

    fn start(&self, recorder: &mut Recorder, traversal: &Traversal) {
        recorder.fill(&traversal.values, UNREACHED);
        recorder.copy(&self.skips, &self.seen);
        let step = SearchStart {
            row_offsets: &traversal.graph.row_offsets,
            source: &traversal.source,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
        };
        recorder.dispatch(&step, self.params, 1);
    }

    fn level(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = SearchLevel {
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::GROUPS);
    }

    fn resident(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = SearchResident {
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::EXPAND_GROUPS);
    }
}
