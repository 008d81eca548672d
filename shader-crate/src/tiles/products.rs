//! The products of two sparse matrices, as Gustavson's algorithm forms them: a tile is an entry of the left matrix, and its atoms are the entries of
//! the row of the right matrix that the column of the entry names.

use super::TileSet;
use crate::prelude::*;

/// Entries of a matrix as tiles of their products with the rows of another one.
#[derive(Clone, Copy)]
pub struct Products<'a> {
    /// The columns of the left matrix.
    pub columns: Read<'a, u32>,
    /// The entry of the left matrix that is the first tile.
    pub first: u32,
    /// How many entries are tiles.
    pub count: u32,
    /// Where each row of the right matrix begins.
    pub row_offsets: Read<'a, u32>,
    /// The prefix sums of the tiles' lengths, one more than there are tiles.
    pub before: Read<'a, u32>,
}

#[inline_all]
impl TileSet for Products<'_> {
    fn tiles(&self) -> u32 {
        self.count
    }

    fn begin(&self, tile: u32) -> u32 {
        self.row_offsets.get(self.columns.get(self.first + tile))
    }

    fn end(&self, tile: u32) -> u32 {
        self.row_offsets.get(self.columns.get(self.first + tile) + 1)
    }

    fn before(&self, tile: u32) -> u32 {
        self.before.get(tile)
    }
}
