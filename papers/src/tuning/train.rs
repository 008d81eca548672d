//! Fitting a model to measured levels. Graphs, not levels, are divided into three sets: trees are grown on the first, how large a tree may
//! be is chosen by the second, and the third judges the result, so that it must do well on graphs that nothing was fitted to.

use super::{
    accuracy::{Accuracy, accuracy},
    grow::{Criterion, Growth, Sample, Tree, grow},
    score::{Score, Search, best_single, scores},
    statistics::{LevelStatistics, geometric_mean, statistics},
    table::{Row, Table},
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use evenkeel::strategy::adaptive::{Family, Feature, Model};
use evenkeel::{Error, Result, graph::generate::random::mix};
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// How to fit a model.
#[derive(clap::Args, Clone, Debug)]
pub struct Training {
    /// What to choose from: the paper's fifteen variants, or those that list the frontier.
    #[arg(long, alias = "ways", value_name = "FAMILY", default_value_t = Family::Listed, value_parser = family())]
    pub variants: Family,
    /// What decisions are chosen by: the time that they save, or as in the paper the Gini impurity of the best variants.
    #[arg(long, value_name = "CRITERION", value_enum, default_value_t = Criterion::Cost)]
    pub criterion: Criterion,
    /// The degrees that decisions may go by: of edges out of nodes, or also of those into them and of both together.
    #[arg(long, value_name = "DEGREES", value_enum, default_value_t = Degrees::Out)]
    pub degrees: Degrees,
    /// Judge the tree by all graphs of this collection, and grow it on the others.
    #[arg(long, value_name = "COLLECTION")]
    pub hold_out: Option<String>,
    /// Also grow a tree without each collection, and judge it by that.
    #[arg(long)]
    pub leave_one_out: bool,
    /// The seed by which graphs are divided.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
}

/// Reads the name of a family.
fn family() -> impl TypedValueParser<Value = Family> {
    PossibleValuesParser::new(Family::ALL.map(Family::name)).try_map(|name| name.parse::<Family>())
}

/// The degrees that decisions may go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Degrees {
    /// Out-degrees, which a graph has at hand.
    Out,
    /// In-degrees and the sums of both too.
    All,
}

/// A model and how good it is.
#[derive(Serialize)]
pub struct Trained {
    /// The model.
    #[serde(serialize_with = "as_text")]
    pub model: Model,
    /// What its decisions were chosen by.
    pub criterion: Criterion,
    /// The degrees that they may go by.
    pub degrees: Degrees,
    /// The seed that divided the graphs.
    pub seed: u64,
    /// The devices that the times are of.
    pub devices: Vec<String>,
    /// The graphs that trees were grown on to find the best size.
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
    /// How well it chooses for the levels of the test graphs.
    pub accuracy: Accuracy,
    /// The accuracy by the number of a level.
    pub accuracy_by_level: Vec<Accuracy>,
    /// The accuracy by the phase of a search.
    pub accuracy_by_phase: Vec<Accuracy>,
    /// How much each feature's decisions save of all that the tree saves; only those that save something.
    #[serde(serialize_with = "as_map")]
    pub importance: Vec<(Feature, f64)>,
    /// The lines of the paper's Table 2, for the test graphs.
    pub scores: Vec<Score>,
    /// How many times as fast as the best single variant of the fifteen on each test graph, the geometric mean over graphs.
    pub speedup: f64,
    /// How many times as fast the optimum is with lists as among the fifteen, the geometric mean over searches of the test graphs.
    pub lists_gain: f64,
    /// What the whole table says.
    pub table: LevelStatistics,
    /// How good trees are that were grown without a collection, on that collection; none unless asked for.
    pub left_out: Vec<LeftOut>,
}

/// How large a tree may be, and how good the largest one so is on the tuning graphs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Size {
    /// The most decisions one after the other.
    pub depth: usize,
    /// A leaf has levels of at least one of so many graphs.
    pub one_graph_of: usize,
    /// How many times the optimum searches take, on average.
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

/// The graphs out of ten that are kept for the choice of the size; as many are kept for the test.
const OF_TEN: usize = 2;

/// The collection and the name of a graph.
type Id<'a> = (&'a str, &'a str);

/// The three sets of graphs.
struct Sets<'a> {
    training: Vec<Id<'a>>,
    tuning: Vec<Id<'a>>,
    test: Vec<Id<'a>>,
}

