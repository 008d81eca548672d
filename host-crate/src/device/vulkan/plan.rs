//! What a recording will do, in the device's own terms: every handle resolved and checked, every buffer's use known, before a
//! command is written.

use super::{
    barriers::Uses,
    buffer::{self, Buffer},
    context::Context,
    pipeline::{Pipeline, Pipelines},
};
use crate::{
    Error, Result,
    device::{Size, Step},
};
use ash::vk::{self, PipelineStageFlags as Stages};
use evenkeel_kernels::launch::{Kernel, RawBuffer};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

/// Slots of read-back memory begin at multiples of this.
const SLOT: usize = 16;

/// Steps, and all that they refer to.
pub(super) struct Plan {
    pub(super) steps: Vec<Planned>,
    /// Each different binding of a kernel's buffers; a step refers to one by its index.
    pub(super) sets: Vec<DescriptorSet>,
    /// Where each read-back lands in the recording's host memory.
    pub(super) slots: Vec<Range<usize>>,
    /// Read-backs that are no step: after the run the host reads the buffer where it is, and puts what it finds into the slot.
    pub(super) in_place: Vec<(Arc<Buffer>, Range<usize>)>,
    /// All buffers, which live as long as the plan.
    buffers: Vec<Arc<Buffer>>,
    known: HashMap<(vk::Pipeline, Vec<vk::Buffer>), usize>,
    label: String,
    context: Arc<Context>,
}

pub(super) struct Planned {
    pub(super) work: Work,
    pub(super) uses: Uses,
    pub(super) label: String,
}

pub(super) struct DescriptorSet {
    pub(super) layout: vk::DescriptorSetLayout,
    pub(super) buffers: Vec<vk::DescriptorBufferInfo>,
}

pub(super) enum Work {
    Dispatch { kernel: &'static str, pipeline: Arc<Pipeline>, set: usize, params: Vec<u8>, groups: Groups },
    Fill { buffer: vk::Buffer, value: u32 },
    Copy { from: vk::Buffer, to: vk::Buffer, bytes: u64 },
    ReadBack { buffer: Arc<Buffer>, slot: Range<usize> },
}

/// How many workgroups a dispatch has: a number, or a place in a buffer.
pub(super) enum Groups {
    Known(u32),
    Indirect(vk::Buffer, u64),
}

impl Work {
    /// As tables and traces call it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Dispatch { kernel, .. } => kernel,
            Self::Fill { .. } => "fill",
            Self::Copy { .. } => "copy",
            Self::ReadBack { .. } => "read back",
        }
    }
}

impl Plan {
    pub(super) fn new(context: &Arc<Context>, pipelines: &Pipelines, steps: Vec<Step>) -> Result<Self> {
        let (planned, sets, slots, in_place, buffers, known) = Default::default();
        let label = String::new();
        let mut plan = Self { steps: planned, sets, slots, in_place, buffers, known, label, context: context.clone() };
        let kernel = |step: &Step| if let Step::Dispatch { kernel, .. } = step { Some(*kernel) } else { None };
        let kernels: Vec<_> = steps.iter().filter_map(kernel).collect();
        let mut pipelines = pipelines.get(&kernels)?.into_iter();
        for step in steps {
            match step {
                Step::Label(name) => plan.label = name,
                Step::Dispatch { kernel, buffers, params, size } => {
                    let pipeline = pipelines.next().ok_or_else(|| Error::Device("a pipeline was not made".into()))?;
                    plan.dispatch(kernel, pipeline, &buffers, params, size)?;
                }
                Step::Native { name, .. } => {
                    return Err(Error::Device(format!("{name} runs on the CPU device alone")));
                }
                Step::Fill { buffer, value } => {
                    let buffer = plan.hold(&buffer)?.handle;
                    plan.push(Work::Fill { buffer, value }, Stages::TRANSFER, vec![(buffer, true)]);
                }
                Step::Copy { from, to, bytes } => plan.copy(&from, &to, bytes)?,
                Step::ReadBack { buffer, bytes } => plan.read_back(&buffer, bytes as usize)?,
            }
        }
        plan.read_in_place();
        Ok(plan)
    }

