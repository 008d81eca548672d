//! One invocation a node of the worklist: the papers' baseline. The kernel is `strategy/node.rs` of the kernels.

use super::{DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::Worklists};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::strategy::node;
use evenkeel_types::{Control, TraversalParams};

/// See the module.
pub(super) struct Node;

impl Iterate for Node {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        Worklists::plan(csr.nodes() as usize)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, weights, values, marks, .. } = traversal;
        let worklists = Worklists::new(device, graph.nodes() as usize)?;
        let params = TraversalParams { nodes: graph.nodes(), max_groups: device.info().max_groups };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| worklists.start(recorder, traversal, params),
            |recorder, odd| {
                let (worklist, next) = worklists.swapped(odd);
                let step = node::Node {
                    operator: *operator,
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
