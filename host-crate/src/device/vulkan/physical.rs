//! What is in the machine: every physical device with what it offers, what it lacks, and the choice between them.

use super::{Failed, instance::Instance};
use crate::{
    Error, Result,
    device::{Device, DeviceInfo, DeviceKind},
};
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// Workgroups a dispatch has at most, where the device allows it: the most that every device of Vulkan 1.2 must take. At 256
/// invocations each that is 16 million, enough to fill any GPU many times; kernels stride over what is left.
const MAX_GROUPS: u32 = 65_535;

/// The fewest invocations a subgroup may have: workgroup memory is sized for it (`primitive/workgroup.rs` of the kernels).
const MIN_SUBGROUP: u32 = 4;
const MIN_WORKGROUP: u32 = evenkeel_types::WORKGROUP;

/// A device that could be opened, if `info.missing` is empty.
pub(super) struct Physical {
    pub(super) handle: vk::PhysicalDevice,
    pub(super) info: DeviceInfo,
    pub(super) extras: Extras,
    pub(super) properties: vk::PhysicalDeviceProperties,
    /// The first queue family that computes.
    pub(super) queue_family: u32,
    /// Bits of a timestamp on that family; 0 when it has none.
    pub(super) timestamp_bits: u32,
}

/// What is switched on where it is there, beside the optional features that [`DeviceInfo`] lists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    pub(super) device_scope: bool,
    /// Kernels may count on subgroups without idle invocations.
    pub(super) full_subgroups: bool,
    pub(super) calibrated_timestamps: bool,
    /// The driver tells what it made of a kernel.
    pub(super) statistics: bool,
}

/// All devices, numbered as the user numbers them.
pub(super) fn all(instance: &Instance) -> Result<Vec<Physical>> {
    let handles = instance.physical_devices()?;
    handles.into_iter().enumerate().map(|(index, handle)| Physical::query(instance, index, handle)).collect()
}

/// The index of the device that `selector` means: `auto`, an index, or part of a name.
pub(super) fn select(infos: &[&DeviceInfo], selector: &str) -> Result<usize> {
    if selector == "auto" {
        let unable = || infos.iter().filter(|info| info.kind.is_gpu());
        let reasons = || unable().map(|info| format!("; {}: {}", info.name, lacks(info))).collect::<String>();
        let none = || Error::Device(format!("there is no GPU that runs evenkeel{}", reasons()));
        return Device::automatic(infos.iter().copied()).and_then(|info| info.index).ok_or_else(none);
    }
    let chosen = match selector.parse::<usize>() {
        Ok(index) => infos.get(index),
        Err(_) => infos.iter().find(|info| info.name.to_lowercase().contains(&selector.to_lowercase())),
    };
    match chosen.ok_or_else(|| unknown(infos, selector))? {
        info if info.missing.is_empty() => info.index.ok_or_else(|| unknown(infos, selector)),
        info => Err(Error::Device(format!("{} cannot run evenkeel: {}", info.name, lacks(info)))),
    }
}

fn lacks(info: &DeviceInfo) -> String {
    format!("it lacks {}", info.missing.join(", "))
}

fn unknown(infos: &[&DeviceInfo], selector: &str) -> Error {
    let known = infos.iter().map(|info| format!("{} ({})", info.number(), info.name));
    Error::unknown("device", selector, ["auto".to_owned()].into_iter().chain(known))
}

