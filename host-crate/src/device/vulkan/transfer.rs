//! Copies from memory of the host that run while the device computes: on a queue that does nothing else, where the device has one.

use super::{barriers::barrier, buffer::Buffer, context::Context, submit::Commands};
use crate::{Result, device::Transferring};
use ash::vk::{self, PipelineStageFlags as Stages};
use std::sync::Arc;

/// Copies that are recorded once and made any number of times. Fields are dropped in this order: the commands first, which waits for
/// their end.
pub(super) struct Transfer {
    commands: Commands,
    _buffers: Vec<Arc<Buffer>>,
}

impl Transfer {
    /// Records copies of the first `bytes` bytes from one buffer to another, which both belong to this device.
    pub(super) fn new(
        context: &Arc<Context>,
        name: &str,
        copies: Vec<(Arc<Buffer>, Arc<Buffer>, u64)>,
    ) -> Result<Self> {
        let mut commands = Commands::for_transfers(context, name)?;
        commands.record(false, |commands| {
            barrier(context, commands, Stages::ALL_COMMANDS, Stages::TRANSFER);
            for (from, to, bytes) in copies.iter().filter(|(.., bytes)| *bytes > 0) {
                let region = vk::BufferCopy { src_offset: 0, dst_offset: 0, size: *bytes };
                // SAFETY: the interface checked that so many bytes lie in both buffers, which live as long as the commands.
                unsafe { context.vk().cmd_copy_buffer(commands, from.handle, to.handle, &[region]) };
            }
        })?;
        Ok(Self { commands, _buffers: copies.into_iter().flat_map(|(from, to, _)| [from, to]).collect() })
    }
}

impl Transferring for Transfer {
    fn start(&mut self) -> Result<()> {
        self.commands.submit()
    }

    fn wait(&mut self) -> Result<()> {
        self.commands.wait()
    }
}
