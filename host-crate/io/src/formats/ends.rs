//! Nodes that a file calls numbers or anything else. As long as all of them are whole numbers as one writes them (`12`, not `012`),
//! they are numbers, whether or not the file has them between quotation marks; one that is not makes all of them names.

use super::{
    Listing, Loaded,
    batch::{self, Batch},
    compact,
    lines::{Text, shown},
    names::{self, PieceNames},
    weight::Weight,
};
use evenkeel_base::Result;
use evenkeel_graph::{EdgeWeights, csr::MOST_NODES};
use rayon::prelude::*;
use std::{borrow::Cow, mem::replace};

/// What an edge's end is called.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Id<'a> {
    Number(u64),
    Name(Cow<'a, str>),
}

impl<'a> Id<'a> {
    /// A name, or the number that it is.
    pub fn of_text(text: Cow<'a, str>) -> Self {
        canonical(text.as_bytes()).map_or(Self::Name(text), Self::Number)
    }

    /// A whole number; below 0, it is a name.
    pub fn of_whole(whole: i64) -> Self {
        u64::try_from(whole).map_or_else(|_| Self::Name(whole.to_string().into()), Self::Number)
    }
}

/// A number as one writes it: digits that fit 64 bits, without a zero before them.
pub(super) fn canonical(text: &[u8]) -> Option<u64> {
    match text {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if text.len() <= 20 && text.iter().all(u8::is_ascii_digit) => lexical_core::parse(text).ok(),
        _ => None,
    }
}

/// Nodes in the order in which their names first occur.
pub(super) struct NodeNames<'a> {
    names: PieceNames<'a>,
    /// The names as numbers, as long as all are.
    numbers: Option<Vec<u64>>,
}

impl Default for NodeNames<'_> {
    fn default() -> Self {
        Self { names: PieceNames::default(), numbers: Some(Vec::new()) }
    }
}

impl<'a> NodeNames<'a> {
    /// The index of a name, which is added if it is new; the reason when there are too many.
    pub fn index(&mut self, name: Cow<'a, str>) -> Result<u32, String> {
        if let Some(index) = self.names.known(name.as_bytes()) {
            return Ok(index);
        }
        if self.names.len() as u64 >= MOST_NODES {
            return Err("there are more nodes than 32-bit indices allow".to_owned());
        }
        if let Some(numbers) = &mut self.numbers {
            match canonical(name.as_bytes()) {
                Some(number) => numbers.push(number),
                None => self.numbers = None,
            }
        }
        let bytes = match name {
            Cow::Borrowed(name) => Cow::Borrowed(name.as_bytes()),
            Cow::Owned(name) => Cow::Owned(name.into_bytes()),
        };
        self.names.number(bytes).map_err(|error| error.to_string())
    }

