//! The command line as a user meets it: what is printed, what is written, and with which status it ends.
//!
//! Runs are on the device named by `EVENKEEL_TEST_DEVICE`, else `auto`, or `cpu` where there is no Vulkan. With
//! `EVENKEEL_REQUIRE_VULKAN` set, that is a failure.

use assert_cmd::assert::OutputAssertExt;
use evenkeel::{
    algorithm::{Algorithm, Apsp, Spmv, spmv::random_vector},
    device::{Device, DeviceKind},
    strategy::{self, Operator},
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
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

/// A folder with the tiny road network in it, and the file's path.
fn roads() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roads.gr");
    fs::write(&path, ROADS).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn help_shows_what_there_is() {
    let help = printed(evenkeel(&["--help"]));
    for command in [
        "devices",
        "strategies",
        "info",
        "generate",
        "convert",
        "bfs",
        "sssp",
        "apsp",
        "spmv",
        "pagerank",
        "color",
        "compare",
        "demo",
    ] {
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
    assert!(refused(evenkeel(&["strategies", "dfs"]), 2).contains("there is apsp, bfs, "));
    assert!(refused(evenkeel(&["spmv", &roads, "--schedule", "even"]), 2).contains("there is thread-mapped, "));
    assert!(refused(evenkeel(&["spmv", &roads, "--source", "1"]), 2).contains("--source"));
    assert!(refused(evenkeel(&["pagerank", &roads, "--damping", "1.5"]), 2).contains("a number from 0 to 1"));
    assert!(refused(evenkeel(&["pagerank", &roads, "--iterations", "0"]), 2).contains("--iterations"));
    assert!(
        refused(evenkeel(&["compare", "dfs", &roads]), 2)
            .contains("there is apsp, bfs, color, pagerank, spmm, spmv, sssp")
    );
    assert!(refused(evenkeel(&["compare", "bfs", &roads, "--strategies", "node,even"]), 2).contains("there is node, "));
    assert!(refused(evenkeel(&["compare", "spmv", &roads, "--schedules", "node"]), 2).contains("there is thread-"));
    assert!(refused(evenkeel(&["compare", "bfs", &roads, "--csv", "-", "--json", "-"]), 2).contains("only one"));
    assert!(refused(evenkeel(&["info", &roads, "--format", "excel"]), 2).contains("matrix-market"));
    assert!(refused(evenkeel(&["info", "rmta:scale=3"]), 2).contains("rmat:scale=20"));
    assert!(refused(evenkeel(&["info", "rmat:scale=3", "--format", "dimacs"]), 2).contains("made, not read"));
    match vulkan_is_there() {
        true => assert!(refused(evenkeel(&["bfs", &roads, "--device", "abacus"]), 2).contains("'abacus'")),
        // It may be the name of a device that the missing loader would find.
        false => assert!(refused(evenkeel(&["bfs", &roads, "--device", "abacus"]), 4).contains("Vulkan")),
    }
    assert!(refused(evenkeel(&["bfs", &roads, "--source", "first"]), 2).contains("max-degree"));
    assert!(refused(on_device(&["bfs", &roads, "--source", "5"]), 2).contains("1 to 4"));
    assert!(refused(evenkeel(&["sssp", &roads, "--seed", "5"]), 2).contains("random weights"));
    assert!(refused(evenkeel(&["bfs", &roads, "--runs", "0"]), 2).contains("--runs"));
    assert!(refused(evenkeel(&["bfs", &roads, "--output", "-", "--json", "-"]), 2).contains("only one"));
    assert!(refused(evenkeel(&["bfs", &roads, "--directed", "--undirected"]), 2).contains("--undirected"));
    assert!(refused(evenkeel(&["generate", "star", "--output", "star.what"]), 2).contains("matrix-market"));
    assert!(refused(evenkeel(&["walk"]), 2).contains("walk"));
}

#[test]
fn bad_input_ends_with_3_and_names_file_line_and_reason() {
    let (folder, roads) = roads();
    let missing = folder.path().join("missing.gr");
    assert!(refused(evenkeel(&["info", missing.to_str().unwrap()]), 3).contains("missing.gr"));
    fs::write(&roads, "p sp 2 1\na 1 two 3\n").unwrap();
    assert!(refused(evenkeel(&["info", &roads]), 3).contains("roads.gr:2: "));
    assert!(refused(evenkeel(&["info", "complete:nodes=100000"]), 3).contains("9999900000"));
    let signed = folder.path().join("signed.mtx");
    fs::write(&signed, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -3.5\n").unwrap();
    assert!(refused(on_device(&["sssp", signed.to_str().unwrap()]), 3).contains("negative"));
    let nowhere = folder.path().join("no/such/folder");
    assert!(refused(evenkeel(&["bfs", "star", "--output", nowhere.to_str().unwrap()]), 3).contains("no/such/folder"));
}

#[test]
fn too_little_memory_ends_with_4_and_the_numbers_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (answer, report) = (path("depths.txt"), path("report.json"));
    let arguments = ["bfs", "star:nodes=1000", "--memory-limit", "1KiB", "--output", &answer, "--json", &report];
    let message = refused(on_device(&arguments), 4);
    assert!(
        message.contains("does not fit") && message.contains("1.0 KiB") && message.contains("row offsets"),
        "{message}"
    );
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn answers_are_written_by_the_ids_of_the_file() {
    let (folder, roads) = roads();
    let path = folder.path().join("distances.txt");
    let arguments = ["sssp", &roads, "--source", "1", "--validate", "--output", path.to_str().unwrap()];
    let summary = printed(on_device(&arguments));
    assert!(summary.contains("3 of 4 nodes, the furthest at 12") && summary.contains("✓"), "{summary}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "1 0\n2 5\n3 12\n4 inf\n");
    let written = |arguments: &[&str]| printed(on_device(&[arguments, &["--source", "1", "--output", "-"]].concat()));
    assert_eq!(written(&["sssp", &roads, "--weights", "unit"]), "1 0\n2 1\n3 1\n4 inf\n");
    assert_eq!(written(&["bfs", &roads]), "1 0\n2 1\n3 1\n4 inf\n");
    assert_eq!(written(&["bfs", &roads, "--parents", "--validate"]), "1 0 -\n2 1 1\n3 1 1\n4 inf -\n");
    assert_eq!(written(&["bfs", &roads, "--undirected"]), "1 0\n2 1\n3 1\n4 1\n");
}

#[test]
fn real_weights_have_real_distances() {
    let (folder, _) = roads();
    let path = folder.path().join("real.mtx");
    fs::write(&path, "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 0.5\n2 3 0.25\n1 3 9e9\n").unwrap();
    let arguments = ["sssp", path.to_str().unwrap(), "--source", "1", "--validate", "--output", "-"];
    assert_eq!(printed(on_device(&arguments)), "1 0\n2 0.5\n3 0.75\n4 inf\n");
}

#[test]
fn a_product_has_a_line_for_each_row() {
    let (folder, _) = roads();
    let path = folder.path().join("diagonal.mtx");
    fs::write(&path, "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 4\n3 3 -0.5\n").unwrap();
    let path = path.to_str().unwrap();
    let product = |arguments: &[&str]| {
        let text = printed(on_device(&[&["spmv", path, "--validate", "--output", "-"], arguments].concat()));
        let line = |(line, id): (&str, usize)| {
            line.strip_prefix(&format!("{id} ")).and_then(|value| value.parse::<f32>().ok()).unwrap_or(f32::NAN)
        };
        text.lines().zip(1..).map(line).collect::<Vec<f32>>()
    };
    let x = random_vector(3, 1);
    assert_eq!(product(&[]), [4.0 * x[0], 0.0, -0.5 * x[2]]);
    assert_eq!(product(&["--schedule", "group-mapped:4", "--weights", "unit"]), [x[0], 0.0, x[2]]);
    let x = random_vector(3, 9);
    assert_eq!(product(&["--x-seed", "9", "--weights", "unit"]), [x[0], 0.0, x[2]]);
    let report = json(on_device(&["spmv", path, "--runs", "2", "--validate", "--json", "-"]));
    assert_eq!((&report["strategy"], &report["config"]["schedule"]), (&"auto".into(), &"auto".into()));
    assert_eq!((&report["valid"], report.get("source"), report.get("reached")), (&true.into(), None, None));
    // Four offsets, two columns and values, three elements of x and of y, in four bytes each.
    let rate = 4.0 * (4.0 + 2.0 * 2.0 + 2.0 * 3.0) / (report["median"]["total_ms"].as_f64().unwrap() * 1e6);
    assert!((report["gbytes_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9, "{report}");
    let summary = printed(on_device(&["spmv", path, "--validate"]));
    assert!(summary.contains("with schedule auto") && summary.contains("GB/s"), "{summary}");
}

#[test]
fn ranks_have_a_line_for_each_node() {
    let (_folder, roads) = roads();
    let ranks = |arguments: &[&str]| {
        let text = printed(on_device(&[&["pagerank", &roads, "--validate", "--output", "-"], arguments].concat()));
        let line = |(line, id): (&str, usize)| {
            line.strip_prefix(&format!("{id} ")).and_then(|rank| rank.parse::<f64>().ok()).unwrap_or(f64::NAN)
        };
        text.lines().zip(1..).map(line).collect::<Vec<f64>>()
    };
    let close = |found: Vec<f64>, expected: [f64; 4]| {
        let right = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6);
        assert!(right && found.len() == 4, "{found:?} is not {expected:?}");
    };
    // Each has 1/8 from nowhere and 1/32 from node 3; node 1 gives half of its 1/4 to each of two, and half of that counts.
    let base = 1.0 / 8.0 + 1.0 / 32.0;
    let once = ["--damping", "0.5", "--iterations", "1"];
    close(ranks(&once), [base + 1.0 / 8.0, base + 1.0 / 16.0, base + 3.0 / 16.0, base]);
    assert!((ranks(&["--schedule", "merge-path"]).iter().sum::<f64>() - 1.0).abs() < 1e-6);
    let report = json(on_device(&["pagerank", &roads, "--iterations", "7", "--validate", "--json", "-"]));
    assert_eq!((&report["strategy"], &report["config"]["damping"]), (&"auto".into(), &0.85.into()));
    assert_eq!((&report["config"]["iterations"], &report["median"]["iterations"]), (&7.into(), &7.into()));
    assert_eq!((&report["valid"], report.get("source")), (&true.into(), None));
}

#[test]
fn a_report_has_the_fields_that_programs_read() {
    let (_folder, roads) = roads();
    let arguments = ["sssp", &roads, "--source", "1", "--runs", "3", "--warmup", "1", "--json", "-"];
    let report = json(on_device(&arguments));
    assert_eq!((&report["algorithm"], &report["strategy"]), (&"sssp".into(), &"auto".into()));
    assert_eq!((&report["graph"]["name"], &report["graph"]["nodes"]), (&"roads".into(), &4.into()));
    assert_eq!((&report["graph"]["edges"], &report["graph"]["directed"]), (&4.into(), &true.into()));
    assert_eq!((&report["source"], &report["reached"]), (&1.into(), &3.into()));
    assert_eq!((&report["reached_edges"], &report["furthest"]), (&3.into(), &12.into()));
    assert_eq!(report["valid"], Value::Null);
    assert!(report["device"]["name"].is_string() && report["memory_bytes"].as_u64().unwrap() > 0);
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        let [total, kernel, overhead] = ["total_ms", "kernel_ms", "overhead_ms"].map(|key| run[key].as_f64().unwrap());
        assert!(total > 0.0 && (kernel + overhead - total).abs() < 1e-9, "{run}");
        assert!(run["iterations"].as_u64().unwrap() >= 2, "{run}");
    }
    assert!(runs.contains(&report["median"]));
    let rate = 3.0 / (report["median"]["total_ms"].as_f64().unwrap() * 1e3);
    assert!((report["mteps"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9);
    let report = json(on_device(&["bfs", &roads, "--parents", "--validate", "--json", "-"]));
    assert_eq!((&report["valid"], &report["config"]["parents"]), (&true.into(), &true.into()));
}

#[test]
fn what_is_removed_is_counted() {
    let (folder, _) = roads();
    let path = folder.path().join("messy.txt");
    fs::write(&path, "0 1\n0 1\n1 1\n1 2\n").unwrap();
    let arguments = ["bfs", path.to_str().unwrap(), "--drop-self-loops", "--merge-parallel-edges", "--json", "-"];
    let graph = &json(on_device(&arguments))["graph"];
    assert_eq!((&graph["edges_given"], &graph["edges"]), (&4.into(), &2.into()));
    assert_eq!((&graph["self_loops_dropped"], &graph["parallel_edges_merged"]), (&1.into(), &1.into()));
    let text = printed(evenkeel(&["info", path.to_str().unwrap(), "--drop-self-loops"]));
    assert!(text.contains("1 self-loops dropped"), "{text}");
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
fn graphs_are_generated_converted_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (binary, text) = (path("grid.ekg"), path("grid.mtx.gz"));
    let made = printed(evenkeel(&["generate", "grid:rows=3,cols=4", "--weights", "random:2..9", "-o", &binary]));
    assert!(made.contains("12 nodes, 34 edges") && made.contains("as binary"), "{made}");
    printed(evenkeel(&["convert", &binary, &text]));
    let [first, second] = [&binary, &text].map(|path| json(evenkeel(&["info", path, "--json", "-"])));
    assert_eq!((&first["nodes"], &first["edges"], &first["directed"]), (&12.into(), &34.into(), &false.into()));
    assert_eq!(first["weights"], second["weights"]);
    assert!(first["weights"]["min"].as_f64().unwrap() >= 2.0);
    let described = printed(evenkeel(&["info", &text]));
    assert!(described.contains('█'), "{described}");
}

#[test]
fn a_file_comes_before_a_generator_of_the_same_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("star"), "0 1\n").unwrap();
    let mut command = evenkeel(&["info", "star", "--json", "-"]);
    command.current_dir(folder.path());
    assert_eq!(json(command)["nodes"], 2);
}

#[test]
fn random_weights_follow_the_seed_whatever_the_threads() {
    let distances = |arguments: &[&str]| {
        let common = ["sssp", "grid:rows=9,cols=9", "--output", "-", "--weights"];
        printed(on_device(&[&common, arguments].concat()))
    };
    let expected = distances(&["random:1..64", "--seed", "7"]);
    assert_eq!(distances(&["random:1..64,seed=7", "--threads", "1"]), expected);
    assert_ne!(distances(&["random:1..64"]), expected);
}

#[test]
fn profiles_and_traces_show_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let text = printed(on_device(&["bfs", "grid:rows=9,cols=9", "--profile", "--trace", path.to_str().unwrap()]));
    assert!(text.contains("node_bfs"), "{text}");
    let trace: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "node_bfs"), "{trace}");
}

#[test]
fn without_a_debugger_a_capture_is_only_a_warning() {
    let message = stderr(on_device(&["bfs", "star:nodes=9", "--capture"]).assert().success().get_output());
    assert!(message.starts_with("warning: nothing is captured"), "{message}");
}

#[test]
fn a_comparison_has_a_line_for_each_strategy_on_each_graph() {
    let (folder, roads) = roads();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, array) = (path("table.csv"), path("array.json"));
    let graphs = [&roads, "rmat:scale=6,seed=3"];
    for algorithm in ["bfs", "sssp", "apsp", "spmv", "spmm", "pagerank"] {
        let files = ["--runs", "3", "--csv", &table, "--json", &array];
        let text = printed(on_device(&[&["compare", algorithm] as &[&str], &graphs, &files].concat()));
        let entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(&array).unwrap()).unwrap();
        let names = match algorithm {
            "bfs" => strategy::of(Operator::Bfs).count(),
            "sssp" => strategy::of(Operator::SsspU32).count(),
            "apsp" => Apsp::alternatives().len(),
            _ => Spmv::alternatives().len(),
        };
        assert_eq!(entries.len(), 2 * names);
        assert_eq!(text.matches('✓').count(), entries.len(), "{text}");
        assert!(text.contains(&format!("All {} answers agree", entries.len())), "{text}");
        assert!(graphs[1..].iter().all(|graph| text.contains(&format!("\n{algorithm} on {graph}: "))), "{text}");
        for block in entries.chunks(names) {
            assert!(block.iter().all(|entry| entry["valid"] == true && entry["runs"].as_array().unwrap().len() == 3));
            let ratios: Vec<f64> = block.iter().map(|entry| entry["ratio"].as_f64().unwrap()).collect();
            assert!(ratios.contains(&1.0) && ratios.iter().all(|ratio| *ratio >= 1.0), "{ratios:?}");
        }
        let lines = fs::read_to_string(&table).unwrap();
        assert_eq!(lines.lines().count(), 1 + entries.len());
        assert!(lines.starts_with("graph,nodes,edges,device,algorithm,strategy,total_ms,"), "{lines}");
        assert!(
            lines.contains(&format!("\n\"rmat:scale=6,seed=3\",64,{},", entries[names]["graph"]["edges"])),
            "{lines}"
        );
    }
}

