//! What training a model came to: how good it is on the test graphs, as the paper's Table 2 has it, and level by level.

use super::{Accuracy, LeftOut, SHARES, Score, Split, Trained};
use evenkeel_cli::report::table::table;
use std::fmt;

/// What the columns of Table 2 are called, in the order of [`SHARES`] and of two more.
pub(super) const COLUMNS: [&str; SHARES.len() + 2] =
    ["optimal", "to 5 %", "1–2×", "over 5×", "over 20×", "average", "worst"];

impl fmt::Display for Trained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let searches = self.scores.first().map_or(0, |score| score.slowdowns.len());
        match self.split {
            Split::Graphs => writeln!(
                f,
                "grown on {} graphs, {} levels; {} of the graphs chose the size",
                self.grown_on(),
                self.levels,
                self.tuning.len()
            )?,
            Split::Levels => writeln!(f, "grown on {} levels of {} graphs", self.levels, self.grown_on())?,
        }
        writeln!(f, "at most {} decisions, a leaf for 1 of {} graphs", self.size.depth, self.size.one_graph_of)?;
        match self.split {
            Split::Graphs => {
                writeln!(f, "tested on {} graphs, {searches} searches: {}", self.test.len(), self.test.join(", "))?;
            }
            Split::Levels => writeln!(f, "tested on the other {} levels of these graphs", self.accuracy.levels)?,
        }
        let within = percent(self.accuracy.within_5_percent);
        writeln!(f, "accuracy {within}, the best variant of a level or one as fast to 5 %\n")?;
        let importance =
            self.importance.iter().map(|(feature, share)| vec![feature.name().to_owned(), percent(*share)]);
        write!(f, "{}", table(&["feature", ">importance"], importance))?;
        let judged = self.judged();
        writeln!(f, "\nsearches on {judged} against the best variant at every level")?;
        let right = COLUMNS.map(|column| format!(">{column}"));
        let headings: Vec<&str> = ["chosen by"].into_iter().chain(right.iter().map(String::as_str)).collect();
        write!(f, "{}", table(&headings, self.scores.iter().map(line)))?;
        let these = if self.split == Split::Graphs { "levels of these searches" } else { "levels to test" };
        writeln!(f, "\n{these}: how often the variant is the best, and what the others add to the average")?;
        let headings = ["level", ">levels", ">best", ">to 5 %", ">longer", ">lost"];
        let rows = self.accuracy_by_phase.iter().chain(&self.accuracy_by_level);
        write!(f, "{}", table(&headings, rows.map(accuracy)))?;
        if !self.left_out.is_empty() {
            writeln!(f, "\neach collection by a tree that was grown without it")?;
            let headings = ["collection", ">graphs", ">to 5 %", ">average", ">worst", ">oracle", ">oracle's worst"];
            write!(f, "{}", table(&headings, self.left_out.iter().map(left_out)))?;
        }
        writeln!(f, "\nagainst the best single variant of the fifteen on each graph: {:.2}× as fast", self.speedup)?;
        writeln!(f, "the optimum with lists against that of the fifteen: {:.2}× as fast", self.lists_gain)
    }
}

impl Trained {
    /// How many graphs the model was grown on.
    pub fn grown_on(&self) -> usize {
        match self.split {
            Split::Graphs => self.training.len() + self.tuning.len(),
            Split::Levels => self.training.len(),
        }
    }

    /// The graphs whose searches are scored.
    pub(super) fn judged(&self) -> &'static str {
        if self.split == Split::Graphs { "test graphs" } else { "all graphs" }
    }
}

fn line(score: &Score) -> Vec<String> {
    let shares = SHARES.map(|(_, range)| percent(score.share(range)));
    let factors = [score.average(), score.worst()].map(times);
    [score.name.clone()].into_iter().chain(shares).chain(factors).collect()
}

fn accuracy(accuracy: &Accuracy) -> Vec<String> {
    let shares = [accuracy.best, accuracy.within_5_percent, accuracy.slower, accuracy.lost].map(percent);
    [accuracy.name.clone(), accuracy.levels.to_string()].into_iter().chain(shares).collect()
}

fn left_out(it: &LeftOut) -> Vec<String> {
    let factors = it.scores.iter().flat_map(|score| [score.average(), score.worst()].map(times));
    [it.collection.clone(), it.graphs.to_string(), percent(it.within_5_percent)].into_iter().chain(factors).collect()
}

fn times(factor: f64) -> String {
    format!("{factor:.2}×")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
