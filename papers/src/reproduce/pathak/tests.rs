//! The findings that come of made-up results.

use super::*;
use crate::reproduce::{
    finding::Verdict::{self, Direction, Fails, Holds, NotComparable},
    testing::{self, record},
};
use serde_json::{Value, json};

fn findings(records: &[Value], part: &str) -> Vec<(Verdict, String)> {
    testing::findings(parts, records, part)
}

fn verdicts(records: &[Value], part: &str) -> Vec<Verdict> {
    findings(records, part).into_iter().map(|(verdict, _)| verdict).collect()
}

/// A comparison on a graph of that name.
fn compared(experiment: &str, graph: &str, times: &[(&str, f64)]) -> Value {
    let entry = |(strategy, time): &(&str, f64)| {
        json!({
            "strategy": strategy, "graph": { "name": graph, "nodes": 1000, "edges": 4000 }, "device": { "kind": "discrete" },
            "median": { "total_ms": time },
        })
    };
    record(experiment, &json!(times.iter().map(entry).collect::<Vec<_>>()))
}

#[test]
fn what_was_not_measured_is_not_comparable() {
    let results = [record("something else", &json!({}))];
    for part in ["bfs", "sssp", "apsp"] {
        let verdicts = verdicts(&results, part);
        assert!(!verdicts.is_empty() && verdicts.iter().all(|it| *it == NotComparable), "{part}: {verdicts:?}");
    }
}

#[test]
fn searches_on_generated_graphs_hold_in_direction() {
    let searches = |graph: &str| -> Vec<Value> {
        let one = |number: usize| {
            let scan = if number < 3 { 9.0 } else { 2.0 };
            compared(&format!("bfs {number}"), graph, &[("parallel", 1.0), ("queue", 3.0), ("scan", scan)])
        };
        NUMBERS.map(one).into()
    };
    assert_eq!(verdicts(&searches("soc-Slashdot0902"), "bfs"), [Holds; 3]);
    let generated = findings(&searches("er:nodes=9"), "bfs");
    assert!(generated.iter().all(|(verdict, _)| *verdict == Direction), "{generated:?}");
    assert!(generated[1].1.ends_with("graphs 1, 2 are generated"), "{}", generated[1].1);
}

#[test]
fn speedups_are_over_dijkstra_on_one_thread() {
    let measured = |dijkstra: [f64; 5]| -> Vec<Value> {
        let times = |number: usize| {
            let edges = if number == 2 { 8.0 } else { 1.0 };
            [
                ("two-phase", 1.0),
                ("two-phase:coarsen=2", 1.5),
                ("two-phase:coarsen=4", 2.0),
                ("two-phase:coarsen=8", 2.5),
            ]
            .map(|(strategy, time)| (strategy, edges * time))
        };
        let one = |number: usize| {
            let cpu = json!({ "oracle_ms": dijkstra[number - 1], "median": { "total_ms": 5.0 } });
            [compared(&format!("sssp {number}"), "real", &times(number)), record(&format!("cpu {number}"), &cpu)]
        };
        NUMBERS.into_iter().flat_map(one).collect()
    };
    assert_eq!(verdicts(&measured([4.0, 80.0, 20.0, 40.0, 100.0]), "sssp"), [Holds; 5]);
    let found = verdicts(&measured([9.0, 16.0, 20.0, 40.0, 0.5]), "sssp");
    assert_eq!(found, [Holds, Holds, Fails, Direction, Fails]);
}

#[test]
fn all_pairs_from_each_node_are_counted() {
    let measured = |search: f64, dense: f64| -> Vec<Value> {
        let one = |number: usize| {
            let run = json!({ "median": { "total_ms": search }, "graph": { "nodes": 1000 } });
            let times = [("sssp", 1.0), ("floyd-warshall", 500.0), ("blocked", 100.0)];
            let all = compared(&format!("apsp {number}"), "real", &times);
            [all].into_iter().chain((1..=4).map(move |search| record(&format!("search {search} of {number}"), &run)))
        };
        let density = |degree: u32| {
            let time = if degree == 128 { dense } else { 100.0 };
            compared(&format!("density {degree}"), "er:nodes=9", &[("floyd-warshall", time)])
        };
        NUMBERS.into_iter().flat_map(one).chain([2, 8, 32, 128].map(density)).collect()
    };
    // A second of searches against half a second of the matrix.
    assert_eq!(verdicts(&measured(1.0, 105.0), "apsp"), [Holds, Fails, Holds, Holds]);
    assert_eq!(verdicts(&measured(0.1, 130.0), "apsp"), [Fails, Holds, Holds, Fails]);
}
