//! Fitting a model to measured levels. Graphs, not levels, are divided: the model is grown on some and judged on the others, so
//! that it must do well on graphs it has never seen.

use super::{
    grow::{Limits, Sample, grow},
    score::{Score, Search, best_single, scores},
    table::Table,
};
use crate::strategy::adaptive::{Family, Feature, Model};
use crate::{Error, Result, graph::generate::random::mix};
use std::collections::BTreeSet;

/// A model and how good it is.
pub struct Trained {
    /// The model.
    pub model: Model,
    /// How many levels it was grown on.
    pub levels: usize,
    /// The graphs that it was grown on.
    pub grown_on: Vec<String>,
    /// The graphs that were held out; all that follows is of these.
    pub held_out: Vec<String>,
    /// The part of their levels for which it chooses the best variant, or one as fast to 5 %.
    pub accuracy: f64,
    /// How much of the cost that the tree saves each feature's decisions save; they add up to 1.
    pub importance: [f64; Feature::COUNT],
    /// The lines of the paper's Table 2.
    pub scores: Vec<Score>,
    /// How many times as fast as the best single variant of the fifteen on each graph, the geometric mean over graphs.
    pub speedup: f64,
    /// How many times as fast the optimum is with lists as among the fifteen, the geometric mean over searches.
    pub lists_gain: f64,
}

const DEPTH: usize = 14;

/// A leaf has at least one of so many graphs: what few have shown says little of others.
const SUPPORT: usize = 50;

/// Of ten graphs, these are held out.
const HELD_OUT: usize = 3;

/// A choice this much slower than the best is as good: times differ by as much from run to run.
const TIE: f64 = 1.05;

/// Fits a model of one family of variants. `seed` divides the graphs.
///
/// # Errors
/// When there are fewer than two graphs.
pub fn train(table: &Table, family: Family, seed: u64) -> Result<Trained> {
    let searches = searches(table);
    let graphs = graphs(&searches);
    if graphs.len() < 2 {
        return Err(Error::Usage("a model is grown on some graphs and judged on others: give at least two".into()));
    }
    let mut places: Vec<usize> = (0..graphs.len()).collect();
    places.sort_by_key(|place| mix(mix(seed).wrapping_add(*place as u64)));
    let shuffled: Vec<&str> = places.into_iter().map(|place| graphs[place]).collect();
    let (held_out, grown_on) = shuffled.split_at((shuffled.len() * HELD_OUT / 10).max(1));

    let of = |graphs: &[&str]| -> Vec<&Search> {
        searches.iter().filter(|search| graphs.contains(&search.graph())).collect()
    };
    let samples = samples(&of(grown_on), family);
    let limits = Limits { depth: DEPTH, graphs: (grown_on.len() / SUPPORT).max(1) };
    let grown = grow(&samples, &family.variants(), limits);
    let model = Model::new("model", grown.root, family);
    let judged = of(held_out);
    let whole: f64 = grown.saved.iter().sum();
    let names = |graphs: &[&str]| graphs.iter().map(|graph| (*graph).to_owned()).collect();
    Ok(Trained {
        levels: samples.len(),
        grown_on: names(grown_on),
        held_out: names(held_out),
        accuracy: accuracy(&judged, &model),
        importance: grown.saved.map(|saved| if whole > 0.0 { saved / whole } else { 0.0 }),
        scores: scores(&judged, &model),
        speedup: speedup(&judged, held_out, &model),
        lists_gain: geometric_mean(
            judged.iter().map(|search| search.optimum(Family::Fifteen) / search.optimum(Family::Listed)),
        ),
        model,
    })
}

/// The names of their graphs, sorted.
fn graphs<'a>(searches: impl IntoIterator<Item = &'a Search<'a>>) -> Vec<&'a str> {
    BTreeSet::from_iter(searches.into_iter().map(Search::graph)).into_iter().collect()
}

/// Rows of one graph and source that follow each other.
fn searches(table: &Table) -> Vec<Search<'_>> {
    let same = |a: &super::Row, b: &super::Row| a.graph == b.graph && a.source == b.source && a.level < b.level;
    table.rows.chunk_by(same).map(|rows| Search { rows }).collect()
}

