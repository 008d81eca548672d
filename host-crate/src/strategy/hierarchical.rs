//! Hierarchical processing: an iteration is taken in rounds of at most so many edges a node, and short lists are finished by workload
//! decomposition. A recorded step is one round; the device decides which list it takes and how. The kernels are
//! `strategy/hierarchical.rs` of the kernels.

use super::{adaptive::LevelSize, decompose, prelude::*, threshold, worklists::clear};
use crate::graph::Splitting;
use evenkeel_kernels::strategy::{
    TraversalParams,
    decompose::FindOffsets,
    hierarchical::{
        self, HierarchicalRest, HierarchicalStart, HierarchicalStep, HierarchyLists, HierarchyParams, HierarchyState,
    },
};
use evenkeel_types::{Offset, Remainder, WORKGROUP};

/// The strategy `hierarchical`.
#[derive(Clone)]
pub struct Hierarchical {
    /// Bins of the histogram of degrees, which says how many edges a round takes of a node.
    pub bins: u32,
    /// The length below which lists are left to workload decomposition.
    pub switch_below: u32,
}

/// One workgroup makes the prefix sums of a list that is left to workload decomposition.
const MAX_SWITCH_BELOW: u32 = 65_535;

impl Default for Hierarchical {
    fn default() -> Self {
        Self { bins: threshold::DEFAULT_BINS, switch_below: 1024 }
    }
}

impl Strategy for Hierarchical {
    fn about(&self) -> About {
        About::new(
            "hierarchical",
            "HP, Raval et al.",
            "an invocation a node, in rounds of a few edges each; short lists decomposed",
        )
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "leave lists shorter than this to workload decomposition";
        let switch_below = Key::option("switch-below", about, &mut self.switch_below).within(0, MAX_SWITCH_BELOW);
        vec![threshold::bins_key(&mut self.bins), switch_below]
    }

    /// An iteration takes several rounds, so the recorded iterations are not levels.
    fn level_names(&self, _: &Device, _: &Csr, _: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn plan(&self, csr: &Csr, _: Target<'_>) -> MemoryPlan {
        let split_nodes = Splitting::of(csr, self.bins).nodes_split as usize;
        MemoryPlan::new()
            .with::<u32>("worklists", 2 * csr.nodes() as usize)
            .with::<Remainder>("nodes with edges left", 2 * split_nodes)
            .with::<u32>("edge prefixes", self.switch_below as usize)
            .with::<Offset>("offsets", decompose::offsets(csr.columns().len()))
            .with::<HierarchyState>("loop state", 1)
            .and(threshold::plan(self.bins))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let graph = &traversal.graph;
        let (threshold, _) = threshold::choose(device, graph, self.bins)?;
        let steps = Steps {
            traversal,
            lists: HierarchyLists {
                worklists: device.buffer("worklists", 2 * traversal.nodes() as usize)?,
                remainders: device.buffer("nodes with edges left", 2 * threshold.split_nodes as usize)?,
            },
            edges_before: device.buffer("edge prefixes", self.switch_below as usize)?,
            offsets: device.buffer("offsets", decompose::offsets(graph.columns.len()))?,
            state: device.buffer("loop state", 1)?,
            params: HierarchyParams {
                nodes: traversal.nodes(),
                max_groups: device.info().max_groups,
                max_decomposed_groups: decompose::max_groups(device),
                threshold: threshold.threshold,
                switch_below: self.switch_below,
                split_nodes: threshold.split_nodes,
            },
        };
        // The device knows which side of the lists is read; to the recording all steps are alike.
        let step = |recorder: &mut Recorder, _| {
            steps.begin(recorder);
            steps.decompose(recorder);
            steps.round(recorder);
        };
        DeviceLoop::record(device, name, &steps.state, |recorder| steps.start(recorder), step)
    }
}

/// What a step is made of.
struct Steps<'a> {
    traversal: &'a Traversal,
    lists: HierarchyLists<Buffers>,
    edges_before: Buffer<u32>,
    offsets: Buffer<Offset>,
    state: Buffer<HierarchyState>,
    params: HierarchyParams,
}

impl Steps<'_> {
    /// What the kernels that are no strategy's own are told.
    fn traversal_params(&self) -> TraversalParams {
        let HierarchyParams { nodes, max_groups, .. } = self.params;
        TraversalParams { nodes, max_groups }
    }

    fn start(&self, recorder: &mut Recorder) {
        clear(recorder, self.traversal);
        let Traversal { data, source, .. } = self.traversal;
        let (values, worklists, state) = (&data.values, &self.lists.worklists, &self.state);
        let step = HierarchicalStart { source, values, worklists, state };
        recorder.dispatch(&step, self.traversal_params(), 1);
    }

    /// One of the two that follow has no workgroups after this.
    fn begin(&self, recorder: &mut Recorder) {
        let Self { lists, edges_before, state, params, .. } = self;
        let step = HierarchicalStep { graph: &self.traversal.graph, lists, edges_before, state };
        recorder.dispatch(&step, *params, WORKGROUP as usize);
    }

    fn decompose(&self, recorder: &mut Recorder) {
        let Self { lists, edges_before, offsets, state, params, .. } = self;
        let Traversal { operator, graph, data, .. } = self.traversal;
        let find = FindOffsets { degrees_before: edges_before, state: &state.prefix(), offsets };
        recorder.dispatch_indirect(&find, self.traversal_params(), state, HierarchyState::EXPAND_GROUPS);
        let rest = HierarchicalRest { operator: *operator, graph, data, lists, offsets, state };
        recorder.dispatch_indirect(&rest, *params, state, HierarchyState::EXPAND_GROUPS);
    }

    fn round(&self, recorder: &mut Recorder) {
        let Self { lists, state, params, .. } = self;
        let Traversal { operator, graph, data, .. } = self.traversal;
        let round = hierarchical::Hierarchical { operator: *operator, graph, data, lists, state };
        recorder.dispatch_indirect(&round, *params, state, HierarchyState::GROUPS);
    }
}
