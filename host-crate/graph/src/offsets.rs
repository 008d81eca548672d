//! Where the rows of a graph begin in its columns: 32-bit numbers as far as they can count the edges, and 64-bit ones beyond that.
//!
//! A graph of at most `u32::MAX` edges has [`Offsets::Narrow`], which devices read as they are. Code that works for any graph asks for an
//! [`OffsetsView`], which gives the bounds of a row for both kinds.

use super::{Array, array::zeroed};
use bytemuck::Pod;
use evenkeel_base::{Error, Result};
use std::{borrow::Cow, ops::Range};

/// The most edges that a graph may have. No machine holds so many; a bound keeps sizes in bytes within 64 bits.
#[doc(hidden)]
pub const MOST_EDGES: u64 = 1 << 48;

/// The offsets of a graph's rows: one more than there are nodes, from 0 up to the number of edges.
#[derive(Clone, Debug)]
pub enum Offsets {
    /// Up to `u32::MAX` edges.
    Narrow(Array<u32>),
    /// Any number of edges.
    Wide(Array<u64>),
}

/// Borrowed [`Offsets`], for reading. Copying it copies two words.
#[derive(Clone, Copy, Debug)]
pub enum OffsetsView<'a> {
    /// Up to `u32::MAX` edges.
    Narrow(&'a [u32]),
    /// Any number of edges.
    Wide(&'a [u64]),
}

/// An offset of either width, for code that is compiled for both.
#[doc(hidden)]
pub trait Offset: Pod + Ord + Send + Sync {
    /// The position in the columns.
    fn position(self) -> usize;

    /// The offset of a position, which the caller knows to fit.
    fn of(position: usize) -> Self;
}

impl Offset for u32 {
    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn of(position: usize) -> Self {
        position as Self
    }
}

impl Offset for u64 {
    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }

    #[inline(always)]
    fn of(position: usize) -> Self {
        position as Self
    }
}

/// Runs an expression with the slice of a view, of whichever width it is.
#[doc(hidden)]
#[macro_export]
macro_rules! for_width {
    ($view:expr, $offsets:ident => $body:expr) => {
        match $view {
            $crate::OffsetsView::Narrow($offsets) => $body,
            $crate::OffsetsView::Wide($offsets) => $body,
        }
    };
}
#[doc(hidden)]
pub use for_width;

impl<'a> OffsetsView<'a> {
    /// The low 32 bits of all offsets, which devices read: within a partition they tell all edges apart.
    ///
    /// # Errors
    /// When there is no memory for a copy, which there is only of 64-bit offsets.
    pub fn low_words(self) -> Result<Cow<'a, [u32]>> {
        match self {
            Self::Narrow(offsets) => Ok(Cow::Borrowed(offsets)),
            Self::Wide(offsets) => {
                let mut words = zeroed::<u32>(offsets.len() as u64)?;
                words.iter_mut().zip(offsets).for_each(|(word, offset)| *word = *offset as u32);
                Ok(Cow::Owned(words))
            }
        }
    }

    /// How many offsets there are: one more than rows.
    #[inline]
    pub fn len(self) -> usize {
        for_width!(self, offsets => offsets.len())
    }

    /// Whether there are none, which no graph has.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Where a row begins, or, for the number of rows, where the last one ends.
    #[inline(always)]
    pub fn at(self, row: usize) -> usize {
        for_width!(self, offsets => offsets[row].position())
    }

    /// The positions of a row's edges.
    #[inline(always)]
    pub fn row(self, row: usize) -> Range<usize> {
        for_width!(self, offsets => offsets[row].position()..offsets[row + 1].position())
    }

    /// How many of the offsets are at most `position`: the rows that begin there or before.
    #[inline]
    pub fn count_up_to(self, position: usize) -> usize {
        for_width!(self, offsets => offsets.partition_point(|offset| offset.position() <= position))
    }

    /// The bytes of the offsets as they lie in memory.
    #[doc(hidden)]
    pub fn bytes(self) -> &'a [u8] {
        for_width!(self, offsets => bytemuck::cast_slice(offsets))
    }
}

/// Offsets are equal when their values are, whatever their width.
impl PartialEq for OffsetsView<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Narrow(one), Self::Narrow(other)) => one == other,
            (Self::Wide(one), Self::Wide(other)) => one == other,
            _ => self.len() == other.len() && (0..self.len()).all(|row| self.at(row) == other.at(row)),
        }
    }
}

impl From<Vec<u32>> for Offsets {
    fn from(offsets: Vec<u32>) -> Self {
        Self::Narrow(offsets.into())
    }
}

