//! Compressed sparse rows: the form in which every algorithm reads a graph.
//!
//! The fields are private and every constructor leaves the same promise behind, which kernels rely on without checking again:
//! offsets rise from 0 to the number of columns, no row has more than `u32::MAX` edges, every column is a node, rows are sorted, and
//! weights are absent or as many as columns. A clone shares the arrays and what is known of them ([`super::facts`]).

use super::{
    Array, Weights,
    array::zeroed,
    offsets::{MOST_EDGES, Offset, Offsets, OffsetsView, for_width},
};
use bytemuck::Pod;
use evenkeel_base::{Error, Result, numerals::grouped};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

/// The most nodes a graph may have: the highest 32-bit number stays free to mean "none".
#[doc(hidden)]
pub const MOST_NODES: u64 = u32::MAX as u64 - 1;

/// How many entries are checked at a time: as many as stay in a core's cache.
const PIECE: usize = if cfg!(test) { 4 } else { 1 << 15 };

/// Facts about rows and columns. Other weights do not change them.
#[derive(Debug, Default)]
pub(super) struct StructureFacts {
    pub(super) symmetric: OnceLock<bool>,
    pub(super) max_degree_node: OnceLock<Option<u32>>,
    pub(super) self_loops: OnceLock<u64>,
}

/// The range of the weights, where it is known.
pub(super) type WeightFacts = OnceLock<Option<(f64, f64)>>;

/// How many rows and columns a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
}

/// Rows of sorted columns: row `u` holds the neighbours of node `u`.
#[derive(Clone, Debug)]
pub struct Csr {
    pub(super) offsets: Offsets,
    columns: Array<u32>,
    weights: Weights,
    /// How many rows and columns the matrix has, where it is not square.
    pub(super) dimensions: Option<Dimensions>,
    pub(super) structure_facts: Arc<StructureFacts>,
    pub(super) weight_facts: Arc<WeightFacts>,
}

/// Graphs are equal when their arrays hold the same; what is known of them follows from the arrays.
impl PartialEq for Csr {
    fn eq(&self, other: &Self) -> bool {
        self.offsets() == other.offsets()
            && self.columns == other.columns
            && self.weights == other.weights
            && self.dimensions() == other.dimensions()
    }
}

impl Csr {
    /// Checks the three arrays of a graph and takes them over. Row `u` is `columns[row_offsets[u]..row_offsets[u + 1]]`;
    /// weights are in the order of the columns. [`Csr::from_edges`] takes edges in any order.
    ///
    /// # Errors
    /// When `row_offsets` is empty, does not start at 0, falls, or does not end at the number of columns; when a column is not
    /// a node or a row is not sorted; when there are weights but not one for each column, or one is not a number; when there
    /// are more nodes than 32-bit indices can count. The message names the first such place.
    pub fn new(row_offsets: impl Into<Array<u32>>, columns: impl Into<Array<u32>>, weights: Weights) -> Result<Self> {
        Self::checked(Offsets::Narrow(row_offsets.into()), columns.into(), weights)
    }

    /// As [`Csr::new`] for any number of edges, and the only way for more than `u32::MAX`.
    ///
    /// # Errors
    /// As of [`Csr::new`], and when a row has more than `u32::MAX` edges.
    pub fn new_wide(
        row_offsets: impl Into<Array<u64>>,
        columns: impl Into<Array<u32>>,
        weights: Weights,
    ) -> Result<Self> {
        Self::checked(Offsets::Wide(row_offsets.into()), columns.into(), weights)
    }

    /// Checks arrays and takes them over.
    #[doc(hidden)]
    pub fn checked(offsets: Offsets, columns: Array<u32>, weights: Weights) -> Result<Self> {
        let csr = Self::unchecked(offsets, columns, weights);
        csr.check().map_err(Error::Graph)?;
        Ok(csr)
    }

    /// Takes over arrays; the caller checks them next.
    fn unchecked(offsets: Offsets, columns: Array<u32>, weights: Weights) -> Self {
        Self {
            offsets,
            columns,
            weights,
            dimensions: None,
            structure_facts: Arc::default(),
            weight_facts: Arc::default(),
        }
    }

