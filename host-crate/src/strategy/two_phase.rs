//! Shortest paths in two phases, over every node in each iteration. The kernels are `strategy/two_phase.rs` of the kernels.

use super::{
    DeviceLoop, Iterate, Traversal, Tuning,
    parallel::every_node,
    worklists::{Worklists, clear},
};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::{
    operator::{Operator, Path},
    strategy::two_phase::{TwoPhaseCommit, TwoPhaseRelax, TwoPhaseStart},
};
use evenkeel_types::{Control, UNREACHED};

/// See the module.
pub(super) struct TwoPhase;

/// There is no worklist.
const NONE: usize = 1;

impl Iterate for TwoPhase {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        Worklists::plan(NONE).with::<u32>("costs to be", nodes).with::<u32>("mask", nodes)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, weights, values: costs, marks, source, tuning, .. } = traversal;
        let nodes = graph.nodes() as usize;
        let worklists = Worklists::new(device, NONE)?;
        let (control, next) = (&worklists.words, worklists.swapped(false).1);
        let updating = &device.buffer("costs to be", nodes)?;
        let mask = &device.buffer("mask", nodes)?;
        let params = every_node(device, graph.nodes(), tuning.coarsen());
        let relax = TwoPhaseRelax {
            path: if *operator == Operator::SsspF32 { Path::Real } else { Path::Whole },
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            weights,
            costs,
            mask,
            updating,
            marks,
            next,
            control,
        };
        let commit = TwoPhaseCommit { updating, costs, mask, control };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| {
                clear(recorder, traversal);
                recorder.fill(updating, UNREACHED);
                recorder.fill(mask, 0);
                recorder.dispatch(&TwoPhaseStart { source, costs, updating, mask, control }, params, 1);
            },
            |recorder, _| {
                recorder.dispatch_indirect(&relax, params, &worklists.control, Control::GROUPS);
                recorder.dispatch_indirect(&commit, params, &worklists.control, Control::GROUPS);
            },
        )
    }
}
