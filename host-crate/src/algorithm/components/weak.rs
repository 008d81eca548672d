//! Weak components: a few dispatches, none of which waits for the host. The kernels are `components/afforest.rs` and
//! `components/all_edges.rs` of the kernels.

use super::{super::prelude::*, Job};
use evenkeel_kernels::algorithm::components::{
    AT_A_TIME, ComponentCompress, ComponentParams,
    afforest::{
        ComponentBegin, ComponentClassify, ComponentEnds, ComponentFinish, ComponentLink, ComponentPieces,
        ComponentSample, ComponentState, PIECE,
    },
    all_edges::{ComponentAlone, ComponentHook, HookParams},
};
use evenkeel_types::{LoopState, Remainder, WORKGROUP};

/// Where the driver stops long loops, an edge may take this part of the iterations, because an invocation takes many edges.
const EDGES_IN_A_ROW: u32 = 64;

/// The lengths of the list of nodes and of the list of pieces. A row that is cut has fewer than two pieces for each `PIECE` edges.
fn lengths(csr: &Csr) -> (usize, usize) {
    let listed = if csr.is_symmetric() { csr.nodes() as usize } else { 1 };
    (listed, 2 * csr.columns().len() / PIECE as usize + 1)
}

/// The memory of Afforest beside the graph and the answer.
pub(super) fn plan_afforest(csr: &Csr) -> MemoryPlan {
    let (listed, pieces) = lengths(csr);
    MemoryPlan::new()
        .with::<u32>("nodes outside the largest component", listed)
        .with::<Remainder>("pieces of rows", pieces)
        .with::<ComponentState>("state", 1)
}

/// The memory for all edges under a schedule, likewise.
pub(super) fn plan_all_edges(csr: &Csr, schedule: Schedule) -> MemoryPlan {
    ScratchSpace::<u32>::plan_gather(schedule, extent(csr)).with::<ComponentState>("state", 1)
}

fn params(job: &Job<'_>) -> ComponentParams {
    let info = job.device.info();
    ComponentParams {
        nodes: job.csr.nodes(),
        max_groups: info.max_groups,
        loop_budget: info.loop_budget(),
        symmetric: u32::from(job.csr.is_symmetric()),
    }
}

/// Records Afforest.
pub(super) fn record_afforest(job: &Job<'_>, name: &str) -> Result<DeviceLoop> {
    let &Job { device, csr, graph, labels: parents, .. } = job;
    let (params, nodes) = (params(job), csr.nodes() as usize);
    let (listed, pieces) = lengths(csr);
    let list = &device.buffer("nodes outside the largest component", listed)?;
    let pieces = &device.buffer("pieces of rows", pieces)?;
    let state = &device.buffer("state", 1)?;
    let in_order = nodes.min(AT_A_TIME as usize);
    let finish = ComponentFinish { graph, parents, list, pieces, state };
    let all = |recorder: &mut Recorder, _| {
        recorder.fill(&state.cast(), 0);
        if nodes == 0 {
            return;
        }
        recorder.dispatch(&ComponentBegin { graph, parents }, params, nodes);
        recorder.dispatch(&ComponentEnds { parents, state }, params, 2 * nodes.div_ceil(WORKGROUP as usize));
        recorder.dispatch(&ComponentCompress { parents, state }, params, in_order);
        recorder.dispatch(&ComponentLink { graph, parents, state }, params, in_order);
        if params.symmetric > 0 {
            recorder.dispatch(&ComponentSample { parents, state }, params, WORKGROUP as usize);
            recorder.dispatch(&ComponentClassify { graph, parents, list, state }, params, in_order);
            recorder.dispatch_indirect(&finish, params, state, ComponentState::GROUPS);
        } else {
            recorder.dispatch(&finish, params, nodes);
        }
        let take = ComponentPieces { graph, parents, pieces, state };
        recorder.dispatch_indirect(&take, params, state, ComponentState::PIECE_GROUPS);
        let compress = ComponentCompress { parents, state };
        match params.symmetric > 0 {
            true => recorder.dispatch_indirect(&compress, params, state, ComponentState::COMPRESS_GROUPS),
            // The trees were not compressed since they were linked.
            false => recorder.dispatch(&compress, params, in_order),
        }
    };
    DeviceLoop::record_in_batches(device, name, state, &[1], |_| (), all)
}

/// Records a hook along every edge.
pub(super) fn record_all_edges(job: &Job<'_>, choice: Choice, name: &str) -> Result<DeviceLoop> {
    let &Job { device, csr, graph, labels: parents, .. } = job;
    refuse_unending_rows(device, csr)?;
    let (params, nodes) = (params(job), csr.nodes() as usize);
    let space = ScratchSpace::<u32>::gather(device, choice, &graph.row_offsets, extent(csr))?;
    let state = &device.buffer("state", 1)?;
    let loop_budget = match device.info().loop_limit {
        Some(_) => params.loop_budget / EDGES_IN_A_ROW,
        None => params.loop_budget,
    };
    let all = |recorder: &mut Recorder, _| {
        let ComponentParams { nodes: count, symmetric, .. } = params;
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&ComponentAlone { parents }, params, nodes);
        let hook = ComponentHook { schedule: choice.schedule, graph, parents, state, scratch: &space.buffers };
        let hooking = HookParams { nodes: count, loop_budget, symmetric, schedule: space.scatter_params() };
        recorder.dispatch(&hook, hooking, space.scatter_size());
        recorder.dispatch(&ComponentCompress { parents, state }, params, nodes.min(AT_A_TIME as usize));
    };
    DeviceLoop::record_in_batches(device, name, state, &[1], |_| (), all)
}
