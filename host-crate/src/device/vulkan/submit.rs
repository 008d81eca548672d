//! Commands on their way to the device: a command buffer with a pool and a fence of its own, reused for as long as it lives,
//! because making them anew costs forty times a submission. Waiting polls the fence before it sleeps: waking up costs more than
//! most batches run.

use super::{Failed, context::Context, lock, owned::Owned};
use crate::Result;
use ash::vk;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a wait for a GPU polls before it lets the system put the thread to sleep, from which it takes some 50 µs to come back.
const SPIN: Duration = Duration::from_millis(5);

/// How long a wait for a software device polls, which needs the processors itself.
const SPIN_ON_CPU: Duration = Duration::from_micros(200);

/// How long a thread sleeps at most before it looks again, so that no wait keeps another thread from opening a device (see [`super::calls`]).
const SLEEP: Duration = Duration::from_millis(10);

/// One command buffer and the fence that tells when it has run.
pub(super) struct Commands {
    buffer: vk::CommandBuffer,
    fence: Owned<vk::Fence>,
    pool: Owned<vk::CommandPool>,
    context: Arc<Context>,
    /// Whether they go to the queue that only copies.
    is_transfer: bool,
    in_flight: bool,
}

impl Commands {
    pub(super) fn new(context: &Arc<Context>, name: &str) -> Result<Self> {
        Self::for_family(context, name, context.physical.queue_family, false)
    }

    /// For the queue that only copies, where there is one, else for the one that computes.
    pub(super) fn for_transfers(context: &Arc<Context>, name: &str) -> Result<Self> {
        match context.physical.transfer_family {
            Some(family) => Self::for_family(context, name, family, true),
            None => Self::new(context, name),
        }
    }

    fn for_family(context: &Arc<Context>, name: &str, family: u32, is_transfer: bool) -> Result<Self> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the device is alive.
        let make = |vk: &ash::Device| unsafe { vk.create_command_pool(&info, None) };
        let pool = Owned::new(context, name, "making a command pool", make)?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.handle).command_buffer_count(1);
        // SAFETY: the pool is alive, and the buffer goes with it.
        let buffer = unsafe { context.vk().allocate_command_buffers(&info) }.failed("making a command buffer")?[0];
        context.name(buffer, name);
        // SAFETY: the device is alive.
        let make = |vk: &ash::Device| unsafe { vk.create_fence(&Default::default(), None) };
        let fence = Owned::new(context, name, "making a fence", make)?;
        Ok(Self { buffer, fence, pool, context: context.clone(), is_transfer, in_flight: false })
    }

    /// Replaces what was recorded by what `record` records, which sees everything submitted before it.
    pub(super) fn record(&mut self, once: bool, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        self.wait()?;
        let flags =
            if once { vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT } else { vk::CommandBufferUsageFlags::empty() };
        let begin = vk::CommandBufferBeginInfo::default().flags(flags);
        // SAFETY: the buffer is not in flight, and `&mut` keeps other threads from its pool.
        let begun = unsafe {
            let vk = self.context.vk();
            vk.reset_command_pool(self.pool.handle, vk::CommandPoolResetFlags::empty())
                .and_then(|()| vk.begin_command_buffer(self.buffer, &begin))
        };
        begun.failed("recording commands")?;
        record(self.buffer);
        // SAFETY: it is being recorded.
        unsafe { self.context.vk().end_command_buffer(self.buffer) }.failed("recording commands")
    }

    pub(super) fn submit(&mut self) -> Result<()> {
        self.wait()?;
        if !self.context.submissions.take() {
            return Err(vk::Result::ERROR_DEVICE_LOST).failed("submitting work");
        }
        let vk = self.context.vk();
        let buffers = [self.buffer];
        let submission = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: neither buffer nor fence is in flight, and the queue is locked.
        unsafe {
            vk.reset_fences(&[self.fence.handle]).failed("submitting work")?;
            let transfers = self.context.transfer_queue.as_ref().filter(|_| self.is_transfer);
            let queue = lock(transfers.unwrap_or(&self.context.queue));
            vk.queue_submit(*queue, &submission, self.fence.handle).failed("submitting work")?;
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
        let (start, spin) = (Instant::now(), if self.context.physical.info.kind.is_gpu() { SPIN } else { SPIN_ON_CPU });
        while start.elapsed() < spin {
            // SAFETY: the fence is alive.
            if unsafe { self.context.vk().get_fence_status(self.fence.handle) }.failed("waiting for the device")? {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let sleep = SLEEP.as_nanos() as u64;
        loop {
            // SAFETY: the fence is alive and was submitted.
            let waited = unsafe { self.context.vk().wait_for_fences(&[self.fence.handle], true, sleep) };
            if waited != Err(vk::Result::TIMEOUT) {
                return waited.failed("waiting for the device");
            }
        }
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // A lost device runs nothing any more: then there is nothing to wait for.
        let _ = self.wait();
    }
}
