//! A part of a graph: some of its rows, as one of several workers has them. It is a graph of all nodes in which the rows of a range alone
//! have edges, so that nodes keep their numbers and everything that reads a graph can read it.

use super::{Array, Csr, EdgeWeights, Graph, Offsets, OffsetsView, Weights, listing::Listing, offsets::is_narrow};
use evenkeel_base::Result;
use std::ops::Range;

/// Rows of a graph, and what is known of the others.
#[derive(Clone, Debug)]
pub struct GraphPart {
    /// The graph, in which only the rows of the part have edges.
    pub graph: Graph,
    /// Where the rows of each part begin, and at the end the number of nodes.
    pub starts: Vec<u32>,
}

/// Edges of a file, as one of several workers has read them: with the ids of the file, in no particular order.
#[derive(Clone, Debug)]
pub struct EdgesPart {
    /// Where each edge begins.
    pub sources: Vec<u64>,
    /// Where each edge ends.
    pub targets: Vec<u64>,
    /// Their weights, in the same order.
    pub weights: EdgeWeights,
    /// Whether edges have a direction, and how often each is listed.
    pub listing: Listing,
    /// A remark on weights that were not kept as they are written.
    pub weight_remark: Option<String>,
}

/// Where the rows of each of so many parts begin, if each shall have about as many rows and edges as any other.
pub fn balanced(offsets: OffsetsView<'_>, parts: usize) -> Vec<u32> {
    let nodes = offsets.len().saturating_sub(1);
    let before = |node: usize| (offsets.at(node) + node) as u64;
    let all = if nodes == 0 { 0 } else { before(nodes) };
    // A search in the offsets themselves, so that of a mapped file only a few pages are read.
    let start = |part: usize| {
        let (wanted, mut low, mut high) = ((u128::from(all) * part as u128 / parts as u128) as u64, 0, nodes);
        while low < high {
            let middle = usize::midpoint(low, high);
            if before(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low as u32
    };
    (0..parts).map(start).chain([nodes as u32]).collect()
}

/// Where the rows of each of so many parts begin, if each shall have as many as any other.
pub fn even(nodes: u32, parts: usize) -> Vec<u32> {
    (0..=parts).map(|part| (u64::from(nodes) * part as u64 / parts as u64) as u32).collect()
}

impl Csr {
    /// A graph in which the nodes of a range alone have edges: `offsets` are those of all rows, and the columns those of these.
    ///
    /// # Errors
    /// As [`Csr::new`].
    #[doc(hidden)]
    pub fn from_rows(
        rows: Range<u32>,
        offsets: OffsetsView<'_>,
        columns: Array<u32>,
        weights: Weights,
    ) -> Result<Self> {
        let (first, last) = (offsets.at(rows.start as usize), offsets.at(rows.end as usize));
        // A broken file may have offsets outside of these, which the check finds.
        let within = |row: usize| offsets.at(row.clamp(rows.start as usize, rows.end as usize)).wrapping_sub(first);
        let all = 0..offsets.len();
        let offsets = match is_narrow(last.wrapping_sub(first) as u64) {
            true => Offsets::Narrow(all.map(|row| within(row) as u32).collect::<Vec<_>>().into()),
            false => Offsets::Wide(all.map(|row| within(row) as u64).collect::<Vec<_>>().into()),
        };
        Self::checked(offsets, columns, weights)
    }

    /// Keeps the rows of a range, and empties all others.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn rows_alone(&self, rows: Range<u32>) -> Result<Self> {
        let offsets = self.offsets();
        let edges = offsets.at(rows.start as usize)..offsets.at(rows.end as usize);
        let weights = match self.weights() {
            Weights::None => Weights::None,
            Weights::U32(weights) => Weights::U32(weights[edges.clone()].to_vec().into()),
            Weights::F32(weights) => Weights::F32(weights[edges.clone()].to_vec().into()),
        };
        Self::from_rows(rows, offsets, self.columns()[edges].to_vec().into(), weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Generator, Parts};

    #[test]
    fn parts_together_are_the_whole() {
        for text in ["rmat:scale=7", "star:nodes=50", "chain:nodes=3", "er:nodes=0", "star:nodes=1"] {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            for parts in [1, 2, 7] {
                for starts in [balanced(csr.offsets(), parts), even(csr.nodes(), parts)] {
                    assert_eq!((starts.len(), starts[0], starts[parts]), (parts + 1, 0, csr.nodes()));
                    assert!(starts.is_sorted());
                    for pair in starts.windows(2) {
                        let part = csr.rows_alone(pair[0]..pair[1]).unwrap();
                        let is_same = |node| match (pair[0]..pair[1]).contains(&node) {
                            true => part.neighbours(node) == csr.neighbours(node),
                            false => part.degree(node) == 0,
                        };
                        assert!((0..csr.nodes()).all(is_same), "{text}, {starts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn balanced_parts_have_about_as_much() {
        let csr = "rmat:scale=12".parse::<Generator>().unwrap().generate().unwrap().csr;
        let (starts, offsets) = (balanced(csr.offsets(), 4), csr.offsets());
        let share = (csr.columns().len() + csr.nodes() as usize) / 4;
        for pair in starts.windows(2) {
            let (begin, end) = (pair[0] as usize, pair[1] as usize);
            assert!((offsets.at(end) - offsets.at(begin) + end - begin).abs_diff(share) < share / 10, "{starts:?}");
        }
    }

    #[test]
    fn every_family_is_made_in_parts() {
        for text in [
            "rmat:scale=6,seed=3",
            "rmat:scale=6,directed=true",
            "graph500:scale=5",
            "er:nodes=100,degree=5",
            "er:nodes=0",
            "grid:rows=5,cols=7",
            "road:nodes=90,lengths=true,diagonal=0.5",
            "star:nodes=20",
            "chain:nodes=20",
            "complete:nodes=9",
        ] {
            let generator: Generator = text.parse().unwrap();
            let whole = generator.generate().unwrap();
            match generator.parts().unwrap() {
                Parts::Rows(make) => {
                    for pair in even(whole.csr.nodes(), 3).windows(2) {
                        let expected = whole.csr.rows_alone(pair[0]..pair[1]).unwrap();
                        assert_eq!(make(pair[0]..pair[1]).unwrap(), expected, "{text}");
                    }
                }
                Parts::Drawn { nodes, draws, ends } => {
                    assert_eq!(nodes, whole.csr.nodes());
                    for [u, v] in (0..draws).map(ends).filter(|[u, v]| u != v) {
                        let has = |u, v| whole.csr.neighbours(u).binary_search(&v).is_ok();
                        assert!(has(u, v) && (whole.directed || has(v, u)), "{text}: {u} {v}");
                    }
                }
            }
        }
    }
}
