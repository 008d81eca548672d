//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' folder `direction`).

use super::{
    prelude::*,
    rounds::{MAX_GROUPS, Rounds},
};
use crate::graph::transform::transpose;
use evenkeel_kernels::strategy::direction::{
    LONG, SearchData, SearchLevel, SearchParams, SearchState,
    begin::{SearchIsolated, SearchStart},
    many_levels::{SearchCooperating, SearchPersistent},
};
use evenkeel_types::UNREACHED;
use rayon::prelude::*;

/// The strategy `direction`.
#[derive(Clone)]
pub(super) struct Direction;

/// Workgroups that take many levels of a frontier of medium length in one dispatch.
const COOPERATING: u32 = 16;

/// A frontier pulls when its edges times this are more than those of the nodes not visited yet (Beamer et al., section 5, have 14, on a CPU).
const PULL_FACTOR: u32 = 8;

/// Nodes that an invocation prepares at the start.
const NODES_AT_START: u32 = 8;

/// The most of a device's memory that a graph and its reverse may take, for a search in both directions.
const SHARE_OF_MEMORY: f64 = 0.8;

/// The nodes that have a subgroup to themselves when they pull along these edges.
fn long_rows(incoming: &Csr) -> impl ParallelIterator<Item = u32> {
    (0..incoming.nodes()).into_par_iter().filter(|&node| incoming.degree(node) > LONG)
}

/// Whether the edges that lead to each node are kept beside those that leave it: where these differ, and there is memory for them.
fn keeps_reverse(csr: &Csr, device: &DeviceInfo) -> bool {
    let both = 2 * DeviceGraph::plan(csr).bytes();
    !csr.is_symmetric() && both as f64 <= SHARE_OF_MEMORY * device.memory as f64
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

    fn plan(&self, csr: &Csr, target: Target<'_>) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let words = nodes.div_ceil(32);
        // Whichever of its rows are long, there are no more of them than this.
        let (reverse, long) = match keeps_reverse(csr, target.device) {
            true => (DeviceGraph::plan(csr), csr.columns().len() / LONG as usize),
            false => (MemoryPlan::new(), long_rows(csr).count()),
        };
        reverse
            .with::<u32>("lists", 2 * nodes)
            .with::<u32>("visited", 2 * words)
            .with::<u32>("isolated", words)
            .with::<u32>("long rows", long)
            .with::<SearchState>("state", 1)
    }

    /// A workgroup shares the edges of its rows.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::longest_row(csr)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (csr, graph) = (&traversal.csr, &traversal.graph);
        let symmetric = csr.is_symmetric();
        let reversed = if keeps_reverse(csr, device.info()) { Some(transpose(&csr.without_weights())?) } else { None };
        let long: Vec<u32> = long_rows(reversed.as_ref().unwrap_or(csr)).collect();
        let on_device = reversed.as_ref().map(|reversed| DeviceGraph::upload(device, reversed)).transpose()?;
        let incoming = on_device.as_ref().unwrap_or(graph);
        let rounds = Rounds::new(device.info(), csr.skew(), COOPERATING);
        let Rounds { short, medium, cooperating, loop_limit } = rounds;
        let params = SearchParams {
            nodes: csr.nodes(),
            edges: csr.edges(),
            max_groups: MAX_GROUPS,
            pull_factor: if symmetric || reversed.is_some() { PULL_FACTOR } else { 0 },
            symmetric: symmetric.into(),
            short,
            medium,
            cooperating,
            loop_limit,
            mean_degree: csr.edges().div_ceil(csr.nodes().max(1)),
            long: long.len() as u32,
            target: traversal.target.unwrap_or(UNREACHED),
        };
        let words = params.words() as usize;
        let (isolated, long) = (&device.buffer("isolated", words)?, &device.buffer_from("long rows", &long)?);
        let find_isolated = SearchIsolated { graph, isolated };
        device.record("isolated nodes", |recorder| recorder.dispatch(&find_isolated, params, words))?.run()?;
        let data = &SearchData {
            depths: traversal.data.values.clone(),
            visited: device.buffer("visited", 2 * words)?,
            lists: device.buffer("lists", 2 * params.nodes as usize)?,
        };
        let state = &device.buffer("state", 1)?;
        let start = |recorder: &mut Recorder| {
            let start = SearchStart { graph, source: &traversal.source, isolated, data, state };
            recorder.dispatch(&start, params, params.nodes.div_ceil(NODES_AT_START) as usize);
        };
        let many_levels = |recorder: &mut Recorder| {
            let persistent = SearchPersistent { graph, data, state };
            recorder.dispatch_indirect(&persistent, params, state, SearchState::PERSISTENT_GROUPS);
            let cooperating = SearchCooperating { graph, data, state };
            recorder.dispatch_indirect(&cooperating, params, state, SearchState::COOPERATING_GROUPS);
        };
        rounds.record((device, name, state), start, many_levels, |recorder| {
            let level = SearchLevel { graph, incoming, data, state, long };
            recorder.dispatch_indirect(&level, params, state, SearchState::GROUPS);
        })
    }
}
