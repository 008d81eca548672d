//! Strategies side by side: the comparison, the demonstration, and settings of strategies.

use super::*;
use evenkeel::algorithm::{Apsp, Bfs, Color, Spmv, Sssp};

#[test]
fn a_comparison_has_a_line_for_each_strategy_on_each_graph() {
    let (folder, roads) = roads();
    let (table, array) = (inside(&folder, "table.csv"), inside(&folder, "array.json"));
    let graphs = [&roads, "rmat:scale=6,seed=3"];
    for algorithm in ["bfs", "sssp", "apsp", "spmv", "spmm", "pagerank"] {
        let files = ["--runs", "3", "--csv", &table, "--json", &array];
        let text = printed(on_device(&[&["compare", algorithm] as &[&str], &graphs, &files].concat()));
        let entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(&array).unwrap()).unwrap();
        let names = match algorithm {
            "bfs" => alternatives::<Bfs>(),
            "sssp" => alternatives::<Sssp>(),
            "apsp" => alternatives::<Apsp>(),
            _ => alternatives::<Spmv>(),
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
fn a_strategy_that_does_not_fit_is_a_line_that_says_so() {
    let compare = |limit: &str, rest: &[&str]| {
        let common = ["compare", "bfs", "star:nodes=4000", "--runs", "1", "--device", "cpu", "--memory", limit];
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
    assert!(line("node").ends_with('✓') && text.contains("The answer agrees"), "{text}");
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
fn the_whole_demo_checks_every_algorithm_on_both_graphs() {
    let reports = json(on_device(&["demo", "--all", "--scale", "6", "--runs", "1", "--json", "-"]));
    let reports = reports.as_array().unwrap();
    for (algorithm, count) in [
        ("bfs", alternatives::<Bfs>()),
        ("sssp", alternatives::<Sssp>()),
        ("apsp", alternatives::<Apsp>()),
        ("spmv", alternatives::<Spmv>()),
        ("color", alternatives::<Color>()),
    ] {
        assert_eq!(reports.iter().filter(|report| report["algorithm"] == algorithm).count(), 2 * count, "{algorithm}");
    }
    assert!(reports.iter().all(|report| report["valid"] == true), "{reports:?}");
}

#[test]
fn the_demo_tells_a_story_in_one_table() {
    let text = printed(on_device(&["demo", "--scale", "8", "--runs", "1"]));
    assert_eq!(text.matches('✓').count(), 18, "{text}");
    for part in [
        "is skewed",
        "is even",
        "lanes idle",
        "Skew hurts: with node",
        "Balance helps: with merge-path",
        "All 18 answers agree",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.lines().count() < 40 && text.contains("evenkeel demo --scale 18"), "{text}");
}

#[test]
fn a_single_answer_is_one() {
    let arguments = ["compare", "bfs", "star:nodes=99", "--strategies", "node", "--runs", "1"];
    let text = printed(on_device(&arguments));
    assert!(text.ends_with("\nThe answer agrees with the sequential oracle.\n"), "{text}");
}

/// Only the CPU opened by its number or by `auto` was looked for among others.
#[test]
fn a_device_has_the_number_that_it_is_listed_by() {
    let devices = json(evenkeel(&["devices", "--json", "-"]));
    let index = &devices.as_array().unwrap().last().unwrap()["index"];
    let report =
        |device: &str| json(evenkeel(&["bfs", "star:nodes=99", "--device", device, "--json", "-"]))["device"].clone();
    assert_eq!(report("cpu").get("index"), None);
    assert_eq!(&report(&index.to_string())["index"], index);
}
