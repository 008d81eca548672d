//! Breadth-first search from up to 64 sources at once (Then et al. 2014, "The More the Merrier: Efficient Multi-Source Graph Traversal"). A
//! node has a bit for each source; what one edge is looked at for serves all of them.
//!
//! A frontier with few edges is a list of nodes, which push their bits to their neighbours. With many edges the level is over all nodes, and
//! each source has a direction of its own: the bits of a source whose frontier has many edges are pulled, by every node that lacks them, along
//! its row until it lacks none; the bits of the others are pushed. (If all were pulled, one late source would keep every node from ending
//! early.) After a level, what was found is settled: noted as depths, and made the next frontier.

#[macro_use]
mod data;

// Public, or rust-gpu would not find the entry points.
pub mod level;
mod pull;
mod push;
pub mod settle;

pub use data::{
    Bits, Bytes, Each, Keep, ManyParams, ManyState, Narrow, Nearest, Reach, Record, Sums, Wide, Width, Words,
};
pub use pull::PIECE;

/// The most sources.
pub const SOURCES: u32 = 64;

/// The frontier is a list, whose nodes push.
const LISTED: u32 = 0;
/// All nodes are looked at, and each source is pulled or pushed.
const ALL: u32 = 1;

/// A level is over all nodes when the edges out of the frontier times this are more than all nodes: lists are slow to write.
pub const ALL_SHARE: u32 = 4;

/// A source is pulled when the edges out of its own frontier times this are more than all edges.
const PULL_SHARE: u32 = 32;

/// The edges out of each source's frontier are counted for one node in so many.
const SAMPLE: u32 = 8;

/// The most edges of a node on whose row the whole dispatch need not work when it pushes.
const HEAVY: u32 = 2048;

/// The row of a node with more edges is cut into pieces, with a workgroup each.
pub const LONG: u32 = 2048;

/// Four words for each invocation: where its edges end, how far they are from there, and the bits of its node.
const CELLS: usize = 4 * evenkeel_types::WORKGROUP as usize;
