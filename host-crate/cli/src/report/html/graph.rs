//! The page of a graph: its degree distribution, and what is known of it.

use super::{Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series};
use evenkeel::{
    graph::statistics::{Bin, Degrees, Statistics},
    numerals::grouped,
    report::SplitReport,
};

/// The page of a graph's statistics; `facts` are other things known of it, such as the format of its file.
pub fn page(statistics: &Statistics, facts: &[(&str, String)], split: Option<&SplitReport>) -> Page {
    let Statistics { name, nodes, edges, directed, .. } = statistics;
    let yes = |is: bool| if is { "yes" } else { "no" };
    let direction = if *directed { "directed" } else { "undirected, both directions counted" };
    let mut page = Page::new(format!("Graph {name}"), env!("CARGO_PKG_VERSION"));
    for (fact, text) in facts {
        page = page.fact(fact, text);
    }
    page = page
        .fact("nodes", grouped((*nodes).into()))
        .fact("edges", format!("{} ({direction})", grouped(*edges)))
        .fact("symmetric", yes(statistics.symmetric))
        .fact("self-loops", grouped(statistics.self_loops))
        .fact("parallel edges", grouped(statistics.parallel_edges))
        .fact("nodes without edges", grouped(statistics.nodes_without_edges));
    if let Some(weights) = &statistics.weights {
        page = page
            .fact("weights", format!("{}, {} to {}, mean {:.3}", weights.kind, weights.min, weights.max, weights.mean));
    }
    if let Some(degrees) = &statistics.degrees {
        page = page.section(distribution("Degrees", &degrees.histogram)).section(quartiles(degrees));
    }
    match split {
        Some(split) => page.section(split_section(split)),
        None => page,
    }
}

/// A histogram on logarithmic axes: the nodes of each range of degrees, and those of at least each degree.
fn distribution(heading: &str, bins: &[Bin]) -> Section {
    let shown: Vec<&Bin> = bins.iter().filter(|bin| bin.from > 0).collect();
    let at_least = |from: u32| bins.iter().filter(|bin| bin.from >= from).map(|bin| bin.nodes).sum::<u64>();
    let series = |name: &str, nodes: &dyn Fn(&Bin) -> u64| Series {
        name: name.to_owned(),
        points: shown.iter().map(|bin| Point::new(bin.from.into(), nodes(bin) as f64)).collect(),
    };
    let chart = Chart {
        title: "Degree distribution".into(),
        kind: Kind::Lines,
        x: Axis::log("degree d (log)"),
        y: Axis::log("nodes (log)"),
        series: vec![
            series("degree d to 2d − 1", &|bin| bin.nodes),
            series("degree d and more", &|bin| at_least(bin.from)),
        ],
    };
    let row = |bin: &Bin| {
        let numbers = [bin.from.into(), bin.to.into(), bin.nodes, at_least(bin.from)];
        numbers.map(Cell::whole).to_vec()
    };
    let data = Data::new(&["degree from", "to", "nodes", "nodes of this degree and more"]).rows(bins.iter().map(row));
    let section = Section::new(heading).chart(&chart).data(data);
    match bins.first() {
        Some(bin) if bin.from == 0 && bin.nodes > 0 => section
            .text(format!("{} nodes have degree 0, for which a logarithmic axis has no place.", grouped(bin.nodes))),
        _ => section,
    }
}

fn quartiles(degrees: &Degrees) -> Section {
    let whole = [
        ("smallest", degrees.min),
        ("lower quartile", degrees.lower_quartile),
        ("median", degrees.median),
        ("upper quartile", degrees.upper_quartile),
        ("largest", degrees.max),
    ];
    let mut rows: Vec<Vec<Cell>> =
        whole.into_iter().map(|(name, value)| vec![Cell::text(name), Cell::whole(value)]).collect();
    rows.push(vec![Cell::text("mean"), Cell::real(degrees.mean, 2)]);
    rows.push(vec![Cell::text("standard deviation"), Cell::real(degrees.standard_deviation, 2)]);
    Section::new("Quartiles")
        .text(format!("The largest degree is that of node {}.", degrees.max_node))
        .data(Data::new(&["degree", "value"]).rows(rows))
}

fn split_section(split: &SplitReport) -> Section {
    let splitting = &split.splitting;
    let text = format!(
        "Strategy split divides the {} nodes of more than {} edges, which makes {} nodes in all.",
        grouped(splitting.nodes_split),
        grouped(splitting.threshold.into()),
        grouped(splitting.nodes_after)
    );
    distribution("Degrees after splitting", &splitting.histogram).text(text)
}
