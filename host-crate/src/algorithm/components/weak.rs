//! Weak components: a few dispatches, none of which waits for the host. The kernels are `components/afforest.rs` and
//! `components/all_edges.rs` of the kernels.

use super::{super::prelude::*, ComponentInputs};
use crate::engine::{DevicePartition, Order, StreamedLoop, Streaming, TileSpaces};
use evenkeel_kernels::algorithm::components::{
    AT_A_TIME, ComponentCompress, ComponentParams,
    afforest::{
        ComponentBegin, ComponentClassify, ComponentEnds, ComponentFinish, ComponentLink, ComponentPieces,
        ComponentSample, ComponentState, PIECE,
    },
    all_edges::{ComponentAlone, ComponentHook, HookParams},
};
use evenkeel_types::{LoopState, RowRange, WORKGROUP};

/// Where the driver stops long loops, an edge may take this part of the iterations, because an invocation takes many edges.
const EDGES_IN_A_ROW: u32 = 64;

/// The lengths of the list of nodes and of the list of pieces. A row that is cut has fewer than two pieces for each `PIECE` edges.
fn lengths(csr: &Csr) -> (usize, usize) {
    let listed = if csr.is_symmetric() { csr.nodes() as usize } else { 1 };
    (listed, 2 * csr.columns().len() / PIECE as usize + 1)
}

fn params(inputs: &ComponentInputs<'_>) -> ComponentParams {
    let info = inputs.device.info();
    ComponentParams {
        nodes: inputs.csr.nodes(),
        max_groups: info.max_groups,
        loop_budget: info.loop_budget(),
        symmetric: u32::from(inputs.csr.is_symmetric()),
        rows: RowRange::default(),
    }
}

/// Records Afforest.
pub(super) fn record_afforest(inputs: &ComponentInputs<'_>, name: &str) -> Result<DeviceLoop> {
    let &ComponentInputs { device, csr, graph, labels: parents, .. } = inputs;
    let (params, nodes) = (params(inputs), csr.nodes() as usize);
    let parts = graph.partitions()?;
    // What reads no columns has those of the first partition bound.
    let first = &parts[0].graph;
    let (listed, pieces) = lengths(csr);
    let list = &device.buffer("nodes outside the largest component", listed)?;
    let pieces = &device.buffer("pieces of rows", pieces)?;
    let state = &device.buffer("state", 1)?;
    let in_order = nodes.min(AT_A_TIME as usize);
    let all = |recorder: &mut Recorder, _| {
        recorder.fill(&state.cast(), 0);
        if nodes == 0 {
            return;
        }
        for DevicePartition { graph, rows } in parts.iter().filter(|part| begins(part, csr)) {
            let params = ComponentParams { rows: *rows, ..params };
            recorder.dispatch(&ComponentBegin { graph, parents }, params, rows.count as usize);
        }
        recorder.dispatch(&ComponentEnds { parents, state }, params, 2 * nodes.div_ceil(WORKGROUP as usize));
        recorder.dispatch(&ComponentCompress { parents, state }, params, in_order);
        for DevicePartition { graph, rows } in parts {
            let params = ComponentParams { rows: *rows, ..params };
            let link = ComponentLink { graph, parents, state };
            recorder.dispatch(&link, params, in_order.min(rows.count as usize));
        }
        if params.symmetric > 0 {
            recorder.dispatch(&ComponentSample { parents, state }, params, WORKGROUP as usize);
            recorder.dispatch(&ComponentClassify { graph: first, parents, list, state }, params, in_order);
        }
        for DevicePartition { graph, rows } in parts {
            let params = ComponentParams { rows: *rows, ..params };
            let finish = ComponentFinish { graph, parents, list, pieces, state };
            match params.symmetric > 0 {
                true => recorder.dispatch_indirect(&finish, params, state, ComponentState::GROUPS),
                false => recorder.dispatch(&finish, params, rows.count as usize),
            }
        }
        for DevicePartition { graph, rows } in parts {
            let params = ComponentParams { rows: *rows, ..params };
            let take = ComponentPieces { graph, parents, pieces, state };
            recorder.dispatch_indirect(&take, params, state, ComponentState::PIECE_GROUPS);
        }
        let compress = ComponentCompress { parents, state };
        match params.symmetric > 0 {
            true => recorder.dispatch_indirect(&compress, params, state, ComponentState::COMPRESS_GROUPS),
            // The trees were not compressed since they were linked.
            false => recorder.dispatch(&compress, params, in_order),
        }
    };
    DeviceLoop::record_in_batches(device, name, state, &[1], |_| (), all)
}

/// Whether the first row of a partition begins there: it is no later part of a row that is cut.
fn begins(part: &DevicePartition, csr: &Csr) -> bool {
    part.rows.is_cut == 0 || part.rows.edges_before == csr.offsets().at(part.rows.first as usize) as u32
}

/// Records a hook along every edge.
pub(super) fn record_all_edges(inputs: &ComponentInputs<'_>, choice: Choice, name: &str) -> Result<DeviceLoop> {
    let &ComponentInputs { device, csr, graph, labels: parents, .. } = inputs;
    refuse_unending_rows(device, csr)?;
    let (params, nodes) = (params(inputs), csr.nodes() as usize);
    let spaces = TileSpaces::<u32>::new(device, choice, graph.tiles(&inputs.layout)?)?;
    let state = &device.buffer("state", 1)?;
    let loop_budget = match device.info().loop_limit {
        Some(_) => params.loop_budget / EDGES_IN_A_ROW,
        None => params.loop_budget,
    };
    let start = |recorder: &mut Recorder| {
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&ComponentAlone { parents }, params, nodes);
    };
    let part = |recorder: &mut Recorder, place| {
        let (part, space) = spaces.at(place);
        let (graph, scratch) = (&part.graph, &space.buffers);
        let hook = ComponentHook { schedule: choice.schedule, graph, parents, state, scratch };
        let (symmetric, schedule) = (params.symmetric, space.scatter_params());
        let hooking = HookParams { tiles: part.range, loop_budget, symmetric, schedule };
        recorder.dispatch(&hook, hooking, space.scatter_size());
    };
    let end = |recorder: &mut Recorder| {
        recorder.dispatch(&ComponentCompress { parents, state }, params, nodes.min(AT_A_TIME as usize));
    };
    if inputs.layout.is_streamed() {
        let (arrays, order) = (&[spaces.columns()][..], Order::Any);
        let streaming = Streaming { start: &start, part: &part, end: &end, needs: None, arrays, order };
        return Ok(StreamedLoop::record(device, name, state, std::iter::empty(), &streaming)?.into());
    }
    DeviceLoop::record_in_batches(device, name, state, &[1], start, |recorder, _| {
        spaces.places().for_each(|place| part(recorder, place));
        end(recorder);
    })
}
