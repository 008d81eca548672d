//! Fitting a model to measured levels. Graphs are divided into three sets: trees are grown on the first, how large a tree may be is chosen
//! by the second, and the third judges the result, so that it must do well on graphs that nothing was fitted to. As in the paper, the
//! levels of all graphs can be divided instead: such a tree is judged by other levels of graphs that it knows.

use super::{
    accuracy::{Accuracy, accuracy},
    by_graph::{OfGraph, OfLevels, by_graph, by_level},
    grow::{Criterion, Growth, Sample, Tree, grow},
    options::{Choices, Degrees, FeatureSet, Split, Training},
    score::{Score, Search, Solved, best_single, scores},
    sets::{Id, Part, Sets, graphs},
    statistics::{LevelStatistics, geometric_mean, statistics},
    table::{Row, Table},
};
use evenkeel::strategy::adaptive::{Feature, Model};
use evenkeel::{Error, Result};
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// A model and how good it is.
#[derive(Serialize)]
pub struct Trained {
    /// The model.
    #[serde(serialize_with = "as_text")]
    pub model: Model,
    /// What its decisions were chosen by.
    pub criterion: Criterion,
    /// What the model chooses from.
    pub variants: Choices,
    /// What its decisions may go by.
    pub features: FeatureSet,
    /// The degrees that they may go by.
    pub degrees: Degrees,
    /// What was divided.
    pub split: Split,
    /// The seed that divided it.
    pub seed: u64,
    /// The devices that the times are of.
    pub devices: Vec<String>,
    /// The graphs that trees were grown on to find the best size. Where levels are divided, all graphs are in all three sets.
    pub training: Vec<String>,
    /// The graphs that the size was chosen by. The model was then grown on both.
    pub tuning: Vec<String>,
    /// The graphs that judge the model.
    pub test: Vec<String>,
    /// How many levels it was grown on.
    pub levels: usize,
    /// The sizes that were tried.
    pub sizes: Vec<Size>,
    /// The size that was chosen.
    pub size: Size,
    /// How well it chooses for the levels that judge it.
    pub accuracy: Accuracy,
    /// The accuracy by the number of a level.
    pub accuracy_by_level: Vec<Accuracy>,
    /// The accuracy by the phase of a search.
    pub accuracy_by_phase: Vec<Accuracy>,
    /// How much each feature's decisions save of all that the tree saves; only those that save something.
    #[serde(serialize_with = "as_map")]
    pub importance: Vec<(Feature, f64)>,
    /// The lines of the paper's Table 2, for whole searches of the test graphs.
    pub scores: Vec<Score>,
    /// These scores for the searches of all graphs, which is what the paper shows.
    pub all_scores: Vec<Score>,
    /// How many times as fast as the best single variant of the fifteen on each test graph, the geometric mean over graphs.
    pub speedup: f64,
    /// How many times as fast the optimum is with lists as among the fifteen, the geometric mean over searches of the test graphs.
    pub lists_gain: f64,
    /// What the whole table says.
    pub table: LevelStatistics,
    /// How good trees are that were grown without a collection, on that collection; none unless asked for.
    pub left_out: Vec<LeftOut>,
    /// What the model and each variant take on each graph; none unless asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_graph: Vec<OfGraph>,
    /// What each variant takes on each level of a search, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_level: Option<OfLevels>,
}

/// How large a tree may be, and how good the largest one so is on the tuning graphs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Size {
    /// The most decisions one after the other.
    pub depth: usize,
    /// A leaf has levels of at least one of so many graphs.
    pub one_graph_of: usize,
    /// How many times the optimum the searches of tuning graphs take on average, or where levels are divided, their tuning levels.
    pub average: f64,
}

/// How good a tree is on a collection that it was not grown on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// The collection.
    pub collection: String,
    /// How many graphs it has.
    pub graphs: usize,
    /// The part of its levels that are searched in the best variant, or one as fast to 5 %.
    pub within_5_percent: f64,
    /// The lines of the model and of the best single variant of each graph.
    pub scores: Vec<Score>,
}

fn as_text<S: Serializer>(model: &Model, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(model)
}

