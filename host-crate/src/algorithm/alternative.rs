//! The strategies or schedules that an algorithm can be run with.

use super::{FrontEnd, Visitor, visit};
use crate::{
    engine::schedule::RowSchedule,
    settings::{Configurable, Registry},
    strategy::{self, About, Strategy},
};

/// A strategy or schedule as a configuration holds it. The default one is taken unless another is asked for.
pub trait Selectable: Configurable + Default {
    /// What it is called, as the option that chooses one is: `strategy` or `schedule`.
    const KIND: &'static str;
    /// The help text of that option.
    const HELP: &'static str;
    /// The heading in a listing. Algorithms whose alternatives have the same heading share one table.
    const HEADING: &'static str = Self::KIND;
    /// What is said below that table; empty for nothing.
    const NOTE: &'static str = "";

    /// All with their default settings, in the order they are listed.
    fn all() -> Vec<Self>;

    /// Describes it; the same for all settings.
    fn about(&self) -> About;

    /// Whether its atoms can be counted, if the algorithm counts any.
    fn is_counted(&self) -> bool {
        true
    }
}

/// A strategy or schedule that an algorithm can be run with, as listings show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its name and what is said of it.
    pub about: About,
    /// Whether the CPU device can count the atoms that each invocation takes under it.
    pub counted: bool,
}

/// Every algorithm is a registry of the strategies or schedules that it takes.
impl<A: FrontEnd> Registry for A {
    type Item = A::Alternative;
    const KIND: &'static str = A::Alternative::KIND;
    const HELP: &'static str = <A::Alternative as Selectable>::HELP;

    fn items() -> Vec<Self::Item> {
        Selectable::all().into_iter().filter(A::takes).collect()
    }

    fn default_item() -> Self::Item {
        Default::default()
    }

    fn elsewhere(name: &str) -> Option<String> {
        let mut owners = Owners { name, found: Vec::new() };
        visit(&mut owners);
        let (kind, algorithms) = (owners.found.first()?.0, owners.found.iter().map(|(_, algorithm)| *algorithm));
        Some(format!("{name} is a {kind} of {}", algorithms.collect::<Vec<_>>().join(" and ")))
    }
}

/// The algorithms that have an alternative of this name, and what it is called there.
struct Owners<'a> {
    name: &'a str,
    found: Vec<(&'static str, &'static str)>,
}

impl Visitor for Owners<'_> {
    fn visit<A: FrontEnd>(&mut self) {
        if A::alternatives().iter().any(|alternative| alternative.about.name == self.name) {
            self.found.push((A::Alternative::KIND, A::ABOUT.name));
        }
    }
}

impl Selectable for Box<dyn Strategy> {
    const KIND: &'static str = "strategy";
    const HELP: &'static str =
        "How edges are handed to invocations: a name from `evenkeel strategies`, and settings behind a colon";

    fn all() -> Vec<Self> {
        strategy::items()
    }

    fn about(&self) -> About {
        (**self).about()
    }

    fn is_counted(&self) -> bool {
        (**self).is_counted()
    }
}

impl Selectable for RowSchedule {
    const KIND: &'static str = "schedule";
    const HELP: &'static str = "Who does which part: a schedule's name, group-mapped:SIZE, auto, which looks at the rows, \
                                or paper, which looks at the size of the matrix";
    const NOTE: &'static str =
        "A node is a row of the matrix, an edge an entry. group-mapped:SIZE has groups of another size than 32.";

    fn all() -> Vec<Self> {
        Self::all()
    }

    fn about(&self) -> About {
        let (paper, summary) = match self {
            Self::Fixed(choice) => {
                let schedule = choice.schedule.implementation();
                (schedule.paper(), schedule.summary())
            }
            Self::Auto => ("", "whichever of these suits the rows and the device"),
            Self::Paper(_) => ("Osama et al.", "merge-path, and for small matrices thread- or group-mapped"),
        };
        About::new(self.name(), paper, summary)
    }

    /// What is chosen on the CPU device may be no schedule at all.
    fn is_counted(&self) -> bool {
        *self != Self::Auto
    }
}
