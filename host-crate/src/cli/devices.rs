//! `evenkeel devices`.

use super::output::{Output, write_json_or_print};
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
        let output = Output::create_if(self.json.as_deref())?;
        let headings = ["", "name", "type", ">memory", ">subgroup", "Vulkan", "driver", "runs evenkeel"];
        Ok(write_json_or_print(output, &devices, quiet, || table(&headings, devices.iter().map(row)))?)
    }
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
