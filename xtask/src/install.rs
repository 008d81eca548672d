//! The third way to a rust-gpu compiler: rustup fetches the pinned nightly, and the backend is compiled for it, once.

use crate::toolchain::{DURATION, RELEASE, library};
use anyhow::{Context, Result};
use cargo_gpu_install::{
    install::{Install, InstalledBackend},
    spirv_source::{CrateMetadata, SpirvSource},
};
use evenkeel_build::manifest::Package;
use std::time::Instant;

/// The backend for a package. Where it is compiled first, it says how long that takes, before and after.
pub fn backend(package: &Package) -> Result<InstalledBackend> {
    let metadata = CrateMetadata::query(package.folder.clone()).context("the dependencies of the kernels")?;
    let kept = SpirvSource::new(&metadata, None, None)?.install_dir()?.join(library());
    let is_new = !kept.is_file();
    if is_new {
        eprintln!(
            "evenkeel: rust-gpu {RELEASE} is compiled now, once, which takes {DURATION}, and kept as {}.\n\
             evenkeel: To use one that is compiled already, stop this, and set RUST_GPU_TOOLCHAIN=FOLDER or run \
             `rustup toolchain link rust-gpu FOLDER`.",
            kept.display()
        );
    }
    let began = Instant::now();
    let backend = Install::from_shader_crate(package.folder.clone()).run().context("installing rust-gpu")?;
    if is_new {
        eprintln!(
            "evenkeel: rust-gpu {RELEASE} is there after {} s. It compiles the kernels now.",
            began.elapsed().as_secs()
        );
    }
    Ok(backend)
}
