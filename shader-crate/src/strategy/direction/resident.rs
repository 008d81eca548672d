//! Level after level of a breadth-first search in one dispatch, by one workgroup, for as long as the frontier is short: on a
//! road or a grid a dispatch for each of thousands of levels costs more than the levels. The frontier stays in workgroup memory,
//! and a level ends with a barrier of the workgroup.

use super::{Frontier, Search, Seen, size_next};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};
use evenkeel_types::{Control, SearchParams};

/// Invocations of the workgroup: more than some devices have.
pub const INVOCATIONS: u32 = 1024;

/// Entries of a list that have room in workgroup memory, two lists in the 16 KiB that every device has; those that follow go to
/// the list that the whole dispatch reads.
const ROOM: u32 = 2046;

/// The longest frontier that the workgroup takes: beyond, several are faster.
pub const SHORT: u32 = INVOCATIONS;

/// The most levels of a dispatch: some drivers stop loops that are longer than 65,535, and others a dispatch that takes seconds.
pub const LEVELS: u32 = 8192;

/// The most edges of a node where many levels are taken in a dispatch.
pub const SHORT_ROW: u32 = 64;

/// The most turns of loops that an invocation takes in a level, with so many nodes of the frontier.
#[inline(always)]
pub fn turns(nodes: u32) -> u32 {
    2 + nodes * (2 + SHORT_ROW / 4)
}

/// Where the entries of the lists are.
struct Lists<'a> {
    /// Two lists of [`ROOM`] entries, one behind the other.
    near: Shared<'a, u32, { 2 * ROOM as usize }>,
    /// How many entries are on the list that is written, and on that of the next level: three counts that take turns.
    counts: Shared<'a, u32, 3>,
    /// The first entry of the further list.
    further: u32,
}

impl Lists<'_> {
    /// Puts a node on list `to`, at `place`, if it is new. Returns the next place.
    #[inline(always)]
    fn push(&mut self, search: &mut Search, seen: Seen, depth: u32, to: u32, place: u32) -> u32 {
        if seen.new == 0 {
            return place;
        }
        search.depths.set(seen.node, depth);
        if place < ROOM {
            self.near.set(to * ROOM + place, seen.node);
        } else {
            search.lists.set(self.further + place, seen.node);
        }
        place + 1
    }
}

/// As many levels as there are before the frontier is long, or empty. Every row is short.
#[kernel(threads = 1024)]
pub fn search_resident(
    lane: Lane,
    params: &SearchParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    depths: Global<u32>,
    seen: Global<u32>,
    lists: Global<u32>,
    control: Global<u32>,
    near: Shared<u32, 4092>,
    counts: Shared<u32, 3>,
) {
    let now = control.load(Control::SEEN_SIDE) * params.words();
    let mut depth = control.load(Control::ITERATION);
    let half = control.load(Control::SIDE) * params.nodes;
    let mut count = control.load(Control::FRONTIER);
    let further = params.nodes - half;
    let mut own = Lists { near, counts, further };
    let frontier = Frontier::default();
    let mut search =
        Search { params: *params, row_offsets, columns, depths, seen, lists, control, now, depth: 0, frontier };
    for entry in lane.group_stride(count) {
        own.near.set(entry, search.lists.get(half + entry));
    }
    if lane.local < 3 {
        own.counts.set(lane.local, 0);
    }
    lane.barrier();
    let (mut level, mut taken) = (0, 0);
    while count > 0 && count <= params.short && level < LEVELS && taken < params.turns {
        taken += turns(1);
        let (from, to) = (level % 2, (level + 1) % 2);
        depth += 1;
        // Counts take turns: this one was read two levels ago, and is written in the next.
        if lane.local == 0 {
            own.counts.set((level + 1) % 3, 0);
        }
        for entry in lane.group_stride(count) {
            let node = own.near.get(from * ROOM + entry);
            let (mut edge, end) = (search.row_offsets.get(node), search.row_offsets.get(node + 1));
            while edge < end {
                let nodes = search.ends(edge, 1, end);
                let (a, b, c, d) = search.see_four(nodes, end - edge);
                let new = a.new + b.new + c.new + d.new;
                if new > 0 {
                    let place = own.counts.add(level % 3, new);
                    let place = own.push(&mut search, a, depth, to, place);
                    let place = own.push(&mut search, b, depth, to, place);
                    let place = own.push(&mut search, c, depth, to, place);
                    own.push(&mut search, d, depth, to, place);
                }
                edge += 4;
            }
        }
        lane.barrier();
        count = own.counts.get(level % 3);
        level += 1;
    }
    // The whole dispatch goes on with the list, or nobody.
    for entry in lane.group_stride(count.min(ROOM)) {
        let node = own.near.get((level % 2) * ROOM + entry);
        search.lists.set(further + entry, node);
    }
    if lane.local == 0 {
        let control = &mut search.control;
        control.store(Control::SIDE, u32::from(half == 0));
        control.store(Control::FRONTIER, count);
        control.store(Control::LEFT, 0);
        control.store(Control::ITERATION, depth);
        size_next(params, control, SearchParams::PUSH, count, 0, 0);
    }
}
