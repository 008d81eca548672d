//! The command line as a user meets it: what is printed, what is written, and with which status it ends.
//!
//! Runs are on the device of the tests (`common`), or on the CPU device where there is no Vulkan. With
//! `EVENKEEL_REQUIRE_VULKAN` set, that is a failure.

mod answers;
mod bench;
mod comparison;
mod devices;
mod graphs;
#[cfg(target_os = "linux")]
mod limits;
mod pictures;
mod runs;
#[cfg(target_os = "linux")]
mod trouble;
mod usage;
mod waiting;

use crate::common;
use assert_cmd::assert::OutputAssertExt;
use evenkeel::{
    algorithm::FrontEnd,
    device::{Device, DeviceOptions},
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    str::FromStr,
};
use tempfile::TempDir;

/// Counts from 1; node 4 cannot be reached from the others.
const ROADS: &str = "c a tiny road network\np sp 4 4\na 1 2 5\na 2 3 7\na 1 3 20\na 4 1 1\n";

fn evenkeel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(arguments);
    command
}

/// A command that runs something, on the device of the tests.
fn on_device(arguments: &[&str]) -> Command {
    let mut command = evenkeel(arguments);
    command.args(["--device", &device(), "--no-pipeline-cache"]);
    command
}

/// What selects that device: the CPU where there is no Vulkan.
fn device() -> String {
    let found = common::selector();
    assert!(found.is_some() || std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_none(), "there is no Vulkan device");
    found.unwrap_or_else(|| "cpu".to_owned())
}

/// The alternatives of an algorithm that run on it.
fn alternatives<A: FrontEnd>() -> usize {
    let device = Device::open(&device(), &DeviceOptions::default()).unwrap();
    A::alternatives().iter().filter(|alternative| alternative.about.runs_on(device.info())).count()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a command prints that succeeds and has nothing to complain about.
fn printed(mut command: Command) -> String {
    stdout(command.assert().success().get_output())
}

fn json(command: Command) -> Value {
    serde_json::from_str(&printed(command)).unwrap()
}

/// The message of a command that fails with that status, and prints nothing else.
fn refused(mut command: Command, status: i32) -> String {
    let message = stderr(command.assert().code(status).stdout("").get_output());
    assert!(message.starts_with("error: "), "{message}");
    message
}

/// The path of a file in a folder.
fn inside(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A folder with one file in it, and the file's path.
fn file(name: &str, text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = inside(&folder, name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// A folder with the tiny road network in it, and the file's path.
fn roads() -> (TempDir, String) {
    file("roads.gr", ROADS)
}

/// The values of an answer whose nodes are numbered from 1 on.
fn values<T: FromStr>(text: &str) -> Vec<T> {
    let value = |(line, id): (&str, usize)| {
        let value = line.strip_prefix(&format!("{id} ")).and_then(|value| value.parse().ok());
        value.unwrap_or_else(|| panic!("{line} is not the value of node {id}"))
    };
    text.lines().zip(1..).map(value).collect()
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
