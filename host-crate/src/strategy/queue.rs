//! An invocation to each node of a queue, and an atomic addition for each that is put on the next: the second of the classic
//! searches. The kernel is `strategy/queue.rs` of the kernels.

use super::{DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::Worklists};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::{operator::Search, strategy::queue};
use evenkeel_types::{Control, TraversalParams};

/// See the module.
pub(super) struct Queue;

impl Iterate for Queue {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        Worklists::plan(csr.nodes() as usize)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, weights, values, marks, .. } = traversal;
        let worklists = Worklists::new(device, graph.nodes() as usize)?;
        let params = TraversalParams { nodes: graph.nodes(), max_groups: device.info().max_groups };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| worklists.start(recorder, traversal, params),
            |recorder, odd| {
                let (worklist, next) = worklists.swapped(odd);
                let step = queue::Queue {
                    search: Search::Bfs,
                    row_offsets: &graph.row_offsets,
                    columns: &graph.columns,
                    weights,
                    worklist,
                    values,
                    marks,
                    next,
                    control: &worklists.words,
                };
                recorder.dispatch_indirect(&step, params, &worklists.control, Control::GROUPS);
            },
        )
    }
}
