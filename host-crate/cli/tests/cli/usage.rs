//! What can be asked: help, listings, and what is refused with which status.

use super::*;

#[test]
fn help_shows_what_there_is() {
    let help = printed(evenkeel(&["--help"]));
    let commands = "devices strategies info generate convert bfs sssp apsp spmv pagerank color components mst communities path compare demo";
    for command in commands.split(' ') {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{command} is not in {help}");
    }
    assert!(help.starts_with("Load-balanced graph algorithms"), "{help}");
    for help in [help, printed(evenkeel(&["compare", "--help"])), printed(evenkeel(&["balance", "--help"]))] {
        assert!(help.contains("  Breadth-first search: the depth of every node"), "{help}");
    }
    assert_eq!(printed(evenkeel(&["--version"])), concat!("evenkeel ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = printed(evenkeel(&["generate", "--help"]));
    assert!(help.contains("rmat — ") && help.contains("edge-factor=16") && help.contains("matrix-market"), "{help}");
    let help = printed(evenkeel(&["sssp", "--help"]));
    for option in
        ["--directed", "--undirected", "--device", "--strategy", "--source", "--runs", "--warmup", "--validate"]
    {
        assert!(help.contains(option), "{option} is not in {help}");
    }
    for option in ["--json", "--output", "--profile", "--trace", "--capture", "--weights", "--quiet", "--verbose"] {
        assert!(help.contains(option), "{option} is not in {help}");
    }
}

#[test]
fn usage_errors_end_with_2_and_list_what_there_is() {
    let (_folder, roads) = roads();
    assert!(refused(evenkeel(&["bfs", &roads, "--strategy", "nodes"]), 2).contains("there is node"));
    assert!(refused(evenkeel(&["strategies", "dfs"]), 2).contains("there is apsp, betweenness, bfs, "));
    assert!(refused(evenkeel(&["spmv", &roads, "--schedule", "even"]), 2).contains("there is thread-mapped, "));
    assert!(refused(evenkeel(&["spmv", &roads, "--source", "1"]), 2).contains("--source"));
    assert!(refused(evenkeel(&["pagerank", &roads, "--iterations", "0"]), 2).contains("--iterations"));
    assert!(refused(evenkeel(&["compare", "dfs", &roads]), 2).contains("there is apsp, betweenness, bfs, "));
    assert!(refused(evenkeel(&["compare", "bfs", &roads, "--strategies", "node,even"]), 2).contains("there is node, "));
    assert!(refused(evenkeel(&["compare", "spmv", &roads, "--schedules", "node"]), 2).contains("there is thread-"));
    assert!(refused(evenkeel(&["compare", "bfs", &roads, "--csv", "-", "--json", "-"]), 2).contains("only one"));
    assert!(refused(evenkeel(&["info", &roads, "--format", "excel"]), 2).contains("matrix-market"));
    assert!(refused(evenkeel(&["info", "rmta:scale=3"]), 2).contains("rmat:scale=20"));
    assert!(refused(evenkeel(&["info", "rmat:scale=3", "--format", "dimacs"]), 2).contains("made, not read"));
    match common::selector().is_some() {
        true => assert!(refused(evenkeel(&["bfs", &roads, "--device", "abacus"]), 2).contains("'abacus'")),
        // It may be the name of a device that the missing loader would find.
        false => assert!(refused(evenkeel(&["bfs", &roads, "--device", "abacus"]), 4).contains("Vulkan")),
    }
    assert!(refused(on_device(&["bfs", &roads, "--source", "first"]), 2).contains("no node first"));
    assert!(refused(on_device(&["bfs", &roads, "--source", "5"]), 2).contains("1 to 4"));
    assert!(refused(evenkeel(&["sssp", &roads, "--seed", "5"]), 2).contains("random weights"));
    assert!(refused(evenkeel(&["bfs", &roads, "--runs", "0"]), 2).contains("--runs"));
    assert!(refused(evenkeel(&["bfs", &roads, "--output", "-", "--json", "-"]), 2).contains("only one"));
    assert!(refused(evenkeel(&["bfs", &roads, "--directed", "--undirected"]), 2).contains("--undirected"));
    assert!(refused(evenkeel(&["generate", "star", "--output", "star.what"]), 2).contains("matrix-market"));
    assert!(refused(evenkeel(&["walk"]), 2).contains("walk"));
    assert!(refused(evenkeel(&["bfs", &roads, "--device", ""]), 2).contains("a device is auto, cpu, an index or"));
    assert!(refused(evenkeel(&["bfs", &roads, "--sources-file", "no-such-file"]), 3).contains("no-such-file"));
    assert!(refused(evenkeel(&["pagerank", &roads, "--damping", "1.5"]), 2).contains("1.5 is not in 0..=1"));
    assert!(refused(evenkeel(&["pagerank", &roads, "--tolerance", "0"]), 2).contains("0 is not a number above 0"));
    assert!(refused(evenkeel(&["bfs", &roads, "--per-source"]), 2).contains("name them with --sources"));
    assert!(refused(evenkeel(&["bfs", &roads, "--threads", "20000"]), 2).contains("20000 is not in 1..=1024"));
}

#[test]
fn what_was_probably_meant_is_said() {
    for (arguments, tip) in [
        (&["bsf", "star"] as &[&str], "'bfs'"),
        (&["bfs", "star", "--soruce", "3"], "'--source'"),
        (&["bfs", "star", "--strategy", "merge_path"], "did you mean merge-path?"),
        (&["bfs", "star", "--strategy", "sweep"], "sweep is a strategy of sssp"),
        (&["spmv", "star", "--schedule", "node"], "node is a strategy of bfs and sssp"),
        (&["bfs", "star", "--strategy", "split:bin=3"], "did you mean bins?"),
        (&["info", "star", "--format", "mtx"], "did you mean matrix-market, whose files end in .mtx?"),
        (&["info", "rmta:scale=3"], "did you mean rmat?"),
        (&["compare", "bsf", "star"], "did you mean bfs?"),
        (&["compare", "bfs", "star", "--strategies", "node,merge_path"], "did you mean merge-path?"),
        (&["balance", "bfs", "star", "--strategies", "auto"], "auto cannot be counted"),
    ] {
        let message = refused(evenkeel(arguments), 2);
        assert!(message.contains(tip), "{arguments:?}: {message}");
    }
    // Nothing is near, so nothing is said.
    for arguments in [&["dfs", "star"] as &[&str], &["info", "star", "--target", "3"], &["strategies", "dfs"]] {
        let message = refused(evenkeel(arguments), 2);
        assert!(!message.contains("tip:") && !message.contains("did you mean"), "{message}");
    }
}

#[test]
fn colours_are_where_they_are_wanted() {
    let coloured = |arguments: &[&str], no_color: bool| {
        let mut command = evenkeel(arguments);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        stderr(&output).contains('\x1b') || stdout(&output).contains('\x1b')
    };
    // Help, an error of the parser and one of a command; none of these is written to a terminal here.
    for wrong in [&["bfs", "--help"] as &[&str], &["bfs", "star", "--strategy", "best"], &["info", "no-such-file"]] {
        let with = |choice: &'static str| [wrong, &["--color", choice]].concat();
        assert!(!coloured(wrong, false) && !coloured(&with("auto"), false) && !coloured(&with("never"), false));
        assert!(coloured(&with("always"), false) && coloured(&with("always"), true), "{wrong:?}");
        assert!(coloured(&[&["--color=always"], wrong].concat(), false), "{wrong:?}");
    }
    assert!(refused(evenkeel(&["devices", "--color", "red"]), 2).contains("always"));
}

#[test]
fn completions_and_manual_pages_are_written() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(printed(evenkeel(&["completions", shell])).contains("bfs"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let pages = inside(&folder, "man/man1");
    assert!(printed(evenkeel(&["man", "--output", &pages])).contains(" pages in "));
    let bfs = fs::read_to_string(Path::new(&pages).join("evenkeel-bfs.1")).unwrap();
    assert!(bfs.contains(".TH evenkeel-bfs 1") && bfs.contains("soc\\-LiveJournal1"), "{bfs}");
    let occupied = inside(&folder, "file");
    fs::write(&occupied, "").unwrap();
    assert!(refused(evenkeel(&["man", "--output", &occupied]), 3).contains("file"));
}

#[test]
fn bad_input_ends_with_3_and_names_file_line_and_reason() {
    let (folder, roads) = roads();
    assert!(refused(evenkeel(&["info", &inside(&folder, "missing.gr")]), 3).contains("missing.gr"));
    fs::write(&roads, "p sp 2 1\na 1 two 3\n").unwrap();
    assert!(refused(evenkeel(&["info", &roads]), 3).contains("roads.gr:2: "));
    assert!(refused(evenkeel(&["info", "complete:nodes=100000000"]), 3).contains("9999999900000000"));
    let (_folder, signed) = file("signed.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3.5\n");
    let message = refused(on_device(&["sssp", &signed]), 3);
    assert!(message.contains("negative") && message.contains("apsp") && !message.contains("random"), "{message}");
    on_device(&["apsp", &signed]).assert().success();
    let nowhere = inside(&folder, "no/such/folder");
    assert!(refused(evenkeel(&["bfs", "star:nodes=9", "--output", &nowhere]), 3).contains("no/such/folder"));
}

#[test]
fn too_little_memory_ends_with_4_and_the_numbers_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, report) = (inside(&folder, "depths.txt"), inside(&folder, "report.json"));
    let arguments = ["bfs", "star:nodes=1000", "--memory", "1KiB", "--output", &answer, "--json", &report];
    let message = refused(on_device(&arguments), 4);
    assert!(
        message.contains("does not fit") && message.contains("1.0 KiB") && message.contains("of device memory needed"),
        "{message}"
    );
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn quiet_prints_nothing() {
    let (_folder, roads) = roads();
    for arguments in [["bfs", &roads, "--quiet"], ["info", &roads, "-q"]] {
        let mut command = if arguments[0] == "bfs" { on_device(&arguments) } else { evenkeel(&arguments) };
        command.assert().success().stdout("").stderr("");
    }
}

#[test]
fn devices_and_strategies_are_listed() {
    let devices = json(evenkeel(&["devices", "--json", "-"]));
    let devices = devices.as_array().unwrap();
    assert_eq!(devices.last().unwrap()["kind"], "cpu");
    if std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_some() {
        assert!(devices.iter().any(|device| device["kind"] != "cpu" && device["missing"] == serde_json::json!([])));
    }
    let table = printed(evenkeel(&["devices"]));
    for (device, line) in devices.iter().zip(table.lines().skip(1)) {
        assert!(line.contains(device["name"].as_str().unwrap()), "{line}");
    }
    for arguments in [&["strategies"] as &[&str], &["strategies", "bfs"]] {
        let table = printed(evenkeel(arguments));
        assert!(table.contains("BS, Raval et al.") && table.contains("breadth-first"), "{table}");
    }
    let table = printed(evenkeel(&["strategies", "spmv"]));
    assert!(table.contains("\nschedule ") && table.contains("\nmerge-path "), "{table}");
    assert!(!table.contains("Raval") && !table.contains("breadth-first"), "{table}");
    let table = printed(evenkeel(&["strategies", "color"]));
    assert!(table.contains("\nspeculative ") && !table.contains("\nmerge-path "), "{table}");
}

#[test]
fn an_option_that_would_do_nothing_is_refused() {
    for (arguments, reason) in [
        (&["betweenness", "star", "--seed", "3"][..], "--sources"),
        (&["closeness", "star", "--seed", "3"], "--sources"),
        (&["triangles", "star", "--top", "3"], "finds nothing for each node that --top could show"),
        (&["mst", "star", "--directed"], "leave --directed out"),
        (&["components", "star", "--directed"], "leave --directed out"),
        (&["kcore", "star", "--directed"], "leave --directed out"),
        (&["kcore", "star", "--strategy", "peel-cpu", "--device", "cpu:subgroup=8"], "runs on the CPU device alone"),
        (&["pagerank", "star", "--schedule", "pull-cpu", "--device", "cpu:subgroup=8"], "runs on the CPU device alone"),
    ] {
        let message = stderr(evenkeel(arguments).assert().code(2).stdout("").get_output());
        assert!(message.contains(reason), "{arguments:?}: {message}");
    }
    printed(on_device(&["components", "star:nodes=9", "--directed", "--strong"]));
}

#[test]
fn a_temporary_file_is_not_named() {
    let folder = tempfile::tempdir().unwrap();
    let message = refused(evenkeel(&["bfs", "star:nodes=9", "--output", &inside(&folder, "no/answer.txt")]), 3);
    assert!(message.contains("no/answer.txt: No such file or directory") && !message.contains(".part"), "{message}");
}
