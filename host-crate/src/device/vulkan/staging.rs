//! Host memory on the way to and from the device. There are two halves: while the device copies one, the host fills or empties
//! the other, so a buffer of any size passes through at the speed of the slower of the two.

use super::{barriers::barrier, buffer::Buffer, context::Context, submit::Commands};
use crate::{Error, Result, phase};
use ash::vk::{self, PipelineStageFlags as Stages};
use std::{sync::Arc, thread};

/// The most that both halves have together, unless the options say otherwise: copying 32 MiB takes so long that the submission costs
/// nothing beside it.
pub(super) const DEFAULT_BYTES: u64 = 64 << 20;

/// What a half has at least, if the options allow it.
const LEAST_HALF: u64 = 256 << 10;

/// What one thread copies at least: less is not worth starting it.
const THREAD_BYTES: usize = 4 << 20;

/// More threads than this do not make memory faster.
const MAX_THREADS: usize = 8;

pub(super) struct Staging {
    context: Arc<Context>,
    /// The most bytes of a half.
    most: u64,
    /// None before the first transfer. Memory that the device can read is pinned page by page, so there is only as much as the largest
    /// transfer so far gained from.
    halves: Option<[Half; 2]>,
}

struct Half {
    commands: Commands,
    memory: Buffer,
}

impl Staging {
    /// At most so many bytes, and none yet.
    pub(super) fn new(context: &Arc<Context>, bytes: u64) -> Self {
        Self { context: context.clone(), most: (bytes / 2).max(1), halves: None }
    }

    pub(super) fn upload(&mut self, target: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let context = self.context.clone();
        let halves = self.halves_for(bytes.len() as u64)?;
        let sent = send(&context, halves, target, offset, bytes);
        sent.and(drain(halves))
    }

    pub(super) fn download(&mut self, source: &Buffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let context = self.context.clone();
        let halves = self.halves_for(bytes.len() as u64)?;
        let received = receive(&context, halves, source, offset, bytes);
        received.and(drain(halves))
    }

    /// The halves, made anew when a transfer of so many bytes gains from larger ones. Nothing is in flight between transfers.
    fn halves_for(&mut self, bytes: u64) -> Result<&mut [Half; 2]> {
        let wanted = half_for(bytes, self.most);
        let halves = match self.halves.take() {
            Some(halves) if halves[0].memory.bytes >= wanted => halves,
            smaller => {
                drop(smaller);
                let half = |name| {
                    let memory = Buffer::on_host(&self.context, name, wanted)?;
                    Ok(Half { commands: Commands::new(&self.context, name)?, memory })
                };
                phase::during("making staging memory", || Ok::<_, Error>([half("staging 0")?, half("staging 1")?]))?
            }
        };
        Ok(self.halves.insert(halves))
    }
}

/// The bytes of a half for a transfer: it passes in two pieces, unless that is too much or not worth two submissions.
fn half_for(bytes: u64, most: u64) -> u64 {
    bytes.div_ceil(2).next_power_of_two().max(LEAST_HALF).min(most)
}

/// Waits, also after a failure: nothing may be in flight when the caller lets go of the buffer.
fn drain(halves: &mut [Half; 2]) -> Result<()> {
    halves.iter_mut().try_for_each(|half| half.commands.wait())
}

fn piece(halves: &[Half; 2]) -> usize {
    halves[0].memory.bytes as usize
}

fn send(context: &Context, halves: &mut [Half; 2], target: &Buffer, mut offset: u64, bytes: &[u8]) -> Result<()> {
    for (index, piece) in bytes.chunks(piece(halves)).enumerate() {
        let half = &mut halves[index % 2];
        half.commands.wait()?;
        copy(piece, &mut half.memory.mapped_mut()[..piece.len()]);
        let region = vk::BufferCopy { src_offset: 0, dst_offset: offset, size: piece.len() as u64 };
        half.submit(context, half.memory.handle, target.handle, region)?;
        offset += piece.len() as u64;
    }
    Ok(())
}

fn receive(
    context: &Context,
    halves: &mut [Half; 2],
    source: &Buffer,
    mut offset: u64,
    bytes: &mut [u8],
) -> Result<()> {
    let mut on_its_way: Option<(usize, &mut [u8])> = None;
    for (index, piece) in bytes.chunks_mut(piece(halves)).enumerate() {
        let half = &mut halves[index % 2];
        let region = vk::BufferCopy { src_offset: offset, dst_offset: 0, size: piece.len() as u64 };
        half.submit(context, source.handle, half.memory.handle, region)?;
        offset += piece.len() as u64;
        if let Some((half, piece)) = on_its_way.replace((index % 2, piece)) {
            halves[half].empty_into(piece)?;
        }
    }
    on_its_way.map_or(Ok(()), |(half, piece)| halves[half].empty_into(piece))
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
pub(super) fn copy(from: &[u8], to: &mut [u8]) {
    let threads = rayon::current_num_threads().min(MAX_THREADS);
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
    fn a_half_is_as_large_as_a_transfer_gains_from() {
        let most = DEFAULT_BYTES / 2;
        assert_eq!(
            [0, 1, 3 << 20, 1 << 40].map(|bytes| half_for(bytes, most)),
            [LEAST_HALF, LEAST_HALF, 2 << 20, most]
        );
        assert_eq!(half_for(1 << 20, 100), 100);
    }

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
