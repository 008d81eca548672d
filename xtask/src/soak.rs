//! `cargo xtask soak`: random graphs, algorithms, strategies and devices against the oracles for a given time (host-crate/tests/soak.rs).

use anyhow::{Context, Result, ensure};
use std::{path::Path, process::Command};

/// What it is run with.
#[derive(clap::Args)]
pub struct Options {
    /// How long
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// What the graphs are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A device, as evenkeel's --device takes it; may be given several times [default: the CPU, plain and emulating subgroups]
    #[arg(long = "device", value_name = "DEVICE")]
    devices: Vec<String>,
    /// Build with debug assertions: accesses out of bounds are caught, and emulated GPUs switch between invocations before accesses
    #[arg(long)]
    debug: bool,
}

/// Fails when an answer is wrong; the smallest graph that was found for it is saved.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["test", "--package", "evenkeel", "--test", "soak"]);
    if !options.debug {
        command.arg("--release");
    }
    command.args(["--", "--nocapture"]);
    command.env("EVENKEEL_SOAK_SECONDS", options.seconds.to_string());
    command.env("EVENKEEL_SOAK_SEED", options.seed.to_string());
    if !options.devices.is_empty() {
        command.env("EVENKEEL_SOAK_DEVICES", options.devices.join(" "));
    }
    let status = command.status().context("running cargo")?;
    ensure!(status.success(), "a run failed or was wrong");
    Ok(())
}