    /// Returns the number of a name, which is copied if it is new.
    pub fn copied(&mut self, name: &str) -> Result<u32, String> {
        match self.names.known(name.as_bytes()) {
            Some(index) => Ok(index),
            None => self.index(Cow::Owned(name.to_owned())),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name with an index, as an error shows it.
    pub fn shown(&self, index: u32) -> String {
        shown(self.names.name(index).unwrap_or_default())
    }

    /// Makes a graph of edges between these nodes, all of which are in it.
    pub fn load(self, text: Text<'_>, edges: Batch<u32>, listing: Listing) -> Result<Loaded> {
        let Some(numbers) = self.numbers else {
            return names::load(text, vec![(self.names, edges)], listing);
        };
        let number = |ends: Vec<u32>| ends.into_iter().map(|index| numbers[index as usize]).collect();
        let (sources, targets) = (number(edges.sources), number(edges.targets));
        let rounding = edges.rounding;
        compact::load(text, Batch { sources, targets, weights: edges.weights, rounding }, &numbers, listing)
    }
}

/// The edges of a piece of a table.
pub(super) enum Ends<'a> {
    Numbers(Batch<u64>),
    Names(PieceNames<'a>, Batch<u32>),
}

impl<'a> Ends<'a> {
    /// No edges yet, of some `bytes` bytes of text, with a column of weights, which is empty, or none.
    pub fn new(bytes: usize, weights: EdgeWeights) -> Self {
        Self::Numbers(Batch::new(bytes, weights))
    }

    /// Makes room for so many more edges. A file may claim any number, so only as many as a few megabytes hold are believed.
    #[cfg(feature = "tables")]
    pub fn reserve(&mut self, edges: usize) {
        const MOST: usize = 1 << 22;
        if let Self::Numbers(batch) = self {
            batch.sources.reserve(edges.min(MOST));
            batch.targets.reserve(edges.min(MOST));
        }
    }

    /// Adds the weight of an edge, which is at this place of the file.
    #[inline]
    pub fn push_weight(&mut self, weight: Weight, place: usize) {
        match self {
            Self::Numbers(batch) => batch.push_weight(weight, place),
            Self::Names(_, batch) => batch.push_weight(weight, place),
        }
    }

    /// Adds an edge without its weight.
    #[inline]
    pub fn push(&mut self, source: Id<'a>, target: Id<'a>) {
        if let (Self::Numbers(batch), Id::Number(source), Id::Number(target)) = (&mut *self, &source, &target) {
            batch.sources.push(*source);
            batch.targets.push(*target);
            return;
        }
        self.become_names();
        if let Self::Names(names, batch) = self {
            batch.sources.push(number_of(names, source));
            batch.targets.push(number_of(names, target));
        }
    }

    /// Turns numbers into names.
    pub fn become_names(&mut self) {
        if let Self::Numbers(batch) = self {
            let (names, batch) = named(replace(batch, Batch::new(0, EdgeWeights::None)));
            *self = Self::Names(names, batch);
        }
    }
}

/// The number of a name in a piece.
fn number_of<'a>(names: &mut PieceNames<'a>, id: Id<'a>) -> u32 {
    let bytes = match id {
        Id::Number(number) => Cow::Owned(number.to_string().into_bytes()),
        Id::Name(Cow::Borrowed(name)) => Cow::Borrowed(name.as_bytes()),
        Id::Name(Cow::Owned(name)) => Cow::Owned(name.into_bytes()),
    };
    // A string is UTF-8, so that the default is never taken.
    names.number(bytes).unwrap_or_default()
}

/// Edges between names.
fn named<'a>(batch: Batch<u64>) -> (PieceNames<'a>, Batch<u32>) {
    let mut names = PieceNames::default();
    let mut named = |ends: Vec<u64>| ends.into_iter().map(|end| number_of(&mut names, Id::Number(end))).collect();
    let (sources, targets) = (named(batch.sources), named(batch.targets));
    (names, Batch { sources, targets, weights: batch.weights, rounding: batch.rounding })
}

/// Makes a graph of the edges of all pieces.
pub(super) fn load(text: Text<'_>, pieces: Vec<Ends<'_>>, listing: Listing) -> Result<Loaded> {
    if pieces.iter().all(|piece| matches!(piece, Ends::Numbers(_))) {
        let batches =
            pieces.into_iter().filter_map(|piece| if let Ends::Numbers(it) = piece { Some(it) } else { None });
        return compact::load(text, batch::join(batches.collect())?, &[], listing);
    }
    let pieces = pieces.into_par_iter().map(|piece| match piece {
        Ends::Numbers(batch) => named(batch),
        Ends::Names(names, batch) => (names, batch),
    });
    names::load(text, pieces.collect(), listing)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{edges, edges_of},
        *,
    };
    use evenkeel_graph::{Names, NodeIds};

    fn loaded(pieces: &[&[(&'static str, &'static str)]]) -> super::super::Parsed {
        let text = Text { path: "test".as_ref(), bytes: b"" };
        let pieces = pieces.iter().map(|piece| {
            let mut ends = Ends::new(0, EdgeWeights::None);
            for (source, target) in *piece {
                ends.push(Id::of_text((*source).into()), Id::of_text((*target).into()));
            }
            ends
        });
        edges_of(load(text, pieces.collect(), Listing::Directed).unwrap())
    }

    #[test]
    fn nodes_are_numbers_as_long_as_all_are() {
        let numbers = loaded(&[&[("10", "9")], &[("9", "18446744073709551615")]]);
        assert_eq!(numbers.ids, NodeIds::Listed(vec![9, 10, u64::MAX].into()));
        assert_eq!(edges(&numbers), [(1, 0), (0, 2)]);
    }

    #[test]
    fn one_name_makes_all_of_them_names() {
        for name in ["x", "010", "-1", "", "+1", "1.0", "18446744073709551616"] {
            let named = loaded(&[&[("9", "8")], &[("8", name), ("8", "9")]]);
            let mut names = ["9", "8", name];
            names.sort_unstable();
            assert_eq!(named.ids, NodeIds::Named(Names::from_ascending(names)), "{name}");
            let place = |wanted: &str| names.iter().position(|name| *name == wanted).unwrap() as u32;
            assert_eq!(edges(&named), [(place("9"), place("8")), (place("8"), place(name)), (place("8"), place("9"))]);
        }
    }
}
