//! A device that is open: the logical device, its queue, its memory, its clock. Everything made from it holds an [`Arc`] of it,
//! so it goes last.

use super::{
    Failed,
    calls::{Calls, alone},
    faults::Remaining,
    instance::Instance,
    lock,
    physical::{Extras, Physical},
    timing::Clock,
};
use crate::{Error, Result, device::DeviceOptions};
use ash::{ext, khr, vk};
use gpu_allocator::{
    AllocationSizes,
    vulkan::{Allocator, AllocatorCreateDesc},
};
use std::{
    ffi::CString,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

const MIB: u64 = 1 << 20;

/// An open device. What it has is dropped in this order: memory first, then the device, then the instance.
pub(super) struct Context {
    allocator: ManuallyDrop<Mutex<Allocator>>,
    pub(super) device: LogicalDevice,
    /// Locked for every submission: a queue is not to be used from two threads at once.
    pub(super) queue: Mutex<vk::Queue>,
    /// The queue that only copies, where there is one, locked in the same way.
    pub(super) transfer_queue: Option<Mutex<vk::Queue>>,
    pub(super) physical: Physical,
    pub(super) clock: Clock,
    /// The functions that ask for a kernel's statistics, where they are wanted and there are any.
    pub(super) statistics: Option<khr::pipeline_executable_properties::Device>,
    /// What still succeeds on a device that is made to fail.
    pub(super) allocations: Remaining,
    pub(super) submissions: Remaining,
    debug: Option<ext::debug_utils::Device>,
    reported: AtomicUsize,
}

impl Context {
    /// Opens `physical`, with every optional feature that it has.
    pub(super) fn new(instance: Arc<Instance>, physical: Physical, options: &DeviceOptions) -> Result<Arc<Self>> {
        let device = LogicalDevice::new(instance, &physical, options.profile)?;
        let calling = device.instance.calls(&());
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.handle.get_device_queue(physical.queue_family, 0) };
        // SAFETY: as above, for the family that only copies.
        let of_family = |family| unsafe { device.handle.get_device_queue(family, 0) };
        let transfer_queue = physical.transfer_family.map(of_family);
        let instance = &device.instance;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.handle.clone(),
            device: device.handle.clone(),
            physical_device: physical.handle,
            debug_settings: Default::default(),
            buffer_device_address: false,
            // Large buffers get memory of their own (see buffer.rs); blocks hold the small ones and should waste little.
            allocation_sizes: AllocationSizes::new(8 * MIB, 4 * MIB).with_max_device_memblock_size(64 * MIB),
        })
        .map_err(|error| Error::Device(format!("setting up device memory: {error}")))?;
        let debug = instance.debug_utils.then(|| ext::debug_utils::Device::new(&instance.handle, &device.handle));
        let statistics = (options.profile && physical.extras.statistics)
            .then(|| khr::pipeline_executable_properties::Device::new(&instance.handle, &device.handle));
        let clock = Clock::new(&device.instance, &device.handle, &physical, options.profile);
        drop(calling);
        let context = Arc::new(Self {
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            queue: Mutex::new(queue),
            transfer_queue: transfer_queue.map(Mutex::new),
            clock,
            statistics,
            debug,
            allocations: Remaining::new(physical.faults.allocations),
            submissions: Remaining::new(physical.faults.submissions),
            reported: AtomicUsize::new(0),
            device,
            physical,
        });
        context.name(queue, "evenkeel queue");
        transfer_queue.into_iter().for_each(|queue| context.name(queue, "evenkeel transfer queue"));
        Ok(context)
    }

    /// The device's functions, to be let go before anything else is asked of the context.
    pub(super) fn vk(&self) -> Calls<'_, ash::Device> {
        self.calls(&self.device.handle)
    }

    /// The device's memory, likewise.
    pub(super) fn allocator(&self) -> Calls<'_, Mutex<Allocator>> {
        self.calls(&*self.allocator)
    }

    /// What else makes calls for this device, likewise.
    pub(super) fn calls<'c, F>(&self, functions: &'c F) -> Calls<'c, F> {
        self.device.instance.calls(functions)
    }

    /// Names an object for debuggers, where the instance can.
    pub(super) fn name(&self, object: impl vk::Handle, name: &str) {
        let Some(debug) = &self.debug else { return };
        let name = c_string(name);
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
        // SAFETY: the object is alive: its maker names it. A name that is refused is no reason to stop.
        let _ = unsafe { self.calls(debug).set_debug_utils_object_name(&info) };
    }

    /// Opens a named group of commands, where the instance can.
    pub(super) fn begin_label(&self, commands: vk::CommandBuffer, name: &str) {
        if let Some(debug) = self.labels() {
            let name = c_string(name);
            let label = vk::DebugUtilsLabelEXT::default().label_name(&name);
            // SAFETY: the command buffer is being recorded by the caller.
            unsafe { self.calls(debug).cmd_begin_debug_utils_label(commands, &label) };
        }
    }

    pub(super) fn end_label(&self, commands: vk::CommandBuffer) {
        if let Some(debug) = self.labels() {
            // SAFETY: the command buffer is being recorded by the caller, who opened a label in it.
            unsafe { self.calls(debug).cmd_end_debug_utils_label(commands) };
        }
    }

    fn labels(&self) -> Option<&ext::debug_utils::Device> {
        self.debug.as_ref().filter(|_| self.device.instance.labels)
    }

    /// What the validation layer has said since the device was opened.
    pub(super) fn validation_messages(&self) -> Vec<String> {
        lock(&self.device.instance.messages).clone()
    }

    /// Fails with the first message of the validation layer that no call has failed with yet.
    pub(super) fn heed_validation(&self) -> Result<()> {
        let messages = self.validation_messages();
        let reported = self.reported.swap(messages.len(), Ordering::Relaxed);
        match messages.get(reported) {
            Some(message) => Err(Error::Device(format!("the Vulkan validation layer complains: {message}"))),
            None => Ok(()),
        }
    }
}

