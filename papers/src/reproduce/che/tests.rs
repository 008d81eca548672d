//! The findings that come of made-up results.

use super::*;
use crate::reproduce::{
    finding::Verdict,
    testing::{self, record},
};
use serde_json::json;

fn measured(strategy: &str, total_ms: f64, colors: u32) -> Value {
    json!({
        "strategy": strategy, "colors": colors, "prepare_ms": { "total": 3.0, "uploading": 1.5 }, "fetch_ms": 0.5,
        "median": { "total_ms": total_ms, "iterations": 10 },
    })
}

/// The verdict and the numbers of each finding of a part, from these records.
fn findings(records: &[Value], part: &str) -> Vec<(Verdict, String)> {
    testing::findings(parts, records, part)
}

fn verdicts(records: &[Value], part: &str) -> Vec<Verdict> {
    findings(records, part).into_iter().map(|(holds, _)| holds).collect()
}

#[test]
fn what_was_not_measured_has_no_verdict() {
    let results = [record("something else", &json!({}))];
    for part in ["fig3", "table1", "fig5", "fig6", "transfers", "fig7", "fig8", "fig9"] {
        let verdicts = verdicts(&results, part);
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|it| *it == Verdict::NotComparable),
            "{part}: {verdicts:?}"
        );
    }
}

#[test]
fn stealing_is_held_against_queues_without_it() {
    let with = |times: [f64; 3]| {
        let pair = |(queues, time): (u32, f64)| {
            [(false, 100.0), (true, time)].map(|(it, ms)| measured(&queued(queues, it), ms, 9))
        };
        let entries: Vec<Value> = QUEUES.into_iter().zip(times).flat_map(pair).collect();
        [record("stealing", &json!(entries))]
    };
    let found = findings(&with([92.0, 95.0, 97.0]), "fig3");
    assert_eq!(found[0], (Verdict::Holds, "8 % with 4 queues, 5 % with 8 queues, 3 % with 16 queues".into()));
    assert_eq!(found[1].0, Verdict::Holds);
    assert_eq!(verdicts(&with([92.0, 95.0, 110.0]), "fig3"), [Verdict::Fails, Verdict::Holds]);
    assert_eq!(verdicts(&with([80.0, 95.0, 97.0]), "fig3"), [Verdict::Holds, Verdict::Fails]);
}

#[test]
fn queues_are_even_or_not() {
    let counts = |queues: u32, first: u32| {
        // Ten iterations of 320 elements: the first queue's workgroup took so many from the last one.
        let each = 3200 / queues;
        let count = |queue: u32| match queue {
            0 => json!({ "queue": 0, "popped": each, "stolen": first }),
            _ if queue == queues - 1 => json!({ "queue": queue, "popped": each - first, "stolen": 0 }),
            _ => json!({ "queue": queue, "popped": each, "stolen": 0 }),
        };
        let queued: Vec<Value> = (0..queues).map(count).collect();
        record(&format!("queues {queues}"), &json!({ "median": { "iterations": 10 }, "details": { "queues": queued } }))
    };
    let found = findings(&[counts(4, 40), counts(8, 20), counts(16, 10)], "table1");
    assert_eq!(found[0], (Verdict::Holds, "3.5 % with 4 queues, 2.5 % with 8 queues, 1.8 % with 16 queues".into()));
    assert_eq!(found[1], (Verdict::Holds, "2.83 with 4 queues, 1.00 with 8 queues, 0.35 with 16 queues".into()));
    assert_eq!(
        verdicts(&[counts(4, 400), counts(8, 400), counts(16, 200)], "table1"),
        [Verdict::Fails, Verdict::Holds]
    );
    assert_eq!(verdicts(&[counts(4, 10), counts(8, 20)], "table1"), [Verdict::Holds, Verdict::Fails]);
}

