//! What the kernels are told and what they count in, the codes of the variants, and the decision tree by which the device chooses one.

use crate::prelude::*;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct LevelParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges.
    pub edges: u32,
    /// The most workgroups a dispatch may have; kernels stride over the rest.
    pub max_groups: u32,
    /// Invocations that share a node's edges, in the variants that have virtual warps.
    pub virtual_warp: u32,
    /// The variant of the first level where the tree does not know one.
    pub first_variant: u32,
    /// Pieces of the rows that are too long for one subgroup, when nodes pull.
    pub pieces: u32,
    /// The number of rounds after which the one workgroup that takes several levels begins no further one.
    pub rounds: u32,
}

/// What the host pushes to the kernel that restores the beginning of a level.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RestoreParams {
    /// As for the level.
    pub level: LevelParams,
    /// The variant to search it by, as a [`VariantCode`] writes it.
    pub variant: u32,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable, Fields)]
pub struct LevelState {
    /// `frontier` counts all nodes of the frontier, `next` those discovered so far that are not heavy.
    pub header: LoopHeader,
    /// The variant of the next level, a [`VariantCode`].
    pub variant: u32,
    /// Heavy nodes of the frontier, where it is listed.
    pub heavy: u32,
    /// Heavy nodes written so far to the next list.
    pub next_heavy: u32,
    /// Edges out of the frontier.
    pub edges: u32,
    /// Edges out of the nodes discovered so far in this level.
    pub next_edges: u32,
    /// Nodes discovered so far, those of the frontier included.
    pub discovered: u32,
}

/// A variant of a level's search as one word: the implementation, and above it how discovered nodes are counted.
pub struct VariantCode;

impl VariantCode {
    /// An invocation to each edge.
    pub const EDGE_LIST: u32 = 0;
    /// An invocation to each edge, in the order of their ends.
    pub const REVERSE_EDGE_LIST: u32 = 1;
    /// An invocation to each node, which pushes if it is in the frontier.
    pub const VERTEX_PUSH: u32 = 2;
    /// An invocation to each node, which searches for a neighbour in the frontier.
    pub const VERTEX_PULL: u32 = 3;
    /// A virtual warp to as many nodes, one after the other.
    pub const VERTEX_PUSH_WARP: u32 = 4;
    /// A virtual warp to each node of the listed frontier.
    pub const LIST_PUSH_WARP: u32 = 5;
    /// A subgroup to as many nodes, each of which searches for a neighbour in the frontier; long rows in pieces.
    pub const VERTEX_PULL_WARP: u32 = 6;
    /// The edges of the listed frontier, shared out evenly in each workgroup.
    pub const LIST_PUSH_EVEN: u32 = 7;
    /// One workgroup pushes from the listed frontier while that is small, and runs several levels in one dispatch.
    pub const LIST_PUSH_PERSISTENT: u32 = 8;
    /// The most nodes of a frontier that one workgroup takes, and a quarter of the most edges.
    pub const SMALL: u32 = 1024;
    /// A longer row is pulled along in pieces.
    pub const LONG: u32 = 256;
    /// Edges of a piece.
    pub const PIECE: u32 = 1024;
    /// The most workgroups of the variants that share out evenly: as many as a large GPU runs at a time.
    pub const AT_A_TIME: u32 = 1024;
    /// An estimate of a subgroup's width.
    const SUBGROUP_WIDTH: u32 = 32;

    /// One atomic for each discovery.
    pub const ATOMIC: u32 = 0;
    /// One atomic for each subgroup.
    pub const SUBGROUP: u32 = 1;
    /// One atomic for each workgroup.
    pub const WORKGROUP: u32 = 2;
    /// Discovered nodes are put on a list, with one atomic for those that a subgroup finds at a time.
    pub const LIST: u32 = 3;

    /// Where the count begins.
    const COUNT: u32 = 16;

    /// The word of an implementation and a count.
    pub const fn of(implementation: u32, count: u32) -> u32 {
        implementation + Self::COUNT * count
    }

    /// The implementation of a variant.
    pub const fn implementation(variant: u32) -> u32 {
        variant % Self::COUNT
    }

    /// The count of a variant.
    pub const fn count(variant: u32) -> u32 {
        variant / Self::COUNT
    }

    /// Whether one workgroup searches a frontier of so many nodes and edges, and goes on with the next level in the same dispatch.
    #[inline(always)]
    pub fn persists(variant: u32, frontier: u32, edges: u32) -> bool {
        Self::implementation(variant) == Self::LIST_PUSH_PERSISTENT && frontier.max(edges / 4) <= Self::SMALL
    }

    /// How many workgroups search a frontier of so many nodes and edges.
    #[inline(always)]
    pub fn groups(variant: u32, params: &LevelParams, frontier: u32, edges: u32) -> u32 {
        let implementation = Self::implementation(variant);
        let mut most = params.max_groups;
        let items = if frontier == 0 {
            0
        } else if Self::persists(variant, frontier, edges) {
            1
        } else if implementation >= Self::LIST_PUSH_EVEN {
            most = most.min(Self::AT_A_TIME);
            frontier.max(edges / 2)
        } else if implementation == Self::VERTEX_PULL_WARP {
            most = most.min(Self::AT_A_TIME);
            params.nodes.max(params.pieces.min(most * WORKGROUP) * Self::SUBGROUP_WIDTH)
        } else if implementation <= Self::REVERSE_EDGE_LIST {
            params.edges
        } else if implementation <= Self::VERTEX_PUSH_WARP {
            params.nodes
        } else {
            frontier.min(params.max_groups * WORKGROUP / params.virtual_warp) * params.virtual_warp
        };
        let groups = items / WORKGROUP + (items % WORKGROUP).min(1);
        // A frontier without edges, too, must be seen to end.
        groups.min(most).max(frontier.min(1))
    }
}

/// A node of the tree by which the device chooses: what is compared with what, and where it goes on; or a leaf. The root is the
/// first, and both branches lead to later nodes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Decision {
    /// What is compared, or [`Self::LEAF`].
    pub feature: u32,
    /// With what; of a leaf the variant, or [`Self::REPEAT`].
    pub threshold: u32,
    /// The node that follows when the feature is at most the threshold.
    pub at_most: u32,
    /// The node that follows when it is more.
    pub more: u32,
}

impl Decision {
    /// The nodes of the frontier.
    pub const FRONTIER: u32 = 0;
    /// The nodes discovered so far, those of the frontier included.
    pub const DISCOVERED: u32 = 1;
    /// The edges out of the frontier.
    pub const EDGES: u32 = 2;
    /// The edges out of the frontier for each of its nodes, rounded down.
    pub const DEGREE: u32 = 3;
    /// Not a comparison.
    pub const LEAF: u32 = 4;
    /// The variant of the level before; in the first level, [`LevelParams::first_variant`].
    pub const REPEAT: u32 = u32::MAX;

    /// The leaf of a variant, or of [`Self::REPEAT`].
    pub const fn leaf(variant: u32) -> Self {
        Self { feature: Self::LEAF, threshold: variant, at_most: 0, more: 0 }
    }
}
