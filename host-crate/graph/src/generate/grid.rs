//! Grids: every node has an edge to its neighbours above, left, right and below; ids go row by row. Long shortest paths and even
//! degrees: the opposite of rmat.

use super::{Family, Parts, check_stored, family_settings};
use crate::{Csr, build::build_symmetric_rows};
use evenkeel_base::Result;
use std::ops::Range;

family_settings! {
    /// The family `grid`.
    Grid {
        size("rows", "number of rows") rows: u64 = 1024,
        size("cols", "number of columns") cols: u64 = 1024,
    }
}

impl Family for Grid {
    const NAME: &'static str = "grid";
    const ABOUT: &'static str = "rows × cols, four neighbours, ids row by row";

    fn check(&self) -> Result<()> {
        let across = self.rows.saturating_mul(self.cols.saturating_sub(1));
        let down = self.rows.saturating_sub(1).saturating_mul(self.cols);
        check_stored(self.rows.saturating_mul(self.cols), across.saturating_add(down).saturating_mul(2))
    }

    fn build(&self) -> Result<Csr> {
        self.rows(0..(self.rows * self.cols) as u32)
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Rows(Box::new(|rows| self.rows(rows))))
    }
}

impl Grid {
    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        let (nodes, cols) = ((self.rows * self.cols) as u32, self.cols as u32);
        build_symmetric_rows(nodes, rows, |node| {
            let column = node % cols;
            let above = node.checked_sub(cols);
            let left = (column > 0).then(|| node - 1);
            let right = (column + 1 < cols).then(|| node + 1);
            let below = node.checked_add(cols).filter(|&below| below < nodes);
            [above, left, right, below].into_iter().flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_by_three() {
        let csr = Grid { rows: 2, cols: 3 }.build().unwrap();
        let rows: Vec<&[u32]> = (0..6).map(|node| csr.neighbours(node)).collect();
        assert_eq!(rows, [&[1, 3][..], &[0, 2, 4], &[1, 5], &[0, 4], &[1, 3, 5], &[2, 4]]);
    }

    #[test]
    fn edges_are_counted_before_they_are_made() {
        assert!(Grid { rows: u64::MAX, cols: u64::MAX }.check().is_err());
        assert!(Grid { rows: 80_000, cols: 80_000 }.check().is_err(), "too many nodes");
        assert!(Grid { rows: 40_000, cols: 40_000 }.check().is_ok(), "more edges than 32 bits count");
        assert!(Grid { rows: 0, cols: 5 }.check().is_ok());
        assert_eq!(Grid { rows: 0, cols: 5 }.build().unwrap().nodes(), 0);
    }
}
