//! The whole search of a small graph in one dispatch, by one workgroup.

use super::{
    near_far::{NearFar, metric},
    prelude::*,
};
use crate::engine::SharedGraph;
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

    fn choose(&self, graph: &SharedGraph, _: Operator) -> Result<Option<Box<dyn Strategy>>> {
        Ok((!Self::takes(graph.csr())).then(|| NearFar::default().into()))
    }

    /// An iteration of the search is not cut, and its edges are shared out evenly.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_group(csr, WORKGROUP) * u64::from(NODES / WORKGROUP)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        if !Self::takes(&traversal.csr) {
            return Err(Error::Usage(format!("{name}: the strategy small takes up to {NODES} nodes")));
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
