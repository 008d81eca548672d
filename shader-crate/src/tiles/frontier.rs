//! A frontier: a list of nodes of a graph. A tile is a place in the list, its atoms are the edges of the node there.

use super::TileSet;
use crate::prelude::*;

/// A list of nodes as tiles.
#[derive(Clone, Copy)]
pub struct Frontier<'a> {
    /// The nodes.
    pub nodes: Read<'a, u32>,
    /// How many of them are in the list.
    pub count: u32,
    /// Where each node's edges begin in the graph.
    pub row_offsets: Read<'a, u32>,
    /// The prefix sums of the nodes' degrees, one more than there are nodes; only schedules that cut across tiles read them.
    pub degrees_before: Read<'a, u32>,
}

#[inline_all]
impl TileSet for Frontier<'_> {
    fn tiles(&self) -> u32 {
        self.count
    }

    fn begin(&self, tile: u32) -> u32 {
        self.row_offsets.get(self.nodes.get(tile))
    }

    fn end(&self, tile: u32) -> u32 {
        self.row_offsets.get(self.nodes.get(tile) + 1)
    }

    fn before(&self, tile: u32) -> u32 {
        self.degrees_before.get(tile)
    }
}
