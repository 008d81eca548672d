//! Workload decomposition: the edges of the worklist's nodes are dealt out in blocks of equal length. An iteration makes the prefix
//! sums of the degrees, finds where each invocation's block begins, and takes the blocks. The kernels are
//! `strategy/decompose.rs` of the kernels.

use super::{
    prelude::*,
    worklists::{Worklists, clear},
};
use evenkeel_kernels::strategy::{
    decompose::{self, DecomposePrefixes, DecomposeStart, DecomposeSums, FindOffsets},
    scheduled::{DegreeBlocks, DegreesBefore, ExpandParams, ExpandState},
};
use evenkeel_types::{Offset, SCAN_BLOCK, ScheduleParams, WORKGROUP};

/// The most invocations that edges are dealt out to: as many as a large GPU runs at a time.
const INVOCATIONS: usize = 1 << 18;

/// The number of offsets to find in a graph of so many edges: an invocation without edges has none.
pub(super) fn offsets(edges: usize) -> usize {
    edges.min(INVOCATIONS)
}

/// The most workgroups that edges are dealt out to.
pub(super) fn max_groups(device: &Device) -> u32 {
    device.info().max_groups.min(INVOCATIONS as u32 / WORKGROUP)
}

/// The strategy `decompose`.
#[derive(Clone)]
pub(super) struct Decompose;

impl Strategy for Decompose {
    fn about(&self) -> About {
        About::new("decompose", "WD, Raval et al.", "each invocation an equal block of the worklist's edges")
    }

    fn plan(&self, csr: &Csr, _: Target<'_>) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        Worklists::<ExpandState>::plan(nodes)
            .with::<u32>("degrees", nodes)
            .with::<u32>("next degrees", nodes)
            .with::<u32>("degree prefixes", nodes + 1)
            .with::<u32>("degree sums", nodes.div_ceil(SCAN_BLOCK as usize))
            .with::<Offset>("offsets", offsets(csr.columns().len()))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let nodes = traversal.nodes() as usize;
        let steps = Steps {
            traversal,
            worklists: Worklists::new(device, traversal, nodes)?,
            degrees: [device.buffer("degrees", nodes)?, device.buffer("next degrees", nodes)?],
            degrees_before: DegreesBefore {
                sums: device.buffer("degree sums", nodes.div_ceil(SCAN_BLOCK as usize))?,
                prefixes: device.buffer("degree prefixes", nodes + 1)?,
            },
            offsets: device.buffer("offsets", offsets(traversal.graph.columns.len()))?,
            max_blocks: max_groups(device),
        };
        DeviceLoop::record(
            device,
            name,
            &steps.worklists.state,
            |recorder| steps.start(recorder),
            |recorder, odd| {
                steps.find_blocks(recorder, odd);
                steps.take_blocks(recorder, odd);
            },
        )
    }
}

/// What an iteration is made of.
struct Steps<'a> {
    traversal: &'a Traversal,
    worklists: Worklists<ExpandState>,
    degrees: [Buffer<u32>; 2],
    degrees_before: DegreesBefore<Buffers>,
    offsets: Buffer<Offset>,
    max_blocks: u32,
}

impl Steps<'_> {
    fn start(&self, recorder: &mut Recorder) {
        clear(recorder, self.traversal);
        let Traversal { graph, data, source, .. } = self.traversal;
        let step = DecomposeStart {
            source,
            graph,
            values: &data.values,
            worklist: &self.worklists.of_iteration(false).current,
            degrees: &self.degrees[0],
            state: &self.worklists.state,
        };
        recorder.dispatch(&step, self.worklists.params, 1);
    }

    fn find_blocks(&self, recorder: &mut Recorder, odd: bool) {
        let Self { degrees_before, offsets, worklists, .. } = self;
        let (degrees, state) = (&self.degrees[usize::from(odd)], &worklists.state);
        let params = ExpandParams {
            max_groups: self.max_blocks,
            part: WORKGROUP,
            schedule: ScheduleParams { group: 1, pass: ScheduleParams::MAIN },
        };
        let step = DecomposeSums { degrees, degrees_before, state };
        recorder.dispatch_indirect(&step, params, state, ExpandState::GROUPS);
        recorder.dispatch(&DegreeBlocks { degrees_before, state }, params, WORKGROUP as usize);
        let step = DecomposePrefixes { degrees, degrees_before, state };
        recorder.dispatch_indirect(&step, params, state, ExpandState::GROUPS);
        let step = FindOffsets { degrees_before: &degrees_before.prefixes, state, offsets };
        recorder.dispatch_indirect(&step, worklists.params, state, ExpandState::EXPAND_GROUPS);
    }

    fn take_blocks(&self, recorder: &mut Recorder, odd: bool) {
        let Self { offsets, worklists, .. } = self;
        let Traversal { operator, graph, data, .. } = self.traversal;
        let step = decompose::Decompose {
            operator: *operator,
            graph,
            data,
            worklist: worklists.of_iteration(odd),
            offsets,
            next_degrees: &self.degrees[usize::from(!odd)],
            state: &worklists.state,
        };
        recorder.dispatch_indirect(&step, worklists.params, &worklists.state, ExpandState::EXPAND_GROUPS);
    }
}
