//! Strongly connected components of a directed graph. The kernels are `components/strong.rs` of the kernels.

use super::{super::prelude::*, Job};
use evenkeel_kernels::algorithm::components::strong::{
    StrongParams, StrongPropagate, StrongSettle, StrongStart, StrongState,
};
use evenkeel_types::{LoopState, WORKGROUP};

/// The memory beside the graph and the answer.
pub(super) fn plan(csr: &Csr, schedule: Schedule) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    ScratchSpace::<u32>::plan_gather(schedule, extent(csr))
        .with::<u32>("smallest nodes reached", nodes)
        .with::<[u32; 2]>("parts", nodes)
        .with::<StrongState>("loop state", 1)
}

/// Records the loop: signatures are handed on until none changes, then nodes are settled, until all are.
pub(super) fn record(job: &Job<'_>, choice: Choice, name: &str) -> Result<DeviceLoop> {
    // The smallest node that reaches a node is what its label becomes.
    let &Job { device, csr, graph, labels: reached_from, .. } = job;
    refuse_unending_rows(device, csr)?;
    let nodes = csr.nodes() as usize;
    let space = ScratchSpace::<u32>::gather(device, choice, &graph.row_offsets, extent(csr))?;
    let reaches = &device.buffer("smallest nodes reached", nodes)?;
    let parts = &device.buffer("parts", 2 * nodes)?;
    let state = &device.buffer("loop state", 1)?;
    let groups = |items: usize| items.div_ceil(WORKGROUP as usize).clamp(1, device.info().max_groups as usize) as u32;
    let params = StrongParams {
        nodes: csr.nodes(),
        edge_groups: groups(space.scatter_size()),
        node_groups: groups(nodes),
        schedule: space.scatter_params(),
    };
    let start = |recorder: &mut Recorder| {
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&StrongStart { reached_from, reaches, parts, state }, params, nodes);
    };
    let iteration = |recorder: &mut Recorder, _| {
        let (schedule, scratch) = (choice.schedule, &space.buffers);
        let propagate = StrongPropagate { schedule, graph, reached_from, reaches, parts, state, scratch };
        recorder.dispatch_indirect(&propagate, params, state, StrongState::GROUPS);
        let settle = StrongSettle { reached_from, reaches, parts, state };
        recorder.dispatch_indirect(&settle, params, state, StrongState::SETTLE_GROUPS);
    };
    DeviceLoop::record(device, name, state, start, iteration)
}