impl Physical {
    fn query(instance: &Instance, index: usize, handle: vk::PhysicalDevice) -> Result<Self> {
        // SAFETY: the handle comes from this instance, which is alive.
        let plain = unsafe { instance.handle.get_physical_device_properties(handle) };
        // SAFETY: as above.
        let extensions = unsafe { instance.handle.enumerate_device_extension_properties(handle) }
            .failed("listing a device's extensions")?;
        // SAFETY: as above.
        let families = unsafe { instance.handle.get_physical_device_queue_family_properties(handle) };
        let has = |name: &CStr| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        let api_version = plain.api_version.min(instance.api_version);

        let Properties { eleven, driver, maintenance } = properties(instance, handle, api_version);
        let Features { core, twelve, atomics, subgroups, executables } = features(instance, handle, api_version, &has);
        let extras = Extras {
            device_scope: twelve.vulkan_memory_model_device_scope == vk::TRUE,
            full_subgroups: subgroups.subgroup_size_control == vk::TRUE && subgroups.compute_full_subgroups == vk::TRUE,
            calibrated_timestamps: has(ext::calibrated_timestamps::NAME),
            statistics: executables.pipeline_executable_info == vk::TRUE,
        };
        let float_atomics = atomics.shader_buffer_float32_atomics & atomics.shader_buffer_float32_atomic_add;
        let family = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE));
        let info = DeviceInfo {
            index: Some(index),
            name: text(plain.device_name_as_c_str()),
            kind: kind(plain.device_type),
            memory: memory(instance, handle, has(ext::memory_budget::NAME)),
            subgroup_size: eleven.subgroup_size,
            api_version: version(plain.api_version),
            driver: driver_name(&driver, plain.driver_version),
            max_buffer: max_buffer(&plain.limits, &eleven, &maintenance),
            max_groups: plain.limits.max_compute_work_group_count[0].min(MAX_GROUPS),
            // LP_MAX_TGSI_LOOP_ITERATIONS in Mesa's gallivm.
            loop_limit: (driver.driver_id == vk::DriverId::MESA_LLVMPIPE).then_some(65_535),
            workgroup_memory: plain.limits.max_compute_shared_memory_size,
            workgroup_invocations: invocations(&plain.limits),
            int64: core.shader_int64 == vk::TRUE,
            float64: core.shader_float64 == vk::TRUE,
            float_atomics: float_atomics == vk::TRUE,
            missing: missing(api_version, &plain.limits, &eleven, &twelve, family.is_some()),
        };
        let queue_family = family.unwrap_or(0);
        let timestamp_bits = families.get(queue_family).map_or(0, |family| family.timestamp_valid_bits);
        Ok(Self { handle, info, extras, properties: plain, queue_family: queue_family as u32, timestamp_bits })
    }
}

#[derive(Default)]
struct Properties {
    eleven: vk::PhysicalDeviceVulkan11Properties<'static>,
    driver: vk::PhysicalDeviceDriverProperties<'static>,
    maintenance: vk::PhysicalDeviceMaintenance4Properties<'static>,
}

/// Structures that a device is too old for stay zero, which reads as "not there".
fn properties(instance: &Instance, handle: vk::PhysicalDevice, api_version: u32) -> Properties {
    let mut found = Properties::default();
    let mut chain = vk::PhysicalDeviceProperties2::default();
    if api_version >= vk::API_VERSION_1_2 {
        chain = chain.push_next(&mut found.eleven).push_next(&mut found.driver);
    }
    if api_version >= vk::API_VERSION_1_3 {
        chain = chain.push_next(&mut found.maintenance);
    }
    // SAFETY: the handle comes from this instance, and the device knows every structure in the chain.
    unsafe { instance.handle.get_physical_device_properties2(handle, &mut chain) };
    found
}

#[derive(Default)]
struct Features {
    core: vk::PhysicalDeviceFeatures,
    twelve: vk::PhysicalDeviceVulkan12Features<'static>,
    atomics: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    subgroups: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    executables: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>,
}

/// As [`properties`].
fn features(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    api_version: u32,
    has: &dyn Fn(&CStr) -> bool,
) -> Features {
    let mut found = Features::default();
    let mut chain = vk::PhysicalDeviceFeatures2::default();
    if api_version >= vk::API_VERSION_1_2 {
        chain = chain.push_next(&mut found.twelve);
    }
    if api_version >= vk::API_VERSION_1_3 {
        chain = chain.push_next(&mut found.subgroups);
    }
    if has(ext::shader_atomic_float::NAME) {
        chain = chain.push_next(&mut found.atomics);
    }
    if has(khr::pipeline_executable_properties::NAME) {
        chain = chain.push_next(&mut found.executables);
    }
    // SAFETY: the handle comes from this instance, and the device knows every structure in the chain.
    unsafe { instance.handle.get_physical_device_features2(handle, &mut chain) };
    found.core = chain.features;
    found
}