#[test]
fn what_is_compared_can_be_chosen() {
    let compare = |arguments: &[&str]| {
        let common = ["compare", "--device", "cpu", "--runs", "1", "--warmup", "0", "--no-validate", "--json", "-"];
        let (first, rest) = common.split_first().unwrap();
        json(evenkeel(&[&[*first], arguments, rest].concat()))
    };
    let strategies = |entries: &Value| {
        let names = entries.as_array().unwrap().iter().map(|entry| entry["strategy"].as_str().unwrap().to_owned());
        names.collect::<Vec<String>>()
    };
    let entries = compare(&["spmv", "star", "--strategies", "group-mapped:8,merge-path"]);
    assert_eq!(strategies(&entries), ["group-mapped:8", "merge-path"]);
    assert_eq!(entries[0]["valid"], Value::Null);
    let entries = compare(&["bfs", "chain:nodes=9", "--strategies", "node", "--source", "8", "--directed"]);
    assert_eq!((strategies(&entries), &entries[0]["source"]), (vec!["node".to_owned()], &8.into()));
}

#[test]
fn strategies_can_be_tuned_and_what_none_reads_is_refused() {
    let run = |arguments: &[&str]| {
        evenkeel(&[&["sssp", "star:nodes=99", "--device", "cpu", "--validate", "--json", "-"], arguments].concat())
    };
    let report = json(run(&["--strategy", "hierarchical", "--bins", "3", "--switch-below", "0"]));
    assert_eq!((&report["config"]["bins"], &report["config"]["switch_below"]), (&3.into(), &0.into()));
    assert_eq!(report["valid"], true);
    let report = json(run(&["--strategy", "edge", "--chunking", "edge"]));
    assert_eq!((&report["config"]["chunking"], report["config"].get("bins")), (&"edge".into(), None));
    let message = refused(run(&["--strategy", "node", "--chunking", "edge"]), 2);
    assert!(message.contains("--chunking is for strategy edge"), "{message}");
    assert!(refused(run(&["--strategy", "split", "--bins", "0"]), 2).contains("1..=1024"));

    let compare = |arguments: &[&str]| {
        let common = ["compare", "bfs", "star:nodes=99", "--device", "cpu", "--runs", "1", "--bins", "5"];
        evenkeel(&[&common, arguments].concat())
    };
    let entries = json(compare(&["--strategies", "node,split", "--json", "-"]));
    assert_eq!((entries[0]["config"].get("bins"), &entries[1]["config"]["bins"]), (None, &5.into()));
    assert_eq!((&entries[0]["strategy"], &entries[1]["strategy"]), (&"node".into(), &"split:bins=5".into()));
    let named =
        json(evenkeel(&["bfs", "star:nodes=99", "--device", "cpu", "--json", "-", "--strategy", "split:bins=20"]));
    assert_eq!((&named["config"]["strategy"], &named["config"]["bins"]), (&"split".into(), &20.into()));
    let groups =
        json(evenkeel(&["bfs", "star:nodes=99", "--device", "cpu", "--json", "-", "--strategy", "group-mapped:64"]));
    assert_eq!(
        (&groups["strategy"], &groups["config"]["strategy"]),
        (&"group-mapped:64".into(), &"group-mapped:64".into())
    );
    let message = refused(compare(&["--strategies", "node,edge"]), 2);
    assert!(message.contains("--bins is for strategy split and hierarchical"), "{message}");
}

