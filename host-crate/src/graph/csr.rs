//! Compressed sparse rows: the form every algorithm reads, and the edge list it is built from.

use super::{
    Array, Weights,
    build::{EdgeSource, WeightKind, build, key_of, zeroed},
};
use crate::{Error, Result};
use bytemuck::Pod;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of sorted columns. `row_offsets` has one entry more than there are nodes; row `u` is
/// `columns[row_offsets[u]..row_offsets[u + 1]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Where each row begins; the last entry is the number of edges.
    pub row_offsets: Array<u32>,
    /// The neighbour at the end of each edge.
    pub columns: Array<u32>,
    /// One for each column, or none at all.
    pub weights: Weights,
}

/// Edges in no particular order, as a file or a generator gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeList {
    /// How many nodes there are; every end is smaller.
    pub nodes: u32,
    /// Where each edge begins.
    pub sources: Vec<u32>,
    /// Where each edge ends.
    pub targets: Vec<u32>,
    /// Their weights, in the same order.
    pub weights: EdgeWeights,
}

/// The weights of an [`EdgeList`].
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeWeights {
    /// No weights.
    None,
    /// Whole, non-negative.
    U32(Vec<u32>),
    /// Reals.
    F32(Vec<f32>),
}

/// What to do with the edges on the way into a CSR. The default keeps every edge as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Store the reverse of every edge too; this always merges parallel edges as well. A self-loop is its own reverse.
    pub symmetrise: bool,
    /// Drop edges from a node to itself.
    pub drop_self_loops: bool,
    /// Keep one of several edges between the same nodes in the same direction: the one with the smallest weight.
    pub merge_parallel_edges: bool,
}

/// What building a CSR changed; shown to the user, so that nothing is removed in silence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BuildReport {
    /// Edges that were given.
    pub edges_given: u64,
    /// Self-loops dropped.
    pub self_loops_dropped: u64,
    /// Edges merged into a parallel one, the reverse edges that symmetrising found present included.
    pub parallel_edges_merged: u64,
    /// Directed edges in the CSR.
    pub edges_stored: u64,
}

impl Csr {
    /// Builds the rows of an edge list, each sorted by column and then by weight.
    ///
    /// # Errors
    /// When an end is not smaller than `nodes`, a weight is not a number, the lists differ in length, or more than
    /// `u32::MAX` directed edges would be stored.
    pub fn from_edges(edges: EdgeList, options: BuildOptions) -> Result<(Self, BuildReport)> {
        edges.check()?;
        build(edges, options)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        (self.row_offsets.len() - 1) as u32
    }

    /// The number of directed edges stored.
    pub fn edges(&self) -> u32 {
        self.columns.len() as u32
    }

    /// The number of edges that leave `node`.
    pub fn degree(&self, node: u32) -> u32 {
        self.row_offsets[node as usize + 1] - self.row_offsets[node as usize]
    }

    /// The positions of `node`'s edges in `columns` and in the weights.
    pub fn row(&self, node: u32) -> Range<usize> {
        self.row_offsets[node as usize] as usize..self.row_offsets[node as usize + 1] as usize
    }

    /// The nodes at the ends of `node`'s edges.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.columns[self.row(node)]
    }

    /// What `value(source, target)` gives for each edge, in the order of the columns.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn map_edges<T: Pod + Send>(&self, value: impl Fn(u32, u32) -> T + Sync) -> Result<Vec<T>> {
        const CHUNK: usize = 1 << 16;
        let mut values = zeroed(self.columns.len() as u64)?;
        values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
            let start = (chunk * CHUNK) as u64;
            let end = start + values.len() as u64;
            let mut slots = values.iter_mut();
            self.visit(start..end, |source, target, _| {
                if let Some(slot) = slots.next() {
                    *slot = value(source, target);
                }
            });
        });
        Ok(values)
    }
}

impl EdgeList {
    fn check(&self) -> Result<()> {
        let weights = match &self.weights {
            EdgeWeights::None => self.sources.len(),
            EdgeWeights::U32(weights) => weights.len(),
            EdgeWeights::F32(weights) => weights.len(),
        };
        if self.targets.len() != self.sources.len() || weights != self.sources.len() {
            let (sources, targets) = (self.sources.len(), self.targets.len());
            return Err(Error::Graph(format!(
                "an edge list of {sources} sources, {targets} targets and {weights} weights"
            )));
        }
        let ends = self.sources.par_iter().zip(&self.targets);
        if let Some((source, target)) = ends.find_first(|&(&source, &target)| source.max(target) >= self.nodes) {
            let nodes = self.nodes;
            return Err(Error::Graph(format!("the edge {source} → {target} has an end outside the {nodes} nodes")));
        }
        if let EdgeWeights::F32(weights) = &self.weights
            && let Some(edge) = weights.par_iter().position_first(|weight| weight.is_nan())
        {
            let (source, target) = (self.sources[edge], self.targets[edge]);
            return Err(Error::Graph(format!("the weight of the edge {source} → {target} is not a number")));
        }
        Ok(())
    }
}

impl EdgeSource for EdgeList {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn edges(&self) -> u64 {
        self.sources.len() as u64
    }

    fn weight_kind(&self) -> WeightKind {
        match self.weights {
            EdgeWeights::None => WeightKind::None,
            EdgeWeights::U32(_) => WeightKind::U32,
            EdgeWeights::F32(_) => WeightKind::F32,
        }
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        for index in indices.start as usize..indices.end as usize {
            let weight = match &self.weights {
                EdgeWeights::None => 0,
                EdgeWeights::U32(weights) => weights[index],
                EdgeWeights::F32(weights) => key_of(weights[index]),
            };
            visit(self.sources[index], self.targets[index], weight);
        }
    }
}

/// Borrowed, since a graph outlives what is made of it.
impl EdgeSource for &Csr {
    fn nodes(&self) -> u32 {
        Csr::nodes(self)
    }

    fn edges(&self) -> u64 {
        self.columns.len() as u64
    }

    fn weight_kind(&self) -> WeightKind {
        match self.weights {
            Weights::None => WeightKind::None,
            Weights::U32(_) => WeightKind::U32,
            Weights::F32(_) => WeightKind::F32,
        }
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        let (columns, row_offsets): (&[u32], &[u32]) = (&self.columns, &self.row_offsets);
        let mut row = row_offsets.partition_point(|&offset| u64::from(offset) <= indices.start).saturating_sub(1);
        for index in indices.start as usize..indices.end as usize {
            while row_offsets[row + 1] as usize <= index {
                row += 1;
            }
            let weight = match &self.weights {
                Weights::None => 0,
                Weights::U32(weights) => weights[index],
                Weights::F32(weights) => key_of(weights[index]),
            };
            visit(row as u32, columns[index], weight);
        }
    }
}
