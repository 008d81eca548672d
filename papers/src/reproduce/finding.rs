//! What a paper says, and what was found.

use super::results::Results;
use evenkeel_cli::report::html::{Chart, Data};

/// A figure or table of a paper, and what was measured for it.
pub struct Part {
    /// Its name as a file: `fig7`.
    pub name: &'static str,
    /// What the paper calls it and what it shows.
    pub title: String,
    /// What must be known to read it.
    pub text: String,
    /// The numbers.
    pub data: Data,
    /// The picture, if there is something to draw.
    pub chart: Option<Chart>,
    /// What the paper concludes from it.
    pub findings: Vec<Finding>,
}

/// A sentence of a paper, and what became of it.
pub struct Finding {
    /// What the paper says.
    pub says: &'static str,
    /// The numbers behind the verdict.
    pub here: String,
    /// Whether it holds here; none where what it needs was not measured.
    pub holds: Option<bool>,
}

impl Finding {
    /// A sentence that holds if the number is in the range that it states, or says it is.
    pub fn new(says: &'static str, measured: Option<(bool, String)>) -> Self {
        match measured {
            Some((holds, here)) => Self { says, here, holds: Some(holds) },
            None => Self { says, here: "not measured".into(), holds: None },
        }
    }

    /// The verdict in a word.
    pub fn verdict(&self) -> &'static str {
        match self.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not measured",
        }
    }
}

/// The fastest of some strategies in an experiment, with its time.
pub fn fastest<'a>(results: &Results, experiment: &str, strategies: &[&'a str]) -> Option<(&'a str, f64)> {
    let times = strategies.iter().filter_map(|strategy| Some((*strategy, results.time(experiment, strategy)?)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// By how much the second is less than the first, of the first.
pub fn less(first: f64, second: f64) -> f64 {
    1.0 - second / first
}

/// A share in whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
