//! What a table of measured levels says by itself: which variants are the best, how far apart they are, and what the ways to count cost.

use super::{
    accuracy::{PHASES, phases},
    options::Choices,
    score::Search,
};
use evenkeel::strategy::adaptive::{Count, Implementation, Variant};
use serde::Serialize;
use std::{collections::BTreeSet, ops::Range};

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
    /// These statistics for the graphs of each size, from small ones to large ones.
    pub by_size: Vec<Spread>,
    /// What each way to count takes, against one atomic addition for each discovery.
    pub counting: Vec<Counting>,
}

/// How far apart the variants are on the levels of graphs of a size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The fewest edges that these graphs have.
    pub edges_from: u64,
    /// All of them have fewer; none where there is no limit.
    pub edges_below: Option<u64>,
    /// How many graphs there are, a file that was read in two directions twice.
    pub graphs: usize,
    /// How many levels.
    pub levels: usize,
    /// How many times as long as the fastest variant of a level its slowest takes: the median over levels.
    pub median: f64,
    /// The part of levels for which it takes more than a hundred times as long.
    pub over_100: f64,
    /// The most.
    pub largest: f64,
}

/// Where one size of graphs ends and the next begins, in edges.
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// How often a variant is the fastest of those to choose from.
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
pub(super) fn statistics(searches: &[Search], choices: Choices, graphs: usize) -> LevelStatistics {
    let variants = choices.variants();
    let mut wins = vec![[0.0; PHASES.len()]; variants.len()];
    let mut of_phase = [0.0; PHASES.len()];
    let mut spreads = Vec::new();
    for search in searches {
        let edges = search.reading().2;
        for (row, phase) in search.rows.iter().zip(phases(search.rows)) {
            let times = || variants.iter().map(|variant| row.microseconds[variant.place()]);
            let Some((fastest, least)) = times().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            wins[fastest][phase] += 1.0;
            of_phase[phase] += 1.0;
            spreads.push((edges, times().fold(0.0, f64::max) / least.max(f64::MIN_POSITIVE)));
        }
    }
    spreads.sort_by(|a, b| a.1.total_cmp(&b.1));
    let all = spread(searches, &spreads, 0..u64::MAX);
    let begins = || [0].into_iter().chain(SIZES);
    let sizes = begins().zip(begins().skip(1).chain([u64::MAX]));
    let by_size = sizes.map(|(from, below)| spread(searches, &spreads, from..below));
    let fastest = variants.iter().zip(wins).map(|(variant, wins)| {
        let [growing, largest, shrinking] = std::array::from_fn(|phase| wins[phase] / f64::max(of_phase[phase], 1.0));
        let all = wins.iter().sum::<f64>() / f64::max(of_phase.iter().sum(), 1.0);
        Fastest { variant: variant.to_string(), all, growing, largest, shrinking }
    });
    LevelStatistics {
        graphs,
        searches: searches.len(),
        levels: spreads.len(),
        fastest: fastest.collect(),
        median_spread: all.median,
        spread_over_100: all.over_100,
        largest_spread: all.largest,
        by_size: by_size.filter(|spread| spread.levels > 0).collect(),
        counting: counting(searches),
    }
}

/// The spread of the graphs of a size. `spreads` has the edges of each level's graph beside the level's spread, by which it is sorted.
fn spread(searches: &[Search], spreads: &[(u64, f64)], edges: Range<u64>) -> Spread {
    let readings = searches.iter().map(Search::reading).filter(|(.., count)| edges.contains(count));
    let among: Vec<f64> =
        spreads.iter().filter(|(count, _)| edges.contains(count)).map(|(_, spread)| *spread).collect();
    let over = among.len() - among.partition_point(|spread| *spread <= 100.0);
    Spread {
        edges_from: edges.start,
        edges_below: (edges.end < u64::MAX).then_some(edges.end),
        graphs: BTreeSet::from_iter(readings).len(),
        levels: among.len(),
        median: among.get(among.len() / 2).copied().unwrap_or(1.0),
        over_100: over as f64 / among.len().max(1) as f64,
        largest: among.last().copied().unwrap_or(1.0),
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
