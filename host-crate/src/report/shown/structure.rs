//! Ranks, core numbers and triangles.

use super::*;
use crate::algorithm::{
    kcore::Cores,
    pagerank::Ranks,
    triangles::{NodeTriangles, TriangleCounts},
};

/// Whether the ranks have converged, where there was a tolerance.
pub(super) fn rank_figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let converged = outcome.answer_as::<Ranks>()?.converged.map(|converged| {
        let text = if converged { "changed by less than the tolerance" } else { "have not converged" };
        Figure::new("converged", Value::Truth(converged), "").in_line("ranks", text.into())
    });
    Some(outcome.once_through(converged.into_iter().collect()))
}

pub(super) fn core_summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let cores = outcome.answer_as::<Cores>()?;
    if cores.k.is_some() {
        return Some(Summary::default());
    }
    let columns = cores.columns();
    let highest = largest(cores.nodes.len(), show.top, |node| columns[0].value(node));
    let top = Listing::of_nodes("highest", &columns[0], highest, &outcome.graph.ids);
    Some(Summary { top, histogram: Histogram::of(&columns[0]), ..Summary::default() })
}

/// The core that was asked for, or the largest, and how many nodes are in it.
pub(super) fn core_figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let Cores { k, nodes } = outcome.answer_as::<Cores>()?;
    let core = k.unwrap_or(nodes.iter().copied().max().unwrap_or(0));
    let entry = if k.is_some() { 1 } else { core };
    let count = nodes.iter().filter(|number| **number == entry).count() as u64;
    let text = match k {
        Some(k) => format!("{} in the {k}-core", counted(count, "node")),
        None => format!("the largest core is {}, with {}", grouped(core.into()), counted(count, "node")),
    };
    let core = match k {
        Some(k) => Figure::new("k", Value::Whole(*k), ""),
        None => Figure::new("largest_core", Value::Whole(core), "").in_column("core"),
    };
    let list = vec![core, Figure::new("core_nodes", Value::Count(count), "nodes").in_line("found", text)];
    Some(outcome.once_through(list))
}

pub(super) fn triangle_summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let columns = outcome.answer_as::<TriangleCounts>()?.columns();
    let top = columns.first().and_then(|column| {
        let highest = largest(column.values.len(), show.top, |node| column.value(node));
        Listing::of_nodes("highest", column, highest, &outcome.graph.ids)
    });
    Some(Summary { top, ..Summary::default() })
}

/// How many triangles there are, and the mean coefficient.
pub(super) fn triangle_figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let TriangleCounts { total, nodes } = outcome.answer_as()?;
    let mut list = vec![
        Figure::new("triangles", Value::Count(*total), "triangles")
            .in_line("found", format!("{} triangles", grouped(*total)))
            .in_column("triangles"),
    ];
    if let NodeTriangles::Coefficients(all) = nodes {
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let text = format!("mean coefficient {}", four_digits(mean));
        list.push(Figure::new("mean_lcc", Value::Double(mean), "").in_line("found", text));
    }
    Some(outcome.once_through(list))
}
