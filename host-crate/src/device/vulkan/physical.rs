//! What is in the machine: every physical device with what it offers, what it lacks, and the choice between them.

use super::{
    calls::alone,
    claims::{Claims, text},
    faults::Faults,
    instance::Instance,
    limits::Limits,
};
use crate::{
    Error, Result,
    device::{Device, DeviceInfo, DeviceKind},
};
use ash::vk::{self, SubgroupFeatureFlags as Operations};

/// Workgroups a dispatch has at most, where the device allows it: the most that every device of Vulkan 1.2 must take. At 256
/// invocations each that is 16 million, enough to fill any GPU many times; kernels stride over what is left.
const MAX_GROUPS: u32 = 65_535;

/// The fewest invocations a subgroup may have: workgroup memory is sized for it (`primitive/workgroup.rs` of the kernels).
const MIN_SUBGROUP: u32 = 4;
const MIN_WORKGROUP: u32 = evenkeel_types::WORKGROUP;

/// What a driver lacks that compiles for a GPU which is not there, as RADV does with `RADV_FORCE_FAMILY`.
const NO_HARDWARE: &str = "hardware: its driver compiles kernels and runs none";

/// Something that only some kernels need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capability {
    /// Its number in SPIR-V.
    pub(super) number: u32,
    pub(super) name: &'static str,
    is_there: fn(&Claims) -> bool,
}

const FLOAT64: u32 = 10;
const ATOMIC_FLOAT32_ADD: u32 = 6033;

/// What a kernel's module may ask for, beside what every device must have.
const CAPABILITIES: [Capability; 8] = [
    Capability {
        number: FLOAT64,
        name: "64-bit floats (shaderFloat64)",
        is_there: |claims| claims.core.shader_float64 == vk::TRUE,
    },
    Capability {
        number: ATOMIC_FLOAT32_ADD,
        name: "atomic additions to f32 (VK_EXT_shader_atomic_float)",
        is_there: |claims| {
            let vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT { shader_buffer_float32_atomics: any, .. } =
                claims.atomics;
            any & claims.atomics.shader_buffer_float32_atomic_add == vk::TRUE
        },
    },
    Capability { number: 61, name: "basic subgroup operations", is_there: |claims| claims.has(Operations::BASIC) },
    Capability { number: 62, name: "vote subgroup operations", is_there: |claims| claims.has(Operations::VOTE) },
    Capability {
        number: 63,
        name: "arithmetic subgroup operations",
        is_there: |claims| claims.has(Operations::ARITHMETIC),
    },
    Capability { number: 64, name: "ballot subgroup operations", is_there: |claims| claims.has(Operations::BALLOT) },
    Capability { number: 65, name: "shuffle subgroup operations", is_there: |claims| claims.has(Operations::SHUFFLE) },
    Capability {
        number: 66,
        name: "relative shuffle subgroup operations",
        is_there: |claims| claims.has(Operations::SHUFFLE_RELATIVE),
    },
];

/// A device that could be opened, if `info.missing` is empty.
pub(super) struct Physical {
    pub(super) handle: vk::PhysicalDevice,
    pub(super) info: DeviceInfo,
    pub(super) extras: Extras,
    pub(super) properties: vk::PhysicalDeviceProperties,
    pub(super) driver: vk::DriverId,
    /// The first queue family that computes.
    pub(super) queue_family: u32,
    /// A family that copies and does nothing else, where there is one.
    pub(super) transfer_family: Option<u32>,
    /// Bits of a timestamp on the family that computes; 0 when it has none.
    pub(super) timestamp_bits: u32,
    /// Whether the host can see some of the device's own memory, and what the device has written there.
    pub(super) has_visible_memory: bool,
    /// The capabilities that kernels may need and it lacks.
    pub(super) lacks: Vec<Capability>,
    pub(super) faults: Faults,
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
    let limits = Limits::from_environment()?;
    let _alone = alone();
    let handles = instance.physical_devices()?.into_iter().enumerate();
    handles.map(|(index, handle)| Physical::query(instance, index, handle, &limits)).collect()
}

/// What a device is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Run,
    /// To compile kernels alone, which takes no hardware.
    Compile,
}

