//! How the rows of a graph are shared out among workgroups: blocks of neighbouring rows, and pieces of rows that are longer than a block, or
//! cut between partitions. The tables of long rows are filled and emptied in batches, so that their memory is bounded.

use crate::graph::Partition;
use evenkeel_kernels::algorithm::communities::{BLOCK, BLOCK_ROWS, LONG_ROW, SCANNED};
use std::ops::Range;

/// The slots that the tables of one batch have at most together, unless one row needs more: half a GiB of labels and counts.
const SLOTS: u64 = 1 << 26;

/// What the kernels' `Tasks` are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableLayout {
    /// The first row of each block, and the row after its last.
    pub blocks: Vec<[u32; 2]>,
    /// The long row of each piece, and the first edge.
    pub pieces: Vec<[u32; 2]>,
    /// The long row of each part of a table.
    pub parts: Vec<u32>,
    /// The node of each long row, where its table begins, its slots, its first part, and the part after its last.
    pub long_rows: Vec<[u32; LONG_ROW as usize]>,
    /// The batches in which the tables of long rows are filled and emptied.
    pub table_batches: Vec<TableBatch>,
    /// What each partition has.
    pub shares: Vec<Share>,
    /// The slots of the longest batch.
    pub slots: usize,
}

/// Long rows whose tables are there at the same time: their pieces and the parts of their tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableBatch {
    pub pieces: Range<u32>,
    pub parts: Range<u32>,
}

/// The blocks of a partition, and its pieces of long rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub blocks: Range<u32>,
    pub pieces: Range<u32>,
}

impl Share {
    /// Its pieces in a batch.
    pub fn pieces_in(&self, batch: &TableBatch) -> Range<u32> {
        let start = self.pieces.start.max(batch.pieces.start);
        start..self.pieces.end.min(batch.pieces.end).max(start)
    }
}

impl TableLayout {
    /// The layout of rows that begin at these edges, in these partitions.
    pub fn new(row_offsets: &[u32], partitions: &[Partition]) -> Self {
        Self::with_slots(row_offsets, partitions, SLOTS)
    }

    fn with_slots(row_offsets: &[u32], partitions: &[Partition], most: u64) -> Self {
        let mut layout = Self::default();
        let mut table = 0u64;
        for part in partitions {
            let (blocks, pieces) = (layout.blocks.len() as u32, layout.pieces.len() as u32);
            match part.is_cut {
                true => {
                    let (node, edges) = (part.rows.start, part.edges.start as u32..part.edges.end as u32);
                    let row = row_offsets[node as usize]..row_offsets[node as usize + 1];
                    if edges.start == row.start {
                        layout.add_long(node, row.end - row.start, &mut table, most);
                    }
                    layout.add_pieces(edges);
                }
                false => layout.add_rows(row_offsets, part.rows.clone(), &mut table, most),
            }
            let (end_block, end_piece) = (layout.blocks.len() as u32, layout.pieces.len() as u32);
            layout.shares.push(Share { blocks: blocks..end_block, pieces: pieces..end_piece });
        }
        layout
    }

    /// Adds the rows of a partition, none of which is cut.
    fn add_rows(&mut self, row_offsets: &[u32], rows: Range<u32>, table: &mut u64, most: u64) {
        let (mut row, end) = (rows.start as usize, rows.end as usize);
        while row < end {
            let (first, begin) = (row, row_offsets[row]);
            while row < end && row_offsets[row + 1] - begin <= BLOCK && row - first < BLOCK_ROWS as usize {
                row += 1;
            }
            if row > first {
                self.blocks.push([first as u32, row as u32]);
            } else {
                self.add_long(first as u32, row_offsets[row + 1] - begin, table, most);
                self.add_pieces(begin..row_offsets[row + 1]);
                row += 1;
            }
        }
    }

    /// Adds a long row of so many edges, to the last batch if its table fits there. Its pieces follow.
    fn add_long(&mut self, node: u32, edges: u32, table: &mut u64, most: u64) {
        // Half as many slots again as there are labels at most.
        let slots = (u64::from(edges) * 3 / 2).min(u32::MAX.into());
        if self.table_batches.is_empty() || *table + slots > most {
            let (piece, part) = (self.pieces.len() as u32, self.parts.len() as u32);
            self.table_batches.push(TableBatch { pieces: piece..piece, parts: part..part });
            *table = 0;
        }
        let number = self.long_rows.len() as u32;
        let first_part = self.parts.len();
        self.parts.extend((0..slots.div_ceil(SCANNED.into())).map(|_| number));
        self.long_rows.push([node, *table as u32, slots as u32, first_part as u32, self.parts.len() as u32]);
        *table += slots;
        self.slots = self.slots.max(*table as usize);
        if let Some(batch) = self.table_batches.last_mut() {
            batch.parts.end = self.parts.len() as u32;
        }
    }

