//! The edges of one piece of a text, and their joining into one edge list: first the pieces' lengths are added up and
//! checked against the 32-bit limits, then all pieces are copied to their places in parallel.

use super::{
    super::{EdgeWeights, csr::MOST_NODES},
    lines::{Number, Text, push_weight},
};
use crate::Result;
use rayon::prelude::*;

/// Nodes any file may claim. A file may claim more when it is large: [`NODES_PER_BYTE`] for each of its bytes.
const FREE_NODES: u64 = 1 << 26;

// A line of an edge is at least four bytes long, so that this allows 256 nodes for each edge.
const NODES_PER_BYTE: u64 = 64;

/// Edges read so far. `Id` is u32 where nodes are counted, u64 where ids are arbitrary.
pub(super) struct Batch<Id> {
    pub sources: Vec<Id>,
    pub targets: Vec<Id>,
    pub weights: EdgeWeights,
}

impl<Id> Batch<Id> {
    /// A batch for about `edges` edges whose weights are those of `weights`: an empty column, or none.
    pub fn new(edges: usize, weights: EdgeWeights) -> Self {
        Self { sources: Vec::with_capacity(edges), targets: Vec::with_capacity(edges), weights }
    }

    /// Adds an edge.
    #[inline]
    pub fn push(&mut self, source: Id, target: Id) {
        self.sources.push(source);
        self.targets.push(target);
    }

    /// Adds an edge with a weight.
    #[inline]
    pub fn push_weighted(&mut self, source: Id, target: Id, weight: Number) {
        self.push(source, target);
        push_weight(&mut self.weights, weight);
    }
}

/// Checks a number of nodes that a file claims, before anything of that size is allocated.
pub(super) fn check_claimed_nodes(text: Text<'_>, nodes: u64) -> Result<u32> {
    let bytes = text.bytes.len() as u64;
    let believed = FREE_NODES.saturating_add(bytes.saturating_mul(NODES_PER_BYTE));
    match nodes {
        _ if nodes > MOST_NODES => {
            Err(text.error_of_file(format!("{nodes} nodes are too many: 32-bit indices allow {MOST_NODES}")))
        }
        _ if nodes > believed => Err(text.error_of_file(format!(
            "the file claims {nodes} nodes, but a file of {bytes} bytes is believed only up to {believed} \
             ({FREE_NODES} and {NODES_PER_BYTE} a byte)"
        ))),
        _ => Ok(nodes as u32),
    }
}

/// Checks that as many edges are there as a header promised.
pub(super) fn check_promised_edges(text: Text<'_>, promised: u64, found: usize) -> Result<()> {
    match found as u64 == promised {
        true => Ok(()),
        false => Err(text.error_of_file(format!("the header promises {promised} edges, but the file holds {found}"))),
    }
}

/// Joins batches in order.
pub(super) fn join<Id: Copy + Default + Send + Sync>(text: Text<'_>, batches: Vec<Batch<Id>>) -> Result<Batch<Id>> {
    let edges: usize = batches.iter().map(|batch| batch.sources.len()).sum();
    if edges as u64 > u64::from(u32::MAX) {
        return Err(text.error_of_file(format!("{edges} edges are too many: 32-bit offsets allow {}", u32::MAX)));
    }
    let weights = join_weights(&batches);
    let (mut sources, mut targets) = (Vec::with_capacity(batches.len()), Vec::with_capacity(batches.len()));
    for batch in batches {
        sources.push(batch.sources);
        targets.push(batch.targets);
    }
    Ok(Batch { sources: concatenate(&sources), targets: concatenate(&targets), weights })
}

fn join_weights<Id>(batches: &[Batch<Id>]) -> EdgeWeights {
    let any = |wanted: fn(&EdgeWeights) -> bool| batches.iter().any(|batch| wanted(&batch.weights));
    if any(|weights| matches!(weights, EdgeWeights::F32(_))) {
        let reals = batches.iter().map(|batch| match &batch.weights {
            EdgeWeights::F32(column) => column.clone(),
            EdgeWeights::U32(column) => column.iter().map(|whole| *whole as f32).collect(),
            EdgeWeights::None => Vec::new(),
        });
        EdgeWeights::F32(concatenate(&reals.collect::<Vec<_>>()))
    } else if any(|weights| matches!(weights, EdgeWeights::U32(_))) {
        let whole = batches.iter().map(|batch| match &batch.weights {
            EdgeWeights::U32(column) => column.as_slice(),
            _ => &[],
        });
        EdgeWeights::U32(concatenate(&whole.collect::<Vec<_>>()))
    } else {
        EdgeWeights::None
    }
}

fn concatenate<T: Copy + Default + Send + Sync>(pieces: &[impl AsRef<[T]> + Sync]) -> Vec<T> {
    let total = pieces.iter().map(|piece| piece.as_ref().len()).sum();
    let mut joined = vec![T::default(); total];
    let mut rest = joined.as_mut_slice();
    let mut places = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (place, after) = rest.split_at_mut(piece.as_ref().len());
        places.push((place, piece.as_ref()));
        rest = after;
    }
    places.into_par_iter().for_each(|(place, piece)| place.copy_from_slice(piece));
    joined
}
