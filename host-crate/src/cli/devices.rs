//! `evenkeel devices`.

use super::output::{Output, write_json_or_print};
use crate::{
    device::{Device, DeviceInfo, DeviceKind, memory::Bytes},
    report::table::table,
};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel devices
  evenkeel devices --json -";

/// List the devices that are there, and what each lacks if it cannot run evenkeel.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Devices {
    /// Write everything known about each as a JSON array. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

impl Devices {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let devices = Device::list_checked()?;
        let output = Output::create_if(self.json.as_deref())?;
        let headings = ["", "name", "type", ">memory", ">subgroup", "Vulkan", "driver", "runs evenkeel"];
        let text = || {
            let rows = table(&headings, devices.iter().map(row));
            format!("{rows}\n{}{}\n", limits(&devices), choice(&devices))
        };
        Ok(write_json_or_print(output, &devices, quiet, text)?)
    }
}

/// What `--device auto` takes, and why.
fn choice(devices: &[DeviceInfo]) -> String {
    let Some(device @ DeviceInfo { name, kind, .. }) = Device::automatic(devices) else {
        return "--device auto takes none: there is no device that runs evenkeel.".to_owned();
    };
    let has_software = devices.iter().any(|device| device.kind == DeviceKind::Software);
    let reason = match (kind.is_gpu(), has_software) {
        (true, _) => "the first GPU of the best kind.",
        (false, false) => "there is no GPU that runs evenkeel.",
        (false, true) => {
            "there is no GPU that runs evenkeel. Vulkan on the CPU is slower, and is taken when it is named."
        }
    };
    format!("--device auto takes {}, {name}: {reason}", device.number())
}

/// What all Vulkan devices are said to lack.
fn limits(devices: &[DeviceInfo]) -> String {
    match devices.iter().find(|device| !device.limits.is_empty()) {
        Some(device) => {
            format!("Vulkan devices claim less than they have: EVENKEEL_DEVICE_LIMITS={}\n", device.limits.join(","))
        }
        None => String::new(),
    }
}

fn row(device: &DeviceInfo) -> Vec<String> {
    let runs = match (device.missing.as_slice(), device.without.as_slice()) {
        ([], []) => "yes".to_owned(),
        ([], without) => format!("yes, without {}", without.join(", ")),
        (missing, _) => format!("no, it lacks {}", missing.join(", ")),
    };
    vec![
        device.number(),
        device.name.clone(),
        device.kind.to_string(),
        Bytes(device.memory).to_string(),
        device.subgroup_size.to_string(),
        device.api_version.clone(),
        device.driver.clone(),
        runs,
    ]
}
