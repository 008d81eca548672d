//! The loops on a device: one that takes nodes away, and one that lowers numbers. The kernels are the folder `kcore` of the kernels.

use super::super::prelude::*;
use crate::engine::{BATCHES as ROUNDS, DevicePartition, row_classes::by_length};
use evenkeel_kernels::algorithm::{
    color::sections::{LIGHT, MEDIUM, SectionParams, SectionState},
    kcore::{
        h_index::{HIndex, HIndexData, HIndexStart},
        peel::{BATCH_LOOPS, EDGE_LOOPS, Peel, PeelData, PeelParams, PeelStart, PeelState},
    },
};
use evenkeel_types::{LoopState, RowRange, WORKGROUP, Worklist};
use std::ops::RangeInclusive;

/// Workgroups that take nodes away: one for each of an H200's 132 multiprocessors. More would take longer to wait for each other.
const COOPERATING: u32 = 132;

/// The most workgroups that lower numbers.
const GROUPS: u32 = 2112;

/// Dispatches in each batch of a graph of one partition. Nearly always the first one does everything.
const BATCHES: [usize; 3] = [1, 6, 24];

/// Records a loop that takes nodes away, from one level to another.
pub(super) fn record_peel(
    device: &Device,
    name: &str,
    parts: &[DevicePartition],
    cores: &Buffer<u32>,
    levels: RangeInclusive<u32>,
) -> Result<DeviceLoop> {
    let (info, several, first) = (device.info(), parts.len() > 1, &parts[0].graph);
    let nodes = first.nodes() as usize;
    refuse_unending(info, parts)?;
    let params = PeelParams {
        nodes: first.nodes(),
        first: *levels.start(),
        last: *levels.end(),
        // Where workgroups are threads of a CPU, waiting for each other takes longer than the work.
        groups: if info.kind.is_cpu() { 1 } else { COOPERATING },
        loop_limit: info.loop_budget() / 2,
        several: several.into(),
        rows: RowRange::default(),
    };
    let data = &PeelData {
        degrees: device.buffer("degrees", nodes)?,
        cores: cores.clone(),
        left: device.buffer("nodes left", 2 * nodes)?,
        overflow: device.buffer("overflow", 2 * nodes)?,
    };
    let state = &device.buffer("loop state", 1)?;
    let start = |recorder: &mut Recorder| recorder.dispatch(&PeelStart { graph: first, data, state }, params, nodes);
    // In several partitions a dispatch has one round of a level, of which there are many.
    let batches = if several { ROUNDS.as_slice() } else { BATCHES.as_slice() };
    DeviceLoop::record_in_batches(device, name, state, batches, start, |recorder, _| {
        for DevicePartition { graph, rows } in parts {
            let params = PeelParams { rows: *rows, ..params };
            recorder.dispatch_indirect(&Peel { graph, data, state }, params, state, PeelState::GROUPS);
        }
    })
}

/// Refuses a graph that is so large that the driver would stop in the middle of a round, with a wrong answer and no error.
fn refuse_unending(info: &DeviceInfo, parts: &[DevicePartition]) -> Result<()> {
    let Some(limit) = info.loop_limit else { return Ok(()) };
    // One workgroup that takes all nodes with all edges of the longest partition in one round.
    let edges = parts.iter().map(|part| part.graph.columns.len()).max().unwrap_or(0);
    let nodes = parts[0].graph.nodes() as usize;
    let (batches, fours) = (nodes.div_ceil(WORKGROUP as usize), edges.div_ceil(4 * WORKGROUP as usize));
    if (BATCH_LOOPS as usize + 2) * batches + EDGE_LOOPS as usize * fours < limit as usize / 2 {
        return Ok(());
    }
    let name = &info.name;
    Err(Error::Unsupported(format!(
        "the driver of {name} stops every loop after {limit} rounds, and {nodes} nodes with {edges} edges take more; take \
         --device cpu or --strategy h-index"
    )))
}

/// Records a loop that lowers numbers.
pub(super) fn record_h_index(
    device: &Device,
    name: &str,
    csr: &Csr,
    graph: &DeviceGraph,
    cores: &Buffer<u32>,
) -> Result<DeviceLoop> {
    refuse_unending_rows(device, csr)?;
    let nodes = csr.nodes() as usize;
    let (order, medium, heavy) = by_length(csr, LIGHT, MEDIUM);
    // A workgroup for 256 light nodes, for eight medium ones where subgroups have 32 invocations, and for a heavy one.
    let groups = medium.div_ceil(WORKGROUP) + (heavy - medium).div_ceil(8) + (csr.nodes() - heavy);
    let most = if device.info().loop_limit.is_some() { device.info().max_groups } else { GROUPS };
    let params = SectionParams { nodes: csr.nodes(), medium, heavy, max_groups: groups.clamp(1, most), seed: 0 };
    let order = device.buffer_from("order", &order)?;
    let marks: [Buffer<u32>; 2] = [device.buffer("even marks", nodes)?, device.buffer("odd marks", nodes)?];
    let data = [(0, 1), (1, 0)].map(|(now, next): (usize, usize)| HIndexData {
        cores: cores.clone(),
        marks: marks[now].clone(),
        next_marks: marks[next].clone(),
    });
    let state: &Buffer<SectionState> = &device.buffer("loop state", 1)?;
    // All nodes are looked at in their order, and none is put on another list: the second buffer is a placeholder.
    let worklist = &Worklist { current: order, next: cores.clone() };
    let start = |recorder: &mut Recorder| {
        recorder.fill(&marks[1], 0);
        recorder.dispatch(&HIndexStart { graph, cores, marks: &marks[0], state }, params, nodes);
    };
    DeviceLoop::record(device, name, state, start, |recorder, odd| {
        let step = HIndex { graph, worklist, data: &data[usize::from(odd)], state };
        recorder.dispatch_indirect(&step, params, state, SectionState::GROUPS);
    })
}