/// Narrow ones where these can count the edges.
impl From<Vec<u64>> for Offsets {
    fn from(offsets: Vec<u64>) -> Self {
        match offsets.last().is_none_or(|end| u32::try_from(*end).is_ok()) {
            true => offsets.into_iter().map(|offset| offset as u32).collect::<Vec<_>>().into(),
            false => Self::Wide(offsets.into()),
        }
    }
}

impl Offsets {
    /// The offsets for reading.
    #[inline(always)]
    pub fn view(&self) -> OffsetsView<'_> {
        match self {
            Self::Narrow(offsets) => OffsetsView::Narrow(offsets),
            Self::Wide(offsets) => OffsetsView::Wide(offsets),
        }
    }

    /// Adds up degrees: `degrees` is a 0 and then the number of edges of each row, modulo 2^32.
    ///
    /// # Errors
    /// When a row has more than `u32::MAX` of the `edges`, or there is no memory for wide offsets.
    pub(super) fn of_degrees(mut degrees: Vec<u32>, edges: u64) -> Result<Self> {
        let mut sum = 0;
        let offsets = if is_narrow(edges) {
            for slot in &mut degrees {
                sum += u64::from(*slot);
                *slot = sum as u32;
            }
            Self::Narrow(degrees.into())
        } else {
            let mut offsets = zeroed::<u64>(degrees.len() as u64)?;
            for (slot, degree) in offsets.iter_mut().zip(degrees) {
                sum += u64::from(degree);
                *slot = sum;
            }
            Self::Wide(offsets.into())
        };
        match sum == edges {
            true => Ok(offsets),
            false => Err(Error::Graph(format!("a node has more than {} edges", u32::MAX))),
        }
    }
}

/// Whether the offsets of a graph of so many edges are 32 bits wide.
pub(crate) fn is_narrow(edges: u64) -> bool {
    if testing::IS_WIDE.get() {
        return false;
    }
    edges <= u64::from(u32::MAX)
}

/// The offsets of `rows`, counted from the position of the first of them.
pub(super) fn relative(view: OffsetsView<'_>, rows: Range<u32>) -> Cow<'_, [u32]> {
    let (first, bounds) = (view.at(rows.start as usize), rows.start as usize..rows.end as usize + 1);
    match view {
        OffsetsView::Narrow(offsets) if first == 0 => Cow::Borrowed(&offsets[bounds]),
        _ => bounds.map(|row| (view.at(row) - first) as u32).collect(),
    }
}

/// Lets tests have wide offsets in small graphs: those of this crate, and of the crates that read, write and check graphs.
#[doc(hidden)]
pub mod testing {
    use std::cell::Cell;

    thread_local! {
        pub(super) static IS_WIDE: Cell<bool> = const { Cell::new(false) };
    }

    /// What `make` gives with narrow offsets, and with wide ones in all graphs that it makes on this thread.
    pub fn in_both_widths<T>(make: impl Fn() -> T) -> [T; 2] {
        let narrow = make();
        IS_WIDE.set(true);
        let wide = make();
        IS_WIDE.set(false);
        [narrow, wide]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_say_the_same() {
        let [narrow, wide] = testing::in_both_widths(|| Offsets::of_degrees(vec![0, 2, 0, 5, 1], 8).unwrap());
        assert!(matches!((&narrow, &wide), (Offsets::Narrow(_), Offsets::Wide(_))));
        assert!(narrow.view() == wide.view());
        for view in [narrow.view(), wide.view()] {
            assert_eq!((view.len(), view.is_empty()), (5, false));
            assert_eq!((0..5).map(|row| view.at(row)).collect::<Vec<_>>(), [0, 2, 2, 7, 8]);
            assert_eq!((view.row(2), view.count_up_to(2), view.count_up_to(7)), (2..7, 3, 4));
            assert_eq!(*relative(view, 2..4), [0, 5, 6]);
            assert_eq!(*relative(view, 0..1), [0, 2]);
        }
        assert!(narrow.view() != Offsets::of_degrees(vec![0, 2, 0, 6, 1], 9).unwrap().view());
    }

    #[test]
    fn beyond_32_bits_offsets_are_wide_and_longer_rows_are_refused() {
        let degrees = || vec![0, u32::MAX, u32::MAX];
        let offsets = Offsets::of_degrees(degrees(), 2 * u64::from(u32::MAX)).unwrap();
        assert_eq!(offsets.view().row(1), u32::MAX as usize..2 * u32::MAX as usize);
        // A row of 2^32 + 2 edges was counted as 2.
        let error = Offsets::of_degrees(vec![0, 2, 1], (1 << 32) + 3).unwrap_err().to_string();
        assert!(error.contains("more than 4294967295 edges"), "{error}");
    }
}
