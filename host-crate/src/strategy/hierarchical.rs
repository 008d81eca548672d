//! Hierarchical processing: an iteration is taken in rounds of at most so many edges a node, and short lists are finished by workload
//! decomposition. A recorded step is one round; the device decides which list it takes and how.

use super::{adaptive::LevelSize, decompose, prelude::*, threshold, worklists::clear};
use crate::graph::Limit;
use evenkeel_kernels::strategy::{
    TraversalParams,
    decompose::FindOffsets,
    hierarchical::{
        self, HierarchicalRest, HierarchicalStart, HierarchicalStep, HierarchyLists, HierarchyParams, HierarchyState,
    },
    threshold::Threshold,
};
use evenkeel_types::WORKGROUP;

/// The strategy `hierarchical`.
#[derive(Clone)]
pub struct Hierarchical {
    /// Bins of the histogram of degrees, which says how many edges a round takes of a node.
    pub bins: u32,
    /// The most edges of a piece, in place of what the histogram says.
    pub mdt: Option<u32>,
    /// The length below which lists are left to workload decomposition.
    pub switch_below: u32,
}

/// One workgroup makes the prefix sums of a list that is left to workload decomposition.
const MAX_SWITCH_BELOW: u32 = 65_535;

impl Default for Hierarchical {
    fn default() -> Self {
        Self { bins: threshold::DEFAULT_BINS, mdt: None, switch_below: 1024 }
    }
}

impl Hierarchical {
    fn limit(&self) -> Limit {
        threshold::limit(self.bins, self.mdt)
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
        vec![threshold::bins_key(&mut self.bins), threshold::mdt_key(&mut self.mdt), switch_below]
    }

    /// An iteration takes several rounds, so the recorded iterations are not levels.
    fn level_names(&self, _: &Device, _: &Csr, _: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row_in_pieces(loops::longest_row(csr))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (Traversal { graph, data, source, .. }, operator) = (traversal, traversal.operator);
        let (nodes, max_groups) = (traversal.nodes(), device.info().max_groups);
        let (Threshold { threshold, split_nodes, .. }, _) =
            threshold::choose(device, &traversal.csr, graph, self.limit())?;
        let lists = &HierarchyLists {
            worklists: device.buffer("worklists", 2 * nodes as usize)?,
            remainders: device.buffer("nodes with edges left", 2 * split_nodes as usize)?,
        };
        let edges_before = &device.buffer("edge prefixes", self.switch_below as usize)?;
        let offsets = &device.buffer("offsets", decompose::offsets(graph.columns.len()))?;
        let state = &device.buffer("loop state", 1)?;
        let params = HierarchyParams {
            nodes,
            max_groups,
            max_decomposed_groups: decompose::max_groups(device.info()),
            threshold,
            switch_below: self.switch_below,
            split_nodes,
        };
        // For the kernels that are no strategy's own.
        let common = TraversalParams { nodes, max_groups };
        let start = |recorder: &mut Recorder| {
            clear(recorder, traversal);
            let (values, worklists) = (&data.values, &lists.worklists);
            recorder.dispatch(&HierarchicalStart { source, values, worklists, state }, common, 1);
        };
        let decompose = |recorder: &mut Recorder| {
            let find = FindOffsets { degrees_before: edges_before, state: &state.prefix(), offsets };
            recorder.dispatch_indirect(&find, common, state, HierarchyState::EXPAND_GROUPS);
            let rest = HierarchicalRest { operator, graph, data, lists, offsets, state };
            recorder.dispatch_indirect(&rest, params, state, HierarchyState::EXPAND_GROUPS);
        };
        // The device knows which side of the lists is read; to the recording all steps are alike.
        DeviceLoop::record(device, name, state, start, |recorder, _| {
            // One of the two that follow has no workgroups after this.
            let step = HierarchicalStep { graph, lists, edges_before, state };
            recorder.dispatch(&step, params, WORKGROUP as usize);
            decompose(recorder);
            let round = hierarchical::Hierarchical { operator, graph, data, lists, state };
            recorder.dispatch_indirect(&round, params, state, HierarchyState::GROUPS);
        })
    }
}
