//! Device memory with a name: allocated through gpu-allocator, freed with the last reference to it.

use super::{Failed, context::Context, lock};
use crate::{Error, Result};
use ash::vk;
use evenkeel_kernels::launch::RawBuffer;
use evenkeel_types::LoopReport;
use gpu_allocator::{
    AllocationError, MemoryLocation,
    vulkan::{Allocation, AllocationCreateDesc, AllocationScheme},
};
use std::sync::Arc;

/// Vulkan has no buffers of no bytes; fills work in whole words.
const GRANULE: u64 = 16;

/// From this size on a buffer gets memory of its own, so that freeing it gives the memory back and blocks waste little.
const DEDICATED: u64 = 16 << 20;

/// Up to this size a buffer lies in memory of the device that the host can see, too, where there is such memory: a loop's state does.
const SMALL: u64 = 4 << 10;

/// Up to so many bytes the host reads in place rather than have them copied. A read waits for the bus, and a copy for the device.
const IN_PLACE: usize = 64;

/// What the host reads from a device's memory at a time: the report of a loop.
const AT_A_TIME: usize = size_of::<LoopReport>();

/// The queues that use a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queues {
    /// The one that computes.
    Computing,
    /// The one that only copies, too.
    All,
}

pub(super) struct Buffer {
    pub(super) handle: vk::Buffer,
    /// What was asked for; 0 is possible.
    pub(super) bytes: u64,
    allocation: Allocation,
    context: Arc<Context>,
}

impl Buffer {
    pub(super) fn on_device(context: &Arc<Context>, name: &str, bytes: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        // Without room in that memory the allocator would take the host's.
        if bytes <= SMALL
            && context.physical.has_visible_memory
            && let Ok(buffer) = Self::new(context, name, bytes, usage, MemoryLocation::CpuToGpu, Queues::Computing)
            && buffer.allocation.memory_properties().contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
        {
            return Ok(buffer);
        }
        Self::new(context, name, bytes, usage, MemoryLocation::GpuOnly, Queues::Computing)
    }

    /// Allocates a buffer that is copied to while the device computes, and that kernels read.
    pub(super) fn slot(context: &Arc<Context>, name: &str, bytes: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        Self::new(context, name, bytes, usage, MemoryLocation::GpuOnly, Queues::All)
    }

    /// Memory of the host that the device copies to and from. It is cached by the host where that can be had: then reading
    /// is fast, and writing loses nothing, because the device's copies go past the cache at the speed of the bus either way.
    pub(super) fn on_host(context: &Arc<Context>, name: &str, bytes: u64) -> Result<Self> {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let buffer = Self::new(context, name, bytes, usage, MemoryLocation::GpuToCpu, Queues::All)?;
        match buffer.allocation.mapped_ptr() {
            Some(_) => Ok(buffer),
            None => Err(Error::Device(format!("{} did not map buffer '{name}'", context.physical.info.name))),
        }
    }

    fn new(
        context: &Arc<Context>,
        name: &str,
        bytes: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
        queues: Queues,
    ) -> Result<Self> {
        let size = bytes.next_multiple_of(GRANULE).max(GRANULE);
        let mut info = vk::BufferCreateInfo::default().size(size).usage(usage).sharing_mode(vk::SharingMode::EXCLUSIVE);
        let families: Vec<u32> =
            [context.physical.queue_family].into_iter().chain(context.physical.transfer_family).collect();
        if queues == Queues::All && families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&families);
        }
        // SAFETY: the device is alive.
        let handle = unsafe { context.vk().create_buffer(&info, None) }.failed(&format!("making buffer '{name}'"))?;
        let mut buffer = Self { handle, bytes, allocation: Allocation::default(), context: context.clone() };
        // SAFETY: the buffer was just made.
        let requirements = unsafe { context.vk().get_buffer_memory_requirements(handle) };
        let allocation_scheme = if requirements.size >= DEDICATED {
            AllocationScheme::DedicatedBuffer(handle)
        } else {
            AllocationScheme::GpuAllocatorManaged
        };
        let request = AllocationCreateDesc { name, requirements, location, linear: true, allocation_scheme };
        let allocate = || match context.allocations.take() {
            true => lock(&context.allocator()).allocate(&request),
            false => Err(AllocationError::OutOfMemory),
        };
        buffer.allocation = allocate().map_err(|error| {
            let (size, device) = (requirements.size, &context.physical.info.name);
            Error::Memory(format!("buffer '{name}' needs {size} bytes, and {device} could not give them: {error}"))
        })?;
        // SAFETY: the memory is new, fits the buffer's requirements, and is freed after the buffer is destroyed.
        unsafe { context.vk().bind_buffer_memory(handle, buffer.allocation.memory(), buffer.allocation.offset()) }
            .failed(&format!("giving memory to buffer '{name}'"))?;
        context.name(handle, name);
        Ok(buffer)
    }

    /// Whether the host may read the first `bytes` bytes where they are, after the device has written them.
    pub(super) fn host_can_read(&self, bytes: usize) -> bool {
        let is_coherent = self.allocation.memory_properties().contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        bytes <= IN_PLACE && is_coherent && self.allocation.mapped_ptr().is_some()
    }

    /// Reads the first bytes where they are. The device must not be writing them.
    pub(super) fn read_in_place(&self, to: &mut [u8]) {
        let (chunks, rest) = self.mapped()[..to.len()].as_chunks::<AT_A_TIME>();
        let (to_chunks, to_rest) = to.as_chunks_mut::<AT_A_TIME>();
        // Of a known length, each is a single load.
        for (to, from) in to_chunks.iter_mut().zip(chunks) {
            *to = *from;
        }
        to_rest.copy_from_slice(rest);
    }

    /// The host's view of a buffer made by [`Buffer::on_host`], or of one that it can read in place; empty for others. The device must not be
    /// writing it.
    pub(super) fn mapped(&self) -> &[u8] {
        self.allocation.mapped_slice().unwrap_or_default()
    }

    /// As [`Buffer::mapped`], to write. The device must not be using it.
    pub(super) fn mapped_mut(&mut self) -> &mut [u8] {
        self.allocation.mapped_slice_mut().unwrap_or_default()
    }

    /// The part that kernels see: what was asked for, since a slice's length on the device comes from here.
    pub(super) fn descriptor(&self) -> vk::DescriptorBufferInfo {
        let range = if self.bytes == 0 { vk::WHOLE_SIZE } else { self.bytes };
        vk::DescriptorBufferInfo::default().buffer(self.handle).range(range)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: whatever runs with the buffer holds a reference to it, and waits before it lets go.
        unsafe { self.context.vk().destroy_buffer(self.handle, None) };
        let freed = lock(&self.context.allocator()).free(std::mem::take(&mut self.allocation));
        if let Err(error) = freed {
            tracing::error!("freeing device memory: {error}");
        }
    }
}

/// What the interface's untyped handle holds, if this device made it.
pub(super) fn of(context: &Arc<Context>, raw: &RawBuffer) -> Result<Arc<Buffer>> {
    match raw.clone().downcast::<Buffer>() {
        Ok(buffer) if Arc::ptr_eq(&buffer.context, context) => Ok(buffer),
        _ => Err(Error::Device(format!("a buffer of another device was used on {}", context.physical.info.name))),
    }
}