fn as_map<S: Serializer>(features: &[(Feature, f64)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(features.iter().map(|(feature, share)| (feature.name(), share)))
}

/// The sizes of trees that are tried.
const DEPTHS: [usize; 6] = [2, 4, 6, 8, 11, 14];
const ONE_GRAPH_OF: [usize; 4] = [8, 16, 32, 64];

/// Where levels are divided, a tree may also be as large as it will, because the paper states no limit.
const DEEPER: [usize; 2] = [20, 28];

/// Fits a model.
///
/// # Errors
/// When there are fewer than three graphs, or none of a collection that is to be held out.
pub fn train(table: &Table, training: &Training) -> Result<Trained> {
    let choices = training.variants;
    let searches = searches(table);
    let solved: Vec<Solved> = searches.par_iter().map(|search| Solved::of(*search, choices)).collect();
    let graphs = graphs(&solved);
    let collections: BTreeSet<&str> = graphs.iter().map(|(collection, _)| *collection).collect();
    let sets = match &training.hold_out {
        Some(name) if !collections.contains(name.as_str()) => {
            return Err(Error::unknown("collection", name, collections));
        }
        held_out => Sets::divide(&graphs, held_out.as_deref(), training)?,
    };
    let mut trained = fit(&solved, &sets, training);
    trained.table = statistics(&searches, choices, graphs.len());
    let devices: BTreeSet<&str> = table.rows.iter().map(|row| row.device.as_str()).collect();
    trained.devices = devices.into_iter().map(str::to_owned).collect();
    if training.leave_one_out {
        let without = |collection: &&str| -> Result<LeftOut> {
            let sets = Sets::divide(&graphs, Some(collection), training)?;
            let Trained { accuracy, mut scores, .. } = fit(&solved, &sets, training);
            scores.truncate(2);
            let (graphs, within_5_percent) = (sets.graphs(Part::Test).len(), accuracy.within_5_percent);
            Ok(LeftOut { collection: (*collection).to_owned(), graphs, within_5_percent, scores })
        };
        trained.left_out = collections.par_iter().map(without).collect::<Result<_>>()?;
    }
    let model = &trained.model;
    trained.all_scores = scores(&solved.iter().collect::<Vec<_>>(), model, choices);
    if training.by_graph {
        trained.by_graph = by_graph(&solved, model, choices);
    }
    if let Some(graph) = &training.by_level {
        let known = || graphs.iter().map(|(_, name)| *name).collect::<BTreeSet<_>>();
        let levels = by_level(&solved, graph, choices).ok_or_else(|| Error::unknown("graph", graph, known()))?;
        trained.by_level = Some(levels);
    }
    Ok(trained)
}

/// Finds the size of the tree, grows it, and judges it.
fn fit(searches: &[Solved], sets: &Sets<'_>, training: &Training) -> Trained {
    let &Training { variants: choices, criterion, degrees, seed, split, features: feature_set, .. } = training;
    let (features, variants) = (training.features(), choices.variants());
    let grown = |samples: &[Sample], graphs: usize, depth: usize, one_graph_of: usize| -> Tree {
        let graphs = (graphs / one_graph_of).max(1);
        grow(samples, Growth { criterion, features: &features, variants: &variants, depth, graphs })
    };

    let [first_graphs, both_graphs] = sets.grown_on();
    let first = samples(searches, |row| sets.part(row) == Part::Training);
    let tuning = sets.searches(searches, &[Part::Tuning]);
    let (depths, one_graph_of) = tried(split, both_graphs);
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let sizes_of = |one_graph_of: usize| -> Vec<Size> {
        let tree = grown(&first, first_graphs, deepest, one_graph_of);
        let size = |&depth: &usize| {
            let model = Model::new("model", tree.cut(depth).root, choices.family());
            Size { depth, one_graph_of, average: average(&tuning, &model, choices, sets) }
        };
        depths.iter().map(size).collect()
    };
    let sizes: Vec<Size> = one_graph_of.into_par_iter().flat_map(sizes_of).collect();
    // The smallest of those that are as good.
    let better = |best: Size, size: &Size| if size.average < best.average { size.clone() } else { best };
    let size = sizes.iter().fold(Size { average: f64::INFINITY, ..sizes[0].clone() }, better);

    let samples = samples(searches, |row| sets.part(row) != Part::Test);
    let grown = grown(&samples, both_graphs, size.depth, size.one_graph_of).cut(size.depth);
    let model = Model::new("model", grown.root, choices.family());
    let judged = sets.searches(searches, &[Part::Test]);
    let whole: f64 = grown.saved.iter().sum();
    let mut importance: Vec<(Feature, f64)> =
        Feature::ALL.into_iter().zip(grown.saved.map(|saved| saved / whole)).collect();
    importance.retain(|(_, share)| *share > 0.0);
    importance.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (accuracy, accuracy_by_level, accuracy_by_phase) =
        accuracy(&judged, (&model, choices), |row| sets.part(row) == Part::Test);
    let names = |part: Part| sets.graphs(part).iter().map(|(_, name)| (*name).to_owned()).collect();
    Trained {
        criterion,
        variants: choices,
        features: feature_set,
        degrees,
        split,
        seed,
        devices: Vec::new(),
        training: names(Part::Training),
        tuning: names(Part::Tuning),
        test: names(Part::Test),
        levels: samples.len(),
        sizes,
        size,
        accuracy,
        accuracy_by_level,
        accuracy_by_phase,
        importance,
        scores: scores(&judged, &model, choices),
        all_scores: Vec::new(),
        speedup: speedup(&judged, &model),
        lists_gain: geometric_mean(
            judged.iter().map(|search| search.optimum(Choices::Fifteen) / search.optimum(Choices::Listed)),
        )
        .unwrap_or(1.0),
        table: LevelStatistics::default(),
        left_out: Vec::new(),
        by_graph: Vec::new(),
        by_level: None,
        model,
    }
}

/// The sizes that are tried: the most decisions one after the other, and of how many graphs a leaf has levels of one.
fn tried(split: Split, graphs: usize) -> (Vec<usize>, Vec<usize>) {
    match split {
        Split::Graphs => (DEPTHS.to_vec(), ONE_GRAPH_OF.to_vec()),
        // A leaf may have levels of one graph alone.
        Split::Levels => {
            let largest = graphs.max(ONE_GRAPH_OF[ONE_GRAPH_OF.len() - 1] + 1);
            ([&DEPTHS[..], &DEEPER].concat(), ONE_GRAPH_OF.into_iter().chain([largest]).collect())
        }
    }
}

/// What a size is chosen by: how many times the optimum the searches of tuning graphs take, or where levels are divided, how many times the
/// best variant's time tuning levels do.
fn average(searches: &[&Solved], model: &Model, choices: Choices, sets: &Sets<'_>) -> f64 {
    match sets {
        Sets::Graphs { .. } => {
            let total: f64 = searches.iter().map(|search| search.by_model(model) / search.optimum).sum();
            total / searches.len().max(1) as f64
        }
        Sets::Levels { .. } => {
            let (all, ..) = accuracy(searches, (model, choices), |row| sets.part(row) == Part::Tuning);
            1.0 + all.slower
        }
    }
}

/// Rows of one graph and source that follow each other, by their graphs: in which file a graph was makes no difference.
fn searches(table: &Table) -> Vec<Search<'_>> {
    let same = |a: &Row, b: &Row| {
        (&a.collection, &a.graph, a.source) == (&b.collection, &b.graph, b.source) && a.level < b.level
    };
    let mut searches: Vec<Search<'_>> = table.rows.chunk_by(same).map(|rows| Search { rows }).collect();
    searches.sort_by_key(Search::reading);
    searches
}

