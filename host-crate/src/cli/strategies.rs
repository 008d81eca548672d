//! `evenkeel strategies [ALGORITHM]`.

use super::{output::print, task::Task};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{ALGORITHMS, Algorithm, Apsp, Bfs, Color, Sssp, apsp, color},
    engine::schedule::Choice,
    report::table::table,
    strategy::{Operator, STRATEGIES, Strategy},
};

const MATRICES: &str = "
A node is a row of the matrix, an edge an entry. group-mapped:SIZE has groups of another size than 32.
";

const COLORS: &str = "
random and hybrid also run under a schedule, as random:merge-path or hybrid:group-mapped:8.
";

/// List the strategies: how the edges of a graph are handed to a GPU's invocations.
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
        print(&table(
            &["algorithm", "takes a", "what it computes"],
            algorithms.iter().map(|algorithm| row(algorithm)),
        ))?;
        let of_the_model: Vec<String> = Choice::all().iter().map(Choice::to_string).collect();
        let schedule = |strategy: &&Strategy| of_the_model.iter().any(|name| name == strategy.name);
        let taken = |strategy: &&Strategy| algorithms.iter().any(|algorithm| takes(algorithm, strategy));
        if algorithms.iter().any(|algorithm| is_traversal(algorithm)) {
            list("strategy", STRATEGIES.iter().filter(taken))?;
        }
        if algorithms.iter().any(|algorithm| is_all_pairs(algorithm)) {
            let rows = apsp::STRATEGIES.map(|row| row.map(str::to_owned).to_vec());
            print(&format!("\n{}", table(&["for all pairs", "from", "what it does"], rows.into_iter())))?;
        }
        if algorithms.iter().any(|algorithm| takes_schedule(algorithm)) {
            list("schedule", STRATEGIES.iter().filter(schedule))?;
            print(MATRICES)?;
        }
        if algorithms.iter().any(|algorithm| algorithm.name == Color::ALGORITHM) {
            print(&format!("\n{}{COLORS}", colorings()))?;
        }
        Ok(())
    }
}

/// Colouring and all pairs take strategies of their own kinds.
fn takes_schedule(algorithm: &Algorithm) -> bool {
    !is_traversal(algorithm) && !is_all_pairs(algorithm) && algorithm.name != Color::ALGORITHM
}

/// Traversals take a whole strategy, worklist and all; what has no worklist takes a schedule.
fn is_traversal(algorithm: &Algorithm) -> bool {
    [Bfs::ALGORITHM, Sssp::ALGORITHM].contains(&algorithm.name)
}

/// All pairs have strategies of their own.
fn is_all_pairs(algorithm: &Algorithm) -> bool {
    algorithm.name == Apsp::ALGORITHM
}

/// Whether a traversal can take that strategy.
fn takes(algorithm: &Algorithm, strategy: &Strategy) -> bool {
    let operator = if algorithm.name == Bfs::ALGORITHM { Operator::Bfs } else { Operator::SsspU32 };
    is_traversal(algorithm) && strategy.operators.contains(&operator)
}

fn row(algorithm: &Algorithm) -> Vec<String> {
    let takes = if takes_schedule(algorithm) { "schedule" } else { "strategy" };
    [algorithm.name, takes, algorithm.summary].map(str::to_owned).to_vec()
}

fn list<'a>(choice: &str, strategies: impl Iterator<Item = &'a Strategy>) -> Result<()> {
    let rows = strategies.map(|strategy| [strategy.name, strategy.paper, strategy.summary].map(str::to_owned).to_vec());
    print(&format!("\n{}", table(&[choice, "from", "what it does"], rows)))
}

fn colorings() -> String {
    let row = |strategy: &color::ColorStrategy| [strategy.name, strategy.paper, strategy.summary].map(str::to_owned);
    table(&["colouring", "from", "what it does"], color::STRATEGIES.iter().map(|strategy| row(strategy).to_vec()))
}

fn by_name(name: &str) -> Result<&'static Algorithm> {
    ALGORITHMS.iter().find(|algorithm| algorithm.name == name).ok_or_else(|| Error::UnknownName {
        kind: "algorithm",
        name: name.to_owned(),
        known: ALGORITHMS.iter().map(|algorithm| algorithm.name.to_owned()).collect(),
    })
}