    /// Takes over arrays that are right by construction, without a check in a release build. In [`super::build`] degrees are
    /// counted from the same entries that become the columns, offsets are their running sum, and entries are sorted; others
    /// join or cut rows of a graph that was checked.
    ///
    /// # Safety
    /// The arrays are what [`Csr::checked`] would accept: kernels index with them without a check.
    #[doc(hidden)]
    pub unsafe fn from_builder(offsets: Offsets, columns: Array<u32>, weights: Weights) -> Self {
        let csr = Self::unchecked(offsets, columns, weights);
        debug_assert_eq!(csr.check(), Ok(()));
        csr
    }

    /// Takes over the rows of a matrix that has more columns than rows: no graph, and nothing that leaves the algorithm which makes it. The arrays
    /// are right by construction but for that, and rows need not be sorted.
    ///
    /// # Safety
    /// Offsets rise from 0 to the number of columns, and each column is below `width`: kernels index with them without a check.
    #[doc(hidden)]
    pub unsafe fn with_more_columns(offsets: Offsets, columns: Array<u32>, width: u32) -> Self {
        let csr = Self::unchecked(offsets, columns, Weights::None);
        debug_assert_eq!(csr.check_offsets(), Ok(()));
        debug_assert!(csr.columns.iter().all(|column| *column < width));
        csr
    }

    /// Replaces the weights, and shares the structure.
    ///
    /// # Errors
    /// When there are weights but not one for each column, or one is not a number.
    pub fn with_weights(&self, weights: Weights) -> Result<Self> {
        let csr = Self { weights, weight_facts: Arc::default(), ..self.clone() };
        csr.check_weights().map_err(Error::Graph)?;
        Ok(csr)
    }

    /// Drops the weights, and shares the structure.
    pub fn without_weights(&self) -> Self {
        Self { weights: Weights::None, weight_facts: Arc::default(), ..self.clone() }
    }

