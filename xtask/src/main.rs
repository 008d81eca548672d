//! `cargo xtask`: what building evenkeel needs beyond cargo.
//!
//! It is a crate of its own so that rust-gpu's builder is compiled only by those who change a kernel.

mod compile;
mod dependencies;
mod docs;
mod finish;
#[cfg(feature = "install")]
mod install;
mod kernels;
mod layers;
mod loc;
mod page;
mod portability;
#[cfg(test)]
mod quotation_tests;
mod recipes;
mod soak;
mod sources;
mod toolchain;

use anyhow::Result;
use clap::{Parser, Subcommand};
use evenkeel_build::manifest::Package;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The crates of kernels in this repository.
const PACKAGES: [&str; 3] = ["shader-crate", "examples/own-kernel/kernels", "benches/fused"];

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the evenkeel workspace")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compile kernels to SPIR-V, into the folder spirv of their crate
    Kernels {
        /// Leave that folder as it is, and fail when a rebuild of it differs
        #[arg(long)]
        check: bool,
        /// Compile nothing, and fail when the manifest in that folder is not of these sources and modules
        #[arg(long, conflicts_with = "check")]
        recorded: bool,
        /// The folder of a crate of kernels, anywhere [default: each in this repository]
        #[arg(long, value_name = "FOLDER")]
        package: Option<PathBuf>,
        /// Write the modules and their manifest to this folder instead
        #[arg(long, value_name = "FOLDER", conflicts_with_all = ["check", "recorded"], requires = "package")]
        out: Option<PathBuf>,
    },
    /// Fail when a dependency is not from crates.io or its licence is not allowed
    Dependencies,
    /// Renew what the documentation takes from kept results, from the sources and from the program
    Docs,
    /// Fail when a module imports from a layer above its own
    Layers,
    /// Count the lines of code of each schedule, strategy and algorithm, and of the whole project
    Loc {
        /// Count in another checkout, and only the whole
        #[arg(long, value_name = "FOLDER")]
        of: Option<PathBuf>,
        /// Renew the tables in the documentation
        #[arg(long, conflicts_with = "of")]
        write: bool,
    },
    /// Compile the kernels for GPUs that are not here, translate them, and run everything on the software devices that are
    Portability(portability::Options),
    /// Follow the recipes of CONTRIBUTING.md in a copy of the repository
    Recipes,
    /// Run random graphs, algorithms, strategies and devices against the oracles for a given time
    Soak(soak::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().chore {
        Chore::Kernels { check, recorded, package, out } => kernels(check, recorded, package, out),
        Chore::Dependencies => dependencies::check(root()),
        Chore::Docs => docs::renew(root()),
        Chore::Layers => layers::check(root()),
        Chore::Portability(options) => portability::run(root(), &options),
        Chore::Recipes => recipes::check(root()),
        Chore::Soak(options) => soak::run(root(), &options),
        Chore::Loc { of, write } => loc::run(root(), of.as_deref(), write),
    };
    // Printed here, because a build script passes it on and a backtrace would bury it.
    result.map_or_else(
        |error| {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

/// The workspace's root.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn kernels(check: bool, recorded: bool, package: Option<PathBuf>, out: Option<PathBuf>) -> Result<()> {
    let ours = PACKAGES.map(|package| root().join(package));
    for folder in package.map_or(ours.to_vec(), |package| vec![package]) {
        let package = Package::new(&folder)?;
        if check {
            kernels::check(&package)?;
        } else if recorded {
            kernels::recorded(&package)?;
        } else {
            kernels::build(&package, out.as_deref().unwrap_or(&package.committed()))?;
        }
    }
    Ok(())
}
