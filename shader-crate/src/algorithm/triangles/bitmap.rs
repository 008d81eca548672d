//! Triangles by bitmap (Bisson and Fatica 2017), for edges that lead to heavy nodes. Heavy nodes are numbered, and the nodes that a heavy
//! one's kept edges lead to are heavy as well: their degrees are no lower. A workgroup marks their numbers in a bitmap in workgroup
//! memory. Then the nodes whose kept edges lead to the heavy one look up the ends of theirs: a subgroup reads each of these lists,
//! neighbouring invocations neighbouring elements. A node with many edges comes in pieces. Each partition of the graph has its own
//! dispatch, which takes of each piece the edges that are in the partition.

use super::orient::{Oriented, PIECE, PieceState, is_higher};
use super::{SUMS, Total, TriangleParams, add_triangle};
use crate::prelude::*;
use crate::primitive::search::first;

/// The words of the bitmap: 16 KiB.
const WORDS: usize = 4096;
/// The most nodes that are heavy. The last bit stays free, because [`super::LIGHT`] is looked up there.
pub const MOST: u32 = 32 * WORDS as u32 - 1;
/// Where a list begins, and how long it is, for each invocation.
const LISTS: usize = 2 * WORKGROUP as usize;

/// Workgroup memory.
struct Memory<'a> {
    bits: Shared<'a, u32, WORDS>,
    lists: Shared<'a, u32, LISTS>,
    taken: Shared<'a, u32, 1>,
}

#[inline_all]
impl Memory<'_> {
    /// 1 for a node that is marked, by its number, and 0 for another.
    fn is_marked(&self, number: u32) -> u32 {
        (self.bits.get((number / 32) & (WORDS as u32 - 1)) >> (number % 32)) & 1
    }
}

/// A triangle that was found: the heavy node, the element of the list that is also marked, and the heavy node's edge that the list is from.
struct Found {
    heavy: u32,
    element: u32,
    edge: u32,
}

/// Takes pieces of heavy nodes until there are none. Returns how many triangles the invocation has found.
#[inline(always)]
fn look_up(
    lane: Lane,
    params: &TriangleParams,
    graph: Csr<Views>,
    edges: Oriented<Views>,
    pieces: Read<u32>,
    state: Read<u32>,
    pieces_taken: &mut Global<u32>,
    memory: &mut Memory,
    mut found: impl FnMut(Found),
) -> Total {
    let (offsets, numbers, bound) = (edges.offsets, edges.numbers, params.bound);
    for word in lane.group_stride(WORDS as u32) {
        memory.bits.set(word, 0);
    }
    let count = state.get(PieceState::COUNT);
    let mut total = Total::new();
    let mut piece = take(lane, pieces_taken, memory);
    let mut pieces_left = params.pieces;
    while piece < count && pieces_left > 0 {
        let (node, first_edge) = (pieces.get(2 * piece), pieces.get(2 * piece + 1));
        let (mut begin, mut count_here) = (0, 0);
        if bound.rows.has(node) {
            let length = (graph.row_offsets.get(node + 1) - first_edge).min(PIECE);
            (begin, count_here) = bound.rows.place(first_edge, length);
        }
        let end = begin + count_here;
        let (first_target, mut last_target) = (offsets.get(node), offsets.get(node + 1));
        if count_here == 0 {
            last_target = first_target;
        }
        for place in step(first_target + lane.local, last_target, lane.threads) {
            let number = numbers.get(place);
            memory.bits.or(number / 32, 1 << (number % 32));
        }
        let mut hits = 0;
        for base in step(begin, end, lane.threads) {
            let edge = base + lane.local;
            let (mut list, mut length) = (0, 0);
            if edge < end {
                let lower = graph.columns.get(edge);
                if is_higher(graph.row_offsets, lower, node) && !bound.is_repeated(graph, node, edge) {
                    list = offsets.get(lower);
                    length = offsets.get(lower + 1) - list;
                }
            }
            memory.lists.set(lane.local, list);
            memory.lists.set(lane.threads + lane.local, length);
            lane.barrier();
            for owner in step(lane.subgroup, lane.threads.min(end - base), lane.subgroups) {
                let list = memory.lists.get(owner);
                let (width, list_end) = (lane.subgroup_size, list + memory.lists.get(lane.threads + owner));
                // Four loads are under way before the first is looked up. Where the list has ended, the first is loaded once more.
                for a in step(list + lane.subgroup_lane, list_end, 4 * width) {
                    let (b, c, d) = (a + width, a + 2 * width, a + 3 * width);
                    let (has_b, has_c, has_d) = (b < list_end, c < list_end, d < list_end);
                    lane.count_atoms(1 + u32::from(has_b) + u32::from(has_c) + u32::from(has_d));
                    let number_a = numbers.get(a);
                    let number_b = numbers.get(if has_b { b } else { a });
                    let number_c = numbers.get(if has_c { c } else { a });
                    let number_d = numbers.get(if has_d { d } else { a });
                    let hit_a = memory.is_marked(number_a);
                    let hit_b = memory.is_marked(number_b) & u32::from(has_b);
                    let hit_c = memory.is_marked(number_c) & u32::from(has_c);
                    let hit_d = memory.is_marked(number_d) & u32::from(has_d);
                    hits += hit_a + hit_b + hit_c + hit_d;
                    let edge = base + owner;
                    if hit_a != 0 {
                        found(Found { heavy: node, element: a, edge });
                    }
                    if hit_b != 0 {
                        found(Found { heavy: node, element: b, edge });
                    }
                    if hit_c != 0 {
                        found(Found { heavy: node, element: c, edge });
                    }
                    if hit_d != 0 {
                        found(Found { heavy: node, element: d, edge });
                    }
                }
            }
            lane.barrier();
        }
        total = total.plus(hits);
        for place in step(first_target + lane.local, last_target, lane.threads) {
            memory.bits.set(numbers.get(place) / 32, 0);
        }
        pieces_left -= 1;
        // A piece that is taken must be done: the last that this workgroup may do takes no further one.
        if pieces_left > 0 {
            piece = take(lane, pieces_taken, memory);
        }
    }
    total
}

