//! The CPU device's buffers, and the queue that hands out the right to touch them.
//!
//! Everything that reads or writes a buffer, be it a copy or a dispatch, holds the one [`Queue`] of the process. So the only
//! threads that ever share a buffer are those of a single dispatch, and these go through the kernels' views: atomics for what
//! is written, plain reads for what nobody writes. No reference to a buffer's content outlives the function that makes it.

use crate::device::Team;
use crate::{Error, Result};
use evenkeel_kernels::launch::{BufferMemory, RawBuffer};
use memmap2::{MmapMut, MmapRaw};
use std::{
    ptr::NonNull,
    slice,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU32},
};

/// The right to touch buffers, and the threads that do. There is one, and it is lent to one thread at a time.
pub(super) struct Queue {
    team: Option<Team>,
}

impl Queue {
    /// Waits for the turn.
    pub(super) fn take() -> MutexGuard<'static, Self> {
        // One for all CPU devices: they are the same CPU, and a buffer of one may be bound in a recording of another.
        static QUEUE: Mutex<Queue> = Mutex::new(Queue { team: None });
        // Nothing is left half done by a panic here: a team is whole again when it has run.
        QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The threads, which begin when they are first needed.
    pub(super) fn team(&mut self, threads: usize) -> &mut Team {
        if self.team.as_ref().is_some_and(|team| team.asked_for() != threads) {
            self.team = None;
        }
        self.team.get_or_insert_with(|| Team::new(threads))
    }
}

/// One buffer, zero at first, in pages of its own. It is touched only under the queue's order; see the module.
pub(super) struct Memory {
    pages: MmapRaw,
    bytes: usize,
    name: String,
}

impl Memory {
    /// Allocates a buffer, or says that it does not fit.
    pub(super) fn zeroed(name: &str, bytes: u64) -> Result<Self> {
        let refuse = || Error::Memory(format!("buffer '{name}' needs {bytes} bytes, which the system does not give"));
        let bytes = usize::try_from(bytes).map_err(|_| refuse())?;
        // A buffer of nothing still needs an address.
        let pages = MmapMut::map_anon(bytes.max(1)).map_err(|_| refuse())?;
        Ok(Self { pages: pages.into(), bytes, name: name.to_owned() })
    }

    fn pointer(&self) -> NonNull<u8> {
        NonNull::new(self.pages.as_mut_ptr()).expect("a mapping never begins at address 0")
    }

    /// What this device keeps for a buffer.
    pub(super) fn of(buffer: &RawBuffer) -> Result<Arc<Self>> {
        let other = || Error::Device("a buffer of another device was given to the CPU device".into());
        buffer.clone().downcast().map_err(|_| other())
    }

    /// Where it lies, for kernels.
    pub(super) fn view(&self) -> BufferMemory {
        // SAFETY: the memory was allocated so, and a program keeps its buffers while it runs.
        unsafe { BufferMemory::new(self.pages.as_mut_ptr(), self.bytes) }
    }

    /// All of its words, for a native step: the only accesses while it runs are by atomics.
    ///
    /// # Safety
    /// The caller runs a step, so that it has the queue, for as long as it uses the words.
    pub(super) unsafe fn words(&self) -> &[AtomicU32] {
        // SAFETY: aligned and within the buffer; the queue keeps everything else away.
        unsafe { slice::from_raw_parts(self.pages.as_mut_ptr().cast(), self.bytes / size_of::<AtomicU32>()) }
    }

    /// What it was called when it was allocated.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Refuses what reaches past the end.
    pub(super) fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes as u64 => Ok(()),
            _ => Err(Error::Device(format!(
                "bytes {offset}.. ({bytes} of them) are not within buffer '{}' of {} bytes",
                self.name, self.bytes
            ))),
        }
    }

    /// Copies `bytes` to `offset`.
    pub(super) fn write(&self, _: &mut Queue, offset: u64, bytes: &[u8]) -> Result<()> {
        self.check(offset, bytes.len() as u64)?;
        // SAFETY: within the buffer, which nobody else touches while we have the queue.
        unsafe {
            self.pointer().add(offset as usize).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len())
        };
        Ok(())
    }

    /// Copies what is at `offset` to `bytes`.
    pub(super) fn read(&self, _: &mut Queue, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.check(offset, bytes.len() as u64)?;
        let len = bytes.len();
        // SAFETY: within the buffer, which nobody else touches while we have the queue.
        unsafe { self.pointer().add(offset as usize).copy_to_nonoverlapping(NonNull::from(bytes).cast(), len) };
        Ok(())
    }

    /// Copies the first `bytes` bytes of `from`, which may be this buffer.
    pub(super) fn copy(&self, _: &mut Queue, from: &Self, bytes: u64) -> Result<()> {
        self.check(0, bytes)?;
        from.check(0, bytes)?;
        // SAFETY: within both buffers, which nobody else touches while we have the queue; `copy_from` allows an overlap.
        unsafe { self.pointer().copy_from(from.pointer(), bytes as usize) };
        Ok(())
    }

    /// Sets every word.
    pub(super) fn fill(&self, _: &mut Queue, value: u32) {
        let words = NonNull::slice_from_raw_parts(self.pointer().cast::<u32>(), self.bytes / size_of::<u32>());
        // SAFETY: aligned and within the buffer, which nobody else touches while we have the queue.
        unsafe { &mut *words.as_ptr() }.fill(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_zero_then_holds_what_is_written() {
        let queue = &mut *Queue::take();
        let memory = Memory::zeroed("numbers", 12).unwrap();
        let mut seen = [9; 12];
        memory.read(queue, 0, &mut seen).unwrap();
        assert_eq!(seen, [0; 12]);
        memory.fill(queue, 0x0403_0201);
        memory.write(queue, 6, &[7, 8]).unwrap();
        memory.read(queue, 0, &mut seen).unwrap();
        assert_eq!(seen, [1, 2, 3, 4, 1, 2, 7, 8, 1, 2, 3, 4]);
        memory.copy(queue, &memory, 12).unwrap();
        let other = Memory::zeroed("others", 16).unwrap();
        other.copy(queue, &memory, 12).unwrap();
        other.read(queue, 8, &mut seen[..8]).unwrap();
        assert_eq!(seen[..8], [1, 2, 3, 4, 0, 0, 0, 0]);
    }

    #[test]
    fn past_the_end_is_refused() {
        let queue = &mut *Queue::take();
        let memory = Memory::zeroed("small", 4).unwrap();
        assert!(memory.write(queue, 1, &[0; 4]).unwrap_err().to_string().contains("'small' of 4 bytes"));
        assert!(memory.read(queue, u64::MAX, &mut [0; 4]).is_err());
        assert!(Memory::zeroed("nothing", 0).unwrap().read(queue, 0, &mut [0]).is_err());
        assert!(matches!(Memory::zeroed("vast", u64::MAX), Err(Error::Memory(_))));
    }
}
