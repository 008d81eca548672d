//! Fig. 9: ranks by time, memory and code.

use super::{ALL_RUN, STRATEGIES, both_names, graphs::substitutes};
use crate::{
    reproduce::{
        finding::{Finding, Part},
        results::Results,
    },
    tuning::geometric_mean,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

/// Lines of code that a strategy has of its own, kernels and host together, less empty lines, comments and tests.
pub(super) const LINES: [(&str, f64); 5] =
    [("node", 56.0), ("edge", 92.0), ("decompose", 188.0), ("split", 314.0), ("hierarchical", 433.0)];

/// The ranks on three axes.
pub(super) fn ranks(results: &Results) -> Part {
    let mean = |strategy: &str, pointer: &str| {
        let numbers = ALL_RUN.iter().filter_map(|graph| results.number(&format!("sssp {graph}"), strategy, pointer));
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
        let mut row = vec![Cell::text(both_names(short, strategy))];
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
    let on_roads = |finding: Finding| finding.on_substitutes(substitutes(results, &ALL_RUN));
    let findings = vec![
        on_roads(Finding::new("EP ranks better on two axes, time and complexity", both)),
        Finding::new("EP needs the most memory", memory),
        on_roads(Finding::new("BS performs worst", slowest)),
    ];
    let text = "Time and memory are geometric means over the graphs of Fig. 7 but those of Graph500, on which the paper could not run all \
                strategies; its third axis is an assessment, here it is the lines of code that a strategy has of its own.";
    Part { name: "fig9", title: "Fig. 9: ranks".into(), text: text.into(), data, chart: Some(chart), findings }
}
