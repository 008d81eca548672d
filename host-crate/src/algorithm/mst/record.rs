//! The loop of a spanning forest on a GPU. The kernels are `algorithm/mst.rs` of the kernels.

use super::{super::prelude::*, Job, is_symmetric};
use evenkeel_kernels::algorithm::mst::{
    EdgesRead, EdgesWritten, MstFill, MstFirst, MstForget, MstJoin, MstLightest, MstParams, MstStart, MstState,
};
use evenkeel_types::LoopState;

/// Iterations before the host looks whether there are more: most graphs need 8 to 16.
const BATCHES: [usize; 3] = [10, 6, 16];

/// The most edges that a list holds: where each has its reverse, one of the two.
fn capacity(csr: &Csr) -> usize {
    let stored = csr.columns().len();
    if is_symmetric(csr) { stored / 2 } else { stored }
}

/// The memory beside the graph, its weights and the forest.
pub(super) fn plan(csr: &Csr) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    ScratchSpace::<u32>::plan_gather(Schedule::NonzeroSplit, extent(csr))
        .with::<[u32; 4]>("edges", capacity(csr))
        .with::<[u32; 4]>("edges that are left", capacity(csr))
        .with::<u32>("parents", nodes)
        .with::<u32>("lightest weights", nodes)
        .with::<u32>("first edges", nodes)
        .with::<MstState>("loop state", 1)
}

/// A list of edges, to be read and to be written.
struct List {
    read: EdgesRead<Buffers>,
    written: EdgesWritten<Buffers>,
}

impl List {
    fn new(device: &Device, capacity: usize) -> Result<Self> {
        let buffer = || device.buffer::<u32>("edges", capacity);
        let (ones, others, places, keys) = (buffer()?, buffer()?, buffer()?, buffer()?);
        let written = EdgesWritten { ones, others, places, keys };
        let EdgesWritten { ones, others, places, keys } = written.clone();
        Ok(Self { read: EdgesRead { ones, others, places, keys }, written })
    }
}

/// Records the loop.
pub(super) fn record(job: &Job<'_>, shared: &SharedGraph, name: &str) -> Result<DeviceLoop> {
    let &Job { device, csr, forest, threshold, .. } = job;
    let (graph, weights, nodes, info) = (shared.rows()?, shared.weights()?, csr.nodes() as usize, device.info());
    let lists = [List::new(device, capacity(csr))?, List::new(device, capacity(csr))?];
    let [parents, lightest, firsts] = ["parents", "lightest weights", "first edges"];
    let (parents, lightest) = (&device.buffer(parents, nodes)?, &device.buffer(lightest, nodes)?);
    let firsts = &device.buffer(firsts, nodes)?;
    let state = &device.buffer("loop state", 1)?;
    // The schedule is not run: what it knows of the rows is in which of them each part of the edges begins.
    let parts = ScratchSpace::<u32>::gather(device, Schedule::NonzeroSplit.into(), &graph.row_offsets, extent(csr))?;
    let rows = &parts.buffers.order;
    let params = MstParams {
        nodes: csr.nodes(),
        edges: csr.edges(),
        symmetric: u32::from(is_symmetric(csr)),
        real: u32::from(matches!(csr.weights(), Weights::F32(_))),
        threshold,
        max_groups: info.max_groups,
        loop_budget: info.loop_budget(),
    };
    let start = |recorder: &mut Recorder| {
        recorder.fill(forest, 0);
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&MstStart { parents, lightest, firsts, state }, params, nodes);
    };
    let iteration = |recorder: &mut Recorder, odd: bool| {
        let [current, next] = if odd { [&lists[1], &lists[0]] } else { [&lists[0], &lists[1]] };
        let (list, left) = (&current.written, &next.read);
        let fill = MstFill { graph, weights, rows, parents, list, state };
        recorder.dispatch_indirect(&fill, params, state, MstState::FILL_GROUPS);
        let (list, written) = (&current.read, &next.written);
        let find = MstLightest { list, parents, lightest, left: written, state };
        recorder.dispatch_indirect(&find, params, state, MstState::GROUPS);
        let first = MstFirst { left, lightest, firsts, state };
        recorder.dispatch_indirect(&first, params, state, MstState::LEFT_GROUPS);
        let join = MstJoin { left, firsts, parents, forest, state };
        recorder.dispatch_indirect(&join, params, state, MstState::LEFT_GROUPS);
        let forget = MstForget { parents, lightest, firsts, state };
        recorder.dispatch_indirect(&forget, params, state, MstState::FORGET_GROUPS);
    };
    DeviceLoop::record_in_batches(device, name, state, &BATCHES, start, iteration)
}
