//! The Vulkan device. From the outside in: an [`instance`] finds the machine's [`physical`] devices, one of them is opened as a
//! [`context`], and everything else is made from that: a [`buffer`], the [`staging`] memory, a [`pipeline`], a [`recording`].
//! Objects are [`owned`]: they are destroyed with what uses them, which waits for the device first. Which [`calls`] are made at once matters to the
//! validation layer alone.

mod barriers;
mod buffer;
mod calls;
mod capture;
mod claims;
mod context;
mod crash_marker;
mod descriptors;
mod faults;
mod instance;
mod limits;
mod module;
mod owned;
mod physical;
mod pipeline;
mod pipeline_cache;
mod plan;
mod recording;
mod staging;
mod stamps;
mod statistics;
mod submit;
#[cfg(test)]
mod tests;
mod timing;
mod transfer;

use super::{Backend, DeviceInfo, DeviceOptions, Recorded, Step, Transferring, lock, profile::Span};
use crate::{Error, Result, phase};
use ash::vk;
use buffer::Buffer;
use context::Context;
use evenkeel_kernels::launch::RawBuffer;
use instance::Instance;
use module::Module;
use physical::{Physical, Purpose};
use pipeline::Pipelines;
use recording::Recording;
use staging::Staging;
pub use statistics::Executable;
use std::{
    path::Path,
    sync::{Arc, Mutex},
};

/// Every Vulkan device of the machine, what cannot run evenkeel (and why) included.
pub(super) fn list() -> Result<Vec<DeviceInfo>> {
    Ok(physical::all(&Instance::new(false)?)?.into_iter().map(|physical| physical.info).collect())
}

/// What a driver made of a module.
#[derive(Debug, serde::Serialize)]
pub struct Compiled {
    /// Its entry point.
    pub kernel: String,
    /// Invocations in a workgroup.
    pub threads: u32,
    /// Bytes of workgroup memory that the kernel declares.
    pub workgroup_memory: usize,
    /// What it needs and the device lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Why it was not compiled, where the device has all it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What the driver tells of it.
    pub executables: Vec<Executable>,
}

/// Compiles modules, each with a name for errors, and runs nothing: the device may be one that a driver only compiles for.
pub(super) fn compile(selector: &str, modules: &[(String, Vec<u8>)]) -> Result<(DeviceInfo, Vec<Compiled>)> {
    let modules: Vec<Module> = modules.iter().map(|(name, bytes)| Module::read(name, bytes)).collect::<Result<_>>()?;
    let options = DeviceOptions { profile: true, ..DeviceOptions::default() };
    let opened = VulkanDevice::open(selector, &options, None, Purpose::Compile);
    let device = opened.map_err(|refusal| refusal.reason)?;
    let pipelines = device.pipelines.compile(&modules);
    let compiled = modules.into_iter().zip(pipelines).map(|(module, pipeline)| {
        let mut compiled = Compiled {
            kernel: module.name,
            threads: module.threads,
            workgroup_memory: module.workgroup_bytes,
            refused: None,
            failed: None,
            executables: Vec::new(),
        };
        match pipeline {
            Ok(pipeline) => compiled.executables = statistics::executables(&device.context, pipeline.pipeline.handle),
            Err(Error::Unsupported(reason)) => compiled.refused = Some(reason),
            Err(error) => compiled.failed = Some(error.to_string()),
        }
        compiled
    });
    let compiled = compiled.collect();
    Ok((device.info().clone(), compiled))
}

/// Fails where `EVENKEEL_DEVICE_LIMITS` has something that means nothing.
pub(super) fn check_limits() -> Result<()> {
    limits::Limits::from_environment().map(drop)
}

/// Why no Vulkan device was opened.
pub(super) struct Refusal {
    pub(super) reason: Error,
    /// The number of Vulkan devices in the machine.
    pub(super) devices: usize,
}

/// Opens the device that `selector` means.
pub(super) fn open(selector: &str, options: &DeviceOptions) -> Result<Arc<dyn Backend>, Refusal> {
    let folder = if options.pipeline_cache { pipeline_cache::folder() } else { None };
    Ok(Arc::new(VulkanDevice::open(selector, options, folder.as_deref(), Purpose::Run)?))
}

/// A device that is open.
struct VulkanDevice {
    pipelines: Pipelines,
    staging: Mutex<Staging>,
    context: Arc<Context>,
}

