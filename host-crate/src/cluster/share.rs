//! The rows that a worker has. Rows are owned in contiguous ranges: worker 0 has the first ones.

use crate::graph::{BuildReport, Graph};
use std::ops::Range;

/// Assigns rows to workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// Where the rows of each worker begin, and at the end the number of nodes.
    starts: Vec<u32>,
}

impl Ranges {
    /// Ranges by where each begins, and at the end the number of nodes.
    pub fn new(starts: Vec<u32>) -> Self {
        debug_assert!(starts.is_sorted() && starts.len() > 1);
        Self { starts }
    }

    /// The rows of a worker.
    pub fn of(&self, worker: usize) -> Range<u32> {
        self.starts[worker]..self.starts[worker + 1]
    }

    /// The worker that has a node.
    #[inline]
    pub fn owner(&self, node: u32) -> usize {
        self.starts.partition_point(|start| *start <= node) - 1
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.starts[self.workers()]
    }

    /// Nodes in ascending order, cut where the rows of another worker begin.
    pub fn cut<'a>(&self, mut nodes: &'a [u32]) -> Vec<&'a [u32]> {
        (0..self.workers())
            .map(|worker| {
                let end = self.of(worker).end;
                let (here, further) = nodes.split_at(nodes.partition_point(|node| *node < end));
                nodes = further;
                here
            })
            .collect()
    }
}

/// What a worker has of a graph.
#[derive(Clone, Debug)]
pub struct Share {
    /// A graph of all nodes in which the rows of this worker alone have edges.
    pub graph: Graph,
    /// Who has which rows.
    pub ranges: Ranges,
    /// The rows of this worker.
    pub rows: Range<u32>,
    /// The edges of all workers.
    pub edges: u64,
    /// What was changed while the rows of all workers were built.
    pub built: BuildReport,
}

impl Share {
    /// How many nodes the whole graph has.
    pub fn nodes(&self) -> u32 {
        self.ranges.nodes()
    }

    /// The place of one of this worker's nodes among them.
    #[inline]
    pub fn local(&self, node: u32) -> usize {
        (node - self.rows.start) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_found_where_some_have_nothing() {
        let ranges = Ranges::new(vec![0, 0, 3, 3, 5, 5]);
        assert_eq!((0..5).map(|node| ranges.owner(node)).collect::<Vec<_>>(), [1, 1, 1, 3, 3]);
        assert_eq!(ranges.cut(&[0, 2, 3, 4]), [&[][..], &[0, 2], &[], &[3, 4], &[]]);
        assert_eq!((ranges.workers(), ranges.nodes()), (5, 5));
    }
}
