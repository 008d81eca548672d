//! The CPU as a device: the kernels' own Rust, compiled natively, on all cores. It needs no driver, so everything runs
//! everywhere; a debugger steps through a kernel here, and a debug build catches what a GPU hides: an access out of bounds, a
//! barrier that not every invocation reaches, a buffer bound both to be read and to be written.
//!
//! Steps run in their order on the calling thread, one recording at a time. A dispatch that is long enough shares its workgroups
//! with a team of threads (`team.rs`, `dispatch.rs`). A workgroup is one invocation wide, or, where invocations wait for each other, a
//! fibre for each ([`evenkeel_workgroups`]). A subgroup is one invocation wide. Buffers are touched through raw pointers and atomics alone
//! (`memory.rs`). To find what only a GPU would show, dispatches can run as on one, with subgroups of any width and in an order drawn at
//! random ([`Emulation`]). A native step is a function that has the whole team: the form of a strategy for a CPU.

mod dispatch;
mod memory;
mod program;

use super::{
    Backend, DeviceInfo, DeviceKind, DeviceOptions, Recorded, Step, Transferring,
    balance::Counters,
    profile::{self, Span},
    vulkan::Refusal,
};
use crate::{Error, Result, machine};
use dispatch::Mode;
use evenkeel_kernels::launch::{Kernel, RawBuffer};
use evenkeel_workgroups::Emulation;
use memory::{Memory, Queue};
use program::Program;
use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// What selects it, whatever else there is.
pub(super) const SELECTOR: &str = "cpu";

/// What selects it as a GPU: the settings of the emulation follow.
pub(super) const EMULATED: &str = "cpu:";

/// Kernels number elements with 32 bits; the smallest element has 4 bytes.
const MAX_BUFFER: u64 = 4 * u32::MAX as u64;

/// One invocation an element for a thousand million of them: neighbouring elements are then neighbours in time, which is what
/// caches like. With a kernel's most invocations, 1,024 a workgroup, their number still fits into 32 bits.
const MAX_GROUPS: u32 = (1 << 22) - 1;

/// The most workgroups of a kernel whose invocations wait for each other, and are fibres: enough for many cores, and few enough
/// that starting fibres costs little beside the work. Odd, so that what an invocation strides over is spread over all of the cache.
const MAX_WAITING_GROUPS: u32 = 127;

/// Where a GPU is emulated: more than are under way at a time, and few enough that starting their fibres costs little.
const MAX_EMULATED_GROUPS: u32 = 31;

/// What stays in the nearest cache with room for other things, and what most GPUs have.
const WORKGROUP_MEMORY: u32 = 32 << 10;

/// What is known of the CPU as device number `index`, where that is known.
pub(super) fn info(index: Option<usize>) -> DeviceInfo {
    DeviceInfo {
        index,
        name: machine::name(),
        kind: DeviceKind::Cpu,
        memory: machine::memory(),
        memory_limit: None,
        subgroup_size: 1,
        api_version: "none".to_owned(),
        driver: format!("evenkeel {}, {} threads", env!("CARGO_PKG_VERSION"), rayon::current_num_threads()),
        max_buffer: MAX_BUFFER,
        partition_bytes: None,
        max_groups: MAX_GROUPS,
        loop_limit: None,
        workgroup_memory: WORKGROUP_MEMORY,
        workgroup_invocations: u32::MAX,
        int64: true,
        float64: true,
        float_atomics: true,
        missing: Vec::new(),
        without: Vec::new(),
        limits: Vec::new(),
    }
}

/// Opens it. There is nothing that could fail.
pub(super) fn open(index: Option<usize>, options: &DeviceOptions) -> Arc<dyn Backend> {
    let info =
        DeviceInfo { memory_limit: options.memory_limit, partition_bytes: options.partition_bytes, ..info(index) };
    Arc::new(Cpu { info, timeline: Timeline::new(options.profile), mode: Mode::Plain })
}

/// Opens it as a GPU with these settings.
pub(super) fn emulate(settings: &str, options: &DeviceOptions) -> Result<Arc<dyn Backend>> {
    let emulation = Emulation::parse(settings).map_err(|reason| {
        Error::Usage(format!("device '{EMULATED}{settings}': {reason}; an example is {EMULATED}subgroup=64,seed=1"))
    })?;
    let info = DeviceInfo {
        name: format!("{}, emulating subgroups of {}", machine::name(), emulation.subgroup),
        // So that what is for GPUs runs, which is what it is there for.
        kind: DeviceKind::Virtual,
        subgroup_size: emulation.subgroup,
        driver: format!("evenkeel {}", env!("CARGO_PKG_VERSION")),
        max_groups: MAX_EMULATED_GROUPS,
        workgroup_invocations: 1024,
        memory_limit: options.memory_limit,
        partition_bytes: options.partition_bytes,
        ..info(None)
    };
    Ok(Arc::new(Cpu { info, timeline: Timeline::new(options.profile), mode: Mode::Emulated(Arc::new(emulation)) }))
}

