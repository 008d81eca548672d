//! Trouble with files and signals: disks that are full, files that are changed while they are read, and being asked to end. Each ends with
//! a message and a status, and leaves no half-written file.

use super::*;
use std::{
    fs::File,
    io::Write,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

/// The command where a file can have at most this many blocks of 512 or 1024 bytes, as on a disk that is full.
fn on_small_disk(blocks: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_evenkeel")]);
    command.args(arguments).arg("--quiet");
    command
}

/// Checks that a command fails because it cannot write the file of this name.
fn check_unwritten(command: Command, name: &str) {
    let message = refused(command, 3);
    assert!(message.contains(name), "{message}");
    assert!(message.contains("File too large") || message.contains("No space left on device"), "{message}");
}

#[test]
fn a_disk_that_is_full_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let grid = "grid:rows=100,cols=100";
    for name in ["g.ekg", "g.gr", "g.graph", "g.mtx", "g.txt.gz", "g.e"] {
        let path = inside(&folder, name);
        let stem = name.split('.').next().unwrap();
        check_unwritten(on_small_disk(8, &["generate", grid, "--output", &path, "--weights", "random:1..99"]), stem);
    }
    for name in ["a.txt", "a.csv", "a.json", "a.parquet", "a.npy", "a.txt.zst"] {
        let path = inside(&folder, name);
        check_unwritten(on_small_disk(8, &["pagerank", grid, "--device", "cpu", "--output", &path]), name);
    }
    for (option, name) in [("--html", "a.html"), ("--svg", "a.svg"), ("--json", "a.json"), ("--trace", "a.trace")] {
        let path = inside(&folder, name);
        check_unwritten(on_small_disk(0, &["bfs", grid, "--device", "cpu", option, &path]), name);
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    for arguments in [
        &["bfs", "star:nodes=9", "--device", "cpu", "--output", "/dev/full"][..],
        &["bfs", "star:nodes=9", "--device", "cpu", "--json", "/dev/full"],
        &["bfs", "star:nodes=9", "--device", "cpu", "--html", "/dev/full"],
        &["generate", "star:nodes=9", "--output", "/dev/full", "--format", "metis"],
        &["convert", "star:nodes=9", "/dev/full", "--to", "binary"],
    ] {
        check_unwritten(evenkeel(arguments), "/dev/full");
    }
    for arguments in [&["bfs", "star:nodes=9", "--device", "cpu"][..], &["info", "star:nodes=9"]] {
        let mut command = evenkeel(arguments);
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
        check_unwritten(command, "standard output");
    }
}

#[test]
fn both_files_of_a_graph_are_replaced_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let [edges, nodes] = ["g.e", "g.v"].map(|name| inside(&folder, name));
    fs::write(&edges, "1 2\n").unwrap();
    fs::write(&nodes, "1\n2\n").unwrap();
    // The file of nodes is small, and the other is not.
    check_unwritten(on_small_disk(8, &["generate", "complete:nodes=100", "--output", &edges]), "g.e");
    assert_eq!(
        (fs::read_to_string(&edges).unwrap(), fs::read_to_string(&nodes).unwrap()),
        ("1 2\n".into(), "1\n2\n".into())
    );
    assert_eq!(names(folder.path()).len(), 2);
    printed(evenkeel(&["generate", "complete:nodes=100", "--output", &edges]));
    assert_eq!(fs::read_to_string(&nodes).unwrap().lines().count(), 100);
    assert_eq!(names(folder.path()).len(), 2);
}

fn spawned(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a command has begun its output in a folder, and is past that.
fn wait_for_output(folder: &Path, files: usize) {
    let begin = Instant::now();
    while names(folder).len() < files {
        assert!(begin.elapsed() < Duration::from_secs(60), "the output was not begun");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn being_asked_to_end_leaves_no_file() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let path = inside(&folder, "depths.txt");
        // A level a node: more than any device finishes before it is interrupted.
        let child = spawned(on_device(&["bfs", "chain:nodes=50000000", "--output", &path]));
        wait_for_output(folder.path(), 1);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn a_graph_that_becomes_shorter_during_a_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let [graph, depths] = ["g.ekg", "depths.txt"].map(|name| inside(&folder, name));
    printed(evenkeel(&["generate", "rmat:scale=16", "--output", &graph]));
    let arguments = ["bfs", &graph, "--device", "cpu", "--runs", "1000000", "--output", &depths];
    let child = spawned(evenkeel(&arguments));
    wait_for_output(folder.path(), 2);
    File::options().write(true).open(&graph).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: a file that is being read has become shorter"), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["g.ekg"]);
}

#[test]
fn a_graph_that_is_written_to_during_a_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let [graph, ranks] = ["g.ekg", "ranks.txt"].map(|name| inside(&folder, name));
    printed(evenkeel(&["generate", "rmat:scale=14", "--output", &graph]));
    let child = spawned(evenkeel(&["pagerank", &graph, "--device", "cpu", "--runs", "300", "--output", &ranks]));
    wait_for_output(folder.path(), 2);
    // What is written is what was there: the time of the change tells.
    let beginning = fs::read(&graph).unwrap()[..8].to_vec();
    File::options().write(true).open(&graph).unwrap().write_all(&beginning).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("g.ekg"), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["g.ekg"]);
}

#[test]
fn the_first_device_is_the_cpu_only_with_a_warning() {
    let mut command = evenkeel(&["bfs", "star:nodes=9", "--device", "0", "--no-pipeline-cache"]);
    command.envs(["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, "/dev/null")));
    let message = stderr(command.assert().success().get_output());
    assert!(message.contains("device 0 is the CPU"), "{message}");
}
