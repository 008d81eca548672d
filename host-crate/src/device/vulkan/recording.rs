//! Steps become one command buffer, recorded once and run any number of times. Barriers stand where [`segments`] says and
//! nowhere else. The time of every run is taken on the device; with `profile`, each step stands alone and is timed too.

use super::{
    barriers::{Scope, Segment, barrier, segments},
    buffer::Buffer,
    context::Context,
    descriptors::DescriptorPool,
    pipeline::{Pipeline, Pipelines},
    plan::{Plan, Planned, Work},
    submit::Commands,
    timing::{Anchor, Stamps},
};
use crate::{
    Result,
    device::{Recorded, Step, profile::Span},
};
use ash::vk;
use std::{sync::Arc, time::Duration};

/// A command buffer with all it needs. Fields are dropped in this order: the commands first, which waits for their end.
pub(super) struct Recording {
    commands: Commands,
    context: Arc<Context>,
    name: String,
    stamps: Option<Stamps>,
    read_back: Option<Buffer>,
    slots: Vec<std::ops::Range<usize>>,
    /// Name and label of each timed step; empty without `profile`.
    timed: Vec<(String, String)>,
    descriptors: Option<DescriptorPool>,
    /// What the commands refer to and must not outlive.
    _held: (Vec<Arc<Pipeline>>, Vec<Arc<Buffer>>),
}

impl Recording {
    pub(super) fn new(context: &Arc<Context>, pipelines: &Pipelines, name: &str, steps: Vec<Step>) -> Result<Self> {
        let start = context.clock.now();
        let plan = Plan::new(context, pipelines, steps)?;
        let profile = context.spans.profile();
        let read_back = match plan.slots.last() {
            Some(last) => Some(Buffer::on_host(context, &format!("{name}: read back"), last.end as u64)?),
            None => None,
        };
        let stamps_needed = if profile { 2 + 2 * plan.steps.len() as u32 } else { 2 };
        let stamps =
            if context.clock.has_timestamps() { Some(Stamps::new(context, name, stamps_needed)?) } else { None };
        let timed = |step: &Planned| (step.work.name().to_owned(), step.label.clone());
        let mut recording = Self {
            commands: Commands::new(context, name)?,
            context: context.clone(),
            name: name.to_owned(),
            timed: if profile { plan.steps.iter().map(timed).collect() } else { Vec::new() },
            stamps,
            read_back,
            slots: plan.slots,
            descriptors: DescriptorPool::new(context, name, &plan.sets)?,
            _held: (plan.pipelines, plan.buffers),
        };
        if let Some(memory) = &mut recording.read_back {
            memory.mapped_mut().fill(0);
        }
        let uses: Vec<_> = plan.steps.iter().map(|step| step.uses.clone()).collect();
        let writer = Writer {
            context,
            stamps: recording.stamps.as_ref(),
            profile,
            read_back: recording.read_back.as_ref(),
            sets: recording.descriptors.as_ref().map_or(&[], |pool| &pool.sets),
        };
        recording
            .commands
            .record(false, |commands| writer.write(commands, name, &plan.steps, &segments(&uses, profile)))?;
        context.spans.host(&context.clock, "record", name, start);
        Ok(recording)
    }

    /// The time between the first and the last stamp, and with `profile` a span for each step between.
    fn device_time(&self, submitted: Duration) -> Result<Duration> {
        let clock = &self.context.clock;
        let Some(stamps) = &self.stamps else { return Ok(clock.now().saturating_sub(submitted)) };
        let ticks = stamps.read()?;
        let (first, last) = (ticks[0], ticks[1]);
        if !self.timed.is_empty() {
            let anchor = clock.anchor().unwrap_or(Anchor { ticks: first, host: submitted });
            let spans = self.timed.iter().zip(ticks[2..].chunks_exact(2)).map(|((name, label), pair)| Span {
                name: name.clone(),
                label: if label.is_empty() { self.name.clone() } else { label.clone() },
                start: clock.on_host(anchor, pair[0]),
                duration: clock.between(pair[0], pair[1]),
                on_device: true,
            });
            self.context.spans.extend(spans);
        }
        Ok(clock.between(first, last))
    }
}

impl Recorded for Recording {
    fn run(&mut self) -> Result<Duration> {
        let submitted = self.context.clock.now();
        if let Some(stamps) = &self.stamps {
            stamps.reset();
        }
        self.commands.submit()?;
        self.commands.wait()?;
        self.context.spans.host(&self.context.clock, "run", &self.name, submitted);
        let time = self.device_time(submitted)?;
        self.context.heed_validation()?;
        Ok(time)
    }

