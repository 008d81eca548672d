//! A traversal under a schedule of the programming model: the worklist is a tile set. What a schedule wants to know of it
//! beforehand, prefix sums of the degrees or an order, is made on the device in each iteration. There is a strategy for each
//! registered schedule.

use super::{prelude::*, worklists::Worklists};
use crate::engine::schedule::{Choice, Schedule, ScratchSpace};
use evenkeel_kernels::{
    launch::DispatchSize,
    schedule::PART,
    strategy::scheduled::{DegreeBlocks, DegreePrefixes, DegreeSums, DegreesBefore, Expand, ExpandParams, ExpandState},
};
use evenkeel_types::{SCAN_BLOCK, WORKGROUP};

/// The strategy of one schedule.
#[derive(Clone)]
pub struct Scheduled {
    /// The schedule with its parameter.
    pub choice: Choice,
}

impl Scheduled {
    /// The strategies of all schedules.
    pub(super) fn all() -> impl Iterator<Item = Box<dyn Strategy>> {
        Schedule::ALL.iter().map(|schedule| Box::new(Self { choice: (*schedule).into() }) as Box<dyn Strategy>)
    }

    fn needs_prefix_sums(&self) -> bool {
        self.choice.schedule.implementation().needs_prefix_sums()
    }

    /// The lengths of the prefix sums and of the sums of their blocks.
    fn prefix_lengths(&self, nodes: usize) -> [usize; 2] {
        if self.needs_prefix_sums() { [nodes + 1, nodes.div_ceil(SCAN_BLOCK as usize)] } else { [1, 1] }
    }
}

impl Strategy for Scheduled {
    fn about(&self) -> About {
        let schedule = self.choice.schedule;
        let (paper, summary) = (schedule.implementation().paper(), schedule.implementation().summary());
        About::new(schedule.name(), paper, summary)
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        self.choice.keys()
    }

    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        self.choice.rounds(csr)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (Traversal { graph, data, .. }, operator) = (traversal, traversal.operator);
        let (nodes, schedule) = (traversal.nodes() as usize, self.choice.schedule);
        let worklists = Worklists::<ExpandState>::new(device, traversal, nodes)?;
        let state = &worklists.state;
        let max_groups = worklists.params.max_groups.min(schedule.implementation().most_groups());
        let params = ExpandParams { max_groups, part: PART, schedule: self.choice.params() };
        let space = ScratchSpace::scatter(device, self.choice, nodes)?;
        let [prefixes, sums] = self.prefix_lengths(nodes);
        let degrees_before = &DegreesBefore {
            sums: device.buffer("degree sums", sums)?,
            prefixes: device.buffer("degree prefixes", prefixes)?,
        };
        let prefix_sums = |recorder: &mut Recorder, worklist: &Buffer<u32>| {
            let sums = DegreeSums { graph, worklist, degrees_before, state };
            recorder.dispatch_indirect(&sums, params, state, ExpandState::GROUPS);
            recorder.dispatch(&DegreeBlocks { degrees_before, state }, params, WORKGROUP as usize);
            let prefixes = DegreePrefixes { graph, worklist, degrees_before, state };
            recorder.dispatch_indirect(&prefixes, params, state, ExpandState::GROUPS);
        };
        let start = |recorder: &mut Recorder| worklists.start(recorder, traversal);
        DeviceLoop::record(device, name, state, start, |recorder, odd| {
            let (worklist, scratch) = (worklists.of_iteration(odd), &space.buffers);
            let mut groups = ExpandState::GROUPS;
            if self.needs_prefix_sums() {
                prefix_sums(recorder, &worklist.current);
                groups = ExpandState::EXPAND_GROUPS;
            }
            let (buffer, offset) = (state.raw().clone(), u64::from(ExpandState::GROUPS.word()) * 4);
            let (length, size) =
                ((&state.cast(), ExpandState::FRONTIER.word()), DispatchSize::Indirect { buffer, offset });
            let degrees_before = &degrees_before.prefixes;
            space.prepare_scatter(recorder, degrees_before, length, size);
            let expand = Expand { schedule, operator, graph, data, worklist, degrees_before, state, scratch };
            recorder.dispatch_indirect(&expand, params, state, groups);
        })
    }
}
