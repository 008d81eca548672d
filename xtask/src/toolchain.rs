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

const HELP: &str = "\
there is no rust-gpu to compile the kernels with. Any one of these helps:
  - RUST_GPU_TOOLCHAIN=FOLDER, where FOLDER has bin/cargo, bin/rustc and lib/librustc_codegen_spirv.so of rust-gpu 0.11.0;
  - a rustup toolchain named rust-gpu: `rustup toolchain link rust-gpu FOLDER`;
  - EVENKEEL_KERNELS=install, which fetches the pinned nightly with rustup and builds rust-gpu 0.11.0 once.
A build needs none while the kernels' sources are those of the modules in their crate's spirv folder; to return to evenkeel's:
  git checkout shader-crate shared-types xtask";

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
            Err(_) => bail!(HELP),
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
        let install = cargo_gpu_install::install::Install::from_shader_crate(package.folder.clone());
        Ok(Self::Installed(install.run().context("installing rust-gpu")?))
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
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    folder.join("lib").join(format!("{prefix}rustc_codegen_spirv{suffix}"))
}

/// The folder of rustup's toolchain `rust-gpu`, where there is one.
fn linked() -> Option<PathBuf> {
    let answer = Command::new("rustup").args(["which", "--toolchain", "rust-gpu", "rustc"]).output().ok()?;
    let compiler = PathBuf::from(String::from_utf8(answer.stdout).ok().filter(|_| answer.status.success())?.trim());
    Some(compiler.parent()?.parent()?.to_owned())
}
