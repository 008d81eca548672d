//! The matrix as it is brought back: taken out of its padding, checked, and written for programs.

use crate::{
    Error, Result,
    algorithm::{Distances, sssp},
    graph::Csr,
};
use evenkeel_kernels::algorithm::apsp::Length;
use evenkeel_types::UNREACHED;
use std::io;

/// The distances of all pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct AllPairs {
    /// How many nodes there are.
    pub nodes: u32,
    /// As many distances from each node, one node after the other.
    pub distances: Distances,
}

impl AllPairs {
    /// Out of the words of a matrix with rows of `width` words. Refuses negative cycles, and distances of more than 32 bits.
    pub(super) fn from_words(mut words: Vec<u32>, width: usize, csr: &Csr, length: Length) -> Result<Self> {
        let nodes = csr.nodes() as usize;
        for row in 1..nodes {
            words.copy_within(row * width..row * width + nodes, row * nodes);
        }
        words.truncate(nodes * nodes);
        let distances = match length {
            Length::Real => Distances::F32(words.into_iter().map(f32::from_bits).collect()),
            Length::Whole => {
                words.chunks(nodes.max(1)).try_for_each(|row| sssp::refuse_overflow(csr, row))?;
                Distances::U32(words)
            }
            Length::Short => {
                let far = length.unreached();
                words.iter_mut().filter(|word| **word == far).for_each(|word| *word = UNREACHED);
                Distances::U32(words)
            }
        };
        if let Distances::F32(reals) = &distances {
            refuse_negative_cycle(reals, nodes)?;
        }
        Ok(Self { nodes: csr.nodes(), distances })
    }

    /// What a file of them begins with.
    pub const MAGIC: [u8; 8] = *b"EVKPAIRS";

    /// Writes them for a program: [`Self::MAGIC`], the number of nodes and the kind (0 whole, 1 real) as 32-bit words, then all
    /// distances row by row, `u32` or `f32`; everything little-endian. What is not reached is the largest word, or infinite.
    pub fn write(&self, writer: &mut dyn io::Write) -> io::Result<()> {
        let kind = u32::from(matches!(self.distances, Distances::F32(_)));
        writer.write_all(&Self::MAGIC)?;
        writer.write_all(&[self.nodes.to_le_bytes(), kind.to_le_bytes()].concat())?;
        let bits = |place: usize| match &self.distances {
            Distances::U32(all) => all[place],
            Distances::F32(all) => all[place].to_bits(),
        };
        // A row at a time: enough to write in one go, and little to hold.
        let nodes = self.nodes as usize;
        (0..nodes).try_for_each(|row| {
            let words = row * nodes..(row + 1) * nodes;
            writer.write_all(&words.flat_map(|place| bits(place).to_le_bytes()).collect::<Vec<u8>>())
        })
    }
}

/// A node from which a walk of negative length leads back is nearer than 0 to itself.
fn refuse_negative_cycle(distances: &[f32], nodes: usize) -> Result<()> {
    // What is no number came of a cycle that was gone round until nothing was left of it but infinity.
    let negative = |node: &usize| distances[node * nodes + node] < 0.0 || distances[node * nodes + node].is_nan();
    match (0..nodes).find(negative) {
        None => Ok(()),
        Some(node) => Err(Error::Graph(format!(
            "there is a negative cycle: a walk from node {node}, counted from 0, back to itself is of length {}, and round \
             again it would be shorter still",
            distances[node * nodes + node]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_is_in_it() {
        let mut written = Vec::new();
        AllPairs { nodes: 2, distances: Distances::U32(vec![0, 7, u32::MAX, 0]) }.write(&mut written).unwrap();
        let words = [2u32, 0, 0, 7, u32::MAX, 0].map(u32::to_le_bytes).concat();
        assert_eq!(written, [&b"EVKPAIRS"[..], &words].concat());
        written.clear();
        AllPairs { nodes: 1, distances: Distances::F32(vec![0.5]) }.write(&mut written).unwrap();
        assert_eq!(written[12..], [[1, 0, 0, 0], 0.5f32.to_le_bytes()].concat());
    }
}
