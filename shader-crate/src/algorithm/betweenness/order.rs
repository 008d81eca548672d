//! Sorts the nodes that a search has reached by level, and in a level by class: a counting sort whose counters of the first levels are kept
//! in workgroup memory, because there are few levels where many nodes share one. The order inside a class is whatever the atomics make it;
//! no answer depends on it.

use super::data::{Bounds, CLASSES, LevelPass, PathParams, class};
use crate::memory::UVec4;
use crate::prelude::*;

/// Keys that are counted in workgroup memory.
const NEAR: u32 = 384;
/// The number of keys, as the length of an array.
const NEAR_KEYS: usize = NEAR as usize;

/// Nodes that an invocation takes at a time.
const ITEMS: u32 = 8;

/// In place of a key: the node was not reached.
const NONE: u32 = u32::MAX;

/// In place of a link: the node has more links than there is space for.
pub const MANY: u32 = u32::MAX - 1;

/// The rows of a graph and of its reverse; both are the same where every edge has its reverse.
#[derive(Bundle)]
pub struct BothWays<S: Storage> {
    /// Where the edges that leave a node begin.
    pub leaving: S::Read<u32>,
    /// Where the edges that lead to a node begin.
    pub leading: S::Read<u32>,
}

/// The level and the class of a node.
#[inline(always)]
fn key(params: &PathParams, depths: Read<u32>, rows: &BothWays<Views>, node: u32) -> u32 {
    if node >= params.nodes {
        return NONE;
    }
    let depth = depths.get(node);
    if depth == UNREACHED {
        return NONE;
    }
    let leaving = rows.leaving.get(node + 1) - rows.leaving.get(node);
    let leading = rows.leading.get(node + 1) - rows.leading.get(node);
    CLASSES * depth + class(leaving.max(leading))
}

/// Counts the nodes of each near key in the workgroup's part of the nodes, which begins at `first`. All invocations call it together; nodes
/// of other keys are for `far`.
#[inline(always)]
fn count_near(
    lane: Lane,
    params: &PathParams,
    depths: Read<u32>,
    rows: &BothWays<Views>,
    first: u32,
    near: &mut Shared<u32, NEAR_KEYS>,
    mut far: impl FnMut(u32),
) {
    for key in lane.group_stride(NEAR) {
        near.set(key, 0);
    }
    lane.barrier();
    for item in 0..ITEMS {
        let key = key(params, depths, rows, first + item * lane.threads + lane.local);
        if key < NEAR {
            near.add(key, 1);
        } else if key != NONE {
            far(key);
        }
    }
    lane.barrier();
}

/// Counts the nodes of each key into `counts`, which the host has cleared.
#[kernel(threads = 256)]
pub fn path_count(
    lane: Lane,
    params: &PathParams,
    depths: Read<u32>,
    rows: BothWays,
    mut counts: Global<u32>,
    mut near: Shared<u32, NEAR_KEYS>,
) {
    let block = ITEMS * lane.threads;
    for first in step(lane.group * block, params.nodes, lane.groups * block) {
        count_near(lane, params, depths, &rows, first, &mut near, |key| {
            counts.add(key, 1);
        });
        for key in lane.group_stride(NEAR) {
            let count = near.get(key);
            if count > 0 {
                counts.add(key, count);
            }
        }
        lane.barrier();
    }
}

/// Puts every node in its place. `ends` has where each key begins; it has where each ends after this.
#[kernel(threads = 256)]
pub fn path_place(
    lane: Lane,
    params: &PathParams,
    depths: Read<u32>,
    rows: BothWays,
    mut ends: Global<u32>,
    mut order: Global<u32>,
    mut positions: Global<u32>,
    mut near: Shared<u32, NEAR_KEYS>,
) {
    let block = ITEMS * lane.threads;
    for first in step(lane.group * block, params.nodes, lane.groups * block) {
        count_near(lane, params, depths, &rows, first, &mut near, |_| {});
        // From here on a counter is the next place.
        for key in lane.group_stride(NEAR) {
            let count = near.get(key);
            if count > 0 {
                near.set(key, ends.add(key, count));
            }
        }
        lane.barrier();
        for item in 0..ITEMS {
            let node = first + item * lane.threads + lane.local;
            let key = key(params, depths, &rows, node);
            if key != NONE {
                let place = if key < NEAR { near.add(key, 1) } else { ends.add(key, 1) };
                order.set(place, node);
                positions.set(node, place);
            } else if node < params.nodes {
                positions.set(node, NONE);
            }
        }
        lane.barrier();
    }
}

/// Collects up to four positions.
struct Links {
    all: UVec4,
    count: u32,
}

#[inline_all]
impl Links {
    fn none() -> Self {
        Self { all: UVec4::splat(NONE), count: 0 }
    }

    fn add(&mut self, position: u32) {
        if self.count == 0 {
            self.all.x = position;
        } else if self.count == 1 {
            self.all.y = position;
        } else if self.count == 2 {
            self.all.z = position;
        } else if self.count == 3 {
            self.all.w = position;
        } else {
            self.all.x = MANY;
        }
        self.count += 1;
    }
}

/// Finds the links of each position but the source's to the other level of a pass, so that a level of few nodes need not search for them. The
/// graph has one partition.
#[kernel(threads = 256, any_width, each(P in for_each_pass))]
pub fn path_links<P: LevelPass>(
    lane: Lane,
    params: &PathParams,
    graph: Csr,
    depths: Read<u32>,
    order: Read<u32>,
    positions: Read<u32>,
    ends: Read<u32>,
    mut links: Global<UVec4>,
) {
    let reached = Bounds::of(ends, params.nodes).end;
    for position in lane.grid_stride(reached) {
        let node = order.get(position);
        let level = depths.get(node);
        let mut found = Links::none();
        if level > 0 {
            let bounds = Bounds::of(ends, P::other(level));
            for edge in graph.row_offsets.get(node)..graph.row_offsets.get(node + 1) {
                let other = positions.get(graph.columns.get(edge));
                if bounds.has(other) {
                    found.add(other);
                }
            }
        }
        links.set(position, found.all);
    }
}
