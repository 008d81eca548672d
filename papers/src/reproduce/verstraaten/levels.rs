//! What the measured levels say: which variants are fast, how far apart they are, and what counting costs.

use super::{
    FIFTEEN, Part, Results, Verdict, judged, list, number, of_graphs, on_other_graphs, percent, text, verdict,
};
use crate::tuning::geometric_mean;
use evenkeel::numerals::grouped;
use evenkeel::strategy::adaptive::{Count, Implementation};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

fn share(value: Option<f64>) -> Cell {
    Cell::maybe(value, |share| Cell::Number(format!("{:.1} %", 100.0 * share), share))
}

/// Section 3.2: which variant is the fastest.
pub fn fastest(results: &Results) -> Part {
    let judged = judged(results, FIFTEEN);
    let table = judged.map(|judged| &judged["table"]);
    let columns = [("all levels", "all"), ("growing", "growing"), ("largest", "largest"), ("shrinking", "shrinking")];
    let variants = list(table, "fastest");
    let of = |variant: &Value, key: &str| variant[key].as_f64();
    let mut data = Data::new(&["variant", "all levels", "growing", "largest", "shrinking"]);
    for variant in variants {
        let shares = columns.iter().map(|(_, key)| share(of(variant, key)));
        data.rows.push([Cell::text(text(variant, "variant"))].into_iter().chain(shares).collect());
    }
    let drawn = || variants.iter().filter(|variant| of(variant, "all").is_some_and(|share| share > 0.0));
    let series = columns[1..].iter().map(|(name, key)| Series {
        name: (*name).to_owned(),
        points: drawn().filter_map(|it| Some(Point::named(text(it, "variant"), of(it, key)?))).collect(),
    });
    let title = "The fastest variant of a level";
    let chart = Chart::bars(title, Axis::shares("share of the levels of a phase"), series.collect());
    let of_implementation = |implementation: &Implementation| -> f64 {
        let name = implementation.name();
        let is_it = |variant: &&Value| text(variant, "variant").rsplit_once(' ').is_some_and(|(it, _)| it == name);
        variants.iter().filter(is_it).filter_map(|it| of(it, "all")).sum()
    };
    let wins = Implementation::TOPOLOGY_DRIVEN.map(|it| (it.name(), of_implementation(&it)));
    let listed: Vec<String> = wins.iter().map(|(name, share)| format!("{name} {:.1} %", 100.0 * share)).collect();
    let each = (!variants.is_empty()).then(|| (wins.iter().all(|(_, share)| *share > 0.0), listed.join(", ")));
    Part {
        name: "fastest",
        title: title.into(),
        text: "Of each level of each search, the variant that takes least. The frontier grows, is the largest of \
               the search, or shrinks."
            .into(),
        data,
        chart: (!variants.is_empty()).then_some(chart),
        findings: vec![of_graphs("Each implementation is the fastest of some levels", each)],
    }
}

/// The edges of the graphs of a stratum.
fn size(stratum: &Value) -> String {
    match (stratum["edges_from"].as_u64().unwrap_or(0), stratum["edges_below"].as_u64()) {
        (0, Some(below)) => format!("fewer than {}", grouped(below)),
        (from, Some(below)) => format!("{} to {}", grouped(from), grouped(below)),
        (from, None) => format!("{} or more", grouped(from)),
    }
}

/// From this many edges on, a graph is among the large ones of the paper.
const LARGE: u64 = 1_000_000;

