//! What the measured levels say: which variants are fast, what counting costs, and how often a tree is right.

use super::{Finding, Part, Results, judged, list, number, percent, text};
use crate::tuning::geometric_mean;
use evenkeel::strategy::adaptive::{Count, Implementation};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

fn share(value: Option<f64>) -> Cell {
    Cell::maybe(value, |share| Cell::Number(format!("{:.1} %", 100.0 * share), share))
}

/// Section 3.2: which variant is the fastest.
pub fn fastest(results: &Results) -> Part {
    let judged = judged(results, "fifteen");
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
    let spread = |key: &str| table.and_then(|table| number(table, key));
    let often = spread("/spread_over_100").zip(spread("/median_spread"));
    let often = often.map(|(often, median)| {
        (often > 0.75, format!("{} of the levels; the median is {median:.1} times", percent(often)))
    });
    let most = spread("/largest_spread").map(|most| (most >= 1e4, format!("up to {most:.0} times")));
    Part {
        name: "fastest",
        title: title.into(),
        text: "Of each level of each search, the variant that takes least. The frontier grows, is the largest of \
               the search, or shrinks."
            .into(),
        data,
        chart: (!variants.is_empty()).then_some(chart),
        findings: vec![
            Finding::new("Each implementation is the fastest of some levels", each),
            Finding::new("For over 75 % of the levels the slowest takes over 100 times as long as the fastest", often),
            Finding::new("In the worst cases it takes 10,000 times as long", most),
        ],
    }
}

/// Section 3.2: how what is discovered is counted.
pub fn counting(results: &Results) -> Part {
    let counted = list(judged(results, "fifteen").map(|judged| &judged["table"]), "counting");
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
        findings: vec![Finding::new(
            "Both reductions are significantly worse than atomic additions, in all cases",
            worse,
        )],
    }
}

/// Section 4.4: how often a tree is right.
pub fn accuracy(results: &Results) -> Part {
    let trees = [("gini", "Gini tree"), ("fifteen", "cost tree")];
    let mut data = Data::new(&["tree", "levels of", "levels", "best", "to 5 %", "longer than the best", "lost"]);
    let mut series = Vec::new();
    for (tree, name) in trees {
        let Some(judged) = judged(results, tree) else { continue };
        let by_level = list(Some(judged), "accuracy_by_level");
        for line in [&judged["accuracy"]].into_iter().chain(list(Some(judged), "accuracy_by_phase")).chain(by_level) {
            let mut row = vec![Cell::text(name), Cell::text(text(line, "name"))];
            row.push(Cell::maybe(line["levels"].as_u64(), Cell::whole));
            row.extend(["best", "within_5_percent", "slower", "lost"].map(|key| share(line[key].as_f64())));
            data.rows.push(row);
        }
        let points =
            by_level.iter().filter_map(|it| Some(Point::named(text(it, "name"), it["within_5_percent"].as_f64()?)));
        series.push(Series { name: name.into(), points: points.collect() });
    }
    let of = |tree: &str, key: &str| number(judged(results, tree)?, &format!("/accuracy/{key}"));
    let right = of("gini", "best").zip(of("gini", "within_5_percent")).map(|(best, within)| {
        let by_cost =
            of("fifteen", "best").map_or_else(String::new, |best| format!("; {} by a cost tree", percent(best)));
        (best >= 0.95, format!("{}, and {} with those as fast to 5 %{by_cost}", percent(best), percent(within)))
    });
    let slower = of("gini", "slower").map(|gini| {
        let by_cost =
            of("fifteen", "slower").map_or_else(String::new, |it| format!("; {:.1} % by a cost tree", 100.0 * it));
        (gini <= 0.099, format!("{:.1} %{by_cost}", 100.0 * gini))
    });
    let title = "Accuracy by level";
    let y = Axis::shares("levels with the best variant, or one as fast to 5 %");
    Part {
        name: "accuracy",
        title: title.into(),
        text: "Levels of the test graphs. What is lost is what the choices at these levels add to the average \
               slowdown of a search."
            .into(),
        data,
        chart: (!series.is_empty()).then(|| Chart::bars(title, y, series)),
        findings: vec![
            Finding::new(
                "On graphs that it has not seen, the model predicts the fastest variant for 95 % of the \
                          levels",
                right,
            ),
            Finding::new("The chosen variant takes 9.9 % longer than the fastest on average", slower),
        ],
    }
}