/// The levels of searches. What a variant costs there is a part of the search's optimum, so that the costs of a search's choices
/// add up to its slowdown, and a search counts the same however long it takes.
fn samples(searches: &[&Search], family: Family) -> Vec<Sample> {
    let graphs = graphs(searches.iter().copied());
    let of_search = |search: &&Search| {
        let graph = graphs.partition_point(|graph| *graph < search.graph());
        let optimum = search.optimum(family).max(f64::MIN_POSITIVE);
        let part = |costs: Vec<f64>| costs.into_iter().map(|cost| cost / optimum).collect();
        let sample = |(row, costs): (&super::Row, _)| Sample { graph, features: row.features, costs: part(costs) };
        search.rows.iter().zip(search.costs(family)).map(sample).collect::<Vec<_>>()
    };
    searches.iter().flat_map(of_search).collect()
}

/// The part of all levels for which the model's variant is the best, or as fast to 5 %.
fn accuracy(searches: &[&Search], model: &Model) -> f64 {
    let variants = model.family().variants();
    let (mut right, mut all) = (0, 0);
    for search in searches {
        for (chosen, costs) in search.ways_of(model).into_iter().zip(search.costs(model.family())) {
            let cost = variants.iter().zip(&costs).find(|(variant, _)| **variant == chosen).map(|(_, cost)| *cost);
            all += 1;
            right += u32::from(cost.is_some_and(|cost| cost <= TIE * costs.into_iter().fold(f64::INFINITY, f64::min)));
        }
    }
    f64::from(right) / f64::from(all.max(1))
}

fn speedup(searches: &[&Search], graphs: &[&str], model: &Model) -> f64 {
    geometric_mean(graphs.iter().map(|graph| {
        let variant = best_single(searches, graph, Family::Fifteen);
        let of_graph = || searches.iter().filter(|search| search.graph() == *graph);
        let single: f64 = of_graph().map(|search| search.single(variant)).sum();
        single / of_graph().map(|search| search.by_model(model)).sum::<f64>()
    }))
}

fn geometric_mean(factors: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = factors.fold((0.0, 0.0f64), |(sum, count), factor| (sum + factor.ln(), count + 1.0));
    (sum / count.max(1.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        strategy::adaptive::{Features, Implementation, Variant},
        tuning::Row,
    };

    /// Small frontiers are fast by a push from the list, large ones by pull; all else is slow.
    fn table() -> Table {
        let row = |graph: usize, source: u64, level: u32| {
            let frontier = f64::from(10u32.pow(level));
            let mut features = Features([graph as f64; Feature::COUNT]);
            features.0[Feature::Frontier as usize] = frontier;
            let time = |variant: &Variant| match variant.implementation {
                Implementation::ListPushWarp => 2.0 + frontier / 10.0,
                Implementation::VertexPull | Implementation::VertexPullWarp => 40.0 + 1000.0 / frontier,
                _ => 500.0,
            };
            let microseconds = Variant::all().iter().map(time).collect();
            Row { graph: format!("graph {graph}"), source, level, features, microseconds, dispatch: 1.0 }
        };
        let rows =
            (0..10).flat_map(|graph| (0..4).flat_map(move |source| (0..6).map(move |level| row(graph, source, level))));
        Table { rows: rows.collect() }
    }

    #[test]
    fn a_rule_that_is_there_is_found() {
        let trained = train(&table(), Family::Listed, 1).unwrap();
        assert_eq!((trained.grown_on.len(), trained.held_out.len(), trained.levels), (7, 3, 7 * 4 * 6));
        assert!(trained.held_out.iter().all(|graph| !trained.grown_on.contains(graph)));
        assert_eq!(trained.accuracy, 1.0, "{}", trained.model);
        assert!(trained.importance[Feature::Frontier as usize] > 0.99);
        let [model, oracle] = &trained.scores[..2] else { panic!("two lines come first") };
        assert_eq!((model.average(), model.worst(), model.slowdowns.len()), (1.0, 1.0, 12));
        assert!(oracle.average() > 1.5 && trained.scores.len() == 2 + Family::Listed.variants().len());
        // Pull alone is the best of the fifteen, in every level; the first levels gain by lists.
        assert!(trained.speedup > 2.0 && trained.lists_gain > 2.0, "{} {}", trained.speedup, trained.lists_gain);
    }

    #[test]
    fn a_seed_gives_the_same_model_and_one_graph_gives_none() {
        let [one, again, other] = [1, 1, 2].map(|seed| train(&table(), Family::Fifteen, seed).unwrap());
        assert_eq!((one.model, one.held_out.clone()), (again.model, again.held_out));
        assert_ne!(one.held_out, other.held_out);
        let mut single = table();
        single.rows.truncate(24);
        assert!(train(&single, Family::Listed, 1).is_err());
    }
}
