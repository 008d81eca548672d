//! The strategies or schedules that an algorithm can be run with, as listings show them.

use crate::{
    engine::schedule::{self, Choice},
    strategy::{self, About, Operator},
};

/// A strategy or schedule that can be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Whether the CPU device can count the atoms that each invocation takes under it.
    pub counted: bool,
}

impl Alternative {
    /// One that cannot be counted.
    pub fn new(name: &str, paper: &'static str, summary: &'static str) -> Self {
        Self { name: name.to_owned(), paper, summary, counted: false }
    }

    /// The strategies of a traversal.
    pub(super) fn strategies(operator: Operator) -> Vec<Self> {
        let alternative = |strategy: About| Self {
            name: strategy.name.to_owned(),
            paper: strategy.paper,
            summary: strategy.summary,
            counted: strategy::counted(operator).any(|counted| counted.name == strategy.name),
        };
        strategy::of(operator).map(alternative).collect()
    }

    /// The schedules of a gather over rows.
    pub(super) fn schedules(counted: bool) -> Vec<Self> {
        let described = |choice: Choice| {
            let name = choice.to_string();
            let schedule = choice.schedule.implementation();
            let (paper, summary) = (schedule.paper(), schedule.summary());
            Self { name, paper, summary, counted }
        };
        let by_rows = [
            (schedule::AUTO, "", "whichever of these suits the rows and the device"),
            (schedule::PAPER, "Osama et al.", "merge-path, and for small matrices thread- or group-mapped"),
        ]
        .map(|(name, paper, summary)| Self { counted, ..Self::new(name, paper, summary) });
        Choice::all().into_iter().map(described).chain(by_rows).collect()
    }
}

/// What a listing says below the schedules.
pub(super) const SCHEDULES_NOTE: &str =
    "A node is a row of the matrix, an edge an entry. group-mapped:SIZE has groups of another size than 32.";
