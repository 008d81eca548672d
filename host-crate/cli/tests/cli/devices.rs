//! What a device may lack, and what becomes of its driver's trouble.

use super::{device, evenkeel, json, names, on_device, printed, refused, stderr};
use assert_cmd::assert::OutputAssertExt;
use std::{fs, process::Command};

/// Whether there is a Vulkan device to try this on.
fn has_vulkan() -> bool {
    let has = device() != "cpu";
    if !has {
        println!("skipped: there is no Vulkan device");
    }
    has
}

/// A command on a device that claims less.
fn limited(limits: &str, arguments: &[&str]) -> Command {
    let mut command = on_device(arguments);
    command.env("EVENKEEL_DEVICE_LIMITS", limits);
    command
}

#[test]
fn limits_are_shown_and_an_unknown_one_lists_the_known() {
    let devices = |limits: &str| {
        let mut command = evenkeel(&["devices"]);
        command.env("EVENKEEL_DEVICE_LIMITS", limits);
        command
    };
    let message = refused(devices("no-float64,no-shufle"), 2);
    assert!(message.contains("did you mean no-shuffle?") && message.contains("binding=NUMBER"), "{message}");
    if has_vulkan() {
        let table = printed(devices("no-float64,shared=4KiB"));
        assert!(table.contains("EVENKEEL_DEVICE_LIMITS=no-float64,shared=4KiB"), "{table}");
        assert!(table.contains("yes, without 64-bit floats"), "{table}");
        assert!(refused(limited("no-shufle", &["bfs", "star:nodes=9"]), 2).contains("no-shufle"));
    }
}

#[test]
fn bandwidth_is_measured_when_it_is_asked_for() {
    assert!(!printed(evenkeel(&["devices"])).contains("GB/s"));
    let table = printed(evenkeel(&["devices", "--bandwidth"]));
    assert!(table.lines().next().is_some_and(|heading| heading.contains(" copies ")), "{table}");
    assert!(table.contains(" GB/s "), "{table}");
    let listed = json(evenkeel(&["devices", "--bandwidth", "--json", "-"]));
    for device in listed.as_array().unwrap().iter().filter(|device| device["missing"] == serde_json::json!([])) {
        assert!(device["copy_bytes_per_s"].as_f64().is_some_and(|rate| rate > 1e6), "{device}");
    }
}

/// As on GPUs, where every dispatch of these loops has all its workgroups, and those after the end return at once.
#[test]
fn loops_whose_dispatches_have_fixed_sizes_give_the_same_answers() {
    if !has_vulkan() {
        return;
    }
    for arguments in [
        &["bfs", "rmat:scale=10", "--strategy", "direction"][..],
        &["bfs", "rmat:scale=10,directed=true", "--strategy", "direction"],
        &["bfs", "grid:rows=40,cols=50", "--strategy", "direction"],
        &["bfs", "chain:nodes=300", "--strategy", "direction"],
        &["bfs", "rmat:scale=10", "--strategy", "direction", "--partition-bytes", "40KiB"],
        &["sssp", "er:nodes=2000", "--strategy", "sweep", "--weights", "random:1..64"],
        &["sssp", "rmat:scale=10", "--strategy", "sweep", "--weights", "random:1..64"],
        &["sssp", "rmat:scale=10", "--strategy", "sweep", "--weights", "random:1..64", "--partition-bytes", "40KiB"],
        &["color", "er:nodes=2000"],
        &["color", "rmat:scale=10"],
        &["color", "grid:rows=40,cols=50"],
    ] {
        // The second run may begin with a shorter batch.
        let command = limited("no-indirect-loops", &[arguments, &["--runs", "3", "--validate"]].concat());
        let report = printed(command);
        assert!(report.contains("agrees with the sequential oracle"), "{arguments:?}: {report}");
    }
}

#[test]
fn what_a_device_lacks_is_named() {
    if !has_vulkan() {
        return;
    }
    for (limits, arguments, missing) in [
        ("no-memory-model", &["bfs", "star:nodes=9"][..], "lacks the Vulkan memory model"),
        ("vulkan=1.1", &["bfs", "star:nodes=9"], "lacks Vulkan 1.2 (it speaks 1.1.0)"),
        ("workgroup=128", &["bfs", "star:nodes=9"], "workgroups of 256 invocations (it has 128)"),
        ("no-float64", &["spmv", "star:nodes=9", "--precision", "double"], "no double precision"),
        ("no-float-atomics", &["spmv", "star:nodes=9", "--layout", "coo"], "VK_EXT_shader_atomic_float"),
        (
            "no-ballot",
            &["bfs", "star:nodes=9", "--strategy", "node"],
            "kernel node_bfs needs ballot subgroup operations",
        ),
        ("shared=4KiB", &["spmv", "star:nodes=9"], "bytes of workgroup memory"),
        ("binding=1KiB", &["bfs", "rmat:scale=10"], "binds at most 1024 bytes"),
        ("buffers=4", &["triangles", "star:nodes=9"], "buffers, "),
    ] {
        let message = refused(limited(limits, arguments), 4);
        assert!(message.contains(missing), "{limits}: {message}");
    }
}

