//! Independent sets (Jones and Plassmann 1993) with the smallest free colour, nodes of high degree first (Welsh and Powell 1967). A node
//! waits for the neighbours of higher rank. An iteration takes all nodes that wait for none: no two of them are adjacent, so each takes
//! the smallest colour that none of its neighbours has, and releases the neighbours of lower rank. Every edge is visited twice in each
//! direction, whatever the number of iterations, and the colouring is that of the sequential greedy algorithm in the same order.

use super::UNCOLORED;
use super::sections::{Counts, Look, MARKS, SectionParams, SectionState, Sections, smallest_free};
use crate::prelude::*;

/// Counts the neighbours that each node waits for. The worklist it takes has all nodes in their sections; those that wait for none are
/// the first worklist. The host has cleared the state.
#[kernel(threads = 256)]
pub fn color_wait(
    lane: Lane,
    params: &SectionParams,
    graph: Csr,
    worklist: Worklist,
    mut waits: Global<u32>,
    state: State<SectionState>,
    mut marks: Shared<u32, MARKS>,
) {
    let mut sections = Sections { params: *params, graph, worklist, state };
    let counts = Counts::all(params);
    for round in lane.by_group(counts.rounds(lane)) {
        let share = sections.share(lane, &counts, round);
        let rank = share.rank(graph, params.seed);
        let mut before = 0;
        for edge in share.edges(graph) {
            if rank.is_after(graph, params.seed, graph.columns.get(edge)) {
                before += 1;
            }
        }
        let before = share.sum(lane, before, &mut marks);
        if share.leads() {
            waits.set(share.node, before);
            if before == 0 {
                sections.push(lane, share.node);
            }
        }
    }
    sections.advance(lane, 0);
}

/// Reads the colours around a node and releases the uncoloured neighbours, which all have a lower rank.
struct Release<'a> {
    sections: Sections<'a>,
    colors: Global<'a, u32>,
    waits: Global<'a, u32>,
}

#[inline_all]
impl Look for Release<'_> {
    fn color(&self, neighbour: u32) -> u32 {
        self.colors.get(neighbour)
    }

    /// The node's own colour is written later in this dispatch, the neighbour reads it in a later one.
    fn releases(&mut self, neighbour: u32, color: u32) -> bool {
        color == UNCOLORED && self.waits.add(neighbour, u32::MAX) == 1
    }

    fn push_if(&mut self, released: bool, lane: Lane, neighbour: u32) {
        if released {
            self.sections.push(lane, neighbour);
        }
    }
}

/// One iteration.
#[kernel(threads = 256)]
pub fn color_independent(
    lane: Lane,
    params: &SectionParams,
    graph: Csr,
    worklist: Worklist,
    colors: Global<u32>,
    waits: Global<u32>,
    state: State<SectionState>,
    mut marks: Shared<u32, MARKS>,
) {
    let sections = Sections { params: *params, graph, worklist, state };
    let counts = sections.counts();
    let mut look = Release { sections, colors, waits };
    for round in lane.by_group(counts.rounds(lane)) {
        let share = look.sections.share(lane, &counts, round);
        let color = smallest_free(lane, &share, graph, &mut look, &mut marks);
        if share.leads() {
            look.colors.set(share.node, color);
        }
    }
    look.sections.advance(lane, 1);
}
