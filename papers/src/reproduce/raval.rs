//! Raval et al. 2017: five strategies for BFS and SSSP on skewed, random, road and Graph500 graphs.

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part, fastest, less, percent},
    results::Results,
};
use crate::tuning::geometric_mean;
use evenkeel::device::memory::Bytes;
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};

pub const PAPER: Paper = Paper {
    name: "raval",
    cite: "Raval, Nasre, Kumar, Vasudevan, Vadhiyar, Pingali: Dynamic Load Balancing Strategies for Graph Applications on GPUs (2017)",
    device: "a Tesla K20c with 4.66 GB of memory",
    experiments,
    parts,
};

/// The paper's names of the strategies.
const STRATEGIES: [(&str, &str); 5] =
    [("BS", "node"), ("EP", "edge"), ("WD", "decompose"), ("NS", "split"), ("HP", "hierarchical")];

/// The strategies that hand out nodes.
const NODE_BASED: [&str; 3] = ["decompose", "split", "hierarchical"];

/// The graphs, by the paper's names. Those of Graph500 differ by their seeds.
const GRAPHS: [&str; 6] = ["rmat20", "ER20", "ER23", "road", "Graph500 a", "Graph500 b"];

/// Graphs with a small diameter.
const SMALL_DIAMETER: [&str; 3] = ["rmat20", "ER20", "ER23"];

/// The memory of the paper's device.
const MEMORY: u64 = 4_660_000_000;

fn graph(setting: &Setting, name: &str) -> String {
    let roads = ["USA-road-d.FLA.gr.gz", "USA-road-d.FLA.gr", "USA-road-d.NY.gr.gz", "USA-road-d.NY.gr"];
    match name {
        // These settings give the paper's mean of 8 and a highest degree of 1,341, where the paper's is 1,181.
        "rmat20" => setting
            .pick("rmat:scale=14,edge-factor=4,a=0.5,b=0.15,c=0.15", "rmat:scale=20,edge-factor=4,a=0.5,b=0.15,c=0.15"),
        "ER20" => setting.pick("er:nodes=16384,degree=4", "er:nodes=1048576,degree=4"),
        "ER23" => setting.pick("er:nodes=65536,degree=4", "er:nodes=8388608,degree=4"),
        "road" => return setting.file_or(&roads, setting.pick("road:nodes=16384", "road:nodes=1070376")),
        "Graph500 a" => setting.pick("graph500:scale=14,edge-factor=10", "graph500:scale=24,edge-factor=10"),
        _ => setting.pick("graph500:scale=14,edge-factor=10,seed=1", "graph500:scale=24,edge-factor=10,seed=1"),
    }
    .to_owned()
}

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let names = STRATEGIES.map(|(_, name)| name).join(",");
    let mut list = Vec::new();
    for name in GRAPHS {
        let graph = graph(setting, name);
        for algorithm in ["sssp", "bfs"] {
            let weights = if algorithm == "sssp" { "--weights random:1..64" } else { "" };
            let command =
                format!("compare {algorithm} {{}} {weights} --strategies {names} --runs 3 --warmup 1 {check}");
            list.push(Experiment::new(format!("{algorithm} {name}"), &command, &[&graph]));
        }
        let command = format!(
            "compare sssp {{}} --weights random:1..64 --strategies edge --chunking edge --runs 3 --warmup 1 {check}"
        );
        list.push(Experiment::new(format!("chunking {name}"), &command, &[&graph]));
        list.push(Experiment::new(format!("split {name}"), "info {} --split", &[&graph]));
    }
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![
        times(results, "sssp", "fig7", "Fig. 7: SSSP by each strategy", sssp_findings(results)),
        times(results, "bfs", "fig8", "Fig. 8: BFS by each strategy", bfs_findings(results)),
        preparing(results),
        ranks(results),
        splitting(results),
        chunking(results),
    ]
}

/// A series for each strategy.
fn no_points() -> Vec<Series> {
    STRATEGIES.map(|(short, _)| Series { name: short.into(), points: Vec::new() }).into()
}

