//! Triangles by binary search. A workgroup takes as many kept edges as it has invocations. For each edge it looks up every element of the
//! shorter of the two lists at its ends in the longer one; the elements of all these lists are shared out evenly among the invocations.

use super::orient::Oriented;
use super::{LIGHT, SUMS, Total, TriangleParams, add_triangle};
use crate::prelude::*;
use crate::primitive::search::first;
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::{SUBGROUPS, Slots};

/// Where the lists of a workgroup's edges are: two words of [`line_up`] and the longer list's begin and end for each.
const CELLS: usize = 4 * WORKGROUP as usize;

/// A triangle that was found, by its kept edges: the one that was looked at, the element of its shorter list, and that of its longer list.
struct Found {
    edge: u32,
    short: u32,
    long: u32,
}

/// Looks at all edges that are not for bitmaps. Returns how many triangles the invocation has found.
#[inline(always)]
fn search(
    lane: Lane,
    params: &TriangleParams,
    edges: Oriented<Views>,
    cells: &mut Shared<u32, CELLS>,
    slots: &mut Slots,
    mut found: impl FnMut(Found),
) -> Total {
    let (offsets, targets, sources) = (edges.offsets, edges.targets, edges.sources);
    let all = offsets.get(params.nodes);
    let mut total = Total::new();
    for batch in lane.by_group(all.div_ceil(lane.threads)) {
        let edge = batch * lane.threads + lane.local;
        let (mut short, mut count, mut long, mut long_end) = (0, 0, 0, 0);
        if edge < all && (params.with_bitmaps == 0 || edges.numbers.get(edge) == LIGHT) {
            let (node, other) = (sources.get(edge), targets.get(edge));
            let (begin, end) = (offsets.get(other), offsets.get(other + 1));
            let (own_begin, own_end) = (offsets.get(node), offsets.get(node + 1));
            let own_is_longer = own_end - own_begin > end - begin;
            short = if own_is_longer { begin } else { own_begin };
            count = if own_is_longer { end - begin } else { own_end - own_begin };
            long = if own_is_longer { own_begin } else { begin };
            long_end = if own_is_longer { own_end } else { end };
        }
        cells.set(2 * lane.threads + lane.local, long);
        cells.set(3 * lane.threads + lane.local, long_end);
        let elements = line_up(lane, short, count, cells, slots);
        let mut hits = 0;
        for place in lane.group_stride(elements) {
            lane.count_atoms(1);
            let (owner, short) = shared_out(lane, cells, place);
            let (begin, end) = (cells.get(2 * lane.threads + owner), cells.get(3 * lane.threads + owner));
            let wanted = targets.get(short);
            let long = first(begin, end, |place| targets.get(place) >= wanted);
            if long < end && targets.get(long) == wanted {
                hits += 1;
                found(Found { edge: batch * lane.threads + owner, short, long });
            }
        }
        total = total.plus(hits);
        lane.barrier();
    }
    total
}

/// Counts all triangles: two words of `totals` for each workgroup.
#[kernel(threads = 256, counts)]
pub fn triangle_search(
    lane: Lane,
    params: &TriangleParams,
    edges: Oriented,
    mut totals: Global<u32>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
    mut sums: Shared<u32, SUMS>,
) {
    let total = search(lane, params, edges, &mut cells, &mut slots, |_| {});
    total.add(lane, lane.group, &mut sums, &mut totals);
}

/// Counts also the triangles of each node: two words of `counts` each.
#[kernel(threads = 256, counts)]
pub fn triangle_search_nodes(
    lane: Lane,
    params: &TriangleParams,
    edges: Oriented,
    marks: Read<u32>,
    mut counts: Global<u32>,
    mut totals: Global<u32>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
    mut sums: Shared<u32, SUMS>,
) {
    let params = *params;
    let (targets, sources) = (edges.targets, edges.sources);
    let total = search(lane, &params, edges, &mut cells, &mut slots, move |found| {
        // The corners are the ends of the edge, in the order of their lists, and the element that both lists have.
        let corners = (sources.get(found.short), sources.get(found.long), targets.get(found.short));
        add_triangle(params, marks, &mut counts, corners, (found.long, found.short, found.edge));
    });
    total.add(lane, lane.group, &mut sums, &mut totals);
}
