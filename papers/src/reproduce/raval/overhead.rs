//! What a strategy costs beside relaxing edges: before the first run, in kernels of its own, and while the device waits.

use super::{GRAPHS, STRATEGIES, TIMED, both_names, no_points};
use crate::reproduce::{
    finding::{Finding, Part},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point};
use serde_json::Value;

/// Phases of preparing that every strategy has and that are none of its own: the graph is copied and commands are recorded.
const COMMON: [&str; 3] = ["uploading", "recording", "making staging memory"];

/// What a strategy does once before the first run, such as splitting nodes or making a list of edges, in milliseconds.
pub(super) fn one_time(results: &Results, experiment: &str, strategy: &str) -> Option<f64> {
    let parts = results.entry(experiment, strategy)?["prepare_ms"].as_object()?;
    let own = parts.iter().filter(|(name, _)| *name != "total" && !COMMON.contains(&name.as_str()));
    Some(own.filter_map(|(_, time)| time.as_f64()).sum())
}

/// What making a strategy ready takes, which the paper counts among the overheads.
pub(super) fn preparing(results: &Results) -> Part {
    let mut data = Data::new(&["graph", "strategy", "preparing ms", "its own ms", "of all", "run ms"]);
    let mut series = no_points();
    for graph in GRAPHS {
        let experiment = format!("sssp {graph}");
        for ((short, strategy), series) in STRATEGIES.iter().zip(&mut series) {
            let parts = results.entry(&experiment, strategy).and_then(|entry| entry["prepare_ms"].as_object());
            let (Some(parts), Some(own)) = (parts, one_time(results, &experiment, strategy)) else { continue };
            let total = parts.get("total").and_then(Value::as_f64).unwrap_or(0.0);
            series.points.push(Point::named(graph, own));
            let named = parts.iter().filter(|(name, _)| *name != "total");
            let mut named: Vec<(&str, f64)> =
                named.map(|(name, time)| (name.as_str(), time.as_f64().unwrap_or(0.0))).collect();
            let rest = total - named.iter().map(|(_, time)| time).sum::<f64>();
            named.push(("the rest", rest.max(0.0)));
            let named: Vec<String> = named.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
            data.rows.push(vec![
                Cell::text(graph),
                Cell::text(both_names(short, strategy)),
                Cell::real(total, 2),
                Cell::real(own, 2),
                Cell::text(named.join(", ")),
                Cell::maybe(results.time(&experiment, strategy), |run| Cell::real(run, 2)),
            ]);
        }
    }
    let title = "What making a strategy ready takes";
    let chart = Chart::bars(title, Axis::linear("a strategy's own preparation in ms"), series);
    let text = "Medians of three preparations of a device that is warm. A strategy's own is what is neither uploading nor recording commands: \
                finding the threshold of degrees, splitting nodes, making the list of edges, and on the host counting the pieces of nodes, by \
                which memory is planned before anything is allocated.";
    Part { name: "preparing", title: title.into(), text: text.into(), data, chart: Some(chart), findings: Vec::new() }
}

/// Whether a kernel relaxes edges: its name ends with what it does to each. All else that a device does in a run is overhead.
fn is_relaxing(kernel: &str) -> bool {
    ["_bfs", "_sssp_u32", "_sssp_f32"].iter().any(|operator| kernel.ends_with(operator))
}

/// A run in milliseconds: relaxing edges, other kernels, and waiting.
struct Shares {
    relaxing: f64,
    others: f64,
    idle: f64,
}

impl Shares {
    fn of(results: &Results, algorithm: &str, graph: &str, strategy: &str) -> Option<Self> {
        let experiment = format!("kernels {algorithm} {graph}");
        let number = |pointer: &str| results.number(&experiment, strategy, pointer);
        let kernels = results.entry(&experiment, strategy)?.pointer("/profile/kernels")?.as_array()?;
        let (mut relaxing, mut others) = (0.0, 0.0);
        for kernel in kernels {
            let time = kernel["total_ms"].as_f64()?;
            *(if is_relaxing(kernel["name"].as_str()?) { &mut relaxing } else { &mut others }) += time;
        }
        Some(Self { relaxing, others, idle: number("/median/overhead_ms")? })
    }

    fn overhead(&self) -> f64 {
        self.others + self.idle
    }

    fn share(&self) -> f64 {
        self.overhead() / (self.relaxing + self.overhead())
    }
}

/// Kernel time against overhead, as the paper parts them.
pub(super) fn kernels(results: &Results) -> Part {
    let headings = [
        "graph",
        "strategy",
        "algorithm",
        "relaxing ms",
        "other kernels ms",
        "idle ms",
        "overhead",
        "share of overhead",
    ];
    let mut data = Data::new(&headings);
    let mut series = no_points();
    for graph in TIMED {
        for ((short, strategy), series) in STRATEGIES.iter().zip(&mut series) {
            for algorithm in ["sssp", "bfs"] {
                let Some(shares) = Shares::of(results, algorithm, graph, strategy) else { continue };
                series.points.push(Point::named(format!("{graph} {algorithm}"), shares.share()));
                let mut row = vec![Cell::text(graph), Cell::text(both_names(short, strategy)), Cell::text(algorithm)];
                row.extend(
                    [shares.relaxing, shares.others, shares.idle, shares.overhead()].map(|time| Cell::real(time, 3)),
                );
                row.push(Cell::text(format!("{:.0} %", 100.0 * shares.share())));
                data.rows.push(row);
            }
        }
    }
    let mean = |algorithm: &str, graph: &str| {
        let shares: Option<Vec<f64>> = STRATEGIES
            .iter()
            .map(|(_, strategy)| Some(Shares::of(results, algorithm, graph, strategy)?.share()))
            .collect();
        shares.map(|shares| shares.iter().sum::<f64>() / shares.len() as f64)
    };
    let heavier = |graph: &&str| {
        let judged = mean("bfs", graph).zip(mean("sssp", graph)).map(|(bfs, sssp)| {
            (bfs > sssp, format!("{:.0} % of BFS and {:.0} % of SSSP on {graph}", 100.0 * bfs, 100.0 * sssp))
        });
        (format!("on {graph}"), judged)
    };
    let findings = vec![Finding::each(
        "Overheads weigh more in BFS than in SSSP (mean share of all strategies)",
        TIMED.iter().map(heavier).collect(),
    )];
    let title = "Overhead";
    let chart = Chart::bars("Overhead's share of a run", Axis::shares("overhead, of a run"), series);
    let text = "A run of its own, in which every kernel was timed by itself. Overhead is what the paper counts as such in a run: initialisation, \
                scans, finding offsets, kernels between sub-iterations and other bookkeeping, and the time in which the device waits.";
    Part { name: "overhead", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
