//! How good choices are: what each search would have taken by them, against the best variant at every level. These are the columns
//! of the paper's Table 2. What a variant takes can depend on the variant before it: one that goes on in the same dispatch saves one.

use super::{options::Choices, table::Row};
use evenkeel::strategy::adaptive::{Feature, Model, Variant};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::ops::Deref;

/// One search of a table: its rows, in the order of the levels.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub rows: &'a [Row],
}

/// A search with the best that can be chosen for it.
pub(super) struct Solved<'a> {
    search: Search<'a>,
    /// The shortest time that any choice of variants takes.
    pub optimum: f64,
    /// What each variant costs at each level: see [`Search::costs`].
    pub costs: Vec<Vec<f64>>,
}

impl<'a> Solved<'a> {
    pub fn of(search: Search<'a>, choices: Choices) -> Self {
        Self { search, optimum: search.optimum(choices), costs: search.costs(choices) }
    }
}

impl<'a> Deref for Solved<'a> {
    type Target = Search<'a>;

    fn deref(&self) -> &Search<'a> {
        &self.search
    }
}

/// What tells a graph from others: its collection and its name, because graphs of two collections may be called the same, and how many
/// edges it has, because a file may be read with each edge as it is listed and with each both ways.
pub(super) type Reading<'a> = (&'a str, &'a str, u64);

impl<'a> Search<'a> {
    /// The collection of its graph, and the graph's name: graphs of two collections may be called the same.
    pub fn graph(&self) -> (&'a str, &'a str) {
        (&self.rows[0].collection, &self.rows[0].graph)
    }

    /// Its graph, and as what that was read.
    pub fn reading(&self) -> Reading<'a> {
        let (collection, graph) = self.graph();
        (collection, graph, self.rows[0].features.get(Feature::Edges) as u64)
    }

    /// The time of a variant at a level; `before` is the variant of the level before. One that goes on in the same dispatch saves one.
    fn time_at(&self, level: usize, variant: Variant, before: Option<Variant>) -> f64 {
        let row = &self.rows[level];
        let alone = row.microseconds[variant.place()];
        let stays = |row: &Row| {
            let [frontier, edges] = [Feature::Frontier, Feature::FrontierEdges].map(|it| row.features.get(it) as u32);
            variant.stays(frontier, edges)
        };
        let goes_on = level > 0 && before == Some(variant) && stays(row) && stays(&self.rows[level - 1]);
        if goes_on { (alone - row.dispatch).max(LEAST * alone) } else { alone }
    }

    /// The time of a variant for each level.
    pub fn time(&self, variants: &[Variant]) -> f64 {
        let before = |level: usize| level.checked_sub(1).map(|before| variants[before]);
        (0..variants.len()).map(|level| self.time_at(level, variants[level], before(level))).sum()
    }

    pub fn single(&self, variant: Variant) -> f64 {
        self.time(&vec![variant; self.rows.len()])
    }

    pub fn optimum(&self, choices: Choices) -> f64 {
        self.time(&self.best_ways(choices))
    }

    pub fn by_model(&self, model: &Model) -> f64 {
        self.time(&self.ways_of(model))
    }

    pub fn ways_of(&self, model: &Model) -> Vec<Variant> {
        let mut variant = model.family().first();
        let choose = |row: &Row| {
            variant = model.choose(&row.features).unwrap_or(variant);
            variant
        };
        self.rows.iter().map(choose).collect()
    }

    /// The variants that take the least time together: level by level, the least time so far for each variant that could be the last.
    pub fn best_ways(&self, choices: Choices) -> Vec<Variant> {
        let variants = choices.variants();
        let mut so_far = vec![0.0; variants.len()];
        let mut before: Vec<Vec<usize>> = Vec::new();
        for level in 0..self.rows.len() {
            let least = least(&so_far);
            let after = |(place, &variant): (usize, &Variant)| {
                let on = (so_far[place] + self.time_at(level, variant, Some(variant)), place);
                let anew = (so_far[least] + self.time_at(level, variant, None), least);
                if on.0 <= anew.0 { on } else { anew }
            };
            let (times, places) = variants.iter().enumerate().map(after).unzip();
            so_far = times;
            before.push(places);
        }
        let mut place = least(&so_far);
        let mut best = vec![choices.family().first(); self.rows.len()];
        for (variant, places) in best.iter_mut().zip(&before).rev() {
            *variant = variants[place];
            place = places[place];
        }
        best
    }

    /// What each variant costs at each level when all other levels are searched in the best variants: its time, and what the
    /// next level takes more because of it.
    pub fn costs(&self, choices: Choices) -> Vec<Vec<f64>> {
        let (best, variants) = (self.best_ways(choices), choices.variants());
        let costs_at = |level: usize| {
            let before = level.checked_sub(1).map(|before| best[before]);
            let next = |variant: Variant| {
                best.get(level + 1).map_or(0.0, |next| self.time_at(level + 1, *next, Some(variant)))
            };
            let cost = |variant: Variant| self.time_at(level, variant, before) + next(variant) - next(best[level]);
            variants.iter().copied().map(cost).collect()
        };
        (0..self.rows.len()).map(costs_at).collect()
    }
}

/// A level that needs no dispatch of its own takes at least this part of what it takes with one: the difference of two times is
/// not exact.
const LEAST: f64 = 0.1;

fn least(times: &[f64]) -> usize {
    (0..times.len()).min_by(|a, b| times[*a].total_cmp(&times[*b])).unwrap_or(0)
}

/// A line of the table: how many times the optimum each search takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Who chose.
    pub name: String,
    /// How many times as long as the best variant at every level, a number for each search.
    pub slowdowns: Vec<f64>,
}

