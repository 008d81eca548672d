//! Describes devices.

use super::memory;
use std::fmt;

/// What kind of hardware a device is; `auto` takes the first of this order that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU lent by a hypervisor, or emulated by the CPU device.
    Virtual,
    /// Vulkan executed by the CPU, such as lavapipe.
    Software,
    /// The CPU itself, without Vulkan.
    Cpu,
}

impl DeviceKind {
    /// Whether it is a GPU.
    pub fn is_gpu(self) -> bool {
        !self.is_cpu()
    }

    /// Whether kernels run on the CPU in the end, by whatever way.
    pub fn is_cpu(self) -> bool {
        matches!(self, Self::Software | Self::Cpu)
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Software => "software",
            Self::Cpu => "CPU",
        })
    }
}

/// The limit of devices (`EVENKEEL_DEVICE_LIMITS`) by which none reads the sizes of a loop's dispatches from memory.
pub(crate) const FIXED_SIZES: &str = "no-indirect-loops";

/// Describes a device: its identity, its limits and what it lacks.
#[derive(Clone, Debug, serde::Serialize)]
pub struct DeviceInfo {
    /// Its number in `evenkeel devices`, accepted by `--device`; none for the CPU opened as `cpu`, when no other was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The driver's name for it.
    pub name: String,
    /// What kind it is.
    pub kind: DeviceKind,
    /// Bytes of its largest device-local heap.
    pub memory: u64,
    /// The most bytes of that which may be used, where less was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u64>,
    /// Invocations in a subgroup.
    pub subgroup_size: u32,
    /// The Vulkan version it speaks, as `1.3.230`.
    pub api_version: String,
    /// The driver's name and version.
    pub driver: String,
    /// The most bytes one buffer may have.
    pub max_buffer: u64,
    /// The most bytes that a partition of a graph may have in one buffer, where less than `max_buffer` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition_bytes: Option<u64>,
    /// The most workgroups one dispatch may have.
    pub max_groups: u32,
    /// The most rounds that all loops of an invocation may go together, where the driver stops them without a word: llvmpipe does.
    pub loop_limit: Option<u32>,
    /// Bytes of workgroup memory.
    pub workgroup_memory: u32,
    /// The most invocations of a workgroup.
    pub workgroup_invocations: u32,
    /// Whether kernels may use 64-bit integers.
    pub int64: bool,
    /// Whether kernels may use 64-bit floats.
    pub float64: bool,
    /// Whether kernels may add to an `f32` in a buffer atomically.
    pub float_atomics: bool,
    /// What it lacks to run evenkeel; empty when it can.
    pub missing: Vec<String>,
    /// What it lacks that only some kernels need: a strategy with one of those is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// What the environment variable `EVENKEEL_DEVICE_LIMITS` takes from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

impl DeviceInfo {
    /// Whether dispatches of a loop read their sizes from memory: where a CPU runs the kernels, workgroups without work cost more than that.
    pub(crate) fn reads_sizes(&self) -> bool {
        self.kind.is_cpu() && !self.limits.iter().any(|limit| limit == FIXED_SIZES)
    }

    /// The bytes that may be used.
    pub fn available(&self) -> u64 {
        self.memory_limit.map_or(self.memory, |limit| limit.min(self.memory))
    }

    /// Describes the available memory in words.
    pub(crate) fn available_said(&self) -> String {
        let available = memory::Bytes(self.available());
        match self.memory_limit {
            Some(limit) if limit < self.memory => format!("the memory limit is {available}"),
            _ => format!("{} has {available}", self.name),
        }
    }

    /// The most bytes of a partition's columns, or of its weights.
    pub fn partition_limit(&self) -> u64 {
        self.partition_bytes.map_or(self.max_buffer, |bytes| bytes.min(self.max_buffer))
    }

    /// Its number as text, where it has one.
    #[doc(hidden)]
    pub fn number(&self) -> String {
        self.index.map_or(String::new(), |index| index.to_string())
    }

    /// The loop iterations that an invocation may safely take in one dispatch: half of what the driver stops loops after, if it
    /// does, so that one more round does no harm.
    pub(crate) fn loop_budget(&self) -> u32 {
        self.loop_limit.map_or(u32::MAX / 2, |limit| limit / 2)
    }
}
