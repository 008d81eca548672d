//! Four workers on the loopback interface write what one writes.

use super::{inside, number_of, printed, refused};
use std::fs;

/// The whole answer as text, of one worker and of four.
fn same(algorithm: &str, graph: &str, options: &[&str]) {
    let run = |more: &[&str]| printed(&[&[algorithm, graph, "-q", "-o", "-"], options, more].concat());
    assert_eq!(run(&["--workers", "4"]), run(&["--device", "cpu"]), "{algorithm} {graph} {options:?}");
}

#[test]
fn four_workers_write_what_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = inside(&folder, name);
        fs::write(&path, text).unwrap();
        path
    };
    let roads = file("roads.gr", "c a tiny road network\np sp 4 4\na 1 2 5\na 2 3 7\na 1 3 20\na 4 1 1\n");
    let names = file("names.csv", "source,target,weight\nann,bob,1.5\nbob,\"Smith, C\",2\neve,eve,1\n");
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/files");
    let [gml, parquet] = ["networkx.gml", "names.parquet"].map(|name| format!("{files}/{name}"));
    for graph in [
        "rmat:scale=9",
        "star:nodes=1",
        "star:nodes=3",
        "star:nodes=900",
        "er:nodes=500,degree=1",
        &gml,
        &parquet,
        &roads,
        &names,
    ] {
        same("bfs", graph, &[]);
        same("sssp", graph, &[]);
        same("components", graph, &[]);
        same("bfs", graph, &["--undirected", "--max-depth", "2"]);
    }
    same("sssp", "rmat:scale=9,directed=true", &["--weights", "random:1..64", "--seed", "5", "--source", "random:3"]);
    same("sssp", "chain:nodes=2000", &["--source", "0"]);
    same("bfs", "chain:nodes=2000", &["--source", "1999"]);
    same("components", "chain:nodes=2000", &[]);
}

#[test]
fn answers_of_real_graphs_are_right_and_written_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let ekg = inside(&folder, "g.ekg");
    printed(&["generate", "road:nodes=3000,lengths=true", "-o", &ekg]);
    for algorithm in ["bfs", "sssp", "pagerank", "components"] {
        let shown = printed(&[algorithm, &ekg, "--workers", "3", "--validate"]);
        assert!(shown.contains("✓ every value agrees") && shown.contains("workers   3 workers"), "{shown}");
        let output = inside(&folder, &format!("{algorithm}.parquet"));
        printed(&[algorithm, &ekg, "--workers", "2", "-q", "-o", &output]);
        assert!(fs::metadata(&output).unwrap().len() > 3000, "{output}");
    }
}

