//! Arbitrary 64-bit ids made dense: the ids that occur, in ascending order, become the nodes 0..n.
//!
//! Where ids lie close together a bit for each possible id marks those that occur, and the rank of a bit is the node; where
//! they are far apart the ids are sorted and searched.

use super::{
    Listing, Loaded,
    batch::{Batch, check_nodes},
    lines::Text,
};
use evenkeel_base::Result;
use evenkeel_graph::NodeIds;
use rayon::prelude::*;
use std::{
    mem::replace,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

// A bit map of this many bits for each id given is no larger than the ids themselves.
const BITS_PER_ID: u64 = 64;

pub(super) enum Occurring {
    /// A bit for each id from 0, and the number of bits before each word.
    Marked { words: Vec<u64>, before: Vec<u32> },
    /// Ascending, without repetition.
    Sorted(Vec<u64>),
}

impl Occurring {
    /// The ids that occur in any of `lists`; each may occur any number of times.
    pub fn new(text: Text<'_>, lists: &[&[u64]]) -> Result<Self> {
        let given: u64 = lists.iter().map(|list| list.len() as u64).sum();
        let highest = lists.par_iter().flat_map(|list| list.par_iter()).copied().max();
        let occurring = match highest {
            Some(highest) if highest / BITS_PER_ID <= given => Self::marked(lists, highest),
            _ => {
                let mut ids = lists.concat();
                ids.par_sort_unstable();
                ids.dedup();
                Self::Sorted(ids)
            }
        };
        let nodes = match &occurring {
            Self::Marked { words, .. } => words.par_iter().map(|word| u64::from(word.count_ones())).sum(),
            Self::Sorted(ids) => ids.len() as u64,
        };
        check_nodes(text, nodes).map(|()| occurring)
    }

    fn marked(lists: &[&[u64]], highest: u64) -> Self {
        let words: Vec<AtomicU64> = (0..=highest / 64).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        lists.par_iter().flat_map(|list| list.par_iter()).for_each(|id| {
            let (word, bit) = (&words[(id / 64) as usize], 1 << (id % 64));
            // Most ids occur often; looking first keeps the word shared between cores.
            if word.load(Relaxed) & bit == 0 {
                word.fetch_or(bit, Relaxed);
            }
        });
        let words: Vec<u64> = words.into_iter().map(AtomicU64::into_inner).collect();
        // Past the limit of nodes the sum is meaningless, and `new` refuses the set.
        let add = |sum: &mut u32, word: &u64| Some(replace(sum, sum.wrapping_add(word.count_ones())));
        let before = words.iter().scan(0, add).collect();
        Self::Marked { words, before }
    }

    /// The node with this id, if it occurs.
    #[inline]
    pub fn index(&self, id: u64) -> Option<u32> {
        match self {
            Self::Marked { words, before } => {
                let word = *words.get(usize::try_from(id / 64).ok()?)?;
                let bit = 1_u64 << (id % 64);
                (word & bit != 0).then(|| before[(id / 64) as usize] + (word & (bit - 1)).count_ones())
            }
            Self::Sorted(ids) => ids.binary_search(&id).ok().map(|index| index as u32),
        }
    }

    /// The ids, and how many there are.
    pub fn into_ids(self) -> (NodeIds, u32) {
        let ids = match self {
            Self::Sorted(ids) => ids,
            Self::Marked { words, .. } => (0_u64..)
                .zip(words)
                .flat_map(|(index, word)| {
                    (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 64 + bit)
                })
                .collect(),
        };
        let nodes = ids.len() as u32;
        (NodeIds::from_ascending(ids), nodes)
    }
}

/// Makes a graph of edges between arbitrary ids: its nodes are the ids that occur, `lone` ones included.
pub(super) fn load(text: Text<'_>, edges: Batch<u64>, lone: &[u64], listing: Listing) -> Result<Loaded> {
    let Batch { sources, targets, weights, rounding } = edges;
    let occurring = Occurring::new(text, &[&sources, &targets, lone])?;
    // Every id here was put into the set above, so that the default is never taken.
    let dense = |ids: Vec<u64>| ids.into_par_iter().map(|id| occurring.index(id).unwrap_or_default()).collect();
    let edges = Batch { sources: dense(sources), targets: dense(targets), weights, rounding };
    let (ids, nodes) = occurring.into_ids();
    Ok(Loaded::edges(text, nodes, edges, ids, listing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn close_and_scattered_ids_give_the_same_nodes() {
        let text = Text { path: Path::new("test"), bytes: b"" };
        let close = [7_u64, 3, 64, 3, 65, 0];
        let scattered: Vec<u64> = close.iter().map(|id| id << 50).collect();
        let marked = Occurring::new(text, &[&close[..2], &close[2..]]).unwrap();
        let sorted = Occurring::new(text, &[&scattered]).unwrap();
        assert!(matches!(marked, Occurring::Marked { .. }) && matches!(sorted, Occurring::Sorted(_)));
        for (node, id) in [0, 3, 7, 64, 65].into_iter().enumerate() {
            assert_eq!(marked.index(id), Some(node as u32));
            assert_eq!(sorted.index(id << 50), Some(node as u32));
        }
        for absent in [1, 66, 128, u64::MAX] {
            assert_eq!((marked.index(absent), sorted.index(absent)), (None, None));
        }
        assert_eq!(marked.into_ids(), (NodeIds::Listed(vec![0, 3, 7, 64, 65].into()), 5));
    }

    #[test]
    fn no_ids_make_no_nodes() {
        let text = Text { path: Path::new("test"), bytes: b"" };
        assert_eq!(Occurring::new(text, &[]).unwrap().into_ids(), (NodeIds::Counted { first: 0 }, 0));
    }
}
