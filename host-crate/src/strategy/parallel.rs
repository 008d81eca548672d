//! One invocation for every node in each iteration, and a flag: the simplest of the classic searches.

use super::{
    prelude::*,
    worklists::{Worklists, clear},
};
use evenkeel_kernels::{
    operator::Search,
    strategy::parallel::{self, EveryNodeParams, ParallelStart},
};
use evenkeel_types::WORKGROUP;

/// The strategy `parallel`.
#[derive(Clone)]
pub(super) struct Parallel;

/// There is no worklist, only a placeholder.
pub(super) const NONE: usize = 1;

/// Dispatches in which an invocation takes `coarsen` nodes, or as many more as the device's limit makes necessary.
pub(super) fn every_node(device: &Device, nodes: u32, coarsen: u32) -> EveryNodeParams {
    let groups = nodes.div_ceil(coarsen).div_ceil(WORKGROUP);
    EveryNodeParams { nodes, groups: groups.min(device.info().max_groups) }
}

impl Strategy for Parallel {
    fn about(&self) -> About {
        About::new(
            "parallel",
            "Harish and Narayanan",
            "an invocation to every node in each iteration; those of the level take their edges",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, data, source, .. } = traversal;
        let worklists: Worklists = Worklists::new(device, traversal, NONE)?;
        let (state, values) = (&worklists.state, &data.values);
        let params = every_node(device, traversal.nodes(), 1);
        let start = |recorder: &mut Recorder| {
            clear(recorder, traversal);
            recorder.dispatch(&ParallelStart { source, values, state }, params, 1);
        };
        worklists.record_loop(device, name, params, start, |worklist| parallel::Parallel {
            search: Search::Bfs,
            graph,
            data,
            next: &worklist.next,
            state,
        })
    }
}
