//! The rows of a graph that are the tiles of a dispatch under a schedule.

use bytemuck::{Pod, Zeroable};

/// A partition of a graph as a set of tiles: consecutive rows, with the offsets of these rows alone, in the columns of these rows alone.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct TileRange {
    /// The row of the first tile.
    pub first: u32,
    /// The number of tiles.
    pub count: u32,
    /// 1 where the only tile is a later part of a row that was cut, so that its value is joined with that of the parts before; else 0.
    pub continues: u32,
    /// 1 for the last dispatch of an iteration, else 0.
    pub is_last: u32,
}

impl TileRange {
    /// A tile for each row of a graph.
    pub fn whole(rows: u32) -> Self {
        Self { first: 0, count: rows, continues: 0, is_last: 1 }
    }

    /// The row of a tile.
    #[inline(always)]
    pub fn row(&self, tile: u32) -> u32 {
        self.first + tile
    }
}
