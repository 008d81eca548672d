//! The matrix as it is brought back: taken out of its padding, and checked.

use crate::{
    Error, Result,
    algorithm::{Distances, sssp},
    graph::Csr,
};
use evenkeel_kernels::algorithm::apsp::Length;
use evenkeel_types::UNREACHED;
use rayon::prelude::*;

/// The distances of all pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct AllPairs {
    /// How many nodes there are.
    pub nodes: u32,
    /// As many distances from each node, one node after the other.
    pub distances: Distances,
}

impl AllPairs {
    /// Out of the words of a matrix with rows of `width` words. Refuses negative cycles, and distances that 32 bits do not hold.
    pub(super) fn from_words(mut words: Vec<u32>, width: usize, csr: &Csr, length: Length) -> Result<Self> {
        let nodes = csr.nodes() as usize;
        for row in 1..nodes {
            words.copy_within(row * width..row * width + nodes, row * nodes);
        }
        words.truncate(nodes * nodes);
        let distances = match length {
            Length::Real => Distances::F32(words.into_iter().map(f32::from_bits).collect()),
            Length::Whole => {
                if words.chunks(nodes.max(1)).any(|row| sssp::exceeds_32_bits(csr, row)) {
                    return Err(Error::Graph(
                        "a shortest path is longer than 4,294,967,294, the most that whole distances of all pairs hold; use \
                         smaller or real weights"
                            .into(),
                    ));
                }
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
            refuse_overflow(csr, reals)?;
        }
        Ok(Self { nodes: csr.nodes(), distances })
    }

    /// What a `.bin` file of them begins with.
    pub const MAGIC: [u8; 8] = *b"EVKPAIRS";
}

/// A node from which a walk of negative length leads back is nearer than 0 to itself.
fn refuse_negative_cycle(distances: &[f32], nodes: usize) -> Result<()> {
    // What is no number came of a cycle that was gone round until nothing was left of it but infinity.
    let negative = |node: &usize| distances[node * nodes + node] < 0.0 || distances[node * nodes + node].is_nan();
    match (0..nodes).find(negative) {
        None => Ok(()),
        Some(node) => Err(Error::NegativeCycle { node: node as u32, length: distances[node * nodes + node].into() }),
    }
}

/// Refuses distances of which one is too large for a 32-bit real, and so reads as infinite: as if there were no path.
pub(super) fn refuse_overflow(csr: &Csr, distances: &[f32]) -> Result<()> {
    let (low, high) = csr.weight_range().unwrap_or_default();
    let nodes = csr.nodes() as usize;
    if low.abs().max(high.abs()) * nodes as f64 <= f32::MAX.into() {
        return Ok(());
    }
    let is_wrong = |row: &[f32]| {
        let is_reached = |node: u32| row[node as usize].is_finite();
        row.iter().any(|&distance| distance.is_nan() || distance == f32::NEG_INFINITY)
            || sssp::leads_out(csr, is_reached)
    };
    match distances.par_chunks(nodes.max(1)).any(is_wrong) {
        false => Ok(()),
        true => Err(Error::Graph(format!(
            "a path is longer than {:e}, the most that real distances of all pairs hold; use smaller weights, or sssp, which \
             adds such distances in double precision",
            f32::MAX
        ))),
    }
}