/// Section 3.2: how far apart the variants of a level are, by the size of the graph.
pub fn spread(results: &Results) -> Part {
    let table = judged(results, FIFTEEN).map(|judged| &judged["table"]);
    let strata = list(table, "by_size");
    let of = |stratum: &Value, key: &str| stratum[key].as_f64();
    let mut data = Data::new(&["edges", "graphs", "levels", "median", "over 100 times", "largest"]);
    for stratum in strata {
        let factor = |key: &str| Cell::maybe(of(stratum, key), |factor| Cell::real(factor, 1));
        data.rows.push(vec![
            Cell::text(size(stratum)),
            Cell::maybe(stratum["graphs"].as_u64(), Cell::whole),
            Cell::maybe(stratum["levels"].as_u64(), Cell::whole),
            factor("median"),
            share(of(stratum, "over_100")),
            factor("largest"),
        ]);
    }
    let all = |key: &str| table.and_then(|table| number(table, key));
    let large: Vec<f64> = strata
        .iter()
        .filter(|stratum| stratum["edges_from"].as_u64().is_some_and(|from| from >= LARGE))
        .filter_map(|stratum| of(stratum, "over_100"))
        .collect();
    let often = all("/spread_over_100").zip(all("/median_spread")).map(|(often, median)| {
        let each: Vec<String> = strata
            .iter()
            .filter_map(|stratum| Some(format!("{} with {} edges", percent(of(stratum, "over_100")?), size(stratum))))
            .collect();
        let found = match often > 0.75 {
            true => Verdict::Holds,
            false if !large.is_empty() && large.iter().all(|share| *share > 0.75) => Verdict::Direction,
            false => Verdict::Fails,
        };
        let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
        (found, format!("{} of the levels{each}; the median is {median:.1} times", percent(often)))
    });
    let most = all("/largest_spread").map(|most| (most >= 1e4, format!("up to {most:.0} times")));
    let title = "How far apart the variants of a level are";
    let points: Vec<Point> =
        strata.iter().filter_map(|stratum| Some(Point::named(size(stratum), of(stratum, "over_100")?))).collect();
    Part {
        name: "spread",
        title: title.into(),
        text: "How many times as long as the fastest of the fifteen variants of a level the slowest takes, by the \
               edges of the graph. On a small graph all variants take little more than it takes to begin a level."
            .into(),
        data,
        chart: (!points.is_empty()).then(|| {
            let series = Series { name: "over 100 times".into(), points };
            Chart::bars(title, Axis::shares("levels with variants over 100 times apart"), vec![series])
        }),
        findings: vec![
            on_other_graphs(verdict(
                "For over 75 % of the levels the slowest takes over 100 times as long as the fastest",
                often,
            )),
            of_graphs("In the worst cases it takes 10,000 times as long", most),
        ],
    }
}

/// Section 3.2: how what is discovered is counted.
pub fn counting(results: &Results) -> Part {
    let counted = list(judged(results, FIFTEEN).map(|judged| &judged["table"]), "counting");
    let mut data =
        Data::new(&["implementation", "count", "times the time of atomic", "faster by over 5 %", "slower by over 5 %"]);
    for line in counted {
        data.rows.push(vec![
            Cell::text(text(line, "implementation")),
            Cell::text(text(line, "count")),
            Cell::maybe(line["times"].as_f64(), |times| Cell::real(times, 2)),
            share(line["faster"].as_f64()),
            share(line["slower"].as_f64()),
        ]);
    }
    let of = |count: Count| counted.iter().filter(move |line| line["count"] == count.name());
    let counts = [Count::Subgroup, Count::Workgroup];
    let series = counts.map(|count| Series {
        name: count.name().to_owned(),
        points: of(count)
            .filter_map(|it| Some(Point::named(text(it, "implementation"), it["times"].as_f64()?)))
            .collect(),
    });
    let summary = |count: Count| {
        let times = |key: &'static str| of(count).filter_map(move |line| line[key].as_f64());
        let average = |key| times(key).sum::<f64>() / times(key).count().max(1) as f64;
        let mean = geometric_mean(times("times"))?;
        let worse = times("times").all(|times| times > 1.05);
        let (faster, slower) = (percent(average("faster")), percent(average("slower")));
        Some((
            worse,
            format!(
                "{count} takes {mean:.2} times as long as atomic: faster on {faster} of the levels, slower on {slower}"
            ),
        ))
    };
    let found: Vec<(bool, String)> = counts.into_iter().filter_map(summary).collect();
    let here = found.iter().map(|(_, here)| here.as_str()).collect::<Vec<_>>().join("; ");
    let worse = (!found.is_empty()).then(|| (found.iter().all(|(worse, _)| *worse), here));
    let title = "How the discovered are counted";
    let chart = Chart::bars(title, Axis::linear("times the time of atomic"), series.into());
    Part {
        name: "counting",
        title: title.into(),
        text: "Each thread adds to one counter (atomic), or a subgroup adds up first, or a workgroup does: the \
               paper's warp reduction, and its warp-and-block reduction. Geometric means over all levels. The \
               paper's figures leave both reductions out, because they were worse on its device."
            .into(),
        data,
        chart: (!counted.is_empty()).then_some(chart),
        findings: vec![of_graphs("Both reductions are significantly worse than atomic additions, in all cases", worse)],
    }
}