#[test]
fn a_graph_is_described_as_splitting_would_leave_it() {
    let text = printed(evenkeel(&["info", "star:nodes=1001", "--split"]));
    assert!(text.contains("nodes of more than 100 edges (MDT, by 10 bins)"), "{text}");
    let object = json(evenkeel(&["info", "star:nodes=1001", "--split", "--bins", "4", "--json", "-"]));
    let split = &object["split"];
    assert_eq!((&object["nodes"], &split["threshold"], &split["nodes_split"]), (&1001.into(), &250.into(), &1.into()));
    assert_eq!((&split["nodes_after"], &split["histogram"][8]["nodes"]), (&1004.into(), &4.into()));
    assert!(refused(evenkeel(&["info", "star", "--bins", "4"]), 2).contains("--split"));
    assert!(refused(evenkeel(&["info", "star", "--split", "--bins", "0"]), 2).contains("1..=1024"));
}

#[test]
fn a_strategy_that_does_not_fit_is_a_line_that_says_so() {
    let compare = |limit: &str, rest: &[&str]| {
        let common = ["compare", "bfs", "star:nodes=4000", "--runs", "1", "--device", "cpu", "--memory-limit", limit];
        evenkeel(&[&common, rest].concat())
    };
    let bytes = |name: &str| {
        let entries = json(compare("1GiB", &["--strategies", name, "--json", "-"]));
        entries[0]["memory_bytes"].as_u64().unwrap()
    };
    let (small, large) = (bytes("node"), bytes("merge-path"));
    assert!(small < large, "{small} and {large}: this test needs one that is smaller");
    // Two lists of nodes are replaced by two lists of edges and where those begin.
    let (nodes, edges) = (4000, 2 * 3999);
    assert_eq!(bytes("edge") - small, 4 * (3 * edges - 2 * nodes));
    let limit = format!("{small}B");
    let text = printed(compare(&limit, &["--strategies", "merge-path,node"]));
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("merge-path").contains("refused: ") && line("merge-path").contains("the memory limit is"), "{text}");
    assert!(line("node").ends_with('✓') && text.contains("All 1 answers agree"), "{text}");
    let lines = printed(compare(&limit, &["--csv", "-"]));
    assert!(
        lines.lines().any(|line| line.contains(",merge-path,,") && line.contains("the memory limit is")),
        "{lines}"
    );
    // When nothing can be run, that is an error.
    let mut nothing = compare("1KiB", &[]);
    let output = nothing.assert().code(4).get_output().clone();
    assert!(stderr(&output).contains("it fits with no strategy"), "{}", stderr(&output));
    assert!(stdout(&output).matches("refused: ").count() > 2, "{}", stdout(&output));
}

#[test]
fn the_demo_checks_every_algorithm_on_both_graphs() {
    let reports = json(on_device(&["demo", "--scale", "8", "--runs", "1", "--json", "-"]));
    let reports = reports.as_array().unwrap();
    for algorithm in ["bfs", "sssp", "spmv"] {
        assert!(reports.iter().filter(|report| report["algorithm"] == algorithm).count() >= 10, "{reports:?}");
    }
    assert!(reports.iter().all(|report| report["valid"] == true), "{reports:?}");
    let text = printed(on_device(&["demo", "--scale", "6", "--runs", "1"]));
    assert!(text.contains("answers agree") && !text.contains('✗'), "{text}");
}

fn spawned(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for command in [evenkeel(&["info", "chain:nodes=9"]), on_device(&["bfs", "chain:nodes=99", "--output", "-"])] {
        let mut child = spawned(command);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("depths.txt");
    // A level a node: more than any device finishes before it is interrupted.
    let child = spawned(on_device(&["bfs", "chain:nodes=50000000", "--output", path.to_str().unwrap()]));
    let begin = Instant::now();
    while names(folder.path()).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the output was not begun");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Past the opening of outputs, into the work.
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert_eq!(names(folder.path()), [""; 0]);
}