#[test]
fn the_report_has_what_each_iteration_exchanged() {
    let text = printed(&["bfs", "rmat:scale=10", "--workers", "4", "--runs", "2", "--json", "-"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let iterations = report["iterations"].as_array().unwrap();
    assert!(iterations.len() >= 3, "{text}");
    let bytes: u64 = iterations.iter().map(|it| it["bytes"].as_u64().unwrap()).sum();
    assert!(bytes > 100 && report["bytes_exchanged"] == bytes, "{text}");
    assert!(iterations.iter().all(|it| it["exchange_ms"].as_f64().unwrap() > 0.0));
    assert_eq!((report["runs"].as_array().unwrap().len(), report["workers"].as_array().unwrap().len()), (2, 4));
    let edges: u64 = report["workers"].as_array().unwrap().iter().map(|it| it["edges"].as_u64().unwrap()).sum();
    assert_eq!(report["graph"]["edges"], edges);
}

#[test]
fn what_several_workers_do_not_follow_is_refused_by_name() {
    for option in [
        &["--parents"][..],
        &["--sources", "1,2"],
        &["--profile"],
        &["--strategy", "node"],
        &["--target", "3"],
        &["--levels", "x.csv"],
        &["--html", "x.html"],
        &["--memory", "1GiB"],
        &["--partition-bytes", "1MiB"],
    ] {
        let message = refused(&[&["bfs", "rmat:scale=5", "--workers", "2"], option].concat(), 2);
        assert!(message.contains(&format!("{} is for one worker", option[0])), "{message}");
    }
    assert!(refused(&["components", "rmat:scale=5", "--workers", "2", "--strong"], 2).contains("--strong is for one"));
    assert!(refused(&["bfs", "-", "--workers", "2"], 2).contains("cannot read standard input"));
    assert!(refused(&["bfs", "rmat:scale=5", "--timeout", "3"], 2).contains("--timeout is about workers"));
    assert!(refused(&["color", "rmat:scale=5", "--workers", "2"], 2).contains("--workers"));
}

/// The devices to test with: subgroups that the CPU emulates, and software that speaks Vulkan, where it is there.
fn devices() -> Vec<&'static str> {
    let is_there = printed(&["devices"]).contains("llvmpipe");
    assert!(is_there || std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_none(), "there is no software driver");
    ["cpu:subgroup=32", "llvmpipe"].into_iter().filter(|device| is_there || *device != "llvmpipe").collect()
}

#[test]
fn workers_on_devices_write_what_one_does() {
    for device in devices() {
        for (algorithm, graph, options) in [
            ("bfs", "rmat:scale=7", &["--validation-layer"][..]),
            ("sssp", "er:nodes=90,degree=3,directed=true", &["--weights", "random:1..64"]),
            ("components", "er:nodes=200,degree=1", &["--no-pipeline-cache"]),
        ] {
            let run = |more: &[&str]| printed(&[&[algorithm, graph, "-q", "-o", "-"], options, more].concat());
            assert_eq!(
                run(&["--workers", "2", "--device", device]),
                run(&["--device", "cpu"]),
                "{algorithm} on {device}"
            );
        }
        let shown = printed(&["pagerank", "rmat:scale=7", "--workers", "2", "--device", device, "--validate"]);
        assert!(shown.contains("✓ every value agrees") && shown.contains("\ndevices   "), "{shown}");
    }
    let on_threads =
        |more: &[&str]| printed(&[&["bfs", "rmat:scale=7", "-q", "-o", "-", "--device", "cpu"], more].concat());
    assert_eq!(on_threads(&["--workers", "2"]), on_threads(&[]));
}

#[test]
fn the_report_has_the_device_of_each_worker() {
    let report = |options: &[&str]| -> serde_json::Value {
        let text = printed(&[&["bfs", "rmat:scale=5", "--workers", "2", "--json", "-"], options].concat());
        serde_json::from_str(&text).unwrap()
    };
    let one: serde_json::Value =
        serde_json::from_str(&printed(&["bfs", "rmat:scale=5", "--device", "cpu:subgroup=8", "--json", "-"])).unwrap();
    for worker in report(&["--device", "cpu:subgroup=8"])["workers"].as_array().unwrap() {
        assert_eq!((&worker["device"], &worker["on_device"]), (&one["device"]["name"], &true.into()), "{worker}");
    }
    for options in [&[][..], &["--device", "cpu"]] {
        for worker in report(options)["workers"].as_array().unwrap() {
            assert!(worker["on_device"] == false && worker["device"].is_string(), "{worker}");
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_as_by_one_worker() {
    for device in ["no such device", "cpu:subgroup=3", ""] {
        let refused = |more: &[&str]| {
            let output =
                super::evenkeel(&[&["bfs", "rmat:scale=5", "--device", device], more].concat()).output().unwrap();
            assert!(!output.status.success());
            (output.status.code(), super::stderr(&output))
        };
        assert_eq!(refused(&["--workers", "2"]), refused(&[]), "{device}");
    }
}

#[test]
fn errors_are_those_of_one_worker() {
    let one = refused(&["bfs", "rmat:scale=5", "--source", "nobody", "--device", "cpu"], 2);
    assert_eq!(refused(&["bfs", "rmat:scale=5", "--source", "nobody", "--workers", "3"], 2), one);
    assert!(refused(&["bfs", "er:nodes=0", "--workers", "3"], 3).contains("has no nodes"));
    let folder = tempfile::tempdir().unwrap();
    let path = inside(&folder, "bad.txt");
    let lines: String =
        (0..100).map(|i| if i == 70 { "x y z\n".to_owned() } else { format!("{i} {}\n", i + 1) }).collect();
    fs::write(&path, lines).unwrap();
    assert!(refused(&["bfs", &path, "--workers", "3"], 3).contains("bad.txt:71: "));
    let output = inside(&folder, "missing/answer.txt");
    assert!(refused(&["bfs", "rmat:scale=5", "--workers", "3", "-o", &output], 3).contains("answer.txt"));
}

/// With `EVENKEEL_RUNS=1000` this takes some minutes.
#[test]
fn many_small_runs_do_not_hang() {
    let expected = printed(&["bfs", "rmat:scale=6", "-q", "-o", "-", "--device", "cpu"]);
    for run in 0..number_of("EVENKEEL_RUNS", 10) {
        let child = super::started(&["bfs", "rmat:scale=6", "--workers", "4", "-q", "-o", "-"]);
        let output = super::ended(child, std::time::Duration::from_secs(60));
        assert!(output.status.success(), "run {run}: {}", super::stderr(&output));
        assert_eq!(super::stdout(&output), expected, "run {run}");
    }
}
