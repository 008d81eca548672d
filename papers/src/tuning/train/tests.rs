//! Trees of made-up tables, by which it is known what they should find.

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

fn training(variants: Choices, seed: u64) -> Training {
    Training {
        variants,
        criterion: Criterion::Cost,
        features: FeatureSet::All,
        degrees: Degrees::Out,
        split: Split::Graphs,
        hold_out: None,
        leave_one_out: false,
        seed,
        by_graph: false,
        by_level: None,
    }
}

#[test]
fn a_rule_that_is_there_is_found() {
    for criterion in [Criterion::Cost, Criterion::Gini] {
        let trained = train(&table(), &Training { criterion, ..training(Choices::Listed, 1) }).unwrap();
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
        assert!(oracle.average() > 1.5 && trained.scores.len() == 2 + Choices::Listed.variants().len());
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
    let solved: Vec<Solved> = searches.iter().map(|search| Solved::of(*search, Choices::Listed)).collect();
    let searches: Vec<&Solved> = solved.iter().collect();
    let always = Model::parse("pull".as_ref(), "evenkeel level model 1\nvertex-pull-warp list\n").unwrap();
    let (all, by_level, by_phase) = accuracy(&searches, (&always, Choices::Listed), |_| true);
    // With one node in the frontier a push takes 2.1 and pull 1,040; with a hundred 12 and 50; with a thousand 102 and 41.
    assert_eq!(by_level.iter().map(|it| it.best).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert!((all.best, all.levels) == (0.5, 240) && (by_level[0].slower - (1040.0 / 2.1 - 1.0)).abs() < 1e-9);
    let lost = |rows: &[Accuracy]| rows.iter().map(|row| row.lost).sum::<f64>();
    let [model, ..] = &scores(&searches, &always, Choices::Listed)[..] else { panic!("the model comes first") };
    for sum in [lost(&by_level), lost(&by_phase), all.lost] {
        assert!((sum - (model.average() - 1.0)).abs() < 1e-9, "{sum} {}", model.average());
    }
}

#[test]
fn a_seed_gives_the_same_model_whatever_the_order_of_the_files() {
    let mut turned = table();
    turned.rows.rotate_left(7 * 24);
    let [one, again, other] = [(table(), 1), (turned, 1), (table(), 2)]
        .map(|(table, seed)| train(&table, &training(Choices::Fifteen, seed)).unwrap());
    assert_eq!((one.model, one.test.clone()), (again.model, again.test));
    assert_ne!(one.test, other.test);
    let mut two = table();
    two.rows.truncate(48);
    assert!(train(&two, &training(Choices::Listed, 1)).is_err(), "three sets of two graphs");
}

#[test]
fn a_collection_is_held_out_whole() {
    let held_out = |name: &str| Training { hold_out: Some(name.into()), ..training(Choices::Listed, 0) };
    let trained = train(&table(), &held_out("collection 1")).unwrap();
    let mut test = trained.test.clone();
    test.sort();
    assert_eq!((test, trained.training.len()), (["graph 1", "graph 4", "graph 7"].map(str::to_owned).into(), 5));
    assert!(train(&table(), &held_out("collection 9")).is_err_and(|error| error.to_string().contains("collection 1")));
    let each = Training { leave_one_out: true, ..training(Choices::Listed, 0) };
    let left_out = train(&table(), &each).unwrap().left_out;
    assert_eq!(left_out.iter().map(|it| it.graphs).collect::<Vec<_>>(), [4, 3, 3]);
    assert_eq!(left_out[1].scores[..], trained.scores[..2], "the same as when it alone is held out");
}

#[test]
fn a_table_says_which_variants_are_fast() {
    let table = table();
    let found = statistics(&searches(&table), Choices::Fifteen, 10);
    assert_eq!((found.graphs, found.searches, found.levels), (10, 40, 240));
    // Pull takes 1,040 where the others take 500, once in six levels.
    let pull = found.fastest.iter().find(|it| it.variant == "vertex-pull atomic").unwrap();
    assert!((pull.all - 5.0 / 6.0).abs() < 1e-9 && (pull.growing - 0.8).abs() < 1e-9 && pull.largest == 1.0);
    assert!(found.largest_spread < 13.0 && found.spread_over_100 == 0.0);
    assert!(found.counting.iter().all(|it| it.times == 1.0 && it.slower == 0.0 && it.faster == 0.0));
    assert_eq!(found.counting.len(), 10);
}

#[test]
fn levels_are_divided_as_the_paper_divides_them() {
    let by_levels = |seed: u64| Training { split: Split::Levels, ..training(Choices::Five, seed) };
    let trained = train(&table(), &by_levels(1)).unwrap();
    // All levels are for one of both, seven of ten for growing.
    assert_eq!(trained.levels + trained.accuracy.levels, 240);
    assert!((140..=195).contains(&trained.levels), "{}", trained.levels);
    assert_eq!([&trained.training, &trained.tuning, &trained.test].map(Vec::len), [10; 3]);
    assert_eq!(trained.scores, trained.all_scores);
    assert_eq!(trained.scores[0].slowdowns.len(), 40, "whole searches");
    assert_eq!(trained.scores.len(), 2 + 5);
    assert!(trained.sizes.iter().any(|size| size.depth == 28 && size.one_graph_of > 64));
    // Which level is for what depends on neither the order of the files nor the model.
    let mut turned = table();
    turned.rows.rotate_left(7 * 24);
    let again = train(&turned, &by_levels(1)).unwrap();
    assert_eq!((again.model, again.levels), (trained.model, trained.levels));
    assert_ne!(train(&table(), &by_levels(2)).unwrap().levels, trained.levels);
    for wrong in [
        Training { leave_one_out: true, ..by_levels(0) },
        Training { hold_out: Some("collection 1".into()), ..by_levels(0) },
    ] {
        assert!(train(&table(), &wrong).is_err_and(|error| error.to_string().contains("--split levels")));
    }
}

#[test]
fn a_level_that_judges_is_not_grown_on() {
    let table = table();
    let searches = searches(&table);
    let solved: Vec<Solved> = searches.iter().map(|search| Solved::of(*search, Choices::Five)).collect();
    let all = graphs(&solved);
    for split in [Split::Graphs, Split::Levels] {
        let sets = Sets::divide(&all, None, &Training { split, ..training(Choices::Five, 3) }).unwrap();
        let count = |part: Part| table.rows.iter().filter(|row| sets.part(row) == part).count();
        let parts = [Part::Training, Part::Tuning, Part::Test].map(count);
        assert_eq!(parts.iter().sum::<usize>(), 240);
        assert_eq!(samples(&solved, |row| sets.part(row) != Part::Test).len(), parts[0] + parts[1]);
        // A graph is in one set whole, or in all.
        let of_graph = |part: Part| table.rows[..24].iter().filter(|row| sets.part(row) == part).count();
        let shares = [Part::Training, Part::Tuning, Part::Test].map(of_graph);
        assert_eq!(shares.contains(&24), split == Split::Graphs, "{shares:?}");
    }
}

#[test]
fn graphs_and_levels_are_told_of_where_that_is_asked_for() {
    let mut table = table();
    // The second graph was also read with each edge both ways.
    table.rows[24..36].iter_mut().for_each(|row| row.features.0[Feature::Edges as usize] = 7.0);
    let both = Training { by_level: Some("graph 1".into()), ..training(Choices::Five, 1) };
    assert_eq!(train(&table, &both).unwrap().by_level.unwrap().source, table.rows[24].source, "each edge both ways");
    let by_level = Some("graph 3".to_owned());
    let trained = train(&table, &Training { by_graph: true, by_level, ..training(Choices::Five, 1) }).unwrap();
    assert_eq!(trained.by_graph.len(), 11);
    let of = |it: &OfGraph| (it.graph.clone(), it.searches, it.levels);
    assert_eq!(trained.by_graph.iter().map(|it| it.levels).sum::<usize>(), 240);
    assert!(trained.by_graph.iter().any(|it| of(it) == ("graph 1".into(), 2, 12) && it.edges == 7));
    for it in &trained.by_graph {
        let least = it.variants.values().copied().fold(f64::INFINITY, f64::min);
        assert!(it.variants.len() == 5 && it.optimum <= least && it.optimum <= it.model, "{it:?}");
        assert!(it.oracle >= 1.0 && it.slowdown >= 1.0);
    }
    let levels = trained.by_level.unwrap();
    assert_eq!((levels.variants.len(), levels.levels.len(), levels.levels[2].frontier), (5, 6, 100.0));
    assert!(levels.levels.iter().all(|level| level.microseconds.len() == 5));
    let unknown = Training { by_level: Some("graph 33".into()), ..training(Choices::Five, 1) };
    assert!(train(&table, &unknown).is_err_and(|error| error.to_string().contains("graph 3")));
}

#[test]
fn variants_are_further_apart_on_some_sizes_than_on_others() {
    let mut table = table();
    for row in &mut table.rows {
        // Graphs 5 to 9 have a million edges, and there a variant takes a thousand times as long.
        let is_large = row.features.get(Feature::Edges) >= 5.0;
        row.features.0[Feature::Edges as usize] = if is_large { 1e6 } else { 1e3 };
        row.microseconds[0] = if is_large { 1e6 } else { row.microseconds[0] };
    }
    let found = statistics(&searches(&table), Choices::Five, 10);
    let sizes: Vec<_> = found.by_size.iter().map(|it| (it.edges_from, it.edges_below, it.graphs, it.levels)).collect();
    assert_eq!(sizes, [(0, Some(10_000), 5, 120), (1_000_000, Some(10_000_000), 5, 120)]);
    assert_eq!([found.by_size[0].over_100, found.by_size[1].over_100, found.spread_over_100], [0.0, 1.0, 0.5]);
}
