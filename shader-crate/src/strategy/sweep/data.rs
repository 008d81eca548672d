//! What goes between host and kernels, and what the kernels read and write.

use crate::prelude::*;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SweepParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of pieces of long rows.
    pub pieces: u32,
    /// The workgroups of each iteration.
    pub groups: u32,
    /// The width of a bucket; the bits of it where distances are real.
    pub delta: u32,
    /// The width of the first bucket, in the same way.
    pub first_delta: u32,
    /// 1 where every edge has its reverse with the same weight; else 0.
    pub mirrored: u32,
    /// The search ends when the distance of this node is final; [`UNREACHED`] where it finds all nodes.
    pub target: u32,
    /// A graph has less than 2³² edges in units of 2 to the power of this.
    pub edge_shift: u32,
    /// The nodes whose edges can be relaxed in this dispatch.
    pub rows: RowRange,
}

/// The state of the loop. `next` of its header is 1 when a distance of the bucket fell.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct SweepState {
    /// What every loop has.
    pub header: LoopHeader,
    /// What the next iteration does.
    pub mode: u32,
    /// The bucket: distances from this one on.
    pub from: u32,
    /// The bucket: distances up to this one.
    pub to: u32,
    /// The workgroups of the next dispatch for nodes whose distances fell; those of the header are for all nodes.
    pub due_groups: [u32; 3],
    /// Edges of the nodes in the bucket.
    pub settled: u32,
    /// Edges of the nodes behind it.
    pub open: u32,
    /// The shortest distance behind it.
    pub lowest: u32,
}

/// What the kernel reads and writes beside the graph and its state.
#[derive(Bundle)]
pub struct SweepData<S: Storage> {
    /// The weight of each edge.
    pub weights: S::Read<u32>,
    /// The distances found.
    pub distances: S::Write<u32>,
    /// Three bitmaps of the nodes whose distances fell in an iteration and that the next one takes. In turn, one is read in an iteration, one is
    /// written, and one is cleared.
    pub due: S::Write<u32>,
    /// The pieces of long rows: each is a node and how far from the beginning of its row the piece begins.
    pub pieces: S::Read<u32>,
}

#[inline_all]
impl SweepParams {
    /// The words of a bitmap of all nodes.
    pub fn words(&self) -> u32 {
        self.nodes.div_ceil(32)
    }
}
