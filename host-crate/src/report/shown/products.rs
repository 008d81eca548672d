//! Products of matrices: the range of their elements, their largest rows, and the bytes that a product must move.

use super::*;
use crate::{
    algorithm::{spmm::MatrixProduct, spmv::Product},
    graph::{Csr, Dimensions},
};

pub(super) fn vector_summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let product = outcome.answer_as::<Product>()?;
    let (rows, columns) = (&product.rows, product.columns());
    let biggest = largest(rows.len(), show.top, |row| Some(rows[row].abs()));
    let mut top = Listing::of_nodes("largest", &columns[0], biggest, &outcome.graph.ids);
    top.iter_mut().for_each(|top| top.columns[0] = "row");
    Some(Summary { numbers: range(rows.iter().copied()), top, ..Summary::default() })
}

pub(super) fn figures(outcome: &Outcome<'_>) -> Option<Figures> {
    let rate = Figure::gbytes_per_second(bytes_to_move(&outcome.graph.csr), outcome.seconds);
    Some(outcome.once_through(vec![rate]))
}

pub(super) fn matrix_summary(outcome: &Outcome<'_>, show: &Show) -> Option<Summary> {
    let (product, ids) = (outcome.answer_as::<MatrixProduct>()?, &outcome.graph.ids);
    let elements = |row: usize| &product.elements[row * product.columns..][..product.columns];
    let length = |row: usize| elements(row).iter().map(|&element| f64::from(element).powi(2)).sum::<f64>().sqrt();
    let biggest = largest(product.elements.len() / product.columns, show.top, |row| Some(length(row)));
    let row =
        |row: usize| vec![Cell::Node(ids.name(row as u32).into_owned()), Cell::Value(Value::Real(length(row) as f32))];
    let top = Listing::new("largest", vec!["row", "norm"], biggest.into_iter().map(row).collect());
    let numbers = range(product.elements.iter().map(|&element| element.into()));
    Some(Summary { numbers, top, ..Summary::default() })
}

/// The norm, the smallest and the largest of the elements of a product.
fn range(elements: impl Iterator<Item = f64>) -> Vec<Figure> {
    let (mut squares, mut lowest, mut highest) = (0.0f64, f64::INFINITY, f64::NEG_INFINITY);
    for element in elements {
        squares += element * element;
        (lowest, highest) = (lowest.min(element), highest.max(element));
    }
    if lowest > highest {
        return Vec::new();
    }
    let figure = |name, number: f64, text: &str| {
        Figure::new(name, Value::Double(number), "").in_line("product", format!("{text} {}", four_digits(number)))
    };
    vec![figure("norm", squares.sqrt(), "norm"), figure("min", lowest, "from"), figure("max", highest, "to")]
}

/// The bytes of each array once, four to an element: row offsets, x and y, columns and values.
fn bytes_to_move(csr: &Csr) -> u64 {
    let (Dimensions { rows, columns }, entries) = (csr.dimensions(), csr.edges());
    4 * (u64::from(rows) + 1 + u64::from(columns) + u64::from(rows) + 2 * entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Weights;

    #[test]
    fn every_array_is_moved_once() {
        let csr = Csr::new(vec![0, 2, 3], vec![0, 1, 1], Weights::None).unwrap();
        assert_eq!(bytes_to_move(&csr), 12 + 2 * 8 + 2 * 12);
    }
}
