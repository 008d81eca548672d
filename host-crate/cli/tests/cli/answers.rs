//! Answers as they are shown and written: every form of file, the lists and paths that come before the timing, and their place in
//! the report.

use super::*;
use evenkeel::{
    algorithm::{Bfs, FrontEnd, Sssp},
    graph::formats::Compression,
};

/// A town whose nodes are called 10 to 50; from 10 only 20 and 30 are reached.
const TOWN: &str = "# Undirected graph\n10 20 3\n20 30 4\n30 10 9\n40 50 1\n";

fn run(arguments: &[&str]) -> String {
    printed(on_device(arguments))
}

/// The names of an algorithm's alternatives on the device of the tests.
fn alternatives_of<A: FrontEnd>() -> Vec<&'static str> {
    let device = Device::open(&device(), &DeviceOptions::default()).unwrap();
    let all = A::alternatives().into_iter().filter(|alternative| alternative.about.runs_on(device.info()));
    all.map(|alternative| alternative.about.name).collect()
}

#[test]
fn the_ending_of_the_name_decides_the_form() {
    let (folder, town) = file("town.txt", TOWN);
    let write = |name: &str| {
        let path = inside(&folder, name);
        run(&["sssp", &town, "--source", "10", "--parents", "--validate", "--output", &path]);
        fs::read(&path).unwrap()
    };
    let lines = "10 0 -\n20 3 10\n30 7 20\n40 inf -\n50 inf -\n";
    assert_eq!(write("tree.txt"), lines.as_bytes());
    assert_eq!(write("tree"), lines.as_bytes());
    assert_eq!(write("tree.csv"), b"node,distance,parent\n10,0,\n20,3,10\n30,7,20\n40,,\n50,,\n");
    let object: Value = serde_json::from_slice(&write("tree.json")).unwrap();
    assert_eq!((&object["node"][4], &object["distance"][2], &object["parent"][2]), (&50.into(), &7.into(), &20.into()));
    assert_eq!(object["distance"][3], Value::Null);
    assert!(write("tree.jsonl").starts_with(b"{\"node\":10,\"distance\":0,\"parent\":null}\n"));
    for (name, magic) in [("tree.parquet", &b"PAR1"[..]), ("tree.arrow", b"ARROW1"), ("tree.npz", b"PK\x03\x04")] {
        assert!(write(name).starts_with(magic), "{name}");
    }
    for compression in Compression::ALL.into_iter().filter(|compression| compression.is_written()) {
        let bytes = write(&format!("tree.csv.{}", compression.extension()));
        assert_eq!(Compression::of_bytes(&bytes), Some(compression));
    }
    let path = inside(&folder, "depths.npy");
    run(&["bfs", &town, "--source", "10", "--output", &path]);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY"));
    assert_eq!(bytes[bytes.len() - 20..], [0, 1, 1, u32::MAX, u32::MAX].map(u32::to_le_bytes).concat());
}

#[test]
fn what_cannot_be_written_is_refused_before_the_run() {
    let (folder, town) = file("town.txt", TOWN);
    let refusal = |arguments: &[&str]| refused(on_device(arguments), 2);
    assert!(refusal(&["bfs", &town, "-o", "a.xlsx"]).contains("there is .txt, .csv, .json, .jsonl, .parquet, .arrow"));
    assert!(refusal(&["bfs", &town, "-o", "a.bin"]).contains("bfs cannot be written so"));
    assert!(refusal(&["bfs", &town, "--parents", "-o", "a.npy"]).contains("take .npz"));
    assert!(refusal(&["apsp", &town, "-o", "a.parquet"]).contains("apsp cannot be written so"));
    assert!(refusal(&["pagerank", &town, "-o", "a.npy.gz"]).contains("only text is compressed"));
    assert_eq!(names(folder.path()), ["town.txt"]);
    // By another way to the same file, too.
    let around = format!("{}/./town.txt", folder.path().display());
    for option in ["--output", "--json", "--trace", "--levels"] {
        assert!(refusal(&["bfs", &town, option, &around]).contains("would overwrite the graph"), "{option}");
    }
    assert_eq!(fs::read_to_string(&town).unwrap(), TOWN);
    let (same, report) = (inside(&folder, "same.json"), format!("{}/./same.json", folder.path().display()));
    let message = refusal(&["bfs", &town, "--output", &same, "--json", &report]);
    assert!(message.contains("--output and --json both name"), "{message}");
    #[cfg(unix)]
    {
        let link = inside(&folder, "link.txt");
        std::os::unix::fs::symlink(&town, &link).unwrap();
        assert!(refusal(&["bfs", &town, "--output", &link]).contains("would overwrite the graph"));
    }
}

