//! The findings that come of made-up results, and the experiments of a folder of graphs.

use super::*;
use crate::reproduce::{
    Scale,
    finding::Verdict,
    testing::{self, record},
};
use serde_json::json;
use std::{fs, path::PathBuf};

/// The verdict and the numbers of each finding of a part, from these records.
fn findings(records: &[Value], part: &str) -> Vec<(Verdict, String)> {
    testing::findings(parts, records, part)
}

fn verdicts(records: &[Value], part: &str) -> Vec<Verdict> {
    findings(records, part).into_iter().map(|(holds, _)| holds).collect()
}

fn line(name: &str, average: f64) -> Value {
    json!({
        "name": name, "optimal": 0.6, "within_5_percent": 0.7, "up_to_2": 0.38, "over_5": 0.0, "over_20": 0.0,
        "average": average, "worst": 9.0,
    })
}

/// What `train` says: the averages of the model, the oracle and some variants.
fn trained(tree: &str, averages: &[(&str, f64)], more: &Value) -> Value {
    let scores: Vec<Value> = averages.iter().map(|(name, average)| line(name, *average)).collect();
    let mut result = json!({ "scores": scores });
    for (key, value) in more.as_object().unwrap() {
        result[key] = value.clone();
    }
    record(&format!("train {tree}"), &result)
}

#[test]
fn what_was_not_measured_has_no_verdict() {
    let results = [record("something else", &json!({}))];
    for part in ["fastest", "counting", "table2", "accuracy", "collections", "features", "search"] {
        let verdicts = verdicts(&results, part);
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|it| *it == Verdict::NotComparable),
            "{part}: {verdicts:?}"
        );
    }
}

#[test]
fn what_was_measured_is_told_by_collection() {
    let graph = |name: &str, collection: &str, edges: u32| {
        json!({
            "graph": name, "collection": collection, "nodes": 5, "edges": edges, "directed": true, "levels": 7,
        })
    };
    let mut broken = graph("data/web/broken.mtx", "web", 0);
    broken["refused"] = "it is no graph".into();
    let measured = json!([graph("a", "web", 9), broken, graph("b", "social", 3), graph("c", "web", 4)]);
    let folder = tempfile::tempdir().unwrap();
    let kept = json!({ "scale": "small", "records": [record("levels files directed", &measured)] });
    fs::write(folder.path().join("results.json"), kept.to_string()).unwrap();
    let part = graphs::part(&Results::open(folder.path(), Scale::Small).unwrap());
    let rows: Vec<String> =
        part.data.rows.iter().map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")).collect();
    assert_eq!(rows, ["social directed | 1 | 1 | 5 | 3 | 7 | ", "web directed | 2 | 2 | 5 | 4 to 9 | 14 | broken.mtx"]);
}

