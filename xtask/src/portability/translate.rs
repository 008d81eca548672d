//! The modules in the languages of other systems. Metal is what MoltenVK runs kernels with on Apple's; HLSL and GLSL show what a
//! translation to Direct3D or OpenGL would meet.

use super::{output, timed};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const PACKAGE: &str = "spirv-cross";

struct Target {
    language: &'static str,
    options: &'static [&'static str],
    /// What some modules are known to be refused for: a part of the message, and why that is so.
    known: &'static [(&'static str, &'static str)],
}

const TARGETS: [Target; 3] = [
    Target {
        language: "Metal 2.4",
        options: &["--msl", "--msl-version", "20400"],
        known: &[(
            "double types are not supported",
            "Metal has no 64-bit floats; MoltenVK does not claim them, so such kernels are not asked for",
        )],
    },
    Target {
        language: "HLSL, shader model 6.0",
        options: &["--hlsl", "--shader-model", "60"],
        known: &[
            (
                "cannot be expressed with either HLSL packing layout",
                "HLSL aligns the fields of constants to 16 bytes where push constants are packed",
            ),
            ("Unsupported builtin in HLSL: 38", "HLSL has no number of subgroups in a workgroup (NumSubgroups)"),
            (
                "Access chains have no default expression representation",
                "HLSL has no atomic addition of floats, and SPIRV-Cross fails where a kernel has one",
            ),
            (
                "Reading types other than 32-bit from ByteAddressBuffer",
                "SPIRV-Cross reads no 64-bit floats from buffers in HLSL",
            ),
        ],
    },
    Target { language: "GLSL 4.60 for Vulkan", options: &["--version", "460", "--vulkan-semantics"], known: &[] },
];

/// What came of all modules in one language.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Language {
    pub language: String,
    pub tool: String,
    pub translated: usize,
    pub refused: Vec<Refused>,
}

/// The modules that are refused for one known reason.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    pub reason: String,
    pub kernels: Vec<String>,
}

pub fn all(modules: &[PathBuf], failures: &mut Vec<String>) -> Result<Vec<Language>> {
    let tool = tool()?;
    TARGETS.iter().map(|target| target.translate(&tool, modules, failures)).collect()
}

/// SPIRV-Cross and its version.
fn tool() -> Result<String> {
    let revision = output(timed("spirv-cross").arg("--revision"), PACKAGE)?;
    let revision = [revision.stdout, revision.stderr].concat();
    // Debian's does not tell.
    let version =
        super::runs::package_version(PACKAGE).unwrap_or_else(|| String::from_utf8_lossy(&revision).trim().into());
    Ok(format!("SPIRV-Cross {version}"))
}

impl Target {
    fn translate(&self, tool: &str, modules: &[PathBuf], failures: &mut Vec<String>) -> Result<Language> {
        let mut language =
            Language { language: self.language.into(), tool: tool.into(), translated: 0, refused: Vec::new() };
        for module in modules {
            let output = output(timed("spirv-cross").args(self.options).arg(module), PACKAGE)?;
            if output.status.success() && !output.stdout.is_empty() {
                language.translated += 1;
                continue;
            }
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            match self.known.iter().find(|(part, _)| message.contains(part)) {
                Some((_, reason)) => language.refuse(reason, &name(module)),
                None => failures.push(format!("{} to {}: {}: {message}", name(module), self.language, output.status)),
            }
        }
        Ok(language)
    }
}

impl Language {
    fn refuse(&mut self, reason: &str, kernel: &str) {
        match self.refused.iter_mut().find(|refused| refused.reason == reason) {
            Some(refused) => refused.kernels.push(kernel.to_owned()),
            None => self.refused.push(Refused { reason: reason.to_owned(), kernels: vec![kernel.to_owned()] }),
        }
    }
}

fn name(module: &Path) -> String {
    module.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
