//! The findings that come of made-up results, and the experiments of a folder of graphs.

use super::*;
use crate::reproduce::{
    Scale,
    testing::{self, record},
};
use serde_json::json;
use std::{fs, path::PathBuf};

const PARTS: [&str; 16] = [
    "graphs",
    "fig1",
    "fig2",
    "fastest",
    "spread",
    "counting",
    "table2",
    "accuracy",
    "unseen",
    "fig3",
    "switching",
    "memory",
    "hard",
    "collections",
    "features",
    "search",
];

/// The verdict and the numbers of each finding of a part, from these records.
fn findings(records: &[Value], part: &str) -> Vec<(Verdict, String)> {
    testing::findings(parts, records, part)
}

fn verdicts(records: &[Value], part: &str) -> Vec<Verdict> {
    findings(records, part).into_iter().map(|(verdict, _)| verdict).collect()
}

/// The rows of a part's table, as they are printed.
fn rows(records: &[Value], part: fn(&Results) -> Part) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let kept = json!({ "scale": "small", "records": records });
    fs::write(folder.path().join("results.json"), kept.to_string()).unwrap();
    let part = part(&Results::open(folder.path(), Scale::Small).unwrap());
    part.data.rows.iter().map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")).collect()
}

fn line(name: &str, average: f64) -> Value {
    json!({
        "name": name, "optimal": 0.6, "within_5_percent": 0.7, "up_to_2": 0.38, "over_5": 0.0, "over_20": 0.0,
        "average": average, "worst": 9.0,
    })
}

/// What `train` says: the averages of the model, the oracle and some variants over all graphs, and as much of the test graphs.
fn trained(tree: &str, averages: &[(&str, f64)], more: &Value) -> Value {
    let scores: Vec<Value> = averages.iter().map(|(name, average)| line(name, *average)).collect();
    let mut result = json!({ "scores": scores, "all_scores": scores });
    for (key, value) in more.as_object().unwrap() {
        result[key] = value.clone();
    }
    record(&format!("train {tree}"), &result)
}

/// On graphs that stand for those of the paper, what is so holds in direction, and what is not cannot be compared.
const SO: Verdict = Verdict::Direction;
const NOT: Verdict = Verdict::NotComparable;

