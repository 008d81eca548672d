//! What a table of measured levels says by itself: which variants are the best, how far apart they are, and what the ways to count cost.

use super::{
    accuracy::{PHASES, phases},
    score::Search,
};
use evenkeel::strategy::adaptive::{Count, Family, Implementation, Variant};
use serde::Serialize;

/// The levels of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LevelStatistics {
    /// How many graphs there are.
    pub graphs: usize,
    /// How many searches.
    pub searches: usize,
    /// How many levels.
    pub levels: usize,
    /// How often each variant of the family is the fastest, in each phase of a search.
    pub fastest: Vec<Fastest>,
    /// How many times as long as the fastest variant of a level its slowest takes: the median over levels.
    pub median_spread: f64,
    /// The part of levels for which it takes more than a hundred times as long.
    pub spread_over_100: f64,
    /// The most.
    pub largest_spread: f64,
    /// What each way to count takes, against one atomic addition for each discovery.
    pub counting: Vec<Counting>,
}

/// How often a variant is the fastest of its family.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fastest {
    /// The variant.
    pub variant: String,
    /// The part of all levels.
    pub all: f64,
    /// The part of the levels before the largest frontier of a search.
    pub growing: f64,
    /// The part of the levels with the largest frontier.
    pub largest: f64,
    /// The part of the levels after it.
    pub shrinking: f64,
}

/// What an implementation takes with a way to count, against the same with `atomic`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counting {
    /// The implementation.
    pub implementation: &'static str,
    /// How it counts.
    pub count: &'static str,
    /// How many times as long it takes, the geometric mean over levels.
    pub times: f64,
    /// The part of levels at which it is faster by more than 5 %.
    pub faster: f64,
    /// The part at which it is slower by more than 5 %.
    pub slower: f64,
}

/// The statistics of some searches.
pub(super) fn statistics(searches: &[Search], family: Family, graphs: usize) -> LevelStatistics {
    let variants = family.variants();
    let mut wins = vec![[0.0; PHASES.len()]; variants.len()];
    let mut of_phase = [0.0; PHASES.len()];
    let mut spreads = Vec::new();
    for search in searches {
        for (row, phase) in search.rows.iter().zip(phases(search.rows)) {
            let times = || variants.iter().map(|variant| row.microseconds[variant.place()]);
            let Some((fastest, least)) = times().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            wins[fastest][phase] += 1.0;
            of_phase[phase] += 1.0;
            spreads.push(times().fold(0.0, f64::max) / least.max(f64::MIN_POSITIVE));
        }
    }
    spreads.sort_by(f64::total_cmp);
    let fastest = variants.iter().zip(wins).map(|(variant, wins)| {
        let [growing, largest, shrinking] = std::array::from_fn(|phase| wins[phase] / f64::max(of_phase[phase], 1.0));
        let all = wins.iter().sum::<f64>() / f64::max(of_phase.iter().sum(), 1.0);
        Fastest { variant: variant.to_string(), all, growing, largest, shrinking }
    });
    let over = spreads.len() - spreads.partition_point(|spread| *spread <= 100.0);
    LevelStatistics {
        graphs,
        searches: searches.len(),
        levels: spreads.len(),
        fastest: fastest.collect(),
        median_spread: spreads.get(spreads.len() / 2).copied().unwrap_or(1.0),
        spread_over_100: over as f64 / spreads.len().max(1) as f64,
        largest_spread: spreads.last().copied().unwrap_or(1.0),
        counting: counting(searches),
    }
}

fn counting(searches: &[Search]) -> Vec<Counting> {
    let ratios = |implementation: Implementation, count: Count| -> Vec<f64> {
        let place = |count| Variant { implementation, count }.place();
        let ratio = |row: &super::Row| row.microseconds[place(count)] / row.microseconds[place(Count::Atomic)];
        let ratios = searches.iter().flat_map(|search| search.rows).map(ratio);
        ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0).collect()
    };
    let line = |implementation: Implementation, count: Count| {
        let ratios = ratios(implementation, count);
        let share = |is_so: &dyn Fn(f64) -> bool| {
            ratios.iter().filter(|ratio| is_so(**ratio)).count() as f64 / ratios.len().max(1) as f64
        };
        Counting {
            implementation: implementation.name(),
            count: count.name(),
            times: geometric_mean(ratios.iter().copied()).unwrap_or(1.0),
            faster: share(&|ratio| ratio * 1.05 < 1.0),
            slower: share(&|ratio| ratio > 1.05),
        }
    };
    let counts = [Count::Subgroup, Count::Workgroup];
    let implementations = Implementation::TOPOLOGY_DRIVEN.into_iter();
    implementations.flat_map(|implementation| counts.map(|count| line(implementation, count))).collect()
}

/// The geometric mean, if there is anything.
pub fn geometric_mean(factors: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = factors.into_iter().fold((0.0, 0.0f64), |(sum, count), factor| (sum + factor.ln(), count + 1.0));
    (count > 0.0).then(|| (sum / count).exp())
}
