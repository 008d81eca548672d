//! An invocation to every node in each iteration, and a flag: the simplest of the classic searches. The kernels are
//! `strategy/parallel.rs` of the kernels.

use super::{
    DeviceLoop, Iterate, Operator, Traversal, Tuning,
    worklists::{Worklists, clear},
};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::{
    operator::Search,
    strategy::parallel::{self, ParallelStart},
};
use evenkeel_types::{Control, EveryNodeParams, WORKGROUP};

/// See the module.
pub(super) struct Parallel;

/// There is no worklist.
const NONE: usize = 1;

/// Dispatches in which an invocation takes `coarsen` nodes, or as many more as the device's limit makes necessary.
pub(super) fn every_node(device: &Device, nodes: u32, coarsen: u32) -> EveryNodeParams {
    let groups = nodes.div_ceil(coarsen).div_ceil(WORKGROUP);
    EveryNodeParams { nodes, groups: groups.min(device.info().max_groups) }
}

impl Iterate for Parallel {
    fn plan(&self, _: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        Worklists::plan(NONE)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, weights, values, marks, source, .. } = traversal;
        let worklists = Worklists::new(device, NONE)?;
        let (control, next) = (&worklists.words, worklists.swapped(false).1);
        let params = every_node(device, graph.nodes(), 1);
        let step = parallel::Parallel {
            search: Search::Bfs,
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            weights,
            values,
            marks,
            next,
            control,
        };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| {
                clear(recorder, traversal);
                recorder.dispatch(&ParallelStart { source, values, control }, params, 1);
            },
            |recorder, _| recorder.dispatch_indirect(&step, params, &worklists.control, Control::GROUPS),
        )
    }
}
