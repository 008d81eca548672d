//! Steps become one command buffer, recorded once and run any number of times. Barriers stand where [`segments`] says and
//! nowhere else. The time of every run is taken on the device; with `profile`, each step stands alone and is timed too.

use super::{
    barriers::{barrier, segments},
    buffer::Buffer,
    context::Context,
    descriptors::DescriptorPool,
    pipeline::Pipelines,
    plan::{Groups, Plan, Work},
    stamps::Stamps,
    submit::Commands,
    timing::Anchor,
};
use crate::{
    Result,
    device::{Recorded, Step, profile::Span},
};
use ash::vk::{self, PipelineStageFlags as Stages};
use std::{sync::Arc, time::Duration};

/// A command buffer with all it needs. Fields are dropped in this order: the commands first, which waits for their end.
pub(super) struct Recording {
    commands: Commands,
    program: Program,
}

/// What the commands do and refer to.
struct Program {
    name: String,
    stamps: Option<Stamps>,
    read_back: Option<Buffer>,
    descriptors: Option<DescriptorPool>,
    plan: Plan,
    context: Arc<Context>,
}

impl Recording {
    pub(super) fn new(context: &Arc<Context>, pipelines: &Pipelines, name: &str, steps: Vec<Step>) -> Result<Self> {
        let start = context.clock.now();
        let program = Program::new(context, pipelines, name, steps)?;
        let mut commands = Commands::new(context, name)?;
        commands.record(false, |commands| program.write(commands))?;
        context.clock.host_span("record", name, start);
        Ok(Self { commands, program })
    }
}

impl Recorded for Recording {
    fn run(&mut self) -> Result<Duration> {
        let Program { name, stamps, context, .. } = &self.program;
        let submitted = context.clock.now();
        if let Some(stamps) = stamps {
            stamps.reset();
        }
        self.commands.submit()?;
        self.commands.wait()?;
        context.clock.host_span("run", name, submitted);
        self.program.read_in_place();
        let time = self.program.device_time(submitted)?;
        self.program.context.heed_validation()?;
        Ok(time)
    }

    fn read_back(&self, slot: usize) -> &[u8] {
        match (&self.program.read_back, self.program.plan.slots.get(slot)) {
            (Some(memory), Some(range)) => &memory.mapped()[range.clone()],
            _ => &[],
        }
    }
}

/// What the last dispatch was given. The next is told only what differs.
#[derive(Clone, Copy, Default)]
struct Bound<'w> {
    pipeline: vk::Pipeline,
    set: usize,
    params: &'w [u8],
}

impl Program {
    fn new(context: &Arc<Context>, pipelines: &Pipelines, name: &str, steps: Vec<Step>) -> Result<Self> {
        let plan = Plan::new(context, pipelines, steps)?;
        let host_memory = |last: &std::ops::Range<usize>| {
            let mut memory = Buffer::on_host(context, &format!("{name}: read back"), last.end as u64)?;
            memory.mapped_mut().fill(0);
            Ok(memory)
        };
        let stamps_needed = if context.clock.profiles() { 2 + 2 * plan.steps.len() as u32 } else { 2 };
        let stamps = context.clock.has_timestamps().then(|| Stamps::new(context, name, stamps_needed));
        Ok(Self {
            name: name.to_owned(),
            stamps: stamps.transpose()?,
            read_back: plan.slots.last().map(host_memory).transpose()?,
            descriptors: DescriptorPool::new(context, name, &plan.sets)?,
            plan,
            context: context.clone(),
        })
    }

    /// Fetches what no step copies.
    fn read_in_place(&mut self) {
        if let Some(memory) = &mut self.read_back {
            for (buffer, slot) in &self.plan.in_place {
                buffer.read_in_place(&mut memory.mapped_mut()[slot.clone()]);
            }
        }
    }

