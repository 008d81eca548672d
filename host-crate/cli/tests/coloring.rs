//! Colouring as the command reports it: the object, the tables and what is refused.

use assert_cmd::Command;
use std::fs;

fn evenkeel(words: &[&str]) -> std::process::Output {
    Command::cargo_bin("evenkeel").unwrap().args(words).args(["--device", "cpu"]).output().unwrap()
}

#[test]
fn the_object_has_details_when_they_are_asked_for() {
    let report = |more: &[&str]| -> serde_json::Value {
        let words =
            ["color", "rmat:scale=7", "--strategy", "stealing", "--queues", "3", "--chunk", "32", "--json", "-"];
        let output = evenkeel(&[words.as_slice(), more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(report(&[]).get("details"), None);
    for stealing in ["true", "false"] {
        let report = report(&["--steal", stealing, "--details"]);
        let list = |name: &str| report["details"][name].as_array().unwrap().clone();
        let sum = |list: &[serde_json::Value], field: &str| -> u64 {
            list.iter().map(|it| it[field].as_u64().unwrap()).sum()
        };
        let (queues, iterations) = (list("queues"), list("iterations"));
        let rounds = report["median"]["iterations"].as_u64().unwrap();
        assert_eq!((queues.len(), iterations.len() as u64), (3, rounds));
        // 128 nodes are 4 elements.
        assert_eq!(sum(&queues, "popped") + sum(&queues, "stolen"), 4 * rounds);
        assert!(stealing == "true" || sum(&queues, "stolen") == 0);
        let last = iterations.last().unwrap();
        assert_eq!((&last["colored"], &last["colors"]), (&128.into(), &report["colors"]));
        assert!(iterations.iter().all(|it| it["degrees"].is_array() && it["active"].as_u64() > Some(0)));
        assert!(report["fetch_ms"].as_f64() > Some(0.0));
    }
    let output = evenkeel(&["color", "rmat:scale=5", "--details"]);
    assert_eq!(output.status.code(), Some(2), "there is no object that has them");
}

#[test]
fn the_command_writes_colours_iterations_and_queues() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (answer, iterations, queues, json) = (file("colours"), file("iterations"), file("queues"), file("json"));
    // A triangle, listed one way, with an edge from a node to itself.
    let graph = file("triangle.txt");
    fs::write(&graph, "1 2\n2 3\n1 3\n3 3\n").unwrap();
    let words = ["color", &graph, "--strategy", "stealing", "--queues", "2", "--validate", "-o", &answer];
    let more = ["--per-iteration", &iterations, "--queue-counts", &queues, "--json", &json];
    let output = evenkeel(&[words.as_slice(), &more].concat());
    let (text, messages) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{messages}");
    assert!(text.contains("\ncolours   3, where a sequential greedy colouring takes 3\n"), "{text}");
    assert!(messages.contains("edges from a node to itself are ignored: 1"), "{messages}");
    let lines = |path: &str| fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let mut given: Vec<String> = lines(&answer).iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
    given.sort();
    assert_eq!(given, ["0", "1", "2"]);
    assert_eq!(lines(&iterations).len(), 4);
    assert!(lines(&iterations)[0].starts_with("iteration,active,colored,colors,lowest_degree,"));
    assert!(lines(&iterations)[3].starts_with("3,1,3,3,2,2,2.0,2,0 0 1,"), "{:?}", lines(&iterations));
    assert_eq!(lines(&queues).len(), 3);
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(
        (&report["colors"], &report["sequential_colors"], &report["valid"]),
        (&3.into(), &3.into(), &true.into())
    );
    assert_eq!((&report["config"]["queues"], report["config"].get("per_iteration")), (&2.into(), None));
}

#[test]
fn the_command_compares_strategies_and_refuses_what_changes_nothing() {
    let output =
        evenkeel(&["compare", "color", "rmat:scale=7", "--strategies", "random:merge-path,auto", "--runs", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("colours"), "{text}");
    assert!(text.contains("random:merge-path") && text.contains("All 2 answers agree"), "{text}");
    let refused = |words: &[&str]| {
        let output = evenkeel(&[&["color", "rmat:scale=5"], words].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for words in [
        ["--switch-at", "3"].as_slice(),
        &["--strategy", "random", "--queue-counts", "-"],
        &["--strategy", "stealing", "--switch-below", "3"],
        &["--directed"],
        &["--strategy", "stealing:merge-path"],
    ] {
        let (status, message) = refused(words);
        assert_eq!(status, Some(2), "{words:?}: {message}");
    }
    assert_eq!(refused(&["--per-iteration", "-", "--json", "-"]).0, Some(2));
    let output = evenkeel(&["color", "chain:nodes=3", "--per-iteration", "-"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("iteration,") && text.lines().all(|line| line.contains(',')), "nothing else: {text}");
    let (status, message) = refused(&["--per-iteration", "/no/such/folder/file"]);
    assert_eq!(status, Some(3), "{message}");
}