/// Fits a model.
///
/// # Errors
/// When there are fewer than three graphs, or none of a collection that is to be held out.
pub fn train(table: &Table, training: &Training) -> Result<Trained> {
    let searches = searches(table);
    let graphs = graphs(&searches);
    let collections: BTreeSet<&str> = graphs.iter().map(|(collection, _)| *collection).collect();
    let sets = match &training.hold_out {
        Some(name) if !collections.contains(name.as_str()) => {
            return Err(Error::unknown("collection", name, collections));
        }
        held_out => Sets::divide(&graphs, held_out.as_deref(), training.seed)?,
    };
    let mut trained = fit(&searches, sets, training);
    trained.table = statistics(&searches, training.variants, graphs.len());
    trained.devices = table
        .rows
        .iter()
        .map(|row| row.device.as_str())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(str::to_owned)
        .collect();
    if training.leave_one_out {
        let without = |collection: &&str| -> Result<LeftOut> {
            let sets = Sets::divide(&graphs, Some(collection), training.seed)?;
            let graphs = sets.test.len();
            let Trained { accuracy, mut scores, .. } = fit(&searches, sets, training);
            scores.truncate(2);
            let within_5_percent = accuracy.within_5_percent;
            Ok(LeftOut { collection: (*collection).to_owned(), graphs, within_5_percent, scores })
        };
        trained.left_out = collections.par_iter().map(without).collect::<Result<_>>()?;
    }
    Ok(trained)
}

