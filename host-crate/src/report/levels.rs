//! What training a model came to: how good it is on the graphs that were held out, as the paper's Table 2 has it.

use super::table::table;
use crate::{
    strategy::adaptive::Feature,
    tuning::{Score, Trained},
};
use std::fmt;

impl fmt::Display for Trained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (grown_on, held_out) = (self.grown_on.len(), self.held_out.len());
        let searches = self.scores.first().map_or(0, |score| score.slowdowns.len());
        writeln!(f, "grown on {grown_on} graphs, {} levels", self.levels)?;
        writeln!(f, "held out {held_out} graphs, {searches} searches: {}", self.held_out.join(", "))?;
        writeln!(f, "accuracy {}, the best variant of a level or one as fast to 5 %\n", percent(self.accuracy))?;
        write!(f, "{}", table(&["feature", ">importance"], self.importances()))?;
        writeln!(f, "\nsearches on held-out graphs against the best variant at every level")?;
        let headings = ["chosen by", ">optimal", ">to 5 %", ">1–2×", ">over 5×", ">over 20×", ">average", ">worst"];
        write!(f, "{}", table(&headings, self.scores.iter().map(line)))?;
        writeln!(f, "\nagainst the best single variant of the fifteen on each graph: {:.2}× as fast", self.speedup)?;
        writeln!(f, "the optimum with lists against that of the fifteen: {:.2}× as fast", self.lists_gain)
    }
}

impl Trained {
    /// The features that decide something, the most important first.
    fn importances(&self) -> Vec<Vec<String>> {
        let mut features: Vec<(Feature, f64)> = Feature::ALL.into_iter().zip(self.importance).collect();
        features.retain(|(_, importance)| *importance > 0.0);
        features.sort_by(|a, b| b.1.total_cmp(&a.1));
        features.into_iter().map(|(feature, importance)| vec![feature.name().to_owned(), percent(importance)]).collect()
    }
}

fn line(score: &Score) -> Vec<String> {
    let shares = [(0.0, 1.0), (0.0, 1.05), (1.0, 2.0), (5.0, f64::INFINITY), (20.0, f64::INFINITY)];
    let shares = shares.map(|(above, up_to)| percent(score.share(above, up_to)));
    let factors = [score.average(), score.worst()].map(|factor| format!("{factor:.2}×"));
    [score.name.clone()].into_iter().chain(shares).chain(factors).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
