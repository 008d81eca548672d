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

/// What is known of the paper's own graphs, and of others.
fn graphs(own: bool) -> Vec<Value> {
    let info = |graph: &&str| {
        let name = if own { (*graph).to_owned() } else { format!("grid:of={graph}") };
        record(&format!("graph {graph}"), &json!({ "name": name, "nodes": 10, "edges": 20 }))
    };
    GRAPHS.iter().map(info).collect()
}

#[test]
fn stealing_is_held_against_queues_without_it() {
    let with = |times: [f64; 3]| {
        let pair = |(queues, time): (u32, f64)| {
            [(false, 100.0), (true, time)].map(|(it, ms)| measured(&queued(queues, it), ms, 9))
        };
        let entries: Vec<Value> = QUEUES.into_iter().zip(times).flat_map(pair).collect();
        record("stealing", &json!(entries))
    };
    let found = findings(&[with([92.0, 95.0, 97.0])], "fig3");
    assert_eq!(found, [(Verdict::Holds, "8 % with 4 queues, 5 % with 8 queues, 3 % with 16 queues".into())]);
    assert_eq!(verdicts(&[with([92.0, 95.0, 110.0])], "fig3"), [Verdict::Fails]);
    assert_eq!(verdicts(&[with([80.0, 95.0, 97.0])], "fig3"), [Verdict::Direction]);
    let others = |times: [f64; 3]| [graphs(false), vec![with(times)]].concat();
    assert_eq!(verdicts(&others([92.0, 95.0, 97.0]), "fig3"), [Verdict::Direction]);
    let found = findings(&others([92.0, 95.0, 110.0]), "fig3");
    assert_eq!(found[0].0, Verdict::NotComparable);
    assert!(found[0].1.ends_with("fails, but grid:of=dip stands for dip"), "{}", found[0].1);
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
        let result = json!({ "median": { "iterations": 10 }, "details": { "queues": queued } });
        (1..=COUNTS).map(move |count| record(&format!("queues {queues}, count {count}"), &result))
    };
    let all =
        |firsts: [u32; 3]| QUEUES.into_iter().zip(firsts).flat_map(|(it, first)| counts(it, first)).collect::<Vec<_>>();
    let found = findings(&all([24, 20, 10]), "table1");
    let near = "3.0 % of 3.8 % with 4 queues; 5.0 % of 5.1 % with 8 queues; 5.0 % of 12.8 % with 16 queues";
    assert_eq!(found[0], (Verdict::Holds, near.into()));
    assert_eq!(found[1], (Verdict::Holds, "1.70 with 4 queues, 1.00 with 8 queues, 0.35 with 16 queues".into()));
    assert_eq!(verdicts(&all([400, 400, 200]), "table1"), [Verdict::Fails, Verdict::Holds]);
    assert_eq!(verdicts(&all([10, 20, 20]), "table1"), [Verdict::Holds, Verdict::Fails]);
}

#[test]
fn the_hybrid_and_its_transfers() {
    let compared = |name: &str, random: f64, hybrid: f64| {
        // The best is that which switches after four iterations.
        let slower = |strategy: &str| if strategy == "hybrid:switch-at=4" { 0.0 } else { 5.0 };
        let time = |strategy: &str| if strategy == "random" { random } else { hybrid + slower(strategy) };
        let all: Vec<Value> = hybrid::strategies().map(|it| measured(it, time(it), 30)).collect();
        record(&format!("hybrid {name}"), &json!(all))
    };
    let records =
        [compared("dip", 98.0, 73.0), compared("coAuthorsDBLP", 98.0, 88.0), compared("G3_circuit", 8.0, 8.0)];
    let found = findings(&records, "fig6");
    // With 2 ms of transfers: 75 of 100, 90 of 100 and 10 of 10.
    let by = |percent: u32| format!("{percent} % by hybrid:switch-at=4");
    assert_eq!(found[..2], [(Verdict::Holds, by(25)), (Verdict::Direction, by(10))]);
    assert_eq!((&found[2], found[3].0), (&(Verdict::Holds, by(0)), Verdict::Fails));
    let found = findings(&records, "transfers");
    assert_eq!(found[0], (Verdict::Holds, "2.5 % on dip, 2.1 % on coAuthorsDBLP, 13.3 % on G3_circuit".into()));
    assert_eq!(found[1].0, Verdict::Holds);
    let slow = [compared("dip", 1.0, -4.0), compared("coAuthorsDBLP", 98.0, 78.0), compared("G3_circuit", 8.0, 8.0)];
    assert_eq!(verdicts(&slow, "transfers"), [Verdict::Fails, Verdict::Fails]);
    assert_eq!(verdicts(&[graphs(false), records.to_vec()].concat(), "transfers"), [Verdict::Direction; 2]);
}

