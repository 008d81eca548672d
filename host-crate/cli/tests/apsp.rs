//! All-pairs shortest paths as the command writes and refuses them.

use assert_cmd::assert::OutputAssertExt;
use evenkeel::algorithm::AllPairs;
use std::{fs, process::Command};

const EVERY_WAY: [&str; 5] = ["sssp", "floyd-warshall", "blocked", "dijkstra", "auto"];

/// What the command says on standard output when it ends with `status`, and on standard error.
fn command(arguments: &[&str], status: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    let output =
        command.args(["apsp"]).args(arguments).args(["--device", "cpu"]).assert().code(status).get_output().clone();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_command_writes_text_or_a_matrix_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (roads, text, matrix) = (path("roads.gr"), path("all.txt"), path("all.bin"));
    fs::write(&roads, "p sp 3 3\na 1 2 5\na 2 3 1\na 1 3 9\n").unwrap();
    for strategy in EVERY_WAY {
        let expected = "1 0 5 6\n2 inf 0 1\n3 inf inf 0\n";
        assert_eq!(command(&[&roads, "--strategy", strategy, "--validate", "--output", "-"], 0).0, expected);
    }
    command(&[&roads, "--output", &text], 0);
    assert_eq!(fs::read_to_string(&text).unwrap().lines().count(), 3);
    let (summary, _) = command(&[&roads, "--validate", "--output", &matrix], 0);
    assert!(summary.contains("with strategy auto") && summary.contains("✓"), "{summary}");
    let far = u32::MAX;
    let words = [3, 0, 0, 5, 6, far, 0, 1, far, far, 0].map(u32::to_le_bytes).concat();
    assert_eq!(fs::read(&matrix).unwrap(), [&AllPairs::MAGIC[..], &words].concat());
}

#[test]
fn the_command_refuses_with_the_facts() {
    let (_, message) = command(&["star:nodes=900", "--memory", "1MiB"], 4);
    assert!(message.contains("does not fit") && message.contains("of 900 nodes at most 384 would fit"), "{message}");
    assert!(command(&["star", "--strategy", "johnson"], 2).1.contains("sssp, floyd-warshall, blocked, dijkstra, auto"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cycle.mtx");
    fs::write(&path, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 -2\n").unwrap();
    let path = path.to_str().unwrap();
    assert!(command(&[path], 3).1.contains("negative cycle: a walk from node 1 back"));
    assert!(command(&[path, "--strategy", "sssp"], 3).1.contains("blocked and floyd-warshall can"));
}
