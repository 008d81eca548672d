//! What the kernels are told, what they count in and what they write.

use crate::prelude::*;
use crate::rounds::RoundState;
use evenkeel_types::Cooperation;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct NearFarParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// Nodes for a workgroup: as many as have an edge for each invocation on average.
    pub nodes_per_group: u32,
    /// By how much the threshold of near distances grows; the bits of it where distances are real.
    pub delta: u32,
    /// The most pieces of long rows.
    pub pieces: u32,
    /// A list of up to this many nodes is left to one workgroup or a few; 0 when none is. Where some is, no row is long.
    pub medium: u32,
    /// The number of cooperating workgroups.
    pub cooperating: u32,
    /// Rounds that a workgroup goes on alone before it meets the others.
    pub rounds: u32,
    /// Rounds of a workgroup that runs alone.
    pub rounds_of_one: u32,
    /// The most loop iterations that an invocation may take in one dispatch of many iterations.
    pub loop_limit: u32,
    /// The search ends when no path to this node can be shorter; [`UNREACHED`] where it finds all nodes.
    pub target: u32,
    /// The nodes whose edges can be relaxed in this dispatch.
    pub rows: RowRange,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct NearFarState {
    /// `frontier` counts the entries that the next iteration reads, `next` the nodes written so far to the next list of near nodes.
    pub header: LoopHeader,
    /// The dispatch in which one workgroup or a few cooperating ones take many iterations.
    pub cooperating_groups: [u32; 3],
    /// 1 when the next iteration splits the list of far nodes, 0 when it relaxes the edges of near ones.
    pub splits: u32,
    /// The list of near nodes that is read, 0 or 1.
    pub half: u32,
    /// Pieces of long rows that are near.
    pub pieces: u32,
    /// Pieces written so far to the next list of pieces.
    pub next_pieces: u32,
    /// Nodes on the list of far nodes.
    pub far: u32,
    /// The list of far nodes that is in use, 0 or 1.
    pub far_half: u32,
    /// Up to this distance a node is near.
    pub threshold: u32,
    /// The shortest distance on the list of far nodes, if it has just been split; else 0.
    pub lowest: u32,
    /// Where cooperating workgroups wait for each other.
    pub cooperation: Cooperation<13>,
    /// Three counters of an iteration ([`Self::NEAR`], [`Self::FAR_ADDED`], [`Self::SHORTEST`]), each with three words that iterations use in
    /// turn. An iteration by the whole dispatch uses the first word of each.
    pub counts: [u32; 9],
}

const _: () = Cooperation::<13>::has_own_line(core::mem::offset_of!(NearFarState, cooperation));

impl NearFarState {
    /// The counter of the nodes written to the next list of near nodes.
    pub const NEAR: u32 = 0;
    /// The counter of the nodes written to a list of far nodes.
    pub const FAR_ADDED: u32 = 1;
    /// The shortest distance written to a list of far nodes.
    pub const SHORTEST: u32 = 2;
}

impl RoundState for NearFarState {
    #[inline(always)]
    fn count(counter: u32, round: u32) -> Field<Self> {
        Self::COUNTS.at(counter * 3 + round % 3)
    }
}

/// What the kernels read and write beside the graph and their state.
#[derive(Bundle)]
pub struct NearFarData<S: Storage> {
    /// The weight of each edge.
    pub weights: S::Read<u32>,
    /// The distances found.
    pub distances: S::Write<u32>,
    /// The last iteration in which each node was put on the list of near nodes.
    pub marks: S::Write<u32>,
    /// A bit for each node that is on the list of far nodes.
    pub waiting: S::Write<u32>,
    /// Four lists, one behind the other: two of near nodes and two of far ones.
    pub lists: S::Write<u32>,
    /// Two lists of the pieces of long rows that are near: each entry is a node and the number of its piece.
    pub pieces: S::Write<u32>,
}
