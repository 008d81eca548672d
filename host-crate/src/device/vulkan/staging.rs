//! Host memory on the way to and from the device. There are two halves: while the device copies one, the host fills or empties
//! the other, so a buffer of any size passes through at the speed of the slower of the two.

use super::{barriers::barrier, buffer::Buffer, context::Context, submit::Commands};
use crate::Result;
use ash::vk::{self, PipelineStageFlags as Stages};
use std::{sync::Arc, thread};

/// Both halves together, unless the options say otherwise: copying 32 MiB takes so long that the submission costs nothing
/// beside it.
pub(super) const DEFAULT_BYTES: u64 = 64 << 20;

/// What one thread copies at least: less is not worth starting it.
const THREAD_BYTES: usize = 4 << 20;

/// More threads than this do not make memory faster.
const MAX_THREADS: usize = 8;

pub(super) struct Staging {
    context: Arc<Context>,
    halves: [Half; 2],
}

struct Half {
    commands: Commands,
    memory: Buffer,
}

impl Staging {
    pub(super) fn new(context: &Arc<Context>, bytes: u64) -> Result<Self> {
        let half = |name| {
            let memory = Buffer::on_host(context, name, (bytes / 2).max(1))?;
            Ok(Half { commands: Commands::new(context, name)?, memory })
        };
        Ok(Self { context: context.clone(), halves: [half("staging 0")?, half("staging 1")?] })
    }

    fn piece(&self) -> usize {
        self.halves[0].memory.bytes as usize
    }

    pub(super) fn upload(&mut self, target: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let sent = self.send(target, offset, bytes);
        sent.and(self.drain())
    }

    pub(super) fn download(&mut self, source: &Buffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let received = self.receive(source, offset, bytes);
        received.and(self.drain())
    }

    /// Waits, also after a failure: nothing may be in flight when the caller lets go of the buffer.
    fn drain(&mut self) -> Result<()> {
        self.halves.iter_mut().try_for_each(|half| half.commands.wait())
    }

    fn send(&mut self, target: &Buffer, mut offset: u64, bytes: &[u8]) -> Result<()> {
        for (index, piece) in bytes.chunks(self.piece()).enumerate() {
            let half = &mut self.halves[index % 2];
            half.commands.wait()?;
            copy(piece, &mut half.memory.mapped_mut()[..piece.len()]);
            let region = vk::BufferCopy { src_offset: 0, dst_offset: offset, size: piece.len() as u64 };
            half.submit(&self.context, half.memory.handle, target.handle, region)?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    fn receive(&mut self, source: &Buffer, mut offset: u64, bytes: &mut [u8]) -> Result<()> {
        let mut on_its_way: Option<(usize, &mut [u8])> = None;
        for (index, piece) in bytes.chunks_mut(self.piece()).enumerate() {
            let half = &mut self.halves[index % 2];
            let region = vk::BufferCopy { src_offset: offset, dst_offset: 0, size: piece.len() as u64 };
            half.submit(&self.context, source.handle, half.memory.handle, region)?;
            offset += piece.len() as u64;
            if let Some((half, piece)) = on_its_way.replace((index % 2, piece)) {
                self.halves[half].empty_into(piece)?;
            }
        }
        on_its_way.map_or(Ok(()), |(half, piece)| self.halves[half].empty_into(piece))
    }
}

impl Half {
    /// Begins a copy between the half and a buffer of the device.
    fn submit(&mut self, context: &Context, from: vk::Buffer, to: vk::Buffer, region: vk::BufferCopy) -> Result<()> {
        let for_host = to == self.memory.handle;
        self.commands.record(true, |commands| {
            barrier(context, commands, Stages::ALL_COMMANDS, Stages::TRANSFER);
            // SAFETY: the interface checked that the region lies in the buffer; it lies in the half by construction.
            unsafe { context.vk().cmd_copy_buffer(commands, from, to, &[region]) };
            if for_host {
                barrier(context, commands, Stages::TRANSFER, Stages::HOST);
            }
        })?;
        self.commands.submit()
    }

    fn empty_into(&mut self, piece: &mut [u8]) -> Result<()> {
        self.commands.wait()?;
        copy(&self.memory.mapped()[..piece.len()], piece);
        Ok(())
    }
}

/// Copies with several threads when there is much: one alone is slower than the bus. They are not the pool's threads: a caller
/// who is one of those would, while it waits, be given other work that may want the staging memory too.
fn copy(from: &[u8], to: &mut [u8]) {
    let threads = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS));
    let share = from.len().div_ceil(threads).max(THREAD_BYTES);
    thread::scope(|scope| {
        let mut shares = from.chunks(share).zip(to.chunks_mut(share));
        let own = shares.next();
        for (from, to) in shares {
            scope.spawn(|| to.copy_from_slice(from));
        }
        if let Some((from, to)) = own {
            to.copy_from_slice(from);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_any_length_are_whole() {
        for length in [0, 1, THREAD_BYTES, 2 * THREAD_BYTES + 3] {
            let from: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            let mut to = vec![0; length];
            copy(&from, &mut to);
            assert!(from == to, "{length} bytes");
        }
    }
}
