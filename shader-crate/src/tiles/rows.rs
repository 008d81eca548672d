//! Compressed rows: a tile is a row, an atom is a stored entry. The columns of a CSC matrix are the same with other names.

use super::TileSet;
use crate::memory::Read;

/// Compressed rows as tiles.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Where each row begins, and the number of entries.
    pub offsets: Read<'a, u32>,
    /// How many rows there are.
    pub count: u32,
}

impl TileSet for Rows<'_> {
    #[inline(always)]
    fn tiles(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn begin(&self, tile: u32) -> u32 {
        self.offsets.get(tile)
    }

    #[inline(always)]
    fn end(&self, tile: u32) -> u32 {
        self.offsets.get(tile + 1)
    }

    #[inline(always)]
    fn before(&self, tile: u32) -> u32 {
        self.offsets.get(tile)
    }
}
