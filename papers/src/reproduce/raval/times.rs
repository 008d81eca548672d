//! Figs. 7 and 8: SSSP and BFS by each strategy.

use super::{
    ALL_RUN, GRAPH500, GRAPHS, NODE_BASED, ROADS, SMALL_DIAMETER, STRATEGIES, both_names, graphs::substitutes,
    no_points, overhead::one_time,
};
use crate::reproduce::{
    finding::{Case, Finding, Order, Part, Range, less},
    results::Results,
};
use evenkeel::device::memory::Bytes;
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point};

/// The memory of the paper's device.
const MEMORY: u64 = 4_660_000_000;

/// Fig. 7.
pub(super) fn sssp(results: &Results) -> Part {
    let figure = Figure { results, algorithm: "sssp" };
    figure.part("fig7", "Fig. 7: SSSP by each strategy", sssp_findings(&figure))
}

/// Fig. 8.
pub(super) fn bfs(results: &Results) -> Part {
    let figure = Figure { results, algorithm: "bfs" };
    figure.part("fig8", "Fig. 8: BFS by each strategy", bfs_findings(&figure))
}

/// What was measured of one of the two algorithms.
struct Figure<'a> {
    results: &'a Results,
    algorithm: &'static str,
}

impl Figure<'_> {
    fn experiment(&self, graph: &str) -> String {
        format!("{} {graph}", self.algorithm)
    }

    /// The time of a run.
    fn time(&self, graph: &str, strategy: &str) -> Option<f64> {
        self.results.time(&self.experiment(graph), strategy)
    }

    /// The time of a run and of what the strategy does once before.
    fn whole(&self, graph: &str, strategy: &str) -> Option<f64> {
        Some(self.time(graph, strategy)? + one_time(self.results, &self.experiment(graph), strategy)?)
    }

    /// The share by which a strategy takes less time than BS.
    fn gain(&self, graph: &str, strategy: &str) -> Option<f64> {
        Some(less(self.time(graph, "node")?, self.time(graph, strategy)?))
    }

    fn gains(&self, strategy: &str, graphs: &[&str]) -> Vec<Case> {
        graphs.iter().map(|graph| (format!("on {graph}"), self.gain(graph, strategy))).collect()
    }

    /// The least gain of each strategy over the graphs of a small diameter and over roads, or with `sign` of -1 the greatest.
    fn extremes(&self, strategies: &[(&str, &str)], sign: f64) -> Vec<Case> {
        let extreme = |(short, strategy): &(&str, &str), graphs: &[&str]| {
            let gains: Option<Vec<(&str, f64)>> =
                graphs.iter().map(|graph| Some((*graph, self.gain(graph, strategy)?))).collect();
            let least = gains.and_then(|it| it.into_iter().min_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))));
            match least {
                Some((graph, gain)) => (format!("by {short} on {graph}"), Some(gain)),
                None => (format!("by {short} on {}", graphs.join(", ")), None),
            }
        };
        strategies.iter().flat_map(|it| [extreme(it, &SMALL_DIAMETER), extreme(it, &ROADS)]).collect()
    }

    /// What one strategy takes on each graph, beside others.
    fn orders<'a>(
        &self,
        strategy: &str,
        others: &[&'a str],
        graphs: &[&str],
        time: fn(&Self, &str, &str) -> Option<f64>,
    ) -> Vec<Order<'a>> {
        let order = |graph: &&str| Order {
            case: format!("on {graph}"),
            own: time(self, graph, strategy),
            others: others.iter().filter(|it| **it != strategy).map(|it| (*it, time(self, graph, it))).collect(),
        };
        graphs.iter().map(order).collect()
    }

    /// Where something depends on roads, which of them are not the paper's.
    fn on(&self, graphs: &[&str], finding: Finding) -> Finding {
        finding.on_substitutes(substitutes(self.results, graphs))
    }

    fn part(&self, name: &'static str, title: &str, findings: Vec<Finding>) -> Part {
        let mut data =
            Data::new(&["graph", "strategy", "total ms", "less than BS", "device busy ms", "idle ms", "memory"]);
        let mut series = no_points();
        for graph in GRAPHS {
            let experiment = self.experiment(graph);
            for ((short, strategy), series) in STRATEGIES.iter().zip(&mut series) {
                let number = |pointer: &str| self.results.number(&experiment, strategy, pointer);
                let Some(total) = number("/median/total_ms") else { continue };
                series.points.push(Point::named(graph, total));
                let gain = self.gain(graph, strategy).filter(|_| *strategy != "node");
                data.rows.push(vec![
                    Cell::text(graph),
                    Cell::text(both_names(short, strategy)),
                    Cell::real(total, 3),
                    Cell::maybe(gain, |gain| Cell::text(format!("{:.0} %", 100.0 * gain))),
                    Cell::maybe(number("/median/kernel_ms"), |time| Cell::real(time, 3)),
                    Cell::maybe(number("/median/overhead_ms"), |time| Cell::real(time, 3)),
                    Cell::maybe(number("/memory_bytes"), |bytes| Cell::bytes(bytes as u64)),
                ]);
            }
        }
        let chart = Chart::bars(title, Axis::log("total time in ms (log)"), series);
        let text = "Medians of three rounds, in each of which every strategy was prepared anew and the order was another, after one that does not \
                    count. The device is idle between submissions; what it does beside relaxing edges is below, under \"Overhead\".";
        Part { name, title: title.into(), text: text.into(), data, chart: Some(chart), findings }
    }
}

