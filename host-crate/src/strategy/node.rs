//! One invocation a node of the worklist: the papers' baseline. The kernel is `strategy/node.rs` of the kernels.

use super::{ControlBlock, DeviceLoop, Strategy, Traversal};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::strategy::{node::Node, start::Start};
use evenkeel_types::{Control, TraversalParams, UNREACHED};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "node",
    paper: "BS, Raval et al.",
    summary: "one invocation a node of the worklist, with all its edges",
    plan,
    record,
};

fn plan(csr: &Csr) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    MemoryPlan::new().with::<u32>("worklist", nodes).with::<u32>("next worklist", nodes).with::<Control>("control", 1)
}

fn record(device: &Device, traversal: &Traversal) -> Result<DeviceLoop> {
    let Traversal { operator, graph, weights, values, marks, source } = traversal;
    let nodes = graph.nodes();
    let worklists: [Buffer<u32>; 2] =
        [device.buffer("worklist", nodes as usize)?, device.buffer("next worklist", nodes as usize)?];
    let control = ControlBlock::new(device)?;
    let params = TraversalParams { nodes, max_groups: device.info().max_groups };
    DeviceLoop::record(
        device,
        &format!("{} node", operator.name()),
        &control.block,
        |recorder| {
            recorder.fill(values, UNREACHED);
            recorder.fill(marks, 0);
            recorder.dispatch(&Start { source, values, worklist: &worklists[0], control: &control.words }, params, 1);
        },
        |recorder, odd| {
            let (from, to) = if odd { (1, 0) } else { (0, 1) };
            let step = Node {
                operator: *operator,
                row_offsets: &graph.row_offsets,
                columns: &graph.columns,
                weights,
                worklist: &worklists[from],
                values,
                marks,
                next: &worklists[to],
                control: &control.words,
            };
            recorder.dispatch_indirect(&step, params, &control.block);
        },
    )
}
