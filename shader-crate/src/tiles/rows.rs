//! Compressed rows: a tile is a row, an atom is a stored entry. The columns of a CSC matrix are the same with other names.

use super::TileSet;
use crate::prelude::*;

/// Compressed rows as tiles.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Where each row begins, and the number of entries.
    pub offsets: Read<'a, u32>,
    /// How many rows there are.
    pub count: u32,
}

#[inline_all]
impl TileSet for Rows<'_> {
    fn tiles(&self) -> u32 {
        self.count
    }

    fn begin(&self, tile: u32) -> u32 {
        self.offsets.get(tile)
    }

    fn end(&self, tile: u32) -> u32 {
        self.offsets.get(tile + 1)
    }

    fn before(&self, tile: u32) -> u32 {
        self.offsets.get(tile)
    }
}