    /// Leaves read-backs to the host where it can read the buffer and no later step may write it.
    fn read_in_place(&mut self) {
        let mut written = HashSet::new();
        for index in (0..self.steps.len()).rev() {
            let Planned { work, uses, .. } = &self.steps[index];
            if let Work::ReadBack { buffer, slot } = work
                && !written.contains(&buffer.handle)
                && buffer.host_can_read(slot.len())
            {
                self.in_place.push((buffer.clone(), slot.clone()));
                self.steps.remove(index);
            } else {
                written.extend(uses.buffers.iter().filter(|(_, writes)| *writes).map(|(buffer, _)| *buffer));
            }
        }
    }

    /// Adds a step; of each buffer it is said whether it may be written.
    fn push(&mut self, work: Work, stages: Stages, buffers: Vec<(vk::Buffer, bool)>) {
        self.steps.push(Planned { work, uses: Uses { stages, buffers }, label: self.label.clone() });
    }

    /// Keeps a buffer alive for as long as the recording.
    fn hold(&mut self, raw: &RawBuffer) -> Result<Arc<Buffer>> {
        let buffer = buffer::of(&self.context, raw)?;
        // A recording has few buffers and many steps.
        if !self.buffers.iter().any(|held| Arc::ptr_eq(held, &buffer)) {
            self.buffers.push(buffer.clone());
        }
        Ok(buffer)
    }

    fn dispatch(
        &mut self,
        kernel: &'static Kernel,
        pipeline: Arc<Pipeline>,
        buffers: &[RawBuffer],
        params: Vec<u8>,
        size: Size,
    ) -> Result<()> {
        let bound: Vec<_> = buffers.iter().map(|raw| self.hold(raw)).collect::<Result<_>>()?;
        let writable = kernel.buffers.iter().map(|argument| argument.writable);
        let mut stages = Stages::COMPUTE_SHADER;
        let mut used: Vec<_> = bound.iter().map(|buffer| buffer.handle).zip(writable).collect();
        let groups = match size {
            Size::Groups(groups) => Groups::Known(groups),
            Size::Indirect { buffer, offset } => {
                let buffer = self.hold(&buffer)?.handle;
                stages |= Stages::DRAW_INDIRECT;
                used.push((buffer, false));
                Groups::Indirect(buffer, offset)
            }
        };
        let set = self.set(&pipeline, &bound);
        self.push(Work::Dispatch { kernel: kernel.name, pipeline, set, params, groups }, stages, used);
        Ok(())
    }

    /// The set with these buffers; iterations that bind the same ones share it.
    fn set(&mut self, pipeline: &Pipeline, buffers: &[Arc<Buffer>]) -> usize {
        let key = (pipeline.pipeline.handle, buffers.iter().map(|buffer| buffer.handle).collect());
        *self.known.entry(key).or_insert_with(|| {
            let buffers = buffers.iter().map(|buffer| buffer.descriptor()).collect();
            self.sets.push(DescriptorSet { layout: pipeline.set_layout.handle, buffers });
            self.sets.len() - 1
        })
    }

    /// Adds nothing when there is nothing to copy, or it is there already.
    fn copy(&mut self, from: &RawBuffer, to: &RawBuffer, bytes: u64) -> Result<()> {
        let (from, to) = (self.hold(from)?, self.hold(to)?);
        if bytes > from.bytes.min(to.bytes) {
            let reason = format!("{bytes} bytes cannot be copied from {} to {} bytes", from.bytes, to.bytes);
            return Err(Error::Device(reason));
        }
        if bytes > 0 && !Arc::ptr_eq(&from, &to) {
            let (from, to) = (from.handle, to.handle);
            self.push(Work::Copy { from, to, bytes }, Stages::TRANSFER, vec![(from, false), (to, true)]);
        }
        Ok(())
    }

    fn read_back(&mut self, raw: &RawBuffer, bytes: usize) -> Result<()> {
        let buffer = self.hold(raw)?;
        if bytes == 0 || bytes as u64 > buffer.bytes {
            return Err(Error::Device(format!("{bytes} bytes cannot be read back from a buffer of {}", buffer.bytes)));
        }
        let start = self.slots.last().map_or(0, |last| last.end.next_multiple_of(SLOT));
        let slot = start..start + bytes;
        self.slots.push(slot.clone());
        let uses = vec![(buffer.handle, false)];
        self.push(Work::ReadBack { buffer, slot }, Stages::TRANSFER, uses);
        Ok(())
    }
}
