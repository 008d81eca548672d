//! Experiments in trouble: a device that is lost, and a disk that is full.

use crate::{common, papers};
use assert_cmd::assert::OutputAssertExt;
use std::{fs, path::Path, process::Command};

/// This program where a file can have at most this many blocks of 512 or 1024 bytes, as on a disk that is full.
#[cfg(target_os = "linux")]
fn on_small_disk(blocks: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_evenkeel-papers")]);
    command.args(arguments).arg("--quiet");
    command
}

/// The message of a command that fails with that status, and prints nothing else.
fn refused(mut command: Command, status: i32) -> String {
    let output = command.assert().code(status).stdout("").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(target_os = "linux")]
fn check_unwritten(command: Command, name: &str) {
    let message = refused(command, 3);
    assert!(message.contains(name), "{message}");
    assert!(message.contains("File too large") || message.contains("No space left on device"), "{message}");
}

#[cfg(target_os = "linux")]
fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_lost_device_ends_experiments() {
    let Some(device) = common::selector().filter(|selector| selector != "cpu") else { return };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["reproduce", "pathak", "--folder", folder.path().to_str().unwrap(), "--device", &device];
    let mut command = papers(&arguments);
    command.env("EVENKEEL_DEVICE_LIMITS", "submissions=30");
    let message = refused(command, 4);
    assert!(message.contains("the device was lost"), "{message}");
    let kept = fs::read_to_string(folder.path().join("pathak/results.json")).unwrap_or_default();
    assert!(!kept.contains("the device was lost"), "{kept}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_leaves_no_table() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("levels.csv").to_str().unwrap().to_owned();
    check_unwritten(
        on_small_disk(1, &["measure-levels", "star:nodes=9", "--device", "cpu", "--output", &table]),
        "levels.csv",
    );
    assert_eq!(names(folder.path()), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn results_of_experiments_are_kept_when_a_disk_is_full() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results/papers/pathak/results.json");
    let folder = tempfile::tempdir().unwrap();
    let pathak = folder.path().join("pathak");
    fs::create_dir(&pathak).unwrap();
    fs::copy(&kept, pathak.join("results.json")).unwrap();
    let to = folder.path().to_str().unwrap();
    let arguments = ["reproduce", "pathak", "--scale", "paper", "--report-only", "--folder", to];
    check_unwritten(on_small_disk(1, &arguments), "pathak");
    assert_eq!(fs::read(pathak.join("results.json")).unwrap(), fs::read(&kept).unwrap());
    assert!(!names(&pathak).iter().any(|name| name.ends_with(".part")), "{:?}", names(&pathak));
}
