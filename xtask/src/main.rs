//! `cargo xtask`: what building evenkeel needs beyond cargo.
//!
//! It is a crate of its own so that rust-gpu's builder is compiled only by those who change a kernel.

mod compile;
mod finish;
mod kernels;
#[path = "../../shader-crate/build/manifest.rs"]
mod manifest;
mod toolchain;

use clap::{Parser, Subcommand};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the evenkeel workspace")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compile the kernels to SPIR-V, into shader-crate/spirv
    Kernels {
        /// Leave shader-crate/spirv as it is, and fail when a rebuild of it differs
        #[arg(long)]
        check: bool,
        /// Write the modules and their manifest to this folder instead
        #[arg(long, value_name = "FOLDER", conflicts_with = "check")]
        out: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let committed = root.join("shader-crate/spirv");
    let result = match Arguments::parse().chore {
        Chore::Kernels { check: true, .. } => kernels::check(root, &committed),
        Chore::Kernels { out, .. } => kernels::build(root, &out.unwrap_or(committed)),
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