#[test]
fn the_lines_of_table_2() {
    let variants = [
        ("edge-list atomic", 2.5),
        ("edge-list subgroup", 2.0),
        ("reverse-edge-list atomic", 3.0),
        ("vertex-push atomic", 40.0),
        ("vertex-pull atomic", 38.0),
        ("vertex-push-warp atomic", 19.0),
    ];
    let all = |model: f64| [&[("model", model), ("oracle", 1.65)], &variants[..]].concat();
    let records = [trained("gini", &all(1.4), &json!({})), trained("fifteen", &all(1.2), &json!({}))];
    let found = findings(&records, "table2");
    assert!(found.iter().all(|(holds, _)| *holds == Verdict::Holds), "{found:?}");
    assert_eq!(found[0].1, "1.40 times; 1.20 by a cost tree");
    assert_eq!(found[3].1, "98 %; 98 % by a cost tree");
    assert!(found[4].1.starts_with("edge-list 2.00, reverse-edge-list 3.00"), "with the count that is best for it");
    let slow = [trained("gini", &all(1.7), &json!({})), trained("fifteen", &all(1.2), &json!({}))];
    assert_eq!(verdicts(&slow, "table2")[..2], [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn reductions_are_held_against_atomics() {
    let counted = |subgroup: f64, workgroup: f64| {
        let counts = [("subgroup", subgroup), ("workgroup", workgroup)];
        let line = |(count, times): (&str, f64)| {
            json!({
                "implementation": "edge-list", "count": count, "times": times, "faster": 0.8, "slower": 0.1,
            })
        };
        [trained("fifteen", &[], &json!({ "table": { "counting": counts.map(line) } }))]
    };
    assert_eq!(verdicts(&counted(1.3, 1.4), "counting"), [Verdict::Holds]);
    let found = findings(&counted(0.5, 1.4), "counting");
    assert_eq!(found[0].0, Verdict::Fails);
    assert!(found[0].1.starts_with(
        "subgroup takes 0.50 times as long as atomic: faster on 80 % of the levels, slower on 10 %; workgroup"
    ));
}

#[test]
fn the_fastest_and_the_spread() {
    let table = |last: f64, over: f64| {
        let variant = |name: &str, all: f64| {
            json!({
                "variant": name, "all": all, "growing": all, "largest": all, "shrinking": all,
            })
        };
        let names = ["edge-list subgroup", "reverse-edge-list atomic", "vertex-push atomic", "vertex-pull atomic"];
        let mut fastest = names.map(|name| variant(name, 0.25)).to_vec();
        fastest.push(variant("vertex-push-warp atomic", last));
        let table =
            json!({ "fastest": fastest, "median_spread": 300.0, "spread_over_100": over, "largest_spread": 2e4 });
        [trained("fifteen", &[], &json!({ "table": table }))]
    };
    assert_eq!(verdicts(&table(0.01, 0.8), "fastest"), [Verdict::Holds; 3]);
    assert_eq!(verdicts(&table(0.0, 0.2), "fastest"), [Verdict::Fails, Verdict::Fails, Verdict::Holds]);
}

#[test]
fn accuracy_and_features() {
    let accuracy = |best: f64, slower: f64| {
        json!({
            "name": "all", "levels": 9, "best": best, "within_5_percent": 0.97, "slower": slower, "lost": 0.1,
        })
    };
    let tree = |name: &str, average: f64, best: f64, slower: f64, features: Value| {
        let more = json!({
            "accuracy": accuracy(best, slower), "accuracy_by_level": [accuracy(best, slower)],
            "importance": features,
        });
        trained(name, &[("model", average)], &more)
    };
    let records = [
        tree("gini", 1.3, 0.95, 0.099, json!({ "frontier": 1.0 })),
        tree("fifteen", 1.2, 0.8, 0.05, json!({ "frontier": 1.0 })),
        tree("degrees", 1.1, 0.8, 0.05, json!({ "frontier": 0.75, "in-degree-max": 0.25 })),
    ];
    assert_eq!(verdicts(&records, "accuracy"), [Verdict::Holds, Verdict::Holds]);
    let found = findings(&records, "features");
    assert_eq!(found[0].0, Verdict::Fails, "the model with all degrees is better");
    assert!(found[0].1.ends_with("in- and total degrees decide 25 % of what is saved"), "{}", found[0].1);
    assert_eq!(verdicts(&[tree("gini", 1.3, 0.9, 0.2, json!({}))], "accuracy"), [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn collections_that_were_left_out() {
    let left_out = |model: f64| {
        let line = json!({ "collection": "road", "graphs": 3, "scores": [line("model", model), line("oracle", 1.5)] });
        [trained("gini", &[("model", 1.4)], &json!({ "left_out": [line] }))]
    };
    assert_eq!(verdicts(&left_out(3.0), "collections"), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(verdicts(&left_out(1.45), "collections"), [Verdict::Holds, Verdict::Fails]);
    assert_eq!(verdicts(&left_out(1.2), "collections"), [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn searches_are_held_against_the_best_single_variant() {
    let entry = |strategy: &str, model: Option<&str>, time: f64| {
        json!({
            "strategy": strategy, "config": { "model": model }, "median": { "total_ms": time },
        })
    };
    let entries = [
        entry("edge-list:count=atomic", None, 3.0),
        entry("vertex-pull:count=subgroup", None, 2.0),
        entry("adaptive:model=a/gini.tree", Some("gini"), 1.25),
        entry("adaptive:model=a/fifteen.tree", Some("fifteen"), 1.0),
    ];
    let found = findings(&[record("search star", &json!(entries))], "search");
    let here = "60 % in the geometric mean (60 % on star); 100 % by a cost tree";
    assert_eq!(found, [(Verdict::Holds, here.to_owned())]);
}

#[test]
fn the_files_of_a_folder_and_of_those_in_it_are_measured() {
    let data = tempfile::tempdir().unwrap();
    for file in ["top.mtx", "cusparse.csv", "README", "web pages/a.el.gz", "web pages/b.gr", "empty/note.md"] {
        let path = data.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let (scale, folder) = (Scale::Paper, PathBuf::from("re produced"));
    let list = experiments(&Setting { scale, data: Some(data.path().to_owned()), folder });
    let of_files: Vec<&Experiment> = list.iter().filter(|it| it.name.starts_with("levels files")).collect();
    assert_eq!(of_files.len(), 2);
    for (experiment, direction) in of_files.iter().zip(["--directed", "--undirected"]) {
        let paths = ["top.mtx", "web pages/a.el.gz", "web pages/b.gr"];
        assert_eq!(experiment.words[1..4], paths.map(|file| data.path().join(file).to_string_lossy().into_owned()));
        assert!(experiment.words[4] == direction && !experiment.reads_others);
    }
    // A tree is grown from all tables, and a blank in a path does not part it.
    let train = list.iter().find(|it| it.name == "train listed").unwrap();
    assert!(train.words.contains(&"re produced/levels-files-undirected.parquet".to_owned()) && train.reads_others);
    assert_eq!(train.words.iter().filter(|word| word.ends_with(".parquet")).count(), 8 + 2);
    assert_eq!(train.words.last().unwrap(), "re produced/listed.tree");
}

#[test]
fn the_generated_graphs_can_be_made() {
    for scale in [Scale::Small, Scale::Paper] {
        let all = graphs::all(&Setting { scale, data: None, folder: PathBuf::new() });
        for graph in all.iter().flat_map(|measured| &measured.graphs) {
            let generator: evenkeel::graph::generate::Generator = graph.parse().unwrap();
            assert_eq!(generator.to_string(), *graph);
        }
        let count: usize = all.iter().map(|measured| measured.graphs.len()).sum();
        assert!(all.len() >= 6 && (scale == Scale::Small || (40..=60).contains(&count)), "{count}");
    }
}
