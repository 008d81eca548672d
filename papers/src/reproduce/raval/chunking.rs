//! Fig. 11: one atomic addition for all edges of a node, against one for each edge.

use super::{ALL_RUN, EDGE_BY_EDGE, graphs::substitutes};
use crate::reproduce::{
    finding::{Case, Finding, Part, Range},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

/// Makes the part on chunking, for the graphs on which the paper could run EP.
pub(super) fn chunking(results: &Results) -> Part {
    let mut data = Data::new(&["graph", "chunked ms", "edge by edge ms", "times as fast"]);
    let mut cases: Vec<Case> = Vec::new();
    let mut points = Vec::new();
    for graph in ALL_RUN {
        let [chunked, plain] = ["edge", EDGE_BY_EDGE].map(|it| results.time(&format!("sssp {graph}"), it));
        let gain = chunked.zip(plain).map(|(chunked, plain)| plain / chunked);
        cases.push((format!("on {graph}"), gain));
        let Some(gain) = gain else { continue };
        points.push(Point::named(graph, gain));
        let times = [chunked, plain].map(|time| Cell::maybe(time, |time| Cell::real(time, 3)));
        data.rows.push([vec![Cell::text(graph)], times.into(), vec![Cell::real(gain, 2)]].concat());
    }
    let mean = cases.iter().map(|(_, gain)| *gain).sum::<Option<f64>>().map(|sum| sum / cases.len() as f64);
    let on_roads = |finding: Finding| finding.on_substitutes(substitutes(results, &ALL_RUN));
    let findings = vec![
        on_roads(Finding::range("Chunking is worth 1.11–3.125 times", Range::times(1.11, 3.125), &cases)),
        on_roads(Finding::range("1.82 times on average", Range::about_times(1.82), &[("on average".into(), mean)])),
    ];
    let title = "Fig. 11: work chunking in EP";
    let series = vec![Series { name: "chunking".into(), points }];
    let chart = Chart::bars(title, Axis::ratios("times as fast (log)"), series);
    let text =
        "Reserving places in the worklist for all edges of a node at once, against one atomic addition for each edge.";
    Part { name: "fig11", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}
