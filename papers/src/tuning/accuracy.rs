//! How often a model chooses well, level by level, and what choosing badly costs: for all levels, for those of the same number, and for
//! those of the same phase of a search.

use super::{options::Choices, score::Solved, table::Row};
use evenkeel::strategy::adaptive::{Feature, Model};
use serde::Serialize;

/// How often some levels are searched in the best variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Which levels.
    pub name: String,
    /// How many there are.
    pub levels: usize,
    /// The part of them for which the model chooses the best variant.
    pub best: f64,
    /// The part for which it chooses the best, or one as fast to 5 %.
    pub within_5_percent: f64,
    /// How much longer than the best the chosen variant takes, as a part of the best: the average over levels.
    pub slower: f64,
    /// What the choices at these levels add to the average slowdown of a search.
    pub lost: f64,
}

/// A choice this much slower than the best is as good: times differ by as much from run to run.
const TIE: f64 = 1.05;

/// Levels from this one on are taken together.
const LAST: u32 = 12;

/// The phases of a search.
pub(super) const PHASES: [&str; 3] = ["growing", "largest", "shrinking"];

/// The number of the phase of each level: the frontier grows, is the largest of the search, or shrinks.
pub(super) fn phases(rows: &[Row]) -> impl Iterator<Item = usize> {
    let frontier = |row: &Row| row.features.get(Feature::Frontier);
    // The first of several that are as large.
    let largest = (0..rows.len()).rev().max_by(|a, b| frontier(&rows[*a]).total_cmp(&frontier(&rows[*b]))).unwrap_or(0);
    (0..rows.len()).map(move |place| usize::from(place >= largest) + usize::from(place > largest))
}

/// A level that was chosen for.
struct Choice {
    level: u32,
    phase: usize,
    /// The time of the chosen variant, of the best one's.
    ratio: f64,
    /// The difference as a part of the search's optimum.
    lost: f64,
}

/// The accuracy over those levels of some searches that judge the model; by level; and by phase.
pub(super) fn accuracy<'a>(
    searches: &[&Solved<'a>],
    (model, choices): (&Model, Choices),
    judges: impl Fn(&Row) -> bool,
) -> (Accuracy, Vec<Accuracy>, Vec<Accuracy>) {
    let chosen = |search: &&Solved<'a>| {
        let all = search.rows.iter().zip(choices_of(search, model, choices));
        all.filter(|(row, _)| judges(row)).map(|(_, choice)| choice).collect::<Vec<_>>()
    };
    let choices: Vec<Choice> = searches.iter().flat_map(chosen).collect();
    let of = |name: String, is_in: &dyn Fn(&Choice) -> bool| {
        let among: Vec<&Choice> = choices.iter().filter(|choice| is_in(choice)).collect();
        let mean = |value: &dyn Fn(&Choice) -> f64| {
            among.iter().map(|choice| value(choice)).sum::<f64>() / among.len().max(1) as f64
        };
        Accuracy {
            name,
            levels: among.len(),
            best: mean(&|choice| f64::from(choice.ratio <= 1.0)),
            within_5_percent: mean(&|choice| f64::from(choice.ratio <= TIE)),
            slower: mean(&|choice| choice.ratio - 1.0),
            lost: among.iter().map(|choice| choice.lost).sum::<f64>() / searches.len().max(1) as f64,
        }
    };
    let level = |level: u32| match level {
        LAST => of(format!("{LAST} and later"), &|choice| choice.level >= LAST),
        _ => of(level.to_string(), &|choice| choice.level == level),
    };
    let by_level = (0..=LAST).map(level).filter(|accuracy| accuracy.levels > 0).collect();
    let phase = |(number, name): (usize, &str)| of(name.to_owned(), &|choice| choice.phase == number);
    (of("all".into(), &|_| true), by_level, PHASES.into_iter().enumerate().map(phase).collect())
}

fn choices_of(search: &Solved, model: &Model, choices: Choices) -> Vec<Choice> {
    let variants = choices.variants();
    let optimum = search.optimum.max(f64::MIN_POSITIVE);
    let levels = search.ways_of(model).into_iter().zip(&search.costs);
    let choice = |((chosen, costs), (row, phase)): ((_, &Vec<f64>), (&Row, usize))| {
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let place = variants.iter().position(|variant| *variant == chosen);
        let cost = place.map_or(f64::INFINITY, |place| costs[place]);
        Choice { level: row.level, phase, ratio: cost / best, lost: (cost - best) / optimum }
    };
    levels.zip(search.rows.iter().zip(phases(search.rows))).map(choice).collect()
}