    /// The time between the first and the last stamp, and with `profile` a span for each step between.
    fn device_time(&self, submitted: Duration) -> Result<Duration> {
        let clock = &self.context.clock;
        let Some(stamps) = &self.stamps else { return Ok(clock.now().saturating_sub(submitted)) };
        let ticks = stamps.read()?;
        let (first, last) = (ticks[0], ticks[1]);
        if clock.profiles() {
            let anchor =
                clock.anchor(&self.context.device.instance).unwrap_or(Anchor { ticks: first, host: submitted });
            clock.keep(self.plan.steps.iter().zip(ticks[2..].chunks_exact(2)).map(|(step, pair)| Span {
                name: step.work.name().to_owned(),
                label: if step.label.is_empty() { self.name.clone() } else { step.label.clone() },
                start: clock.ticks.on_host(anchor, pair[0]),
                duration: clock.ticks.between(pair[0], pair[1]),
                on_device: true,
            }));
        }
        Ok(clock.ticks.between(first, last))
    }

    fn write(&self, commands: vk::CommandBuffer) {
        let (context, steps) = (&*self.context, &self.plan.steps);
        let profiles = context.clock.profiles();
        let stamp = |index| self.stamps.iter().for_each(|stamps| stamps.write(commands, index));
        context.begin_label(commands, &self.name);
        stamp(0);
        let (mut label, mut bound) = ("", Bound::default());
        let mut before = Stages::ALL_COMMANDS;
        for segment in segments(steps.iter().map(|step| &step.uses), profiles) {
            barrier(context, commands, before, segment.stages);
            before = segment.stages;
            for index in segment.steps {
                let step = &steps[index];
                self.change_label(commands, label, &step.label);
                label = &step.label;
                if profiles {
                    stamp(2 + 2 * index as u32);
                }
                self.step(commands, &step.work, &mut bound);
                if profiles {
                    stamp(3 + 2 * index as u32);
                }
            }
        }
        self.change_label(commands, label, "");
        if self.read_back.is_some() {
            barrier(context, commands, Stages::TRANSFER | Stages::COMPUTE_SHADER, Stages::HOST);
        }
        stamp(1);
        context.end_label(commands);
    }

    fn change_label(&self, commands: vk::CommandBuffer, from: &str, to: &str) {
        if from == to {
            return;
        }
        if !from.is_empty() {
            self.context.end_label(commands);
        }
        if !to.is_empty() {
            self.context.begin_label(commands, to);
        }
    }

    fn step<'w>(&self, commands: vk::CommandBuffer, work: &'w Work, bound: &mut Bound<'w>) {
        let vk = self.context.vk();
        // SAFETY: the caller is recording the command buffer; the plan keeps every object in it alive for as long as the
        // recording lives, and holds regions that lie within their buffers.
        unsafe {
            match work {
                Work::Dispatch { pipeline, set, params, groups, .. } => {
                    let (stage, layout) = (vk::PipelineBindPoint::COMPUTE, pipeline.layout.handle);
                    let wanted = Bound { pipeline: pipeline.pipeline.handle, set: *set, params };
                    let before = std::mem::replace(bound, wanted);
                    let other = before.pipeline != wanted.pipeline;
                    if other {
                        vk.cmd_bind_pipeline(commands, stage, wanted.pipeline);
                    }
                    if let Some(pool) = self.descriptors.as_ref().filter(|_| other || before.set != wanted.set) {
                        vk.cmd_bind_descriptor_sets(commands, stage, layout, 0, &[pool.sets[*set]], &[]);
                    }
                    if !params.is_empty() && (other || before.params != wanted.params) {
                        vk.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, params);
                    }
                    match *groups {
                        Groups::Indirect(buffer, offset) => vk.cmd_dispatch_indirect(commands, buffer, offset),
                        Groups::Known(groups) => vk.cmd_dispatch(commands, groups, 1, 1),
                    }
                }
                Work::Fill { buffer, value } => vk.cmd_fill_buffer(commands, *buffer, 0, vk::WHOLE_SIZE, *value),
                Work::Copy { from, to, bytes } => {
                    vk.cmd_copy_buffer(commands, *from, *to, &[vk::BufferCopy::default().size(*bytes)]);
                }
                Work::ReadBack { buffer, slot } => {
                    if let Some(memory) = &self.read_back {
                        let region = vk::BufferCopy::default().dst_offset(slot.start as u64).size(slot.len() as u64);
                        vk.cmd_copy_buffer(commands, buffer.handle, memory.handle, &[region]);
                    }
                }
            }
        }
    }
}
