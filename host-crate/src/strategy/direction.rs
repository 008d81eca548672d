//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' folder `direction`).

use super::prelude::*;
use crate::graph::Skew;
use evenkeel_kernels::{
    rounds::{INVOCATIONS, SHORT, SHORT_ROW},
    strategy::direction::{
        LONG, SearchData, SearchLevel, SearchParams, SearchState,
        begin::{SearchIsolated, SearchStart},
        many_levels::{SearchCooperating, SearchPersistent},
    },
};
use evenkeel_types::Csr as Rows;
use rayon::prelude::*;

/// The strategy `direction`.
#[derive(Clone)]
pub(super) struct Direction;

/// The most workgroups of a dispatch: five for each of an H200's 132 multiprocessors, which is how many run at a time there. More
/// would only wait.
const MAX_GROUPS: u32 = 660;

/// Where nodes have fewer edges than this on average, and none has many, frontiers grow slowly and there are many levels.
const FEW: f64 = 6.0;

/// Workgroups that take many levels of a frontier of medium length in one dispatch.
const COOPERATING: u32 = 16;
/// The longest frontier that they take: four nodes for each of their invocations.
const MEDIUM: u32 = COOPERATING * 1024;

/// Nodes that an invocation prepares at the start.
const NODES_AT_START: u32 = 8;

/// Levels of the whole dispatch between two chances to take many levels in one: each chance not taken costs an empty dispatch.
const LEVELS_BETWEEN: usize = 2;

/// Without pulling, and a dispatch for each level.
fn params(graph: &DeviceGraph) -> SearchParams {
    SearchParams {
        nodes: graph.nodes(),
        edges: graph.columns.len() as u32,
        max_groups: MAX_GROUPS,
        can_pull: 0,
        short: 0,
        medium: 0,
        cooperating: 0,
        loop_limit: 0,
        mean_degree: graph.columns.len().div_ceil(graph.nodes().max(1) as usize) as u32,
        long: 0,
    }
}

/// Whether there will be many levels, and the device has what it takes to do many in one dispatch.
pub(super) fn many_levels(device: &Device, skew: Skew) -> bool {
    skew.mean < FEW && skew.highest <= SHORT_ROW && device.info().workgroup_invocations >= INVOCATIONS
}

/// How many of so many workgroups cooperate: where they are threads of a CPU, waiting for each other takes longer than the work.
pub(super) fn cooperating(device: &Device, groups: u32) -> u32 {
    if device.info().kind.is_cpu() { 1 } else { groups }
}

/// The nodes that have a subgroup to themselves when they pull.
fn long_rows(csr: &Csr) -> Vec<u32> {
    (0..csr.nodes()).into_par_iter().filter(|&node| csr.degree(node) > LONG).collect()
}

impl Strategy for Direction {
    fn about(&self) -> About {
        About::new(
            "direction",
            "Beamer et al.",
            "pushes from a short frontier, many levels a dispatch; else unseen nodes pull",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
    }

    fn plan(&self, csr: &Csr, _: Target<'_>) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let words = nodes.div_ceil(32);
        MemoryPlan::new()
            .with::<u32>("lists", 2 * nodes)
            .with::<u32>("visited", 2 * words)
            .with::<u32>("isolated", words)
            .with::<u32>("long rows", long_rows(csr).len())
            .with::<SearchState>("state", 1)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, csr, .. } = traversal;
        let many_levels = many_levels(device, csr.skew());
        let mut params = SearchParams { can_pull: csr.is_symmetric().into(), ..params(graph) };
        if many_levels {
            let (cooperating, loop_limit) = (cooperating(device, COOPERATING), device.info().loop_budget());
            params = SearchParams { short: SHORT, medium: MEDIUM, cooperating, loop_limit, ..params };
        }
        let steps = Steps::new(device, params, traversal)?;
        DeviceLoop::record(
            device,
            name,
            &steps.state,
            |recorder| steps.start(recorder, traversal),
            |recorder, _| {
                if many_levels {
                    steps.many_levels(recorder);
                }
                for _ in 0..if many_levels { LEVELS_BETWEEN } else { 1 } {
                    steps.level(recorder);
                }
            },
        )
    }
}

/// What an iteration is made of.
struct Steps {
    params: SearchParams,
    graph: Rows<Buffers>,
    data: SearchData<Buffers>,
    isolated: Buffer<u32>,
    long: Buffer<u32>,
    state: Buffer<SearchState>,
}

impl Steps {
    fn new(device: &Device, mut params: SearchParams, traversal: &Traversal) -> Result<Self> {
        let words = params.words() as usize;
        let long = long_rows(&traversal.csr);
        params.long = long.len() as u32;
        let (isolated, long) = (device.buffer("isolated", words)?, device.buffer_from("long rows", &long)?);
        let graph = traversal.graph.clone();
        let step = SearchIsolated { graph: &graph, isolated: &isolated };
        device.record("isolated nodes", |recorder| recorder.dispatch(&step, params, words))?.run()?;
        let data = SearchData {
            depths: traversal.data.values.clone(),
            visited: device.buffer("visited", 2 * words)?,
            lists: device.buffer("lists", 2 * params.nodes as usize)?,
        };
        Ok(Self { params, graph, data, isolated, long, state: device.buffer("state", 1)? })
    }

    fn start(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let Self { params, graph, data, isolated, state, .. } = self;
        let step = SearchStart { graph, source: &traversal.source, isolated, data, state };
        recorder.dispatch(&step, *params, params.nodes.div_ceil(NODES_AT_START) as usize);
    }

    fn level(&self, recorder: &mut Recorder) {
        let Self { params, graph, data, long, state, .. } = self;
        let step = SearchLevel { graph, data, state, long };
        recorder.dispatch_indirect(&step, *params, state, SearchState::GROUPS);
    }

    fn many_levels(&self, recorder: &mut Recorder) {
        let Self { params, graph, data, state, .. } = self;
        let persistent = SearchPersistent { graph, data, state };
        recorder.dispatch_indirect(&persistent, *params, state, SearchState::PERSISTENT_GROUPS);
        let cooperating = SearchCooperating { graph, data, state };
        recorder.dispatch_indirect(&cooperating, *params, state, SearchState::COOPERATING_GROUPS);
    }
}
