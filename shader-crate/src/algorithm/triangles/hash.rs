//! Triangles by hash table (TRUST: Pandey et al. 2021), for edges that lead to heavy nodes. A workgroup puts the ends of a heavy node's
//! kept edges in a table in workgroup memory. Then the nodes whose kept edges lead to the heavy one look up the ends of theirs: a
//! subgroup reads each of these lists, neighbouring invocations neighbouring elements. As hubs keep few edges, the table is short, and
//! the lists that are looked up are those at the lower ends of edges, which are the shorter ones. A node with many edges comes in pieces.

use super::orient::{Oriented, PIECE, PieceState, is_higher, is_repeated};
use super::{SUMS, Total, TriangleParams, add_triangle};
use crate::prelude::*;
use crate::primitive::search::first;

/// The slots of the table: 16 KiB.
const SLOTS: usize = 4096;
/// The most entries of the table: half of the slots. A longer list takes several rounds.
const ENTRIES: u32 = SLOTS as u32 / 2;
/// Slots for each entry, as long as there are enough of them: lookups then mostly end at the first slot.
const SPARSE: u32 = 8;
/// A slot that is free; no node has this number.
const FREE: u32 = u32::MAX;
/// Elements that an invocation loads before it looks up the first of them.
const TOGETHER: u32 = 4;
/// Where a list begins, and how long it is, for each invocation.
const LISTS: usize = 2 * WORKGROUP as usize;

/// The first slot for a node.
#[inline(always)]
fn slot(node: u32, mask: u32) -> u32 {
    (node.wrapping_mul(0x9e37_79b1) >> 16) & mask
}

/// Whether a node is in the table.
#[inline(always)]
fn contains(table: &Shared<u32, SLOTS>, mask: u32, node: u32) -> bool {
    let mut place = slot(node, mask);
    let mut entry = table.get(place);
    while entry != node && entry != FREE {
        place = (place + 1) & mask;
        entry = table.get(place);
    }
    entry == node
}

/// Workgroup memory.
struct Memory<'a> {
    table: Shared<'a, u32, SLOTS>,
    lists: Shared<'a, u32, LISTS>,
    taken: Shared<'a, u32, 1>,
}

/// A triangle that was found: the heavy node, the element of the list that is also in the table, and the heavy node's edge that the list
/// is from.
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
    state: &mut Global<u32>,
    memory: &mut Memory,
    mut found: impl FnMut(Found),
) -> Total {
    let (offsets, targets) = (edges.offsets, edges.targets);
    let count = state.load(PieceState::COUNT);
    let mut total = Total::new();
    let mut piece = take(lane, state, memory);
    let mut pieces_left = params.pieces;
    while piece < count && pieces_left > 0 {
        let (node, begin) = (pieces.get(2 * piece), pieces.get(2 * piece + 1));
        let end = graph.row_offsets.get(node + 1).min(begin + PIECE);
        let (first_target, last) = (offsets.get(node), offsets.get(node + 1));
        let mut hits = 0;
        for round in step(first_target, last, ENTRIES) {
            let round_end = last.min(round + ENTRIES);
            let mask = fill(lane, targets, round, round_end, &mut memory.table);
            for base in step(begin, end, lane.threads) {
                let edge = base + lane.local;
                let (mut list, mut length) = (0, 0);
                if edge < end {
                    let lower = graph.columns.get(edge);
                    if is_higher(graph.row_offsets, lower, node) && !is_repeated(graph, node, edge) {
                        list = offsets.get(lower);
                        length = offsets.get(lower + 1) - list;
                    }
                }
                memory.lists.set(lane.local, list);
                memory.lists.set(lane.threads + lane.local, length);
                lane.barrier();
                for owner in step(lane.subgroup, lane.threads.min(end - base), lane.subgroups) {
                    let (list, length) = (memory.lists.get(owner), memory.lists.get(lane.threads + owner));
                    let (width, list_end) = (lane.subgroup_size, list + length);
                    for element in step(list + lane.subgroup_lane, list_end, TOGETHER * width) {
                        let (b, c, d) = (element + width, element + 2 * width, element + 3 * width);
                        let node_a = targets.get(element);
                        let node_b = targets.get(if b < list_end { b } else { element });
                        let node_c = targets.get(if c < list_end { c } else { element });
                        let node_d = targets.get(if d < list_end { d } else { element });
                        let edge = base + owner;
                        if contains(&memory.table, mask, node_a) {
                            hits += 1;
                            found(Found { heavy: node, element, edge });
                        }
                        if b < list_end && contains(&memory.table, mask, node_b) {
                            hits += 1;
                            found(Found { heavy: node, element: b, edge });
                        }
                        if c < list_end && contains(&memory.table, mask, node_c) {
                            hits += 1;
                            found(Found { heavy: node, element: c, edge });
                        }
                        if d < list_end && contains(&memory.table, mask, node_d) {
                            hits += 1;
                            found(Found { heavy: node, element: d, edge });
                        }
                    }
                }
                lane.barrier();
            }
        }
        total = total.plus(hits);
        pieces_left -= 1;
        // A piece that is taken must be done: the last that this workgroup may do takes no further one.
        if pieces_left > 0 {
            piece = take(lane, state, memory);
        }
    }
    total
}

