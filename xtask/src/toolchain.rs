//! Where rust-gpu is: a folder that the user names, the rustup toolchain `rust-gpu`, or, when asked for, one that is fetched.
//!
//! A folder is used by itself, first in PATH, so it need not be known to rustup and no `rust-toolchain.toml` can send the
//! compiler elsewhere.

use anyhow::{Context, Result, bail, ensure};
use evenkeel_build::manifest::Package;
use spirv_builder::SpirvBuilder;
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The release of rust-gpu that the pins name.
pub const RELEASE: &str = "0.11.0";

/// How long it takes to compile rust-gpu.
pub const DURATION: &str = "some 20 minutes on two cores";

/// What is said where there is none.
fn help() -> String {
    format!(
        "\
there is no rust-gpu to compile the kernels with. Any one of these helps:
  - RUST_GPU_TOOLCHAIN=FOLDER, where FOLDER has bin/cargo, bin/rustc and lib/librustc_codegen_spirv.so of rust-gpu {RELEASE};
  - a rustup toolchain named rust-gpu: `rustup toolchain link rust-gpu FOLDER`;
  - EVENKEEL_KERNELS=install, which fetches the pinned nightly with rustup and compiles rust-gpu {RELEASE} once: {DURATION}.
A build needs none while the kernels' sources are those of the modules in their crate's spirv folder; to return to evenkeel's:
  git checkout shader-crate shared-types xtask"
    )
}

/// A rust-gpu compiler.
pub enum Toolchain {
    /// A folder with `bin` and `lib`.
    Folder(PathBuf),
    /// The pinned nightly of rustup, and the backend built for it.
    #[cfg(feature = "install")]
    Installed(cargo_gpu_install::install::InstalledBackend),
}

impl Toolchain {
    /// The first of the three ways that leads to one.
    pub fn find(package: &Package) -> Result<Self> {
        if let Some(folder) = env::var_os("RUST_GPU_TOOLCHAIN") {
            return Self::folder(PathBuf::from(folder)).context("RUST_GPU_TOOLCHAIN");
        }
        if let Some(folder) = linked() {
            return Self::folder(folder).context("the rustup toolchain rust-gpu");
        }
        match env::var("EVENKEEL_KERNELS").as_deref() {
            Ok("install") => Self::install(package),
            Ok(other) => bail!("EVENKEEL_KERNELS={other}: the one value it has is `install`"),
            Err(_) => bail!(help()),
        }
    }

    fn folder(folder: PathBuf) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let tool = |name| folder.join("bin").join(name).with_extension(env::consts::EXE_EXTENSION);
        for file in [tool("cargo"), tool("rustc"), backend(&folder)] {
            ensure!(file.is_file(), "{} is not there", file.display());
        }
        Ok(Self::Folder(folder))
    }

    #[cfg(feature = "install")]
    fn install(package: &Package) -> Result<Self> {
        Ok(Self::Installed(crate::install::backend(package)?))
    }

    #[cfg(not(feature = "install"))]
    fn install(_: &Package) -> Result<Self> {
        bail!(
            "this xtask was built without the installer: \
             EVENKEEL_KERNELS=install cargo run --package xtask --features install -- kernels"
        )
    }

    /// Has the builder compile with this one.
    pub fn configure(&self, builder: &mut SpirvBuilder) -> Result<()> {
        match self {
            Self::Folder(folder) => {
                let paths = env::var_os("PATH").unwrap_or_default();
                let paths = env::join_paths([folder.join("bin")].into_iter().chain(env::split_paths(&paths)))?;
                // SAFETY: xtask has one thread.
                unsafe { env::set_var("PATH", paths) };
                builder.rustc_codegen_spirv_location = Some(backend(folder));
            }
            #[cfg(feature = "install")]
            Self::Installed(installed) => installed.configure_spirv_builder(builder)?,
        }
        Ok(())
    }
}

fn backend(folder: &Path) -> PathBuf {
    folder.join("lib").join(library())
}

/// The name of the backend's file.
pub fn library() -> String {
    format!("{}rustc_codegen_spirv{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX)
}

/// The folder of rustup's toolchain `rust-gpu`, where there is one.
fn linked() -> Option<PathBuf> {
    let answer = Command::new("rustup").args(["which", "--toolchain", "rust-gpu", "rustc"]).output().ok()?;
    let compiler = PathBuf::from(String::from_utf8(answer.stdout).ok().filter(|_| answer.status.success())?.trim());
    Some(compiler.parent()?.parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::RELEASE;

    #[test]
    fn the_release_is_the_pinned_one() {
        let manifest = include_str!("../Cargo.toml");
        for package in ["spirv-builder", "cargo-gpu-install"] {
            assert!(manifest.contains(&format!("{package} = {{ version = \"={RELEASE}\"")), "{package}");
        }
    }
}
