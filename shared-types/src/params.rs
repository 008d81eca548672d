//! What the host pushes with each dispatch, a struct a kernel family.

use bytemuck::{Pod, Zeroable};

/// Of kernels that need no more than a length.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LengthParams {
    /// How many elements there are.
    pub length: u32,
}

/// Of kernels that find their length in a word of a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct WordParams {
    /// Which word.
    pub word: u32,
}

/// Of the prefix sum.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ScanParams {
    /// How many elements there are.
    pub length: u32,
    /// 1 when an element's own value counts, 0 when only those before it do.
    pub inclusive: u32,
}

/// Of the traversals.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TraversalParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// The most workgroups a dispatch may have; kernels stride over the rest.
    pub max_groups: u32,
}

/// What the host chooses of a schedule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ScheduleParams {
    /// Invocations in a group, a power of two up to the workgroup's; read by group-mapped alone.
    pub group: u32,
    /// [`Self::MAIN`], or [`Self::FINISH`] for the second pass that some schedules need.
    pub pass: u32,
}

impl ScheduleParams {
    /// Hands out the work.
    pub const MAIN: u32 = 0;
    /// Stores the tiles that the first pass left in pieces.
    pub const FINISH: u32 = 1;
}

/// Of the products of a sparse matrix.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ProductParams {
    /// How many rows the matrix has.
    pub rows: u32,
    /// The schedule's.
    pub schedule: ScheduleParams,
}

/// Of the products of a sparse and a dense matrix.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct WideProductParams {
    /// How many rows the sparse matrix has.
    pub rows: u32,
    /// Fours of columns that the dense matrices have.
    pub blocks: u32,
    /// The four that the first member of a team takes.
    pub first_block: u32,
    /// Invocations in a team.
    pub team: u32,
    /// The schedule's.
    pub schedule: ScheduleParams,
}

/// Of the search for where the parts of a gather begin.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BoundsParams {
    /// How many tiles there are.
    pub tiles: u32,
    /// How many parts.
    pub parts: u32,
    /// Items in a part.
    pub items: u32,
    /// 1 when tiles are items, too (merge-path), 0 when atoms alone are (nonzero-split).
    pub tiles_count: u32,
}

/// Of the traversals under a schedule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ExpandParams {
    /// The most workgroups a dispatch may have.
    pub max_groups: u32,
    /// How many nodes and edges a workgroup is for, where a dispatch is sized by edges.
    pub part: u32,
    /// The schedule's.
    pub schedule: ScheduleParams,
}

/// Of PageRank's ranks and shares.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RankParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// The rank that every node has at first.
    pub start: f32,
    /// The rank that every node has whatever leads to it.
    pub teleport: f32,
    /// What comes along edges is multiplied by this.
    pub damping: f32,
    /// What every node gets of the ranks of nodes that no edge leaves is multiplied by this.
    pub spread: f32,
    /// Not 0 in the last iteration of a batch.
    pub last: u32,
}

/// Of the traversals with a worklist of edges.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct EdgeParams {
    /// The most workgroups a dispatch may have.
    pub max_groups: u32,
    /// 1 when a node's edges are pushed together, 0 when one by one.
    pub together: u32,
}

/// Of the kernels that choose a threshold of degrees and split nodes by it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ThresholdParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// How many bins the histogram has.
    pub bins: u32,
}

/// Of the traversals that take nodes in pieces.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct HierarchyParams {
    /// How many nodes there are: a worklist has room for as many.
    pub nodes: u32,
    /// The most workgroups a dispatch may have.
    pub max_groups: u32,
    /// The most of one that takes its edges by workload decomposition.
    pub max_decomposed_groups: u32,
    /// The most edges of a node that an invocation takes at a time.
    pub threshold: u32,
    /// Shorter lists are left to workload decomposition.
    pub switch_below: u32,
    /// How many nodes have more edges than the threshold: a list of nodes with edges left has room for as many.
    pub split_nodes: u32,
}