#[test]
fn the_iterations_of_the_hybrid() {
    let with = |degrees: [u32; 8], colored: &[u32], highest: &[u32]| {
        let iteration = |(place, (colored, highest)): (usize, (&u32, &u32))| {
            json!({
                "iteration": place + 1, "active": 1000, "colored": colored, "colors": place, "highest_degree": highest,
                "median_degree": 3, "mean_degree": 4.5, "degrees": degrees,
            })
        };
        let list: Vec<Value> = colored.iter().zip(highest).enumerate().map(iteration).collect();
        json!({ "details": { "iterations": list } })
    };
    let list = |colored: &[u32], highest: &[u32]| with([0, 5, 3, 0, 0, 1, 1, 1], colored, highest);
    let hybrid = list(&[10, 15, 18, 20, 21, 21, 500, 900], &[300, 200, 150, 99, 80, 60, 50, 40]);
    let random = list(&[400, 500, 600, 700, 800, 900, 950, 1000], &[300; 8]);
    let records = [record("iterations hybrid", &hybrid), record("iterations random", &random)];
    let found = findings(&records, "fig7");
    assert_eq!(found[0], (Verdict::Holds, "at least 81.8 % are below 32".into()));
    assert_eq!([found[1].0, found[2].0], [Verdict::Holds, Verdict::Holds]);
    let large = |degrees: [u32; 8]| {
        let eight = with(degrees, &[10; 8], &[300, 200, 150, 99, 80, 60, 50, 40]);
        verdicts(&[record("iterations hybrid", &eight)], "fig7")[0]
    };
    assert_eq!(large([0, 4, 0, 0, 0, 0, 9, 2]), Verdict::NotComparable, "most are between 32 and 63");
    assert_eq!(large([0, 4, 0, 0, 0, 0, 1, 9]), Verdict::Fails);
    let found = findings(&records, "fig9");
    assert_eq!(found[0], (Verdict::Holds, "10, 5, 3, 2, 1 nodes".into()));
    assert_eq!(found[1], (Verdict::Holds, "random labels from iteration 7 on".into()));
    let records = [record("iterations hybrid", &list(&[10, 30, 30], &[300, 300, 300]))];
    assert_eq!(verdicts(&records, "fig9"), [Verdict::Fails, Verdict::Fails]);
}

#[test]
fn the_sweep_names_the_best_switch() {
    let sweep = |times: [f64; 12]| {
        let entry = |(place, time): (usize, f64)| measured(&switched(SWITCHES[place]), time, 60 + place as u32);
        record("switch", &json!(times.into_iter().enumerate().map(entry).collect::<Vec<_>>()))
    };
    let found = findings(&[sweep([20.0, 12.0, 11.0, 10.5, 10.0, 11.0, 11.5, 11.8, 11.8, 11.9, 11.9, 11.9])], "fig8");
    assert_eq!(found[0], (Verdict::Holds, "17 % between switching after 4 and after 1".into()));
    assert_eq!((found[1].0, &found[2]), (Verdict::Holds, &(Verdict::Holds, "60 to 71 colours".into())));
    let mut times = [10.4; 12];
    (times[0], times[1]) = (20.0, 10.0);
    assert_eq!(verdicts(&[sweep(times)], "fig8"), [Verdict::Direction, Verdict::Fails, Verdict::Holds]);
}

#[test]
fn the_degrees_of_the_graphs() {
    let info = |graph: &str, name: &str, median: u32, bounds: [u32; 2]| {
        let degrees = json!({
            "min": bounds[0], "median": median, "max": bounds[1], "histogram": [{ "from": 1, "to": 1, "nodes": 5 }],
        });
        record(&format!("graph {graph}"), &json!({ "name": name, "nodes": 10, "edges": 20, "degrees": degrees }))
    };
    let all = |circuit: [u32; 2], dip: u32| {
        let authors = info("coAuthorsDBLP", "coAuthorsDBLP", 4, [1, 205]);
        [info("dip", "dip20090126_MAX", 5, [1, dip]), authors, info("G3_circuit", "G3_circuit", 4, circuit)]
    };
    assert_eq!(verdicts(&all([2, 5], 315), "fig5"), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(verdicts(&all([2, 4], 20), "fig5"), [Verdict::Fails, Verdict::Fails]);
    let grid = info("G3_circuit", "grid:rows=9", 4, [2, 4]);
    let found = findings(&[grid], "fig5");
    assert_eq!(found[0], (Verdict::NotComparable, "2 to 4; fails, but grid:rows=9 stands for G3_circuit".into()));
}
