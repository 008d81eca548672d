//! One colour an iteration, to the largest label around: `random`, `hybrid`, and both with stealing or under a schedule. The
//! kernels are `color/labelled.rs` and `color/stealing.rs` of the kernels.

use super::{
    ColorConfig, QueueCount, Steps,
    strategy::{ColorTuning, Find},
};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    engine::schedule::{Extent, Room, Schedule},
    graph::Csr,
    strategy::DeviceGraph,
};
use evenkeel_kernels::algorithm::color::{
    labelled::{ColorAssign, ColorFind, ColorGather, ColorStart},
    stealing::ColorSteal,
};
use evenkeel_types::{Control, LabelGatherParams, LabelParams, LabelState, UNCOLORED, WORKGROUP};

/// Queues unless said: as many workgroups as a large GPU runs at a time.
const QUEUES: u32 = 1024;
/// The same on a CPU, of which each queue keeps a thread busy.
const QUEUES_ON_CPU: u32 = 16;
/// The most elements in all queues together: a queue's head and tail are half a word each.
const MAX_ELEMENTS: u32 = 1 << 15;

/// The memory beside the graph and the colours.
pub(super) fn plan(csr: &Csr, find: Find, tuning: &ColorTuning) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    let plan = MemoryPlan::new()
        .with::<u32>("largest labels", nodes)
        .with::<Control>("control", 1)
        .with::<LabelState>("state", 1);
    match find {
        Find::Node => plan,
        Find::Stealing => {
            let queues = tuning.queues.unwrap_or(QUEUES) as usize;
            plan.with::<u32>("queues", queues).with::<[u32; 2]>("taken", queues)
        }
        Find::Scheduled(choice) => plan.and(Room::<u32>::plan_gather(choice.schedule, extent(csr))),
    }
}

fn extent(csr: &Csr) -> Extent {
    Extent::new(csr.nodes() as usize, csr.columns.len())
}

/// What an iteration reads and writes.
pub(super) struct Labelled {
    find: Find,
    params: LabelParams,
    graph: DeviceGraph,
    colors: Buffer<u32>,
    largest: Buffer<u32>,
    queues: Buffer<u32>,
    taken: Buffer<u32>,
    control: Buffer<Control>,
    words: Buffer<u32>,
    state: Buffer<u32>,
    room: Room<u32>,
}

impl Labelled {
    pub fn new(
        device: &Device,
        csr: &Csr,
        graph: &DeviceGraph,
        colors: &Buffer<u32>,
        config: &ColorConfig,
        (hybrid, find): (bool, Find),
    ) -> Result<Self> {
        let (nodes, tuning) = (csr.nodes(), &config.tuning);
        let by_default = if device.info().kind.is_cpu() { QUEUES_ON_CPU } else { QUEUES };
        let queues = if find == Find::Stealing { tuning.queues.unwrap_or(by_default) } else { 0 };
        let control = device.buffer::<Control>("control", 1)?;
        let room = match find {
            Find::Scheduled(choice) => Room::gather(device, choice.schedule, &graph.row_offsets, extent(csr))?,
            // It has no more than a word in each buffer, and nobody looks there.
            _ => Room::scatter(device, Schedule::ThreadMapped, 0)?,
        };
        Ok(Self {
            find,
            params: LabelParams {
                nodes,
                max_groups: device.info().max_groups,
                seed: config.seed,
                switch_at: if hybrid { tuning.switch_at.unwrap_or(u32::MAX) } else { 0 },
                switch_below: tuning.switch_below.unwrap_or(1),
                queues,
                chunk: WORKGROUP * nodes.div_ceil(WORKGROUP * MAX_ELEMENTS).max(1),
            },
            graph: graph.clone(),
            colors: colors.clone(),
            largest: device.buffer("largest labels", nodes as usize)?,
            queues: device.buffer("queues", queues.max(1) as usize)?,
            taken: device.buffer("taken", 2 * queues.max(1) as usize)?,
            words: control.cast(),
            control,
            state: device.buffer::<LabelState>("state", 1)?.cast(),
            room,
        })
    }

    fn find(&self, recorder: &mut Recorder) {
        let Self { params, colors, largest, state, queues, taken, control, .. } = self;
        let DeviceGraph { row_offsets, columns } = &self.graph;
        match self.find {
            Find::Node => {
                let find = ColorFind { row_offsets, columns, colors, state, largest };
                recorder.dispatch_indirect(&find, *params, control, Control::GROUPS);
            }
            Find::Stealing => {
                let steal = ColorSteal { row_offsets, columns, colors, state, largest, queues, taken };
                recorder.dispatch_indirect(&steal, *params, control, Control::EXPAND_GROUPS);
            }
            Find::Scheduled(choice) => {
                let gather = ColorGather {
                    schedule: choice.schedule,
                    row_offsets,
                    columns,
                    colors,
                    control: &self.words,
                    state,
                    largest,
                    scratch: &self.room.scratch,
                };
                let LabelParams { nodes, seed, .. } = *params;
                let with = |schedule| LabelGatherParams { nodes, seed, schedule };
                self.room.record_gather(recorder, choice, &gather, with);
            }
        }
    }
}

impl Steps for Labelled {
    fn control(&self) -> &Buffer<Control> {
        &self.control
    }

    fn start(&self, recorder: &mut Recorder) {
        recorder.fill(&self.colors, UNCOLORED);
        recorder.fill(&self.taken, 0);
        let start = ColorStart { queues: &self.queues, control: &self.words, state: &self.state };
        recorder.dispatch(&start, self.params, self.queues.len());
    }

    fn iteration(&self, recorder: &mut Recorder, _: bool) {
        self.find(recorder);
        let assign = ColorAssign {
            row_offsets: &self.graph.row_offsets,
            largest: &self.largest,
            colors: &self.colors,
            queues: &self.queues,
            control: &self.words,
            state: &self.state,
        };
        recorder.dispatch_indirect(&assign, self.params, &self.control, Control::GROUPS);
    }

    fn queues(&self, device: &Device) -> Result<Vec<QueueCount>> {
        if self.params.queues == 0 {
            return Ok(Vec::new());
        }
        let count = |(queue, taken): (usize, &[u32])| QueueCount { queue, popped: taken[0], stolen: taken[1] };
        Ok(device.download(&self.taken)?.chunks_exact(2).enumerate().map(count).collect())
    }
}
