//! `EVENKEEL_DEVICE_LIMITS`: every Vulkan device claims less than it has. On one machine that shows how evenkeel behaves on many:
//! what can do without still runs, and what cannot says what is missing. A device can also be made to fail in the middle of its work.

use super::claims::Claims;
use crate::{Error, Result, device::FIXED_SIZES};
use ash::vk::{self, SubgroupFeatureFlags as Operations};

const VARIABLE: &str = "EVENKEEL_DEVICE_LIMITS";

/// Something that a device is said not to have.
struct Switch {
    name: &'static str,
    turn_off: fn(&mut Claims),
}

const SWITCHES: [Switch; 15] = [
    Switch { name: "no-float64", turn_off: |claims| claims.core.shader_float64 = vk::FALSE },
    Switch { name: "no-int64", turn_off: |claims| claims.core.shader_int64 = vk::FALSE },
    Switch { name: "no-float-atomics", turn_off: |claims| claims.atomics.shader_buffer_float32_atomic_add = vk::FALSE },
    Switch { name: "no-memory-model", turn_off: |claims| claims.twelve.vulkan_memory_model = vk::FALSE },
    Switch { name: "no-device-scope", turn_off: |claims| claims.twelve.vulkan_memory_model_device_scope = vk::FALSE },
    Switch {
        name: "no-subgroups",
        turn_off: |claims| claims.eleven.subgroup_supported_operations = Operations::empty(),
    },
    Switch { name: "no-vote", turn_off: |claims| claims.turn_off(Operations::VOTE) },
    Switch { name: "no-arithmetic", turn_off: |claims| claims.turn_off(Operations::ARITHMETIC) },
    Switch { name: "no-ballot", turn_off: |claims| claims.turn_off(Operations::BALLOT) },
    Switch {
        name: "no-shuffle",
        turn_off: |claims| claims.turn_off(Operations::SHUFFLE | Operations::SHUFFLE_RELATIVE),
    },
    Switch { name: "no-full-subgroups", turn_off: |claims| claims.subgroups.compute_full_subgroups = vk::FALSE },
    Switch { name: "no-timestamps", turn_off: |claims| claims.timestamp_bits = 0 },
    Switch { name: "no-calibrated-timestamps", turn_off: |claims| claims.calibrated_timestamps = false },
    // No driver says so: `DeviceInfo::reads_sizes` asks for the name.
    Switch { name: FIXED_SIZES, turn_off: |_| () },
    Switch { name: "no-statistics", turn_off: |claims| claims.executables.pipeline_executable_info = vk::FALSE },
];

/// Something of which a device is said to have no more than a number.
struct Number {
    name: &'static str,
    at_most: fn(&mut Claims, u32),
}

const NUMBERS: [Number; 8] = [
    Number { name: "binding", at_most: |claims, most| lower(&mut claims.limits().max_storage_buffer_range, most) },
    Number { name: "shared", at_most: |claims, most| lower(&mut claims.limits().max_compute_shared_memory_size, most) },
    Number {
        name: "workgroup",
        at_most: |claims, most| lower(&mut claims.limits().max_compute_work_group_invocations, most),
    },
    Number {
        name: "groups",
        at_most: |claims, most| lower(&mut claims.limits().max_compute_work_group_count[0], most.max(1)),
    },
    Number {
        name: "buffers",
        at_most: |claims, most| lower(&mut claims.limits().max_per_stage_descriptor_storage_buffers, most),
    },
    Number {
        name: "push-constants",
        at_most: |claims, most| lower(&mut claims.limits().max_push_constants_size, most),
    },
    Number { name: "allocations", at_most: |claims, most| claims.faults.allocations = Some(most) },
    Number { name: "submissions", at_most: |claims, most| claims.faults.submissions = Some(most) },
];

/// The name of the limit on the version of Vulkan, which is known before anything else is asked for.
const VERSION: &str = "vulkan";

fn lower(limit: &mut u32, most: u32) {
    *limit = most.min(*limit);
}

