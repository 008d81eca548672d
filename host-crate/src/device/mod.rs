//! Where kernels run. A [`Device`] allocates typed buffers, moves data, and records sequences of dispatches that run again and
//! again without the host. There is one interface; what is behind it, nothing above can tell.
//!
//! Nothing here knows of graphs.
//!
//! ```
//! use evenkeel::device::{Device, DeviceOptions};
//!
//! let device = Device::open("cpu", &DeviceOptions::default())?;
//! let numbers = device.buffer_from("numbers", &[1u32, 2, 3])?;
//! let copy = device.buffer("copy", 3)?;
//! let mut recording = device.record("copying", |recorder| recorder.copy(&numbers, &copy))?;
//! recording.run()?;
//! assert_eq!(device.download(&copy)?, [1, 2, 3]);
//! # Ok::<(), evenkeel::Error>(())
//! ```

pub mod balance;
mod copy_rate;
mod counter;
mod cpu;
mod info;
pub mod memory;
pub mod profile;
mod recorder;
mod team;
mod vulkan;

pub use evenkeel_kernels::launch::{Buffer, Launch};
pub(crate) use info::FIXED_SIZES;
pub use info::{DeviceInfo, DeviceKind};
pub use memory::MemoryPlan;
pub use recorder::{ReadBack, Recorder};
pub(crate) use recorder::{ScheduleRecorder, Size, Step};
pub(crate) use team::{Member, Padded, Team};
#[doc(hidden)]
pub use vulkan::{Compiled, Executable};

use crate::{Error, Result, phase};
use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::launch::{Kernel, RawBuffer};
use profile::Span;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How to open a device.
#[derive(Clone, Debug, Default)]
pub struct DeviceOptions {
    /// Load the Khronos validation layer if it is installed; its messages fail the next call.
    pub validation: bool,
    /// Time each step by itself, which keeps steps from overlapping, and keep what was timed for [`Device::take_spans`].
    pub profile: bool,
    /// Use at most this many bytes of device memory: a graph that needs more is streamed, or refused.
    pub memory_limit: Option<u64>,
    /// Cut graphs into partitions of at most this many bytes a buffer; unless said, only where a device binds no larger buffers.
    pub partition_bytes: Option<u64>,
    /// Keep compiled pipelines in the user's cache folder.
    pub pipeline_cache: bool,
    /// Bytes of host memory that uploads and downloads pass through in pieces; 64 MiB unless said.
    pub staging_bytes: Option<u64>,
}

/// A device that is open. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    backend: Arc<dyn Backend>,
    times_steps: bool,
}

impl Device {
    /// Everything that could be opened, what cannot run evenkeel (and why) included; the CPU, which always can, is last. Where
    /// Vulkan is missing, a warning says how to get it.
    pub fn list() -> Vec<DeviceInfo> {
        let mut devices = vulkan::list().unwrap_or_else(|reason| {
            tracing::warn!("{reason}");
            Vec::new()
        });
        devices.push(cpu::info(Some(devices.len())));
        devices
    }

    /// Everything as [`Device::list`] has it; it is an error where `EVENKEEL_DEVICE_LIMITS` has something that means nothing.
    #[doc(hidden)]
    pub fn list_checked() -> Result<Vec<DeviceInfo>> {
        vulkan::check_limits().map(|()| Self::list())
    }

    /// What the driver of a Vulkan device makes of SPIR-V modules, each with a name for errors. Nothing runs.
    #[doc(hidden)]
    pub fn compile(selector: &str, modules: &[(String, Vec<u8>)]) -> Result<(DeviceInfo, Vec<Compiled>)> {
        vulkan::compile(selector, modules)
    }