impl VulkanDevice {
    /// Opens a device that keeps compiled pipelines in `cache_folder`, if there is one.
    fn open(
        selector: &str,
        options: &DeviceOptions,
        cache_folder: Option<&Path>,
        purpose: Purpose,
    ) -> Result<Self, Refusal> {
        let because = |devices| move |reason| Refusal { reason, devices };
        let instance =
            phase::during("making the instance", || Instance::new(options.validation)).map_err(because(0))?;
        let mut devices = phase::during("listing devices", || physical::all(&instance)).map_err(because(0))?;
        for DeviceInfo { partition_bytes, memory_limit, .. } in devices.iter_mut().map(|physical| &mut physical.info) {
            (*partition_bytes, *memory_limit) = (options.partition_bytes, options.memory_limit);
        }
        let count = devices.len();
        let infos: Vec<_> = devices.iter().map(|physical| &physical.info).collect();
        let chosen = physical::select(&infos, selector, purpose).map_err(because(count))?;
        Self::new(instance, devices.swap_remove(chosen), options, cache_folder).map_err(because(count))
    }

    fn new(
        instance: Instance,
        physical: Physical,
        options: &DeviceOptions,
        cache_folder: Option<&Path>,
    ) -> Result<Self> {
        let context = phase::during("making the device", || Context::new(Arc::new(instance), physical, options))?;
        let staging = Staging::new(&context, options.staging_bytes.unwrap_or(staging::DEFAULT_BYTES));
        let pipelines = phase::during("reading the pipeline cache", || Pipelines::new(&context, cache_folder))?;
        context.heed_validation()?;
        Ok(Self { pipelines, staging: Mutex::new(staging), context })
    }
}

impl Backend for VulkanDevice {
    fn info(&self) -> &DeviceInfo {
        &self.context.physical.info
    }

    fn allocate(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        let buffer = Buffer::on_device(&self.context, name, bytes)?;
        self.context.heed_validation()?;
        Ok(Arc::new(buffer))
    }

    fn allocate_slot(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        Ok(Arc::new(Buffer::slot(&self.context, name, bytes)?))
    }

    fn allocate_host(&self, name: &str, bytes: &[u8]) -> Result<RawBuffer> {
        let mut buffer = Buffer::on_host(&self.context, name, bytes.len() as u64)?;
        staging::copy(bytes, &mut buffer.mapped_mut()[..bytes.len()]);
        self.context.heed_validation()?;
        Ok(Arc::new(buffer))
    }

    fn transfer(&self, name: &str, copies: Vec<(RawBuffer, RawBuffer, u64)>) -> Result<Box<dyn Transferring>> {
        let of = |raw: &RawBuffer| buffer::of(&self.context, raw);
        let copies = copies.iter().map(|(from, to, bytes)| Ok((of(from)?, of(to)?, *bytes))).collect::<Result<_>>()?;
        let transfer = transfer::Transfer::new(&self.context, name, copies)?;
        self.context.heed_validation()?;
        Ok(Box::new(transfer))
    }

    fn upload(&self, buffer: &RawBuffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let target = buffer::of(&self.context, buffer)?;
        let start = self.context.clock.now();
        lock(&self.staging).upload(&target, offset, bytes)?;
        self.context.clock.host_span("upload", &format!("{} bytes", bytes.len()), start);
        self.context.heed_validation()
    }

    fn download(&self, buffer: &RawBuffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        let source = buffer::of(&self.context, buffer)?;
        let start = self.context.clock.now();
        lock(&self.staging).download(&source, offset, bytes)?;
        self.context.clock.host_span("download", &format!("{} bytes", bytes.len()), start);
        self.context.heed_validation()
    }

    fn record(&self, name: &str, steps: Vec<Step>) -> Result<Box<dyn Recorded>> {
        let recording = Recording::new(&self.context, &self.pipelines, name, steps)?;
        self.context.heed_validation()?;
        Ok(Box::new(recording))
    }

    fn keep_pipelines(&self) {
        self.pipelines.keep();
    }

    fn take_spans(&self) -> Vec<Span> {
        self.context.clock.take_spans()
    }

    fn validation_messages(&self) -> Vec<String> {
        self.context.validation_messages()
    }

    fn begin_capture(&self) -> Result<()> {
        capture::begin()
    }

    fn end_capture(&self) -> Result<()> {
        capture::end()
    }
}

/// Turns Vulkan's error codes into errors that say what was being done.
trait Failed<T> {
    fn failed(self, doing: &str) -> Result<T>;
}

impl<T> Failed<T> for Result<T, vk::Result> {
    fn failed(self, doing: &str) -> Result<T> {
        self.map_err(|error| failure(doing, error))
    }
}

fn failure(doing: &str, error: vk::Result) -> Error {
    match error {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => Error::Memory(format!("{doing}: the device is out of memory")),
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => Error::Memory(format!("{doing}: the host is out of memory")),
        vk::Result::ERROR_DEVICE_LOST => Error::Lost(doing.to_owned()),
        error => Error::Device(format!("{doing}: {error} ({error:?})")),
    }
}
