//! Timestamps that a command buffer writes.

use super::{Failed, context::Context, owned::Owned};
use crate::Result;
use ash::vk;
use std::sync::Arc;

/// Room for the stamps of one command buffer.
pub(super) struct Stamps {
    pool: Owned<vk::QueryPool>,
    count: u32,
}

impl Stamps {
    pub(super) fn new(context: &Arc<Context>, name: &str, count: u32) -> Result<Self> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the device is alive.
        let make = |vk: &ash::Device| unsafe { vk.create_query_pool(&info, None) };
        Ok(Self { pool: Owned::new(context, name, "making room for timestamps", make)?, count })
    }

    /// Forgets all stamps, before a command buffer that writes them is submitted. The host does it: the device would take longer.
    pub(super) fn reset(&self) {
        // SAFETY: no command that uses the pool is in flight, and every device with Vulkan 1.2 lets the host reset it.
        unsafe { self.pool.context.vk().reset_query_pool(self.pool.handle, 0, self.count) };
    }

    /// Stamps the moment when all commands before this one are finished.
    pub(super) fn write(&self, commands: vk::CommandBuffer, index: u32) {
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the command buffer is being recorded; the pool is reset before it is submitted.
        unsafe { self.pool.context.vk().cmd_write_timestamp(commands, stage, self.pool.handle, index) };
    }

    /// All stamps, in ticks, after the command buffer has run.
    pub(super) fn read(&self) -> Result<Vec<u64>> {
        let mut ticks = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the pool has as many timestamps as there is room for.
        unsafe { self.pool.context.vk().get_query_pool_results(self.pool.handle, 0, &mut ticks, flags) }
            .failed("reading timestamps")?;
        Ok(ticks)
    }
}
