//! A queue whose places are found by prefix sums: the third of the classic searches. The kernels are `strategy/scan.rs` of the
//! kernels.

use super::{DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::Worklists};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::Csr,
};
use evenkeel_kernels::{
    operator::Search,
    strategy::scan::{ScanBlocksAgain, ScanCounts, ScanLayer, ScanPopulate, ScanSweep},
};
use evenkeel_types::{Control, SWEEP, TraversalParams, UNREACHED, WORKGROUP};

/// See the module.
pub(super) struct Scan;

impl Iterate for Scan {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        Worklists::plan(nodes)
            .with::<u32>("claims", nodes)
            .with::<u32>("counts", nodes)
            .with::<u32>("sums of counts", nodes.div_ceil(SWEEP as usize))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let nodes = traversal.graph.nodes() as usize;
        let steps = Steps {
            traversal,
            worklists: Worklists::new(device, nodes)?,
            claims: device.buffer("claims", nodes)?,
            counts: device.buffer("counts", nodes)?,
            sums: device.buffer("sums of counts", nodes.div_ceil(SWEEP as usize))?,
            params: TraversalParams { nodes: traversal.graph.nodes(), max_groups: device.info().max_groups },
        };
        DeviceLoop::record(
            device,
            name,
            &steps.worklists.control,
            |recorder| {
                // No edge has this number, so nobody has claimed anything.
                recorder.fill(&steps.claims, UNREACHED);
                steps.worklists.start(recorder, traversal, steps.params);
            },
            |recorder, odd| steps.iteration(recorder, odd),
        )
    }
}

/// What an iteration is made of.
struct Steps<'a> {
    traversal: &'a Traversal,
    worklists: Worklists,
    claims: Buffer<u32>,
    counts: Buffer<u32>,
    sums: Buffer<u32>,
    params: TraversalParams,
}

impl Steps<'_> {
    fn iteration(&self, recorder: &mut Recorder, odd: bool) {
        let Self { worklists, claims, counts, sums, params, .. } = self;
        let Traversal { graph, weights, values, marks, .. } = self.traversal;
        let (row_offsets, columns, control) = (&graph.row_offsets, &graph.columns, &worklists.words);
        let (worklist, next) = worklists.swapped(odd);
        let search = Search::Bfs;
        let layer = ScanLayer { search, row_offsets, columns, weights, worklist, values, marks, next, control, claims };
        recorder.dispatch_indirect(&layer, *params, &worklists.control, Control::GROUPS);
        let count = ScanCounts { row_offsets, columns, worklist, claims, control, counts };
        recorder.dispatch_indirect(&count, *params, &worklists.control, Control::GROUPS);
        let sweep = ScanSweep { control, counts, sums };
        recorder.dispatch_indirect(&sweep, *params, &worklists.control, Control::GROUPS);
        recorder.dispatch(&ScanBlocksAgain { sums, control }, *params, WORKGROUP as usize);
        let populate = ScanPopulate { row_offsets, columns, worklist, claims, counts, sums, next, control };
        recorder.dispatch_indirect(&populate, *params, &worklists.control, Control::GROUPS);
    }
}
