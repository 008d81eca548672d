//! `evenkeel kernels MODULE…`.

use super::output::{Output, write_json_or_print};
use crate::report::table::table;
use clap::Args;
use evenkeel::{
    Error, Result,
    device::{Compiled, Device, DeviceInfo, Executable},
    numerals::counted,
};
use serde::Serialize;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  evenkeel kernels shader-crate/spirv
  evenkeel kernels shader-crate/spirv --device nvidia --json kernels.json
  RADV_FORCE_FAMILY=navi21 evenkeel kernels shader-crate/spirv --device radv";

/// What is shown of a driver's statistics: its name for it, and the heading. Each driver has some; `--json` has all.
const SHOWN: [(&str, &str); 9] = [
    ("SGPRs", ">SGPRs"),
    ("VGPRs", ">VGPRs"),
    ("Spilled SGPRs", ">spilled SGPRs"),
    ("Spilled VGPRs", ">spilled VGPRs"),
    ("Scratch size", ">scratch"),
    ("Subgroups per SIMD", ">subgroups per SIMD"),
    ("Register Count", ">registers"),
    ("Local Memory Size", ">local memory"),
    ("Instruction Count", ">instructions"),
];

/// Compile kernels for a device without running them, and show what its driver tells of them: registers, spills, occupancy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Kernels {
    /// SPIR-V modules (.spv), or folders of them
    #[arg(value_name = "MODULE", required = true)]
    modules: Vec<PathBuf>,
    /// A Vulkan device: its index, or part of its name.
    #[arg(long, value_name = "DEVICE", default_value = "0", help_heading = "Device")]
    device: String,
    /// Write all that is known as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
}

/// What is written with `--json`.
#[derive(Serialize)]
struct Report {
    device: DeviceInfo,
    kernels: Vec<Compiled>,
}

impl Kernels {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let mut modules = Vec::new();
        for path in &self.modules {
            modules.extend(read(path)?);
        }
        let output = Output::create_if(self.json.as_deref())?;
        let (device, kernels) = Device::compile(&self.device, &modules)?;
        let report = Report { device, kernels };
        write_json_or_print(output, &report, quiet, || report.text())?;
        let failures = || report.kernels.iter().filter_map(|kernel| kernel.failed.as_ref());
        match (failures().next(), failures().count()) {
            (Some(first), count) => {
                let device = &report.device.name;
                let kernels = counted(count as u64, "kernel");
                Err(Error::Device(format!("{kernels} cannot be compiled for {device}; the first: {first}")).into())
            }
            (None, _) => Ok(()),
        }
    }
}

/// The modules in a folder in the order of their names, or the one in a file.
fn read(path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(Error::io(path))?;
        files = entries.into_iter().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "spv"));
        files.sort();
        if files.is_empty() {
            return Err(Error::File { path: path.to_owned(), reason: "there is no module (.spv) in it".to_owned() });
        }
    }
    let module = |file: PathBuf| Ok((file.display().to_string(), fs::read(&file).map_err(Error::io(&file))?));
    files.into_iter().map(module).collect()
}

impl Report {
    fn text(&self) -> String {
        let executables = || self.kernels.iter().flat_map(|kernel| &kernel.executables);
        let tells = |name: &str| executables().any(|executable| executable.statistics.contains_key(name));
        let shown: Vec<_> = SHOWN.iter().filter(|(name, _)| tells(name)).collect();
        let mut headings = vec!["kernel", ">threads", ">workgroup memory", ">subgroup"];
        headings.extend(shown.iter().map(|(_, heading)| heading));
        headings.push("remark");
        let row = |kernel: &Compiled| {
            let executable = kernel.executables.first();
            let subgroup = executable.map(|it| it.subgroup_size).filter(|size| *size > 0);
            let mut row = vec![
                kernel.kernel.clone(),
                kernel.threads.to_string(),
                kernel.workgroup_memory.to_string(),
                subgroup.map_or(String::new(), |size| size.to_string()),
            ];
            row.extend(shown.iter().map(|(name, _)| figure(executable, name)));
            row.push(kernel.refused.iter().chain(&kernel.failed).cloned().collect());
            row
        };
        let DeviceInfo { name, driver, .. } = &self.device;
        let count = |is: fn(&&Compiled) -> bool| self.kernels.iter().filter(is).count();
        let refused = count(|kernel| kernel.refused.is_some());
        let compiled = count(|kernel| kernel.refused.is_none() && kernel.failed.is_none());
        let refused = match refused {
            0 => String::new(),
            count => format!(", {count} need what the device lacks"),
        };
        format!(
            "{}\n{} compiled by {driver} for {name}{refused}\n",
            table(&headings, self.kernels.iter().map(row)),
            counted(compiled as u64, "kernel"),
        )
    }
}

fn figure(executable: Option<&Executable>, name: &str) -> String {
    executable.and_then(|it| it.statistics.get(name)).map_or(String::new(), Value::to_string)
}
