//! The hybrid against the baseline: Fig. 6, and the transfers' share.

use super::{GRAPHS, finer, listed};
use crate::reproduce::{
    finding::{Finding, Part, less, percent},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

/// What was moved to the device and back for a strategy: its graph, and the colours.
fn moved(results: &Results, graph: &str, strategy: &str) -> Option<f64> {
    let experiment = format!("hybrid {graph}");
    let up = results.number(&experiment, strategy, "/prepare_ms/uploading")?;
    Some(up + results.number(&experiment, strategy, "/fetch_ms")?)
}

/// Fig. 6: the hybrid against the baseline.
pub(super) fn hybrid(results: &Results) -> Part {
    let names = ["random", "hybrid", "hybrid-stealing"];
    let mut series = names.map(|name| Series { name: name.into(), points: Vec::new() });
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
        for (name, series) in names.iter().zip(&mut series) {
            let Some(whole) = with_transfers(results, graph, name) else { continue };
            series.points.push(Point::named(graph, whole));
            let gain = with_transfers(results, graph, "random").map(|random| less(random, whole));
            let times = [results.time(&experiment, name), moved(results, graph, name), Some(whole)];
            let mut row = vec![Cell::text(graph), Cell::text(name)];
            row.extend(times.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
            row.push(Cell::maybe(gain.filter(|_| *name != "random"), |gain| Cell::text(percent(gain))));
            let counts = ["/median/iterations", "/colors"].map(|pointer| results.number(&experiment, name, pointer));
            row.extend(counts.map(|count| Cell::maybe(count, |count| Cell::real(count, 0))));
            data.rows.push(row);
        }
    }
    let gain = |graph: &str, first: &str, second: &str| {
        Some(less(with_transfers(results, graph, first)?, with_transfers(results, graph, second)?))
    };
    let at_least = |graph: &str, least: f64| gain(graph, "random", "hybrid").map(|gain| (gain >= least, percent(gain)));
    let both: Vec<(String, f64)> = GRAPHS
        .iter()
        .filter_map(|graph| Some((format!("on {graph}"), gain(graph, "hybrid", "hybrid-stealing")?)))
        .collect();
    let both = (!both.is_empty()).then(|| (both.iter().any(|(_, gain)| *gain > 0.0), listed(&both, percent)));
    let alike = gain("G3_circuit", "random", "hybrid").map(|gain| (gain < 0.05, percent(gain)));
    let findings = vec![
        Finding::new("The hybrid takes 23 % less time than the baseline on dip", at_least("dip", 0.23)),
        Finding::new("It takes 27 % less on coAuthorsDBLP", at_least("coAuthorsDBLP", 0.27)),
        Finding::new("It gains nothing on G3_circuit, which is structured", alike),
        Finding::new("Combining the hybrid with stealing may be faster still (left for later)", both),
    ];
    let title = "Fig. 6: the hybrid against the baseline";
    let y = Axis::log("run and transfers in ms (log)");
    let chart = Chart::bars(title, y, series.into());
    let text = "Times are of a run, the upload of the graph and the download of the colours together, as the paper takes them.";
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
    let mut shares = Vec::new();
    for (graph, expected) in paper {
        let number = |pointer: &str| results.number(&format!("hybrid {graph}"), "hybrid", pointer);
        let Some((moved, whole)) = moved(results, graph, "hybrid").zip(with_transfers(results, graph, "hybrid")) else {
            continue;
        };
        shares.push((graph, moved / whole));
        let times = ["/prepare_ms/uploading", "/fetch_ms", "/median/total_ms"].map(number);
        let mut row = vec![Cell::text(graph), Cell::text(percent(expected))];
        row.extend(times.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
        row.push(Cell::text(finer(moved / whole)));
        row.push(Cell::maybe(number("/median/iterations"), |count| Cell::real(count, 0)));
        data.rows.push(row);
    }
    let named: Vec<(String, f64)> = shares.iter().map(|(graph, share)| (format!("on {graph}"), *share)).collect();
    let minor = (!named.is_empty()).then(|| (named.iter().all(|(_, share)| *share < 0.5), listed(&named, finer)));
    let largest = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| shares.len() == paper.len());
    let largest = largest.map(|(graph, _)| (*graph == "G3_circuit", listed(&named, finer)));
    let findings = vec![
        Finding::new("Most of the time is in kernels, not in transfers", minor),
        Finding::new("G3_circuit has the largest share of transfers, because it takes few iterations", largest),
    ];
    let points = shares.iter().map(|(graph, share)| Point::named(*graph, *share)).collect();
    let title = "Section VI-B: the transfers' share";
    let y = Axis::shares("transfers, of run and transfers");
    let series = vec![Series { name: "hybrid".into(), points }];
    let chart = Chart::bars(title, y, series);
    let text = "The upload of the graph and the download of the colours by hybrid, against a run. On a CPU both are copies in memory.";
    Part { name: "transfers", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
