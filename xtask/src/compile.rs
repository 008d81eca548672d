//! How the kernels are compiled: the one place that holds the builder's settings.
//!
//! The hash in the manifest covers this file, so a changed setting means new modules. Nothing from the user's environment
//! reaches the compiler: the same sources give the same bytes on every machine.

use crate::toolchain::Toolchain;
use anyhow::{Context, Result};
use evenkeel_build::{GROUP, manifest::Package};
use spirv_builder::{Capability, SpirvBuilder, SpirvMetadata};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{self, PathBuf},
};

/// What the kernels may use. A finished module declares only those that it does use.
pub const CAPABILITIES: [Capability; 8] = [
    Capability::AtomicFloat32AddEXT,
    Capability::Float64,
    Capability::GroupNonUniform,
    Capability::GroupNonUniformArithmetic,
    Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle,
    Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformVote,
];

/// The extensions of SPIR-V that capabilities come from: a finished module that uses no such capability does not declare them.
pub const EXTENSIONS: [(&str, Capability); 1] = [("SPV_EXT_shader_atomic_float_add", Capability::AtomicFloat32AddEXT)];

/// The environment of the compiler: the release profile as it is here, whatever the workspace's says, and none of the
/// variables that spirv-builder would take settings from, nor the one by which `#[kernel]` knows the crate that is asked for.
const ENVIRONMENT: [(&str, Option<&str>); 8] = [
    ("CARGO_PRIMARY_PACKAGE", None),
    ("CARGO_PROFILE_RELEASE_DEBUG", Some("0")),
    ("CARGO_PROFILE_RELEASE_LTO", Some("off")),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", Some("3")),
    ("CARGO_PROFILE_RELEASE_PANIC", Some("unwind")),
    ("RUSTGPU_CARGOFLAGS", None),
    ("RUSTGPU_CODEGEN_ARGS", None),
    ("RUSTGPU_RUSTFLAGS", None),
];

/// How many entry points are compiled at once, about: the memory and the time that rust-gpu takes grow with the square of their number.
const AT_ONCE: usize = 100;

/// Compiles a package, and returns the module of each of its entry points, of which there are about `expected`.
pub fn compile(toolchain: &Toolchain, package: &Package, expected: usize) -> Result<BTreeMap<String, Vec<u8>>> {
    for (name, value) in ENVIRONMENT {
        // SAFETY: xtask has one thread.
        unsafe {
            match value {
                Some(value) => env::set_var(name, value),
                None => env::remove_var(name),
            }
        }
    }
    let mut builder = SpirvBuilder::new(&package.folder, "spirv-unknown-vulkan1.2")
        // Profilers and validation messages then name the buffers.
        .spirv_metadata(SpirvMetadata::NameVariables)
        .multimodule(true);
    builder.capabilities = CAPABILITIES.to_vec();
    builder.extensions = EXTENSIONS.map(|(name, _)| name.to_owned()).to_vec();
    // One target folder for all packages, each of which would else compile `core` again.
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| package.evenkeel.join("target"), PathBuf::from);
    builder.target_dir_path = Some(path::absolute(target)?.join("spirv-builder"));
    toolchain.configure(&mut builder)?;
    let mut modules = BTreeMap::new();
    let groups = expected.div_ceil(AT_ONCE).max(1);
    for group in 0..groups {
        // SAFETY: xtask has one thread.
        unsafe { env::set_var(GROUP, format!("{group}/{groups}")) };
        let result = builder.build().context("compiling the kernels with rust-gpu")?;
        for (kernel, module) in result.module.unwrap_multi() {
            modules.insert(kernel.clone(), fs::read(module).with_context(|| module.display().to_string())?);
        }
    }
    Ok(modules)
}