/// Names what a device would need to run evenkeel's kernels.
fn missing(
    api_version: u32,
    limits: &vk::PhysicalDeviceLimits,
    eleven: &vk::PhysicalDeviceVulkan11Properties,
    twelve: &vk::PhysicalDeviceVulkan12Features,
    computes: bool,
) -> Vec<String> {
    let mut missing = Vec::new();
    let mut need = |is_there: bool, what: String| missing.extend((!is_there).then_some(what));
    need(computes, "a compute queue".to_owned());
    need(api_version >= vk::API_VERSION_1_2, format!("Vulkan 1.2 (it speaks {})", version(api_version)));
    if api_version < vk::API_VERSION_1_2 {
        // Nothing newer could be asked for, so nothing newer is known to be missing.
        return missing;
    }
    need(twelve.vulkan_memory_model == vk::TRUE, "the Vulkan memory model (vulkanMemoryModel)".to_owned());
    let in_compute = eleven.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE);
    for (operations, name) in [
        (vk::SubgroupFeatureFlags::BASIC, "basic"),
        (vk::SubgroupFeatureFlags::VOTE, "vote"),
        (vk::SubgroupFeatureFlags::ARITHMETIC, "arithmetic"),
        (vk::SubgroupFeatureFlags::BALLOT, "ballot"),
        (vk::SubgroupFeatureFlags::SHUFFLE, "shuffle"),
        (vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE, "shuffle relative"),
    ] {
        let is_there = in_compute && eleven.subgroup_supported_operations.contains(operations);
        need(is_there, format!("{name} subgroup operations in compute kernels"));
    }
    let (subgroup, workgroup) = (eleven.subgroup_size, invocations(limits));
    need(subgroup >= MIN_SUBGROUP, format!("subgroups of {MIN_SUBGROUP} invocations (it has {subgroup})"));
    need(workgroup >= MIN_WORKGROUP, format!("workgroups of {MIN_WORKGROUP} invocations (it has {workgroup})"));
    missing
}

/// The most invocations of a workgroup that has them in one line.
fn invocations(limits: &vk::PhysicalDeviceLimits) -> u32 {
    limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0])
}

fn kind(device_type: vk::PhysicalDeviceType) -> DeviceKind {
    match device_type {
        vk::PhysicalDeviceType::DISCRETE_GPU => DeviceKind::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => DeviceKind::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => DeviceKind::Virtual,
        _ => DeviceKind::Software,
    }
}

/// The largest buffer that can be made, backed by one allocation, and bound whole.
fn max_buffer(
    limits: &vk::PhysicalDeviceLimits,
    eleven: &vk::PhysicalDeviceVulkan11Properties,
    maintenance: &vk::PhysicalDeviceMaintenance4Properties,
) -> u64 {
    let range = u64::from(limits.max_storage_buffer_range);
    [eleven.max_memory_allocation_size, maintenance.max_buffer_size]
        .into_iter()
        .filter(|&limit| limit != 0)
        .fold(range, u64::min)
}

/// What a program may use of the largest device-local heap: the driver's budget where it tells one, else all of it.
fn memory(instance: &Instance, handle: vk::PhysicalDevice, has_budget: bool) -> u64 {
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceMemoryProperties2::default();
    if has_budget {
        properties = properties.push_next(&mut budget);
    }
    // SAFETY: the handle comes from this instance, which is alive.
    unsafe { instance.handle.get_physical_device_memory_properties2(handle, &mut properties) };
    let heaps = properties.memory_properties;
    let local = |heap: &vk::MemoryHeap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
    heaps
        .memory_heaps_as_slice()
        .iter()
        .zip(budget.heap_budget)
        .filter(|(heap, _)| local(heap))
        .map(|(heap, budget)| if has_budget && budget != 0 { budget.min(heap.size) } else { heap.size })
        .max()
        .unwrap_or(0)
}