/// The index of the device that `selector` means: `auto`, an index, or part of a name.
pub(super) fn select(infos: &[&DeviceInfo], selector: &str, purpose: Purpose) -> Result<usize> {
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
    let is_enough = |missing: &[String]| match purpose {
        Purpose::Run => missing.is_empty(),
        Purpose::Compile => missing.iter().all(|what| what == NO_HARDWARE),
    };
    match chosen.ok_or_else(|| unknown(infos, selector))? {
        info if is_enough(&info.missing) => info.index.ok_or_else(|| unknown(infos, selector)),
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
    fn query(instance: &Instance, index: usize, handle: vk::PhysicalDevice, limits: &Limits) -> Result<Self> {
        let mut claims = Claims::query(instance, handle, limits.version())?;
        limits.apply(&mut claims);
        let Claims { plain, eleven, twelve, subgroups, executables, driver, api_version, .. } = &claims;
        let extras = Extras {
            device_scope: twelve.vulkan_memory_model_device_scope == vk::TRUE,
            full_subgroups: subgroups.subgroup_size_control == vk::TRUE && subgroups.compute_full_subgroups == vk::TRUE,
            calibrated_timestamps: claims.calibrated_timestamps,
            statistics: executables.pipeline_executable_info == vk::TRUE,
        };
        let lacks: Vec<_> = CAPABILITIES.into_iter().filter(|capability| !(capability.is_there)(&claims)).collect();
        let has = |number| lacks.iter().all(|capability| capability.number != number);
        let info = DeviceInfo {
            index: Some(index),
            name: text(plain.device_name_as_c_str()),
            kind: kind(plain.device_type),
            memory: memory(instance, handle, claims.memory_budget),
            subgroup_size: eleven.subgroup_size,
            api_version: version(plain.api_version.min(limits.version())),
            driver: driver_name(driver, plain.driver_version),
            partition_bytes: None,
            memory_limit: None,
            max_buffer: max_buffer(&plain.limits, eleven, &claims.maintenance),
            max_groups: plain.limits.max_compute_work_group_count[0].min(MAX_GROUPS),
            // LP_MAX_TGSI_LOOP_ITERATIONS in Mesa's gallivm.
            loop_limit: (driver.driver_id == vk::DriverId::MESA_LLVMPIPE).then_some(65_535),
            workgroup_memory: plain.limits.max_compute_shared_memory_size,
            workgroup_invocations: invocations(&plain.limits),
            int64: claims.core.shader_int64 == vk::TRUE,
            float64: has(FLOAT64),
            float_atomics: has(ATOMIC_FLOAT32_ADD),
            missing: missing(*api_version, &claims),
            without: lacks.iter().map(|capability| capability.name.to_owned()).collect(),
            limits: limits.names.clone(),
        };
        let (queue_family, timestamp_bits) = (claims.queue_family.unwrap_or(0), claims.timestamp_bits);
        let (driver, faults) = (driver.driver_id, claims.faults);
        let transfer_family = claims.transfer_family;
        Ok(Self {
            handle,
            info,
            extras,
            properties: *plain,
            driver,
            queue_family,
            transfer_family,
            timestamp_bits,
            has_visible_memory: has_visible_memory(instance, handle),
            lacks,
            faults,
        })
    }
}

/// Names what a device would need to run any of evenkeel's kernels.
fn missing(api_version: u32, claims: &Claims) -> Vec<String> {
    let mut missing = Vec::new();
    let mut need = |is_there: bool, what: String| missing.extend((!is_there).then_some(what));
    need(!claims.no_hardware, NO_HARDWARE.to_owned());
    need(claims.queue_family.is_some(), "a compute queue".to_owned());
    need(api_version >= vk::API_VERSION_1_2, format!("Vulkan 1.2 (it speaks {})", version(api_version)));
    if api_version < vk::API_VERSION_1_2 {
        // Nothing newer could be asked for, so nothing newer is known to be missing.
        return missing;
    }
    need(claims.twelve.vulkan_memory_model == vk::TRUE, "the Vulkan memory model (vulkanMemoryModel)".to_owned());
    let (subgroup, workgroup) = (claims.eleven.subgroup_size, invocations(&claims.plain.limits));
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

fn has_visible_memory(instance: &Instance, handle: vk::PhysicalDevice) -> bool {
    use vk::MemoryPropertyFlags as Flags;
    // SAFETY: the handle comes from this instance, which is alive.
    let properties = unsafe { instance.handle.get_physical_device_memory_properties(handle) };
    let wanted = Flags::DEVICE_LOCAL | Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
    properties.memory_types_as_slice().iter().any(|kind| kind.property_flags.contains(wanted))
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
            partition_bytes: None,
            memory_limit: None,
            max_groups: MAX_GROUPS,
            loop_limit: None,
            workgroup_memory: 32_768,
            workgroup_invocations: 1024,
            int64: false,
            float64: false,
            float_atomics: false,
            missing: missing.iter().map(|&text| text.to_owned()).collect(),
            without: Vec::new(),
            limits: Vec::new(),
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
        select(&machine.iter().collect::<Vec<_>>(), selector, Purpose::Run)
    }

    #[test]
    fn auto_takes_the_best_gpu_that_can_run() {
        assert_eq!(choose("auto").unwrap(), 3);
        let machine = machine();
        assert_eq!(select(&[&machine[0], &machine[1], &machine[2]], "auto", Purpose::Run).unwrap(), 2);
        let message = select(&[&machine[0], &machine[1]], "auto", Purpose::Run).unwrap_err().to_string();
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
    fn what_has_no_hardware_is_opened_to_compile() {
        let info = info(0, "Null hardware (RADV GFX1100)", DeviceKind::Discrete, &[NO_HARDWARE]);
        assert_eq!(select(&[&info], "0", Purpose::Compile).unwrap(), 0);
        for selector in ["0", "auto"] {
            let message = select(&[&info], selector, Purpose::Run).unwrap_err().to_string();
            assert!(message.contains("compiles kernels and runs none"), "{message}");
        }
    }

    #[test]
    fn an_old_device_lacks_only_the_version_and_a_bare_one_lacks_everything() {
        let bare = Claims { queue_family: Some(0), ..Claims::default() };
        assert_eq!(missing(vk::API_VERSION_1_1, &bare), ["Vulkan 1.2 (it speaks 1.1.0)"]);
        assert_eq!(missing(vk::API_VERSION_1_2, &Claims::default()).len(), 4);
        assert!(CAPABILITIES.iter().all(|capability| !(capability.is_there)(&bare)));
    }
}
