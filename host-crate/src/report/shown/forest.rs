//! Spanning forests: what they weigh, how many trees they are, and their heaviest edges.

use super::*;
use crate::algorithm::mst::SpanningForest;

pub(super) fn summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let forest = outcome.answer_as::<SpanningForest>()?;
    let columns = forest.columns();
    let weight = |place: usize| columns[2].value(place);
    let row = |place: usize| {
        let ends = [forest.sources[place], forest.targets[place]];
        let names = ends.map(|node| Cell::Node(outcome.graph.ids.name(node).into_owned()));
        Some(names.into_iter().chain([Cell::Value(weight(place)?)]).collect())
    };
    let heaviest = largest(forest.sources.len(), show.top, weight).into_iter().filter_map(row).collect();
    let top = Listing::new("heaviest", vec!["source", "target", "weight"], heaviest);
    Some(Summary { top, ..Summary::default() })
}

pub(super) fn figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let forest = outcome.answer_as::<SpanningForest>()?;
    let edges = forest.sources.len() as u64;
    let trees = u64::from(outcome.graph.csr.nodes()) - edges;
    let weight = match forest.total() {
        Value::Count(total) => grouped(total),
        total => total.to_string(),
    };
    Some(outcome.once_through(vec![
        Figure::new("total_weight", forest.total(), "")
            .in_line("forest", format!("weighs {weight}"))
            .in_column("weight"),
        Figure::new("forest_edges", Value::Count(edges), "edges").in_line("forest", counted(edges, "edge")),
        Figure::new("trees", Value::Count(trees), "trees").in_line("forest", counted(trees, "tree")).in_column("trees"),
    ]))
}
