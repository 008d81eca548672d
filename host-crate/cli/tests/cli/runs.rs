//! One algorithm on one graph: its answer, its report, its profile, and how it ends when it is stopped.

use super::*;
use evenkeel::{
    algorithm::{
        FrontEnd, Sssp,
        spmv::{exact_vector, random_vector},
    },
    graph::{OpenOptions, open},
};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

#[test]
fn answers_are_written_by_the_ids_of_the_file() {
    let (folder, roads) = roads();
    let path = inside(&folder, "distances.txt");
    let arguments = ["sssp", &roads, "--source", "1", "--validate", "--output", &path];
    let summary = printed(on_device(&arguments));
    assert!(summary.contains("3 of 4 nodes, the furthest at 12") && summary.contains("✓"), "{summary}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "1 0\n2 5\n3 12\n4 inf\n");
    let written = |arguments: &[&str]| printed(on_device(&[arguments, &["--source", "1", "--output", "-"]].concat()));
    assert_eq!(written(&["sssp", &roads, "--weights", "unit"]), "1 0\n2 1\n3 1\n4 inf\n");
    assert_eq!(written(&["bfs", &roads]), "1 0\n2 1\n3 1\n4 inf\n");
    assert_eq!(written(&["bfs", &roads, "--parents", "--validate"]), "1 0 -\n2 1 1\n3 1 1\n4 inf -\n");
    assert_eq!(written(&["bfs", &roads, "--undirected"]), "1 0\n2 1\n3 1\n4 1\n");
}

/// The CPU has the answer before a GPU has started, and a measurement is not of the CPU.
#[test]
fn small_graphs_run_on_the_cpu_unless_they_are_measured() {
    let (_folder, roads) = roads();
    let is_quick = |arguments: &[&str]| {
        let mut command = evenkeel(&[arguments, &["-v"]].concat());
        stderr(command.assert().success().get_output()).contains("the graph is small")
    };
    assert!(is_quick(&["bfs", &roads]) && is_quick(&["apsp", &roads]) && is_quick(&["pagerank", "grid:rows=9,cols=9"]));
    assert!(!is_quick(&["bfs", &roads, "--runs", "2"]) && !is_quick(&["bfs", &roads, "--profile"]));
    assert!(!is_quick(&["bfs", &roads, "--device", "cpu"]) && !is_quick(&["bfs", &roads, "--strategy", "node"]));
    assert!(!is_quick(&["apsp", "grid:rows=12,cols=12"]) && !is_quick(&["bfs", "chain:nodes=400000"]));
}

#[test]
fn real_weights_have_real_distances() {
    let text = "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 0.5\n2 3 0.25\n1 3 9e9\n";
    let (_folder, path) = file("real.mtx", text);
    let arguments = ["sssp", &path, "--source", "1", "--validate", "--output", "-"];
    assert_eq!(printed(on_device(&arguments)), "1 0\n2 0.5\n3 0.75\n4 inf\n");
}

#[test]
fn a_distance_that_no_real_holds_is_an_error_or_a_double() {
    let (_folder, path) = file("far.txt", "a b 3e38\nb c 3e38\n");
    for strategy in ["auto", "sssp", "blocked", "floyd-warshall"] {
        let message = refused(on_device(&["apsp", &path, "--strategy", strategy, "--validate", "--output", "-"]), 3);
        assert!(message.contains("a path is longer than 3.4028235e38"), "{message}");
    }
    let far = "c 6.0000000109955115e38\n";
    let device = Device::open(&device(), &DeviceOptions::default()).unwrap();
    for strategy in Sssp::alternatives().iter().filter(|strategy| strategy.about.runs_on(device.info())) {
        let arguments = ["sssp", &path, "--strategy", strategy.about.name, "--validate", "--output", "-"];
        for from in [["--source", "a"], ["--sources", "a,b"]] {
            let distances = stdout(on_device(&[&arguments[..], &from].concat()).assert().success().get_output());
            let expected = if from[1] == "a" { far } else { "c 3e38\n" };
            assert!(distances.ends_with(expected), "{}: {distances}", strategy.about.name);
        }
    }
    let path_there = on_device(&["path", &path, "a", "c", "--validate", "--output", "-"]).output().unwrap();
    assert!(stdout(&path_there).ends_with(far), "{}", stderr(&path_there));
    let (_folder, cycle) = file("cycle.txt", "x y 1.5\ny x -2.5\n");
    let message = refused(on_device(&["apsp", &cycle]), 3);
    assert!(message.contains("a walk from node x back to itself"), "{message}");
}

#[test]
fn a_node_is_named_by_one_rule_everywhere() {
    let (folder, path) = file("names.csv", "source,target\nhub,a\nhub,\"b, c\"\nmax-degree,random:3\nrandom:3,end\n");
    let found = |arguments: &[&str]| {
        let output = on_device(&[arguments, &["--output", "-"]].concat()).assert().success().get_output().clone();
        (stdout(&output), stderr(&output))
    };
    let (depths, message) = found(&["bfs", &path, "--source", "max-degree"]);
    assert!(depths.contains("max-degree 0\n") && message.contains("has a node named max-degree"), "{message}");
    assert!(found(&["bfs", &path]).0.contains("hub 0\n"));
    assert!(found(&["path", &path, "max-degree", "random:3"]).0.ends_with("random:3 1\n"));
    assert!(found(&["bfs", &path, "--sources", "max-degree,\"b, c\""]).0.contains("\"b, c\" 0\n"));
    let roads = inside(&folder, "roads.gr");
    fs::write(&roads, ROADS).unwrap();
    assert_eq!(found(&["bfs", &roads, "--sources", "max-degree"]).0, "1 0\n2 1\n3 1\n4 inf\n");
    let (depths, message) = found(&["bfs", &roads, "--sources", "1,4,1", "--per-source"]);
    assert!(
        depths.starts_with("1 0 0 1\n") && message.contains("node 1 is among the sources more than once"),
        "{message}"
    );
    assert!(refused(on_device(&["bfs", &roads, "--sources", ""]), 2).contains("--sources names no node"));
}

#[test]
fn ranks_that_do_not_converge_are_said_to() {
    let report = |arguments: &[&str]| {
        let common = ["pagerank", "rmat:scale=6", "--tolerance", "1e-3", "--json", "-"];
        let output = on_device(&[&common, arguments].concat()).assert().success().get_output().clone();
        (serde_json::from_str::<Value>(&stdout(&output)).unwrap(), stderr(&output))
    };
    for schedule in ["auto", "merge-path"] {
        let (object, message) = report(&["--schedule", schedule, "--iterations", "2"]);
        assert_eq!(object["converged"], false);
        assert!(message.contains("after 2 iterations the ranks still changed by"), "{message}");
        let (object, message) = report(&["--schedule", schedule, "--iterations", "100"]);
        assert_eq!((&object["converged"], message.as_str()), (&true.into(), ""));
        let last = object["median"]["iterations"].to_string();
        assert_eq!(report(&["--schedule", schedule, "--iterations", &last]).0["converged"], true);
    }
    assert_eq!(json(on_device(&["pagerank", "rmat:scale=6", "--json", "-"])).get("converged"), None);
}

#[test]
fn a_product_has_a_line_for_each_row() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 4\n3 3 -0.5\n";
    let (_folder, path) = file("diagonal.mtx", text);
    let path = path.as_str();
    let product = |arguments: &[&str]| {
        values::<f32>(&printed(on_device(&[&["spmv", path, "--validate", "--output", "-"], arguments].concat())))
    };
    let x = exact_vector(&open(path.as_ref(), &OpenOptions::default()).unwrap().0.csr, 3, 1);
    assert_eq!(product(&[]), [4.0 * x[0], 0.0, -0.5 * x[2]]);
    let x = random_vector(3, 1);
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
        values::<f64>(&printed(on_device(&[&["pagerank", &roads, "--validate", "--output", "-"], arguments].concat())))
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
    assert_ne!(report["valid"], false);
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
fn profiles_and_traces_show_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let path = inside(&folder, "trace.json");
    let text = printed(on_device(&["bfs", "grid:rows=9,cols=9", "--profile", "--trace", &path]));
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

/// Waits for a line of what a program prints, sends it a signal, and reads the rest, so that it can print it.
#[cfg(unix)]
fn interrupt_at(child: &Child, signal: &str, printed: impl std::io::Read, wanted: &str) -> String {
    let mut lines = BufReader::new(printed).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains(wanted)), "{wanted} was not printed");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_writes_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let (json, html) = (inside(&folder, "entries.json"), inside(&folder, "page.html"));
    let strategies = "node,edge,split,queue,parallel,thread-mapped,group-mapped,decompose";
    let arguments = ["compare", "bfs", "star:nodes=9", "chain:nodes=30000", "--strategies", strategies, "--runs", "2"];
    let outputs = ["--no-validate", "--device", "cpu", "--json", &json, "--html", &html];
    let mut child = spawned(evenkeel(&[&arguments[..], &outputs].concat()));
    let printed = child.stdout.take().unwrap();
    interrupt_at(&child, "-INT", printed, "decompose");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: interrupted: what was measured until then is written"));
    let entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert!((8..16).contains(&entries.len()), "{}", entries.len());
    assert!(entries.iter().all(|entry| entry["runs"].as_array().unwrap().len() == 2));
    assert!(fs::read_to_string(&html).unwrap().ends_with("</html>\n"));
}