impl Drop for Context {
    /// Gives back the memory before the device goes, as a call that the validation layer watches.
    fn drop(&mut self) {
        let _calling = self.device.instance.calls(&());
        // SAFETY: nothing uses it any more, and this happens once.
        unsafe { ManuallyDrop::drop(&mut self.allocator) };
    }
}

/// A name for Vulkan; what follows a zero byte would be lost anyway.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// The logical device, destroyed when its context goes.
pub(super) struct LogicalDevice {
    pub(super) handle: ash::Device,
    pub(super) instance: Arc<Instance>,
}

impl LogicalDevice {
    fn new(instance: Arc<Instance>, physical: &Physical, profile: bool) -> Result<Self> {
        let (info, queue_family) = (&physical.info, physical.queue_family);
        let Extras { device_scope, full_subgroups, calibrated_timestamps, statistics } = physical.extras;
        let of_family =
            |family| vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0]);
        let queues: Vec<_> = [queue_family].into_iter().chain(physical.transfer_family).map(of_family).collect();
        let core = vk::PhysicalDeviceFeatures::default().shader_int64(info.int64).shader_float64(info.float64);
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default()
            .host_query_reset(true)
            .vulkan_memory_model(true)
            .vulkan_memory_model_device_scope(device_scope);
        let mut atomics = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default()
            .shader_buffer_float32_atomics(true)
            .shader_buffer_float32_atomic_add(true);
        let mut subgroups = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
            .subgroup_size_control(true)
            .compute_full_subgroups(true);
        let mut executables =
            vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
        let mut extensions = Vec::new();
        let mut info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&core).push_next(&mut twelve);
        if physical.info.float_atomics {
            extensions.push(ext::shader_atomic_float::NAME.as_ptr());
            info = info.push_next(&mut atomics);
        }
        if full_subgroups {
            info = info.push_next(&mut subgroups);
        }
        if calibrated_timestamps {
            extensions.push(ext::calibrated_timestamps::NAME.as_ptr());
        }
        if statistics && profile {
            extensions.push(khr::pipeline_executable_properties::NAME.as_ptr());
            info = info.push_next(&mut executables);
        }
        let info = info.enabled_extension_names(&extensions);
        let _alone = alone();
        // SAFETY: the physical device is of this instance and has all that is asked of it.
        let handle = unsafe { instance.handle.create_device(physical.handle, &info, None) }
            .failed(&format!("opening {}", physical.info.name))?;
        Ok(Self { handle, instance })
    }
}

impl Drop for LogicalDevice {
    fn drop(&mut self) {
        let _alone = alone();
        // SAFETY: whatever was made from the device holds a reference to its context and is gone by now.
        unsafe { self.handle.destroy_device(None) };
    }
}