/// Takes the next piece for the whole workgroup.
#[inline(always)]
fn take(lane: Lane, pieces_taken: &mut Global<u32>, memory: &mut Memory) -> u32 {
    lane.barrier();
    if lane.local == 0 {
        memory.taken.set(0, pieces_taken.add(0, 1));
    }
    lane.barrier();
    memory.taken.get(0)
}

/// The kept edge from a node to another.
#[inline(always)]
fn place_of(offsets: Read<u32>, targets: Read<u32>, node: u32, other: u32) -> u32 {
    first(offsets.get(node), offsets.get(node + 1), |place| targets.get(place) >= other)
}

/// Counts the triangles of edges to heavy nodes: two words of `totals` for each workgroup.
#[kernel(threads = 256, counts)]
pub fn triangle_bitmap(
    lane: Lane,
    params: &TriangleParams,
    graph: Csr,
    edges: Oriented,
    pieces: Read<u32>,
    state: Read<u32>,
    mut pieces_taken: Global<u32>,
    mut totals: Global<u32>,
    bits: Shared<u32, WORDS>,
    lists: Shared<u32, LISTS>,
    taken: Shared<u32, 1>,
    mut sums: Shared<u32, SUMS>,
) {
    let mut memory = Memory { bits, lists, taken };
    let total = look_up(lane, params, graph, edges, pieces, state, &mut pieces_taken, &mut memory, |_| {});
    total.add(lane, lane.group, &mut sums, &mut totals);
}

/// Counts also the triangles of each node: two words of `counts` each.
#[kernel(threads = 256, counts)]
pub fn triangle_bitmap_nodes(
    lane: Lane,
    params: &TriangleParams,
    graph: Csr,
    edges: Oriented,
    pieces: Read<u32>,
    marks: Read<u32>,
    mut counts: Global<u32>,
    state: Read<u32>,
    mut pieces_taken: Global<u32>,
    mut totals: Global<u32>,
    bits: Shared<u32, WORDS>,
    lists: Shared<u32, LISTS>,
    taken: Shared<u32, 1>,
    mut sums: Shared<u32, SUMS>,
) {
    let mut memory = Memory { bits, lists, taken };
    let params = *params;
    let (offsets, targets) = (edges.offsets, edges.targets);
    let total = look_up(lane, &params, graph, edges, pieces, state, &mut pieces_taken, &mut memory, move |found| {
        let (lower, last) = (graph.columns.get(found.edge), targets.get(found.element));
        let (mut between, mut from_heavy) = (0, 0);
        if params.marked != 0 {
            // Where the edges are whose marks count: the bitmap does not say it.
            between = place_of(offsets, targets, lower, found.heavy);
            from_heavy = place_of(offsets, targets, found.heavy, last);
        }
        let corners = (lower, found.heavy, last);
        add_triangle(params, marks, &mut counts, corners, (from_heavy, found.element, between));
    });
    total.add(lane, lane.group, &mut sums, &mut totals);
}
