//! What is known of a graph: each fact is computed when it is first asked for and kept with the [`Csr`], so that clones share
//! it and nobody computes it again. The builder, the generators and the binary format state what they know from the start.

use super::{
    Csr, Weights,
    offsets::{Offset, for_width},
};
use evenkeel_base::phase;
use rayon::prelude::*;

/// How uneven the degrees are, in two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// The mean degree; 0 in a graph without nodes.
    pub mean: f64,
    /// The highest degree.
    pub highest: u32,
}

impl Skew {
    /// Whether there are hubs: a node has more than 64 times as many edges as the mean.
    pub fn has_hubs(self) -> bool {
        f64::from(self.highest) > 64.0 * self.mean
    }
}

impl Csr {
    /// Whether every edge has its reverse, as often. Weights do not count.
    ///
    /// The answer is exact: algorithms that pull along reversed edges, and colouring, would be wrong without a reverse.
    pub fn is_symmetric(&self) -> bool {
        let test = || phase::during("testing symmetry", || mirrored(self, |_, _| true));
        *self.structure_facts.symmetric.get_or_init(test)
    }

    /// Whether every edge seems to have its reverse, as often: a sum in which an edge and its reverse cancel out is 0, which it hardly ever
    /// is by chance. It takes one pass over the columns in order, a fraction of what the exact test takes.
    #[doc(hidden)]
    pub fn seems_symmetric(&self) -> bool {
        let sum_of = |node: u32| {
            let (below, rest) = self.neighbours(node).split_at(self.neighbours(node).partition_point(|&it| it < node));
            // A self-loop is its own reverse.
            let above = &rest[rest.partition_point(|&it| it == node)..];
            let up = above.iter().fold(0, |sum: u64, &it| sum.wrapping_add(mark(node, it)));
            below.iter().fold(up, |sum, &it| sum.wrapping_sub(mark(it, node)))
        };
        (0..self.nodes()).into_par_iter().map(sum_of).reduce(|| 0, u64::wrapping_add) == 0
    }

    /// Whether every edge has its reverse, as often and with the same weights.
    pub fn has_symmetric_weights(&self) -> bool {
        match self.weights() {
            Weights::None => self.is_symmetric(),
            Weights::U32(weights) => mirrored(self, |edge, reverse| weights[edge] == weights[reverse]),
            Weights::F32(weights) => mirrored(self, |edge, reverse| weights[edge] == weights[reverse]),
        }
    }

    /// The mean and the highest degree.
    pub fn skew(&self) -> Skew {
        let mean = self.edges() as f64 / f64::from(self.nodes().max(1));
        Skew { mean, highest: self.max_degree_node().map_or(0, |node| self.degree(node)) }
    }

    /// The node of the highest degree, the first of several; none in a graph without nodes.
    pub fn max_degree_node(&self) -> Option<u32> {
        let highest = |&node: &u32| (self.degree(node), std::cmp::Reverse(node));
        let find = || (0..self.nodes()).into_par_iter().max_by_key(highest);
        *self.structure_facts.max_degree_node.get_or_init(find)
    }

    /// The number of edges from a node to itself.
    pub fn self_loops(&self) -> u64 {
        let loops_of = |node: u32| {
            let row = self.neighbours(node);
            row[row.partition_point(|&neighbour| neighbour < node)..].iter().take_while(|&&end| end == node).count()
                as u64
        };
        let count = || (0..self.nodes()).into_par_iter().map(loops_of).sum();
        *self.structure_facts.self_loops.get_or_init(count)
    }

    /// The mean weight of an edge; 1 where there are no weights.
    pub fn mean_weight(&self) -> f64 {
        let sum: f64 = match self.weights() {
            Weights::None => return 1.0,
            Weights::U32(weights) => weights.par_iter().map(|weight| f64::from(*weight)).sum(),
            Weights::F32(weights) => weights.par_iter().map(|weight| f64::from(*weight)).sum(),
        };
        sum / self.edges().max(1) as f64
    }

    /// The smallest and the largest weight; none when there are no weights.
    pub fn weight_range(&self) -> Option<(f64, f64)> {
        *self.weight_facts.get_or_init(|| self.weights().range())
    }

    /// What is known already of [`Csr::is_symmetric`].
    #[doc(hidden)]
    pub fn known_symmetric(&self) -> Option<bool> {
        self.structure_facts.symmetric.get().copied()
    }

    /// States that the graph is symmetric, because it was built so. A second statement changes nothing.
    #[doc(hidden)]
    pub fn state_symmetric(self, symmetric: bool) -> Self {
        self.structure_facts.symmetric.get_or_init(|| symmetric);
        self
    }

    /// States the node of the highest degree. A second statement changes nothing.
    pub(crate) fn state_max_degree_node(&self, node: Option<u32>) {
        self.structure_facts.max_degree_node.get_or_init(|| node);
    }

    /// States the range of the weights. A second statement changes nothing.
    #[doc(hidden)]
    pub fn state_weight_range(&self, range: Option<(f64, f64)>) {
        self.weight_facts.get_or_init(|| range);
    }
}

/// A number for a pair of nodes: the two halves of a product of 128 bits, folded, as in wyhash.
fn mark(low: u32, high: u32) -> u64 {
    const FIRST: u64 = 0xa076_1d64_78bd_642f;
    const SECOND: u64 = 0xe703_7ed1_a0b4_28db;
    let product = u128::from(FIRST ^ u64::from(low)) * u128::from(SECOND ^ u64::from(high));
    (product >> 64) as u64 ^ product as u64
}

