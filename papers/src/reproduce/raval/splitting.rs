//! Fig. 10: degrees before and after node splitting.

use super::{GRAPHS, ROADS, graphs::substitutes};
use crate::reproduce::{
    finding::{Finding, Part, Range},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};

/// Degrees before and after node splitting.
pub(super) fn splitting(results: &Results) -> Part {
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
    let flat: Vec<&str> = ROADS.into_iter().chain(["ER20", "ER23"]).collect();
    let small = |graph: &&str| {
        let judged = of(graph).map(|it| ((2.0..=4.0).contains(&it), format!("{it} for {graph}")));
        (format!("for {graph}"), judged)
    };
    let few = |graph: &&str| {
        let share = shares.iter().find(|(name, _)| name == graph).map(|(_, share)| *share);
        (format!("on {graph}"), share)
    };
    let findings = vec![
        Finding::each(
            "MDT is 118 for rmat20, a tenth of the highest degree",
            vec![(
                "for rmat20".into(),
                of("rmat20").map(|it| ((107.0..=147.0).contains(&it), format!("{it}, of a highest degree of its own"))),
            )],
        ),
        Finding::each("MDT is 2–4 for roads and random graphs", flat.iter().map(small).collect())
            .on_substitutes(substitutes(results, &flat)),
        Finding::range(
            "Fewer than 5 % of the nodes are split",
            Range::percent(f64::NEG_INFINITY, 5.0).with_digits(2),
            &GRAPHS.iter().map(few).collect::<Vec<_>>(),
        )
        .on_substitutes(substitutes(results, &GRAPHS)),
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
