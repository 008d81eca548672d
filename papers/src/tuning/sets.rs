//! What trees are grown on, what their size is chosen by, and what judges them: graphs by their names, or levels one by one.

use super::{
    options::{Split, Training},
    score::Solved,
    table::Row,
};
use evenkeel::{Error, Result, graph::generate::random::mix, strategy::adaptive::Feature};
use std::collections::{BTreeMap, BTreeSet};

/// The graphs out of ten that are kept for the choice of the size; as many are kept for the test.
const OF_TEN: usize = 2;

/// The levels out of ten that are for the test, which is the paper's division, and those of the others that are for the choice of the size.
const TEST_OF_TEN: u64 = 3;
const TUNING_OF_TEN: u64 = 2;

/// The collection and the name of a graph.
pub(super) type Id<'a> = (&'a str, &'a str);

/// What a level is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Growing the trees among which the size is chosen.
    Training,
    /// Choosing the size. The model is then grown on both.
    Tuning,
    /// Judging the model.
    Test,
}

/// How levels are divided.
pub(super) enum Sets<'a> {
    /// By their graphs.
    Graphs {
        /// Those that trees are grown on to find the best size.
        training: Vec<Id<'a>>,
        /// Those that the size is chosen by.
        tuning: Vec<Id<'a>>,
        /// Those that judge the model.
        test: Vec<Id<'a>>,
        /// What each graph is for.
        parts: BTreeMap<Id<'a>, Part>,
    },
    /// Each by itself, by a seed.
    Levels {
        /// The seed.
        seed: u64,
        /// All graphs.
        graphs: Vec<Id<'a>>,
    },
}

impl<'a> Sets<'a> {
    /// Divides what was asked for.
    pub fn divide(graphs: &[Id<'a>], held_out: Option<&str>, training: &Training) -> Result<Self> {
        if training.split == Split::Graphs {
            return Self::by_graphs(graphs, held_out, training.seed);
        }
        if held_out.is_some() {
            let reason = "a collection is left out as a whole, which --split levels does not do: leave out one of them";
            return Err(Error::Usage(reason.into()));
        }
        Ok(Self::Levels { seed: training.seed, graphs: graphs.to_vec() })
    }

    /// Divides graphs by a seed; those of a collection that is held out are the test.
    fn by_graphs(graphs: &[Id<'a>], held_out: Option<&str>, seed: u64) -> Result<Self> {
        let mut places: Vec<usize> = (0..graphs.len()).collect();
        places.sort_by_key(|place| mix(mix(seed).wrapping_add(*place as u64)));
        let shuffled = places.into_iter().map(|place| graphs[place]);
        let share = |count: usize| (count * OF_TEN / 10).max(1);
        let (test, mut rest): (Vec<_>, Vec<_>) = match held_out {
            Some(held_out) => shuffled.partition(|(collection, _)| *collection == held_out),
            None => {
                let mut test: Vec<_> = shuffled.collect();
                let rest = test.split_off(share(test.len()).min(test.len()));
                (test, rest)
            }
        };
        if test.is_empty() || rest.len() < 2 {
            let reason = "trees are grown on some graphs, their size is chosen by others, and yet others judge \
                          them: give at least three, of which two are not held out";
            return Err(Error::Usage(reason.into()));
        }
        let training = rest.split_off(share(graphs.len()).min(rest.len() - 1));
        let for_part = |graphs: &[Id<'a>], part: Part| graphs.iter().map(|graph| (*graph, part)).collect::<Vec<_>>();
        let parts = [(&training, Part::Training), (&rest, Part::Tuning), (&test, Part::Test)];
        let parts = parts.into_iter().flat_map(|(graphs, part)| for_part(graphs, part)).collect();
        Ok(Self::Graphs { training, tuning: rest, test, parts })
    }

    /// What a level of a graph is for.
    pub fn part(&self, row: &Row) -> Part {
        match self {
            // All graphs have a part; one that has none judges.
            Self::Graphs { parts, .. } => {
                parts.get(&(row.collection.as_str(), row.graph.as_str())).copied().unwrap_or(Part::Test)
            }
            Self::Levels { seed, .. } => match drawn(*seed, row) {
                place if place < TEST_OF_TEN => Part::Test,
                place if place < TEST_OF_TEN + TUNING_OF_TEN => Part::Tuning,
                _ => Part::Training,
            },
        }
    }

    /// The searches of the graphs that a part is of, whole; where levels are divided, all searches have levels of all parts.
    pub fn searches<'s>(&self, searches: &'s [Solved<'a>], of: &[Part]) -> Vec<&'s Solved<'a>> {
        let is_in = |search: &&Solved<'a>| match self {
            Self::Graphs { .. } => of.contains(&self.part(&search.rows[0])),
            Self::Levels { .. } => true,
        };
        searches.iter().filter(is_in).collect()
    }

    /// The names of the graphs of a part; where levels are divided, all have levels of all parts.
    pub fn graphs(&self, of: Part) -> &[Id<'a>] {
        match (self, of) {
            (Self::Graphs { training, .. }, Part::Training) => training,
            (Self::Graphs { tuning, .. }, Part::Tuning) => tuning,
            (Self::Graphs { test, .. }, Part::Test) => test,
            (Self::Levels { graphs, .. }, _) => graphs,
        }
    }

    /// How many graphs trees are grown on until their size is chosen, and then.
    pub fn grown_on(&self) -> [usize; 2] {
        match self {
            Self::Graphs { training, tuning, .. } => [training.len(), training.len() + tuning.len()],
            Self::Levels { graphs, .. } => [graphs.len(); 2],
        }
    }
}

/// A number below ten for a level, by what the level is and not by its place in a table.
fn drawn(seed: u64, row: &Row) -> u64 {
    let names = row.collection.bytes().chain([0]).chain(row.graph.bytes());
    let of_search = names.fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte)));
    let edges = row.features.get(Feature::Edges) as u64;
    [edges, row.source, row.level.into()].into_iter().fold(of_search, |hash, number| mix(hash ^ number)) % 10
}

/// The graphs of searches, sorted.
pub(super) fn graphs<'a>(searches: impl IntoIterator<Item = &'a Solved<'a>>) -> Vec<Id<'a>> {
    BTreeSet::from_iter(searches.into_iter().map(|search| search.graph())).into_iter().collect()
}
