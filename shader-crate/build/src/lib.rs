//! The build script of a crate of kernels, evenkeel's own or a user's: it tells the crate where its compiled kernels are.
//!
//! The modules in the crate's `spirv/` are used while their manifest describes the sources, so that a build needs only stable
//! Rust. When the sources differ, or there is no such folder, `xtask` compiles them in a target folder of its own. A host never
//! runs with modules made from other sources. All of a `build.rs` is:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     evenkeel_build::kernels()
//! }
//! ```

pub mod manifest;
mod relay;

use manifest::{MANIFEST, Package};
use relay::Relay;
use std::{
    env,
    error::Error,
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The variable that tells `#[kernel]` which entry points to make: `INDEX/COUNT`, one of the groups that they are shared out to.
pub const GROUP: &str = "EVENKEEL_KERNELS_GROUP";

/// Variables that would change the inner build: those that cargo sets for a build script, and those that a user sets for the outer build.
const NOT_FOR_THE_INNER_BUILD: &str = "CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS CARGO_MANIFEST_DIR \
    CARGO_MANIFEST_LINKS CARGO_MANIFEST_PATH DEBUG HOST NUM_JOBS OPT_LEVEL OUT_DIR PROFILE RUSTC RUSTC_LINKER \
    RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER RUSTDOC RUSTDOCFLAGS RUSTFLAGS TARGET";

/// Finds or makes the modules of the crate whose build script calls this, for `#[kernel]` to include.
pub fn kernels() -> ExitCode {
    // Kernels, and the code that `#[kernel]` writes, test for a target that stable Rust does not know.
    println!("cargo::rustc-check-cfg=cfg(target_arch, values(\"spirv\"))");
    // rust-gpu compiles the crate, too, to make the modules.
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "spirv") {
        println!("cargo::rerun-if-changed=build.rs");
        // Cargo does not see that `#[kernel]` reads it.
        println!("cargo::rerun-if-env-changed={GROUP}");
        return ExitCode::SUCCESS;
    }
    match modules() {
        Ok(folder) => {
            println!("cargo::rustc-env=EVENKEEL_SPIRV={}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The folder with the modules of the crate's sources, compiled first where none has them.
fn modules() -> Result<PathBuf, Box<dyn Error>> {
    let package = Package::new(Path::new(&env::var("CARGO_MANIFEST_DIR")?))?;
    let committed = package.committed();
    let is_committed = committed.join(MANIFEST).exists();
    // Cargo would take a folder that is not there for one that has changed.
    let watched = package.watched().into_iter().filter(|path| path.exists());
    for path in watched.chain(is_committed.then(|| committed.clone())) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    if !package.has_repository() {
        return packaged(&package);
    }
    for variable in ["RUST_GPU_TOOLCHAIN", "EVENKEEL_KERNELS"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if is_current(&package, &committed)? {
        return Ok(committed);
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let compiled = out.join("spirv");
    if !is_current(&package, &compiled)? {
        compile(&package, &out, &compiled)?;
    }
    if is_committed {
        println!(
            "cargo::warning=the kernels' sources are not those of {}, so they were compiled for this build alone; \
             in {}, `cargo xtask kernels --package {}` renews the committed modules",
            committed.display(),
            package.evenkeel.display(),
            package.folder.display()
        );
    }
    Ok(compiled)
}

/// The modules in the crate's own folder, where evenkeel is a package and nothing could compile others.
fn packaged(package: &Package) -> Result<PathBuf, Box<dyn Error>> {
    let committed = package.committed();
    let reason = match fs::read_to_string(committed.join(MANIFEST)) {
        Err(error) => format!(" ({MANIFEST}: {error})"),
        Ok(recorded) if package.is_described_by(&manifest::normalise(&recorded), &committed).unwrap_or_default() => {
            return Ok(committed);
        }
        Ok(_) => String::new(),
    };
    let (folder, version) = (committed.display(), env!("CARGO_PKG_VERSION"));
    Err(format!(
        "{folder} does not have the modules of the sources beside it, made with evenkeel {version}{reason}. To compile kernels \
         takes a checkout of evenkeel: depend on evenkeel-kernels and evenkeel-build by path or by git"
    )
    .into())
}

/// Whether the modules in `folder` were made from the package's sources, and are as they were made.
fn is_current(package: &Package, folder: &Path) -> io::Result<bool> {
    match fs::read_to_string(folder.join(MANIFEST)) {
        Ok(recorded) => Ok(manifest::normalise(&recorded) == package.manifest(folder)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn compile(package: &Package, out: &Path, modules: &Path) -> Result<(), Box<dyn Error>> {
    let mut cargo = Command::new(env::var_os("CARGO").ok_or("cargo runs a build script with CARGO set")?);
    // A profile of its own, because this build has locked the folder of its profile.
    cargo.args(["run", "--package", "xtask", "--profile", "xtask"]);
    // An editor that builds in the background has the terminal to itself, unless the user asked for what takes so long.
    let mut relay = if env::var("EVENKEEL_KERNELS").is_ok_and(|how| how == "install") {
        cargo.args(["--features", "install"]);
        Relay::aloud()
    } else {
        cargo.arg("--quiet");
        Relay::quiet()
    };
    cargo.args(["--", "kernels", "--package"]).arg(&package.folder).arg("--out").arg(modules);
    let prefixes = ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PKG_", "DEP_"];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if NOT_FOR_THE_INNER_BUILD.split(' ').any(|other| other == text)
            || prefixes.iter().any(|prefix| text.starts_with(prefix))
        {
            cargo.env_remove(&name);
        }
    }
    // Here the current folder is the crate's, and a rust-toolchain.toml there is for rust-gpu alone. The target folder is where
    // TARGET/PROFILE/build/CRATE/out is.
    cargo.current_dir(&package.evenkeel).env("CARGO_TARGET_DIR", out.ancestors().nth(4).unwrap_or(out));
    relay.say(&format!("evenkeel: the kernels of {} are compiled now.", package.folder.display()));
    if relay.run(cargo)?.success() {
        return Ok(());
    }
    let committed = package.committed();
    Err(format!("{} is not of these sources, and they could not be compiled: see above", committed.display()).into())
}
