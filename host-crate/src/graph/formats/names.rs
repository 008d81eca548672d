//! Names made dense: the names that occur, in ascending order of their bytes, become the nodes 0..n. Where all of them are whole
//! numbers as one writes them, the nodes have numbers instead, in ascending order.

use super::{
    super::{Names, NodeIds, csr::MOST_NODES},
    Listing, Loaded,
    batch::Batch,
    lines::Text,
};
use crate::Result;
use rayon::prelude::*;
use std::collections::HashMap;

/// Names, each with an index in the order in which they first occur.
#[derive(Default)]
pub(super) struct Dictionary {
    indices: HashMap<Box<[u8]>, u32>,
    /// All names one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Dictionary {
    /// The index of a name, which is added if it is new; the reason when there are too many.
    pub fn index(&mut self, name: &[u8]) -> Result<u32, String> {
        if let Some(index) = self.indices.get(name) {
            return Ok(*index);
        }
        let index = self.ends.len();
        if index as u64 >= MOST_NODES {
            return Err(format!("there are too many nodes: 32-bit indices allow {MOST_NODES}"));
        }
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        self.indices.insert(name.into(), index as u32);
        Ok(index as u32)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name with an index.
    pub fn name(&self, index: usize) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[index]]
    }
}

/// A number as one writes it: digits that fit 64 bits, without a zero before them.
fn canonical(name: &[u8]) -> Option<u64> {
    let plain = matches!(name, [b'0'] | [b'1'..=b'9', ..]) && name.iter().all(u8::is_ascii_digit);
    if plain { lexical_core::parse(name).ok() } else { None }
}

/// Makes a graph of edges between the nodes of a dictionary.
pub(super) fn name_nodes(text: Text<'_>, names: Dictionary, edges: Batch<u32>, listing: Listing) -> Result<Loaded> {
    let numbers: Option<Vec<u64>> =
        (0..names.len()).into_par_iter().map(|index| canonical(names.name(index))).collect();
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    let ids = match &numbers {
        Some(numbers) => {
            order.par_sort_unstable_by_key(|index| numbers[*index as usize]);
            NodeIds::from_ascending(order.iter().map(|index| numbers[*index as usize]).collect())
        }
        None => {
            order.par_sort_unstable_by_key(|index| names.name(*index as usize));
            let name = |index: &u32| str::from_utf8(names.name(*index as usize));
            let sorted = order.iter().map(name).collect::<Result<Vec<&str>, _>>();
            let sorted = sorted.map_err(|_| text.error_of_file("the name of a node is not valid UTF-8"))?;
            NodeIds::Named(Names::from_ascending(sorted))
        }
    };
    let mut node = vec![0_u32; order.len()];
    for (rank, index) in order.iter().enumerate() {
        node[*index as usize] = rank as u32;
    }
    let ranked = |ends: Vec<u32>| ends.into_par_iter().map(|index| node[index as usize]).collect();
    let Batch { sources, targets, weights } = edges;
    let edges = Batch { sources: ranked(sources), targets: ranked(targets), weights };
    Ok(Loaded::edges(order.len() as u32, edges, ids, listing))
}
