//! Colourings: how many colours, beside those of the sequential one, and how many nodes have each.

use super::*;
use crate::algorithm::color::Colors;
use crate::oracle::color::count;
use std::collections::BTreeMap;

pub(super) fn summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let colors = outcome.answer_as::<Colors>()?;
    let mut sizes = BTreeMap::<u32, u64>::new();
    colors.0.iter().for_each(|&color| *sizes.entry(color).or_default() += 1);
    let sizes: Vec<(u32, u64)> = sizes.into_iter().collect();
    let row = |class: usize| {
        let (color, nodes) = sizes[class];
        vec![Cell::Value(Value::Whole(color)), Cell::Value(Value::Count(nodes))]
    };
    let classes = largest(sizes.len(), show.top, |class| Some(sizes[class].1));
    let rows = classes.into_iter().map(row).collect();
    Some(Summary { top: Listing::new("classes", vec!["color", "nodes"], rows), ..Summary::default() })
}

pub(super) fn figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let colors = count(&outcome.answer_as::<Colors>()?.0);
    let mut list = vec![
        Figure::new("colors", Value::Whole(colors), "colours")
            .in_line("colours", grouped(colors.into()))
            .in_column("colours"),
    ];
    let sequential = outcome.reference.and_then(|reference| reference.downcast_ref::<u32>());
    list.extend(sequential.map(|&colors| {
        let text = format!("where a sequential greedy colouring takes {}", grouped(colors.into()));
        Figure::new("sequential_colors", Value::Whole(colors), "colours").in_line("colours", text)
    }));
    Some(outcome.once_through(list))
}
