//! `evenkeel strategies [ALGORITHM]`.

use super::output::print;
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{ALGORITHMS, Algorithm},
    report::table::table,
    strategy::STRATEGIES,
};

/// List the strategies: how the edges of a traversal are handed to a GPU's invocations.
#[derive(Args)]
pub struct Strategies {
    /// Only those that this algorithm can take.
    algorithm: Option<String>,
}

impl Strategies {
    pub fn execute(&self) -> anyhow::Result<()> {
        let algorithms = match &self.algorithm {
            Some(name) => vec![by_name(name)?],
            None => ALGORITHMS.iter().collect(),
        };
        let list = |algorithm: &&Algorithm| vec![algorithm.name.to_owned(), algorithm.summary.to_owned()];
        let strategies = STRATEGIES.iter().map(|s| [s.name, s.paper, s.summary].map(str::to_owned).to_vec());
        print(&table(&["algorithm", "what it computes"], algorithms.iter().map(list)))?;
        print(&format!("\n{}", table(&["strategy", "from", "what it does"], strategies)))?;
        Ok(())
    }
}

fn by_name(name: &str) -> Result<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name).ok_or_else(|| Error::UnknownName {
        kind: "algorithm",
        name: name.to_owned(),
        known: ALGORITHMS.iter().map(|algorithm| algorithm.name.to_owned()).collect(),
    })
}
