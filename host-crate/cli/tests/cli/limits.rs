//! Memory that is not there: a run ends well or is refused, whatever the limit on the address space.

use super::*;

/// The command under a limit of so many kibibytes.
fn under(kibibytes: u32, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_evenkeel")]);
    command.args(arguments).output().unwrap()
}

/// The exit status under such a limit.
fn status_under(kibibytes: u32, arguments: &[&str]) -> i32 {
    let output = under(kibibytes, &[arguments, &["--threads", "2", "--quiet"]].concat());
    let status = output.status.code().unwrap_or(-1);
    assert!([0, 4].contains(&status), "{arguments:?} under {kibibytes} KiB: {:?}: {}", output.status, stderr(&output));
    assert_eq!(status == 4, stderr(&output).contains("error: "), "{}", stderr(&output));
    status
}

/// The lowest of the limits that are multiples of 8,000 kibibytes under which the program begins. What it takes itself is none of its doing: the
/// system ends it before it begins.
fn lowest() -> u32 {
    let begins = |step: &u32| (0..5).all(|_| under(8_000 * step, &["--version"]).status.success());
    (1..50).find(begins).expect("the program fits into 400 MB")
}

#[test]
fn a_limit_on_the_address_space_is_respected() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("list.txt");
    let lines: String =
        (0..300_000u32).map(|edge| format!("{} {}\n", edge % 999, edge.wrapping_mul(7919) % 50_000)).collect();
    fs::write(&list, lines).unwrap();
    let runs: [&[&str]; 5] = [
        &["bfs", "rmat:scale=14", "--device", "cpu"],
        &["sssp", "road:nodes=50000", "--weights", "random:1..9", "--device", "cpu"],
        &["pagerank", "rmat:scale=14", "--device", "cpu"],
        &["apsp", "rmat:scale=8", "--device", "cpu"],
        &["info", list.to_str().unwrap()],
    ];
    let (first, mut refused) = (lowest(), 0);
    for arguments in runs {
        let statuses: Vec<i32> = (first..first + 13).map(|step| status_under(8_000 * step, arguments)).collect();
        assert!(statuses.contains(&0), "{arguments:?}: {statuses:?}");
        refused += statuses.iter().filter(|status| **status == 4).count();
    }
    assert!(refused > 0, "no limit was tight");
}

#[test]
fn an_input_without_an_end_is_an_error() {
    for input in ["/dev/zero", "-"] {
        let mut command = Command::new("sh");
        let limited = "ulimit -v 1000000; exec \"$0\" info \"$1\" --threads 2 < /dev/zero";
        command.args(["-c", limited, env!("CARGO_BIN_EXE_evenkeel"), input]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
        assert!(stderr(&output).contains("bytes were read, and there is no memory for more"), "{}", stderr(&output));
    }
}

#[test]
fn what_unpacks_to_more_than_there_is_memory_for_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = inside(&folder, "bomb.txt.zst");
    // Frames follow each other: 2.5 GB in less than 100 KB.
    let frame = zstd::encode_all(&b"1 2\n".repeat(2_500_000)[..], 3).unwrap();
    fs::write(&path, frame.repeat(250)).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 1_000_000);
    let output = under(1_500_000, &["info", &path, "--threads", "2"]);
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(stderr(&output).contains("bomb.txt.zst: ") && stderr(&output).contains("no memory"), "{}", stderr(&output));
}

#[test]
fn large_files_are_read_and_written_or_refused_under_any_limit() {
    let folder = TempDir::new().unwrap();
    let [list, metis, copy] = ["list.txt", "g.graph", "copy.graph"].map(|name| inside(&folder, name));
    let lines: String = (0..1_800_000u32)
        .map(|edge| format!("{} {}\n", edge % 999_983, edge.wrapping_mul(7919) % 900_001 + 100_000))
        .collect();
    fs::write(&list, lines).unwrap();
    assert!(fs::metadata(&list).unwrap().len() > 24_000_000);
    printed(evenkeel(&["convert", &list, &metis, "--undirected", "--drop-self-loops"]));
    let first = lowest();
    let runs: [&[&str]; 3] = [&["info", &list], &["info", &metis], &["convert", &metis, &copy]];
    for arguments in runs {
        let statuses = [8, 28, 48, 68, 88, 118, 148, 178, 208, 248, 2000]
            .map(|megabytes| status_under(8_000 * first + 1000 * megabytes, arguments));
        assert!(statuses.contains(&0) && statuses.contains(&4), "{arguments:?}: {statuses:?}");
        assert!(!names(folder.path()).iter().any(|name| name.ends_with(".part")), "{arguments:?}");
    }
}