/// Takes the next piece for the whole workgroup.
#[inline(always)]
fn take(lane: Lane, state: &mut Global<u32>, memory: &mut Memory) -> u32 {
    lane.barrier();
    if lane.local == 0 {
        memory.taken.set(0, state.add(PieceState::TAKEN, 1));
    }
    lane.barrier();
    memory.taken.get(0)
}

/// Makes a table of some targets. Returns its mask: one less than the number of its slots.
#[inline(always)]
fn fill(lane: Lane, targets: Read<u32>, begin: u32, end: u32, table: &mut Shared<u32, SLOTS>) -> u32 {
    let mut mask = (SLOTS as u32) - 1;
    while mask / SPARSE >= end - begin {
        mask /= 2;
    }
    for place in lane.group_stride(mask + 1) {
        table.set(place, FREE);
    }
    lane.barrier();
    for place in step(begin + lane.local, end, lane.threads) {
        let node = targets.get(place);
        let mut slot = slot(node, mask);
        while table.compare_exchange(slot, FREE, node) != FREE {
            slot = (slot + 1) & mask;
        }
    }
    lane.barrier();
    mask
}

/// The kept edge from a node to another.
#[inline(always)]
fn place_of(offsets: Read<u32>, targets: Read<u32>, node: u32, other: u32) -> u32 {
    first(offsets.get(node), offsets.get(node + 1), |place| targets.get(place) >= other)
}

/// Counts the triangles of edges to heavy nodes: two words of `totals` for each workgroup.
#[kernel(threads = 256)]
pub fn triangle_hash(
    lane: Lane,
    params: &TriangleParams,
    graph: Csr,
    edges: Oriented,
    pieces: Read<u32>,
    mut state: Global<u32>,
    mut totals: Global<u32>,
    table: Shared<u32, SLOTS>,
    lists: Shared<u32, LISTS>,
    taken: Shared<u32, 1>,
    mut sums: Shared<u32, SUMS>,
) {
    let mut memory = Memory { table, lists, taken };
    let total = look_up(lane, params, graph, edges, pieces, &mut state, &mut memory, |_| {});
    total.store(lane, lane.group, &mut sums, &mut totals);
}

/// Counts also the triangles of each node: two words of `counts` each.
#[kernel(threads = 256)]
pub fn triangle_hash_nodes(
    lane: Lane,
    params: &TriangleParams,
    graph: Csr,
    edges: Oriented,
    pieces: Read<u32>,
    marks: Read<u32>,
    mut counts: Global<u32>,
    mut state: Global<u32>,
    mut totals: Global<u32>,
    table: Shared<u32, SLOTS>,
    lists: Shared<u32, LISTS>,
    taken: Shared<u32, 1>,
    mut sums: Shared<u32, SUMS>,
) {
    let mut memory = Memory { table, lists, taken };
    let params = *params;
    let (offsets, targets) = (edges.offsets, edges.targets);
    let total = look_up(lane, &params, graph, edges, pieces, &mut state, &mut memory, move |found| {
        let (lower, last) = (graph.columns.get(found.edge), targets.get(found.element));
        let (mut between, mut from_heavy) = (0, 0);
        if params.marked != 0 {
            // Where the edges are whose marks count: the table does not say it.
            between = place_of(offsets, targets, lower, found.heavy);
            from_heavy = place_of(offsets, targets, found.heavy, last);
        }
        let corners = (lower, found.heavy, last);
        add_triangle(params, marks, &mut counts, corners, (from_heavy, found.element, between));
    });
    total.store(lane, lane.group, &mut sums, &mut totals);
}