    /// Returns the one of the listed devices that `auto` selects: the best GPU, else the CPU device. Vulkan on the CPU is slower than that,
    /// and is taken only when it is asked for.
    pub fn automatic<'a>(devices: impl IntoIterator<Item = &'a DeviceInfo>) -> Option<&'a DeviceInfo> {
        let can_be_taken = |info: &&DeviceInfo| info.missing.is_empty() && info.kind != DeviceKind::Software;
        devices.into_iter().filter(can_be_taken).min_by_key(|info| (info.kind, info.index))
    }

    /// Opens `auto` ([`Device::automatic`]), `cpu`, `cpu:subgroup=64` (the CPU as a GPU with such subgroups, to test kernels), a device's
    /// index in [`Device::list`], or the first device whose name contains `selector`.
    ///
    /// # Errors
    /// When there is no such device, or it lacks something; the message names what.
    pub fn open(selector: &str, options: &DeviceOptions) -> Result<Self> {
        if selector.trim().is_empty() {
            // Every name contains it.
            return Err(Error::Usage("a device is auto, cpu, an index or a part of a name, and this is empty".into()));
        }
        let backend = if selector == cpu::SELECTOR {
            // Without a look at Vulkan: this must work where its drivers do not.
            cpu::open(None, options)
        } else if let Some(settings) = selector.strip_prefix(cpu::EMULATED) {
            cpu::emulate(settings, options)?
        } else {
            vulkan::check_limits()?;
            vulkan::open(selector, options).or_else(|refusal| cpu::instead(selector, options, refusal))?
        };
        Ok(Self { backend, times_steps: options.profile })
    }

    /// A device with the limits of another one, on which nothing runs and nothing is allocated, but counted.
    pub(crate) fn planner(info: &DeviceInfo) -> Self {
        Self { backend: Arc::new(counter::Counter::planner(info)), times_steps: false }
    }

    /// Returns a handle of this device that counts what is allocated through it.
    #[doc(hidden)]
    pub fn counting_memory(&self) -> Self {
        Self { backend: Arc::new(counter::Counter::before(self.backend.clone())), times_steps: self.times_steps }
    }

    /// What was allocated on a device that counts its memory.
    #[doc(hidden)]
    pub fn counted_memory(&self) -> MemoryPlan {
        self.backend.counted()
    }

    /// Whether nothing runs here.
    pub(crate) fn is_planner(&self) -> bool {
        self.backend.is_planner()
    }

    /// What `build` makes on this device. It is run on a device that only counts the memory first, so that what does not fit is refused before
    /// anything is allocated.
    ///
    /// # Errors
    /// [`Error::Memory`] with the numbers when it does not fit; what `build` fails with.
    pub fn prepare<T>(&self, build: impl Fn(&Self) -> Result<T>) -> Result<T> {
        let planner = Self::planner(self.info());
        build(&planner)?;
        self.admit(&planner.counted_memory())?;
        build(self)
    }

    /// Says how a graph is kept, for the plan.
    pub(crate) fn describe(&self, layout: String) {
        self.backend.describe(layout);
    }

    /// Does something that is timed and shown as a phase, unless nothing runs here.
    pub(crate) fn during<T>(&self, phase: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.is_planner() { work() } else { phase::during(phase, work) }
    }

    /// Memory with the elements that `make` gives, which is asked only where something runs.
    pub(crate) fn buffer_of<T: Pod>(&self, name: &str, len: usize, make: impl FnOnce() -> Vec<T>) -> Result<Buffer<T>> {
        if self.is_planner() { self.buffer(name, len) } else { self.buffer_from(name, &make()) }
    }

    /// Does so in memory of the host that the device copies from. A planner has none.
    pub(crate) fn host_buffer_of<T: Pod>(
        &self,
        name: &str,
        len: usize,
        make: impl FnOnce() -> Vec<T>,
    ) -> Result<Buffer<T>> {
        if self.is_planner() {
            // SAFETY: nothing reads or writes what is on a planner.
            return Ok(unsafe { Buffer::from_raw(self.backend.allocate_host(name, &[])?, len) });
        }
        self.host_buffer_from(name, &make())
    }

    /// Counts `len` elements of the host's memory as the device's, which the CPU device's forms take for themselves. Returns how many to
    /// allocate: none on a planner.
    pub(crate) fn count<T>(&self, name: &str, len: usize) -> usize {
        self.backend.count(name, len as u64 * size_of::<T>() as u64);
        if self.is_planner() { 0 } else { len }
    }

    /// What is known of it.
    pub fn info(&self) -> &DeviceInfo {
        self.backend.info()
    }

    #[doc(hidden)]
    pub fn times_steps(&self) -> bool {
        self.times_steps
    }

    /// Refuses `plan` unless it fits: each buffer by itself and all of them together. Call it before allocating anything.
    ///
    /// # Errors
    /// [`Error::Memory`] with the numbers.
    pub fn admit(&self, plan: &MemoryPlan) -> Result<()> {
        plan.check(self.info())
    }

    /// Memory for `len` elements; what is in it is undefined until something is written.
    ///
    /// # Errors
    /// When it is larger than the device's limit on buffers or does not fit.
    pub fn buffer<T: Pod>(&self, name: &str, len: usize) -> Result<Buffer<T>> {
        self.allocate(name, len, |bytes| self.backend.allocate(name, bytes))
    }

    /// Checks the size of a buffer of `len` elements, and makes it of what `allocate` gives for so many bytes.
    fn allocate<T: Pod>(
        &self,
        name: &str,
        len: usize,
        allocate: impl FnOnce(u64) -> Result<RawBuffer>,
    ) -> Result<Buffer<T>> {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        if size_of::<T>() == 0 {
            return Err(Error::Usage(format!("buffer '{name}' has elements without a size")));
        }
        memory::check_buffer(name, bytes, self.info())?;
        // SAFETY: it was allocated for as many elements.
        Ok(unsafe { Buffer::from_raw(allocate(bytes)?, len) })
    }

    /// Memory that holds a copy of `elements`; fails as [`Device::buffer`] does.
    pub fn buffer_from<T: Pod>(&self, name: &str, elements: &[T]) -> Result<Buffer<T>> {
        let buffer = self.buffer(name, elements.len())?;
        self.upload(&buffer, 0, elements)?;
        Ok(buffer)
    }

    /// Memory of the host that the device copies from at the speed of the bus, with a copy of `elements`. Kernels cannot take it.
    ///
    /// # Errors
    /// When the system gives no such memory.
    pub(crate) fn host_buffer_from<T: Pod>(&self, name: &str, elements: &[T]) -> Result<Buffer<T>> {
        // SAFETY: it was allocated for as many elements.
        Ok(unsafe {
            Buffer::from_raw(self.backend.allocate_host(name, bytemuck::cast_slice(elements))?, elements.len())
        })
    }

    /// Memory for `len` elements that a [`Transfer`] copies to while the device computes; fails as [`Device::buffer`] does.
    pub(crate) fn slot<T: Pod>(&self, name: &str, len: usize) -> Result<Buffer<T>> {
        self.allocate(name, len, |bytes| self.backend.allocate_slot(name, bytes))
    }

    /// Copies from memory of the host to slots, which are at least as long; ready to be made any number of times.
    ///
    /// # Errors
    /// When a slot is too short, or the device fails.
    pub(crate) fn transfer<T: Pod>(&self, name: &str, copies: &[(&Buffer<T>, &Buffer<T>)]) -> Result<Transfer> {
        copies.iter().try_for_each(|(from, to)| within(to, 0, from.len()))?;
        let raw = |(from, to): &(&Buffer<T>, &Buffer<T>)| {
            (from.raw().clone(), to.raw().clone(), (from.len() * size_of::<T>()) as u64)
        };
        Ok(Transfer { transferring: self.backend.transfer(name, copies.iter().map(raw).collect())? })
    }

    /// Writes `elements` from element `offset` on, in pieces if they are more than the staging memory holds.
    ///
    /// # Errors
    /// When they reach past the end, or the device fails.
    pub fn upload<T: Pod>(&self, buffer: &Buffer<T>, offset: usize, elements: &[T]) -> Result<()> {
        within(buffer, offset, elements.len())?;
        self.backend.upload(buffer.raw(), (offset * size_of::<T>()) as u64, bytemuck::cast_slice(elements))
    }

    /// Reads the whole buffer; fails only when the device does.
    pub fn download<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); buffer.len()];
        self.download_into(buffer, &mut elements).map(|()| elements)
    }

    /// Reads the first elements of a buffer, as many as `elements` has. Into memory that was used before this is several times
    /// as fast as [`Device::download`], which spends most of its time on the system's clearing of fresh pages.
    ///
    /// # Errors
    /// When they reach past the end, or the device fails.
    pub fn download_into<T: Pod>(&self, buffer: &Buffer<T>, elements: &mut [T]) -> Result<()> {
        self.download_from(buffer, 0, elements)
    }

    /// Reads elements of a buffer from element `offset` on.
    pub(crate) fn download_from<T: Pod>(&self, buffer: &Buffer<T>, offset: usize, elements: &mut [T]) -> Result<()> {
        within(buffer, offset, elements.len())?;
        let bytes = (offset * size_of::<T>()) as u64;
        self.backend.download(buffer.raw(), bytes, bytemuck::cast_slice_mut(elements))
    }

    /// Records what `steps` asks for, to be run any number of times. `name` appears in profilers and traces.
    ///
    /// # Errors
    /// When a pipeline cannot be made or the device fails.
    pub fn record(&self, name: &str, steps: impl FnOnce(&mut Recorder)) -> Result<Recording> {
        let mut recorder = Recorder::new(self.backend.clone());
        steps(&mut recorder);
        Ok(Recording { recorded: self.backend.record(name, recorder.into_steps())? })
    }

    /// The spans timed since the last call: each step on the device, and what the host did. None unless the device was opened
    /// with `profile`.
    pub fn take_spans(&self) -> Vec<Span> {
        self.backend.take_spans()
    }

    /// Leaves the device to the system, which takes everything back when the program ends: for a program that is about to end, and
    /// would spend more time on freeing than the system does. What the next run gains from is kept as if the device were closed.
    #[doc(hidden)]
    pub fn leave_open(self) {
        self.backend.keep_pipelines();
        std::mem::forget(self);
    }

    /// All that the validation layer has said since the device was opened with `validation`.
    pub fn validation_messages(&self) -> Vec<String> {
        self.backend.validation_messages()
    }

    /// Begins a capture in a graphics debugger that the program was started under.
    ///
    /// # Errors
    /// [`Error::Device`] with the reason, say that there is no debugger.
    pub fn begin_capture(&self) -> Result<()> {
        self.backend.begin_capture()
    }

    /// Ends the capture; fails as [`Device::begin_capture`] does.
    pub fn end_capture(&self) -> Result<()> {
        self.backend.end_capture()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.info().name).finish()
    }
}