/// The columns of the paper's Table 2 that are shares of searches, with the slowdowns that they are of: more than the one, at most the
/// other. The second is not in the paper.
pub const SHARES: [(&str, (f64, f64)); 5] = [
    ("optimal", (0.0, 1.0)),
    ("within_5_percent", (0.0, 1.05)),
    ("up_to_2", (1.0, 2.0)),
    ("over_5", (5.0, f64::INFINITY)),
    ("over_20", (20.0, f64::INFINITY)),
];

impl Score {
    /// The part of all searches whose slowdown is more than one number and at most another.
    pub fn share(&self, (above, up_to): (f64, f64)) -> f64 {
        let inside = self.slowdowns.iter().filter(|slowdown| **slowdown > above && **slowdown <= up_to).count();
        inside as f64 / self.slowdowns.len().max(1) as f64
    }

    /// The average slowdown.
    pub fn average(&self) -> f64 {
        self.slowdowns.iter().sum::<f64>() / self.slowdowns.len().max(1) as f64
    }

    /// The largest.
    pub fn worst(&self) -> f64 {
        self.slowdowns.iter().copied().fold(1.0, f64::max)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("name", &self.name)?;
        line.serialize_entry("searches", &self.slowdowns.len())?;
        for (name, range) in SHARES {
            line.serialize_entry(name, &self.share(range))?;
        }
        line.serialize_entry("average", &self.average())?;
        line.serialize_entry("worst", &self.worst())?;
        line.end()
    }
}

/// The lines for a model, for the best single variant of each graph, and for each variant that the model could choose.
pub(super) fn scores(searches: &[&Solved], model: &Model, choices: Choices) -> Vec<Score> {
    let line = |name: String, time: &dyn Fn(&Solved) -> f64| {
        let slowdowns = searches.iter().map(|search| time(search) / search.optimum).collect();
        Score { name, slowdowns }
    };
    let by_model = line("model".into(), &|search| search.by_model(model));
    let of_graphs = searches.chunk_by(|a, b| a.reading() == b.reading());
    let oracle = of_graphs.flat_map(|searches| {
        let variant = best_single(searches, choices);
        searches.iter().map(move |search| search.single(variant) / search.optimum)
    });
    let oracle = Score { name: "oracle".into(), slowdowns: oracle.collect() };
    let single = |variant: Variant| line(variant.to_string(), &|search| search.single(variant));
    [by_model, oracle].into_iter().chain(choices.variants().into_iter().map(single)).collect()
}

/// The one variant that is best for some searches together.
pub(super) fn best_single(searches: &[&Solved], choices: Choices) -> Variant {
    let total = |variant: Variant| searches.iter().map(|search| search.single(variant)).sum::<f64>();
    let totals = choices.variants().into_iter().map(|variant| (variant, total(variant)));
    totals.min_by(|a, b| a.1.total_cmp(&b.1)).map_or_else(|| choices.family().first(), |(variant, _)| variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::strategy::adaptive::Features;

    /// Level after level, what a dispatch that goes on takes and what the others do.
    fn rows(times: &[(f64, f64)]) -> Vec<Row> {
        let row = |&(stays, others): &(f64, f64)| Row {
            graph: "graph".into(),
            collection: "some".into(),
            device: "a device".into(),
            source: 0,
            level: 0,
            features: Features([0.0; Feature::COUNT]),
            microseconds: Variant::all()
                .iter()
                .map(|variant| if variant.stays(1, 1) { stays } else { others })
                .collect(),
            dispatch: 5.0,
        };
        times.iter().map(row).collect()
    }

    #[test]
    fn what_goes_on_in_the_same_dispatch_is_worth_waiting_for() {
        // By itself the third level is faster in another variant, but to leave and come back costs more.
        let rows = rows(&[(7.0, 6.0), (7.0, 6.0), (9.0, 3.9), (7.0, 6.0), (5.1, 9.0), (90.0, 20.0)]);
        let search = Search { rows: &rows };
        let best = search.best_ways(Choices::Listed);
        assert_eq!(
            best.iter().map(|variant| variant.stays(1, 1)).collect::<Vec<_>>(),
            [true, true, true, true, true, false]
        );
        // The fifth level takes a tenth at least.
        assert_eq!(search.optimum(Choices::Listed), 7.0 + 2.0 + 4.0 + 2.0 + 0.51 + 20.0);
        assert_eq!(search.single(best[0]), 7.0 + 2.0 + 4.0 + 2.0 + 0.51 + 85.0);
        assert_eq!(search.optimum(Choices::Fifteen), 6.0 + 6.0 + 3.9 + 6.0 + 9.0 + 20.0);
        let costs = search.costs(Choices::Listed);
        let [other, stays] = [0, Choices::Listed.variants().len() - 1];
        assert_eq!((costs[2][stays], costs[2][other]), (4.0, 3.9 + 5.0));
        assert_eq!((costs[5][stays], costs[5][other]), (85.0, 20.0));
        // A large frontier is not for one workgroup.
        let mut large = rows.clone();
        large[1].features.0[Feature::Frontier as usize] = 1e6;
        assert_eq!(Search { rows: &large }.single(best[0]), 7.0 + 7.0 + 9.0 + 2.0 + 0.51 + 85.0);
    }

    #[test]
    fn shares_are_of_searches() {
        let score = Score { name: "test".into(), slowdowns: vec![1.0, 1.04, 1.5, 2.0, 30.0] };
        assert_eq!(SHARES.map(|(_, range)| score.share(range)), [0.2, 0.4, 0.6, 0.2, 0.2]);
        assert_eq!((score.average(), score.worst()), (7.108, 30.0));
    }
}
