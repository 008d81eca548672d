//! Section 4.3: whole searches that switch, by the trees that were grown, on graphs that no tree has seen.

use super::{Finding, Part, Results, percent};
use crate::{
    reproduce::experiment::{Experiment, Setting},
    tuning::geometric_mean,
};
use evenkeel::strategy::adaptive::{Count, Implementation};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

/// What the names of these experiments begin with.
const SEARCH: &str = "search ";

/// The trees that search, and what they are called here.
const SEARCHED: [(&str, &str); 3] =
    [("gini", "by a Gini tree"), ("fifteen", "by a cost tree"), ("listed", "by a tree with lists")];

fn graphs(setting: &Setting) -> [&'static str; 6] {
    setting.pick(
        [
            "rmat:scale=8,seed=5",
            "graph500:scale=8,seed=5",
            "er:nodes=600,degree=6,seed=5",
            "grid:rows=15,cols=25",
            "road:nodes=500,seed=5",
            "rmat:scale=8,seed=5,directed=true",
        ],
        [
            "rmat:scale=19,seed=5",
            "graph500:scale=18,seed=5",
            "er:nodes=800000,degree=8,seed=5",
            "grid:rows=700,cols=1100",
            "road:nodes=300000,seed=5",
            "rmat:scale=17,seed=5,directed=true",
        ],
    )
}

/// The variants that search alone: each implementation, as the paper counts, and with the count by subgroups.
fn single() -> Vec<String> {
    let counts = [Count::Atomic, Count::Subgroup];
    let both = |it: Implementation| counts.map(|count| format!("{}:count={count}", it.name()));
    Implementation::TOPOLOGY_DRIVEN.into_iter().flat_map(both).collect()
}

/// Comparisons of the trees in files with single variants.
pub fn experiments(setting: &Setting, file: impl Fn(&str) -> String) -> Vec<Experiment> {
    let trees = SEARCHED.iter().map(|(tree, _)| format!("adaptive:model={}", file(tree)));
    let strategies = single().into_iter().chain(trees).collect::<Vec<_>>().join(",");
    let check = setting.pick("", "--no-validate");
    let runs = setting.pick("--runs 3 --warmup 1", "--runs 7 --warmup 2");
    let compare = |graph: &str| {
        let command = format!("compare bfs {{}} --strategies {{}} {runs} {check}");
        Experiment::new(format!("{SEARCH}{graph}"), &command, &[graph, &strategies]).after_others()
    };
    graphs(setting).into_iter().map(compare).collect()
}

/// The time of an entry of a comparison.
fn time(entry: &Value) -> Option<f64> {
    entry.pointer("/median/total_ms")?.as_f64()
}

/// Whole searches.
pub fn part(results: &Results) -> Part {
    let titles = SEARCHED.map(|(_, title)| title);
    let mut data =
        Data::new(&[&["graph", "best single variant", "its ms"], &titles[..], &["the gain of the Gini tree"]].concat());
    let mut series = ["best single variant"]
        .iter()
        .chain(&titles)
        .map(|name| Series { name: (*name).into(), points: Vec::new() })
        .collect::<Vec<_>>();
    let mut gains: Vec<(&str, [Option<f64>; 3])> = Vec::new();
    for record in results.records() {
        let Some(graph) = record.experiment.strip_prefix(SEARCH) else { continue };
        let entries = record.entries();
        let name = |entry: &Value| entry["strategy"].as_str().unwrap_or_default().to_owned();
        let model = |entry: &Value| entry.pointer("/config/model").and_then(Value::as_str).map(str::to_owned);
        let alone = entries.iter().filter(|entry| model(entry).is_none());
        let alone = alone.filter_map(|entry| Some((name(entry), time(entry)?))).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((fastest, alone)) = alone else { continue };
        let by_tree = SEARCHED.map(|(tree, _)| {
            entries.iter().find(|entry| model(entry).as_deref() == Some(tree)).and_then(|it| time(it))
        });
        let gain = by_tree.map(|time| time.map(|time| alone / time));
        series[0].points.push(Point::named(graph, alone));
        for (series, time) in series[1..].iter_mut().zip(by_tree) {
            series.points.extend(time.map(|time| Point::named(graph, time)));
        }
        let mut row = vec![Cell::text(graph), Cell::text(fastest.replace(":count=", " ")), Cell::real(alone, 3)];
        row.extend(by_tree.map(|time| Cell::maybe(time, |time| Cell::real(time, 3))));
        row.push(Cell::maybe(gain[0], |gain| Cell::text(percent(gain - 1.0))));
        data.rows.push(row);
        gains.push((graph, gain));
    }
    let of = |tree: usize| gains.iter().filter_map(move |(graph, gain)| Some((*graph, gain[tree]?)));
    let means: Vec<Option<f64>> = (0..3).map(|tree| geometric_mean(of(tree).map(|(_, gain)| gain))).collect();
    let gain = means[0].map(|gain| {
        let each: Vec<String> = of(0).map(|(graph, gain)| format!("{} on {graph}", percent(gain - 1.0))).collect();
        let other = |tree: usize| {
            means[tree].map(|gain| format!("; {} {}", percent(gain - 1.0), titles[tree])).unwrap_or_default()
        };
        (
            gain >= 1.2,
            format!("{} in the geometric mean ({}){}{}", percent(gain - 1.0), each.join(", "), other(1), other(2)),
        )
    });
    let title = "Searches that switch";
    Part {
        name: "search",
        title: title.into(),
        text: "Whole searches in ms, from the node with the most edges, on generated graphs that are in none of \
               the three sets. The best single variant is that of ten: each implementation, counting by atomic and \
               by subgroup. With lists there are four more implementations, which the paper does not have."
            .into(),
        chart: (!gains.is_empty()).then(|| Chart::bars(title, Axis::log("total time in ms (log)"), series)),
        data,
        findings: vec![Finding::new("Switching gains 20 to 80 % over the best single variant", gain)],
    }
}