#[test]
fn what_was_not_measured_has_no_verdict() {
    let results = [record("something else", &json!({}))];
    for part in PARTS {
        let verdicts = verdicts(&results, part);
        assert!(verdicts.iter().all(|it| *it == Verdict::NotComparable), "{part}: {verdicts:?}");
        assert!(["graphs", "unseen"].contains(&part) == verdicts.is_empty(), "{part}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("results.json"), json!({ "scale": "small", "records": results }).to_string()).unwrap();
    let all = parts(&Results::open(folder.path(), Scale::Small).unwrap());
    assert_eq!(all.iter().map(|part| part.name).collect::<Vec<_>>(), PARTS);
}

#[test]
fn what_was_measured_is_told_by_collection() {
    let graph = |name: &str, collection: &str, edges: u32| {
        json!({
            "graph": name, "collection": collection, "nodes": 5, "edges": edges, "directed": true, "levels": 7,
            "searches": 3, "whole_searches": 2,
        })
    };
    let mut broken = graph("data/web/broken.mtx", "web", 0);
    broken["refused"] = "it is no graph".into();
    let measured = json!([graph("a", "web", 9), broken, graph("b", "social", 3), graph("c", "web", 4)]);
    let rows = rows(&[record("levels files directed", &measured)], graphs::part);
    assert_eq!(
        rows,
        [
            "web directed | 2 | 2 | 5 | 4 to 9 | 6 | 4 | 14 | broken.mtx",
            "social directed | 1 | 1 | 5 | 3 | 3 | 2 | 7 | "
        ]
    );
}

#[test]
fn the_lines_of_table_2() {
    let variants = [
        ("edge-list atomic", 2.2),
        ("reverse-edge-list atomic", 3.0),
        ("vertex-push atomic", 39.0),
        ("vertex-pull atomic", 38.0),
        ("vertex-push-warp atomic", 19.0),
    ];
    let all = |model: f64| [&[("model", model), ("oracle", 1.65)], &variants[..]].concat();
    let found = findings(&[trained(PAPERS, &all(1.4), &json!({}))], "table2");
    assert_eq!(found.iter().map(|(verdict, _)| *verdict).collect::<Vec<_>>(), [SO; 6], "{found:?}");
    assert!(found[0].1.starts_with("1.40 times over all graphs"), "{}", found[0].1);
    assert!(found[2].1.starts_with("60 %, and 70 % within 5 % of the optimum"), "{}", found[2].1);
    assert!(found[3].1.starts_with("98 %"));
    assert!(found[4].1.starts_with("edge-list 2.20, reverse-edge-list 3.00"));
    let slow = [trained(PAPERS, &all(1.7), &json!({}))];
    assert_eq!(verdicts(&slow, "table2")[1], NOT, "the oracle is better");
    // The test graphs of a tree are another table.
    assert_eq!(rows(&slow, models::unseen), [""; 0]);
    let unseen = [trained(UNSEEN, &all(3.0), &json!({ "training": ["a"], "tuning": ["b"], "test": ["c"] }))];
    assert_eq!(rows(&unseen, models::unseen).len(), 1);
    assert_eq!(verdicts(&unseen, "table2"), [NOT; 6]);
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
        [trained(FIFTEEN, &[], &json!({ "table": { "counting": counts.map(line) } }))]
    };
    assert_eq!(verdicts(&counted(1.3, 1.4), "counting"), [SO]);
    let found = findings(&counted(0.5, 1.4), "counting");
    assert_eq!(found[0].0, NOT);
    assert!(found[0].1.starts_with(
        "subgroup takes 0.50 times as long as atomic: faster on 80 % of the levels, slower on 10 %; workgroup"
    ));
}

#[test]
fn the_fastest_and_the_spread() {
    let table = |last: f64, over: f64, over_of_large: f64| {
        let variant = |name: &str, all: f64| {
            json!({
                "variant": name, "all": all, "growing": all, "largest": all, "shrinking": all,
            })
        };
        let names = ["edge-list subgroup", "reverse-edge-list atomic", "vertex-push atomic", "vertex-pull atomic"];
        let mut fastest = names.map(|name| variant(name, 0.25)).to_vec();
        fastest.push(variant("vertex-push-warp atomic", last));
        let size = |from: u64, below: Option<u64>, over: f64| {
            json!({
                "edges_from": from, "edges_below": below, "graphs": 3, "levels": 40, "median": 9.0, "over_100": over,
                "largest": 99.0,
            })
        };
        let sizes = [size(0, Some(1_000_000), over), size(1_000_000, None, over_of_large)];
        let table = json!({
            "fastest": fastest, "median_spread": 300.0, "spread_over_100": over, "largest_spread": 2e4, "by_size": sizes,
        });
        [trained(FIFTEEN, &[], &json!({ "table": table }))]
    };
    assert_eq!(verdicts(&table(0.01, 0.8, 0.9), "fastest"), [SO]);
    assert_eq!(verdicts(&table(0.0, 0.8, 0.9), "fastest"), [NOT]);
    assert_eq!(verdicts(&table(0.0, 0.8, 0.2), "spread"), [SO; 2]);
    // Small graphs may hide what large ones show.
    let found = findings(&table(0.0, 0.2, 0.8), "spread");
    assert_eq!(found[0].0, SO);
    assert!(
        found[0]
            .1
            .starts_with("20 % of the levels: 20 % with fewer than 1,000,000 edges, 80 % with 1,000,000 or more edges"),
        "{}",
        found[0].1
    );
    assert_eq!(verdicts(&table(0.0, 0.2, 0.4), "spread")[0], NOT);
}

#[test]
fn accuracy_is_of_levels_of_known_graphs_or_of_others() {
    let accuracy = |best: f64, within: f64, slower: f64| {
        json!({
            "name": "all", "levels": 9, "best": best, "within_5_percent": within, "slower": slower, "lost": 0.1,
        })
    };
    let tree = |name: &str, (best, within, slower): (f64, f64, f64)| {
        trained(name, &[("model", 1.1)], &json!({ "accuracy": accuracy(best, within, slower) }))
    };
    assert_eq!(verdicts(&[tree(PAPERS, (0.95, 0.97, 0.099))], "accuracy"), [SO; 2]);
    // The fastest is not chosen as often, but one that is as fast is.
    let records = [tree(PAPERS, (0.91, 0.96, 0.2)), tree(UNSEEN, (0.5, 0.8, 2.0))];
    let found = findings(&records, "accuracy");
    assert_eq!([found[0].0, found[1].0], [SO, NOT]);
    let expected = "91 %, and 96 % within 5 % of the fastest; 50 % and 80 % on graphs that it has not seen";
    assert!(found[0].1.starts_with(expected), "{}", found[0].1);
    assert_eq!(verdicts(&[tree(PAPERS, (0.5, 0.8, 0.05))], "accuracy"), [NOT, SO]);
    // What a tree does on graphs that it has not seen is not what the paper says.
    assert_eq!(verdicts(&[tree(UNSEEN, (0.99, 0.99, 0.0))], "accuracy"), [NOT; 2]);
}

#[test]
fn four_features_are_held_against_all() {
    let tree = |name: &str, slower: f64, features: Value| {
        trained(name, &[], &json!({ "accuracy": { "best": 0.9, "slower": slower }, "importance": features }))
    };
    let records = |wide: f64| {
        [
            tree(PAPERS, 0.05, json!({ "frontier": 0.4, "edges": 0.6 })),
            tree(WIDE, wide, json!({ "frontier": 0.75, "in-degree-max": 0.25 })),
        ]
    };
    assert_eq!(verdicts(&records(0.06), "features"), [SO]);
    assert_eq!(verdicts(&records(0.01), "features"), [NOT]);
    assert_eq!(
        rows(&records(0.06), models::features),
        ["frontier | 40.0 % | 75.0 % |  | ", "edges | 60.0 % | 0.0 % |  | ", "in-degree-max | 0.0 % | 25.0 % |  | "]
    );
}

#[test]
fn collections_that_were_left_out() {
    let left_out = |models: &[f64]| {
        let line = |(place, model): (usize, &f64)| {
            let scores = [line("model", *model), line("oracle", 1.5)];
            json!({ "collection": format!("c{place}"), "graphs": 3, "scores": scores })
        };
        let lines: Vec<Value> = models.iter().enumerate().map(line).collect();
        [trained(UNSEEN, &[("model", 1.4)], &json!({ "left_out": lines }))]
    };
    assert_eq!(verdicts(&left_out(&[3.0, 2.0, 4.0]), "collections"), [SO; 2]);
    // One collection that is much worse than the others is not all of them.
    let found = findings(&left_out(&[1.1, 1.2, 1.3, 57.4]), "collections");
    assert_eq!([found[0].0, found[1].0], [NOT; 2]);
    let expected = "15.25 in the mean over collections, 1.20 without c3, 1.25 in the median; 1.40 on test graphs";
    assert!(found[0].1.starts_with(expected), "{}", found[0].1);
    assert_eq!(verdicts(&left_out(&[1.45, 1.45, 1.45]), "collections"), [SO, NOT]);
}

#[test]
fn bad_predictions_are_told_by_kind() {
    let graph = |name: &str, skew: f64, slowdown: f64| json!({ "graph": name, "collection": "c", "edges": 9, "skew": skew, "slowdown": slowdown, "variants": {} });
    let graphs = [graph("a", 2.0, 1.1), graph("b", 2.0, 1.9), graph("c", 99.0, 1.2), graph("d", 70.0, 1.0)];
    let kind =
        |name: &str, bipartite: bool| json!({ "graph": name, "collection": "c", "edges": 9, "bipartite": bipartite });
    let measured = json!([kind("a", false), kind("b", true), kind("c", false), kind("d", false)]);
    let records = [record("levels c", &measured), trained(PAPERS, &[], &json!({ "by_graph": graphs }))];
    let found = findings(&records, "hard");
    assert_eq!([found[0].0, found[1].0], [SO, NOT]);
    let expected = "1.90 times the optimum on 1 graphs, 1.10 on the 3 others; over 1.4 times for 100 % and 0 %";
    assert!(found[0].1.starts_with(expected), "{}", found[0].1);
}

/// The five implementations of the paper, by name.
fn five(times: [f64; 5]) -> Value {
    let names = ["edge-list", "reverse-edge-list", "vertex-push", "vertex-pull", "vertex-push-warp"];
    names.iter().zip(times).map(|(name, time)| (format!("{name} atomic"), json!(time))).collect()
}

#[test]
fn figures_of_single_graphs() {
    let graph = |name: &str, edges: u64, slowest: f64| json!({ "graph": name, "nodes": 5, "edges": edges, "variants": five([2.0, 3.0, 1.0, slowest, 4.0]) });
    let graphs = [graph("web", 20, 5.0), graph("web", 40, 50.0), graph("rmat:scale=9", 99, 200.0)];
    let level = |number: u32, push: f64| json!({ "level": number, "frontier": 3.0, "microseconds": [2.0, 3.0, push, 4.0, 5.0] });
    let levels = json!({
        "graph": "com-dblp", "source": 7, "variants": five([0.0; 5]).as_object().unwrap().keys().collect::<Vec<_>>(),
        "levels": [level(0, 1.0), level(1, 1.0), level(2, 90.0)],
    });
    // The names are sorted there.
    let more = json!({ "by_graph": graphs, "by_level": levels });
    let records = [trained(PAPERS, &[], &more)];
    let found = findings(&records, "fig1");
    assert_eq!(found[0].0, SO);
    assert!(
        found[0].1.starts_with("10 times or more on 2 of 3 graphs, 100 times or more on 1, at most 200"),
        "{found:?}"
    );
    // A file is shown once, and a generated graph not at all.
    assert_eq!(rows(&records, figures::fig1), ["web | 5 | 40 | 0.0400 | 0.0600 | 0.0200 | 1.0000 | 0.0800 | 50.0"]);
    assert_eq!(rows(&records, figures::fig2).len(), 3);
}

#[test]
fn vertex_push_may_win_most_levels_and_lose_the_search() {
    let level = |number: u32, push: f64| json!({ "level": number, "frontier": 3.0, "microseconds": [2.0, 3.0, push, 4.0, 5.0] });
    let figure = |last: f64| {
        let names = ["edge-list", "reverse-edge-list", "vertex-push", "vertex-pull", "vertex-push-warp"];
        let names = names.map(|name| format!("{name} atomic"));
        let levels = [level(0, 1.0), level(1, 1.0), level(2, last)];
        let figure = json!({ "graph": "com-dblp", "source": 7, "variants": names, "levels": levels });
        [trained(PAPERS, &[], &json!({ "by_level": figure }))]
    };
    let found = findings(&figure(90.0), "fig2");
    assert_eq!(found[0].0, SO);
    assert!(
        found[0].1.starts_with("it is the fastest of 2 of 3 levels, and takes 15.33 times as long as edge-list"),
        "{found:?}"
    );
    assert_eq!(verdicts(&figure(1.5), "fig2"), [NOT]);
}

#[test]
fn switching_is_held_against_levels() {
    let switching = |mean: f64, change: f64| {
        let pair = json!({
            "implementation": "vertex-push", "alone_us": 5.0, "decided_us": 5.1, "edge_list_us": 5.1,
            "switching_us": 5.1 + change, "prediction_us": 0.1, "switch_us": change,
        });
        let host = json!({ "levels": 9, "mean_ns": mean, "deviation_ns": 5.0, "most_ns": 999.0, "level_us": 30.0 });
        [record("switching", &json!({ "host": host, "levels": 256, "decisions": 8, "runs": 30, "device": [pair] }))]
    };
    assert_eq!(verdicts(&switching(144.0, 0.1), "switching"), [Verdict::Holds; 2]);
    assert_eq!(verdicts(&switching(250.0, 0.1), "switching")[0], Verdict::Direction, "longer, and insignificant");
    assert_eq!(verdicts(&switching(900.0, 3.0), "switching"), [Verdict::Fails; 2]);
}

/// An entry of a comparison, with the memory of the origins of four edges.
fn entry(strategy: &str, model: Option<&str>, time: f64, origins: u32) -> Value {
    json!({
        "strategy": strategy, "config": { "model": model }, "median": { "total_ms": time },
        "graph": { "edges": 4, "directed": true },
        "buffers": [{ "name": "columns", "bytes": 16 }, { "name": "origins of edges", "bytes": origins }],
    })
}

#[test]
fn searches_are_held_against_the_best_single_variant_and_gunrock() {
    let entries = |model: f64| {
        json!([
            entry("edge-list:count=atomic", None, 3.0, 16),
            entry("vertex-pull:count=atomic", None, 2.0, 0),
            entry("adaptive:model=a/paper.tree", Some(PAPERS), model, 16),
            entry("adaptive:model=a/cost.tree", Some(COST), 1.0, 16),
        ])
    };
    let found = findings(&[record("search star", &entries(1.25))], "search");
    assert_eq!(found[0].0, SO);
    assert!(found[0].1.starts_with("60 % on star"), "{}", found[0].1);
    assert_eq!(verdicts(&[record("search star", &entries(2.5))], "search"), [NOT], "switching loses");

    assert_eq!(verdicts(&[record("search star", &entries(1.25))], "memory"), [Verdict::Holds]);
    let (graph, gunrock) = figures::gunrock().into_iter().find(|(graph, _)| graph == "rmat 20").unwrap();
    let mut record = record(&format!("search {graph}"), &entries(gunrock / 2.0));
    assert_eq!(verdicts(&[record.clone()], "fig3"), [NOT; 3], "another device");
    record["device"] = "NVIDIA H200".into();
    let found = findings(&[record], "fig3");
    assert_eq!([found[0].0, found[1].0, found[2].0], [SO, NOT, NOT]);
    assert!(found[0].1.starts_with("2.00 times in the mean over 1 graphs, slower on 0"), "{}", found[0].1);
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