    /// Adds pieces of the last long row: of these edges, which are in one partition.
    fn add_pieces(&mut self, edges: Range<u32>) {
        let number = self.long_rows.len() as u32 - 1;
        self.pieces.extend(edges.step_by(BLOCK as usize).map(|edge| [number, edge]));
        if let Some(batch) = self.table_batches.last_mut() {
            batch.pieces.end = self.pieces.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(degrees: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let ends = degrees.into_iter().scan(0, |end, degree| {
            *end += degree;
            Some(*end)
        });
        [0].into_iter().chain(ends).collect()
    }

    fn whole(offsets: &[u32]) -> [Partition; 1] {
        let edges = 0..offsets.last().map_or(0, |edges| u64::from(*edges));
        [Partition { rows: 0..offsets.len() as u32 - 1, edges, is_cut: false }]
    }

    #[test]
    fn blocks_and_long_rows_cover_all_rows_once() {
        let degrees = (0..5000u32).map(|row| if row % 700 == 3 { BLOCK + row } else { row * 7 % 40 });
        let offsets = offsets(degrees.clone());
        let layout = TableLayout::with_slots(&offsets, &whole(&offsets), 9000);
        let mut rows: Vec<u32> = layout.blocks.iter().flat_map(|[first, end]| *first..*end).collect();
        rows.extend(layout.long_rows.iter().map(|row| row[0]));
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..5000));
        for [first, end] in layout.blocks {
            let edges = offsets[end as usize] - offsets[first as usize];
            assert!(edges <= BLOCK && end - first <= BLOCK_ROWS && first < end);
        }
        assert!(layout.table_batches.len() > 1 && layout.slots <= 9000, "{:?}", layout.table_batches);
        let (pieces, parts) = (layout.pieces.len() as u32, layout.parts.len() as u32);
        assert!(layout.table_batches.iter().flat_map(|batch| batch.pieces.clone()).eq(0..pieces));
        assert!(layout.table_batches.iter().flat_map(|batch| batch.parts.clone()).eq(0..parts));
    }

    #[test]
    fn a_long_row_is_cut_and_its_table_is_larger_than_it() {
        let offsets = offsets([2, 10 * BLOCK + 1, 3]);
        let layout = TableLayout::new(&offsets, &whole(&offsets));
        assert_eq!(layout.blocks, [[0, 1], [2, 3]]);
        assert_eq!(layout.pieces.len(), 11);
        assert_eq!((layout.pieces[0], layout.pieces[10]), ([0, 2], [0, 2 + 10 * BLOCK]));
        let slots = 15 * BLOCK + 1;
        assert_eq!(layout.long_rows, [[1, 0, slots, 0, slots.div_ceil(SCANNED)]]);
        assert_eq!(layout.slots, slots as usize);
        let none = TableLayout { shares: vec![Share::default()], ..TableLayout::default() };
        assert_eq!(TableLayout::new(&[0], &whole(&[0])), none);
    }

    #[test]
    fn a_row_that_is_cut_has_pieces_in_each_of_its_partitions() {
        let offsets = offsets([2, BLOCK + 20, 3]);
        let part = |rows, edges, is_cut| Partition { rows, edges, is_cut };
        let (middle, end) = (u64::from(BLOCK) + 2, u64::from(BLOCK) + 22);
        let partitions = [
            part(0..1, 0..2, false),
            part(1..2, 2..middle, true),
            part(1..2, middle..end, true),
            part(2..3, end..end + 3, false),
        ];
        let layout = TableLayout::new(&offsets, &partitions);
        assert_eq!(layout.blocks, [[0, 1], [2, 3]]);
        assert_eq!(layout.pieces, [[0, 2], [0, middle as u32]]);
        assert_eq!(layout.long_rows.len(), 1);
        let pieces: Vec<_> = layout.shares.iter().map(|share| share.pieces_in(&layout.table_batches[0])).collect();
        assert_eq!(pieces, [0..0, 0..1, 1..2, 2..2]);
        assert_eq!(layout.table_batches[0].pieces, 0..2);
    }
}