#[test]
fn the_answer_is_shown_before_the_time() {
    let (_folder, roads) = roads();
    let before_time = |arguments: &[&str]| {
        let text = run(arguments);
        text.split_once("\ntime ").unwrap().0.to_owned()
    };
    let text = before_time(&["bfs", &roads, "--source", "1"]);
    assert!(text.contains("\nreached   3 of 4 nodes, the furthest at 1\nspread    depth  nodes\n"), "{text}");
    assert!(text.contains("\n              1      2  ████████████████████████████████████████\n"), "{text}");
    assert!(
        text.ends_with("\nfurthest  node  depth\n             2      1\n             3      1\n             1      0"),
        "{text}"
    );
    let text = before_time(&["sssp", &roads, "--source", "1", "--top", "1"]);
    assert!(text.ends_with("\nfurthest  node  distance\n             3        12"), "{text}");
    let text = before_time(&["pagerank", &roads, "--top", "2"]);
    assert_eq!(text.split_once("\nhighest   ").unwrap().1.lines().count(), 3, "{text}");
    let text = before_time(&["color", "complete:nodes=3"]);
    assert!(text.contains("\ncolours   3"), "{text}");
    let classes = "\nclasses   color  nodes\n              0      1\n              1      1\n              2      1";
    assert!(text.ends_with(classes), "{text}");
    let text = before_time(&["apsp", &roads, "--top", "1"]);
    assert!(text.contains("\ndistances diameter 13, mean 7.333, 6 of 12 pairs have none\n"), "{text}");
    assert!(text.ends_with("\nfurthest  node  to  distance\n             4   3        13"), "{text}");
    let text = before_time(&["spmv", &roads, "--top", "2"]);
    assert!(text.contains("\nproduct   norm ") && text.contains("\nlargest   row "), "{text}");
    let text = before_time(&["spmm", &roads, "--top", "0"]);
    assert!(text.contains("\nproduct   norm ") && !text.contains("largest"), "{text}");
}

#[test]
fn the_report_has_the_answer_and_what_was_taken() {
    let (_folder, roads) = roads();
    let report = |arguments: &[&str]| json(on_device(&[arguments, &["--json", "-"]].concat()));
    let sssp = report(&["sssp", &roads, "--source", "1", "--target", "3"]);
    assert_eq!(sssp["answer"]["top"][0], serde_json::json!({"node": 3, "distance": 12}));
    assert_eq!(sssp["answer"]["path"], serde_json::json!({"target": 3, "length": 12, "nodes": [1, 2, 3]}));
    assert_eq!(
        sssp["answer"]["histogram"].as_array().unwrap().iter().map(|bin| bin["nodes"].as_u64().unwrap()).sum::<u64>(),
        3
    );
    let apsp = report(&["apsp", &roads]);
    assert_eq!((&apsp["answer"]["diameter"], &apsp["answer"]["unreachable_pairs"]), (&13.into(), &6.into()));
    assert!((apsp["answer"]["mean_distance"].as_f64().unwrap() - 44.0 / 6.0).abs() < 1e-9);
    let color = report(&["color", "star:nodes=9"]);
    assert_eq!(color["answer"]["top"][0]["nodes"], 8);
    let ranks = report(&["pagerank", &roads, "--top", "1"]);
    assert_eq!((ranks["answer"]["top"].as_array().unwrap().len(), &ranks["answer"]["top"][0]["node"]), (1, &3.into()));
    let spmv = report(&["spmv", &roads]);
    assert!(spmv["answer"]["norm"].as_f64().unwrap() > 0.0 && spmv["answer"]["min"].is_number());
    for report in [&sssp, &apsp, &color, &ranks, &spmv] {
        let method = report["method"].as_str().unwrap();
        assert!(report["strategy"] == "auto" && method != "auto" && !method.is_empty(), "{method}");
    }
    let named = report(&["bfs", &roads, "--strategy", "node"]);
    assert_eq!(named.get("method"), None);
    let cpu = json(evenkeel(&["bfs", &roads, "--device", "cpu", "--json", "-"]));
    assert_eq!(cpu["method"], "direction-cpu");
    let text = printed(evenkeel(&["bfs", &roads, "--device", "cpu"]));
    assert!(text.contains("with strategy auto, which chose direction-cpu\n"), "{text}");
    let entries = json(on_device(&["compare", "spmv", &roads, "--strategies", "paper", "--json", "-"]));
    assert_eq!((&entries[0]["method"], entries[0].get("answer")), (&"thread-mapped".into(), None));
}

