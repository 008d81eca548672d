//! Workload decomposition: the edges of the worklist's nodes are dealt out in blocks of equal length. An iteration makes the prefix
//! sums of the degrees, finds where each invocation's block begins, and takes the blocks. The kernels are
//! `strategy/decompose.rs` of the kernels.

use super::{
    DeviceLoop, Iterate, Operator, Traversal, Tuning,
    worklists::{Worklists, clear},
};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::Csr,
};
use evenkeel_kernels::strategy::{
    decompose::{self, DecomposePrefixes, DecomposeStart, DecomposeSums, FindOffsets},
    scheduled::DegreeBlocks,
};
use evenkeel_types::{
    Control, ExpandParams, Offset, SCAN_BLOCK, ScheduleParams, TraversalParams, WORKGROUP, WordParams,
};

/// The most invocations that edges are dealt out to: as many as a large GPU runs at a time. An H200 has room for 270,336.
const INVOCATIONS: usize = 1 << 18;

/// How many offsets there are to find in a graph of so many edges: an invocation without edges has none.
pub(super) fn offsets(edges: usize) -> usize {
    edges.min(INVOCATIONS)
}

/// The most workgroups that edges are dealt out to.
pub(super) fn max_groups(device: &Device) -> u32 {
    device.info().max_groups.min(INVOCATIONS as u32 / WORKGROUP)
}

/// See the module.
pub(super) struct Decompose;

impl Iterate for Decompose {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        Worklists::plan(nodes)
            .with::<u32>("degrees", nodes)
            .with::<u32>("next degrees", nodes)
            .with::<u32>("degree prefixes", nodes + 1)
            .with::<u32>("degree sums", nodes.div_ceil(SCAN_BLOCK as usize))
            .with::<Offset>("offsets", offsets(csr.columns.len()))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let nodes = traversal.graph.nodes() as usize;
        let steps = Steps {
            traversal,
            worklists: Worklists::new(device, nodes)?,
            degrees: [device.buffer("degrees", nodes)?, device.buffer("next degrees", nodes)?],
            degrees_before: device.buffer("degree prefixes", nodes + 1)?,
            sums: device.buffer("degree sums", nodes.div_ceil(SCAN_BLOCK as usize))?,
            offsets: device.buffer("offsets", offsets(traversal.graph.columns.len()))?,
            max_groups: device.info().max_groups,
            max_blocks: max_groups(device),
        };
        DeviceLoop::record(
            device,
            name,
            &steps.worklists.control,
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
    worklists: Worklists,
    degrees: [Buffer<u32>; 2],
    degrees_before: Buffer<u32>,
    sums: Buffer<u32>,
    offsets: Buffer<Offset>,
    max_groups: u32,
    max_blocks: u32,
}

impl Steps<'_> {
    fn params(&self) -> TraversalParams {
        TraversalParams { nodes: self.traversal.graph.nodes(), max_groups: self.max_groups }
    }

    fn start(&self, recorder: &mut Recorder) {
        clear(recorder, self.traversal);
        let step = DecomposeStart {
            source: &self.traversal.source,
            row_offsets: &self.traversal.graph.row_offsets,
            values: &self.traversal.values,
            worklist: self.worklists.swapped(false).0,
            degrees: &self.degrees[0],
            control: &self.worklists.words,
        };
        recorder.dispatch(&step, self.params(), 1);
    }

    fn find_blocks(&self, recorder: &mut Recorder, odd: bool) {
        let Self { degrees_before, sums, offsets, .. } = self;
        let (degrees, words, control) =
            (&self.degrees[usize::from(odd)], &self.worklists.words, &self.worklists.control);
        let params = ExpandParams {
            max_groups: self.max_blocks,
            part: WORKGROUP,
            schedule: ScheduleParams { group: 1, pass: ScheduleParams::MAIN },
        };
        let step = DecomposeSums { degrees, control: words, sums };
        recorder.dispatch_indirect(&step, params, control, Control::GROUPS);
        recorder.dispatch(&DegreeBlocks { sums, control: words }, params, WORKGROUP as usize);
        let step = DecomposePrefixes { degrees, control: words, sums, degrees_before };
        recorder.dispatch_indirect(&step, params, control, Control::GROUPS);
        let step = FindOffsets { degrees_before, control: words, offsets };
        recorder.dispatch_indirect(&step, WordParams { word: Control::FRONTIER }, control, Control::EXPAND_GROUPS);
    }

    fn take_blocks(&self, recorder: &mut Recorder, odd: bool) {
        let Traversal { operator, graph, weights, values, marks, .. } = self.traversal;
        let (worklist, next) = self.worklists.swapped(odd);
        let step = decompose::Decompose {
            operator: *operator,
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            weights,
            worklist,
            offsets: &self.offsets,
            values,
            marks,
            next,
            next_degrees: &self.degrees[usize::from(!odd)],
            control: &self.worklists.words,
        };
        recorder.dispatch_indirect(&step, self.params(), &self.worklists.control, Control::EXPAND_GROUPS);
    }
}
