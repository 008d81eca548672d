//! A traversal under a schedule of the programming model: the worklist is a tile set. What a schedule wants to know of it
//! beforehand, prefix sums of the degrees or bins, is made on the device in each iteration. The kernels are
//! `strategy/scheduled.rs` and `schedule/` of the kernels.

use super::{DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::Worklists};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    engine::schedule::{Choice, Room},
    graph::Csr,
};
use evenkeel_kernels::{
    schedule::{PART, Schedule},
    strategy::scheduled::{DegreeBlocks, DegreePrefixes, DegreeSums, Expand},
};
use evenkeel_types::{Control, ExpandParams, SCAN_BLOCK, ScheduleParams, TraversalParams, WORKGROUP};

/// See the module.
pub(super) struct Scheduled(pub Schedule);

impl Scheduled {
    /// Whether the schedule needs the prefix sums of the degrees, and is sized by edges.
    fn cuts_across_tiles(&self) -> bool {
        matches!(self.0, Schedule::MergePath | Schedule::NonzeroSplit | Schedule::RadixBinned)
    }

    /// The lengths of the prefix sums and of the sums of their blocks.
    fn prefix_lengths(&self, nodes: usize) -> [usize; 2] {
        if self.cuts_across_tiles() { [nodes + 1, nodes.div_ceil(SCAN_BLOCK as usize)] } else { [1, 1] }
    }
}

impl Iterate for Scheduled {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let [prefixes, sums] = self.prefix_lengths(nodes);
        Worklists::plan(nodes)
            .with::<u32>("degree prefixes", prefixes)
            .with::<u32>("degree sums", sums)
            .and(Room::<u32>::plan_scatter(self.0, nodes))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let nodes = traversal.graph.nodes();
        let worklists = Worklists::new(device, nodes as usize)?;
        let [prefixes, sums] = self.prefix_lengths(nodes as usize);
        let max_groups = device.info().max_groups;
        let steps = Steps {
            schedule: self.0,
            params: ExpandParams {
                max_groups,
                part: PART,
                schedule: Choice::from(self.0).params(ScheduleParams::MAIN),
            },
            room: Room::scatter(device, self.0, nodes as usize)?,
            degrees_before: device.buffer("degree prefixes", prefixes)?,
            sums: device.buffer("degree sums", sums)?,
        };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| worklists.start(recorder, traversal, TraversalParams { nodes, max_groups }),
            |recorder, odd| {
                let size = if self.cuts_across_tiles() {
                    steps.prefix_sums(recorder, traversal, &worklists, odd);
                    Control::EXPAND_GROUPS
                } else {
                    Control::GROUPS
                };
                steps.room.bin_worklist(recorder, &steps.degrees_before, &worklists.words, &worklists.control);
                steps.expand(recorder, traversal, &worklists, odd, size);
            },
        )
    }
}

/// What an iteration is made of.
struct Steps {
    schedule: Schedule,
    params: ExpandParams,
    room: Room<u32>,
    degrees_before: Buffer<u32>,
    sums: Buffer<u32>,
}

impl Steps {
    fn prefix_sums(&self, recorder: &mut Recorder, traversal: &Traversal, worklists: &Worklists, odd: bool) {
        let (row_offsets, control, worklist) =
            (&traversal.graph.row_offsets, &worklists.words, worklists.swapped(odd).0);
        let (sums, degrees_before) = (&self.sums, &self.degrees_before);
        let step = DegreeSums { row_offsets, worklist, control, sums };
        recorder.dispatch_indirect(&step, self.params, &worklists.control, Control::GROUPS);
        recorder.dispatch(&DegreeBlocks { sums, control }, self.params, WORKGROUP as usize);
        let step = DegreePrefixes { row_offsets, worklist, control, sums, degrees_before };
        recorder.dispatch_indirect(&step, self.params, &worklists.control, Control::GROUPS);
    }

    fn expand(&self, recorder: &mut Recorder, traversal: &Traversal, worklists: &Worklists, odd: bool, size: u32) {
        let (worklist, next) = worklists.swapped(odd);
        let step = Expand {
            schedule: self.schedule,
            operator: traversal.operator,
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            weights: &traversal.weights,
            worklist,
            degrees_before: &self.degrees_before,
            values: &traversal.values,
            marks: &traversal.marks,
            next,
            control: &worklists.words,
            scratch: &self.room.scratch,
        };
        recorder.dispatch_indirect(&step, self.params, &worklists.control, size);
    }
}
