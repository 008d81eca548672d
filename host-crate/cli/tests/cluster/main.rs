//! Several workers as a user meets them: the same answers as one, on one machine and as if on several; and an end with a name when one of
//! them does not play along.
//!
//! - `EVENKEEL_KILLS`: how many workers are killed at random moments; 6 unless said.
//! - `EVENKEEL_RUNS`: how many small searches in a row must not hang; 10 unless said.

mod answers;
#[cfg(target_os = "linux")]
mod faults;
mod hosts;

use std::{
    env,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

fn evenkeel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(arguments);
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a command prints that succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = evenkeel(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// The message of a command that ends with a status.
fn refused(arguments: &[&str], status: i32) -> String {
    let output = evenkeel(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
    stderr(&output)
}

fn inside(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// Starts a command whose output is kept.
fn started(arguments: &[&str]) -> Child {
    evenkeel(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a command has ended, and for no longer than this.
fn ended(mut child: Child, longest: Duration) -> Output {
    let deadline = Instant::now() + longest;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it has not ended after {longest:?}");
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn number_of(variable: &str, default: u32) -> u32 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
