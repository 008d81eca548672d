//! A traversal under a schedule of the programming model: the worklist is a tile set. What a schedule wants to know of it
//! beforehand, prefix sums of the degrees or an order, is made on the device in each iteration. There is a strategy for each
//! registered schedule. The kernels are `strategy/scheduled.rs` and `schedule/` of the kernels.

use super::{prelude::*, worklists::Worklists};
use crate::engine::schedule::{Choice, Schedule, ScratchSpace};
use evenkeel_kernels::{
    launch::DispatchSize,
    schedule::PART,
    strategy::scheduled::{DegreeBlocks, DegreePrefixes, DegreeSums, DegreesBefore, Expand, ExpandParams, ExpandState},
};
use evenkeel_types::{Field, SCAN_BLOCK, ScheduleParams, WORKGROUP};

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
        About { name: schedule.name(), paper, summary }
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        self.choice.keys()
    }

    fn plan(&self, csr: &Csr, _: Target<'_>) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        let [prefixes, sums] = self.prefix_lengths(nodes);
        Worklists::<ExpandState>::plan(nodes)
            .with::<u32>("degree prefixes", prefixes)
            .with::<u32>("degree sums", sums)
            .and(ScratchSpace::<u32>::plan_scatter(self.choice.schedule, nodes))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let nodes = traversal.nodes() as usize;
        let worklists = Worklists::<ExpandState>::new(device, traversal, nodes)?;
        let [prefixes, sums] = self.prefix_lengths(nodes);
        let (max_groups, schedule) = (worklists.params.max_groups, self.choice.params(ScheduleParams::MAIN));
        let steps = Steps {
            schedule: self.choice.schedule,
            params: ExpandParams { max_groups, part: PART, schedule },
            scratch: ScratchSpace::scatter(device, self.choice, nodes)?,
            degrees_before: DegreesBefore {
                sums: device.buffer("degree sums", sums)?,
                prefixes: device.buffer("degree prefixes", prefixes)?,
            },
        };
        DeviceLoop::record(
            device,
            name,
            &worklists.state,
            |recorder| worklists.start(recorder, traversal),
            |recorder, odd| {
                let size = if self.needs_prefix_sums() {
                    steps.prefix_sums(recorder, traversal, &worklists, odd);
                    ExpandState::EXPAND_GROUPS
                } else {
                    ExpandState::GROUPS
                };
                steps.prepare(recorder, &worklists.state);
                steps.expand(recorder, traversal, &worklists, odd, size);
            },
        )
    }
}

/// The buffers and parameters of an iteration.
struct Steps {
    schedule: Schedule,
    params: ExpandParams,
    scratch: ScratchSpace<u32>,
    degrees_before: DegreesBefore<Buffers>,
}

impl Steps {
    fn prefix_sums(
        &self,
        recorder: &mut Recorder,
        traversal: &Traversal,
        worklists: &Worklists<ExpandState>,
        odd: bool,
    ) {
        let (graph, state, worklist) = (&traversal.graph, &worklists.state, &worklists.of_iteration(odd).current);
        let degrees_before = &self.degrees_before;
        let step = DegreeSums { graph, worklist, degrees_before, state };
        recorder.dispatch_indirect(&step, self.params, state, ExpandState::GROUPS);
        recorder.dispatch(&DegreeBlocks { degrees_before, state }, self.params, WORKGROUP as usize);
        let step = DegreePrefixes { graph, worklist, degrees_before, state };
        recorder.dispatch_indirect(&step, self.params, state, ExpandState::GROUPS);
    }

    fn prepare(&self, recorder: &mut Recorder, state: &Buffer<ExpandState>) {
        let (buffer, offset) = (state.raw().clone(), u64::from(ExpandState::GROUPS.word()) * 4);
        let size = DispatchSize::Indirect { buffer, offset };
        let length = (&state.cast(), ExpandState::FRONTIER.word());
        self.scratch.prepare_scatter(recorder, &self.degrees_before.prefixes, length, size);
    }

    fn expand(
        &self,
        recorder: &mut Recorder,
        traversal: &Traversal,
        worklists: &Worklists<ExpandState>,
        odd: bool,
        size: Field<ExpandState, [u32; 3]>,
    ) {
        let step = Expand {
            schedule: self.schedule,
            operator: traversal.operator,
            graph: &traversal.graph,
            data: &traversal.data,
            worklist: worklists.of_iteration(odd),
            degrees_before: &self.degrees_before.prefixes,
            state: &worklists.state,
            scratch: &self.scratch.buffers,
        };
        recorder.dispatch_indirect(&step, self.params, &worklists.state, size);
    }
}
