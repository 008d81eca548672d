//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' folder `direction`).

use super::{DeviceGraph, DeviceLoop, Iterate, Operator, Traversal, Tuning};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::{Csr, statistics::Skew},
};
use evenkeel_kernels::strategy::direction::{
    SearchLevel,
    abreast::SearchAbreast,
    begin::{SearchSkips, SearchStart},
    pull::LONG,
    resident::{INVOCATIONS, SHORT, SHORT_ROW, SearchResident},
};
use evenkeel_types::{Control, SearchParams};
use rayon::prelude::*;

/// See the module.
pub(super) struct Direction;

/// The most workgroups of a dispatch: five for each of an H200's 132 multiprocessors, which is how many run at a time there. More
/// only take turns.
const MAX_GROUPS: u32 = 660;

/// Where nodes have fewer edges than this on average, and none has many, frontiers grow slowly and there are many levels.
const FEW: f64 = 6.0;

/// Workgroups that take many levels of a middling frontier in one dispatch.
const ABREAST: u32 = 16;
/// The longest frontier that they take: four nodes for each of their invocations.
const MIDDLING: u32 = ABREAST * 1024;

/// Nodes that an invocation prepares at the start.
const NODES_AT_START: u32 = 8;

/// Levels of the whole dispatch between two chances to take many levels in one: each chance not taken costs 3 µs on an H200.
const LEVELS_BETWEEN: usize = 2;

/// Without pulling, and a dispatch for each level.
fn params(graph: &DeviceGraph) -> SearchParams {
    SearchParams {
        nodes: graph.nodes(),
        edges: graph.columns.len() as u32,
        max_groups: MAX_GROUPS,
        can_pull: 0,
        short: 0,
        middling: 0,
        few_groups: 0,
        turns: 0,
        mean_degree: graph.columns.len().div_ceil(graph.nodes().max(1) as usize) as u32,
        long: 0,
    }
}

/// Whether there will be many levels, and the device has what it takes to do many in one dispatch.
pub(super) fn many_levels(device: &Device, skew: Skew) -> bool {
    skew.mean < FEW && skew.highest <= SHORT_ROW && device.info().workgroup_invocations >= INVOCATIONS
}

/// How many of so many workgroups wait for each other: where they are threads of a CPU, that takes longer than the work.
pub(super) fn that_wait(device: &Device, groups: u32) -> u32 {
    if device.info().kind.is_cpu() { 1 } else { groups }
}

/// The nodes that have a subgroup to themselves when they pull.
fn long_rows(csr: &Csr) -> Vec<u32> {
    (0..csr.nodes()).into_par_iter().filter(|&node| csr.degree(node) > LONG).collect()
}

impl Iterate for Direction {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let words = nodes.div_ceil(32);
        MemoryPlan::new()
            .with::<u32>("lists", 2 * nodes)
            .with::<u32>("seen", 2 * words)
            .with::<u32>("skips", words)
            .with::<u32>("long rows", long_rows(csr).len())
            .with::<Control>("control", 1)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, skew, .. } = traversal;
        let many_levels = many_levels(device, *skew);
        let mut params = SearchParams { can_pull: traversal.is_symmetric().into(), ..params(graph) };
        if many_levels {
            let few_groups = that_wait(device, ABREAST);
            params =
                SearchParams { short: SHORT, middling: MIDDLING, few_groups, turns: device.info().turns(), ..params };
        }
        let steps = Steps::new(device, params, traversal)?;
        DeviceLoop::record(
            device,
            name,
            &steps.control,
            |recorder| steps.start(recorder, traversal),
            |recorder, _| {
                if many_levels {
                    steps.resident(recorder, traversal);
                    steps.abreast(recorder, traversal);
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
    long: Buffer<u32>,
    seen: Buffer<u32>,
    lists: Buffer<u32>,
    control: Buffer<Control>,
    words: Buffer<u32>,
}

impl Steps {
    fn new(device: &Device, mut params: SearchParams, traversal: &Traversal) -> Result<Self> {
        let graph = &traversal.graph;
        let words = params.words() as usize;
        let long = long_rows(&traversal.csr);
        params.long = long.len() as u32;
        let (skips, long) = (device.buffer("skips", words)?, device.buffer_from("long rows", &long)?);
        let step = SearchSkips { row_offsets: &graph.row_offsets, skips: &skips };
        device.record("nodes to skip", |recorder| recorder.dispatch(&step, params, words))?.run()?;
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            params,
            skips,
            long,
            seen: device.buffer("seen", 2 * words)?,
            lists: device.buffer("lists", 2 * params.nodes as usize)?,
            words: control.cast(),
            control,
        })
    }

    fn start(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = SearchStart {
            row_offsets: &traversal.graph.row_offsets,
            source: &traversal.source,
            skips: &self.skips,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
        };
        recorder.dispatch(&step, self.params, self.params.nodes.div_ceil(NODES_AT_START) as usize);
    }

    fn level(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = SearchLevel {
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
            long: &self.long,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::GROUPS);
    }

    fn abreast(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = SearchAbreast {
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            depths: &traversal.values,
            seen: &self.seen,
            lists: &self.lists,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::ABREAST_GROUPS);
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
