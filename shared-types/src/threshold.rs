//! The threshold above which node splitting and hierarchical processing take a node in pieces, and what they need beside it.

use crate::control::word;
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// See the module. Kernels address its fields as words, by the constants below.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Threshold {
    /// The largest degree of the graph.
    pub largest: u32,
    /// The most edges that a piece has.
    pub threshold: u32,
    /// How many nodes have more edges than that.
    pub split_nodes: u32,
    /// How many pieces there are: one for a node that is not split.
    pub pieces: u32,
}

impl Threshold {
    /// The word of `largest`.
    pub const LARGEST: u32 = word(offset_of!(Self, largest));
    /// The word of `threshold`.
    pub const THRESHOLD: u32 = word(offset_of!(Self, threshold));
    /// The word of `split_nodes`.
    pub const SPLIT_NODES: u32 = word(offset_of!(Self, split_nodes));
    /// The word of `pieces`.
    pub const PIECES: u32 = word(offset_of!(Self, pieces));
    /// The most bins that the histogram of degrees may have.
    pub const MAX_BINS: u32 = 1024;
}
