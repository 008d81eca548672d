//! Level after level of a breadth-first search in one dispatch, by a few workgroups, while the frontier is of middling length: too
//! long for one workgroup, too short for a dispatch a level to pay. At the end of a level they wait for each other.
//!
//! Vulkan does not promise that workgroups run at the same time, but GPUs let one that has begun go on. So those that have begun
//! take part, and one that comes when the others are already at work finds the door closed and ends (Sorensen et al. 2016,
//! "Portable inter-workgroup barrier synchronisation for GPUs").

use super::{
    Frontier, Search, Seen,
    resident::{LEVELS, turns},
    size_next,
};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    ranges::step,
};
use evenkeel_types::{Control, SearchParams};

/// Set in the number of members when nobody else may join.
const CLOSED: u32 = 1 << 31;

/// How often the first looks whether all have come before it closes the door.
const PATIENCE: u32 = 2000;

/// Not a member.
pub const NOBODY: u32 = u32::MAX;

/// Joins the workgroups that take part. Its number among them and how many there are, or [`NOBODY`]. All invocations of the
/// workgroup call it together.
#[inline(always)]
pub fn take_part(lane: Lane, control: &mut Global<u32>, membership: &mut Shared<u32, 2>) -> (u32, u32) {
    if lane.local == 0 {
        let (number, members) = join(control, lane.groups);
        membership.set(0, number);
        membership.set(1, members);
    }
    lane.barrier();
    (membership.get(0), membership.get(1))
}

#[inline(always)]
fn join(control: &mut Global<u32>, groups: u32) -> (u32, u32) {
    if groups == 1 {
        return (0, 1);
    }
    let (mut number, mut state) = (NOBODY, control.load(Control::MEMBERS));
    while number == NOBODY && state & CLOSED == 0 {
        let before = control.compare_exchange(Control::MEMBERS, state, state + 1);
        if before == state {
            number = state;
        }
        state = before;
    }
    if number == 0 {
        let mut looks = 0;
        while looks < PATIENCE && control.load(Control::MEMBERS) < groups {
            looks += 1;
        }
        control.or(Control::MEMBERS, CLOSED);
    }
    if number != NOBODY {
        while control.load(Control::MEMBERS) & CLOSED == 0 {}
    }
    (number, control.load(Control::MEMBERS) & !CLOSED)
}

/// Puts a node on the list that is written, at `place`, if it is new. Returns the next place.
#[inline(always)]
fn push(search: &mut Search, seen: Seen, depth: u32, place: u32) -> u32 {
    if seen.new == 1 {
        search.depths.set(seen.node, depth);
        search.lists.store(place, seen.node);
    }
    place + seen.new
}

/// As many levels as there are before the frontier is long, or short. Every row is short.
#[kernel(threads = 256)]
pub fn search_abreast(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    depths: Global<u32>,
    seen: Global<u32>,
    lists: Global<u32>,
    mut control: Global<u32>,
    mut membership: Shared<u32, 2>,
) {
    let now = control.load(Control::SEEN_SIDE) * params.words();
    let mut depth = control.load(Control::ITERATION);
    let mut from = control.load(Control::SIDE) * params.nodes;
    let mut count = control.load(Control::FRONTIER);
    let (number, members) = take_part(lane, &mut control, &mut membership);
    let frontier = Frontier::default();
    let mut search =
        Search { params: *params, row_offsets, columns, depths, seen, lists, control, now, depth: 0, frontier };
    let (mut level, mut taken) = (0, 0);
    while number != NOBODY && count > params.short && count <= params.middling && level < LEVELS && taken < params.turns
    {
        taken += turns(count.div_ceil(members * lane.threads));
        let to = params.nodes - from;
        depth += 1;
        // Counts take turns: this one was read two levels ago, and is written in the next.
        if number == 0 && lane.local == 0 {
            search.control.store(Control::COUNTS + (level + 1) % 3, 0);
        }
        for entry in step(number * lane.threads + lane.local, count, members * lane.threads) {
            let node = search.lists.load(from + entry);
            let (mut edge, end) = (search.row_offsets.get(node), search.row_offsets.get(node + 1));
            while edge < end {
                let nodes = search.ends(edge, 1, end);
                let (a, b, c, d) = search.see_four(nodes, end - edge);
                let new = a.new + b.new + c.new + d.new;
                let place = to + lane.append(&mut search.control, Control::COUNTS + level % 3, new);
                let place = push(&mut search, a, depth, place);
                let place = push(&mut search, b, depth, place);
                let place = push(&mut search, c, depth, place);
                push(&mut search, d, depth, place);
                edge += 4;
            }
        }
        level += 1;
        lane.meet(&mut search.control, Control::MEETINGS, level * members);
        count = search.control.load(Control::COUNTS + (level - 1) % 3);
        from = to;
    }
    if number == 0 && lane.local == 0 {
        search.control.store(Control::SIDE, u32::from(from > 0));
        search.control.store(Control::FRONTIER, count);
        search.control.store(Control::LEFT, 0);
        search.control.store(Control::ITERATION, depth);
    }
    if lane.last(&mut search.control, Control::TICKET) {
        let control = &mut search.control;
        for turn in 0..3 {
            control.store(Control::COUNTS + turn, 0);
        }
        control.store(Control::MEMBERS, 0);
        control.store(Control::MEETINGS, 0);
        let found = control.load(Control::FRONTIER);
        size_next(params, control, SearchParams::PUSH, found, 0, 0);
    }
}
