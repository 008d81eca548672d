//! Mesa's RADV compiles for any AMD GPU that it knows, in the machine or not, and tells what became of each kernel.

use super::{driver_file, from_json, output, timed};
use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Output},
};

/// One of each generation that the driver of Debian 12 knows: GCN 5, the same in a processor, RDNA 2, RDNA 3.
const FAMILIES: [&str; 4] = ["vega10", "raven", "navi21", "gfx1100"];

/// What the driver does not claim on these GPUs: kernels that need it are not compiled.
pub const KNOWN_REFUSAL: &str = "atomic additions to f32";

/// A family of GPUs that all modules were compiled for.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Family {
    pub family: String,
    pub driver: String,
    /// Kernels that were compiled.
    pub kernels: usize,
    /// Kernels that need what the driver does not claim.
    pub refused: usize,
}

/// What a kernel takes of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    pub family: String,
    pub kernel: String,
    /// In the order of [`FIGURES`].
    pub figures: [u64; 7],
}

/// The driver's names, and ours.
const FIGURES: [(&str, &str); 7] = [
    ("", "subgroup"),
    ("SGPRs", "sgprs"),
    ("VGPRs", "vgprs"),
    ("Spilled SGPRs", "spilled_sgprs"),
    ("Spilled VGPRs", "spilled_vgprs"),
    ("LDS size", "workgroup_memory"),
    ("Subgroups per SIMD", "occupancy"),
];

impl Registers {
    pub fn vgprs(&self) -> u64 {
        self.figures[2]
    }

    /// Registers that did not fit and are in memory.
    pub fn spilled(&self) -> u64 {
        self.figures[3] + self.figures[4]
    }

    /// Subgroups that a SIMD unit holds at a time.
    pub fn occupancy(&self) -> u64 {
        self.figures[6]
    }
}

/// Compiles all modules for all families.
pub fn compile(program: &Path, root: &Path, failures: &mut Vec<String>) -> Result<(Vec<Family>, Vec<Registers>)> {
    let driver = driver_file("/usr/share/vulkan/icd.d", "radeon_icd", "mesa-vulkan-drivers")?;
    let run = |family: &&str| output(&mut command(program, root, &driver, family), "mesa-vulkan-drivers");
    // A driver compiles with one processor.
    let outputs: Vec<Output> = FAMILIES.par_iter().with_max_len(1).map(run).collect::<Result<_>>()?;
    let (mut families, mut registers) = (Vec::new(), Vec::new());
    for (family, output) in FAMILIES.into_iter().zip(outputs) {
        let report: Value = match from_json(&String::from_utf8_lossy(&output.stdout)) {
            Ok(report) => report,
            Err(_) => {
                let message = String::from_utf8_lossy(&output.stderr);
                failures.push(format!("RADV for {family}: {}: {}", output.status, message.trim()));
                continue;
            }
        };
        let mut refused = 0;
        let kernels = report["kernels"].as_array().context("`evenkeel kernels` lists no kernels")?;
        for kernel in kernels {
            let name = kernel["kernel"].as_str().unwrap_or_default();
            match kernel["refused"].as_str().or(kernel["failed"].as_str()) {
                Some(reason) if reason.contains(KNOWN_REFUSAL) => refused += 1,
                Some(reason) => failures.push(format!("RADV for {family}, kernel {name}: {reason}")),
                None => {}
            }
            if let Some(executable) = kernel["executables"].get(0) {
                let figure = |(name, _): (&str, &str)| match name {
                    "" => executable["subgroup_size"].as_u64().unwrap_or(0),
                    name => executable["statistics"][name].as_u64().unwrap_or(0),
                };
                let figures = FIGURES.map(figure);
                registers.push(Registers { family: family.to_owned(), kernel: name.to_owned(), figures });
            }
        }
        let driver = report["device"]["driver"].as_str().unwrap_or_default().to_owned();
        families.push(Family { family: family.to_owned(), driver, kernels: kernels.len() - refused, refused });
    }
    Ok((families, registers))
}

/// Compiles all modules for a family.
fn command(program: &Path, root: &Path, driver: &str, family: &str) -> Command {
    let mut command = timed(program);
    command.args(["kernels", "--device", "0", "--json", "-"]);
    command.args(crate::PACKAGES.map(|package| root.join(package).join("spirv")));
    command.env("VK_ICD_FILENAMES", driver).env("RADV_FORCE_FAMILY", family).env("MESA_SHADER_CACHE_DISABLE", "true");
    command
}

pub fn to_csv(registers: &[Registers]) -> String {
    let head = format!("family,kernel,{}\n", FIGURES.map(|(_, name)| name).join(","));
    registers.iter().fold(head, |text, Registers { family, kernel, figures }| {
        text + &format!("{family},{kernel},{}\n", figures.map(|figure| figure.to_string()).join(","))
    })
}

pub fn from_csv(text: &str) -> Result<Vec<Registers>> {
    let registers = |line: &str| {
        let mut fields = line.split(',');
        let (family, kernel) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let figures: Vec<u64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
        Some(Registers { family, kernel, figures: figures.try_into().ok()? })
    };
    let lines = text.lines().skip(1);
    lines.map(|line| registers(line).with_context(|| format!("not a line of registers: {line}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back() {
        let kernel = |kernel: &str, vgprs| Registers {
            family: "navi21".into(),
            kernel: kernel.into(),
            figures: [64, 20, vgprs, 0, 3, 1024, 16],
        };
        let registers = [kernel("bfs", 12), kernel("scan", 24)];
        assert_eq!(from_csv(&to_csv(&registers)).unwrap(), registers);
        assert_eq!((registers[0].vgprs(), registers[0].spilled(), registers[0].occupancy()), (12, 3, 16));
        assert!(from_csv("head\nnavi21,bfs,1,2\n").is_err());
    }
}