#[test]
fn a_path_is_shown_by_its_nodes() {
    let (_folder, town) = file("town.txt", TOWN);
    let path = |algorithm: &str, target: &str, more: &[&str]| {
        let text = run(&[&[algorithm, &town, "--source", "10", "--target", target], more].concat());
        text.split_once("\npath      ").unwrap().1.split_once("\ntime ").unwrap().0.to_owned()
    };
    for more in [&[][..], &["--parents"]] {
        assert_eq!(path("sssp", "30", more), "10 → 20 → 30\n          length 7, 2 edges");
        assert_eq!(path("bfs", "30", more), "10 → 30\n          length 1, 1 edge");
        assert_eq!(path("bfs", "10", more), "10\n          length 0, 0 edges");
        assert_eq!(path("sssp", "40", more), "no path found to node 40");
    }
    assert_eq!(path("bfs", "30", &["--max-depth", "0"]), "no path found to node 30");
    assert!(refused(on_device(&["bfs", &town, "--target", "60"]), 2).contains("has no node 60"));
    for arguments in [&["pagerank", &town, "--target", "30"][..], &["compare", "bfs", &town, "--target", "30"]] {
        assert!(refused(on_device(arguments), 2).contains("--target"));
    }
    assert!(refused(on_device(&["compare", "bfs", &town, "--top", "3"]), 2).contains("--top"));
}

#[test]
fn a_search_ends_at_the_greatest_depth_under_every_strategy() {
    let chain = ["bfs", "grid:rows=30,cols=3", "--source", "0", "--output", "-"];
    let whole = run(&chain);
    let cut: String = whole
        .lines()
        .map(|line| {
            let (node, depth) = line.split_once(' ').unwrap();
            let depth = if depth.parse::<u32>().unwrap() > 4 { "inf" } else { depth };
            format!("{node} {depth}\n")
        })
        .collect();
    for strategy in alternatives_of::<Bfs>() {
        let more = ["--max-depth", "4", "--validate", "--strategy", strategy];
        assert_eq!(run(&[&chain[..], &more].concat()), cut, "{strategy}");
        let more = ["--max-depth", "4", "--parents", "--validate", "--strategy", strategy];
        let lines = run(&[&chain[..], &more].concat());
        assert!(lines.ends_with("89 inf -\n") && lines.starts_with("0 0 -\n1 1 0\n"), "{strategy}: {lines}");
    }
    let cpu = |more: &[&str]| {
        let arguments = ["bfs", "chain:nodes=5000", "--source", "0", "--device", "cpu", "--json", "-"];
        json(evenkeel(&[&arguments[..], more].concat()))["median"]["iterations"].as_u64().unwrap()
    };
    for strategy in ["auto", "node", "merge-path"] {
        let iterations = cpu(&["--strategy", strategy, "--max-depth", "9"]);
        assert!((9..100).contains(&iterations), "{strategy} went on for {iterations} of 5,000 levels");
    }
    let refusal = refused(on_device(&["bfs", "star", "--max-depth", "2", "--levels", "levels.csv"]), 2);
    assert!(refusal.contains("leave --max-depth out"), "{refusal}");
}

#[test]
fn shortest_paths_have_parents_under_every_strategy() {
    // Weights of 0 make cycles that parents must not follow.
    for weights in ["random:0..2", "random:1..9"] {
        for strategy in alternatives_of::<Sssp>() {
            let arguments = ["sssp", "rmat:scale=6", "--weights", weights, "--parents", "--validate", "--json", "-"];
            let report = json(on_device(&[&arguments[..], &["--strategy", strategy]].concat()));
            assert_eq!((&report["valid"], &report["config"]["parents"]), (&true.into(), &true.into()), "{strategy}");
        }
    }
    let text = "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 0.5\n2 3 1e-30\n3 2 1e-30\n1 3 9e9\n";
    let (_folder, path) = file("tiny.mtx", text);
    let found = run(&["sssp", &path, "--source", "1", "--parents", "--validate", "--output", "-"]);
    assert_eq!(found, "1 0 -\n2 0.5 1\n3 0.5 2\n4 inf -\n");
}

#[test]
fn distances_that_exceed_32_bits_are_right() {
    let (folder, far) = file("far.gr", "p sp 4 3\na 1 2 4294967290\na 2 3 4294967290\na 3 4 4294967290\n");
    let path = inside(&folder, "far.csv");
    let arguments = ["sssp", &far, "--source", "1", "--target", "4", "--parents", "--validate"];
    for strategy in alternatives_of::<Sssp>() {
        let mut command = on_device(&[&arguments[..], &["--strategy", strategy, "--output", &path]].concat());
        let output = command.assert().success().get_output().clone();
        let (text, message) = (stdout(&output), stderr(&output));
        assert!(message.starts_with("warning: a shortest path is longer than 32 bits hold"), "{strategy}: {message}");
        assert!(text.contains("✓") && text.contains("length 12884901870, 3 edges"), "{strategy}: {text}");
        let expected = "node,distance,parent\n1,0,\n2,4294967290,1\n3,8589934580,2\n4,12884901870,3\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{strategy}");
    }
    let array = inside(&folder, "far.npy");
    on_device(&["sssp", &far, "--source", "3", "--quiet", "--output", &array]).assert().success();
    assert!(fs::read(&array).unwrap().ends_with(&[0, 4_294_967_290u32].map(u32::to_le_bytes).concat()));
    on_device(&["sssp", &far, "--source", "2", "--quiet", "--output", &array]).assert().success();
    assert!(fs::read(&array).unwrap().ends_with(&8_589_934_580u64.to_le_bytes()));
    // All pairs keep 32 bits and say so.
    assert!(refused(on_device(&["apsp", &far]), 3).contains("of all pairs"));
}

