//! All pairs: the distances of the matrix as a whole, and the pairs that are furthest apart.

use super::*;
use crate::algorithm::apsp::AllPairs;

pub(super) fn summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let answer = outcome.answer_as::<AllPairs>()?;
    let (nodes, column, ids) = (answer.nodes as usize, answer.distances.column(), &outcome.graph.ids);
    let between = |place: usize| if place / nodes == place % nodes { None } else { column.value(place) };
    let furthest = largest(nodes * nodes, show.top.max(1), between);
    let reached = (0..nodes).into_par_iter().map(|row| {
        let distances = (row * nodes..(row + 1) * nodes).filter_map(between);
        distances.fold((0u64, 0.0), |(count, sum), distance| (count + 1, sum + distance.real()))
    });
    // Row by row and in order, so that the sum does not depend on the threads.
    let sums: Vec<(u64, f64)> = reached.collect();
    let (count, sum) = sums.into_iter().fold((0, 0.0), |all, row| (all.0 + row.0, all.1 + row.1));
    let mut numbers = Vec::new();
    if let Some(diameter) = furthest.first().and_then(|&place| column.value(place)) {
        let mean = sum / count as f64;
        numbers.push(Figure::new("diameter", diameter, "").in_line("distances", format!("diameter {diameter}")));
        let text = format!("mean {}", four_digits(mean));
        numbers.push(Figure::new("mean_distance", Value::Double(mean), "").in_line("distances", text));
    }
    let unreachable = (nodes * nodes.saturating_sub(1)) as u64 - count;
    let text = match unreachable {
        0 => "all pairs have a path".to_owned(),
        _ => format!("{} of {} pairs have none", grouped(unreachable), grouped(unreachable + count)),
    };
    numbers.push(Figure::new("unreachable_pairs", Value::Count(unreachable), "pairs").in_line("distances", text));
    let row = |&place: &usize| {
        let [from, to] = [place / nodes, place % nodes].map(|node| Cell::Node(ids.name(node as u32).into_owned()));
        Some(vec![from, to, Cell::Value(column.value(place)?)])
    };
    let rows = furthest.iter().take(show.top).filter_map(row).collect();
    let top = Listing::new("furthest", vec!["node", "to", "distance"], rows);
    Some(Summary { numbers, top, ..Summary::default() })
}

/// A search from each node goes through all edges.
pub(super) fn figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let csr = &outcome.graph.csr;
    Some(Figures { edges: u64::from(csr.nodes()) * csr.edges(), list: Vec::new() })
}
