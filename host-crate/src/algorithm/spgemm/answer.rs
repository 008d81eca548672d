//! The entries of a sparse product.

use super::super::prelude::*;

/// The values of the entries.
#[derive(Clone, Debug, PartialEq)]
pub enum ProductValues {
    /// In single precision.
    Single(Vec<f32>),
    /// In double precision.
    Double(Vec<f64>),
}

/// A sparse matrix: its entries by row, and by column in each row.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseProduct {
    /// The row of each entry.
    pub rows: Vec<u32>,
    /// The column of each entry.
    pub columns: Vec<u32>,
    /// The value of each entry.
    pub values: ProductValues,
    /// The number of products that were added up to them.
    pub products: u64,
}

impl SparseProduct {
    /// The number of entries.
    pub fn nonzeros(&self) -> usize {
        self.columns.len()
    }

    /// Products for each entry: how much smaller the matrix is than a list of all products.
    pub fn compression(&self) -> f64 {
        self.products as f64 / (self.nonzeros() as f64).max(1.0)
    }

    /// The rows, columns and values of the entries, in double precision.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = (u32, u32, f64)> {
        let value = |place: usize| match &self.values {
            ProductValues::Single(values) => values[place].into(),
            ProductValues::Double(values) => values[place],
        };
        (0..self.nonzeros()).map(move |place| (self.rows[place], self.columns[place], value(place)))
    }
}

impl Answer for SparseProduct {
    fn columns(&self) -> Vec<Column<'_>> {
        let values = match &self.values {
            ProductValues::Single(values) => Values::F32(values.into()),
            ProductValues::Double(values) => Values::F64(values.into()),
        };
        vec![
            Column::new("row", Values::Nodes((&self.rows).into())),
            Column::new("column", Values::Nodes((&self.columns).into())),
            Column::new("value", values),
        ]
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            Fact { name: "nonzeros", value: Value::Count(self.nonzeros() as u64) },
            Fact { name: "products", value: Value::Count(self.products) },
            Fact { name: "compression", value: Value::Double(self.compression()) },
        ]
    }
}
