//! Matrices that are not square. A [`Csr`] has a row for each node, as many as the matrix has rows or columns, whichever is more; the rest of
//! its rows are empty, or no column is as high. It is a graph like any other, and says how much of it is the matrix.

use super::{Csr, Dimensions, offsets::Offsets};
use evenkeel_base::{Error, Result};
use std::sync::Arc;

impl Csr {
    /// How many rows and columns the matrix has: one for each node unless [`Csr::with_dimensions`] said otherwise.
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions.unwrap_or(Dimensions { rows: self.nodes(), columns: self.nodes() })
    }

    /// Whether the matrix has as many rows as columns.
    pub fn is_square(&self) -> bool {
        self.dimensions().rows == self.dimensions().columns
    }

    /// States how many rows and columns the matrix has.
    ///
    /// # Errors
    /// When there are not as many nodes as rows or as columns, whichever is more, or when there is an entry outside of them.
    pub fn with_dimensions(mut self, dimensions: Dimensions) -> Result<Self> {
        let Dimensions { rows, columns } = dimensions;
        if rows == columns && rows == self.nodes() {
            return Ok(self);
        }
        let wrong = |reason: String| Err(Error::Graph(format!("{rows} rows and {columns} columns: {reason}")));
        if rows.max(columns) != self.nodes() {
            return wrong(format!("there are {} nodes, and there should be as many as the more of both", self.nodes()));
        }
        if self.row_begin(rows) != self.columns().len() {
            return wrong("there are entries in rows behind these".into());
        }
        if self.columns().iter().any(|column| *column >= columns) {
            return wrong("there are entries in columns behind these".into());
        }
        self.dimensions = Some(dimensions);
        Ok(self)
    }

    /// The matrix with its own rows alone. Where it has more columns than rows, this is no graph, and nothing that leaves the algorithm which makes
    /// it.
    #[doc(hidden)]
    pub fn matrix(&self) -> Self {
        let rows = self.dimensions().rows as usize;
        if rows == self.nodes() as usize {
            return self.clone();
        }
        let mut matrix = self.clone();
        matrix.structure_facts = Arc::default();
        matrix.offsets = match &self.offsets {
            Offsets::Narrow(offsets) => Offsets::Narrow(offsets[..=rows].to_vec().into()),
            Offsets::Wide(offsets) => Offsets::Wide(offsets[..=rows].to_vec().into()),
        };
        matrix
    }

    /// Refuses a matrix that is not square, for `name`, which takes it as a graph.
    #[doc(hidden)]
    pub fn refuse_rectangle(&self, name: &str) -> Result<()> {
        let Dimensions { rows, columns } = self.dimensions();
        if self.is_square() {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "the matrix has {rows} rows and {columns} columns, and {name} needs a graph, whose nodes are rows and columns alike; spmv and \
             spmm multiply any matrix"
        )))
    }

    /// Where the entries of a row begin; those of the row behind the last one, where all end.
    fn row_begin(&self, row: u32) -> usize {
        self.offsets().at(row as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    #[test]
    fn dimensions_are_not_those_of_the_entries_is_refused() {
        let csr = Csr::new(vec![0, 2, 3, 3], vec![0, 2, 1], Weights::None).unwrap();
        assert!(csr.is_square());
        let with = |rows, columns| csr.clone().with_dimensions(Dimensions { rows, columns });
        assert_eq!(with(2, 3).unwrap().dimensions(), Dimensions { rows: 2, columns: 3 });
        for (rows, columns, reason) in
            [(1, 3, "rows behind"), (3, 2, "columns behind"), (2, 2, "3 nodes"), (4, 3, "3 nodes")]
        {
            let error = with(rows, columns).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_wide_matrix_has_no_rows_but_its_own() {
        let csr = Csr::new(vec![0, 2, 3, 3], vec![0, 2, 1], Weights::U32(vec![5, 6, 7].into())).unwrap();
        let matrix = csr.with_dimensions(Dimensions { rows: 2, columns: 3 }).unwrap().matrix();
        assert_eq!((matrix.nodes(), matrix.edges(), matrix.dimensions().columns), (2, 3, 3));
        assert_eq!((matrix.neighbours(0), matrix.neighbours(1)), (&[0, 2][..], &[1][..]));
    }
}
