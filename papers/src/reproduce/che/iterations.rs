//! What happens from iteration to iteration: Figs. 7, 8 and 9.

use super::{SWITCHES, finer, judged, switched};
use crate::reproduce::{
    finding::{Finding, Part, Range, less},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};
use serde_json::Value;

/// The iterations that Fig. 7 shows.
const SHOWN: [u64; 4] = [1, 3, 5, LATE];

/// The iteration by which, as the paper has it, the nodes with many edges have colours.
const LATE: u64 = 7;

/// What is known of each iteration of a strategy on dip.
fn iterations<'a>(results: &'a Results, strategy: &str) -> Option<&'a Vec<Value>> {
    results.get(&format!("iterations {strategy}"))?.result.pointer("/details/iterations")?.as_array()
}

fn in_iteration(list: &[Value], number: u64) -> Option<&Value> {
    list.iter().find(|iteration| iteration["iteration"].as_u64() == Some(number))
}

/// Whether most nodes have a degree below 50 by then. Degrees are counted by powers of two, so that the share is between those below 32 and 64.
fn small(results: &Results) -> Finding {
    let says = "In iteration 7 most nodes have a degree below 50";
    let degrees = iterations(results, "hybrid").and_then(|list| in_iteration(list, LATE)?["degrees"].as_array());
    let Some(degrees) = degrees else { return Finding::new(says, None) };
    let nodes: Vec<f64> = degrees.iter().filter_map(Value::as_f64).collect();
    let share = |bins: usize| nodes.iter().take(bins).sum::<f64>() / nodes.iter().sum::<f64>();
    // The bins are 0, 1, 2–3, 4–7, and so on: six of them are below 32.
    let (least, most) = (share(6), share(7));
    let here = format!("at least {} are below 32", finer(least));
    match (least > 0.5, most > 0.5) {
        (false, true) => Finding::not_comparable(says, format!("{here}, {} below 64", finer(most))),
        (holds, _) => Finding::new(says, Some((holds, here))),
    }
}

