//! Frontiers: the nodes that an iteration begins with. A frontier is a list of nodes, or the bits of a bitmap; its edges are shared out
//! evenly for a push, and for a pull nodes search along their own edges for one that leads to it.

#[macro_use]
pub mod needs;

mod bitmap;
mod lists;
mod push;
mod search;

pub use bitmap::Bitmaps;
pub use lists::DoubleList;
pub use push::{Batch, Cells, HEAVY, ListBlock, ListBlocks, PushEdges, push_block};
pub use search::{InFrontier, search_alone_then_together, search_together};