    fn read_back(&self, slot: usize) -> &[u8] {
        match (&self.read_back, self.slots.get(slot)) {
            (Some(memory), Some(range)) => &memory.mapped()[range.clone()],
            _ => &[],
        }
    }
}

/// Puts a plan into a command buffer.
struct Writer<'r> {
    context: &'r Context,
    stamps: Option<&'r Stamps>,
    profile: bool,
    read_back: Option<&'r Buffer>,
    sets: &'r [vk::DescriptorSet],
}

/// What the last dispatch was given. The next is told only what differs.
#[derive(Clone, Copy, Default)]
struct Bound<'w> {
    pipeline: vk::Pipeline,
    set: usize,
    params: &'w [u8],
}

impl Writer<'_> {
    fn write(&self, commands: vk::CommandBuffer, name: &str, steps: &[Planned], segments: &[Segment]) {
        self.context.begin_label(commands, name);
        if let Some(stamps) = self.stamps {
            stamps.write(commands, 0);
        }
        let (mut label, mut bound) = ("", Bound::default());
        let mut before = Scope::EVERYTHING;
        for segment in segments {
            barrier(self.context, commands, before, segment.scope);
            before = segment.scope;
            for index in segment.steps.clone() {
                let step = &steps[index];
                if step.label != label {
                    self.change_label(commands, label, &step.label);
                    label = &step.label;
                }
                self.timed(commands, index as u32, || self.step(commands, &step.work, &mut bound));
            }
        }
        self.change_label(commands, label, "");
        if self.read_back.is_some() {
            barrier(self.context, commands, Scope::TRANSFER, Scope::HOST);
        }
        if let Some(stamps) = self.stamps {
            stamps.write(commands, 1);
        }
        self.context.end_label(commands);
    }

    fn change_label(&self, commands: vk::CommandBuffer, from: &str, to: &str) {
        if !from.is_empty() {
            self.context.end_label(commands);
        }
        if !to.is_empty() {
            self.context.begin_label(commands, to);
        }
    }

    fn timed(&self, commands: vk::CommandBuffer, index: u32, step: impl FnOnce()) {
        let stamps = self.stamps.filter(|_| self.profile);
        if let Some(stamps) = stamps {
            stamps.write(commands, 2 + 2 * index);
        }
        step();
        if let Some(stamps) = stamps {
            stamps.write(commands, 3 + 2 * index);
        }
    }

    fn step<'w>(&self, commands: vk::CommandBuffer, work: &'w Work, bound: &mut Bound<'w>) {
        let vk = self.context.vk();
        // SAFETY: the caller is recording the command buffer; the plan keeps every object in it alive for as long as the
        // recording lives, and holds regions that lie within their buffers.
        unsafe {
            match work {
                Work::Dispatch { pipeline, set, params, .. } | Work::DispatchIndirect { pipeline, set, params, .. } => {
                    let stage = vk::PipelineBindPoint::COMPUTE;
                    let wanted = Bound { pipeline: pipeline.handle, set: *set, params };
                    let before = std::mem::replace(bound, wanted);
                    let other = before.pipeline != wanted.pipeline;
                    if other {
                        vk.cmd_bind_pipeline(commands, stage, pipeline.handle);
                    }
                    if other || before.set != wanted.set {
                        vk.cmd_bind_descriptor_sets(commands, stage, pipeline.layout, 0, &[self.sets[*set]], &[]);
                    }
                    if !params.is_empty() && (other || before.params != wanted.params) {
                        vk.cmd_push_constants(commands, pipeline.layout, vk::ShaderStageFlags::COMPUTE, 0, params);
                    }
                    match work {
                        Work::DispatchIndirect { size, offset, .. } => {
                            vk.cmd_dispatch_indirect(commands, *size, *offset)
                        }
                        Work::Dispatch { groups, .. } => vk.cmd_dispatch(commands, *groups, 1, 1),
                        _ => (),
                    }
                }
                Work::Fill { buffer, value } => vk.cmd_fill_buffer(commands, *buffer, 0, vk::WHOLE_SIZE, *value),
                Work::Copy { from, to, bytes } => {
                    vk.cmd_copy_buffer(commands, *from, *to, &[vk::BufferCopy::default().size(*bytes)]);
                }
                Work::ReadBack { buffer, slot } => {
                    if let Some(memory) = self.read_back {
                        let region = vk::BufferCopy::default().dst_offset(slot.start as u64).size(slot.len() as u64);
                        vk.cmd_copy_buffer(commands, *buffer, memory.handle, &[region]);
                    }
                }
            }
        }
    }
}
