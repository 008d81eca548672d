//! What nodes are called outside the program. Inside they are 0..n; a file may count from 1, use any numbers it likes, or any names.

use super::Array;
use evenkeel_base::error::nearest;
use rayon::prelude::*;
use serde::Serialize;
use std::{borrow::Cow, fmt};

/// The mapping between node indices (0..n) and a file's own names.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeIds {
    /// Node `i` is called `i + first`: 0 for most formats, 1 for DIMACS, METIS, Matrix Market.
    Counted {
        /// The id of node 0.
        first: u64,
    },
    /// Node `i` is called `ids[i]`, ascending: formats whose ids are arbitrary (LDBC, sparse edge lists).
    Listed(Array<u64>),
    /// Node `i` has the `i`th name: files whose nodes are called anything.
    Named(Names),
}

/// What a node is called. In JSON it is a number or a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NodeName<'a> {
    /// A number that fits 64 bits.
    Number(u64),
    /// Anything else.
    Text(Cow<'a, str>),
}

impl fmt::Display for NodeName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl NodeName<'_> {
    /// Copies the name, so that it outlives the graph.
    pub fn into_owned(self) -> NodeName<'static> {
        match self {
            Self::Number(number) => NodeName::Number(number),
            Self::Text(text) => NodeName::Text(text.into_owned().into()),
        }
    }
}

impl NodeIds {
    /// The ids of nodes listed in ascending order without repetition: counted when they are exactly 0..n or 1..=n.
    pub fn from_ascending(ids: Vec<u64>) -> Self {
        let counts_from = |first: u64| ids.last().is_none_or(|last| *last == first + ids.len() as u64 - 1);
        match ids.first() {
            None | Some(0) if counts_from(0) => Self::Counted { first: 0 },
            Some(1) if counts_from(1) => Self::Counted { first: 1 },
            _ => Self::Listed(ids.into()),
        }
    }

    /// What node `index` is called.
    pub fn name(&self, index: u32) -> NodeName<'_> {
        match self {
            Self::Counted { first } => NodeName::Number(first + u64::from(index)),
            Self::Listed(ids) => NodeName::Number(ids[index as usize]),
            Self::Named(names) => NodeName::Text(names.get(index)),
        }
    }

    /// The node with that name among `nodes` nodes, if there is one.
    pub fn find(&self, name: &str, nodes: u32) -> Option<u32> {
        let number = || name.parse::<u64>().ok();
        let index = match self {
            Self::Counted { first } => number()?.checked_sub(*first)?,
            Self::Listed(ids) => ids.binary_search(&number()?).ok()? as u64,
            Self::Named(names) => names.find(name)?.into(),
        };
        (index < u64::from(nodes)).then_some(index as u32)
    }
}

impl NodeIds {
    /// The name that was probably meant by one that no node has: the same in other capitals, or a misspelt one where there are not too
    /// many to compare.
    #[doc(hidden)]
    pub fn similar(&self, name: &str) -> Option<String> {
        const MOST: u32 = 1 << 16;
        let Self::Named(names) = self else { return None };
        let (count, lower) = (names.ends.len() as u32, name.to_lowercase());
        let is_same = |node: &u32| names.get(*node).to_lowercase() == lower;
        if let Some(node) = (0..count).into_par_iter().find_first(is_same) {
            return Some(names.get(node).into_owned());
        }
        // The search for misspellings leaves aside what follows these.
        let is_word = |name: &str| !name.contains([':', '=', ' ']);
        let words: Vec<Cow<'_, str>> =
            (0..count.min(MOST)).map(|node| names.get(node)).filter(|name| is_word(name)).collect();
        (count <= MOST && is_word(name)).then(|| nearest(name, words.iter().map(|word| &**word)).map(str::to_owned))?
    }
}

/// Names of nodes, in ascending order of their bytes and without repetition, so that one is found without an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    /// All names, one after the other.
    text: Array<u8>,
    /// Where each ends.
    ends: Array<u64>,
}

