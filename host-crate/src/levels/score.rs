//! How good choices are: what each search would have taken by them, against the best way at every level. These are the columns
//! of the paper's Table 2.

use super::{
    model::Model,
    table::Row,
    way::{Family, Way},
};

/// One search of a table: its rows, in the order of the levels.
pub(super) struct Search<'a> {
    pub rows: Vec<&'a Row>,
}

impl Search<'_> {
    pub fn graph(&self) -> &str {
        &self.rows[0].graph
    }

    /// The time of one way throughout.
    pub fn single(&self, way: Way) -> f64 {
        self.rows.iter().map(|row| time(row, way)).sum()
    }

    /// The time of the best way at every level.
    pub fn optimum(&self, family: Family) -> f64 {
        self.rows.iter().map(|row| best(row, family).1).sum()
    }

    /// The time of a model's ways.
    pub fn by_model(&self, model: &Model) -> f64 {
        let mut way = model.family().first();
        let choose = |row: &&Row| {
            way = model.choose(&row.features).unwrap_or(way);
            time(row, way)
        };
        self.rows.iter().map(choose).sum()
    }
}

fn time(row: &Row, way: Way) -> f64 {
    row.microseconds[way.place()]
}

/// The best way of a level, and its time.
pub(super) fn best(row: &Row, family: Family) -> (Way, f64) {
    let times = family.ways().into_iter().map(|way| (way, time(row, way)));
    times.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((family.first(), f64::INFINITY))
}

/// A line of the table: how many times the optimum each search takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Who chose.
    pub name: String,
    /// How many times as long as the best way at every level, a number for each search.
    pub slowdowns: Vec<f64>,
}

impl Score {
    /// The part of all searches whose slowdown is more than one number and at most another.
    pub fn share(&self, above: f64, up_to: f64) -> f64 {
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

/// The lines for a model, for the best single way of each graph, and for each way of the model's family.
pub(super) fn scores(searches: &[&Search], model: &Model) -> Vec<Score> {
    let family = model.family();
    let against_optimum = |time: &dyn Fn(&Search) -> f64| {
        searches.iter().map(|search| time(search) / search.optimum(family)).collect::<Vec<f64>>()
    };
    let model_line = Score { name: "model".into(), slowdowns: against_optimum(&|search| search.by_model(model)) };
    let oracle = against_optimum(&|search| search.single(best_single(searches, search.graph(), family)));
    let oracle_line = Score { name: "oracle".into(), slowdowns: oracle };
    let way_line = |way: Way| Score { name: way.to_string(), slowdowns: against_optimum(&|search| search.single(way)) };
    [model_line, oracle_line].into_iter().chain(family.ways().into_iter().map(way_line)).collect()
}

/// The one way that is best for all searches of a graph together.
pub(super) fn best_single(searches: &[&Search], graph: &str, family: Family) -> Way {
    let total = |way: &Way| -> f64 {
        searches.iter().filter(|search| search.graph() == graph).map(|search| search.single(*way)).sum()
    };
    let ways = family.ways().into_iter();
    ways.min_by(|a, b| total(a).total_cmp(&total(b))).unwrap_or_else(|| family.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_searches() {
        let score = Score { name: "test".into(), slowdowns: vec![1.0, 1.04, 1.5, 2.0, 30.0] };
        assert_eq!([score.share(0.0, 1.05), score.share(1.0, 2.0), score.share(20.0, f64::INFINITY)], [0.4, 0.6, 0.2]);
        assert_eq!((score.average(), score.worst()), (7.108, 30.0));
    }
}
