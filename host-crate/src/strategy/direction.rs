//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' folder `direction`).

use super::{
    prelude::*,
    rounds::{MAX_GROUPS, Rounds},
};
use evenkeel_kernels::strategy::direction::{
    LONG, SearchData, SearchLevel, SearchParams, SearchState,
    begin::{SearchIsolated, SearchStart},
    many_levels::{SearchCooperating, SearchPersistent},
};
use rayon::prelude::*;

/// The strategy `direction`.
#[derive(Clone)]
pub(super) struct Direction;

/// Workgroups that take many levels of a frontier of medium length in one dispatch.
const COOPERATING: u32 = 16;

/// Nodes that an invocation prepares at the start.
const NODES_AT_START: u32 = 8;

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
        let rounds = Rounds::new(device.info(), traversal.csr.skew(), COOPERATING);
        let steps = Steps::new(device, traversal, rounds)?;
        rounds.record(
            (device, name, &steps.state),
            |recorder| steps.start(recorder, traversal),
            |recorder| steps.many_levels(recorder),
            |recorder| steps.level(recorder),
        )
    }
}

/// What an iteration is made of.
struct Steps {
    params: SearchParams,
    graph: DeviceGraph,
    data: SearchData<Buffers>,
    isolated: Buffer<u32>,
    long: Buffer<u32>,
    state: Buffer<SearchState>,
}

impl Steps {
    fn new(device: &Device, traversal: &Traversal, rounds: Rounds) -> Result<Self> {
        let (csr, graph, long) = (&traversal.csr, traversal.graph.clone(), long_rows(&traversal.csr));
        let (nodes, edges, Rounds { short, medium, cooperating, loop_limit }) = (csr.nodes(), csr.edges(), rounds);
        let params = SearchParams {
            nodes,
            edges,
            max_groups: MAX_GROUPS,
            can_pull: csr.is_symmetric().into(),
            short,
            medium,
            cooperating,
            loop_limit,
            mean_degree: edges.div_ceil(nodes.max(1)),
            long: long.len() as u32,
        };
        let words = params.words() as usize;
        let (isolated, long) = (device.buffer("isolated", words)?, device.buffer_from("long rows", &long)?);
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
