//! Looking along the edges of a node for one that leads to the frontier, by a subgroup with a node for each lane: each looks along
//! a few edges by itself, and then all along the rest of one node after the other.

use crate::lane::Lane;

/// Edges of a node along which its lane looks alone.
const ALONE: u32 = 32;

/// Nowhere: more than any lane of a subgroup.
const NONE: u32 = u32::MAX;

/// What knows the frontier.
pub trait Look {
    /// Where to look.
    type At: Copy;

    /// Whether one of the nodes at the ends of `edge` and the next three, `stride` apart, before `end`, is in the frontier.
    fn any(&self, at: Self::At, edge: u32, stride: u32, end: u32) -> bool;
}

/// Whether a node has a neighbour in the frontier along its edges from `edge` on, up to `end`, by the whole subgroup.
#[inline(always)]
pub fn look_together<L: Look>(lane: Lane, search: &L, at: L::At, mut edge: u32, end: u32) -> bool {
    let mut found = 0;
    while edge < end && found == 0 {
        let first = edge + lane.subgroup_lane;
        found = lane.count(first < end && search.any(at, first, lane.subgroup_size, end));
        edge += 4 * lane.subgroup_size;
    }
    found > 0
}

/// Whether the lane's node has a neighbour in the frontier. Every lane of the subgroup calls it, with `edge` at `end` when it has
/// no node.
#[inline(always)]
pub fn look<L: Look>(lane: Lane, search: &L, at: L::At, mut edge: u32, end: u32) -> bool {
    let alone = end.min(edge + ALONE);
    let mut found = false;
    while edge < alone && !found {
        found = search.any(at, edge, 1, end);
        edge += 4;
    }
    let mut owner = next_owner(lane, found, edge, end);
    while owner != NONE {
        let any = look_together(lane, search, at, lane.of(owner, edge), lane.of(owner, end));
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
