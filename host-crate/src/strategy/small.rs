//! The whole search of a small graph in one dispatch, by one workgroup.

use super::{
    adaptive::LevelSize,
    near_far::{NearFar, metric},
    prelude::*,
};
use evenkeel_kernels::strategy::small::{NODES, Small as Search, SmallParams};
use evenkeel_types::WORKGROUP;

/// The strategy `small`.
#[derive(Clone)]
pub(super) struct Small;

impl Small {
    /// Whether it takes such a graph itself.
    pub fn takes(csr: &Csr) -> bool {
        csr.nodes() <= NODES
    }

    /// What takes larger graphs.
    fn other() -> NearFar {
        NearFar::default()
    }
}

impl Strategy for Small {
    fn about(&self) -> About {
        About::new(
            "small",
            "",
            "up to 1,024 nodes: all iterations in one dispatch, in a workgroup's own memory; else near-far",
        )
    }

    /// Its kernel hands out no atoms that could be counted.
    fn is_counted(&self) -> bool {
        false
    }

    fn plan(&self, csr: &Csr, target: Target<'_>) -> MemoryPlan {
        match Self::takes(csr) {
            true => MemoryPlan::new().with::<u32>("list", NODES as usize).with::<LoopHeader>("state", 1),
            false => Self::other().plan(csr, target),
        }
    }

    fn taken(&self, csr: &Csr, _: Target<'_>) -> Option<&'static str> {
        (!Self::takes(csr)).then(|| Self::other().about().name)
    }

    /// An iteration of the search is not cut, and its edges are shared out evenly.
    fn rounds(&self, csr: &Csr, target: Target<'_>) -> u64 {
        match Self::takes(csr) {
            true => loops::rounds_of_a_group(csr, WORKGROUP) * u64::from(NODES / WORKGROUP),
            false => Self::other().rounds(csr, target),
        }
    }

    fn level_names(&self, device: &Device, csr: &Csr, levels: &[LevelSize]) -> Result<Option<Vec<String>>> {
        match Self::takes(csr) {
            true => Ok(Some(vec![self.about().name.to_owned(); levels.len()])),
            false => Self::other().level_names(device, csr, levels),
        }
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        if !Self::takes(&traversal.csr) {
            return Self::other().record(device, traversal, name);
        }
        let (nodes, loop_limit) = (traversal.nodes(), device.info().loop_budget() / 4);
        let state = &device.buffer("state", 1)?;
        let search = Search {
            metric: metric(traversal.operator),
            graph: &traversal.graph,
            weights: &traversal.data.weights,
            source: &traversal.source,
            distances: &traversal.data.values,
            list: &device.buffer("list", NODES as usize)?,
            state,
        };
        let dispatch = |recorder: &mut Recorder, begins: u32| {
            recorder.dispatch(&search, SmallParams { nodes, begins, loop_limit }, 1);
        };
        // The first dispatch is nearly always the whole search.
        let start = |recorder: &mut Recorder| dispatch(recorder, 1);
        DeviceLoop::record_in_batches(device, name, state, &[0, 1], start, |recorder, _| dispatch(recorder, 0))
    }
}