impl<'a> Sets<'a> {
    /// Divides graphs by a seed; those of a collection that is held out are the test.
    fn divide(graphs: &[Id<'a>], held_out: Option<&str>, seed: u64) -> Result<Self> {
        let mut places: Vec<usize> = (0..graphs.len()).collect();
        places.sort_by_key(|place| mix(mix(seed).wrapping_add(*place as u64)));
        let shuffled = places.into_iter().map(|place| graphs[place]);
        let share = |count: usize| (count * OF_TEN / 10).max(1);
        let (test, mut rest): (Vec<_>, Vec<_>) = match held_out {
            Some(held_out) => shuffled.partition(|(collection, _)| *collection == held_out),
            None => {
                let mut test: Vec<_> = shuffled.collect();
                let rest = test.split_off(share(test.len()).min(test.len()));
                (test, rest)
            }
        };
        if test.is_empty() || rest.len() < 2 {
            let reason = "trees are grown on some graphs, their size is chosen by others, and yet others judge \
                          them: give at least three, of which two are not held out";
            return Err(Error::Usage(reason.into()));
        }
        let training = rest.split_off(share(graphs.len()).min(rest.len() - 1));
        Ok(Self { training, tuning: rest, test })
    }
}

/// Finds the size of the tree, grows it, and judges it.
fn fit(searches: &[Search], sets: Sets<'_>, training: &Training) -> Trained {
    let &Training { variants: family, criterion, degrees, seed, .. } = training;
    let of = |graphs: &[Id<'_>]| -> Vec<&Search> {
        searches.iter().filter(|search| graphs.contains(&search.graph())).collect()
    };
    let features: Vec<Feature> =
        Feature::ALL.into_iter().filter(|feature| degrees == Degrees::All || !feature.needs_in_degrees()).collect();
    let variants = family.variants();
    let grown = |samples: &[Sample], graphs: usize, depth: usize, one_graph_of: usize| -> Tree {
        let graphs = (graphs / one_graph_of).max(1);
        grow(samples, Growth { criterion, features: &features, variants: &variants, depth, graphs })
    };

    let (first, second) = (samples(&of(&sets.training), family), of(&sets.tuning));
    let sizes_of = |one_graph_of: usize| {
        let tree = grown(&first, sets.training.len(), DEPTHS[DEPTHS.len() - 1], one_graph_of);
        DEPTHS.map(|depth| {
            let model = Model::new("model", tree.cut(depth).root, family);
            let total: f64 = second.iter().map(|search| search.by_model(&model) / search.optimum(family)).sum();
            Size { depth, one_graph_of, average: total / second.len().max(1) as f64 }
        })
    };
    let sizes: Vec<Size> = ONE_GRAPH_OF.into_par_iter().flat_map(sizes_of).collect();
    // The smallest of those that are as good.
    let better = |best: Size, size: &Size| if size.average < best.average { size.clone() } else { best };
    let size = sizes.iter().fold(Size { average: f64::INFINITY, ..sizes[0].clone() }, better);

    let both: Vec<Id<'_>> = sets.training.iter().chain(&sets.tuning).copied().collect();
    let samples = samples(&of(&both), family);
    let grown = grown(&samples, both.len(), size.depth, size.one_graph_of).cut(size.depth);
    let model = Model::new("model", grown.root, family);
    let judged = of(&sets.test);
    let whole: f64 = grown.saved.iter().sum();
    let mut importance: Vec<(Feature, f64)> =
        Feature::ALL.into_iter().zip(grown.saved.map(|saved| saved / whole)).collect();
    importance.retain(|(_, share)| *share > 0.0);
    importance.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (accuracy, accuracy_by_level, accuracy_by_phase) = accuracy(&judged, &model);
    let names = |graphs: &[Id<'_>]| graphs.iter().map(|(_, name)| (*name).to_owned()).collect();
    Trained {
        criterion,
        degrees,
        seed,
        devices: Vec::new(),
        training: names(&sets.training),
        tuning: names(&sets.tuning),
        test: names(&sets.test),
        levels: samples.len(),
        sizes,
        size,
        accuracy,
        accuracy_by_level,
        accuracy_by_phase,
        importance,
        scores: scores(&judged, &model),
        speedup: speedup(&judged, &sets.test, &model),
        lists_gain: geometric_mean(
            judged.iter().map(|search| search.optimum(Family::Fifteen) / search.optimum(Family::Listed)),
        )
        .unwrap_or(1.0),
        table: LevelStatistics::default(),
        left_out: Vec::new(),
        model,
    }
}

/// The graphs of searches, sorted.
fn graphs<'a>(searches: impl IntoIterator<Item = &'a Search<'a>>) -> Vec<Id<'a>> {
    BTreeSet::from_iter(searches.into_iter().map(Search::graph)).into_iter().collect()
}

/// Rows of one graph and source that follow each other, by their graphs: in which file a graph was makes no difference.
fn searches(table: &Table) -> Vec<Search<'_>> {
    let same = |a: &Row, b: &Row| {
        (&a.collection, &a.graph, a.source) == (&b.collection, &b.graph, b.source) && a.level < b.level
    };
    let mut searches: Vec<Search<'_>> = table.rows.chunk_by(same).map(|rows| Search { rows }).collect();
    searches.sort_by(|a, b| a.graph().cmp(&b.graph()));
    searches
}

/// The levels of searches. What a variant costs there is a part of the search's optimum, so that the costs of a search's choices
/// add up to its slowdown, and a search counts the same however long it takes.
fn samples(searches: &[&Search], family: Family) -> Vec<Sample> {
    let numbers: BTreeMap<Id<'_>, usize> =
        graphs(searches.iter().copied()).into_iter().enumerate().map(|(number, graph)| (graph, number)).collect();
    let of_search = |search: &&Search| {
        let graph = numbers[&search.graph()];
        let optimum = search.optimum(family).max(f64::MIN_POSITIVE);
        let part = |costs: Vec<f64>| costs.into_iter().map(|cost| cost / optimum).collect();
        let sample = |(row, costs): (&Row, _)| Sample { graph, features: row.features, costs: part(costs) };
        search.rows.iter().zip(search.costs(family)).map(sample).collect::<Vec<_>>()
    };
    searches.iter().flat_map(of_search).collect()
}

fn speedup(searches: &[&Search], graphs: &[Id<'_>], model: &Model) -> f64 {
    geometric_mean(graphs.iter().map(|graph| {
        let variant = best_single(searches, *graph, Family::Fifteen);
        let of_graph = || searches.iter().filter(|search| search.graph() == *graph);
        let single: f64 = of_graph().map(|search| search.single(variant)).sum();
        single / of_graph().map(|search| search.by_model(model)).sum::<f64>()
    }))
    .unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Row;
    use evenkeel::strategy::adaptive::{Features, Implementation, Variant};

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
            Row {
                graph: format!("graph {graph}"),
                collection: format!("collection {}", graph % 3),
                device: "a device".into(),
                source,
                level,
                features,
                microseconds,
                dispatch: 1.0,
            }
        };
        let rows =
            (0..10).flat_map(|graph| (0..4).flat_map(move |source| (0..6).map(move |level| row(graph, source, level))));
        Table { rows: rows.collect() }
    }

    fn training(variants: Family, seed: u64) -> Training {
        let (criterion, degrees) = (Criterion::Cost, Degrees::Out);
        Training { variants, criterion, degrees, hold_out: None, leave_one_out: false, seed }
    }

