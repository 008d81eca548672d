//! Pulling: a search along the edges of a node for one that leads to the frontier, by a subgroup with a node for each lane. Each lane
//! searches along a few edges by itself, and then all lanes along the rest of one node after the other.

use crate::lane::Lane;

/// Edges of a node along which its lane searches alone.
const ALONE: u32 = 32;

/// No lane of a subgroup.
const NONE: u32 = u32::MAX;

/// A frontier whose members can be recognised.
pub trait InFrontier {
    /// Which edges and which frontier.
    type Edges: Copy;

    /// Whether a node at the end of `edge` or of the next three, `stride` apart, before `end`, is in the frontier.
    fn any(&self, edges: Self::Edges, edge: u32, stride: u32, end: u32) -> bool;
}

/// Whether a node has a neighbour in the frontier along its edges from `edge` on, up to `end`. The whole subgroup searches.
#[inline(always)]
pub fn search_together<F: InFrontier>(lane: Lane, frontier: &F, edges: F::Edges, mut edge: u32, end: u32) -> bool {
    let mut found = 0;
    while edge < end && found == 0 {
        let first = edge + lane.subgroup_lane;
        found = lane.count(first < end && frontier.any(edges, first, lane.subgroup_size, end));
        edge += 4 * lane.subgroup_size;
    }
    found > 0
}

/// Whether the lane's node has a neighbour in the frontier. Every lane of the subgroup calls it, with `edge` at `end` when it has no node.
#[inline(always)]
pub fn search_alone_then_together<F: InFrontier>(
    lane: Lane,
    frontier: &F,
    edges: F::Edges,
    mut edge: u32,
    end: u32,
) -> bool {
    let alone = end.min(edge + ALONE);
    let mut found = false;
    while edge < alone && !found {
        found = frontier.any(edges, edge, 1, end);
        edge += 4;
    }
    let mut owner = next_owner(lane, found, edge, end);
    while owner != NONE {
        let any = search_together(lane, frontier, edges, lane.of(owner, edge), lane.of(owner, end));
        if lane.subgroup_lane == owner {
            edge = end;
            found = any;
        }
        owner = next_owner(lane, found, edge, end);
    }
    found
}

/// The first lane of the subgroup that has found nothing and has some of its row left, or [`NONE`].
#[inline(always)]
fn next_owner(lane: Lane, found: bool, edge: u32, end: u32) -> u32 {
    lane.reduce_min(if !found && edge < end { lane.subgroup_lane } else { NONE })
}
