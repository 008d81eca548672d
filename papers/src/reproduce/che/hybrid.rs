//! The hybrid against the baseline: Fig. 6, and the transfers' share.

use super::{GRAPHS, HYBRIDS, finer, judged, label, listed};
use crate::reproduce::{
    finding::{Case, Finding, Part, Range, less, percent},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

/// What Fig. 6 compares: the baseline, the hybrid with several points at which it switches, and with stealing.
pub(super) fn strategies() -> impl Iterator<Item = &'static str> {
    ["random"].into_iter().chain(HYBRIDS).chain(["hybrid-stealing"])
}

/// The hybrid that is the fastest on a graph, transfers included: the paper does not say when it switches in Fig. 6.
fn best(results: &Results, graph: &str) -> Option<(&'static str, f64)> {
    let times: Option<Vec<(&str, f64)>> =
        HYBRIDS.into_iter().map(|name| Some((name, with_transfers(results, graph, name)?))).collect();
    times?.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What was moved to the device and back for a strategy: its graph, and the colours.
fn moved(results: &Results, graph: &str, strategy: &str) -> Option<f64> {
    let experiment = format!("hybrid {graph}");
    let up = results.number(&experiment, strategy, "/prepare_ms/uploading")?;
    Some(up + results.number(&experiment, strategy, "/fetch_ms")?)
}

/// Fig. 6: the hybrid against the baseline.
pub(super) fn hybrid(results: &Results) -> Part {
    let mut series: Vec<Series> = strategies().map(|name| Series { name: name.into(), points: Vec::new() }).collect();
    let mut data = Data::new(&[
        "graph",
        "strategy",
        "run ms",
        "transfers ms",
        "together",
        "less than random",
        "iterations",
        "colours",
    ]);
    for graph in GRAPHS {
        let experiment = format!("hybrid {graph}");
        for (name, series) in strategies().zip(&mut series) {
            let Some(whole) = with_transfers(results, graph, name) else { continue };
            series.points.push(Point::named(label(results, graph), whole));
            let gain = with_transfers(results, graph, "random").map(|random| less(random, whole));
            let times = [results.time(&experiment, name), moved(results, graph, name), Some(whole)];
            let mut row = vec![Cell::text(label(results, graph)), Cell::text(name)];
            row.extend(times.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
            row.push(Cell::maybe(gain.filter(|_| name != "random"), |gain| Cell::text(percent(gain))));
            let counts = ["/median/iterations", "/colors"].map(|pointer| results.number(&experiment, name, pointer));
            row.extend(counts.map(|count| Cell::maybe(count, |count| Cell::real(count, 0))));
            data.rows.push(row);
        }
    }
    let cases = |graph: &str| -> [Case; 1] {
        let gain = with_transfers(results, graph, "random").zip(best(results, graph));
        match gain {
            Some((random, (name, time))) => [(format!("by {name}"), Some(less(random, time)))],
            None => [(format!("on {graph}"), None)],
        }
    };
    let combined = |graph: &&str| {
        let times = best(results, graph).zip(with_transfers(results, graph, "hybrid-stealing"));
        (format!("on {graph}"), times.map(|((_, alone), both)| less(alone, both)))
    };
    let range = |says, range, graph: &str| judged(results, &[graph], Finding::range(says, range, &cases(graph)));
    let findings = vec![
        range("The hybrid takes 23 % less time than the baseline on dip", Range::about_percent(23.0), "dip"),
        range("It takes 27 % less on coAuthorsDBLP", Range::about_percent(27.0), "coAuthorsDBLP"),
        range(
            "It gains nothing on G3_circuit, which is structured",
            Range::percent(f64::NEG_INFINITY, 5.0),
            "G3_circuit",
        ),
        judged(
            results,
            &GRAPHS,
            Finding::range(
                "Combining the hybrid with stealing may be faster still (left for later)",
                Range::percent(1.0, f64::INFINITY),
                &GRAPHS.iter().map(combined).collect::<Vec<_>>(),
            ),
        ),
    ];
    let title = "Fig. 6: the hybrid against the baseline";
    let y = Axis::log("run and transfers in ms (log)");
    let chart = Chart::bars(title, y, series);
    let text = "Times are of a run, the upload of the graph and the download of the colours together, as the paper takes them; medians of rounds in which \
                everything was prepared anew on a device that is warm. The hybrid is judged by the best of its switch points.";
    Part { name: "fig6", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

fn with_transfers(results: &Results, graph: &str, strategy: &str) -> Option<f64> {
    Some(results.time(&format!("hybrid {graph}"), strategy)? + moved(results, graph, strategy)?)
}

/// Section VI-B: how much of the time goes into transfers.
pub(super) fn transfers(results: &Results) -> Part {
    let paper = [("dip", 0.05), ("coAuthorsDBLP", 0.03), ("G3_circuit", 0.21)];
    let mut data =
        Data::new(&["graph", "the paper's share", "upload ms", "download ms", "run ms", "share", "iterations"]);
    let (mut shares, mut named): (Vec<(&str, f64)>, Vec<Case>) = (Vec::new(), Vec::new());
    for (graph, expected) in paper {
        let number = |pointer: &str| results.number(&format!("hybrid {graph}"), "hybrid", pointer);
        let times = moved(results, graph, "hybrid").zip(with_transfers(results, graph, "hybrid"));
        let share = times.map(|(moved, whole)| moved / whole);
        named.push((format!("on {graph}"), share));
        let Some(share) = share else { continue };
        shares.push((graph, share));
        let times = ["/prepare_ms/uploading", "/fetch_ms", "/median/total_ms"].map(number);
        let mut row = vec![Cell::text(label(results, graph)), Cell::text(percent(expected))];
        row.extend(times.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
        row.push(Cell::text(finer(share)));
        row.push(Cell::maybe(number("/median/iterations"), |count| Cell::real(count, 0)));
        data.rows.push(row);
    }
    let largest = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| shares.len() == paper.len());
    let largest = largest.map(|(graph, _)| {
        let named: Vec<(String, f64)> = shares.iter().map(|(graph, share)| (format!("on {graph}"), *share)).collect();
        (*graph == "G3_circuit", listed(&named, finer))
    });
    let findings = vec![
        judged(
            results,
            &GRAPHS,
            Finding::range(
                "Most of the time is in kernels, not in transfers",
                Range::percent(f64::NEG_INFINITY, 50.0).with_digits(1),
                &named,
            ),
        ),
        judged(
            results,
            &GRAPHS,
            Finding::new("G3_circuit has the largest share of transfers, because it takes few iterations", largest),
        ),
    ];
    let points = shares.iter().map(|(graph, share)| Point::named(label(results, graph), *share)).collect();
    let title = "Section VI-B: the transfers' share";
    let y = Axis::shares("transfers, of run and transfers");
    let series = vec![Series { name: "hybrid".into(), points }];
    let chart = Chart::bars(title, y, series);
    let text = "The upload of the graph and the download of the colours by hybrid, against a run. On a CPU both are copies in memory.";
    Part { name: "transfers", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
