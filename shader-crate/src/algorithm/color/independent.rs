//! Independent sets (Jones and Plassmann 1993) with the smallest free colour, nodes of many edges first (Welsh and Powell 1967).
//! A node waits for the neighbours that come before it. An iteration takes all nodes that wait for nobody: no two of them are
//! neighbours, so each takes the smallest colour around it that is free, and releases the neighbours that come after it. All in
//! all every edge is looked at twice each way, however many iterations there are, and the colours are those that one would give out
//! one node after another.

use super::sections::{Counts, Look, MARKS, advance, push, smallest_free};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};
use evenkeel_types::{SectionParams, UNCOLORED};

/// For how many neighbours each node waits. `order` has all nodes in their sections; those that wait for nobody are the first
/// worklist. The host has cleared the control block and the sections.
#[kernel(threads = 256)]
pub fn color_wait(
    lane: Lane,
    params: &SectionParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    order: Read<u32>,
    mut waits: Global<u32>,
    mut next: Global<u32>,
    mut control: Global<u32>,
    mut sections: Global<u32>,
    mut marks: Shared<u32, MARKS>,
) {
    let counts = Counts::all(params);
    for round in lane.by_group(counts.rounds(lane)) {
        let share = counts.share(lane, params, order, round);
        let rank = share.rank(row_offsets, params.seed);
        let mut before = 0;
        for edge in share.edges(row_offsets) {
            if rank.is_after(row_offsets, params.seed, columns.get(edge)) {
                before += 1;
            }
        }
        let before = share.sum(lane, before, &mut marks);
        if share.leads() {
            waits.set(share.node, before);
            if before == 0 {
                push(lane, params, row_offsets, share.node, &mut next, &mut sections);
            }
        }
    }
    advance(lane, params, &mut control, &mut sections, 0);
}

/// Looks at the colours around a node, and releases the neighbours that have none: they all come after it.
struct Release<'a> {
    params: SectionParams,
    row_offsets: Read<'a, u32>,
    columns: Read<'a, u32>,
    colors: Global<'a, u32>,
    waits: Global<'a, u32>,
    next: Global<'a, u32>,
    sections: Global<'a, u32>,
}

impl Look for Release<'_> {
    #[inline(always)]
    fn neighbour(&self, edge: u32) -> u32 {
        self.columns.get(edge)
    }

    #[inline(always)]
    fn color(&self, neighbour: u32) -> u32 {
        self.colors.get(neighbour)
    }

    /// The node's own colour is not written yet, but will be when the neighbour's turn comes, in a later dispatch.
    #[inline(always)]
    fn releases(&mut self, neighbour: u32, color: u32) -> bool {
        color == UNCOLORED && self.waits.add(neighbour, u32::MAX) == 1
    }

    #[inline(always)]
    fn push(&mut self, lane: Lane, neighbour: u32) {
        push(lane, &self.params, self.row_offsets, neighbour, &mut self.next, &mut self.sections);
    }
}

/// One iteration.
#[kernel(threads = 256)]
pub fn color_independent(
    lane: Lane,
    params: &SectionParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    list: Read<u32>,
    colors: Global<u32>,
    waits: Global<u32>,
    next: Global<u32>,
    mut control: Global<u32>,
    sections: Global<u32>,
    mut marks: Shared<u32, MARKS>,
) {
    let counts = Counts::of(&sections);
    let mut look = Release { params: *params, row_offsets, columns, colors, waits, next, sections };
    for round in lane.by_group(counts.rounds(lane)) {
        let share = counts.share(lane, params, list, round);
        let color = smallest_free(lane, &share, row_offsets, &mut look, &mut marks);
        if share.leads() {
            look.colors.set(share.node, color);
        }
    }
    advance(lane, params, &mut control, &mut look.sections, 1);
}
