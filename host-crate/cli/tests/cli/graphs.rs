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
    assert!(text.contains("1 self-loop dropped"), "{text}");
}

#[test]
fn parallel_edges_of_undirected_graphs_are_merged_and_counted() {
    let (_folder, path) = file("calls.txt", "# Undirected graph\nann bob 3\nann bob 2\nbob cy 4\n");
    let text = printed(evenkeel(&["info", &path]));
    assert!(text.contains("edges given          3, 2 parallel edges merged (both directions counted)\n"), "{text}");
    let object = json(evenkeel(&["info", &path, "--json", "-"]));
    assert_eq!((&object["edges_given"], &object["parallel_edges_merged"]), (&3.into(), &2.into()));
    let directed = json(evenkeel(&["info", &path, "--directed", "--json", "-"]));
    assert_eq!((&directed["parallel_edges"], &directed["parallel_edges_merged"]), (&1.into(), &0.into()));
}

#[test]
fn reals_are_written_with_all_digits_of_a_whole_number() {
    let (folder, path) = file("large.txt", "1 2 4294967296.0\n2 3 -2147483648.0\n3 4 3e38\n");
    let mut command = evenkeel(&["info", &path]);
    let output = command.assert().success().get_output().clone();
    assert_eq!(stderr(&output), "");
    assert!(stdout(&output).contains("f32, -2147483648 to 3e38, mean 1.000e38"), "{}", stdout(&output));
    let written = inside(&folder, "again.csv");
    printed(evenkeel(&["convert", &path, &written]));
    let text = fs::read_to_string(&written).unwrap();
    assert_eq!(text, "source,target,weight\n1,2,4294967296.0\n2,3,-2147483648.0\n3,4,3.0e38\n");
    let answer = |ending: &str| {
        let answer = inside(&folder, ending);
        printed(on_device(&["mst", &path, "--output", &answer, "--quiet"]));
        fs::read_to_string(&answer).unwrap()
    };
    assert!(answer("forest.txt").contains("1 2 4294967296\n2 3 -2147483648\n"), "{}", answer("forest.txt"));
    assert!(answer("forest.json").contains("[4294967296.0,-2147483648.0,3e38]"), "{}", answer("forest.json"));
    let report = json(on_device(&["mst", &path, "--json", "-"]));
    assert_eq!(report["answer"]["top"][1]["weight"], 4_294_967_296.0, "{report}");
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

/// A command with this on its standard input, which is what is returned from standard output.
fn piped(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = assert_cmd::Command::from_std(evenkeel(arguments));
    command.write_stdin(input).assert().success().get_output().stdout.clone()
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let written = piped(&["convert", "-", "-", "--to", "binary"], b"alice,bob\nbob,carol\n");
    assert!(written.starts_with(b"EVENKEEL"));
    let written = piped(&["convert", "-", "-", "--to", "edge-list"], &written);
    let expected = "# Directed graph\n# Nodes: 3 Edges: 2\nsource target\nalice bob\nbob carol\n";
    assert_eq!(String::from_utf8(written).unwrap(), expected);
    let made = printed(evenkeel(&["generate", "chain:nodes=3", "--output", "-", "--format", "edge-list"]));
    assert!(made.ends_with("\n0 1\n1 2\n"), "{made}");
}

#[test]
fn standard_input_may_be_compressed_and_of_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = inside(&folder, "grid.mtx.gz");
    printed(evenkeel(&["generate", "grid:rows=3,cols=4", "-o", &path]));
    let object = piped(&["info", "-", "--json", "-"], &std::fs::read(&path).unwrap());
    let object: serde_json::Value = serde_json::from_slice(&object).unwrap();
    assert_eq!((&object["nodes"], &object["recognised"]["compression"]), (&12.into(), &"gz".into()));
    let object = piped(&["info", "-", "--format", "metis", "--json", "-"], b"2 1\n2\n1\n");
    let object: serde_json::Value = serde_json::from_slice(&object).unwrap();
    assert_eq!((&object["edges"], &object["recognised"]["format"]), (&2.into(), &"metis".into()));
}

#[test]
fn standard_output_needs_a_format_of_one_file() {
    let (_folder, path) = file("a.csv", "1,2\n");
    assert!(refused(evenkeel(&["convert", &path, "-"]), 2).contains("standard output has no name that tells a format"));
    let error = refused(evenkeel(&["convert", &path, "-", "--to", "ldbc"]), 2);
    assert!(error.contains("is 2 files, and standard output is one"), "{error}");
}