/// Whether a strategy needs more memory on the graphs of Graph500 than the paper's device had.
fn refused(figure: &Figure<'_>, strategy: &'static str) -> Vec<(String, Option<(bool, String)>)> {
    let judged = |graph: &str| {
        let number = |pointer: &str| figure.results.number(&figure.experiment(graph), strategy, pointer);
        let (bytes, nodes) = (number("/memory_bytes")?, number("/graph/nodes")?);
        // A graph that is smaller than the paper's is for the same device made smaller.
        let limit = MEMORY as f64 * nodes / f64::from(1 << 24);
        let [own, limit_text] = [bytes, limit].map(|bytes| Bytes(bytes as u64));
        Some((bytes > limit, format!("{strategy} needs {own} of {limit_text} for {graph}")))
    };
    GRAPH500.iter().map(|graph| (format!("for {graph}"), judged(graph))).collect()
}

/// EP where the paper could not run it.
fn edges_on_graph500(figure: &Figure<'_>) -> Finding {
    let says = "EP against BS on Graph500: the paper's EP had no memory for it";
    let gains = figure.gains("edge", &GRAPH500);
    let each: Vec<String> =
        gains.iter().filter_map(|(case, gain)| Some(format!("{:.0} % less {case}", 100.0 * (*gain)?))).collect();
    let reason = if each.is_empty() {
        "not measured".to_owned()
    } else {
        format!("there is no figure; here {}", each.join(", "))
    };
    Finding::not_comparable(says, reason)
}

fn sssp_findings(figure: &Figure<'_>) -> Vec<Finding> {
    let all = STRATEGIES.map(|(_, strategy)| strategy);
    let range = |says, range, gains: &[Case]| Finding::range(says, range, gains);
    let between = |graph: &&str| {
        let [low, own, high] = ["decompose", "hierarchical", "split"].map(|it| figure.whole(graph, it));
        let judged = low.zip(own).zip(high).map(|((one, own), other)| {
            let text = format!("{own:.2} ms on {graph}, WD {one:.2}, NS {other:.2}");
            ((one.min(other)..=one.max(other)).contains(&own), text)
        });
        (format!("on {graph}"), judged)
    };
    let worst = |graph: &&str| {
        let own = figure.whole(graph, "split");
        let others: Option<Vec<f64>> = ["decompose", "hierarchical"].iter().map(|it| figure.whole(graph, it)).collect();
        let judged = own.zip(others).map(|(own, others)| {
            let most = others.into_iter().fold(0.0, f64::max);
            (own >= most, format!("{own:.2} ms with splitting on {graph}, the slower of the others {most:.2}"))
        });
        (format!("on {graph}"), judged)
    };
    vec![
        figure.on(
            &ALL_RUN,
            range("EP takes 60–80 % less time than BS", Range::percent(60.0, 80.0), &figure.gains("edge", &ALL_RUN)),
        ),
        figure
            .on(&ROADS, Finding::order("EP is the best of all", &figure.orders("edge", &all, &ALL_RUN, Figure::time))),
        edges_on_graph500(figure),
        figure.on(
            &ALL_RUN,
            range(
                "Every strategy takes at least 20 % less time than BS (its least gain)",
                Range::percent(20.0, f64::INFINITY),
                &figure.extremes(&STRATEGIES[1..], 1.0),
            ),
        ),
        Finding::order(
            "WD is the best of the node-based strategies on skewed and random graphs",
            &figure.orders("decompose", &NODE_BASED, &SMALL_DIAMETER, Figure::time),
        ),
        Finding::each(
            "NS is the worst of them there, because splitting takes long",
            SMALL_DIAMETER.iter().map(worst).collect(),
        ),
        figure.on(
            &ROADS,
            Finding::order(
                "NS is the best of them where degrees are alike",
                &figure.orders("split", &NODE_BASED, &ROADS, Figure::whole),
            ),
        ),
        figure.on(&ALL_RUN, Finding::each("HP is between WD and NS", ALL_RUN.iter().map(between).collect())),
        range(
            "HP takes 48–75 % less time than BS on Graph500",
            Range::percent(48.0, 75.0),
            &figure.gains("hierarchical", &GRAPH500),
        ),
        Finding::each("EP does not fit into 4.66 GB with Graph500", refused(figure, "edge")),
        Finding::each("Nor does WD", refused(figure, "decompose")),
        Finding::each("Nor does NS", refused(figure, "split")),
    ]
}

fn bfs_findings(figure: &Figure<'_>) -> Vec<Finding> {
    let twice = |graph: &&str| {
        let times = figure.time(graph, "node").zip(figure.time(graph, "hierarchical"));
        (format!("on {graph}"), times.map(|(node, own)| node / own))
    };
    vec![
        Finding::range(
            "EP takes 48–68 % less time than BS where the diameter is small",
            Range::percent(48.0, 68.0),
            &figure.gains("edge", &SMALL_DIAMETER),
        ),
        figure.on(
            &ROADS,
            Finding::range(
                "On roads EP gains about 10 % at most",
                Range::percent(0.0, 10.0),
                &figure.gains("edge", &ROADS),
            ),
        ),
        Finding::order(
            "WD is the best of the node-based strategies where the diameter is small",
            &figure.orders("decompose", &NODE_BASED, &SMALL_DIAMETER, Figure::time),
        ),
        figure.on(
            &ROADS,
            Finding::order(
                "NS is the best of them where it is large",
                &figure.orders("split", &NODE_BASED, &ROADS, Figure::whole),
            ),
        ),
        figure.on(
            &ALL_RUN,
            Finding::range(
                "The node-based strategies take longer than BS (their greatest gain)",
                Range::percent(f64::NEG_INFINITY, 0.0),
                &figure.extremes(&STRATEGIES[2..], -1.0),
            ),
        ),
        Finding::range(
            "HP is more than twice as fast as BS on Graph500",
            Range::times(2.0, f64::INFINITY),
            &GRAPH500.iter().map(twice).collect::<Vec<_>>(),
        ),
    ]
}