#[test]
fn answers_of_a_driver_that_limits_loops_are_always_checked() {
    for arguments in [&["bfs", "star:nodes=9"][..], &["path", "star:nodes=9", "1", "2"]] {
        let report = json(on_device(&[arguments, &["--json", "-"]].concat()));
        let is_limited = report["device"]["name"].as_str().unwrap().starts_with("llvmpipe");
        assert_eq!(report["valid"] == true, is_limited, "{report}");
    }
}

/// An allocation or a submission fails, whichever it is: the program ends with a message, and leaves no file behind.
#[test]
fn a_device_that_fails_is_an_error_wherever_it_does() {
    if !has_vulkan() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let answer = folder.path().join("answer.txt");
    for algorithm in ["bfs", "pagerank", "kcore"] {
        for (fault, message) in [("allocations", "could not give them"), ("submissions", "the device was lost")] {
            let mut ended = false;
            for count in 0.. {
                let arguments = [algorithm, "rmat:scale=8", "--output", answer.to_str().unwrap()];
                let output = limited(&format!("{fault}={count}"), &arguments).output().unwrap();
                if output.status.success() {
                    ended = count > 0;
                    fs::remove_file(&answer).unwrap();
                    break;
                }
                let error = stderr(&output);
                assert_eq!(output.status.code(), Some(4), "{algorithm} after {count} {fault}: {error}");
                assert!(error.contains(message) && error.lines().count() == 1, "after {count} {fault}: {error}");
                assert_eq!(names(folder.path()), Vec::<String>::new(), "{algorithm} after {count} {fault}");
            }
            assert!(ended, "{algorithm}: no {fault} ever failed");
        }
    }
}

#[test]
fn a_lost_device_ends_comparisons() {
    if !has_vulkan() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("j.json");
    for count in [1, 8, 16, 32] {
        let arguments = ["compare", "bfs", "rmat:scale=5", "--json", file.to_str().unwrap()];
        let message = refused(limited(&format!("submissions={count}"), &arguments), 4);
        assert!(message.contains("the device was lost"), "{message}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}

#[test]
fn what_does_without_still_runs() {
    if !has_vulkan() {
        return;
    }
    let entries = json(limited("no-ballot", &["compare", "bfs", "star:nodes=9", "--runs", "1", "--json", "-"]));
    let entries = entries.as_array().unwrap();
    let (refused, ran): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry["refused"].is_string());
    assert!(refused.iter().all(|entry| entry["refused"].as_str().unwrap().contains("ballot")), "{refused:?}");
    assert!(!refused.is_empty() && !ran.is_empty() && ran.iter().all(|entry| entry["valid"] == true), "{ran:?}");
    for limits in
        ["no-float64", "no-timestamps,no-calibrated-timestamps", "no-full-subgroups,vulkan=1.2", "groups=2", "groups=0"]
    {
        let report = json(limited(limits, &["betweenness", "rmat:scale=6", "--validate", "--json", "-"]));
        assert_eq!(report["valid"], true, "{limits}");
    }
}

#[test]
fn a_crash_of_the_drivers_compiler_is_told_of_once() {
    if !has_vulkan() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = evenkeel(&["bfs", "star:nodes=9", "--device", &device(), "--strategy", "node"]);
        command.env("XDG_CACHE_HOME", cache.path());
        stderr(command.assert().success().get_output())
    };
    assert_eq!(run(), "");
    let folder = cache.path().join("evenkeel");
    let [cached] = names(&folder).try_into().unwrap();
    let identity = cached.strip_prefix("pipelines-").and_then(|name| name.strip_suffix(".bin")).unwrap();
    fs::write(folder.join(format!("compiling-{identity}-4194305-0.txt")), "begin node_bfs\nend node_bfs\nbegin bad\n")
        .unwrap();
    let warning = run();
    assert!(warning.contains("while it compiled kernel bad;"), "{warning}");
    assert_eq!(run(), "");
    assert_eq!(names(&folder).len(), 1);
}

#[test]
fn kernels_are_compiled_without_running() {
    if !has_vulkan() {
        return;
    }
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shader-crate/spirv");
    let module = format!("{modules}/node_bfs.spv");
    let mut command = evenkeel(&["kernels", &module, "--device", &device(), "--json", "-"]);
    command.env("EVENKEEL_DEVICE_LIMITS", "");
    let report = json(command);
    assert_eq!((&report["kernels"][0]["kernel"], &report["kernels"][0]["threads"]), (&"node_bfs".into(), &256.into()));
    let mut command = evenkeel(&["kernels", &module, "--device", &device()]);
    command.env("EVENKEEL_DEVICE_LIMITS", "no-ballot");
    assert!(printed(command).contains("kernel node_bfs needs ballot subgroup operations"));
    assert!(refused(evenkeel(&["kernels", "Cargo.toml", "--device", &device()]), 4).contains("Cargo.toml"));
    assert!(refused(evenkeel(&["kernels", "src"]), 3).contains("no module (.spv)"));
}
