//! Workers that are killed, that stop, and whose parent is killed: all others end, soon, with status 4 and the name of the worker, and
//! leave nothing half-written.

use super::{ended, inside, number_of, started, stderr};
use std::{
    fs,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// All others end within this time.
const SOON: Duration = Duration::from_secs(10);

/// Sends a signal to a process.
fn signal(name: &str, process: u32) {
    Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    let parent_of = |entry: fs::DirEntry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        let state = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name stands between parentheses, and may have anything in it.
        let parent: u32 = state.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        (parent == process).then_some(number)
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| parent_of(entry.ok()?)).collect()
}

/// The number of a worker, which its environment has as soon as it is a program of its own.
fn number_of_worker(process: u32) -> String {
    let deadline = Instant::now() + SOON;
    loop {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let variables = environment.split(|byte| *byte == 0);
        let number = variables.filter_map(|it| it.strip_prefix(b"EVENKEEL_LOCAL_WORKER=")).next();
        if let Some(number) = number {
            return String::from_utf8(number.to_vec()).unwrap();
        }
        assert!(Instant::now() < deadline, "{process} is no worker");
    }
}

/// Whether a process is there and has not ended.
fn is_there(process: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// A run on four workers that takes much longer than anybody waits, and the processes that it has started.
fn long_run(folder: &TempDir, timeout: &str) -> (Child, Vec<u32>) {
    let output = inside(folder, "answer.txt");
    let arguments =
        ["pagerank", "rmat:scale=12", "--workers", "4", "--iterations", "1000000", "--timeout", timeout, "-o", &output];
    let child = started(&arguments);
    let workers = workers_of(child.id());
    (child, workers)
}

/// The three workers that a process starts, as soon as they are there.
fn workers_of(process: u32) -> Vec<u32> {
    let deadline = Instant::now() + SOON;
    loop {
        let workers = children(process);
        if workers.len() == 3 {
            return workers;
        }
        assert!(Instant::now() < deadline, "there are {} workers", workers.len());
        thread::sleep(Duration::from_millis(1));
    }
}

/// A folder in which nothing was left.
fn assert_empty(folder: &TempDir) {
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// With `EVENKEEL_KILLS=100` this takes a minute.
#[test]
fn a_worker_that_is_killed_at_any_moment_ends_all() {
    let kills = number_of("EVENKEEL_KILLS", 6);
    for kill in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let (child, workers) = long_run(&folder, "60");
        // From the first moment on, through connecting and loading, into the iterations.
        thread::sleep(Duration::from_millis(u64::from(kill) * 977 % 700));
        let victim = workers[kill as usize % 3];
        let number = number_of_worker(victim);
        signal("KILL", victim);
        let begin = Instant::now();
        let output = ended(child, SOON);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(4), "kill {kill}: {message}");
        let name = format!("error: worker {number} (127.0.0.1");
        assert!(message.starts_with(&name) && message.lines().count() == 1, "kill {kill} of {number}: {message}");
        while workers.iter().any(|worker| is_there(*worker)) {
            assert!(begin.elapsed() < SOON, "kill {kill}: a worker is left");
            thread::sleep(Duration::from_millis(5));
        }
        assert_empty(&folder);
    }
}

#[test]
fn a_worker_on_a_device_that_is_killed_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let output = inside(&folder, "answer.txt");
    let graph = ["pagerank", "rmat:scale=6", "--workers", "4", "--device", "cpu:subgroup=8"];
    let child = started(&[&graph[..], &["--iterations", "1000000", "-o", &output]].concat());
    let workers = workers_of(child.id());
    thread::sleep(Duration::from_secs(2));
    signal("KILL", workers[1]);
    let output = ended(child, SOON);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.starts_with("error: worker ") && message.lines().count() == 1, "{message}");
    assert!(!workers.iter().any(|worker| is_there(*worker)), "none is left");
    assert_empty(&folder);
}

#[test]
fn a_worker_that_stops_ends_all_after_the_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let (child, workers) = long_run(&folder, "1");
    thread::sleep(Duration::from_millis(1500));
    signal("STOP", workers[1]);
    let output = ended(child, Duration::from_secs(1) + SOON);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("has not been heard of for 1 s"), "{message}");
    assert!(!workers.iter().any(|worker| is_there(*worker)), "none is left, not even the one that was stopped");
    assert_empty(&folder);
}

#[test]
fn workers_end_when_worker_0_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, workers) = long_run(&folder, "60");
    thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let begin = Instant::now();
    while workers.iter().any(|worker| is_there(*worker)) {
        assert!(begin.elapsed() < SOON, "a worker is left");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_interrupt_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let (child, workers) = long_run(&folder, "60");
    thread::sleep(Duration::from_millis(300));
    signal("INT", child.id());
    let output = ended(child, SOON);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let begin = Instant::now();
    while workers.iter().any(|worker| is_there(*worker)) {
        assert!(begin.elapsed() < SOON, "a worker is left");
        thread::sleep(Duration::from_millis(5));
    }
    assert_empty(&folder);
}