fn within<T: Pod>(buffer: &Buffer<T>, offset: usize, len: usize) -> Result<()> {
    match offset.checked_add(len) {
        Some(end) if end <= buffer.len() => Ok(()),
        _ => Err(Error::Device(format!("elements {offset}.. ({len} of them) are not within {buffer:?}"))),
    }
}

/// Locks; what a panicking thread left is still whole, because every holder leaves it whole at each step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sequence of dispatches that is ready to run.
pub struct Recording {
    recorded: Box<dyn Recorded>,
}

impl Recording {
    /// Runs it and waits for its end: a short spin, then asleep. Returns the time the device was busy with it; fails when the
    /// device does, or is lost.
    pub fn run(&mut self) -> Result<Duration> {
        self.recorded.run()
    }

    /// What a [`Recorder::read_back`] saw in the last run.
    pub fn value<T: Pod + Zeroable>(&self, slot: ReadBack<T>) -> T {
        bytemuck::pod_read_unaligned(self.recorded.read_back(slot.index))
    }
}

/// Copies to the device that run while it computes. See [`Device::transfer`].
pub(crate) struct Transfer {
    transferring: Box<dyn Transferring>,
}

impl Transfer {
    /// Begins the copies; what runs meanwhile must not touch the slots.
    pub(crate) fn start(&mut self) -> Result<()> {
        self.transferring.start()
    }

