//! `evenkeel devices`.

use super::output::{Output, is_standard, print};
use crate::{
    device::{Device, DeviceInfo, memory::Bytes},
    report::table::table,
};
use clap::Args;
use std::path::PathBuf;

/// List the devices that are there, and what each lacks if it cannot run evenkeel.
#[derive(Args)]
pub struct Devices {
    /// Write everything known about each as a JSON array. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Devices {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let devices = Device::list();
        if let Some(path) = &self.json {
            Output::create(path)?.write_json(&devices)?;
        }
        if !quiet && !self.json.as_deref().is_some_and(is_standard) {
            print(&text(&devices))?;
        }
        Ok(())
    }
}

fn text(devices: &[DeviceInfo]) -> String {
    let headings = ["", "name", "type", ">memory", ">subgroup", "Vulkan", "driver", "runs evenkeel"];
    table(&headings, devices.iter().map(row))
}

fn row(device: &DeviceInfo) -> Vec<String> {
    let runs = match device.missing.as_slice() {
        [] => "yes".to_owned(),
        missing => format!("no, it lacks {}", missing.join(", ")),
    };
    vec![
        device.index.to_string(),
        device.name.clone(),
        device.kind.to_string(),
        Bytes(device.memory).to_string(),
        device.subgroup_size.to_string(),
        device.api_version.clone(),
        device.driver.clone(),
        runs,
    ]
}
