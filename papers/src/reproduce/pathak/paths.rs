//! Shortest paths from one node: with coarser threads, and beside a processor.

use super::{
    NUMBERS, Table, compare,
    graphs::{SEARCHES, is_file, judged},
};
use crate::reproduce::{
    experiment::{Experiment, Setting},
    finding::{Finding, Part, Range},
    results::Results,
};
use serde_json::Value;

const STRATEGIES: [&str; 5] =
    ["two-phase", "two-phase:coarsen=2", "two-phase:coarsen=4", "two-phase:coarsen=8", "auto"];

pub(super) fn experiments(setting: &Setting, number: usize, graph: &str) -> Vec<Experiment> {
    let both = if is_file(graph) { "--undirected" } else { "" };
    // Its oracle is Dijkstra's algorithm with a heap, on one thread as the run itself.
    let cpu = format!("sssp {{}} {both} --weights random:1..64 --validate --device cpu --threads 1");
    vec![
        compare(setting, format!("sssp {number}"), "sssp", graph, &STRATEGIES, 1),
        Experiment::new(format!("cpu {number}"), &cpu, &[graph]),
    ]
}

fn time(results: &Results, number: usize, strategy: &str) -> Option<f64> {
    results.time(&format!("sssp {number}"), strategy)
}

/// What one thread of a processor takes: by Dijkstra's algorithm, or by delta-stepping.
fn on_cpu(results: &Results, number: usize, pointer: &str) -> Option<f64> {
    results.get(&format!("cpu {number}"))?.result.pointer(pointer)?.as_f64()
}

const DIJKSTRA: &str = "/oracle_ms";

pub(super) fn part(results: &Results) -> Part {
    let more = [("Dijkstra, one thread", DIJKSTRA), ("delta-stepping, one thread", "/median/total_ms")];
    let mut columns: Vec<(&'static str, Vec<Option<f64>>)> =
        more.map(|(name, pointer)| (name, NUMBERS.map(|it| on_cpu(results, it, pointer)).to_vec())).into();
    let speedups = NUMBERS.map(|number| speedup(results, number));
    columns.push(("times as fast as Dijkstra", speedups.to_vec()));
    let table = Table {
        name: "sssp",
        title: "Shortest paths: coarser threads",
        text: "The slides do not say what the processor ran: Dijkstra's algorithm with a heap is taken, and delta-stepping is beside it. Both are from \
               one run on one thread.",
        slides: &SEARCHES,
        strategies: &STRATEGIES,
        more: Vec::new(),
    };
    let mut part = table.part(results, findings(results, &speedups));
    add(&mut part, &columns);
    part
}

/// Adds columns to the table that have no place in the chart.
fn add(part: &mut Part, columns: &[(&'static str, Vec<Option<f64>>)]) {
    use evenkeel_cli::report::html::Cell;
    part.data.headings.extend(columns.iter().map(|(heading, _)| (*heading).into()));
    for (row, number) in part.data.rows.iter_mut().zip(NUMBERS) {
        row.extend(columns.iter().map(|(_, times)| Cell::maybe(times[number - 1], |time| Cell::real(time, 2))));
    }
}

/// Whether the device is a processor, so that there is nothing to hold a processor against.
fn is_on_cpu(results: &Results) -> bool {
    let kind = |entry: &Value| entry.pointer("/device/kind").and_then(Value::as_str) == Some("cpu");
    results.entry("sssp 1", "two-phase").is_some_and(kind)
}

/// How many times as fast a GPU is as Dijkstra's algorithm on a processor; nothing where it is none.
fn speedup(results: &Results, number: usize) -> Option<f64> {
    let speedup = on_cpu(results, number, DIJKSTRA)? / time(results, number, "two-phase")?;
    Some(speedup).filter(|_| !is_on_cpu(results))
}

fn findings(results: &Results, speedups: &[Option<f64>; 5]) -> Vec<Finding> {
    let slower = |other: usize| {
        let times = time(results, 2, "two-phase").zip(time(results, other, "two-phase"));
        let judged = times.map(|(own, other_time)| {
            (own > other_time, format!("{own:.2} ms on graph 2, {other_time:.2} on graph {other}"))
        });
        (format!("on graph {other}"), judged)
    };
    let falls = |number: usize| {
        let times: Option<Vec<f64>> = STRATEGIES[..4].iter().map(|it| time(results, number, it)).collect();
        let judged = times.map(|times| {
            let each: Vec<String> = times.iter().map(|time| format!("{time:.3}")).collect();
            (times.windows(2).all(|pair| pair[0] <= pair[1]), format!("{} ms on graph {number}", each.join(", ")))
        });
        (format!("on graph {number}"), judged)
    };
    let grows = speedups.iter().copied().collect::<Option<Vec<f64>>>().map(|speedups| {
        let each: Vec<String> = speedups.iter().map(|speedup| format!("{speedup:.1}")).collect();
        (
            speedups.windows(2).all(|pair| pair[0] < pair[1]),
            format!("{} times from the densest to the sparsest", each.join(", ")),
        )
    });
    let against_cpu = |says, finding: Finding, numbers: &[usize]| match is_on_cpu(results) {
        true => Finding::not_comparable(says, "the device is a processor itself"),
        false => judged(results, "sssp", numbers, finding),
    };
    let sparser = "The sparser the graph, the more a GPU gains over a processor";
    let about = |says, number: usize, expected: f64| {
        let case = (format!("on graph {number}"), speedups[number - 1]);
        against_cpu(says, Finding::range(says, Range::about_times(expected).with_digits(1), &[case]), &[number])
    };
    let of = |numbers: &[usize], finding: Finding| judged(results, "sssp", numbers, finding);
    vec![
        of(
            &[2, 3, 4],
            Finding::each(
                "Time depends on the number of edges: graph 2 takes longer than 3 and 4, which have more nodes",
                [3, 4].map(slower).into(),
            ),
        ),
        of(&NUMBERS, Finding::each("Performance falls with every coarsening of threads", NUMBERS.map(falls).into())),
        against_cpu(sparser, Finding::new(sparser, grows), &NUMBERS),
        about("It is 4 times as fast on the densest graph (1)", 1, 4.0),
        about("It is 95 times as fast on the sparsest (5)", 5, 95.0),
    ]
}
