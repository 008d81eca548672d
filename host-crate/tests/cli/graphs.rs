//! Graphs: described, generated, converted, weighed.

use super::*;

#[test]
fn what_is_removed_is_counted() {
    let (_folder, path) = file("messy.txt", "0 1\n0 1\n1 1\n1 2\n");
    let arguments = ["bfs", &path, "--drop-self-loops", "--merge-parallel-edges", "--json", "-"];
    let graph = &json(on_device(&arguments))["graph"];
    assert_eq!((&graph["edges_given"], &graph["edges"]), (&4.into(), &2.into()));
    assert_eq!((&graph["self_loops_dropped"], &graph["parallel_edges_merged"]), (&1.into(), &1.into()));
    let text = printed(evenkeel(&["info", &path, "--drop-self-loops"]));
    assert!(text.contains("1 self-loops dropped"), "{text}");
}

#[test]
fn graphs_are_generated_converted_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let (binary, text) = (inside(&folder, "grid.ekg"), inside(&folder, "grid.mtx.gz"));
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
    let (folder, _) = file("star", "0 1\n");
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
