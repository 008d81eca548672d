//! The page of measured levels: how long each variant took on each level of a search.

use super::{Row, Table};
use evenkeel::strategy::adaptive::{Feature, Implementation, Variant};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series};

/// The page of a table.
pub fn page(table: &Table) -> Page {
    let searches: Vec<&[Row]> = table.rows.chunk_by(|a, b| a.graph == b.graph && a.source == b.source).collect();
    let graphs: Vec<&[Row]> = table.rows.chunk_by(|a, b| a.graph == b.graph).collect();
    let names: Vec<&str> = graphs.iter().map(|rows| rows[0].graph.as_str()).collect();
    let page = Page::new("Levels of searches, in every variant", env!("CARGO_PKG_VERSION"))
        .fact("graphs", names.join(", "))
        .fact("searches", searches.len())
        .fact("levels", table.rows.len());
    graphs.iter().fold(page, |page, rows| page.section(section(rows)))
}

fn section(rows: &[Row]) -> Section {
    let variants = Variant::all();
    let first: Vec<&Row> = rows.iter().take_while(|row| row.source == rows[0].source).collect();
    let mut implementations: Vec<Implementation> = variants.iter().map(|variant| variant.implementation).collect();
    implementations.dedup();
    // The counts of an implementation differ little, so that the fastest stands for all.
    let fastest = |row: &Row, implementation: Implementation| {
        let times = variants.iter().zip(&row.microseconds).filter(|(it, _)| it.implementation == implementation);
        times.map(|(_, time)| *time).fold(f64::INFINITY, f64::min)
    };
    let series = implementations.iter().map(|implementation| Series {
        name: implementation.name().to_owned(),
        points: first.iter().map(|row| Point::new(row.level.into(), fastest(row, *implementation))).collect(),
    });
    let chart = Chart {
        title: format!("{} from node {}", rows[0].graph, rows[0].source),
        kind: Kind::Lines,
        x: Axis::whole("level"),
        y: Axis::log("time in µs (log)"),
        series: series.collect(),
    };
    let names = implementations.iter().map(|implementation| implementation.name());
    let headings: Vec<&str> = ["level", "frontier", "edges"].into_iter().chain(names).collect();
    let row = |row: &Row| {
        let sizes = [Feature::Frontier, Feature::FrontierEdges].map(|it| row.features.get(it) as u64);
        let whole = [row.level.into()].into_iter().chain(sizes).map(Cell::whole);
        whole.chain(implementations.iter().map(|it| Cell::real(fastest(row, *it), 1))).collect()
    };
    let data = Data::new(&headings).rows(first.iter().copied().map(row));
    Section::new(&rows[0].graph)
        .text(
            "The time in µs of each implementation on each level of the first search, in the fastest of its ways to count. \
             The file that was written has all ways and all searches.",
        )
        .chart(&chart)
        .data(data)
}
