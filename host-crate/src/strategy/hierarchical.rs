//! Hierarchical processing: an iteration is taken in rounds of at most so many edges a node, and short lists are finished by workload
//! decomposition. A recorded step is one round; the device decides which list it takes and how. The kernels are
//! `strategy/hierarchical.rs` of the kernels.

use super::{DeviceLoop, Iterate, Operator, Traversal, Tuning, decompose, threshold, worklists::clear};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::{Csr, Splitting},
};
use evenkeel_kernels::strategy::{
    decompose::FindOffsets,
    hierarchical::{self, HierarchicalRest, HierarchicalStep},
    start::Start,
};
use evenkeel_types::{Control, HierarchyParams, Offset, Remainder, TraversalParams, WORKGROUP, WordParams};

/// See the module.
pub(super) struct Hierarchical;

impl Iterate for Hierarchical {
    fn plan(&self, csr: &Csr, _: Operator, tuning: &Tuning) -> MemoryPlan {
        let split_nodes = Splitting::of(csr, tuning.bins()).nodes_split as usize;
        MemoryPlan::new()
            .with::<u32>("worklists", 2 * csr.nodes() as usize)
            .with::<Remainder>("nodes with edges left", 2 * split_nodes)
            .with::<u32>("edge prefixes", tuning.switch_below() as usize)
            .with::<Offset>("offsets", decompose::offsets(csr.columns.len()))
            .with::<Control>("control", 1)
            .and(threshold::plan(tuning.bins()))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, tuning, .. } = traversal;
        let (threshold, _) = threshold::choose(device, graph, tuning.bins())?;
        let control = device.buffer::<Control>("control", 1)?;
        let steps = Steps {
            traversal,
            worklists: device.buffer("worklists", 2 * graph.nodes() as usize)?,
            remainders: device.buffer("nodes with edges left", 2 * threshold.split_nodes as usize)?,
            edges_before: device.buffer("edge prefixes", tuning.switch_below() as usize)?,
            offsets: device.buffer("offsets", decompose::offsets(graph.columns.len()))?,
            words: control.cast(),
            control: control.clone(),
            params: HierarchyParams {
                nodes: graph.nodes(),
                max_groups: device.info().max_groups,
                max_decomposed_groups: decompose::max_groups(device),
                threshold: threshold.threshold,
                switch_below: tuning.switch_below(),
                split_nodes: threshold.split_nodes,
            },
        };
        // Which side of the lists is read, the device knows; to the recording all steps are alike.
        let step = |recorder: &mut Recorder, _| {
            steps.begin(recorder);
            steps.decompose(recorder);
            steps.round(recorder);
        };
        DeviceLoop::record(device, name, &control, |recorder| steps.start(recorder), step)
    }
}

/// What a step is made of.
struct Steps<'a> {
    traversal: &'a Traversal,
    worklists: Buffer<u32>,
    remainders: Buffer<Remainder>,
    edges_before: Buffer<u32>,
    offsets: Buffer<Offset>,
    control: Buffer<Control>,
    words: Buffer<u32>,
    params: HierarchyParams,
}

impl Steps<'_> {
    fn start(&self, recorder: &mut Recorder) {
        clear(recorder, self.traversal);
        let Traversal { values, source, .. } = self.traversal;
        let HierarchyParams { nodes, max_groups, .. } = self.params;
        let step = Start { source, values, worklist: &self.worklists, control: &self.words };
        recorder.dispatch(&step, TraversalParams { nodes, max_groups }, 1);
    }

    /// One of the two that follow has no workgroups after this.
    fn begin(&self, recorder: &mut Recorder) {
        let step = HierarchicalStep {
            row_offsets: &self.traversal.graph.row_offsets,
            worklists: &self.worklists,
            remainders: &self.remainders,
            edges_before: &self.edges_before,
            control: &self.words,
        };
        recorder.dispatch(&step, self.params, WORKGROUP as usize);
    }

    fn decompose(&self, recorder: &mut Recorder) {
        let Traversal { operator, graph, weights, values, marks, .. } = self.traversal;
        let find = FindOffsets { degrees_before: &self.edges_before, control: &self.words, offsets: &self.offsets };
        let entries = WordParams { word: Control::DECOMPOSED };
        recorder.dispatch_indirect(&find, entries, &self.control, Control::EXPAND_GROUPS);
        let rest = HierarchicalRest {
            operator: *operator,
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            weights,
            offsets: &self.offsets,
            values,
            marks,
            worklists: &self.worklists,
            remainders: &self.remainders,
            control: &self.words,
        };
        recorder.dispatch_indirect(&rest, self.params, &self.control, Control::EXPAND_GROUPS);
    }

    fn round(&self, recorder: &mut Recorder) {
        let Traversal { operator, graph, weights, values, marks, .. } = self.traversal;
        let round = hierarchical::Hierarchical {
            operator: *operator,
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            weights,
            values,
            marks,
            worklists: &self.worklists,
            remainders: &self.remainders,
            control: &self.words,
        };
        recorder.dispatch_indirect(&round, self.params, &self.control, Control::GROUPS);
    }
}
