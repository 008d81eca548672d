//! One invocation an edge: the worklist holds edges, each of which knows where it begins. The kernels are `strategy/edge.rs` of the
//! kernels.

use super::{Chunking, DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::Worklists};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::strategy::edge;
use evenkeel_types::{Control, EdgeParams, LengthParams, TraversalParams};

/// See the module.
pub(super) struct Edge;

impl Iterate for Edge {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let edges = csr.columns.len();
        Worklists::plan(edges).with::<u32>("sources of edges", edges)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, weights, values, marks, tuning, .. } = traversal;
        let edges = graph.columns.len();
        let worklists = Worklists::new(device, edges)?;
        let sources = &device.buffer("sources of edges", edges)?;
        let find = edge::EdgeSources { row_offsets: &graph.row_offsets, sources };
        let params = LengthParams { length: edges as u32 };
        device.record("sources of edges", |recorder| recorder.dispatch(&find, params, edges))?.run()?;

        let max_groups = device.info().max_groups;
        let params = EdgeParams { max_groups, together: u32::from(tuning.chunking() == Chunking::Node) };
        let start = TraversalParams { nodes: graph.nodes(), max_groups };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| worklists.start_range(recorder, traversal, &graph.row_offsets, start),
            |recorder, odd| {
                let (worklist, next) = worklists.swapped(odd);
                let step = edge::Edge {
                    operator: *operator,
                    row_offsets: &graph.row_offsets,
                    sources,
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
