//! `evenkeel devices`.

use super::output::{Output, write_json_or_print};
use crate::report::table::table;
use clap::Args;
use evenkeel::{
    Result,
    device::{Device, DeviceInfo, DeviceKind, DeviceOptions, memory::Bytes},
    engine::LARGEST_STREAMED,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  evenkeel devices
  evenkeel devices --bandwidth
  evenkeel devices --json -";

/// List the devices that are there, and what each lacks if it cannot run evenkeel.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Devices {
    /// Measure how fast each copies from memory of the host, which bounds the speed of graphs that are streamed.
    #[arg(long, help_heading = "Run")]
    bandwidth: bool,
    /// Write everything known about each as a JSON array. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

impl Devices {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let devices = Device::list_checked()?;
        let output = Output::create_if(self.json.as_deref())?;
        let rate = |info: &DeviceInfo| (self.bandwidth && info.missing.is_empty()).then(|| copy_rate(info)).transpose();
        let rates = devices.iter().map(rate).collect::<Result<Vec<_>>>()?;
        let listed: Vec<_> =
            devices.iter().zip(rates).map(|(info, copy_bytes_per_s)| Listed { info, copy_bytes_per_s }).collect();
        let copies = self.bandwidth.then_some(">copies");
        let headings = ["", "name", "type", ">memory"].into_iter().chain(copies);
        let headings: Vec<_> = headings.chain([">subgroup", "Vulkan", "driver", "runs evenkeel"]).collect();
        let text = || {
            let rows = table(&headings, listed.iter().map(|device| device.row(self.bandwidth)));
            format!("{rows}\n{}{}\n", limits(&devices), choice(&devices))
        };
        Ok(write_json_or_print(output, &listed, quiet, text)?)
    }
}

/// A device, as it is listed.
#[derive(serde::Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    info: &'a DeviceInfo,
    /// How fast it copies from memory of the host, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_bytes_per_s: Option<f64>,
}

/// How fast a device copies the partitions of a graph that is streamed.
fn copy_rate(info: &DeviceInfo) -> Result<f64> {
    Device::open(&info.number(), &DeviceOptions::default())?.copy_rate(LARGEST_STREAMED)
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

impl Listed<'_> {
    fn row(&self, with_copies: bool) -> Vec<String> {
        let device = self.info;
        let runs = match (device.missing.as_slice(), device.without.as_slice()) {
            ([], []) => "yes".to_owned(),
            ([], without) => format!("yes, without {}", without.join(", ")),
            (missing, _) => format!("no, it lacks {}", missing.join(", ")),
        };
        let copies = self.copy_bytes_per_s.map_or_else(String::new, |rate| format!("{:.1} GB/s", rate / 1e9));
        let known = [device.number(), device.name.clone(), device.kind.to_string(), Bytes(device.memory).to_string()];
        let subgroup = device.subgroup_size.to_string();
        let others = [subgroup, device.api_version.clone(), device.driver.clone(), runs];
        known.into_iter().chain(with_copies.then_some(copies)).chain(others).collect()
    }
}