/// Those levels of searches that are wanted. What a variant costs there is a part of the search's optimum, so that the costs of a
/// search's choices add up to its slowdown, and a search counts the same however long it takes.
fn samples(searches: &[Solved], is_wanted: impl Fn(&Row) -> bool) -> Vec<Sample> {
    let numbers: BTreeMap<Id<'_>, usize> =
        graphs(searches).into_iter().enumerate().map(|(number, graph)| (graph, number)).collect();
    let of_search = |search: &Solved| {
        let graph = numbers[&search.graph()];
        let optimum = search.optimum.max(f64::MIN_POSITIVE);
        let part = |costs: &[f64]| costs.iter().map(|cost| cost / optimum).collect();
        let levels = search.rows.iter().zip(&search.costs).filter(|(row, _)| is_wanted(row));
        levels.map(|(row, costs)| Sample { graph, features: row.features, costs: part(costs) }).collect::<Vec<_>>()
    };
    searches.iter().flat_map(of_search).collect()
}

fn speedup(searches: &[&Solved], model: &Model) -> f64 {
    let of_graphs = searches.chunk_by(|a, b| a.graph() == b.graph());
    let of_graph = |searches: &[&Solved]| {
        let variant = best_single(searches, Choices::Fifteen);
        let single: f64 = searches.iter().map(|search| search.single(variant)).sum();
        single / searches.iter().map(|search| search.by_model(model)).sum::<f64>()
    };
    geometric_mean(of_graphs.map(of_graph)).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
