//! A list of entries (COO): every tile is a single entry, its own only atom. Perfectly even as it is.

use super::TileSet;
use crate::prelude::*;

/// A list of entries as tiles.
#[derive(Clone, Copy)]
pub struct Entries {
    /// How many entries there are.
    pub count: u32,
}

#[inline_all]
impl TileSet for Entries {
    fn tiles(&self) -> u32 {
        self.count
    }

    fn begin(&self, tile: u32) -> u32 {
        tile
    }

    fn end(&self, tile: u32) -> u32 {
        tile + 1
    }

    fn before(&self, tile: u32) -> u32 {
        tile
    }
}
