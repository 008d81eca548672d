//! Triangles. Every edge is kept once, from the node of lower rank to that of higher rank, where the rank is the degree and then the
//! number of a node ([`orient`]; Schank and Wagner 2005). No node then has many edges that leave it, hubs included, and a triangle is a
//! node that two ends of one kept edge both lead to. It is found by binary search, the elements of the shorter lists shared out evenly in
//! a workgroup ([`search`]), or by looking up in a bitmap in workgroup memory ([`bitmap`]; Bisson and Fatica 2017).

#[macro_use]
pub mod orient;

pub mod bitmap;
pub mod search;

use crate::prelude::*;
use orient::BoundEdges;

/// The number of a node that is not heavy.
pub const LIGHT: u32 = u32::MAX;

/// What the host pushes to the kernels that count.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TriangleParams {
    /// The number of nodes.
    pub nodes: u32,
    /// Not 0 when bitmaps take the edges that lead to heavy nodes; binary search takes the others.
    pub with_bitmaps: u32,
    /// Not 0 when the edges have marks: see [`add_triangle`].
    pub marked: u32,
    /// The most pieces of heavy nodes that a workgroup takes: some drivers stop long loops.
    pub pieces: u32,
    /// The edges of the graph that are bound to this dispatch, where bitmaps are used.
    pub bound: BoundEdges,
}

/// The number of triangles that one invocation has found: more than 32 bits hold.
#[derive(Clone, Copy)]
pub struct Total {
    low: u32,
    high: u32,
}

/// Workgroup memory for the sum of a workgroup's totals: the lower and the upper halves of the low words, and the high words.
pub const SUMS: usize = 3;

#[inline_all]
impl Total {
    /// None yet.
    pub fn new() -> Self {
        Self { low: 0, high: 0 }
    }

    /// The total with so many more.
    pub fn plus(self, count: u32) -> Self {
        let low = self.low.wrapping_add(count);
        Self { low, high: self.high + u32::from(low < count) }
    }

    /// Adds the sum of the workgroup's totals to two words of its own, from `2 * slot` on. All invocations call it together.
    pub fn add(self, lane: Lane, slot: u32, sums: &mut Shared<u32, SUMS>, totals: &mut Global<u32>) {
        if lane.local == 0 {
            sums.set(0, 0);
            sums.set(1, 0);
            sums.set(2, 0);
        }
        lane.barrier();
        let (lower, upper) = (lane.reduce_add(self.low & 0xffff), lane.reduce_add(self.low >> 16));
        let high = lane.reduce_add(self.high);
        if lane.subgroup_lane == 0 {
            sums.add(0, lower);
            sums.add(1, upper);
            sums.add(2, high);
        }
        lane.barrier();
        if lane.local == 0 {
            // No half has more than 24 bits, so nothing is lost here.
            let (lower, upper) = (sums.get(0), sums.get(1) + (sums.get(0) >> 16));
            let (sum, high) = ((lower & 0xffff) | (upper << 16), sums.get(2) + (upper >> 16));
            let low = totals.get(2 * slot).wrapping_add(sum);
            totals.set(2 * slot, low);
            totals.set(2 * slot + 1, totals.get(2 * slot + 1) + high + u32::from(low < sum));
        }
    }
}

impl Default for Total {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds to a node's count, which has two words.
#[inline(always)]
pub fn add_to(counts: &mut Global<u32>, node: u32, count: u32) {
    if counts.add(2 * node, count).wrapping_add(count) < count {
        counts.add(2 * node + 1, 1);
    }
}

/// Adds a triangle to the counts of its three corners. Where edges have marks, a corner's count grows by the mark of the edge between the
/// other two: by the number of directions in which it was given. `corners` are the nodes, `opposite` the kept edges that face them.
#[inline(always)]
pub fn add_triangle(
    params: TriangleParams,
    marks: Read<u32>,
    counts: &mut Global<u32>,
    corners: (u32, u32, u32),
    opposite: (u32, u32, u32),
) {
    let marked = params.marked != 0;
    add_to(counts, corners.0, if marked { marks.get(opposite.0) } else { 1 });
    add_to(counts, corners.1, if marked { marks.get(opposite.1) } else { 1 });
    add_to(counts, corners.2, if marked { marks.get(opposite.2) } else { 1 });
}
