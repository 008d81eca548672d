//! The benchmark suites: their kernels, their tables, and what they take for right.

use super::*;

#[test]
fn gap_has_six_kernels() {
    let (folder, roads) = roads();
    let json_path = inside(&folder, "gap.json");
    let table = printed(on_device(&["bench", "gap", &roads, "rmat:scale=6", "--trials", "2", "--json", &json_path]));
    assert_eq!(table.matches('✓').count(), 12, "{table}");
    let report: Value = serde_json::from_str(&fs::read_to_string(&json_path).unwrap()).unwrap();
    let kernels = report["kernels"].as_array().unwrap();
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel["kernel"].as_str().unwrap()).collect();
    assert_eq!(names[..6], ["bfs", "sssp", "pr", "bc", "cc", "tc"]);
    assert!(kernels.iter().all(|kernel| kernel["trials_ms"].as_array().unwrap().len() == 2), "{report}");
    let csv = printed(on_device(&["bench", "gap", &roads, "--kernels", "cc,bfs", "--trials", "1", "--csv", "-"]));
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(refused(evenkeel(&["bench", "gap", &roads, "--csv", "-", "--json", "-"]), 2).contains("only one"));
    assert!(refused(evenkeel(&["bench", "gap", &roads, "--csv", &roads]), 2).contains("roads.gr"));
}

/// A path of three nodes, with the answers that come with it.
fn dataset(folder: &TempDir, depths: &str) {
    let files = [
        ("path.v", "1\n2\n3\n"),
        ("path.e", "1 2 0.5\n2 3 0.25\n"),
        ("path-BFS", depths),
        ("path-WCC", "1 7\n2 7\n3 7\n"),
        (
            "path.properties",
            "# a path\ngraph.path.vertex-file = path.v\ngraph.path.edge-file = path.e\ngraph.path.directed = true\n\
             graph.path.algorithms = bfs, wcc, sssp, lcc, cdlp, pr\ngraph.path.bfs.source-vertex = 1\n\
             graph.path.sssp.source-vertex = 1\ngraph.path.cdlp.max-iterations = 2\n\
             graph.path.pr.damping-factor = 0.85\ngraph.path.pr.num-iterations = 3\n",
        ),
    ];
    files.into_iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
}

#[test]
fn ldbc_compares_with_the_answers_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    dataset(&folder, "1 0\n2 1\n3 2\n");
    let table = printed(on_device(&["bench", "ldbc", &path]));
    assert_eq!(table.matches('✓').count(), 6, "{table}");
    dataset(&folder, "1 0\n2 1\n3 1\n");
    let output = on_device(&["bench", "ldbc", &path, "--trials", "1"]).assert().code(1).get_output().clone();
    assert!(stderr(&output).contains("node 3 has 2 where the suite's answer is 1"), "{}", stderr(&output));
    let empty = tempfile::tempdir().unwrap();
    assert!(refused(evenkeel(&["bench", "ldbc", empty.path().to_str().unwrap()]), 2).contains("NAME.properties"));
}

#[test]
fn what_is_wrong_with_one_answer_does_not_end_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let run = || {
        let output = on_device(&["bench", "ldbc", &path, "--trials", "1"]).assert().code(3).get_output().clone();
        (stdout(&output), stderr(&output))
    };
    let change = |from: &str, to: &str| {
        let properties = folder.path().join("path.properties");
        let text = fs::read_to_string(&properties).unwrap();
        fs::write(&properties, text.replace(from, to)).unwrap();
    };
    dataset(&folder, "1 0\n3 2\n");
    let (table, message) = run();
    assert!(table.matches('✓').count() == 5 && message.contains("it has no answer for node 2"), "{table}{message}");
    dataset(&folder, "1 0\n2 1\n3 2\n");
    change("bfs.source-vertex = 1", "bfs.source-vertex = 9");
    let (table, message) = run();
    assert!(table.matches('✓').count() == 5 && message.contains("path has no node 9"), "{table}{message}");
    dataset(&folder, "1 0\n2 1\n3 2\n");
    change("# a path", "graph.path.meta.vertices = 4");
    let (table, message) = run();
    assert!(!table.contains('✓') && message.contains("meta.vertices is 4, and the file has 3"), "{table}{message}");
    dataset(&folder, "1 0\n2 1\n3 2\n");
    change("graph.path.algorithms", "graph.path.unknown");
    let table = printed(on_device(&["bench", "ldbc", &path, "--trials", "1"]));
    assert!(table.matches('✓').count() == 6 && table.contains("sssp"), "{table}");
}

#[test]
fn gap_says_why_nothing_could_be_run() {
    let (_folder, path) = file("negative.txt", "1 2 -1.5\n2 1 2.5\n");
    let output = on_device(&["bench", "gap", &path, "--kernels", "sssp"]).assert().code(3).get_output().clone();
    assert!(stderr(&output).contains("error: the graph has negative weights"), "{}", stderr(&output));
    let table = printed(on_device(&["bench", "gap", "star:nodes=9", "--kernels", "bfs", "--trials", "1"]));
    assert!(!table.contains(" 0.00 ") && !table.contains("  0  "), "{table}");
}