/// Fig. 7: the degrees of nodes without a colour.
pub(super) fn active(results: &Results) -> Part {
    let mut data = Data::new(&["strategy", "iteration", "nodes without a colour", "median degree", "mean", "highest"]);
    let mut series = Vec::new();
    for strategy in ["hybrid", "random"] {
        let Some(list) = iterations(results, strategy) else { continue };
        for iteration in SHOWN.iter().filter_map(|number| in_iteration(list, *number)) {
            let whole = |field: &str| Cell::maybe(iteration[field].as_u64(), Cell::whole);
            let mean = Cell::maybe(iteration["mean_degree"].as_f64(), |mean| Cell::real(mean, 2));
            let row = [whole("iteration"), whole("active"), whole("median_degree"), mean, whole("highest_degree")];
            data.rows.push([vec![Cell::text(strategy)], row.into()].concat());
            let bins = iteration["degrees"].as_array().into_iter().flatten().enumerate().skip(1);
            let point = |(bin, nodes): (usize, &Value)| {
                let nodes = nodes.as_f64().filter(|nodes| *nodes > 0.0)?;
                Some(Point::new((1_u64 << (bin - 1)) as f64, nodes))
            };
            if strategy == "hybrid" {
                let name = format!("iteration {}", iteration["iteration"]);
                series.push(Series { name, points: bins.filter_map(point).collect() });
            }
        }
    }
    let highest =
        |strategy: &str, number: u64| in_iteration(iterations(results, strategy)?, number)?["highest_degree"].as_u64();
    let removed = highest("hybrid", 1).zip(highest("hybrid", LATE)).map(|(first, late)| {
        (late < first, format!("the highest is {first} in iteration 1 and {late} in iteration {LATE}"))
    });
    let sooner = highest("hybrid", LATE).zip(highest("random", LATE)).map(|(hybrid, random)| {
        (hybrid < random, format!("the highest in iteration {LATE} is {hybrid} with the hybrid and {random} without"))
    });
    let on_dip = |finding: Finding| judged(results, &["dip"], finding);
    let findings = vec![
        on_dip(small(results)),
        on_dip(Finding::new("Nodes of the highest degrees have colours after the first few iterations", removed)),
        on_dip(Finding::new("That is thanks to colouring by degrees", sooner)),
    ];
    let title = "Fig. 7: degrees of the nodes without a colour";
    let (x, y) = (Axis::log("degree (log)"), Axis::log("nodes (log)"));
    let chart = Chart { title: title.into(), kind: Kind::Lines, x, y, series };
    let text = "The hybrid on dip, and the baseline beside it. A point stands for degrees from its own to less than twice that.";
    Part { name: "fig7", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// Fig. 8: when random labels take over.
pub(super) fn switching(results: &Results) -> Part {
    let mut data = Data::new(&["iterations by degree", "total ms", "colours", "iterations"]);
    let mut found = Vec::new();
    for switch in SWITCHES {
        let number = |pointer: &str| results.number("switch", &switched(switch), pointer);
        let Some((time, colors)) = number("/median/total_ms").zip(number("/colors")) else { continue };
        found.push((switch, time, colors));
        let iterations = Cell::maybe(number("/median/iterations"), |count| Cell::real(count, 0));
        data.rows.push(vec![Cell::whole(switch), Cell::real(time, 3), Cell::real(colors, 0), iterations]);
    }
    let by_degree = || found.iter().filter(|(switch, ..)| *switch > 0);
    let best = by_degree().min_by(|a, b| a.1.total_cmp(&b.1));
    let ends = best.zip(by_degree().max_by(|a, b| a.1.total_cmp(&b.1)));
    let spread = ends.map(|(best, worst)| {
        (format!("between switching after {} and after {}", best.0, worst.0), less(worst.1, best.1))
    });
    let spread = spread.map_or_else(|| ("between them".to_owned(), None), |(case, gain)| (case, Some(gain)));
    let fourth = by_degree().find(|(switch, ..)| *switch == 4).zip(best).map(|(fourth, best)| {
        let here = format!("{:.3} ms after 4, {:.3} ms after {}, the best", fourth.1, best.1, best.0);
        (best.0 == 4, here)
    });
    let fewest = found.iter().map(|(.., colors)| *colors).reduce(f64::min);
    let colors = fewest.zip(found.iter().map(|(.., colors)| *colors).reduce(f64::max));
    let colors = colors.map(|(least, most)| (least < most, format!("{least} to {most} colours")));
    let on_dip = |finding: Finding| judged(results, &["dip"], finding);
    let findings = vec![
        on_dip(Finding::range("When to switch makes a difference of 15 %", Range::about_percent(15.0), &[spread])),
        on_dip(Finding::new("It is best to switch in the 4th iteration", fourth)),
        on_dip(Finding::new("The number of colours depends on it, too", colors)),
    ];
    let series = [("total time in ms", 1), ("colours", 2)].map(|(name, field)| Series {
        name: name.into(),
        points: found
            .iter()
            .map(|(switch, time, colors)| Point::new(f64::from(*switch), if field == 1 { *time } else { *colors }))
            .collect(),
    });
    let title = "Fig. 8: time and colours by when random labels take over";
    let (x, y) = (Axis::whole("iterations by degree"), Axis::log("ms, and colours (log)"));
    let chart = Chart { title: title.into(), kind: Kind::Lines, x, y, series: series.into() };
    let text =
        "The hybrid on dip with --switch-at: 0 is the baseline. Degrees are also given up once they colour no node.";
    Part { name: "fig8", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// Fig. 9: nodes that have colours after each iteration.
pub(super) fn colored(results: &Results) -> Part {
    let mut data = Data::new(&["strategy", "iteration", "nodes with a colour", "more than before", "colours"]);
    let mut series = Vec::new();
    for strategy in ["hybrid", "random"] {
        let Some(list) = iterations(results, strategy) else { continue };
        let mut points = Vec::new();
        for (iteration, gained) in list.iter().zip(gained(list)) {
            let number = |field: &str| iteration[field].as_u64().unwrap_or(0);
            points.push(Point::new(number("iteration") as f64, number("colored") as f64));
            let counts = [number("iteration"), number("colored"), gained, number("colors")].map(Cell::whole);
            data.rows.push([vec![Cell::text(strategy)], counts.into()].concat());
        }
        series.push(Series { name: strategy.into(), points });
    }
    let by_degree = iterations(results, "hybrid").map(|list| gained(list));
    // The first iteration without a node is the last by degree.
    let switch = by_degree.as_ref().and_then(|gained| Some((gained.iter().position(|nodes| *nodes == 0)?, gained)));
    let falls = switch.filter(|(last, _)| *last > 0).map(|(last, gained)| {
        let each: Vec<String> = gained[..last].iter().map(u64::to_string).collect();
        (gained[..last].windows(2).all(|pair| pair[1] <= pair[0]), format!("{} nodes", each.join(", ")))
    });
    let ninth = switch.map(|(last, _)| {
        let first = last + 2;
        // A quarter more or less.
        ((7..=11).contains(&first), format!("random labels from iteration {first} on"))
    });
    let on_dip = |finding: Finding| judged(results, &["dip"], finding);
    let findings = vec![
        on_dip(Finding::new("Colouring by degrees gives fewer and fewer nodes a colour", falls)),
        on_dip(Finding::new("The algorithm switches to random labels at iteration 9", ninth)),
    ];
    let title = "Fig. 9: nodes with a colour after each iteration";
    let (x, y) = (Axis::whole("iteration"), Axis::whole("nodes with a colour"));
    let chart = Chart { title: title.into(), kind: Kind::Lines, x, y, series };
    let text = "dip, with hybrid and random. An iteration gives out one colour: the nodes that it adds are those of that colour.";
    Part { name: "fig9", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// How many nodes each iteration gave a colour.
fn gained(list: &[Value]) -> Vec<u64> {
    let mut before = 0;
    let gained = |iteration: &Value| {
        let now = iteration["colored"].as_u64().unwrap_or(before);
        now.saturating_sub(std::mem::replace(&mut before, now))
    };
    list.iter().map(gained).collect()
}
