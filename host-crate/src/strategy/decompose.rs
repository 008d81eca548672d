//! Workload decomposition: the edges of the worklist's nodes are dealt out in blocks of equal length. An iteration makes the prefix
//! sums of the degrees, finds where each invocation's block begins, and takes the blocks.

use super::{
    prelude::*,
    worklists::{Worklists, clear},
};
use evenkeel_kernels::strategy::{
    decompose::{self, DecomposePrefixes, DecomposeStart, DecomposeSums, FindOffsets},
    scheduled::{DegreeBlocks, DegreesBefore, ExpandParams, ExpandState},
};
use evenkeel_types::{SCAN_BLOCK, ScheduleParams, WORKGROUP};

/// The most invocations that edges are dealt out to: as many as a large GPU runs at a time.
const INVOCATIONS: usize = 1 << 18;

/// The number of offsets to find in a graph of so many edges: an invocation without edges has none.
pub(super) fn offsets(edges: usize) -> usize {
    edges.min(INVOCATIONS)
}

/// The most workgroups that edges are dealt out to.
pub(super) fn max_groups(device: &DeviceInfo) -> u32 {
    device.max_groups.min(INVOCATIONS as u32 / WORKGROUP)
}

/// The strategy `decompose`.
#[derive(Clone)]
pub(super) struct Decompose;

impl Strategy for Decompose {
    fn about(&self) -> About {
        About::new("decompose", "WD, Raval et al.", "each invocation an equal block of the worklist's edges")
    }

    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row_in_pieces(loops::longest_row(csr))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (Traversal { graph, data, source, .. }, operator) = (traversal, traversal.operator);
        let nodes = traversal.nodes() as usize;
        let worklists = Worklists::<ExpandState>::new(device, traversal, nodes)?;
        let (state, params) = (&worklists.state, worklists.params);
        let degrees = [device.buffer("degrees", nodes)?, device.buffer("next degrees", nodes)?];
        let degrees_before = &DegreesBefore {
            sums: device.buffer("degree sums", nodes.div_ceil(SCAN_BLOCK as usize))?,
            prefixes: device.buffer("degree prefixes", nodes + 1)?,
        };
        let offsets = &device.buffer("offsets", offsets(graph.columns.len()))?;
        let start = |recorder: &mut Recorder| {
            clear(recorder, traversal);
            let (values, worklist, degrees) = (&data.values, &worklists.of_iteration(false).current, &degrees[0]);
            recorder.dispatch(&DecomposeStart { source, graph, values, worklist, degrees, state }, params, 1);
        };
        let find_blocks = |recorder: &mut Recorder, degrees: &Buffer<u32>| {
            let schedule = ScheduleParams { group: 1, atoms: 0, pass: ScheduleParams::MAIN };
            let blocks = ExpandParams { max_groups: max_groups(device.info()), part: WORKGROUP, schedule };
            let sums = DecomposeSums { degrees, degrees_before, state };
            recorder.dispatch_indirect(&sums, blocks, state, ExpandState::GROUPS);
            recorder.dispatch(&DegreeBlocks { degrees_before, state }, blocks, WORKGROUP as usize);
            let prefixes = DecomposePrefixes { degrees, degrees_before, state };
            recorder.dispatch_indirect(&prefixes, blocks, state, ExpandState::GROUPS);
            let find = FindOffsets { degrees_before: &degrees_before.prefixes, state, offsets };
            recorder.dispatch_indirect(&find, params, state, ExpandState::EXPAND_GROUPS);
        };
        DeviceLoop::record(device, name, state, start, |recorder, odd| {
            let (degrees, next_degrees) = (&degrees[usize::from(odd)], &degrees[usize::from(!odd)]);
            find_blocks(recorder, degrees);
            let worklist = worklists.of_iteration(odd);
            let take = decompose::Decompose { operator, graph, data, worklist, offsets, next_degrees, state };
            recorder.dispatch_indirect(&take, params, state, ExpandState::EXPAND_GROUPS);
        })
    }
}
