//! A breadth-first search that chooses its direction at every level, on the device, and takes many levels in one dispatch while
//! the frontier is short (see the kernels' folder `direction`).

use super::{
    prelude::*,
    rounds::{CooperationPlan, MAX_GROUPS},
};
use crate::engine::{
    DevicePartition, Order, Part, SharedGraph, StreamedLoop, Streaming, edge_shift, row_classes::long_rows, rows_bytes,
};
use evenkeel_kernels::strategy::direction::{
    LONG, SearchData, SearchLevel, SearchParams, SearchState,
    begin::{SearchHubs, SearchIsolated, SearchStart},
    many_levels::{SearchCooperating, SearchPersistent},
    needs::{SearchNeeds, SearchNeedsParams},
};
use evenkeel_types::{RowRange, UNREACHED, WORKGROUP};
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

/// The most of a device's memory that a graph may take together with what only makes its searches faster.
const SHARE_OF_MEMORY: f64 = 0.8;

/// Whether there is memory for so many copies of the rows, and for what is kept for each node: a stream of the graph would cost more than is saved.
fn has_memory(csr: &Csr, device: &DeviceInfo, copies: u64) -> bool {
    /// Depths, parents, lists and hubs, and what else there may be.
    const BYTES_OF_A_NODE: u64 = 24;
    let bytes = copies * rows_bytes(csr) + BYTES_OF_A_NODE * u64::from(csr.nodes());
    bytes as f64 <= SHARE_OF_MEMORY * device.available() as f64
}

/// Whether the edges that lead to each node are kept beside those that leave it: where these differ, and there is memory for them.
fn keeps_reverse(csr: &Csr, device: &DeviceInfo) -> bool {
    !csr.is_symmetric() && has_memory(csr, device, 2)
}

/// Whether each node's neighbour of the highest degree is found beforehand, for nodes that pull. Where degrees are skewed, it is visited before most
/// others.
fn finds_hubs(csr: &Csr, device: &DeviceInfo) -> bool {
    csr.skew().has_hubs() && if csr.is_symmetric() { has_memory(csr, device, 1) } else { keeps_reverse(csr, device) }
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

    fn takes_partitions(&self) -> bool {
        true
    }

    /// A workgroup shares the edges of its rows.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::longest_row(csr)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (csr, parts) = (&traversal.csr, &traversal.parts.list);
        let graph = &parts[0].graph;
        let symmetric = csr.is_symmetric();
        let keeps_reverse = keeps_reverse(csr, device.info()) && !traversal.parts.are_streamed();
        let reversed = if keeps_reverse { Some(traversal.shared.incoming(false)?) } else { None };
        let long: Vec<u32> = long_rows(reversed.as_ref().map_or(csr, SharedGraph::csr), LONG).collect();
        let incoming_parts: Vec<DevicePartition> = match &reversed {
            Some(reversed) => reversed.partitions()?.to_vec(),
            None => parts.iter().map(|part| DevicePartition { graph: part.graph.clone(), rows: part.rows }).collect(),
        };
        let finds_hubs = finds_hubs(csr, device.info()) && !traversal.parts.are_streamed();
        let rounds = CooperationPlan::in_parts(device.info(), csr.skew(), &traversal.parts, COOPERATING);
        let CooperationPlan { short, medium, cooperating, loop_limit } = rounds;
        let params = SearchParams {
            nodes: csr.nodes(),
            edges: (csr.edges() >> edge_shift(csr)) as u32,
            edge_shift: edge_shift(csr),
            max_groups: MAX_GROUPS,
            pull_factor: if symmetric || reversed.is_some() { PULL_FACTOR } else { 0 },
            symmetric: symmetric.into(),
            short,
            medium,
            cooperating,
            loop_limit,
            mean_degree: csr.edges().div_ceil(csr.nodes().max(1).into()) as u32,
            long: long.len() as u32,
            hubs: finds_hubs.into(),
            target: traversal.target.unwrap_or(UNREACHED),
            rows: parts[0].rows,
            incoming_rows: incoming_parts[0].rows,
        };
        let words = params.words() as usize;
        let (isolated, long) = (&device.buffer("isolated", words)?, &device.buffer_from("long rows", &long)?);
        let hubs = &device.buffer("hubs", if finds_hubs { csr.nodes() as usize } else { 0 })?;
        let find_isolated = SearchIsolated { graph, isolated };
        let prepare = |recorder: &mut Recorder| {
            recorder.dispatch(&find_isolated, params, words);
            for DevicePartition { graph: incoming, rows } in incoming_parts.iter().filter(|_| finds_hubs) {
                let params = SearchParams { incoming_rows: *rows, ..params };
                let invocations = device.info().subgroup_size as usize * rows.count as usize;
                recorder.dispatch(&SearchHubs { incoming, hubs }, params, invocations);
            }
        };
        device.record("isolated nodes and hubs", prepare)?.run()?;
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
        let most_items = u64::from(params.nodes).max(csr.edges());
        let level_groups = most_items.div_ceil(WORKGROUP.into()).min(MAX_GROUPS.into()) as u32;
        let level = |recorder: &mut Recorder,
                     (graph, rows): (&DeviceGraph, RowRange),
                     (incoming, incoming_rows): (&DeviceGraph, RowRange)| {
            let level = SearchLevel { graph, incoming, data, state, long, hubs };
            let params = SearchParams { rows, incoming_rows, ..params };
            recorder.dispatch_in_loop(&level, params, state, SearchState::GROUPS, level_groups);
        };
        // Where there are fewer partitions of one kind, and at the end of an iteration of a stream, there are no rows.
        let (none, no_incoming) = ((graph, RowRange::default()), (&incoming_parts[0].graph, RowRange::default()));
        if traversal.parts.are_streamed() {
            let end = RowRange { is_last: 1, ..RowRange::default() };
            let streaming = Streaming {
                start: &start,
                part: &|recorder, place| {
                    let Part { graph, rows, .. } = traversal.parts.at(place);
                    level(recorder, (&graph, rows), (&graph, rows));
                },
                end: &|recorder| level(recorder, (graph, end), no_incoming),
                needs: Some(&|recorder, needed, needs| {
                    let nodes = params.nodes;
                    let params = SearchNeedsParams { nodes, needs };
                    recorder.dispatch(&SearchNeeds { data, state, needed }, params, nodes as usize);
                }),
                arrays: &traversal.parts.arrays(),
                order: Order::Any,
            };
            return Ok(StreamedLoop::record(device, name, state, traversal.parts.rows(), &streaming)?.into());
        }
        rounds.record((device, name, state), start, many_levels, |recorder| {
            let dispatches = parts.len().max(incoming_parts.len());
            for place in 0..dispatches {
                let (graph, rows) = parts.get(place).map_or(none, |it| (&it.graph, it.rows));
                let incoming = incoming_parts.get(place).map_or(no_incoming, |it| (&it.graph, it.rows));
                level(recorder, (graph, RowRange { is_last: (place + 1 == dispatches).into(), ..rows }), incoming);
            }
        })
    }
}