#[test]
fn a_path_is_a_list() {
    let (folder, town) = file("town.txt", TOWN);
    assert_eq!(run(&["path", &town, "10", "30", "--output", "-"]), "10 0\n20 3\n30 7\n");
    assert_eq!(run(&["path", &town, "10", "30", "--unweighted", "--validate", "--output", "-"]), "10 0\n30 1\n");
    assert_eq!(run(&["path", &town, "20", "--all-hops", "1", "--output", "-"]), "20 0\n10 1\n30 1\n");
    let text = run(&["path", &town, "10", "30", "--validate"]);
    assert!(
        text.contains("\npath      10 → 20 → 30\n          length 7, 2 edges\ntime ") && text.contains("✓"),
        "{text}"
    );
    let text = run(&["path", &town, "20", "--all-hops", "2"]);
    assert!(text.contains("3 nodes within 2 hops of 20\n          at 0: 1, namely 20\n"), "{text}");
    let path = inside(&folder, "path.csv");
    run(&["path", &town, "10", "30", "--output", &path]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "node,distance\n10,0\n20,3\n30,7\n");
    let path = inside(&folder, "path.jsonl");
    run(&["path", &town, "10", "30", "--output", &path]);
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\"node\":10,\"distance\":0}\n"));
    let report = json(on_device(&["path", &town, "10", "30", "--json", "-"]));
    assert_eq!((&report["length"], &report["by_weights"]), (&7.into(), &true.into()));
    assert_eq!(report["nodes"][1]["node"], 20);
    let refusal = |arguments: &[&str], status: i32| refused(on_device(arguments), status);
    assert!(refusal(&["path", &town, "10", "40"], 1).contains("there is no path from 10 to 40 in town"));
    assert!(refusal(&["path", &town, "10", "40", "--directed"], 1).contains("--undirected"));
    assert!(refusal(&["path", &town, "10", "60"], 2).contains("has no node 60"));
    assert!(refusal(&["path", &town, "10", "30", "-o", "path.npy"], 2).contains("a list cannot be written so"));
    assert!(refusal(&["path", &town, "10"], 2).contains("<TO>"));
    assert!(refusal(&["path", &town, "10", "20", "--all-hops", "2"], 2).contains("cannot be used with"));
}

/// The later runs begin with a batch that is no longer than the search, which ends with the iteration that finds the last level.
#[test]
fn the_levels_of_the_last_of_several_runs_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let levels = inside(&folder, "levels.csv");
    let search = ["bfs", "rmat:scale=14", "--strategy", "direction", "--device", "cpu", "--json", "-"];
    let report = json(evenkeel(&[&search[..], &["--runs", "5", "--levels", &levels]].concat()));
    let furthest = report["furthest"].as_u64().unwrap() as usize;
    assert_eq!(fs::read_to_string(&levels).unwrap().lines().count(), 1 + furthest + 1);
}

#[test]
fn a_path_is_written_as_other_answers_are() {
    let (folder, roads) = roads();
    let path = inside(&folder, "path.json");
    printed(on_device(&["path", &roads, "1", "3", "--output", &path]));
    let written: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(written, serde_json::json!({"node": [1, 2, 3], "distance": [0, 5, 12]}));
    let text = printed(on_device(&["path", &roads, "1", "3", "--json", "-"]));
    assert!(text.starts_with("{\n  \"version\""), "{text}");
    let object: Value = serde_json::from_str(&text).unwrap();
    assert!(object["device"]["kind"].is_string() && object["nodes"][1]["distance"] == 5, "{text}");
    let output = on_device(&["path", &roads, "1", "4", "--json", "-"]).assert().code(1).get_output().clone();
    let object: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&object["length"], &object["nodes"]), (&Value::Null, &serde_json::json!([])));
    assert!(stderr(&output).contains("there is no path from 1 to 4"));
    let (_folder, negative) = file("negative.txt", "1 2 -1.5\n");
    let message = refused(on_device(&["path", &negative, "1", "2"]), 3);
    assert!(message.contains("shortest paths from one node need weights that are not"), "{message}");
}