    /// The offsets: where each row begins, and at the end the number of edges.
    #[inline(always)]
    pub fn offsets(&self) -> OffsetsView<'_> {
        self.offsets.view()
    }

    /// The offsets as devices take them, in 32 bits.
    ///
    /// # Errors
    /// When the graph has more edges than 32 bits count.
    pub fn row_offsets(&self) -> Result<&[u32]> {
        match &self.offsets {
            Offsets::Narrow(offsets) => Ok(offsets),
            Offsets::Wide(_) => Err(self.too_wide()),
        }
    }

    /// The number of edges as devices take it, in 32 bits.
    ///
    /// # Errors
    /// When the graph has more edges than 32 bits count.
    pub fn narrow_edges(&self) -> Result<u32> {
        match &self.offsets {
            Offsets::Narrow(_) => Ok(self.columns.len() as u32),
            Offsets::Wide(_) => Err(self.too_wide()),
        }
    }

    #[cold]
    fn too_wide(&self) -> Error {
        let (edges, most) = (grouped(self.edges()), grouped(u32::MAX.into()));
        Error::Graph(format!("the graph has {edges} edges, and this needs them in one piece: at most {most}"))
    }

    /// The neighbour at the end of each edge, row after row.
    #[inline]
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The weights, in the order of the columns.
    #[inline]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The number of nodes.
    #[inline]
    pub fn nodes(&self) -> u32 {
        (self.offsets().len() - 1) as u32
    }

    /// The number of directed edges stored.
    #[inline]
    pub fn edges(&self) -> u64 {
        self.columns.len() as u64
    }

    /// The number of edges that leave `node`.
    #[inline]
    pub fn degree(&self, node: u32) -> u32 {
        self.row(node).len() as u32
    }

    /// The positions of `node`'s edges in the columns and in the weights.
    #[inline]
    pub fn row(&self, node: u32) -> Range<usize> {
        self.offsets().row(node as usize)
    }

    /// The nodes at the ends of `node`'s edges.
    #[inline]
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.columns[self.row(node)]
    }

    /// Computes `value(source, target)` for each edge, in the order of the columns.
    ///
    /// # Errors
    /// When there is no memory for the values.
    pub fn map_edges<T: Pod + Send>(&self, value: impl Fn(u32, u32) -> T + Sync) -> Result<Vec<T>> {
        const CHUNK: usize = 1 << 16;
        let mut values = zeroed(self.columns.len() as u64)?;
        values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
            let start = chunk * CHUNK;
            self.visit_edges(start..start + values.len(), |source, edge| {
                values[edge - start] = value(source, self.columns[edge]);
            });
        });
        Ok(values)
    }

    /// Calls `visit(source, edge)` for each of the edges at these positions.
    pub(super) fn visit_edges(&self, edges: Range<usize>, mut visit: impl FnMut(u32, usize)) {
        let mut row = self.source_of(edges.start) as usize;
        for_width!(self.offsets(), offsets => for edge in edges {
            while offsets[row + 1].position() <= edge {
                row += 1;
            }
            visit(row as u32, edge);
        });
    }

    /// The node whose row holds the edge at this position; 0 when there are no edges.
    pub(super) fn source_of(&self, edge: usize) -> u32 {
        self.offsets().count_up_to(edge).saturating_sub(1) as u32
    }

    /// Checks all that [`Csr::new`] promises.
    fn check(&self) -> Result<(), String> {
        self.check_offsets()?;
        self.check_columns()?;
        self.check_weights()
    }

    fn check_offsets(&self) -> Result<(), String> {
        let (offsets, edges) = (self.offsets(), self.columns.len());
        if offsets.is_empty() {
            return Err("there are no row offsets; a graph without nodes has one, which is 0".into());
        }
        let nodes = offsets.len() - 1;
        if nodes as u64 > MOST_NODES || edges as u64 > MOST_EDGES {
            return Err(format!("{nodes} nodes and {edges} edges: at most {MOST_NODES} and {MOST_EDGES} are possible"));
        }
        let (first, last) = (offsets.at(0), offsets.at(nodes));
        if first != 0 {
            return Err(format!("the row offsets start at {first}, not at 0"));
        }
        if last != edges {
            return Err(format!("the row offsets end at {last}, but there are {edges} columns"));
        }
        let is_fall = |row: &usize| offsets.at(row + 1) < offsets.at(*row);
        match for_width!(offsets, offsets => self.find_highest(offsets)) {
            None => {
                let row = (0..nodes).find(is_fall).unwrap_or_default();
                let Range { start, end } = offsets.row(row);
                Err(format!("the row offsets fall from {start} to {end} at row {row}"))
            }
            Some(degree) if degree > u32::MAX as usize => {
                let row = (0..nodes).find(|row| offsets.row(*row).len() == degree).unwrap_or_default();
                Err(format!("row {row} has {degree} edges, and at most {} are possible", u32::MAX))
            }
            Some(_) => Ok(()),
        }
    }

    /// The highest degree; none where an offset falls. The first node of that degree is known from the same pass.
    fn find_highest<T: Offset>(&self, offsets: &[T]) -> Option<usize> {
        let degree = |pair: &[T]| pair[1].position().wrapping_sub(pair[0].position());
        let rows = offsets.len() - 1;
        let of_piece = |piece: usize| {
            let offsets = &offsets[piece * PIECE..(piece * PIECE + PIECE).min(rows) + 1];
            let (mut fall, mut highest) = (false, 0);
            for pair in offsets.windows(2) {
                fall |= pair[1] < pair[0];
                highest = highest.max(degree(pair));
            }
            (fall, highest, std::cmp::Reverse(piece))
        };
        let pieces = (0..rows.div_ceil(PIECE)).into_par_iter().map(of_piece);
        let Some((fall, highest, piece)) = pieces.max() else { return Some(0) };
        if fall {
            return None;
        }
        let first = piece.0 * PIECE;
        let place = offsets[first..].windows(2).position(|pair| degree(pair) == highest);
        self.state_max_degree_node(place.map(|place| (first + place) as u32));
        Some(highest)
    }

    fn check_columns(&self) -> Result<(), String> {
        match for_width!(self.offsets(), offsets => self.are_columns_right(offsets)) {
            true => Ok(()),
            false => Err(self.column_error()),
        }
    }

    /// One pass at the speed of memory, over pieces of columns whatever their rows: a column may be lower than the one before it
    /// only where a row begins, so a piece is right when there are as many such places as rows that begin at one.
    fn are_columns_right<T: Offset>(&self, offsets: &[T]) -> bool {
        let (columns, nodes): (&[u32], u32) = (&self.columns, self.nodes());
        let is_right = |piece: usize| {
            let (start, end) = (piece * PIECE, (piece * PIECE + PIECE).min(columns.len()));
            let (mut outside, mut falls) = (false, 0);
            for &column in &columns[start..end] {
                outside |= column >= nodes;
            }
            let with_last = &columns[start.saturating_sub(1)..end];
            for (before, column) in with_last.iter().zip(&with_last[1..]) {
                falls += u32::from(before > column);
            }
            // The first column of all follows none.
            let mut last = start.max(1) - 1;
            for begin in &offsets[offsets.partition_point(|offset| offset.position() <= last)..] {
                let begin = begin.position();
                if begin >= end {
                    break;
                }
                // Several rows begin at the same place where all but one are empty.
                let falls_there = begin > last && columns[begin - 1] > columns[begin];
                falls -= u32::from(falls_there);
                last = begin;
            }
            !outside && falls == 0
        };
        (0..columns.len().div_ceil(PIECE)).into_par_iter().all(is_right)
    }

    /// What is wrong in the first row that is.
    #[cold]
    fn column_error(&self) -> String {
        let nodes = self.nodes();
        let is_wrong = |row: &[u32]| !row.is_sorted() || row.last().is_some_and(|&last| last >= nodes);
        let node = (0..nodes).find(|&node| is_wrong(self.neighbours(node))).unwrap_or_default();
        let row = self.neighbours(node);
        match row.iter().find(|&&column| column >= nodes) {
            Some(column) => format!("row {node} has the column {column}, but there are {nodes} nodes"),
            None => format!("the columns of row {node} are not in ascending order"),
        }
    }

    fn check_weights(&self) -> Result<(), String> {
        let (weights, columns) = (self.weights.len(), self.columns.len());
        if !self.weights.is_none() && weights != columns {
            return Err(format!("there are {weights} weights for {columns} columns"));
        }
        if let Weights::F32(weights) = &self.weights {
            // The range is found on the way: it takes the same pass.
            let range = self.weights.range();
            if range.is_some_and(|(low, _)| low.is_nan()) {
                let edge = weights.iter().position(|weight| weight.is_nan()).unwrap_or_default();
                return Err(format!("the weight of edge {edge}, in row {}, is not a number", self.source_of(edge)));
            }
            self.state_weight_range(range);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random::mix;

    /// Rows of a few random columns, sorted but for some.
    fn rows(seed: u64) -> Vec<Vec<u32>> {
        let draw = |place: u64, below: u64| mix(seed.wrapping_mul(1 << 20).wrapping_add(place)) % below;
        let row = |row: u64| {
            let mut columns: Vec<u32> = (0..draw(row, 6)).map(|place| draw(64 + 8 * row + place, 12) as u32).collect();
            if draw(32 + row, 60) != 0 {
                columns.sort_unstable();
            }
            columns
        };
        (0..1 + draw(999, 14)).map(row).collect()
    }

    #[test]
    fn every_flaw_is_found_wherever_pieces_begin() {
        let mut right = 0;
        for seed in 0..3000 {
            let rows = rows(seed);
            let ends = rows.iter().scan(0, |end, row| {
                *end += row.len() as u32;
                Some(*end)
            });
            let offsets: Vec<u32> = [0].into_iter().chain(ends).collect();
            let nodes = rows.len() as u32;
            let expected = rows.iter().all(|row| row.is_sorted() && row.iter().all(|&column| column < nodes));
            let csr = Csr::new(offsets, rows.concat(), Weights::None);
            assert_eq!(csr.is_ok(), expected, "{rows:?}");
            if let Ok(csr) = csr {
                let highest = rows.iter().map(Vec::len).max().unwrap();
                let first = rows.iter().position(|row| row.len() == highest).map(|row| row as u32);
                assert_eq!(csr.max_degree_node(), first, "{rows:?}");
                right += 1;
            }
        }
        assert!((300..2700).contains(&right), "{right} of 3000 are right");
    }

    #[test]
    fn a_fall_of_the_offsets_is_named() {
        let error = Csr::new(vec![0, 1, 2, 3, 4, 5, 3, 6], vec![0; 6], Weights::None).unwrap_err().to_string();
        assert!(error.contains("fall from 5 to 3 at row 5"), "{error}");
    }
}
