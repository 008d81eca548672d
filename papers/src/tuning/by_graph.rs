//! What a tree and each variant take on every graph, and on the levels of one search: what figures of single graphs are drawn from.

use super::{
    options::Choices,
    score::{Search, Solved, best_single},
};
use evenkeel::strategy::adaptive::{Feature, Model, Variant};
use serde::Serialize;
use std::collections::BTreeMap;

/// A graph, and what its searches take on average. A file that was read twice, with each edge as it is listed and both ways, is two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfGraph {
    /// Where it is from.
    pub collection: String,
    /// Its name.
    pub graph: String,
    /// Its nodes.
    pub nodes: u64,
    /// Its edges.
    pub edges: u64,
    /// The largest out-degree, in average degrees.
    pub skew: f64,
    /// How many searches there are.
    pub searches: usize,
    /// How many levels they have together.
    pub levels: usize,
    /// The mean microseconds of a search by the best choice of variants.
    pub optimum: f64,
    /// By the model.
    pub model: f64,
    /// By each variant throughout.
    pub variants: BTreeMap<String, f64>,
    /// How many times the optimum searches take by the model, on average.
    pub slowdown: f64,
    /// By the best single variant.
    pub oracle: f64,
}

/// What each variant takes on the levels of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfLevels {
    /// The graph.
    pub graph: String,
    /// The node that the search began at.
    pub source: u64,
    /// The variants.
    pub variants: Vec<String>,
    /// The levels.
    pub levels: Vec<OfLevel>,
}

/// What each variant takes on a level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfLevel {
    /// Its number.
    pub level: u32,
    /// The nodes of its frontier.
    pub frontier: f64,
    /// The time of each variant.
    pub microseconds: Vec<f64>,
}

/// All graphs of some searches, which are sorted by them.
pub(super) fn by_graph(searches: &[Solved], model: &Model, choices: Choices) -> Vec<OfGraph> {
    let all: Vec<&Solved> = searches.iter().collect();
    all.chunk_by(|a, b| a.reading() == b.reading()).map(|searches| of_graph(searches, model, choices)).collect()
}

fn of_graph(searches: &[&Solved], model: &Model, choices: Choices) -> OfGraph {
    let mean = |of: &dyn Fn(&Solved) -> f64| searches.iter().map(|it| of(it)).sum::<f64>() / searches.len() as f64;
    let known = |feature: Feature| searches[0].rows[0].features.get(feature);
    let (collection, graph, edges) = searches[0].reading();
    let best = best_single(searches, choices);
    let single = |variant: Variant| (variant.to_string(), mean(&|search| search.single(variant)));
    OfGraph {
        collection: collection.to_owned(),
        graph: graph.to_owned(),
        nodes: known(Feature::Nodes) as u64,
        edges,
        skew: known(Feature::DegreeMax) * known(Feature::Nodes) / known(Feature::Edges).max(1.0),
        searches: searches.len(),
        levels: searches.iter().map(|search| search.rows.len()).sum(),
        optimum: mean(&|search| search.optimum),
        model: mean(&|search| search.by_model(model)),
        variants: choices.variants().into_iter().map(single).collect(),
        slowdown: mean(&|search| search.by_model(model) / search.optimum),
        oracle: mean(&|search| search.single(best) / search.optimum),
    }
}

/// The levels of the first search of a graph, if there is one of that name. Of a file that was read twice it is the reading with more
/// edges, which has each both ways.
pub(super) fn by_level(searches: &[Solved], graph: &str, choices: Choices) -> Option<OfLevels> {
    let of_graph = || searches.iter().filter(|search| search.graph().1 == graph);
    let edges = of_graph().map(|search| search.reading().2).max()?;
    let search: &Search<'_> = of_graph().find(|search| search.reading().2 == edges)?;
    let variants = choices.variants();
    let levels = search.rows.iter().map(|row| OfLevel {
        level: row.level,
        frontier: row.features.get(Feature::Frontier),
        microseconds: variants.iter().map(|variant| row.microseconds[variant.place()]).collect(),
    });
    Some(OfLevels {
        graph: graph.to_owned(),
        source: search.rows[0].source,
        variants: variants.iter().map(Variant::to_string).collect(),
        levels: levels.collect(),
    })
}