/// What all devices are said to lack.
#[derive(Default)]
pub(super) struct Limits {
    /// Each as it was written.
    pub(super) names: Vec<String>,
    switches: Vec<&'static Switch>,
    numbers: Vec<(&'static Number, u32)>,
    version: Option<u32>,
}

impl Limits {
    /// Those of the environment variable; an unknown name is an error with the known ones.
    pub(super) fn from_environment() -> Result<Self> {
        std::env::var(VARIABLE).map_or(Ok(Self::default()), |text| Self::parse(&text))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut limits = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let wrong =
                || Error::Usage(format!("{VARIABLE}: '{word}' is not NAME=NUMBER, as in binding=128MiB or groups=64"));
            let name = word.split('=').next().unwrap_or_default();
            let value = word.split_once('=').map(|(_, value)| value);
            if name == VERSION {
                limits.version = Some(value.and_then(version).ok_or_else(wrong)?);
            } else if let Some(number) = NUMBERS.iter().find(|number| number.name == name) {
                limits.numbers.push((number, value.and_then(size).ok_or_else(wrong)?));
            } else if let Some(switch) = SWITCHES.iter().find(|switch| switch.name == word) {
                limits.switches.push(switch);
            } else {
                let numbers = NUMBERS.iter().map(|number| number.name).chain([VERSION]);
                let known = SWITCHES.iter().map(|switch| switch.name.to_owned());
                return Err(Error::unknown(
                    "limit of devices (EVENKEEL_DEVICE_LIMITS)",
                    word,
                    known.chain(numbers.map(|name| format!("{name}=NUMBER"))),
                ));
            }
            limits.names.push(word.to_owned());
        }
        Ok(limits)
    }

    /// The newest version of Vulkan that a device may say it speaks.
    pub(super) fn version(&self) -> u32 {
        self.version.unwrap_or(u32::MAX)
    }

    /// Lowers what a device says it has.
    pub(super) fn apply(&self, claims: &mut Claims) {
        self.switches.iter().for_each(|switch| (switch.turn_off)(claims));
        self.numbers.iter().for_each(|(number, most)| (number.at_most)(claims, *most));
    }
}

/// A number, of bytes where a unit follows it.
fn size(text: &str) -> Option<u32> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
    let (number, unit) =
        units.iter().find_map(|&(name, unit)| Some((text.strip_suffix(name)?, unit))).unwrap_or((text, 1));
    number.trim_end().parse::<u32>().ok()?.checked_mul(unit)
}

/// `1.2`, say.
fn version(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once('.')?;
    Some(vk::make_api_version(0, major.parse().ok()?, minor.parse().ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::{super::faults::Remaining, *};

    fn limited(text: &str) -> Claims {
        let mut claims = Claims::default();
        claims.core.shader_float64 = vk::TRUE;
        claims.eleven.subgroup_supported_operations =
            Operations::SHUFFLE | Operations::SHUFFLE_RELATIVE | Operations::VOTE;
        claims.limits().max_compute_shared_memory_size = 32_768;
        Limits::parse(text).unwrap().apply(&mut claims);
        claims
    }

    #[test]
    fn a_device_claims_less() {
        let claims = limited(" no-float64, no-shuffle,,shared=16KiB");
        assert_eq!(claims.core.shader_float64, vk::FALSE);
        assert_eq!(claims.eleven.subgroup_supported_operations, Operations::VOTE);
        assert_eq!(claims.plain.limits.max_compute_shared_memory_size, 16_384);
        assert_eq!(Limits::parse("vulkan=1.1").unwrap().version(), vk::API_VERSION_1_1);
    }

    #[test]
    fn calls_fail_after_so_many() {
        let faults = limited("submissions=2").faults;
        let (submissions, allocations) = (Remaining::new(faults.submissions), Remaining::new(faults.allocations));
        assert_eq!([(); 4].map(|()| submissions.take()), [true, true, false, false]);
        assert!((0..9).all(|_| allocations.take()));
    }

    #[test]
    fn nobody_claims_more() {
        assert_eq!(limited("shared=1GiB").plain.limits.max_compute_shared_memory_size, 32_768);
        assert_eq!(limited("").core.shader_float64, vk::TRUE);
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let message = Limits::parse("no-shufle").err().unwrap().to_string();
        assert!(message.contains("did you mean no-shuffle?") && message.contains("binding=NUMBER"), "{message}");
        for word in ["binding", "binding=much", "binding=8GiB", "vulkan=one"] {
            let error = Limits::parse(word).err().unwrap();
            assert!(matches!(&error, Error::Usage(message) if message.contains(word)), "{error}");
        }
        assert!(matches!(Limits::parse("no-float64=1"), Err(Error::UnknownName { .. })));
    }
}
