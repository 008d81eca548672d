//! Strongly connected components of a directed graph. The kernels are `components/strong.rs` of the kernels.

use super::{super::prelude::*, ComponentInputs};
use crate::engine::{Order, StreamedLoop, Streaming, TileSpaces};
use evenkeel_kernels::algorithm::components::strong::{
    StrongParams, StrongPropagate, StrongSettle, StrongStart, StrongState,
};
use evenkeel_types::{LoopState, TileRange, WORKGROUP};

/// Records the loop: signatures are handed on until none changes, then nodes are settled, until all are.
pub(super) fn record(inputs: &ComponentInputs<'_>, choice: Choice, name: &str) -> Result<DeviceLoop> {
    // The smallest node that reaches a node is what its label becomes.
    let &ComponentInputs { device, csr, graph, layout, labels: reached_from } = inputs;
    refuse_unending_rows(device, csr)?;
    let nodes = csr.nodes() as usize;
    let spaces = TileSpaces::<u32>::new(device, choice, graph.tiles(&layout)?)?;
    let reaches = &device.buffer("smallest nodes reached", nodes)?;
    let parts = &device.buffer("parts", 2 * nodes)?;
    let state = &device.buffer("loop state", 1)?;
    let groups = |items: usize| items.div_ceil(WORKGROUP as usize).clamp(1, device.info().max_groups as usize) as u32;
    let params = StrongParams {
        nodes: csr.nodes(),
        edge_groups: groups(spaces.scatter_size()),
        node_groups: groups(nodes),
        tiles: TileRange::default(),
        schedule: choice.params(),
    };
    let start = |recorder: &mut Recorder| {
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&StrongStart { reached_from, reaches, parts, state }, params, nodes);
    };
    let propagate = |recorder: &mut Recorder, place| {
        let (part, space) = spaces.at(place);
        let (schedule, graph, scratch) = (choice.schedule, &part.graph, &space.buffers);
        let propagate = StrongPropagate { schedule, graph, reached_from, reaches, parts, state, scratch };
        let params = StrongParams { tiles: part.range, ..params };
        recorder.dispatch_indirect(&propagate, params, state, StrongState::GROUPS);
    };
    let settle = |recorder: &mut Recorder| {
        let settle = StrongSettle { reached_from, reaches, parts, state };
        recorder.dispatch_indirect(&settle, params, state, StrongState::SETTLE_GROUPS);
    };
    if layout.is_streamed() {
        // The last partition ends the iteration.
        let (arrays, order) = (&[spaces.columns()][..], Order::Ascending);
        let streaming = Streaming { start: &start, part: &propagate, end: &settle, needs: None, arrays, order };
        return Ok(StreamedLoop::record(device, name, state, std::iter::empty(), &streaming)?.into());
    }
    DeviceLoop::record(device, name, state, start, |recorder, _| {
        spaces.places().for_each(|place| propagate(recorder, place));
        settle(recorder);
    })
}
