//! A list of entries (COO): every tile is a single entry, its own only atom. Perfectly even as it is.

use super::TileSet;

/// A list of entries as tiles.
#[derive(Clone, Copy)]
pub struct Entries {
    /// How many entries there are.
    pub count: u32,
}

impl TileSet for Entries {
    #[inline(always)]
    fn tiles(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn begin(&self, tile: u32) -> u32 {
        tile
    }

    #[inline(always)]
    fn end(&self, tile: u32) -> u32 {
        tile + 1
    }

    #[inline(always)]
    fn before(&self, tile: u32) -> u32 {
        tile
    }
}
