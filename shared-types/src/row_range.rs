//! The rows of a graph whose edges a dispatch has.

use bytemuck::{Pod, Zeroable};

/// A partition of a graph: consecutive rows, whose columns and weights are bound to a dispatch. The offsets of all rows are bound, as
/// they are in the whole graph, of which they are the low 32 bits. A row that alone exceeds a buffer is cut: then it is the only one of
/// its partitions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct RowRange {
    /// The first row.
    pub first: u32,
    /// The number of rows.
    pub count: u32,
    /// The edges of the graph before those of the partition, the low 32 bits.
    pub edges_before: u32,
    /// The number of edges.
    pub edges: u32,
    /// 1 where they are a part of a single row, of less than 2³¹ edges; else 0.
    pub is_cut: u32,
    /// 1 for the last dispatch of an iteration, else 0.
    pub is_last: u32,
}

impl RowRange {
    /// The row after the last.
    #[inline(always)]
    pub fn end(&self) -> u32 {
        self.first + self.count
    }

    /// Whether it has the row.
    #[inline(always)]
    pub fn has(&self, row: u32) -> bool {
        row.wrapping_sub(self.first) < self.count
    }

    /// Where some edges of one of its rows are in the columns that are bound. They are given by their place in the whole graph, the low 32
    /// bits, and their number. Returns the first, and how many of them there are here.
    #[inline(always)]
    pub fn place(&self, begin: u32, count: u32) -> (u32, u32) {
        let begin = begin.wrapping_sub(self.edges_before);
        if self.is_cut == 0 {
            return (begin, count);
        }
        let (begin, end) = (begin as i32, begin.wrapping_add(count) as i32);
        let (first, end) = (begin.max(0), end.min(self.edges as i32));
        (first as u32, (end - first).max(0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_where_they_are_bound() {
        let range = RowRange { first: 7, count: 3, edges_before: u32::MAX - 9, edges: 50, is_cut: 0, is_last: 0 };
        assert_eq!([6, 7, 9, 10].map(|row| range.has(row)), [false, true, true, false]);
        assert_eq!(range.place(u32::MAX - 9, 20), (0, 20));
        assert_eq!(range.place(5, 3), (15, 3), "the graph has more than 2³² edges");
    }

    #[test]
    fn a_part_of_a_row_has_its_own_edges_alone() {
        let range = RowRange { first: 7, count: 1, edges_before: 100, edges: 50, is_cut: 1, is_last: 0 };
        assert_eq!(range.place(20, 200), (0, 50));
        assert_eq!(range.place(120, 10), (20, 10));
        assert_eq!(range.place(140, 100), (40, 10));
        assert_eq!((range.place(20, 30).1, range.place(150, 30).1), (0, 0));
    }
}
