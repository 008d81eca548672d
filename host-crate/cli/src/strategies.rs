//! `evenkeel strategies [ALGORITHM]`.

use super::{output::print, registry};
use crate::report::table::table;
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{self, Alternative, Described, Handle},
    strategy::About,
};

const EXAMPLES: &str = "\
Examples:
  evenkeel strategies
  evenkeel strategies sssp";

/// List the strategies: how the edges of a graph are handed to a GPU's invocations.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Strategies {
    /// Only those that this algorithm can take.
    algorithm: Option<String>,
}

/// The alternatives of all algorithms with the same heading.
struct Listing {
    heading: &'static str,
    note: &'static str,
    alternatives: Vec<Alternative>,
}

impl Strategies {
    pub fn execute(&self) -> anyhow::Result<()> {
        let algorithms: Vec<&dyn Handle> = match &self.algorithm {
            Some(name) => vec![algorithm::named(name).map_err(|_| registry::unknown(name, algorithm::all()))?],
            None => algorithm::all().collect(),
        };
        let row = |algorithm: &&dyn Handle| {
            let Described { name, alternative, summary, .. } = algorithm.described();
            [name, alternative, summary].map(str::to_owned).to_vec()
        };
        print(&table(&["algorithm", "takes a", "what it computes"], algorithms.iter().map(row)))?;
        listings(&algorithms).iter().try_for_each(Listing::print)?;
        Ok(())
    }
}

fn listings(algorithms: &[&dyn Handle]) -> Vec<Listing> {
    let mut listings: Vec<Listing> = Vec::new();
    for algorithm in algorithms {
        let (Described { heading, note, .. }, alternatives) = (algorithm.described(), algorithm.alternatives());
        match listings.iter_mut().find(|listing| listing.heading == heading) {
            Some(listing) => listing.merge(alternatives),
            None => listings.push(Listing { heading, note, alternatives }),
        }
    }
    listings
}

impl Listing {
    /// Adds what is missing, each after the one that precedes it in its own list.
    fn merge(&mut self, alternatives: Vec<Alternative>) {
        let mut place = 0;
        for alternative in alternatives {
            match self.alternatives.iter().position(|known| known.about.name == alternative.about.name) {
                Some(known) => place = known + 1,
                None => {
                    self.alternatives.insert(place, alternative);
                    place += 1;
                }
            }
        }
    }

    fn print(&self) -> Result<()> {
        let row = |&Alternative { about: About { name, paper, summary, cpu_only }, .. }: &Alternative| {
            let device = if cpu_only { ", on the CPU device alone" } else { "" };
            vec![name.to_owned(), paper.to_owned(), format!("{summary}{device}")]
        };
        print(&format!("\n{}", table(&[self.heading, "from", "what it does"], self.alternatives.iter().map(row))))?;
        match self.note {
            "" => Ok(()),
            note => print(&format!("\n{note}\n")),
        }
    }
}
