//! What a recording will do, in the device's own terms: every handle resolved and checked, every buffer's use known, before a
//! command is written.

use super::{
    barriers::{Scope, Uses},
    buffer::{self, Buffer},
    context::Context,
    pipeline::{Pipeline, Pipelines},
};
use crate::{
    Error, Result,
    device::{Size, Step},
};
use ash::vk;
use evenkeel_kernels::launch::{Kernel, RawBuffer};
use std::{collections::HashMap, ops::Range, sync::Arc};

/// Slots of read-back memory begin at multiples of this.
const SLOT: usize = 16;

/// Steps, and all that they refer to.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Planned>,
    /// Each different binding of a kernel's buffers; a step refers to one by its index.
    pub(super) sets: Vec<DescriptorSet>,
    /// Where each read-back lands in the recording's host memory.
    pub(super) slots: Vec<Range<usize>>,
    pub(super) pipelines: Vec<Arc<Pipeline>>,
    pub(super) buffers: Vec<Arc<Buffer>>,
    known: HashMap<(vk::Pipeline, Vec<vk::Buffer>), usize>,
}

/// One step.
pub(super) struct Planned {
    pub(super) work: Work,
    pub(super) uses: Uses,
    pub(super) label: String,
}

/// The buffers of a dispatch.
pub(super) struct DescriptorSet {
    pub(super) layout: vk::DescriptorSetLayout,
    pub(super) buffers: Vec<vk::DescriptorBufferInfo>,
}

/// What the device is told to do.
pub(super) enum Work {
    Dispatch {
        kernel: &'static str,
        pipeline: Arc<Pipeline>,
        set: usize,
        params: Vec<u8>,
        groups: u32,
    },
    DispatchIndirect {
        kernel: &'static str,
        pipeline: Arc<Pipeline>,
        set: usize,
        params: Vec<u8>,
        size: vk::Buffer,
        offset: u64,
    },
    Fill {
        buffer: vk::Buffer,
        value: u32,
    },
    Copy {
        from: vk::Buffer,
        to: vk::Buffer,
        bytes: u64,
    },
    ReadBack {
        buffer: vk::Buffer,
        slot: Range<usize>,
    },
}

impl Work {
    /// As tables and traces call it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Dispatch { kernel, .. } | Self::DispatchIndirect { kernel, .. } => kernel,
            Self::Fill { .. } => "fill",
            Self::Copy { .. } => "copy",
            Self::ReadBack { .. } => "read back",
        }
    }
}

impl Plan {
    pub(super) fn new(context: &Arc<Context>, pipelines: &Pipelines, steps: Vec<Step>) -> Result<Self> {
        let mut plan = Self::default();
        let mut label = String::new();
        for step in steps {
            let planned = match step {
                Step::Label(name) => {
                    label = name;
                    continue;
                }
                Step::Dispatch { kernel, buffers, params, size } => {
                    let pipeline = pipelines.get(kernel)?;
                    Some(plan.dispatch(context, kernel, pipeline, &buffers, params, size)?)
                }
                Step::Fill { buffer, value } => {
                    let buffer = plan.hold(context, &buffer)?.handle;
                    Some((Work::Fill { buffer, value }, Uses { scope: Scope::TRANSFER, buffers: vec![(buffer, true)] }))
                }
                Step::Copy { from, to, bytes } => plan.copy(context, &from, &to, bytes)?,
                Step::ReadBack { buffer, bytes } => Some(plan.read_back(context, &buffer, bytes as usize)?),
            };
            plan.steps.extend(planned.map(|(work, uses)| Planned { work, uses, label: label.clone() }));
        }
        Ok(plan)
    }

    /// Keeps a buffer alive for as long as the recording.
    fn hold(&mut self, context: &Arc<Context>, raw: &RawBuffer) -> Result<Arc<Buffer>> {
        let buffer = buffer::of(context, raw)?;
        // A recording has few buffers and many steps.
        if !self.buffers.iter().any(|held| Arc::ptr_eq(held, &buffer)) {
            self.buffers.push(buffer.clone());
        }
        Ok(buffer)
    }

    fn dispatch(
        &mut self,
        context: &Arc<Context>,
        kernel: &'static Kernel,
        pipeline: Arc<Pipeline>,
        buffers: &[RawBuffer],
        params: Vec<u8>,
        size: Size,
    ) -> Result<(Work, Uses)> {
        let bound: Vec<_> = buffers.iter().map(|raw| self.hold(context, raw)).collect::<Result<_>>()?;
        let writable = kernel.buffers.iter().map(|argument| argument.writable);
        let mut uses =
            Uses { scope: Scope::COMPUTE, buffers: bound.iter().map(|buffer| buffer.handle).zip(writable).collect() };
        let set = self.set(&pipeline, &bound);
        let kernel = kernel.name;
        let work = match size {
            Size::Groups(groups) => Work::Dispatch { kernel, pipeline, set, params, groups },
            Size::Indirect { buffer, offset } => {
                let size = self.hold(context, &buffer)?.handle;
                uses.scope = uses.scope.and(Scope::INDIRECT);
                uses.buffers.push((size, false));
                Work::DispatchIndirect { kernel, pipeline, set, params, size, offset }
            }
        };
        Ok((work, uses))
    }

    /// The set with these buffers; iterations that bind the same ones share it.
    fn set(&mut self, pipeline: &Arc<Pipeline>, buffers: &[Arc<Buffer>]) -> usize {
        let key = (pipeline.handle, buffers.iter().map(|buffer| buffer.handle).collect());
        *self.known.entry(key).or_insert_with(|| {
            if !self.pipelines.iter().any(|held| Arc::ptr_eq(held, pipeline)) {
                self.pipelines.push(pipeline.clone());
            }
            let buffers = buffers.iter().map(|buffer| buffer.descriptor()).collect();
            self.sets.push(DescriptorSet { layout: pipeline.set_layout, buffers });
            self.sets.len() - 1
        })
    }

    /// Nothing when there is nothing to copy, or it is there already.
    fn copy(
        &mut self,
        context: &Arc<Context>,
        from: &RawBuffer,
        to: &RawBuffer,
        bytes: u64,
    ) -> Result<Option<(Work, Uses)>> {
        let (from, to) = (self.hold(context, from)?, self.hold(context, to)?);
        if bytes > from.bytes.min(to.bytes) {
            let reason = format!("{bytes} bytes cannot be copied from {} to {} bytes", from.bytes, to.bytes);
            return Err(Error::Device(reason));
        }
        if bytes == 0 || Arc::ptr_eq(&from, &to) {
            return Ok(None);
        }
        let (from, to) = (from.handle, to.handle);
        let uses = Uses { scope: Scope::TRANSFER, buffers: vec![(from, false), (to, true)] };
        Ok(Some((Work::Copy { from, to, bytes }, uses)))
    }

    fn read_back(&mut self, context: &Arc<Context>, raw: &RawBuffer, bytes: usize) -> Result<(Work, Uses)> {
        let buffer = self.hold(context, raw)?;
        if bytes == 0 || bytes as u64 > buffer.bytes {
            return Err(Error::Device(format!("{bytes} bytes cannot be read back from a buffer of {}", buffer.bytes)));
        }
        let start = self.slots.last().map_or(0, |last| last.end.next_multiple_of(SLOT));
        let slot = start..start + bytes;
        self.slots.push(slot.clone());
        let uses = Uses { scope: Scope::TRANSFER, buffers: vec![(buffer.handle, false)] };
        Ok((Work::ReadBack { buffer: buffer.handle, slot }, uses))
    }
}
