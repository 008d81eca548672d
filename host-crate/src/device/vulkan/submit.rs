//! Commands on their way to the device: a command buffer with a pool and a fence of its own, reused for as long as it lives,
//! because making them anew costs forty times a submission. Waiting polls the fence before it sleeps: waking up costs more than
//! most batches run.

use super::{Failed, context::Context, lock};
use crate::Result;
use ash::vk;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a wait polls before it lets the system put the thread to sleep.
const SPIN: Duration = Duration::from_micros(200);

/// One command buffer and the fence that tells when it has run.
pub(super) struct Commands {
    pub(super) buffer: vk::CommandBuffer,
    context: Arc<Context>,
    pool: vk::CommandPool,
    fence: vk::Fence,
    in_flight: bool,
}

impl Commands {
    /// A command buffer with nothing in it.
    pub(super) fn new(context: &Arc<Context>, name: &str) -> Result<Self> {
        let mut commands = Self {
            context: context.clone(),
            buffer: vk::CommandBuffer::null(),
            pool: vk::CommandPool::null(),
            fence: vk::Fence::null(),
            in_flight: false,
        };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(context.physical.queue_family);
        // SAFETY: the device is alive; what is made before a failure is destroyed by `drop`, null handles are allowed there.
        unsafe {
            commands.pool = context.vk().create_command_pool(&pool, None).failed("making a command pool")?;
            let allocate = vk::CommandBufferAllocateInfo::default().command_pool(commands.pool).command_buffer_count(1);
            let buffers = context.vk().allocate_command_buffers(&allocate).failed("making a command buffer")?;
            commands.buffer = buffers.first().copied().unwrap_or_default();
            commands.fence = context.vk().create_fence(&Default::default(), None).failed("making a fence")?;
        }
        context.name(commands.pool, name);
        context.name(commands.buffer, name);
        context.name(commands.fence, name);
        Ok(commands)
    }

    /// Replaces what was recorded by what `record` records, which sees everything submitted before it.
    pub(super) fn record(&mut self, once: bool, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        self.wait()?;
        let flags =
            if once { vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT } else { vk::CommandBufferUsageFlags::empty() };
        let vk = self.context.vk();
        // SAFETY: the buffer is not in flight, and `&mut` keeps other threads from its pool.
        unsafe {
            vk.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()).failed("recording commands")?;
            let begin = vk::CommandBufferBeginInfo::default().flags(flags);
            vk.begin_command_buffer(self.buffer, &begin).failed("recording commands")?;
        }
        record(self.buffer);
        // SAFETY: it is being recorded.
        unsafe { self.context.vk().end_command_buffer(self.buffer) }.failed("recording commands")
    }

    /// Sends it to the device.
    pub(super) fn submit(&mut self) -> Result<()> {
        self.wait()?;
        let vk = self.context.vk();
        let buffers = [self.buffer];
        let submission = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: neither buffer nor fence is in flight, and the queue is locked.
        unsafe {
            vk.reset_fences(&[self.fence]).failed("submitting work")?;
            let queue = lock(&self.context.queue);
            vk.queue_submit(*queue, &submission, self.fence).failed("submitting work")?;
        }
        self.in_flight = true;
        Ok(())
    }

    /// Waits until it has run; returns at once when it is not running.
    pub(super) fn wait(&mut self) -> Result<()> {
        if !self.in_flight {
            return Ok(());
        }
        // Also when the wait fails, nothing is gained by waiting again: the device is lost.
        self.in_flight = false;
        let vk = self.context.vk();
        let start = Instant::now();
        while start.elapsed() < SPIN {
            // SAFETY: the fence is alive.
            if unsafe { vk.get_fence_status(self.fence) }.failed("waiting for the device")? {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        // SAFETY: the fence is alive and was submitted.
        unsafe { vk.wait_for_fences(&[self.fence], true, u64::MAX) }.failed("waiting for the device")
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // A lost device runs nothing any more: then there is nothing to wait for.
        let _ = self.wait();
        // SAFETY: it does not run; null handles are ignored.
        unsafe {
            self.context.vk().destroy_fence(self.fence, None);
            self.context.vk().destroy_command_pool(self.pool, None);
        }
    }
}
