//! From the command to the answer: where the time goes, what is done side by side, and that errors come in the same order.

use super::*;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// A chain as a compressed road network, one of whose lines may be replaced.
fn chain(folder: &TempDir, nodes: u32, wrong: Option<(usize, &str)>) -> String {
    let mut lines = vec![format!("p sp {nodes} {}", nodes - 1)];
    lines.extend((1..nodes).map(|node| format!("a {node} {} 3", node + 1)));
    if let Some((line, text)) = wrong {
        lines[line - 1] = text.to_owned();
    }
    let path = inside(folder, "chain.gr.gz");
    fs::write(&path, compressed(&(lines.join("\n") + "\n"))).unwrap();
    path
}

/// The rows of the table of the host: depth, name, whether another thread did it, and milliseconds.
fn host_rows(text: &str) -> Vec<(usize, String, bool, f64)> {
    let table = text.lines().skip_while(|line| !line.starts_with("host "));
    let row = |line: &str| {
        let (name, numbers) = line.trim_start().split_once("  ").unwrap_or_else(|| panic!("{line}"));
        let total = numbers.split_whitespace().last().unwrap().parse().unwrap();
        let depth = (line.len() - line.trim_start().len()) / 2;
        (depth, name.trim_end_matches(" *").to_owned(), name.ends_with(" *"), total)
    };
    table.skip(1).take_while(|line| !line.starts_with('*') && !line.is_empty()).map(row).collect()
}

#[test]
fn phases_are_shown_beside_kernels_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, trace) = (chain(&folder, 20_000, None), inside(&folder, "trace.json"));
    let text = printed(on_device(&["bfs", &graph, "--source", "19990", "--profile", "--trace", &trace]));
    let rows = host_rows(&text);
    let total = |wanted: &str| {
        let found = rows.iter().find(|(_, name, ..)| name == wanted);
        found.unwrap_or_else(|| panic!("{wanted} is not in {text}")).3
    };
    let phases = [
        "opening the device",
        "waiting for the graph",
        "making the input",
        "preparing",
        "recording",
        "running",
        "fetching the answer",
        "summing up",
    ];
    assert!(phases.iter().all(|phase| total(phase) >= 0.0));
    let beside: Vec<_> = rows.iter().filter(|row| row.2).map(|(depth, name, ..)| (*depth, name.as_str())).collect();
    assert_eq!(beside, [(0, "reading"), (1, "decompressing"), (1, "parsing"), (1, "building rows")], "{text}");
    assert!(total("decompressing") + total("parsing") + total("building rows") <= total("reading") + 0.01, "{text}");

    let (tops, all) = (rows.iter().filter(|row| row.0 == 0 && !row.2 && row.1 != "all"), total("all"));
    let sum: f64 = tops.map(|row| row.3).sum();
    assert!((sum - all).abs() < 0.1, "{sum} of {all}: {text}");

    let trace: Value = serde_json::from_str(&fs::read_to_string(&trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let reading = events.iter().find(|event| event["name"] == "reading").unwrap();
    assert_eq!((&reading["tid"], &reading["args"]["label"]), (&Value::from(1), &Value::from(graph)));
    assert!(phases[..7].iter().all(|phase| events.iter().any(|event| event["name"] == *phase)), "{trace}");
}

#[test]
fn without_a_profile_there_is_no_table() {
    assert!(!printed(on_device(&["bfs", "chain:nodes=9"])).contains("host "));
}

#[test]
fn errors_come_in_the_order_of_the_work_however_it_is_shared() {
    let folder = tempfile::tempdir().unwrap();
    let bad = chain(&folder, 50_000, Some((49_877, "a 1 two 3")));
    // The file is not there: that is found before any device is looked for.
    let missing = inside(&folder, "missing.gr");
    assert!(refused(evenkeel(&["bfs", &missing, "--device", "abacus"]), 3).contains("missing.gr"));
    // The device is not there, and the file is bad: the device is opened first.
    let status = if common::selector().is_some() { 2 } else { 4 };
    let message = refused(evenkeel(&["bfs", &bad, "--device", "abacus"]), status);
    assert!(!message.contains("chain.gr.gz"), "{message}");
    // Only the file is bad: it is named with the line of the text, not of what is compressed.
    let message = refused(on_device(&["bfs", &bad]), 3);
    assert!(message.contains("chain.gr.gz:49877: 'two' is not a node"), "{message}");
}

#[test]
fn a_truncated_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = chain(&folder, 5_000, None);
    let whole = fs::read(&graph).unwrap();
    for length in [12, whole.len() / 2, whole.len() - 1] {
        fs::write(&graph, &whole[..length]).unwrap();
        assert!(refused(on_device(&["bfs", &graph]), 3).contains("chain.gr.gz"), "{length} of {}", whole.len());
    }
}

#[test]
fn every_detail_is_logged_when_asked_for() {
    let message = stderr(on_device(&["bfs", "chain:nodes=9", "-vv"]).assert().success().get_output());
    assert!(message.contains("debug: opening the device took "), "{message}");
    assert!(message.contains("debug: making chain:nodes=9 took "), "{message}");
}
