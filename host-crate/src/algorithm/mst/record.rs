//! The loop of a spanning forest on a GPU. The kernels are `algorithm/mst.rs` of the kernels.

use super::{super::prelude::*, ForestInputs, is_symmetric};
use crate::engine::{Layout, TileSpaces};
use evenkeel_kernels::algorithm::mst::{
    EdgesRead, EdgesWritten, MstFill, MstFirst, MstForget, MstJoin, MstLightest, MstParams, MstStart, MstState,
};
use evenkeel_types::{LoopState, TileRange};

/// Iterations before the host looks whether there are more: most graphs need 8 to 16.
const BATCHES: [usize; 3] = [10, 6, 16];

/// The most edges that a list holds: where each has its reverse, one of the two.
fn capacity(csr: &Csr) -> usize {
    let stored = csr.columns().len();
    if is_symmetric(csr) { stored / 2 } else { stored }
}

/// A list of edges, to be read and to be written.
struct List {
    read: EdgesRead<Buffers>,
    written: EdgesWritten<Buffers>,
}

impl List {
    /// The names of its buffers.
    const NAMES: [&str; 4] = ["ends of edges", "other ends of edges", "places of edges", "keys of edges"];

    fn new(device: &Device, capacity: usize) -> Result<Self> {
        let buffer = |name: usize| device.buffer::<u32>(Self::NAMES[name], capacity);
        let (ones, others, places, keys) = (buffer(0)?, buffer(1)?, buffer(2)?, buffer(3)?);
        let written = EdgesWritten { ones, others, places, keys };
        let EdgesWritten { ones, others, places, keys } = written.clone();
        Ok(Self { read: EdgesRead { ones, others, places, keys }, written })
    }
}

/// Records the loop.
pub(super) fn record(inputs: &ForestInputs<'_>, shared: &SharedGraph, name: &str) -> Result<DeviceLoop> {
    let &ForestInputs { device, csr, forest, threshold, .. } = inputs;
    let (nodes, info) = (csr.nodes() as usize, device.info());
    let layout = Layout::resident(info, csr);
    let parts = shared.parts(true, &layout)?;
    let lists = [List::new(device, capacity(csr))?, List::new(device, capacity(csr))?];
    let [parents, lightest, firsts] = ["parents", "lightest weights", "first edges"];
    let (parents, lightest) = (&device.buffer(parents, nodes)?, &device.buffer(lightest, nodes)?);
    let firsts = &device.buffer(firsts, nodes)?;
    let state = &device.buffer("loop state", 1)?;
    // The schedule is not run: what it knows of the rows is in which of them each part of the edges begins.
    let spaces = TileSpaces::<u32>::new(device, Schedule::NonzeroSplit.into(), shared.tiles(&layout)?)?;
    let params = MstParams {
        nodes: csr.nodes(),
        edges: csr.narrow_edges()?,
        symmetric: u32::from(is_symmetric(csr)),
        real: u32::from(matches!(csr.weights(), Weights::F32(_))),
        threshold,
        max_groups: info.max_groups,
        loop_budget: info.loop_budget(),
        tiles: TileRange::default(),
        edges_here: 0,
        edges_before: 0,
    };
    let start = |recorder: &mut Recorder| {
        recorder.fill(forest, 0);
        recorder.fill(&state.cast(), 0);
        recorder.dispatch(&MstStart { parents, lightest, firsts, state }, params, nodes);
    };
    let iteration = |recorder: &mut Recorder, odd: bool| {
        let [current, next] = if odd { [&lists[1], &lists[0]] } else { [&lists[0], &lists[1]] };
        let (list, left) = (&current.written, &next.read);
        for (place, part) in spaces.places().zip(&parts.list) {
            let (tile, space) = spaces.at(place);
            let (edges_here, edges_before) = (part.rows.edges, part.rows.edges_before);
            let params = MstParams { tiles: tile.range, edges_here, edges_before, ..params };
            let (graph, weights, rows) = (&tile.graph, &part.weights, &space.buffers.order);
            let fill = MstFill { graph, weights, rows, parents, list, state };
            recorder.dispatch_indirect(&fill, params, state, MstState::FILL_GROUPS);
        }
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
