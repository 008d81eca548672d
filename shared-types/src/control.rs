//! The control block of an iterated algorithm. It lives in device memory: kernels count in it, the last workgroup of an
//! iteration turns the count into the next dispatch, and the host only looks at it between batches.

use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// See the module. Kernels address its fields as words, by the constants below.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Control {
    /// The next iteration's workgroups: an indirect dispatch reads them.
    pub groups: [u32; 3],
    /// Entries in the worklist that the next iteration reads; 0 when the algorithm is done.
    pub frontier: u32,
    /// Entries written so far to the worklist after that.
    pub next: u32,
    /// Iterations finished.
    pub iteration: u32,
    /// Workgroups of the running dispatch that are finished; 0 between dispatches.
    pub ticket: u32,
    /// Not 0 when a sum of weights did not fit into 32 bits.
    pub overflow: u32,
    /// Edges of the worklist that the next iteration reads, where a strategy counts them.
    pub edges: u32,
    /// Workgroups of a second dispatch in an iteration, where a strategy has one.
    pub expand_groups: [u32; 3],
    /// Where a strategy takes nodes in pieces: nodes of the worklist with edges left for the next piece; 0 at its beginning.
    pub left: u32,
    /// Nodes written so far to the list after that.
    pub left_next: u32,
    /// Where lists take turns when the device says so: 0 or 1, the half of the worklists that is read.
    pub side: u32,
    /// The same of the lists of nodes with edges left.
    pub left_side: u32,
    /// Entries of the list that workload decomposition takes, where a strategy switches to it; 0 when it does not.
    pub decomposed: u32,
    /// Where a search chooses its direction: how the next iteration goes, one of [`crate::SearchParams`]' numbers.
    pub mode: u32,
    /// The half of the bitmaps that has the nodes seen so far: 0 or 1.
    pub seen_side: u32,
    /// Edges out of the nodes found so far in this iteration.
    pub next_edges: u32,
    /// Edges out of all nodes seen.
    pub seen_edges: u32,
    /// The last even and the last odd level after which a node with many edges may not have been seen.
    pub long_left: [u32; 2],
    /// Workgroups of the dispatch in which several take many levels.
    pub abreast_groups: [u32; 3],
    /// Entries written to the lists of its levels, three counts that take turns.
    pub counts: [u32; 3],
    /// Its workgroups that take part.
    pub members: u32,
    /// How often one of them came to the end of a level.
    pub meetings: u32,
    /// Where shortest paths put off what is far: how many nodes are on that list.
    pub far: u32,
    /// How many were put there, three counts that take turns.
    pub far_counts: [u32; 3],
    /// The half of the lists of the far that is in use: 0 or 1.
    pub far_side: u32,
    /// Up to this distance a node is near.
    pub threshold: u32,
    /// The shortest distance on the list of the far, if it has just been split; else 0.
    pub lowest: u32,
    /// The shortest distance put there so far, three that take turns.
    pub lowests: [u32; 3],
    /// Nodes discovered so far, where a strategy counts them.
    pub discovered: u32,
    /// How the next level is searched, where the device chooses it: a [`LevelWay`](crate::LevelWay).
    pub way: u32,
}

/// It begins with the same words as a header.
impl crate::LoopState for Control {}

/// The word at a byte offset.
pub(crate) const fn word(offset: usize) -> u32 {
    (offset / 4) as u32
}

impl Control {
    /// The word of `groups[0]`.
    pub const GROUPS: u32 = word(offset_of!(Self, groups));
    /// The word of `frontier`.
    pub const FRONTIER: u32 = word(offset_of!(Self, frontier));
    /// The word of `next`.
    pub const NEXT: u32 = word(offset_of!(Self, next));
    /// The word of `iteration`.
    pub const ITERATION: u32 = word(offset_of!(Self, iteration));
    /// The word of `ticket`.
    pub const TICKET: u32 = word(offset_of!(Self, ticket));
    /// The word of `edges`.
    pub const EDGES: u32 = word(offset_of!(Self, edges));
    /// The word of `expand_groups[0]`.
    pub const EXPAND_GROUPS: u32 = word(offset_of!(Self, expand_groups));
    /// The word of `overflow`.
    pub const OVERFLOW: u32 = word(offset_of!(Self, overflow));
    /// The word of `left`.
    pub const LEFT: u32 = word(offset_of!(Self, left));
    /// The word of `left_next`.
    pub const LEFT_NEXT: u32 = word(offset_of!(Self, left_next));
    /// The word of `side`.
    pub const SIDE: u32 = word(offset_of!(Self, side));
    /// The word of `left_side`.
    pub const LEFT_SIDE: u32 = word(offset_of!(Self, left_side));
    /// The word of `decomposed`.
    pub const DECOMPOSED: u32 = word(offset_of!(Self, decomposed));
    /// The word of `mode`.
    pub const MODE: u32 = word(offset_of!(Self, mode));
    /// The word of `seen_side`.
    pub const SEEN_SIDE: u32 = word(offset_of!(Self, seen_side));
    /// The word of `next_edges`.
    pub const NEXT_EDGES: u32 = word(offset_of!(Self, next_edges));
    /// The word of `seen_edges`.
    pub const SEEN_EDGES: u32 = word(offset_of!(Self, seen_edges));
    /// The word of `long_left[0]`.
    pub const LONG_LEFT: u32 = word(offset_of!(Self, long_left));
    /// The word of `abreast_groups[0]`.
    pub const ABREAST_GROUPS: u32 = word(offset_of!(Self, abreast_groups));
    /// The word of `counts[0]`.
    pub const COUNTS: u32 = word(offset_of!(Self, counts));
    /// The word of `members`.
    pub const MEMBERS: u32 = word(offset_of!(Self, members));
    /// The word of `meetings`.
    pub const MEETINGS: u32 = word(offset_of!(Self, meetings));
    /// The word of `far`.
    pub const FAR: u32 = word(offset_of!(Self, far));
    /// The word of `far_counts[0]`.
    pub const FAR_COUNTS: u32 = word(offset_of!(Self, far_counts));
    /// The word of `far_side`.
    pub const FAR_SIDE: u32 = word(offset_of!(Self, far_side));
    /// The word of `threshold`.
    pub const THRESHOLD: u32 = word(offset_of!(Self, threshold));
    /// The word of `lowest`.
    pub const LOWEST: u32 = word(offset_of!(Self, lowest));
    /// The word of `lowests[0]`.
    pub const LOWESTS: u32 = word(offset_of!(Self, lowests));
    /// The word of `discovered`.
    pub const DISCOVERED: u32 = word(offset_of!(Self, discovered));
    /// The word of `way`.
    pub const WAY: u32 = word(offset_of!(Self, way));
    /// How many words there are.
    pub const WORDS: u32 = word(size_of::<Self>());

    /// The block of a run that begins with `frontier` entries, one invocation each.
    pub fn start(frontier: u32, threads: u32) -> Self {
        Self { groups: [frontier.div_ceil(threads), 1, 1], frontier, ..Self::default() }
    }
}
