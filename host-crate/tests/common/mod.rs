//! What the tests on a device share: the device, and the last question to it.
//!
//! `EVENKEEL_TEST_DEVICE` names the device (`cpu` is one), else it is the best Vulkan device. Where there is none, a test
//! says so in one line and passes, unless one was named or `EVENKEEL_REQUIRE_VULKAN` is set. The validation layer watches when
//! it is installed.

// Each test file uses its own part of this.
#![allow(dead_code)]

use evenkeel::device::{Device, DeviceKind, DeviceOptions};
use std::{io::Write, path::PathBuf, sync::OnceLock};

/// The device of the tests, one for all tests of a file.
pub fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| device_with(DeviceOptions::default())).clone()
}

/// One of its own with other options; validation is always on.
pub fn device_with(options: DeviceOptions) -> Option<Device> {
    let selector = std::env::var("EVENKEEL_TEST_DEVICE");
    let options = DeviceOptions { validation: true, ..options };
    let reason = match Device::open(selector.as_deref().unwrap_or("auto"), &options) {
        Ok(device) if device.info().kind != DeviceKind::Cpu || selector.is_ok() => return Some(device),
        Ok(_) => "there is no Vulkan device".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(selector.is_err() && std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_none(), "{reason}");
    say(&format!("skipped: {reason}"));
    None
}

/// Every device the tests can have: the Vulkan one, and the CPU.
pub fn devices() -> Vec<Device> {
    let cpu = Device::open("cpu", &DeviceOptions::default()).expect("the CPU device is always there");
    device().filter(|device| device.info().kind != DeviceKind::Cpu).into_iter().chain([cpu]).collect()
}

/// Where the real graphs are, or `None` after a line that says so.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("EVENKEEL_DATA").map(PathBuf::from);
    if folder.is_none() {
        say("skipped: EVENKEEL_DATA names no folder of real graphs");
    }
    folder
}

/// Fails when the validation layer had anything to say.
pub fn finish(device: &Device) {
    assert_eq!(device.validation_messages(), Vec::<String>::new());
}

/// Past the test runner, which keeps what a passing test prints to itself.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