#[test]
fn a_misreading_can_be_seen_and_put_right() {
    let (_folder, path) = file("calls.csv", "id;caller;callee\n1;10;20\n2;20;30\n");
    let error = refused(evenkeel(&["info", &path]), 3);
    assert!(error.contains("calls.csv:1: in this header the columns are called 'id', 'caller', 'callee'"), "{error}");
    let text = printed(evenkeel(&["info", &path, "--columns", "source=caller,target=3"]));
    for line in [
        "format               edge-list\n",
        "columns              source 2 (caller), target 3 (callee), no weights; separated by semicolons, with a header\n",
        "direction            directed, which the file does not say\n",
        "names                numbers\n",
        "nodes                3\n",
    ] {
        assert!(text.contains(line), "{line} is missing: {text}");
    }
    let (_folder, path) = file("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
    let error = refused(evenkeel(&["info", &path, "--columns", "source=2"]), 3);
    assert!(error.contains("columns can be chosen in edge-list"), "{error}");
    assert!(refused(evenkeel(&["info", "star", "--columns", "source=2"]), 2).contains("--columns are about files"));
}

#[test]
fn a_search_that_hardly_starts_is_told_of_directions() {
    // All edges lead to node 0.
    let inward: String = (1..=9).map(|node| format!("{node} 0\n")).collect();
    let advice = |text: &str, arguments: &[&str]| {
        let (_folder, path) = file("star.txt", text);
        let mut command = on_device(&[&["bfs", &path, "--source", "1"], arguments].concat());
        stderr(command.assert().success().get_output())
    };
    let said = advice(&inward, &[]);
    assert!(said.contains("2 nodes of 10 are reached; with --undirected it would be 10"), "{said}");
    for (text, arguments) in [
        (inward.clone(), &["--undirected"][..]),
        (inward.clone(), &["--directed"]),
        (format!("# Directed graph\n{inward}"), &[]),
        ("1 2\n2 3\n3 4\n5 6\n".to_owned(), &[]),
    ] {
        assert!(!advice(&text, arguments).contains("--undirected"), "{text}");
    }
}

#[test]
fn a_graph_is_not_written_over_its_own_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("roads.gr");
    fs::write(&path, ROADS).unwrap();
    let same = format!("{}/../{}/roads.gr", folder.path().display(), folder.path().file_name().unwrap().display());
    let error = refused(evenkeel(&["convert", path.to_str().unwrap(), &same]), 2);
    assert!(error.contains("would overwrite the graph"), "{error}");
    let path_text = path.to_str().unwrap();
    let others: [&[&str]; 5] = [
        &["bench", "gap", path_text, "--csv", &same],
        &["info", path_text, "--json", &same],
        &["compare", "bfs", path_text, "--json", &same],
        &["compare", "bfs", path_text, "--csv", &same],
        &["balance", "bfs", path_text, "--json", &same],
    ];
    for arguments in others {
        assert!(refused(evenkeel(arguments), 2).contains("would overwrite the graph"), "{arguments:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), ROADS);
}

#[test]
fn a_table_whose_weights_are_called_something_else_is_remarked_upon() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("fares.csv");
    fs::write(&path, "source,target,fare\nA,B,5\nB,C,7\n").unwrap();
    let path = path.to_str().unwrap();
    let run = |arguments: &[&str]| stderr(&evenkeel(arguments).args(["--device", "cpu"]).output().unwrap());
    assert!(run(&["sssp", path, "--source", "A"]).contains("so every edge weighs 1; --columns"));
    assert_eq!(run(&["sssp", path, "--source", "A", "--columns", "weight=fare"]), "");
    assert_eq!(run(&["bfs", path, "--source", "A"]), "");
    // Whoever limits the depth has not been misled by directions.
    assert_eq!(run(&["bfs", path, "--source", "A", "--max-depth", "0"]), "");
}

#[test]
fn weights_are_remarked_on_only_where_they_are_used() {
    let (_folder, path) = file("calls.csv", "source,target,weight\na,b,0.5\nb,c,16777217\n");
    let run = |arguments: &[&str]| stderr(&evenkeel(arguments).output().unwrap());
    let remark = "calls.csv:3: the weight 16777217 is read as 16777216, a 32-bit real";
    let copy = format!("{path}.ekg");
    let used: [&[&str]; 3] =
        [&["sssp", &path, "--source", "a", "--device", "cpu"], &["info", &path], &["convert", &path, &copy]];
    for arguments in used {
        assert_eq!(run(arguments).matches(remark).count(), 1, "{arguments:?}");
    }
    for arguments in [
        &["bfs", &path, "--source", "a", "--device", "cpu"][..],
        &["color", &path, "--device", "cpu"],
        &["sssp", &path, "--source", "a", "--device", "cpu", "--weights", "unit"],
    ] {
        assert_eq!(run(arguments), "", "{arguments:?}");
    }
}

#[test]
fn the_second_file_of_a_graph_is_not_written_over_either() {
    let folder = TempDir::new().unwrap();
    let [edges, nodes] = ["g.e", "g.v"].map(|name| inside(&folder, name));
    fs::write(&edges, "1 2\n").unwrap();
    fs::write(&nodes, "1\n2\n").unwrap();
    let others: [&[&str]; 3] = [
        &["bfs", &edges, "--json", &nodes],
        &["info", &edges, "--json", &nodes],
        &["convert", &edges, &nodes, "--to", "binary"],
    ];
    for arguments in others {
        assert!(refused(evenkeel(arguments), 2).contains("would overwrite the graph"), "{arguments:?}");
    }
    // Writing a graph of two files may write over the one that is read, too.
    let error = refused(evenkeel(&["convert", &nodes, &edges, "--format", "adjacency"]), 2);
    assert!(error.contains("would overwrite the graph"), "{error}");
    assert_eq!(fs::read_to_string(&nodes).unwrap(), "1\n2\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_yet_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    let [link, real] = ["link.csv", "real.csv"].map(|name| inside(&folder, name));
    std::os::unix::fs::symlink("real.csv", &link).unwrap();
    printed(evenkeel(&["convert", "chain:nodes=3", &link, "--directed"]));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with("source,target\n0,1\n"));
}

#[test]
fn a_first_line_that_may_be_a_header_is_remarked_on() {
    let (_folder, path) = file("friends.csv", "person,friend\nalice,bob\nbob,carol\n");
    let said = stderr(&evenkeel(&["info", &path]).output().unwrap());
    assert!(said.contains("friends.csv:1: the first line, 'person,friend', is read as an edge"), "{said}");
    let columns = said.split("--columns ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let output = evenkeel(&["info", &path, "--columns", columns]).output().unwrap();
    assert_eq!(stderr(&output), "");
    assert!(stdout(&output).contains("nodes                3\n"), "{}", stdout(&output));
}

#[test]
fn what_cannot_be_a_graph_is_said_to_be_what_it_is() {
    let refused_input = |input: &[u8]| {
        let mut command = assert_cmd::Command::from_std(evenkeel(&["info", "-"]));
        let output = command.write_stdin(input).assert().code(3).get_output().clone();
        stderr(&output)
    };
    assert!(refused_input(b"").contains("standard input: the file is empty"));
    assert!(refused_input(b"\xff\xfe1\0 \x002\0").contains("standard input: the file is UTF-16"));
    let error = refused_input(b"3 2\n2\n1 3\n2\n");
    assert!(error.contains("standard input:2: ") && error.contains("the format 'metis'"), "{error}");
    let (_folder, path) = file("g.csv", "Alice,bob\nbob,carol\n");
    let error = refused(evenkeel(&["bfs", &path, "--source", "alice", "--device", "cpu"]), 2);
    assert!(error.contains("has no node alice (did you mean Alice?)"), "{error}");
    for arguments in
        [&["convert", &path, "x.xyz"][..], &["convert", &path, "-"], &["convert", &path, "x", "--to", "excel"]]
    {
        let error = refused(evenkeel(arguments), 2);
        assert!(error.contains("edge-list") && !error.contains("graphml"), "{error}");
    }
}

#[test]
fn names_with_blanks_are_quoted_in_answers_as_text() {
    let (_folder, path) = file("g.csv", "source,target\nBob Smith,\"say \"\"hi\"\"\"\n");
    let answer = printed(evenkeel(&["bfs", &path, "--source", "Bob Smith", "--device", "cpu", "--output", "-"]));
    assert_eq!(answer, "\"Bob Smith\" 0\n\"say \"\"hi\"\"\" 1\n");
}