fn version(version: u32) -> String {
    let (major, minor, patch) =
        (vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version));
    format!("{major}.{minor}.{patch}")
}

fn driver_name(driver: &vk::PhysicalDeviceDriverProperties, number: u32) -> String {
    let (name, details) = (text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()));
    match (name.is_empty(), details.is_empty()) {
        (true, _) => format!("{number:#x}"),
        (false, true) => name,
        (false, false) => format!("{name} {details}"),
    }
}

fn text<E>(text: Result<&CStr, E>) -> String {
    text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(index: usize, name: &str, kind: DeviceKind, missing: &[&str]) -> DeviceInfo {
        DeviceInfo {
            index: Some(index),
            name: name.to_owned(),
            kind,
            memory: 1 << 30,
            subgroup_size: 32,
            api_version: "1.3.0".to_owned(),
            driver: String::new(),
            max_buffer: 1 << 27,
            max_groups: MAX_GROUPS,
            loop_limit: None,
            workgroup_memory: 32_768,
            workgroup_invocations: 1024,
            int64: false,
            float64: false,
            float_atomics: false,
            missing: missing.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    fn machine() -> [DeviceInfo; 4] {
        [
            info(0, "llvmpipe (LLVM 15.0.6)", DeviceKind::Software, &[]),
            info(1, "Old Discrete", DeviceKind::Discrete, &["Vulkan 1.2 (it speaks 1.1.0)"]),
            info(2, "Integrated Graphics", DeviceKind::Integrated, &[]),
            info(3, "GeForce", DeviceKind::Discrete, &[]),
        ]
    }

    fn choose(selector: &str) -> Result<usize> {
        let machine = machine();
        select(&machine.iter().collect::<Vec<_>>(), selector)
    }

    #[test]
    fn auto_takes_the_best_gpu_that_can_run() {
        assert_eq!(choose("auto").unwrap(), 3);
        let machine = machine();
        assert_eq!(select(&[&machine[0], &machine[1], &machine[2]], "auto").unwrap(), 2);
        let message = select(&[&machine[0], &machine[1]], "auto").unwrap_err().to_string();
        assert!(message.contains("Old Discrete: it lacks Vulkan 1.2 (it speaks 1.1.0)"), "{message}");
    }

    #[test]
    fn a_device_is_chosen_by_index_or_part_of_its_name() {
        assert_eq!(choose("2").unwrap(), 2);
        assert_eq!(choose("LLVMpipe").unwrap(), 0);
    }

    #[test]
    fn what_cannot_run_says_why() {
        for selector in ["1", "old"] {
            let error = choose(selector).unwrap_err();
            assert!(matches!(error, Error::Device(_)), "{error}");
            assert!(error.to_string().contains("lacks Vulkan 1.2"), "{error}");
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        for selector in ["9", "radeon"] {
            let message = choose(selector).unwrap_err().to_string();
            assert!(message.contains("auto, 0 (llvmpipe (LLVM 15.0.6)), 1 (Old Discrete)"), "{message}");
        }
    }

    #[test]
    fn an_old_device_lacks_only_the_version_and_a_bare_one_lacks_everything() {
        let (eleven, twelve) = Default::default();
        let limits = vk::PhysicalDeviceLimits::default();
        assert_eq!(missing(vk::API_VERSION_1_1, &limits, &eleven, &twelve, true), ["Vulkan 1.2 (it speaks 1.1.0)"]);
        assert_eq!(missing(vk::API_VERSION_1_2, &limits, &eleven, &twelve, false).len(), 10);
    }
}
