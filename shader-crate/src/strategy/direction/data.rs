//! What the kernels of the search are told, what they count in and what they write.

use crate::prelude::*;
use crate::rounds::RoundState;
use evenkeel_types::Cooperation;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SearchParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges, in units of 2^`edge_shift`: 32 bits count the edges of any graph so.
    pub edges: u32,
    /// 0 for a graph of less than 2³² edges.
    pub edge_shift: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// A frontier pulls when its edges times this are more than those of the nodes not visited yet. 0 where no frontier does, because
    /// there is no memory for the edges that lead to each node.
    pub pull_factor: u32,
    /// 1 where every edge has its reverse; else 0.
    pub symmetric: u32,
    /// A frontier of up to this many nodes is left to one workgroup; 0 when none is. Where some is, no node is heavy.
    pub short: u32,
    /// A longer frontier of up to this many nodes is left to a few cooperating workgroups.
    pub medium: u32,
    /// The number of cooperating workgroups.
    pub cooperating: u32,
    /// The most loop iterations that an invocation may take in one dispatch of many levels.
    pub loop_limit: u32,
    /// The mean number of edges of a node, rounded up.
    pub mean_degree: u32,
    /// The number of nodes with many edges.
    pub long: u32,
    /// 1 where each node's neighbour of the highest degree is known, else 0.
    pub hubs: u32,
    /// The search ends when this node is found; [`UNREACHED`] where it finds all nodes.
    pub target: u32,
    /// The nodes whose edges can be pushed along in this dispatch.
    pub rows: RowRange,
    /// The nodes that can pull in this dispatch: those whose incoming edges are bound.
    pub incoming_rows: RowRange,
}

impl SearchParams {
    /// Words of a bitmap.
    pub fn words(&self) -> u32 {
        self.nodes.div_ceil(32)
    }
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct SearchState {
    /// `frontier` counts all nodes of the frontier, `next` those of the next list that are not heavy.
    pub header: LoopHeader,
    /// The dispatch in which one workgroup takes many levels.
    pub persistent_groups: [u32; 3],
    /// The dispatch in which a few cooperating workgroups take many levels.
    pub cooperating_groups: [u32; 3],
    /// How the next iteration goes: push, pull, collect or mark.
    pub mode: u32,
    /// The list that is read, 0 or 1.
    pub half: u32,
    /// The bitmap that is up to date, 0 or 1.
    pub side: u32,
    /// Heavy nodes of the frontier.
    pub heavy: u32,
    /// Heavy nodes written so far to the next list.
    pub next_heavy: u32,
    /// Edges out of the frontier.
    pub edges: u32,
    /// Edges out of the nodes found so far in this iteration.
    pub next_edges: u32,
    /// Edges out of all nodes visited.
    pub visited_edges: u32,
    /// The last even and the last odd level after which a node with many edges may not have been visited.
    pub long_left: [u32; 2],
    /// Where cooperating workgroups wait for each other.
    pub cooperation: Cooperation<8>,
    /// Nodes found in a level, three counts that levels use in turn.
    pub found: [u32; 3],
}

const _: () = Cooperation::<8>::has_own_line(core::mem::offset_of!(SearchState, cooperation));

impl RoundState for SearchState {
    #[inline(always)]
    fn count(_: u32, round: u32) -> Field<Self> {
        Self::FOUND.at(round % 3)
    }
}

/// What a search writes beside its state.
#[derive(Bundle)]
pub struct SearchData<S: Storage> {
    /// The depths found.
    pub depths: S::Write<u32>,
    /// Two bitmaps of visited nodes, one behind the other.
    pub visited: S::Write<u32>,
    /// Two lists of nodes, one behind the other.
    pub lists: S::Write<u32>,
}
