//! The command line as a user meets it: what is printed, what is written, and with which status it ends.
//!
//! Runs are on the device named by `EVENKEEL_TEST_DEVICE`, else `auto`, or `cpu` where there is no Vulkan. With
//! `EVENKEEL_REQUIRE_VULKAN` set, that is a failure.

mod comparison;
mod graphs;
mod runs;
mod usage;

use assert_cmd::assert::OutputAssertExt;
use evenkeel::device::{Device, DeviceKind};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    str::FromStr,
    sync::OnceLock,
};
use tempfile::TempDir;

/// Counts from 1; node 4 cannot be reached from the others.
const ROADS: &str = "c a tiny road network\np sp 4 4\na 1 2 5\na 2 3 7\na 1 3 20\na 4 1 1\n";

fn evenkeel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(arguments);
    command
}

/// Whether a Vulkan device is listed.
fn vulkan_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| Device::list().iter().any(|device| device.kind != DeviceKind::Cpu))
}

/// A command that runs something, on the device of the tests.
fn on_device(arguments: &[&str]) -> Command {
    // `auto` warns where it takes the CPU, and what is printed beside that is what matters here.
    let usual = if vulkan_is_there() { "auto" } else { "cpu" };
    let device = std::env::var("EVENKEEL_TEST_DEVICE").unwrap_or_else(|_| usual.to_owned());
    let mut command = evenkeel(arguments);
    command.args(["--device", &device, "--no-pipeline-cache"]);
    command
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