    #[test]
    fn a_rule_that_is_there_is_found() {
        for criterion in [Criterion::Cost, Criterion::Gini] {
            let trained = train(&table(), &Training { criterion, ..training(Family::Listed, 1) }).unwrap();
            let sets = [&trained.training, &trained.tuning, &trained.test];
            assert_eq!((sets.map(Vec::len), trained.levels), ([6, 2, 2], 8 * 4 * 6));
            let all: BTreeSet<&String> = sets.into_iter().flatten().collect();
            assert_eq!(all.len(), 10, "no graph is in two sets");
            assert_eq!(trained.accuracy.within_5_percent, 1.0, "{}", trained.model);
            assert_eq!(trained.accuracy_by_level.iter().map(|it| it.levels).collect::<Vec<_>>(), [8; 6]);
            // The last level of six is the largest.
            assert_eq!(trained.accuracy_by_phase.iter().map(|it| it.levels).collect::<Vec<_>>(), [40, 8, 0]);
            assert!(trained.importance[0].0 == Feature::Frontier && trained.importance[0].1 > 0.99);
            let [model, oracle] = &trained.scores[..2] else { panic!("two lines come first") };
            assert_eq!((model.average(), model.worst(), model.slowdowns.len()), (1.0, 1.0, 8));
            assert!(oracle.average() > 1.5 && trained.scores.len() == 2 + Family::Listed.variants().len());
            // Pull alone is the best of the fifteen, in every level; the first levels gain by lists.
            assert!(trained.speedup > 2.0 && trained.lists_gain > 2.0, "{} {}", trained.speedup, trained.lists_gain);
            // One decision is enough, so that the smallest tree is taken.
            assert_eq!((trained.size.depth, trained.sizes.len()), (2, DEPTHS.len() * ONE_GRAPH_OF.len()));
        }
    }

    #[test]
    fn what_a_choice_costs_is_counted_where_it_is_made() {
        let table = table();
        let searches = searches(&table);
        let searches: Vec<&Search> = searches.iter().collect();
        let always = Model::parse("pull".as_ref(), "evenkeel level model 1\nvertex-pull-warp list\n").unwrap();
        let (all, by_level, by_phase) = accuracy(&searches, &always);
        // With one node in the frontier a push takes 2.1 and pull 1,040; with a hundred 12 and 50; with a thousand 102 and 41.
        assert_eq!(by_level.iter().map(|it| it.best).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert!((all.best, all.levels) == (0.5, 240) && (by_level[0].slower - (1040.0 / 2.1 - 1.0)).abs() < 1e-9);
        let lost = |rows: &[Accuracy]| rows.iter().map(|row| row.lost).sum::<f64>();
        let [model, ..] = &scores(&searches, &always)[..] else { panic!("the model comes first") };
        for sum in [lost(&by_level), lost(&by_phase), all.lost] {
            assert!((sum - (model.average() - 1.0)).abs() < 1e-9, "{sum} {}", model.average());
        }
    }

    #[test]
    fn a_seed_gives_the_same_model_whatever_the_order_of_the_files() {
        let mut turned = table();
        turned.rows.rotate_left(7 * 24);
        let [one, again, other] = [(table(), 1), (turned, 1), (table(), 2)]
            .map(|(table, seed)| train(&table, &training(Family::Fifteen, seed)).unwrap());
        assert_eq!((one.model, one.test.clone()), (again.model, again.test));
        assert_ne!(one.test, other.test);
        let mut two = table();
        two.rows.truncate(48);
        assert!(train(&two, &training(Family::Listed, 1)).is_err(), "three sets of two graphs");
    }

    #[test]
    fn a_collection_is_held_out_whole() {
        let held_out = |name: &str| Training { hold_out: Some(name.into()), ..training(Family::Listed, 0) };
        let trained = train(&table(), &held_out("collection 1")).unwrap();
        let mut test = trained.test.clone();
        test.sort();
        assert_eq!((test, trained.training.len()), (["graph 1", "graph 4", "graph 7"].map(str::to_owned).into(), 5));
        assert!(
            train(&table(), &held_out("collection 9")).is_err_and(|error| error.to_string().contains("collection 1"))
        );
        let each = Training { leave_one_out: true, ..training(Family::Listed, 0) };
        let left_out = train(&table(), &each).unwrap().left_out;
        assert_eq!(left_out.iter().map(|it| it.graphs).collect::<Vec<_>>(), [4, 3, 3]);
        assert_eq!(left_out[1].scores[..], trained.scores[..2], "the same as when it alone is held out");
    }

    #[test]
    fn a_table_says_which_variants_are_fast() {
        let table = table();
        let found = statistics(&searches(&table), Family::Fifteen, 10);
        assert_eq!((found.graphs, found.searches, found.levels), (10, 40, 240));
        // Pull takes 1,040 where the others take 500, once in six levels.
        let pull = found.fastest.iter().find(|it| it.variant == "vertex-pull atomic").unwrap();
        assert!((pull.all - 5.0 / 6.0).abs() < 1e-9 && (pull.growing - 0.8).abs() < 1e-9 && pull.largest == 1.0);
        assert!(found.largest_spread < 13.0 && found.spread_over_100 == 0.0);
        assert!(found.counting.iter().all(|it| it.times == 1.0 && it.slower == 0.0 && it.faster == 0.0));
        assert_eq!(found.counting.len(), 10);
    }
}