#[test]
fn the_hybrid_and_its_transfers() {
    let compared = |name: &str, random: f64, hybrid: f64| {
        let both = [measured("random", random, 30), measured("hybrid", hybrid, 31)];
        record(&format!("hybrid {name}"), &json!(both))
    };
    let records =
        [compared("dip", 98.0, 73.0), compared("coAuthorsDBLP", 98.0, 78.0), compared("G3_circuit", 8.0, 8.0)];
    let found = findings(&records, "fig6");
    // With 2 ms of transfers: 75 of 100, 80 of 100 and 10 of 10.
    let expected = [
        (Verdict::Holds, "25 %"),
        (Verdict::Fails, "20 %"),
        (Verdict::Holds, "0 %"),
        (Verdict::NotComparable, "not measured"),
    ];
    assert_eq!(found, expected.map(|(holds, here)| (holds, here.to_owned())));
    let found = findings(&records, "transfers");
    assert_eq!(found[0], (Verdict::Holds, "2.7 % on dip, 2.5 % on coAuthorsDBLP, 20.0 % on G3_circuit".into()));
    assert_eq!(found[1].0, Verdict::Holds);
    let slow = [compared("dip", 1.0, 1.0), compared("coAuthorsDBLP", 98.0, 78.0), compared("G3_circuit", 8.0, 8.0)];
    assert_eq!(verdicts(&slow, "transfers"), [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn the_iterations_of_the_hybrid() {
    let list = |colored: &[u32], highest: &[u32]| {
        let iteration = |(place, (colored, highest)): (usize, (&u32, &u32))| {
            json!({
                "iteration": place + 1, "active": 1000, "colored": colored, "colors": place, "highest_degree": highest,
                "median_degree": 3, "mean_degree": 4.5, "degrees": [0, 5, 3],
            })
        };
        let list: Vec<Value> = colored.iter().zip(highest).enumerate().map(iteration).collect();
        json!({ "details": { "iterations": list } })
    };
    let hybrid = list(&[10, 15, 18, 20, 21, 21, 500, 900], &[300, 200, 150, 99, 80, 60, 50, 40]);
    let random = list(&[400, 500, 600, 700, 800, 900, 950, 1000], &[300; 8]);
    let records = [record("iterations hybrid", &hybrid), record("iterations random", &random)];
    assert_eq!(verdicts(&records, "fig7"), [Verdict::Holds, Verdict::Holds]);
    let found = findings(&records, "fig9");
    assert_eq!(found[0], (Verdict::Holds, "10, 5, 3, 2, 1 nodes".into()));
    assert_eq!(found[1], (Verdict::Holds, "random labels from iteration 7 on".into()));
    let records = [record("iterations hybrid", &list(&[10, 30, 30], &[300, 300, 300]))];
    assert_eq!(verdicts(&records, "fig9"), [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn the_sweep_names_the_best_switch() {
    let sweep = |times: [f64; 8]| {
        let entry = |(place, time): (usize, f64)| measured(&switched(SWITCHES[place]), time, 60 + place as u32);
        record("switch", &json!(times.into_iter().enumerate().map(entry).collect::<Vec<_>>()))
    };
    let found = findings(&[sweep([20.0, 12.0, 11.0, 10.5, 10.0, 11.0, 11.5, 11.8])], "fig8");
    assert_eq!(found[0], (Verdict::Holds, "17 % between switching after 4 and after 1".into()));
    assert_eq!((found[1].0, &found[2]), (Verdict::Holds, &(Verdict::Holds, "60 to 67 colours".into())));
    let found = verdicts(&[sweep([20.0, 10.0, 10.1, 10.2, 10.3, 10.4, 10.4, 10.4])], "fig8");
    assert_eq!(found, [Verdict::Fails, Verdict::Fails, Verdict::Holds]);
}

#[test]
fn the_degrees_of_the_graphs() {
    let info = |name: &str, median: u32, max: u32| {
        let degrees =
            json!({ "min": 1, "median": median, "max": max, "histogram": [{ "from": 1, "to": 1, "nodes": 5 }] });
        record(&format!("graph {name}"), &json!({ "name": name, "nodes": 10, "edges": 20, "degrees": degrees }))
    };
    let found = findings(&[info("dip", 5, 315), info("coAuthorsDBLP", 4, 205), info("G3_circuit", 4, 4)], "fig5");
    assert_eq!(found.iter().map(|(holds, _)| *holds).collect::<Vec<_>>(), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(
        verdicts(&[info("dip", 5, 20), info("coAuthorsDBLP", 4, 205), info("G3_circuit", 4, 9)], "fig5"),
        [Verdict::Fails, Verdict::Fails]
    );
}
