//! The Vulkan device. From the outside in: an [`instance`] finds the machine's [`physical`] devices, one of them is opened as a
//! [`context`], and everything else is made from that: a [`buffer`], the [`staging`] memory, a [`pipeline`], a [`recording`].
//! Objects are [`owned`]: they are destroyed with what uses them, which waits for the device first.

mod barriers;
mod buffer;
mod capture;
mod context;
mod descriptors;
mod instance;
mod owned;
mod physical;
mod pipeline;
mod pipeline_cache;
mod plan;
mod recording;
mod staging;
mod statistics;
mod submit;
#[cfg(test)]
mod tests;
mod timing;

use super::{Backend, DeviceInfo, DeviceOptions, Recorded, Step, lock, profile::Span};
use crate::{Error, Result, phase};
use ash::vk;
use buffer::Buffer;
use context::Context;
use evenkeel_kernels::launch::RawBuffer;
use instance::Instance;
use physical::Physical;
use pipeline::Pipelines;
use recording::Recording;
use staging::Staging;
use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard},
};

/// Every Vulkan device of the machine, what cannot run evenkeel (and why) included.
pub(super) fn list() -> Result<Vec<DeviceInfo>> {
    Ok(physical::all(&Instance::new(false)?)?.into_iter().map(|physical| physical.info).collect())
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
    Ok(Arc::new(VulkanDevice::open(selector, options, folder.as_deref())?))
}

/// A device that is open.
struct VulkanDevice {
    pipelines: Pipelines,
    staging: Mutex<Staging>,
    context: Arc<Context>,
}

impl VulkanDevice {
    /// Opens a device that keeps compiled pipelines in `cache_folder`, if there is one.
    fn open(selector: &str, options: &DeviceOptions, cache_folder: Option<&Path>) -> Result<Self, Refusal> {
        let because = |devices| move |reason| Refusal { reason, devices };
        let instance =
            phase::during("making the instance", || Instance::new(options.validation)).map_err(because(0))?;
        let mut devices = phase::during("listing devices", || physical::all(&instance)).map_err(because(0))?;
        let count = devices.len();
        let infos: Vec<_> = devices.iter().map(|physical| &physical.info).collect();
        let chosen = physical::select(&infos, selector).map_err(because(count))?;
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

    #[cfg(feature = "cli")]
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

/// Held while an instance or a device is made or destroyed. Vulkan allows that from several threads at once, but validation layers
/// (1.3.239 with NVIDIA's driver 580) have been seen to hang when it is done.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static MAKING: Mutex<()> = Mutex::new(());
    lock(&MAKING)
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
        vk::Result::ERROR_DEVICE_LOST => Error::Device(format!(
            "{doing}: the device was lost; its driver has reset it, often because something ran too long"
        )),
        error => Error::Device(format!("{doing}: {error} ({error:?})")),
    }
}
