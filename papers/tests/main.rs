//! The tests of the laboratory, and of what the pages say: `cargo test --release --package evenkeel-papers documentation::` runs one module.

mod adaptive;
#[allow(dead_code)] // The command's tests use the rest.
#[path = "../../host-crate/tests/common/mod.rs"]
mod common;
#[cfg(unix)]
mod documentation;
mod experiments;
mod measuring;
#[allow(dead_code)] // The command's tests use the rest.
#[path = "../../host-crate/cli/tests/pages.rs"]
mod pages;
mod papers;

use std::process::Command;

/// This program.
fn papers(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel-papers"));
    command.args(arguments);
    command
}

/// The command `evenkeel`, as experiments run it.
fn evenkeel(arguments: &[&str]) -> Command {
    let mut command = papers(&["evenkeel"]);
    command.args(arguments);
    command
}
