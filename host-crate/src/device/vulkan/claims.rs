//! What drivers say of devices.

use super::{Failed, faults::Faults, instance::Instance};
use crate::Result;
use ash::{
    ext, khr,
    vk::{self, SubgroupFeatureFlags as Operations},
};
use std::ffi::CStr;

/// What a driver says of a device, in Vulkan's own structures. Those that the device is too old for stay zero, which reads as
/// "not there".
#[derive(Default)]
pub(super) struct Claims {
    /// The newest version that the device, the loader and this program speak.
    pub(super) api_version: u32,
    pub(super) plain: vk::PhysicalDeviceProperties,
    pub(super) eleven: vk::PhysicalDeviceVulkan11Properties<'static>,
    pub(super) driver: vk::PhysicalDeviceDriverProperties<'static>,
    pub(super) maintenance: vk::PhysicalDeviceMaintenance4Properties<'static>,
    pub(super) core: vk::PhysicalDeviceFeatures,
    pub(super) twelve: vk::PhysicalDeviceVulkan12Features<'static>,
    pub(super) atomics: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    pub(super) subgroups: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    pub(super) executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
    /// The first that computes.
    pub(super) queue_family: Option<u32>,
    /// The first that copies, and neither computes nor draws.
    pub(super) transfer_family: Option<u32>,
    pub(super) timestamp_bits: u32,
    pub(super) calibrated_timestamps: bool,
    pub(super) memory_budget: bool,
    pub(super) no_hardware: bool,
    pub(super) faults: Faults,
}

impl Claims {
    pub(super) fn query(instance: &Instance, handle: vk::PhysicalDevice, newest: u32) -> Result<Self> {
        // SAFETY: the handle comes from this instance, which is alive.
        let plain = unsafe { instance.handle.get_physical_device_properties(handle) };
        // SAFETY: as above.
        let extensions = unsafe { instance.handle.enumerate_device_extension_properties(handle) }
            .failed("listing a device's extensions")?;
        // SAFETY: as above.
        let families = unsafe { instance.handle.get_physical_device_queue_family_properties(handle) };
        let has = |name: &CStr| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        let computes = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let family = families.iter().enumerate().find(|(_, family)| computes(family));
        let only_copies = |family: &vk::QueueFamilyProperties| {
            let other = vk::QueueFlags::from_raw(!(vk::QueueFlags::TRANSFER | vk::QueueFlags::SPARSE_BINDING).as_raw());
            family.queue_flags.contains(vk::QueueFlags::TRANSFER) && !family.queue_flags.intersects(other)
        };
        let no_hardware = text(plain.device_name_as_c_str()).starts_with("Null hardware");
        let mut claims = Self {
            api_version: plain.api_version.min(instance.api_version).min(newest),
            plain,
            queue_family: family.map(|(index, _)| index as u32),
            transfer_family: families.iter().position(only_copies).map(|index| index as u32),
            timestamp_bits: family.map_or(0, |(_, family)| family.timestamp_valid_bits),
            calibrated_timestamps: has(ext::calibrated_timestamps::NAME),
            // Without hardware, RADV crashes when it is asked for one.
            memory_budget: has(ext::memory_budget::NAME) && !no_hardware,
            no_hardware,
            ..Self::default()
        };
        claims.query_properties(instance, handle);
        claims.query_features(instance, handle, &has);
        Ok(claims)
    }

    fn query_properties(&mut self, instance: &Instance, handle: vk::PhysicalDevice) {
        let mut chain = vk::PhysicalDeviceProperties2::default();
        if self.api_version >= vk::API_VERSION_1_2 {
            chain = chain.push_next(&mut self.eleven).push_next(&mut self.driver);
        }
        if self.api_version >= vk::API_VERSION_1_3 {
            chain = chain.push_next(&mut self.maintenance);
        }
        // SAFETY: the handle comes from this instance, and the device knows every structure in the chain.
        unsafe { instance.handle.get_physical_device_properties2(handle, &mut chain) };
    }

    fn query_features(&mut self, instance: &Instance, handle: vk::PhysicalDevice, has: &dyn Fn(&CStr) -> bool) {
        let mut chain = vk::PhysicalDeviceFeatures2::default();
        if self.api_version >= vk::API_VERSION_1_2 {
            chain = chain.push_next(&mut self.twelve);
        }
        if self.api_version >= vk::API_VERSION_1_3 {
            chain = chain.push_next(&mut self.subgroups);
        }
        if has(ext::shader_atomic_float::NAME) {
            chain = chain.push_next(&mut self.atomics);
        }
        if has(khr::pipeline_executable_properties::NAME) {
            chain = chain.push_next(&mut self.executables);
        }
        // SAFETY: the handle comes from this instance, and the device knows every structure in the chain.
        unsafe { instance.handle.get_physical_device_features2(handle, &mut chain) };
        self.core = chain.features;
    }

    /// Its limits, to be lowered.
    pub(super) fn limits(&mut self) -> &mut vk::PhysicalDeviceLimits {
        &mut self.plain.limits
    }

    /// Takes subgroup operations away.
    pub(super) fn turn_off(&mut self, operations: Operations) {
        self.eleven.subgroup_supported_operations &= !operations;
    }

    /// Whether compute kernels may use these subgroup operations.
    pub(super) fn has(&self, operations: Operations) -> bool {
        self.eleven.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && self.eleven.subgroup_supported_operations.contains(operations)
    }
}

pub(super) fn text<E>(text: Result<&CStr, E>) -> String {
    text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}
