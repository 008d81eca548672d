//! The matrix that PageRank gathers over: for each node a row of the nodes whose edges lead to it, then one more row of the
//! dangling nodes, those that no edge leaves. Nodes without any edge all have the same rank, so one of them stands for all.

use crate::{
    Result,
    engine::schedule::Schedule,
    graph::{Csr, NodeOrder, Offsets, Weights, transform::transpose},
    phase,
};

/// The longest row under a schedule in which one invocation may add it up alone. Single precision loses up to 1.4e-8 of a sum
/// with each term when all are alike, as the leaves of a star are: 7e-6 of a row of this length, and 1e-3 of one of 65,536. A
/// rank may be off by 1e-4, and what is lost of dangling nodes comes round again: six times in all where damping is 0.85.
const LONGEST_ALONE: usize = 512;

/// The chunks of a matrix.
#[derive(Default)]
pub struct Blocks {
    /// The places of each chunk in its block, two to a word.
    pub chunks: Vec<[u32; 4]>,
    /// What a workgroup takes at a time: the first chunk, the one after the last, and their block.
    pub parts: Vec<[u32; 3]>,
}

/// The matrix of one graph.
pub struct Pull {
    /// The rows, and behind them the pieces of those that were cut, which are empty themselves.
    pub matrix: Csr,
    /// What a node's rank is multiplied by to become the share that a row adds up.
    pub factors: Vec<f64>,
    /// The nodes without any edge, of which the first stands for all.
    pub alone: Vec<u32>,
    /// For each row that was cut: the row, its first piece, and the piece after its last.
    pub cuts: Vec<[u32; 3]>,
    /// The chunks that rows have columns for.
    pub blocks: Blocks,
}

impl Pull {
    /// The matrix of a graph, in whole rows, with the nodes in an order of their own or as they are. Weights are left out.
    pub fn of(csr: &Csr, order: Option<&NodeOrder>) -> Result<Self> {
        let (incoming, leaving) = incoming(csr, order)?;
        let leaving = leaving.as_ref().map_or(csr.offsets(), Offsets::view);
        let degree = |node: u32| leaving.row(node as usize).len() as u32;
        let mut factors: Vec<f64> = (0..csr.nodes()).map(|node| 1.0 / f64::from(degree(node))).collect();
        let (mut dangling, mut alone) = (Vec::new(), Vec::new());
        for node in (0..csr.nodes()).filter(|node| degree(*node) == 0) {
            factors[node as usize] = 1.0;
            let kind = if incoming.degree(node) == 0 { &mut alone } else { &mut dangling };
            kind.push(node);
        }
        if let Some(first) = alone.first() {
            factors[*first as usize] = alone.len() as f64;
            dangling.push(*first);
            dangling.sort_unstable();
        }
        let columns = [incoming.columns(), dangling.as_slice()].concat();
        let offsets = (0..incoming.offsets().len()).map(|row| incoming.offsets().at(row) as u64);
        let offsets: Vec<u64> = offsets.chain([columns.len() as u64]).collect();
        // SAFETY: the rows of a checked graph, and behind them a row of some of its nodes in ascending order.
        let matrix = unsafe { Csr::from_builder(offsets.into(), columns.into(), Weights::None) };
        Ok(Self { matrix, factors, alone, cuts: Vec::new(), blocks: Blocks::default() })
    }

    /// A matrix that is a part of a graph's.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_rows(matrix: Csr, factors: Vec<f64>) -> Self {
        Self { matrix, factors, alone: Vec::new(), cuts: Vec::new(), blocks: Blocks::default() }
    }

    /// Cuts long rows into pieces, if the schedule does not share them out anyway.
    pub fn cut_for(self, schedule: Schedule) -> Self {
        match longest_row(schedule) {
            Some(longest) => self.cut(longest),
            None => self,
        }
    }

    fn cut(self, longest: usize) -> Self {
        let rows = self.matrix.nodes();
        let long: Vec<u32> = (0..rows).filter(|row| self.matrix.row(*row).len() > longest).collect();
        if long.is_empty() {
            return self;
        }
        let mut columns = Vec::with_capacity(self.matrix.columns().len());
        let mut offsets = Vec::with_capacity(rows as usize + 1);
        offsets.push(0);
        let mut add = |entries: &[u32]| {
            columns.extend_from_slice(entries);
            offsets.push(columns.len() as u64);
        };
        for row in 0..rows {
            let entries = self.matrix.neighbours(row);
            add(if entries.len() > longest { &[] } else { entries });
        }
        let mut next = rows;
        let mut cuts = Vec::with_capacity(long.len());
        for row in long {
            let first = next;
            for piece in self.matrix.neighbours(row).chunks(longest) {
                add(piece);
                next += 1;
            }
            cuts.push([row, first, next]);
        }
        let width = (self.factors.len() + self.blocks.chunks.len()).max(next as usize) as u32;
        // SAFETY: the pieces of a row follow each other, and `width` counts nodes, chunks and pieces, which are all that columns name.
        let matrix = unsafe { Csr::with_more_columns(offsets.into(), columns.into(), width) };
        Self { matrix, cuts, ..self }
    }
}

/// The rows of the nodes whose edges lead to each node, and, where they are in another order than the graph's, where the edges that leave
/// each node begin.
pub fn incoming(csr: &Csr, order: Option<&NodeOrder>) -> Result<(Csr, Option<Offsets>)> {
    let csr = csr.without_weights();
    let incoming = if csr.is_symmetric() { csr.clone() } else { phase::during("transposing", || transpose(&csr))? };
    let Some(order) = order else { return Ok((incoming, None)) };
    phase::during("reordering", || Ok((order.rename(&incoming)?, Some(order.offsets(&csr)?))))
}

/// The longest row that a schedule is given; none where it shares every long row between invocations.
fn longest_row(schedule: Schedule) -> Option<usize> {
    (!schedule.implementation().shares_long_tiles()).then_some(LONGEST_ALONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1, 0 → 2, 2 → 1; nothing at 3 and 4.
    fn example() -> Pull {
        let (row_offsets, columns) = (vec![0, 2, 2, 3, 3, 3], vec![1, 2, 1]);
        Pull::of(&Csr::new(row_offsets, columns, Weights::None).unwrap(), None).unwrap()
    }

    #[test]
    fn one_node_without_edges_stands_for_all() {
        let pull = example();
        assert_eq!(*pull.matrix.row_offsets().unwrap(), [0, 0, 2, 3, 3, 3, 5]);
        assert_eq!(*pull.matrix.columns(), [0, 2, 0, 1, 3]);
        assert_eq!(pull.factors[..4], [0.5, 1.0, 1.0, 2.0]);
        assert_eq!(pull.alone, [3, 4]);
        assert!(pull.cuts.is_empty());
    }

    #[test]
    fn long_rows_are_cut_and_keep_their_entries() {
        let whole = example();
        let cut = example().cut(1);
        assert_eq!(cut.cuts, [[1, 6, 8], [5, 8, 10]]);
        assert_eq!(*cut.matrix.row_offsets().unwrap(), [0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 5]);
        for [row, first, end] in &cut.cuts {
            let pieces: Vec<u32> = (*first..*end).flat_map(|piece| cut.matrix.neighbours(piece)).copied().collect();
            assert_eq!(pieces, whole.matrix.neighbours(*row));
            assert_eq!(cut.matrix.degree(*row), 0);
        }
        assert_eq!(cut.factors, whole.factors);
    }
}