/// Opens it with every atom counted.
pub(super) fn counting(counters: Counters) -> Arc<dyn Backend> {
    Arc::new(Cpu { info: info(None), timeline: Timeline::new(false), mode: Mode::Counted(counters) })
}

/// Opens it when Vulkan has no device for `selector`, if `selector` means the CPU too.
pub(super) fn instead(selector: &str, options: &DeviceOptions, refusal: Refusal) -> Result<Arc<dyn Backend>> {
    // It is listed after all of Vulkan's.
    let Refusal { reason, devices: index } = refusal;
    // A number is always an index, although it may be a part of this name, as in "Xeon(R) @ 2.50GHz".
    let is_number = selector.parse::<usize>().is_ok();
    let is_named = !is_number && machine::name().to_lowercase().contains(&selector.to_lowercase());
    if selector == "auto" {
        tracing::info!("{reason}: running on the CPU device");
    } else if selector != index.to_string() && !is_named {
        return Err(match reason {
            Error::UnknownName { kind, name, known, .. } => {
                let cpu = format!("{index} or {SELECTOR} ({})", machine::name());
                Error::unknown(kind, &name, known.into_iter().chain([cpu]))
            }
            other => other,
        });
    } else if selector == "0" {
        // Who asks for the first device may expect a GPU.
        tracing::warn!("{reason}: device 0 is the CPU");
    }
    Ok(open(Some(index), options))
}

struct Cpu {
    info: DeviceInfo,
    timeline: Arc<Timeline>,
    mode: Mode,
}

/// Copies that are made when they begin: the threads that would compute meanwhile make them.
struct Copies(Box<dyn Recorded>);

impl Transferring for Copies {
    fn start(&mut self) -> Result<()> {
        self.0.run().map(drop)
    }

    fn wait(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Backend for Cpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        Ok(Arc::new(Memory::zeroed(name, bytes)?))
    }

    fn allocate_slot(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        self.allocate(name, bytes)
    }

    fn allocate_host(&self, name: &str, bytes: &[u8]) -> Result<RawBuffer> {
        let buffer = self.allocate(name, bytes.len() as u64)?;
        self.upload(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    fn transfer(&self, name: &str, copies: Vec<(RawBuffer, RawBuffer, u64)>) -> Result<Box<dyn Transferring>> {
        let step = |(from, to, bytes)| Step::Copy { from, to, bytes };
        Ok(Box::new(Copies(self.record(name, copies.into_iter().map(step).collect())?)))
    }

    fn upload(&self, buffer: &RawBuffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let buffer = Memory::of(buffer)?;
        let (queue, start) = (&mut *Queue::take(), self.timeline.now());
        buffer.write(queue, offset, bytes)?;
        self.timeline.host_span("upload", buffer.name(), start);
        Ok(())
    }

    fn download(&self, buffer: &RawBuffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let buffer = Memory::of(buffer)?;
        let (queue, start) = (&mut *Queue::take(), self.timeline.now());
        buffer.read(queue, offset, bytes)?;
        self.timeline.host_span("download", buffer.name(), start);
        Ok(())
    }

    fn record(&self, name: &str, steps: Vec<Step>) -> Result<Box<dyn Recorded>> {
        Ok(Box::new(Program::new(name, steps, rayon::current_num_threads(), &self.timeline, &self.mode)?))
    }

    fn max_groups(&self, kernel: &Kernel) -> u32 {
        let most = if kernel.shared_bytes.is_empty() { MAX_GROUPS } else { MAX_WAITING_GROUPS };
        most.min(self.info.max_groups)
    }

    fn take_spans(&self) -> Vec<Span> {
        self.timeline.take()
    }

    fn begin_capture(&self) -> Result<()> {
        Err(Error::Device(
            "a graphics debugger sees nothing of the CPU device: take a Vulkan device for a capture".into(),
        ))
    }

    fn end_capture(&self) -> Result<()> {
        self.begin_capture()
    }
}

/// The host's clock and, when the device profiles, what it has timed.
struct Timeline {
    spans: Option<Mutex<Vec<Span>>>,
}

impl Timeline {
    fn new(profile: bool) -> Arc<Self> {
        Arc::new(Self { spans: profile.then(Mutex::default) })
    }

    fn now(&self) -> Duration {
        profile::now()
    }

    /// Something that the device did from `start` until now.
    fn device_span(&self, name: &str, label: &str, start: Duration) {
        self.span(name, label, start, true);
    }

    /// Something that the host did, likewise.
    fn host_span(&self, name: &str, label: &str, start: Duration) {
        self.span(name, label, start, false);
    }

    fn span(&self, name: &str, label: &str, start: Duration, on_device: bool) {
        if let Some(spans) = &self.spans {
            let duration = self.now() - start;
            let span = Span { name: name.to_owned(), label: label.to_owned(), start, duration, on_device };
            spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
        }
    }

    fn take(&self) -> Vec<Span> {
        let take = |spans: &Mutex<_>| mem::take(&mut *spans.lock().unwrap_or_else(PoisonError::into_inner));
        self.spans.as_ref().map(take).unwrap_or_default()
    }
}
