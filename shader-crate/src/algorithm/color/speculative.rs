//! Speculative greedy colouring (Gebremedhin and Manne 2000) that comes out the same every time. An iteration has two steps. In
//! the first, every node without a colour guesses: the smallest that no neighbour has for certain. In the second, a guess holds
//! unless a neighbour that comes before has made the same. Guesses stay as they are until the next first step, so it does not
//! matter who looks when.

use super::sections::{Counts, Look, MARKS, advance, push, smallest_free};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};
use evenkeel_types::{SectionParams, TENTATIVE};

/// Begins with all nodes on the worklist. The host has cleared the control block and the sections.
#[kernel(threads = 256)]
pub fn color_begin(
    lane: Lane,
    params: &SectionParams,
    order: Read<u32>,
    row_offsets: Read<u32>,
    mut next: Global<u32>,
    mut control: Global<u32>,
    mut sections: Global<u32>,
) {
    for place in lane.grid_stride(params.nodes) {
        push(lane, params, row_offsets, order.get(place), &mut next, &mut sections);
    }
    advance(lane, params, &mut control, &mut sections, 0);
}

/// Looks at the colours around a node; guesses have their highest bit set and do not count.
struct Certain<'a> {
    columns: Read<'a, u32>,
    colors: Global<'a, u32>,
}

impl Look for Certain<'_> {
    #[inline(always)]
    fn neighbour(&self, edge: u32) -> u32 {
        self.columns.get(edge)
    }

    #[inline(always)]
    fn color(&self, neighbour: u32) -> u32 {
        self.colors.load(neighbour)
    }
}

/// The first step.
#[kernel(threads = 256)]
pub fn color_guess(
    lane: Lane,
    params: &SectionParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    list: Read<u32>,
    colors: Global<u32>,
    sections: Global<u32>,
    mut marks: Shared<u32, MARKS>,
) {
    let counts = Counts::of(&sections);
    let mut look = Certain { columns, colors };
    for round in lane.by_group(counts.rounds(lane)) {
        let share = counts.share(lane, params, list, round);
        let color = smallest_free(lane, &share, row_offsets, &mut look, &mut marks);
        if share.leads() {
            look.colors.store(share.node, color | TENTATIVE);
        }
    }
}

/// The second step.
#[kernel(threads = 256)]
pub fn color_settle(
    lane: Lane,
    params: &SectionParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    list: Read<u32>,
    mut colors: Global<u32>,
    mut next: Global<u32>,
    mut control: Global<u32>,
    mut sections: Global<u32>,
    mut marks: Shared<u32, MARKS>,
) {
    let counts = Counts::of(&sections);
    for round in lane.by_group(counts.rounds(lane)) {
        let share = counts.share(lane, params, list, round);
        let guess = if share.is_some() { colors.load(share.node) } else { 0 };
        let rank = share.rank(row_offsets, params.seed);
        let mut lost = 0;
        for edge in share.edges(row_offsets) {
            let neighbour = columns.get(edge);
            // A neighbour whose guess has held already has the same colour without the bit.
            if colors.load(neighbour) | TENTATIVE == guess && rank.is_after(row_offsets, params.seed, neighbour) {
                lost = 1;
                break;
            }
        }
        let lost = share.sum(lane, lost, &mut marks);
        if share.leads() {
            if lost > 0 {
                push(lane, params, row_offsets, share.node, &mut next, &mut sections);
            } else {
                colors.store(share.node, guess & !TENTATIVE);
            }
        }
    }
    advance(lane, params, &mut control, &mut sections, 1);
}