/// Whether the edges that lead upwards (to a higher node) and those that lead downwards mirror each other one to one, and
/// `alike` holds for the positions of each such pair.
///
/// Rows are sorted, so that the nodes below `v` with an edge to `v`, taken in ascending order, must be the first entries of the
/// row of `v`, one after the other. A cursor for each row stands at the entry that must come next. When every upward edge finds
/// its reverse there and there are as many downward edges, none is left without its reverse. (Sums of hashes of all edges and
/// all reversed edges would take a single pass, but equal sums prove nothing.)
fn mirrored(csr: &Csr, alike: impl Fn(usize, usize) -> bool + Sync) -> bool {
    for_width!(csr.offsets(), offsets => mirrored_rows(csr, offsets, alike))
}

fn mirrored_rows<T: Offset>(csr: &Csr, offsets: &[T], alike: impl Fn(usize, usize) -> bool + Sync) -> bool {
    let (columns, nodes) = (csr.columns(), csr.nodes());
    let first_not_below = |row: u32, node: u32| {
        offsets[row as usize].position() + csr.neighbours(row).partition_point(|&neighbour| neighbour < node)
    };
    let upward = |node: u32| first_not_below(node, node + 1)..csr.row(node).end;
    let up: u64 = (0..nodes).into_par_iter().map(|node| upward(node).len() as u64).sum();
    if 2 * up + csr.self_loops() != csr.edges() {
        return false;
    }
    // Each thread has cursors of its own for a range of rows. Together they take at most the memory of the columns.
    let cursor_words = 2 * size_of::<T>() / size_of::<u32>();
    let ranges = (columns.len() / (cursor_words * nodes.max(1) as usize)).clamp(1, rayon::current_num_threads());
    let bound = |range: usize| {
        let edge = (columns.len() as u128 * range as u128 / ranges as u128) as usize;
        if range == ranges { nodes } else { offsets.partition_point(|offset| offset.position() < edge) as u32 }
    };
    (0..ranges).into_par_iter().all(|range| {
        let rows = bound(range)..bound(range + 1);
        let cursor = |row: u32| [T::of(first_not_below(row, rows.start)), offsets[row as usize + 1]];
        let mut cursors: Vec<[T; 2]> = (0..nodes).map(cursor).collect();
        rows.into_iter().all(|node| {
            upward(node).all(|edge| {
                let [next, end] = &mut cursors[columns[edge] as usize];
                let reverse = next.position();
                let is_found = next < end && columns[reverse] == node && alike(edge, reverse);
                *next = T::of(reverse + usize::from(is_found));
                is_found
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csr(row_offsets: &[u32], columns: &[u32], weights: &[f32]) -> Csr {
        Csr::new(row_offsets.to_vec(), columns.to_vec(), Weights::F32(weights.to_vec().into())).unwrap()
    }

    #[test]
    fn symmetry_is_of_structure_multiplicity_and_weight() {
        let symmetry = |row_offsets: &[u32], columns: &[u32], weights: &[f32]| {
            let csr = csr(row_offsets, columns, weights);
            (csr.is_symmetric(), csr.has_symmetric_weights())
        };
        assert_eq!(symmetry(&[0], &[], &[]), (true, true));
        assert_eq!(symmetry(&[0, 1, 2], &[1, 0], &[3.0, 3.0]), (true, true));
        assert_eq!(symmetry(&[0, 1, 2], &[1, 0], &[3.0, 4.0]), (true, false));
        assert_eq!(symmetry(&[0, 1, 1], &[1], &[3.0]), (false, false));
        assert_eq!(symmetry(&[0, 0, 1], &[0], &[3.0]), (false, false));
        assert_eq!(symmetry(&[0, 2, 3], &[1, 1, 0], &[3.0; 3]), (false, false), "two edges there, one back");
        assert_eq!(symmetry(&[0, 2, 3, 5], &[1, 1, 0, 0, 0], &[3.0; 5]), (false, false), "as many up as down");
        assert_eq!(symmetry(&[0, 1, 2, 3], &[1, 2, 0], &[1.0; 3]), (false, false), "a ring one way");
        assert_eq!(symmetry(&[0, 1, 3, 4], &[1, 0, 2, 0], &[1.0; 4]), (false, false), "one edge has another's reverse");
        assert_eq!(symmetry(&[0, 3, 5], &[0, 1, 1, 0, 0], &[9.0, 1.0, 2.0, 1.0, 2.0]), (true, true));
    }

    #[test]
    fn facts_are_found_and_shared() {
        let graph = csr(&[0, 1, 4, 7, 7], &[1, 0, 1, 1, 0, 1, 2], &[5.0, -1.0, 2.0, 0.5, 4.0, 7.0, 1.0]);
        assert_eq!(
            (graph.max_degree_node(), graph.self_loops(), graph.weight_range()),
            (Some(1), 3, Some((-1.0, 7.0)))
        );
        assert_eq!(graph.skew(), Skew { mean: 1.75, highest: 3 });
        let lighter = graph.without_weights();
        assert_eq!(lighter.weight_range(), None);
        assert!(std::sync::Arc::ptr_eq(&lighter.structure_facts, &graph.structure_facts));
        let empty = csr(&[0], &[], &[]);
        assert_eq!((empty.max_degree_node(), empty.skew()), (None, Skew { mean: 0.0, highest: 0 }));
        assert_eq!(empty.weight_range(), None);
    }
}
