//! Breadth-first search from up to 64 sources at once (Then et al. 2014, "The More the Merrier: Efficient Multi-Source Graph Traversal"). A
//! node has a bit for each source; what one edge is looked at for serves all of them.
//!
//! A short frontier is a list of nodes, which push their bits to their neighbours. A long one pulls: every node that lacks the bit of a
//! source which is still under way collects the bits of its neighbours, until it lacks none. After either, what was found is settled: noted as
//! depths, and made the next frontier.

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
pub use pull::LONG;

/// The most sources.
pub const SOURCES: u32 = 64;

/// The frontier is a list that pushes.
const PUSH: u32 = 0;
/// The nodes that lack bits pull.
const PULL: u32 = 1;

/// Nodes pull when the edges out of the frontier times this are more than all edges. Of many sources each finds its own part of a frontier,
/// so that pulling ends late, and pays later than for one.
const PULL_SHARE: u32 = 12;

/// The most edges of a node on whose row the whole dispatch need not work when it pushes.
const HEAVY: u32 = 2048;