/// Kernel time and overhead of all strategies on all graphs.
fn times(results: &Results, algorithm: &str, name: &'static str, title: &str, findings: Vec<Finding>) -> Part {
    let mut data = Data::new(&["graph", "strategy", "total ms", "kernel ms", "overhead ms", "memory"]);
    let mut series = no_points();
    for graph in GRAPHS {
        let experiment = format!("{algorithm} {graph}");
        for ((short, strategy), series) in STRATEGIES.iter().zip(&mut series) {
            let number = |pointer: &str| results.number(&experiment, strategy, pointer);
            let Some(total) = number("/median/total_ms") else { continue };
            series.points.push(Point::named(graph, total));
            let times = ["/median/total_ms", "/median/kernel_ms", "/median/overhead_ms"];
            let mut row = vec![Cell::text(graph), Cell::text(format!("{short} ({strategy})"))];
            row.extend(times.map(|pointer| Cell::maybe(number(pointer), |time| Cell::real(time, 3))));
            row.push(Cell::maybe(number("/memory_bytes"), |bytes| Cell::bytes(bytes as u64)));
            data.rows.push(row);
        }
    }
    let y = Axis::log("total time in ms (log)");
    let chart = Chart::bars(title, y, series);
    let text = "Kernel time is what the device was busy, overhead what it was not, between the first submission and the answer.";
    Part { name, title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// The shares by which `strategy` takes less time than BS, where both were measured.
fn gains(results: &Results, algorithm: &str, strategy: &str, graphs: &[&str]) -> Vec<(String, f64)> {
    let gain = |graph: &&str| {
        let experiment = format!("{algorithm} {graph}");
        let gain = less(results.time(&experiment, "node")?, results.time(&experiment, strategy)?);
        Some(((*graph).to_owned(), gain))
    };
    graphs.iter().filter_map(gain).collect()
}

fn listed(gains: &[(String, f64)]) -> String {
    let each: Vec<String> = gains.iter().map(|(graph, gain)| format!("{} on {graph}", percent(*gain))).collect();
    each.join(", ")
}

/// Whether all gains are at least so much.
fn all_at_least(gains: &[(String, f64)], least: f64) -> Option<(bool, String)> {
    (!gains.is_empty()).then(|| (gains.iter().all(|(_, gain)| *gain >= least), listed(gains)))
}

/// Whether a strategy is the fastest of the node-based ones on all of these graphs.
fn is_best(results: &Results, algorithm: &str, strategy: &str, graphs: &[&str]) -> Option<(bool, String)> {
    let best = |graph: &&str| {
        let experiment = format!("{algorithm} {graph}");
        let others: Vec<&str> = NODE_BASED.into_iter().filter(|other| *other != strategy).collect();
        let (other, time) = fastest(results, &experiment, &others)?;
        let own = results.time(&experiment, strategy)?;
        Some((own <= time, format!("{own:.2} ms on {graph}, {other} {time:.2}")))
    };
    let found: Vec<(bool, String)> = graphs.iter().filter_map(best).collect();
    let here: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    (!found.is_empty()).then(|| (found.iter().all(|(holds, _)| *holds), here.join("; ")))
}

fn sssp_findings(results: &Results) -> Vec<Finding> {
    let all: Vec<&str> = GRAPHS.to_vec();
    let graph500 = ["Graph500 a", "Graph500 b"];
    let refused = |strategy: &str| {
        let bytes = results.number("sssp Graph500 a", strategy, "/memory_bytes")?;
        let nodes = results.entry("sssp Graph500 a", strategy)?.pointer("/graph/nodes")?.as_f64()?;
        // The memory is that of the graph that was run; a smaller one is for the same device made smaller.
        let limit = MEMORY as f64 * nodes / f64::from(1 << 24);
        let (own, limit_text) = (Bytes(bytes as u64), Bytes(limit as u64));
        Some((
            bytes > limit,
            format!("EP needs {own} on Graph500, the paper's device has {limit_text} for as many nodes"),
        ))
    };
    vec![
        Finding::new("EP takes 60–80 % less time than BS", all_at_least(&gains(results, "sssp", "edge", &all), 0.6)),
        Finding::new(
            "WD is the best of the node-based strategies on skewed and random graphs",
            is_best(results, "sssp", "decompose", &SMALL_DIAMETER),
        ),
        Finding::new("NS is the best of them where degrees are alike", is_best(results, "sssp", "split", &["road"])),
        Finding::new(
            "HP takes 48–75 % less time than BS on Graph500",
            all_at_least(&gains(results, "sssp", "hierarchical", &graph500), 0.48),
        ),
        Finding::new("EP does not fit into 4.66 GB with Graph500", refused("edge")),
    ]
}

fn bfs_findings(results: &Results) -> Vec<Finding> {
    let graph500 = ["Graph500 a", "Graph500 b"];
    vec![
        Finding::new(
            "EP takes 48–68 % less time than BS where the diameter is small",
            all_at_least(&gains(results, "bfs", "edge", &SMALL_DIAMETER), 0.48),
        ),
        Finding::new(
            "On roads EP gains about 10 % at most",
            gains(results, "bfs", "edge", &["road"]).first().map(|(_, gain)| (*gain <= 0.105, percent(*gain))),
        ),
        Finding::new(
            "WD is the best of the node-based strategies where the diameter is small",
            is_best(results, "bfs", "decompose", &SMALL_DIAMETER),
        ),
        Finding::new("NS is the best of them where it is large", is_best(results, "bfs", "split", &["road"])),
        Finding::new(
            "HP is more than twice as fast as BS on Graph500",
            all_at_least(&gains(results, "bfs", "hierarchical", &graph500), 0.5),
        ),
    ]
}

/// What making a strategy ready takes, which the paper counts among the overheads.
fn preparing(results: &Results) -> Part {
    let mut data = Data::new(&["graph", "strategy", "preparing ms", "of it", "run ms"]);
    let mut series = no_points();
    for graph in GRAPHS {
        let experiment = format!("sssp {graph}");
        for ((short, strategy), series) in STRATEGIES.iter().zip(&mut series) {
            let Some(parts) = results.entry(&experiment, strategy).and_then(|entry| entry["prepare_ms"].as_object())
            else {
                continue;
            };
            let total = parts.get("total").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
            series.points.push(Point::named(graph, total));
            let named = parts.iter().filter(|(name, _)| *name != "total");
            let named: Vec<String> =
                named.map(|(name, time)| format!("{name} {:.2}", time.as_f64().unwrap_or(0.0))).collect();
            let run = results.time(&experiment, strategy);
            data.rows.push(vec![
                Cell::text(graph),
                Cell::text(format!("{short} ({strategy})")),
                Cell::real(total, 2),
                Cell::text(named.join(", ")),
                Cell::maybe(run, |run| Cell::real(run, 2)),
            ]);
        }
    }
    let preparation = |strategy: &str| results.number("sssp rmat20", strategy, "/prepare_ms/total");
    let whole = |strategy: &str| Some(preparation(strategy)? + results.time("sssp rmat20", strategy)?);
    let others = ["decompose", "hierarchical"].into_iter().filter_map(|it| Some((it, whole(it)?)));
    let worst = others.max_by(|a, b| a.1.total_cmp(&b.1)).zip(whole("split")).map(|((other, time), own)| {
        (own >= time, format!("preparing and running takes {own:.2} ms, with {other} {time:.2}"))
    });
    let findings =
        vec![Finding::new("NS is the worst of the node-based strategies on rmat, because splitting takes long", worst)];
    let y = Axis::log("preparing in ms (log)");
    let title = "What making a strategy ready takes";
    let chart = Chart::bars(title, y, series);
    let text = "Uploading the graph, compiling kernels, finding the threshold of degrees and splitting nodes, before the first run.";
    Part { name: "preparing", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// Lines of code that a strategy has of its own, kernels and host together, less empty lines, comments and tests.
const LINES: [(&str, f64); 5] =
    [("node", 56.0), ("edge", 92.0), ("decompose", 188.0), ("split", 310.0), ("hierarchical", 429.0)];

/// The ranks on three axes.
fn ranks(results: &Results) -> Part {
    let mean = |strategy: &str, pointer: &str| {
        let numbers = GRAPHS.iter().filter_map(|graph| results.number(&format!("sssp {graph}"), strategy, pointer));
        geometric_mean(numbers)
    };
    let axes: [(&str, Vec<Option<f64>>); 3] = [
        ("time", STRATEGIES.iter().map(|(_, it)| mean(it, "/median/total_ms")).collect()),
        ("memory", STRATEGIES.iter().map(|(_, it)| mean(it, "/memory_bytes")).collect()),
        ("lines of code", LINES.iter().map(|(_, lines)| Some(*lines)).collect()),
    ];
    let rank = |values: &[Option<f64>], own: usize| {
        let own = values[own]?;
        Some(1 + values.iter().flatten().filter(|value| **value < own).count())
    };
    let mut data = Data::new(&["strategy", "rank by time", "by memory", "by lines of code", "lines"]);
    for (number, (short, strategy)) in STRATEGIES.iter().enumerate() {
        let mut row = vec![Cell::text(format!("{short} ({strategy})"))];
        row.extend(axes.iter().map(|(_, values)| Cell::maybe(rank(values, number), |rank| Cell::whole(rank as u64))));
        row.push(Cell::real(LINES[number].1, 0));
        data.rows.push(row);
    }
    let series = axes.iter().map(|(name, values)| Series {
        name: (*name).to_owned(),
        points: STRATEGIES
            .iter()
            .enumerate()
            .filter_map(|(number, (short, _))| Some(Point::named(*short, rank(values, number)? as f64)))
            .collect(),
    });
    let chart = Chart::bars("Fig. 9: ranks on three axes, 1 is best", Axis::whole("rank"), series.collect());
    let place = |axis: usize, number: usize| rank(&axes[axis].1, number);
    let both = place(0, 1).zip(place(2, 1)).map(|(time, lines)| {
        (time == 1 && lines <= 2, format!("EP is number {time} by time and number {lines} by lines of code"))
    });
    let memory = place(1, 1).map(|memory| (memory == 5, format!("EP is number {memory} of 5 by memory")));
    let slowest = place(0, 0).map(|time| (time == 5, format!("BS is number {time} of 5 by time")));
    let findings = vec![
        Finding::new("EP ranks better on two axes, time and complexity", both),
        Finding::new("EP needs the most memory", memory),
        Finding::new("BS performs worst", slowest),
    ];
    let text = "Time and memory are geometric means over the graphs of Fig. 7; the paper's third axis is an assessment, here it is \
                the lines of code that a strategy has of its own.";
    Part { name: "fig9", title: "Fig. 9: ranks".into(), text: text.into(), data, chart: Some(chart), findings }
}

/// Degrees before and after node splitting.
fn splitting(results: &Results) -> Part {
    let mut data = Data::new(&[
        "graph",
        "highest degree",
        "threshold (MDT)",
        "nodes",
        "nodes split",
        "share split",
        "memory after",
    ]);
    let mut series = Vec::new();
    let mut shares = Vec::new();
    let mut thresholds = Vec::new();
    for graph in GRAPHS {
        let Some(result) = results.get(&format!("split {graph}")).map(|record| &record.result) else { continue };
        let number = |pointer: &str| result.pointer(pointer).and_then(serde_json::Value::as_f64);
        let (Some(highest), Some(threshold), Some(nodes), Some(split)) =
            (number("/degrees/max"), number("/split/threshold"), number("/split/nodes"), number("/split/nodes_split"))
        else {
            continue;
        };
        shares.push((graph.to_owned(), split / nodes));
        thresholds.push((graph, threshold));
        data.rows.push(vec![
            Cell::text(graph),
            Cell::whole(highest as u64),
            Cell::whole(threshold as u64),
            Cell::whole(nodes as u64),
            Cell::whole(split as u64),
            Cell::text(format!("{:.2} %", 100.0 * split / nodes)),
            Cell::maybe(number("/split/memory_bytes_after"), |bytes| Cell::bytes(bytes as u64)),
        ]);
        for (which, pointer) in [("before", "/degrees/histogram"), ("after", "/split/histogram")] {
            if !matches!(graph, "rmat20" | "ER20") {
                continue;
            }
            let bins = result.pointer(pointer).and_then(serde_json::Value::as_array).into_iter().flatten();
            let point = |bin: &serde_json::Value| {
                let (from, nodes) = (bin["from"].as_f64()?, bin["nodes"].as_f64()?);
                (from > 0.0 && nodes > 0.0).then(|| Point::new(from, nodes))
            };
            series.push(Series { name: format!("{graph} {which}"), points: bins.filter_map(point).collect() });
        }
    }
    let of = |name: &str| thresholds.iter().find(|(graph, _)| *graph == name).map(|(_, threshold)| *threshold);
    let findings = vec![
        Finding::new(
            "MDT is 118 for rmat20",
            of("rmat20").map(|it| ((60.0..240.0).contains(&it), format!("{it}, for a highest degree that differs"))),
        ),
        Finding::new(
            "MDT is 2–4 for roads and random graphs",
            of("road")
                .zip(of("ER20"))
                .map(|(road, er)| (road <= 4.0 && er <= 4.0, format!("{road} for the road, {er} for ER20"))),
        ),
        Finding::new(
            "Fewer than 5 % of the nodes are split",
            (!shares.is_empty()).then(|| (shares.iter().all(|(_, share)| *share < 0.05), listed(&shares))),
        ),
    ];
    let chart = Chart {
        title: "Fig. 10: degrees before and after node splitting".into(),
        kind: Kind::Lines,
        x: Axis::log("degree (log)"),
        y: Axis::log("nodes (log)"),
        series,
    };
    let text = "The threshold is the upper bound of the fullest of ten bins of degrees.";
    let title = "Fig. 10: node splitting";
    Part { name: "fig10", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// One atomic for all edges of a node, against one for each edge.
fn chunking(results: &Results) -> Part {
    let mut data = Data::new(&["graph", "chunked ms", "edge by edge ms", "times as fast"]);
    let mut gains = Vec::new();
    for graph in GRAPHS {
        let chunked = results.time(&format!("sssp {graph}"), "edge");
        let plain = results
            .get(&format!("chunking {graph}"))
            .and_then(|record| record.entries().first().and_then(|entry| entry.pointer("/median/total_ms")?.as_f64()));
        let Some((chunked, plain)) = chunked.zip(plain) else { continue };
        gains.push((graph.to_owned(), plain / chunked));
        data.rows.push(vec![
            Cell::text(graph),
            Cell::real(chunked, 3),
            Cell::real(plain, 3),
            Cell::real(plain / chunked, 2),
        ]);
    }
    let points = gains.iter().map(|(graph, gain)| Point::named(graph, *gain)).collect();
    let series = vec![Series { name: "chunking".into(), points }];
    let mean = gains.iter().map(|(_, gain)| gain).sum::<f64>() / gains.len().max(1) as f64;
    let here = gains.iter().map(|(graph, gain)| format!("{gain:.2} on {graph}")).collect::<Vec<_>>().join(", ");
    let holds = (!gains.is_empty())
        .then(|| (gains.iter().all(|(_, gain)| *gain >= 1.1), format!("{here}; {mean:.2} on average")));
    let findings = vec![Finding::new("Chunking is worth 1.1–3.1 times, 1.8 on average", holds)];
    let title = "Fig. 11: work chunking in EP";
    let y = Axis::ratios("times as fast (log)");
    let chart = Chart::bars(title, y, series);
    let text = "Reserving places in the worklist for all edges of a node at once, against one atomic for each edge.";
    Part { name: "fig11", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    /// Lines of a file that are neither empty nor comment nor test.
    fn lines(path: &Path) -> usize {
        let text = fs::read_to_string(path).unwrap_or_default();
        let code = text.lines().map(str::trim).take_while(|line| !line.starts_with("#[cfg(test)]"));
        code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
    }

    #[test]
    fn the_lines_of_the_strategies_are_those_of_their_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-crate");
        let kernels = root.join("../shader-crate/src/strategy");
        if !kernels.is_dir() {
            return;
        }
        let of = |name: &str| {
            let file = format!("{name}.rs");
            lines(&root.join("src/strategy").join(&file)) + lines(&kernels.join(&file))
        };
        for (name, expected) in LINES {
            // Both that split nodes find the threshold of degrees first.
            let threshold = if matches!(name, "split" | "hierarchical") { of("threshold") } else { 0 };
            assert_eq!((of(name) + threshold) as f64, expected, "{name}");
        }
    }
}