impl Names {
    /// Names that are in ascending order, without repetition.
    ///
    /// # Panics
    /// When they are not.
    pub fn from_ascending<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        for name in names {
            text.extend_from_slice(name.as_bytes());
            ends.push(text.len() as u64);
        }
        Self::checked(text.into(), ends.into()).expect("the names are in ascending order")
    }

    /// Names as a file holds them; the reason when they are none.
    #[doc(hidden)]
    pub fn checked(text: Array<u8>, ends: Array<u64>) -> Result<Self, &'static str> {
        if ends.last().copied().unwrap_or(0) != text.len() as u64 || !ends.par_windows(2).all(|pair| pair[0] <= pair[1])
        {
            return Err("the names do not end where they should");
        }
        let names = Self { text, ends };
        let count = names.ends.len() as u32;
        if !(0..count).into_par_iter().all(|index| str::from_utf8(names.bytes(index)).is_ok()) {
            return Err("a name is not valid UTF-8");
        }
        if !(1..count).into_par_iter().all(|index| names.bytes(index - 1) < names.bytes(index)) {
            return Err("the names are not in ascending order");
        }
        Ok(names)
    }

    fn bytes(&self, index: u32) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text[begin as usize..self.ends[index as usize] as usize]
    }

    /// The `index`th name.
    pub fn get(&self, index: u32) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(index))
    }

    /// The place of a name, if it is among them.
    pub fn find(&self, name: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len() as u32);
        while low < high {
            let middle = low.midpoint(high);
            if self.bytes(middle) < name.as_bytes() { low = middle + 1 } else { high = middle }
        }
        ((low as usize) < self.ends.len() && self.bytes(low) == name.as_bytes()).then_some(low)
    }

    /// All names one after the other, and where each ends.
    #[doc(hidden)]
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (&self.text, &self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_ids_are_counted_and_others_listed() {
        assert_eq!(NodeIds::from_ascending(vec![]), NodeIds::Counted { first: 0 });
        assert_eq!(NodeIds::from_ascending(vec![0, 1, 2]), NodeIds::Counted { first: 0 });
        assert_eq!(NodeIds::from_ascending(vec![1, 2, 3]), NodeIds::Counted { first: 1 });
        for sparse in [vec![0, 2], vec![1, 3], vec![2, 3], vec![0, u64::MAX]] {
            assert_eq!(NodeIds::from_ascending(sparse.clone()), NodeIds::Listed(sparse.into()));
        }
    }

    #[test]
    fn a_name_leads_to_its_index_and_back() {
        let named = NodeIds::Named(Names::from_ascending(["", "alice", "bob"]));
        for ids in [NodeIds::Counted { first: 1 }, NodeIds::Listed(vec![3, 10, u64::MAX].into()), named] {
            for index in 0..3 {
                assert_eq!(ids.find(&ids.name(index).to_string(), 3), Some(index));
            }
            for missing in ["0", "4", "-1", "al", "alicea", "zoe"] {
                assert_eq!(ids.find(missing, 3), None);
            }
        }
    }

    #[test]
    fn a_name_that_was_meant_is_found() {
        let named = NodeIds::Named(Names::from_ascending(["Alice", "Bob Smith", "carol"]));
        for (name, meant) in [
            ("alice", Some("Alice")),
            ("BOB SMITH", Some("Bob Smith")),
            ("carl", Some("carol")),
            ("Bob", None),
            ("zoe", None),
        ] {
            assert_eq!(named.similar(name).as_deref(), meant, "{name}");
        }
        assert_eq!(NodeIds::Counted { first: 0 }.similar("1"), None);
    }

    #[test]
    fn names_of_a_file_are_checked() {
        let checked = |text: &[u8], ends: &[u64]| Names::checked(text.to_vec().into(), ends.to_vec().into());
        assert!(checked(b"ab", &[1, 2]).is_ok() && checked(b"", &[]).is_ok());
        for (text, ends) in
            [(&b"ab"[..], &[1][..]), (b"ab", &[2, 1]), (b"ba", &[1, 2]), (b"aa", &[1, 2]), (b"\xff", &[1])]
        {
            assert!(checked(text, ends).is_err(), "{text:?} {ends:?}");
        }
    }
}
