//! The page of how evenly work was shared out: for each strategy, how many invocations took how much.

use super::{Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series, axis::percent};
use crate::report::balance::{BalanceReport, Levels, StrategyBalance};
use evenkeel::numerals::grouped;

/// The page of a report.
pub fn page(report: &BalanceReport) -> Page {
    let from = report.source.as_ref().map_or(String::new(), |source| format!(" from node {source}"));
    Page::new(format!("Balance of {} on {}", report.algorithm, report.graph.name), report.version)
        .fact("graph", &report.graph)
        .fact(
            "counted",
            format!(
                "{}{from} on the CPU, by invocations, groups of {} lanes and workgroups",
                report.algorithm, report.lanes
            ),
        )
        .section(shares(report))
        .section(unevenness(report))
        .section(lanes(report))
        .section(worst(report))
}

/// The ranges of shares that are told apart: 0, 1–3, 4–15, …, the last without an end.
const RANGES: usize = 8;

/// The range that shares of so many binary digits are in.
fn range_of(digits: usize) -> usize {
    digits.div_ceil(2).min(RANGES - 1)
}

fn range_name(range: usize) -> String {
    let least = |range: usize| 4u64.pow(range as u32 - 1);
    match range {
        0 => "0 atoms".to_owned(),
        _ if range == RANGES - 1 => format!("{} and more", grouped(least(range))),
        _ => format!("{} – {}", grouped(least(range)), grouped(least(range + 1) - 1)),
    }
}

/// How many invocations of a strategy are in each range.
fn by_range(strategy: &StrategyBalance) -> [u64; RANGES] {
    let mut ranges = [0; RANGES];
    strategy.shares.iter().enumerate().for_each(|(digits, count)| ranges[range_of(digits)] += count);
    ranges
}

fn shares(report: &BalanceReport) -> Section {
    let counts: Vec<[u64; RANGES]> = report.strategies.iter().map(by_range).collect();
    let used = (0..RANGES).rfind(|range| counts.iter().any(|of| of[*range] > 0)).map_or(1, |last| last + 1);
    let series = (0..used).map(|range| Series {
        name: range_name(range),
        points: report
            .strategies
            .iter()
            .zip(&counts)
            .map(|(strategy, counts)| {
                let all = counts.iter().sum::<u64>().max(1);
                Point::named(&strategy.strategy, counts[range] as f64 / all as f64)
            })
            .collect(),
    });
    let chart = Chart {
        title: "Invocations by the atoms they took".into(),
        kind: Kind::Graded,
        x: Axis::linear(""),
        y: Axis::shares("share of all invocations"),
        series: series.collect(),
    };
    let names: Vec<String> = (0..used).map(range_name).collect();
    let headings: Vec<&str> = ["strategy"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let row = |(strategy, counts): (&StrategyBalance, &[u64; RANGES])| {
        let counts = counts[..used].iter().map(|count| Cell::whole(*count));
        [Cell::text(&strategy.strategy)].into_iter().chain(counts).collect()
    };
    Section::new("Distribution of work")
        .text(
            "How many invocations took how many atoms (edges, or entries) of a dispatch, over all dispatches. Where the work \
             is even, one colour fills the bar.",
        )
        .chart(&chart)
        .data(Data::new(&headings).rows(report.strategies.iter().zip(&counts).map(row)))
}

fn unevenness(report: &BalanceReport) -> Section {
    let series = |name: &str, value: fn(&Levels) -> f64| Series {
        name: name.to_owned(),
        points: report.strategies.iter().map(|it| Point::named(&it.strategy, value(&it.max_over_mean))).collect(),
    };
    let chart = Chart::bars(
        "Largest share over the mean share",
        Axis::ratios("largest over mean (log); 1 is even"),
        vec![
            series("invocations", |it| it.invocations),
            series("groups of lanes", |it| it.lane_groups),
            series("workgroups", |it| it.workgroups),
        ],
    );
    let data = Data::new(&["strategy", "invocations", "groups of lanes", "workgroups", "Gini of invocations"]);
    let row = |it: &StrategyBalance| {
        let Levels { invocations, lane_groups, workgroups } = it.max_over_mean;
        let numbers = [invocations, lane_groups, workgroups, it.gini.invocations].map(|number| Cell::real(number, 2));
        [Cell::text(&it.strategy)].into_iter().chain(numbers).collect()
    };
    Section::new("Unevenness")
        .text(
            "A dispatch lasts as long as its largest share, so this is how many times longer it takes than it would if all \
             shares were even.",
        )
        .chart(&chart)
        .data(data.rows(report.strategies.iter().map(row)))
}

fn lanes(report: &BalanceReport) -> Section {
    let points = report.strategies.iter().map(|it| Point::named(&it.strategy, it.simd_efficiency)).collect();
    let chart = Chart::bars(
        "Lanes that are busy while their group is",
        Axis::shares("share of the lanes' time"),
        vec![Series { name: "busy".into(), points }],
    );
    let row = |it: &StrategyBalance| {
        let shares = [it.simd_efficiency, it.idle_lanes].map(|part| Cell::Number(percent(part), part));
        [Cell::text(&it.strategy), Cell::whole(it.atoms)].into_iter().chain(shares).collect()
    };
    let data = Data::new(&["strategy", "atoms", "busy", "idle"]).rows(report.strategies.iter().map(row));
    Section::new("Lanes").chart(&chart).data(data)
}

/// The dispatch of each strategy that is furthest from even; the JSON has all.
fn worst(report: &BalanceReport) -> Section {
    let row = |strategy: &StrategyBalance| {
        let it = strategy.worst.as_ref()?;
        let mut row = vec![Cell::text(&strategy.strategy), Cell::whole(it.iteration), Cell::text(it.kernel)];
        row.extend([it.atoms, it.invocations.count, it.invocations.max].map(Cell::whole));
        row.extend([it.invocations.mean, it.invocations.gini].map(|number| Cell::real(number, 2)));
        Some(row)
    };
    let data = Data::new(&["strategy", "iteration", "kernel", "atoms", "invocations", "largest", "mean", "Gini"]);
    Section::new("Worst dispatches")
        .text("The dispatch of each strategy whose largest share is furthest above the mean.")
        .data(data.rows(report.strategies.iter().filter_map(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_all_shares() {
        // 0; 1; 2–3; 4–7; 8–15; 16–31: the number of binary digits.
        assert_eq!([0, 1, 2, 3, 4, 5, 64].map(range_of), [0, 1, 1, 2, 2, 3, 7]);
        assert_eq!([0, 1, 2, 7].map(range_name), ["0 atoms", "1 – 3", "4 – 15", "4,096 and more"]);
    }
}