    /// Waits for their end; returns at once when none are under way.
    pub(crate) fn wait(&mut self) -> Result<()> {
        self.transferring.wait()
    }
}

/// How a kind of device copies while it computes.
pub(crate) trait Transferring: Send {
    fn start(&mut self) -> Result<()>;
    fn wait(&mut self) -> Result<()>;
}

/// What a kind of device implements.
pub(crate) trait Backend: Send + Sync {
    fn info(&self) -> &DeviceInfo;
    fn allocate(&self, name: &str, bytes: u64) -> Result<RawBuffer>;
    fn upload(&self, buffer: &RawBuffer, offset: u64, bytes: &[u8]) -> Result<()>;
    fn download(&self, buffer: &RawBuffer, offset: u64, bytes: &mut [u8]) -> Result<()>;
    fn record(&self, name: &str, steps: Vec<Step>) -> Result<Box<dyn Recorded>>;
    /// Memory that is copied to while kernels run, and that kernels read.
    fn allocate_slot(&self, name: &str, bytes: u64) -> Result<RawBuffer>;
    /// Memory of the host that the device copies from, with a copy of `bytes`.
    fn allocate_host(&self, name: &str, bytes: &[u8]) -> Result<RawBuffer>;
    /// Copies of the first bytes from memory of the host to slots.
    fn transfer(&self, name: &str, copies: Vec<(RawBuffer, RawBuffer, u64)>) -> Result<Box<dyn Transferring>>;
    /// The most workgroups that a dispatch of `kernel` gains from, where the host sets their number.
    fn max_groups(&self, _kernel: &Kernel) -> u32 {
        self.info().max_groups
    }
    /// Whether nothing runs here, and memory is only counted.
    fn is_planner(&self) -> bool {
        false
    }
    /// Adds to what was allocated, where that is counted.
    fn count(&self, _name: &str, _bytes: u64) {}
    /// Takes down how a graph is kept, where memory is counted.
    fn describe(&self, _layout: String) {}
    /// What was allocated, where that is counted.
    fn counted(&self) -> MemoryPlan {
        MemoryPlan::new()
    }
    /// Writes compiled pipelines for the next run, as closing the device does.
    fn keep_pipelines(&self) {}
    fn take_spans(&self) -> Vec<Span>;
    /// Nothing, where no layer watches.
    fn validation_messages(&self) -> Vec<String> {
        Vec::new()
    }
    fn begin_capture(&self) -> Result<()>;
    fn end_capture(&self) -> Result<()>;
}

/// What a device makes of a recorder's steps.
pub(crate) trait Recorded: Send {
    fn run(&mut self) -> Result<Duration>;
    fn read_back(&self, slot: usize) -> &[u8];
}
