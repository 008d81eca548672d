//! Speculative greedy colouring (Gebremedhin and Manne 2000) with a deterministic result. An iteration has two steps. In the first,
//! every uncoloured node takes as tentative colour the smallest that no neighbour has as final colour. In the second, a tentative colour
//! becomes final unless a neighbour of higher rank has taken the same. Tentative colours do not change until the next first step, so
//! the order in which invocations read them does not matter.

use super::TENTATIVE;
use super::sections::{Look, MARKS, SectionParams, SectionState, Sections, smallest_free};
use crate::prelude::*;

/// Puts all nodes of the worklist it takes on the next one. The host has cleared the state.
#[kernel(threads = 256)]
pub fn color_begin(lane: Lane, params: &SectionParams, graph: Csr, worklist: Worklist, state: State<SectionState>) {
    let mut sections = Sections { params: *params, graph, worklist, state };
    for place in lane.grid_stride(params.nodes) {
        let node = sections.worklist.current.get(place);
        sections.push(lane, node);
    }
    sections.advance(lane, 0);
}

/// Reads the colours around a node. Tentative ones have their highest bit set and do not count.
struct Final<'a> {
    colors: Global<'a, u32>,
}

impl Look for Final<'_> {
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
    graph: Csr,
    worklist: Worklist,
    colors: Global<u32>,
    state: State<SectionState>,
    mut marks: Shared<u32, MARKS>,
) {
    let sections = Sections { params: *params, graph, worklist, state };
    let counts = sections.counts();
    let mut look = Final { colors };
    for round in lane.by_group(counts.rounds(lane)) {
        let share = sections.share(lane, &counts, round);
        let color = smallest_free(lane, &share, graph, &look, &mut marks);
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
    graph: Csr,
    worklist: Worklist,
    mut colors: Global<u32>,
    state: State<SectionState>,
    mut marks: Shared<u32, MARKS>,
) {
    let mut sections = Sections { params: *params, graph, worklist, state };
    let counts = sections.counts();
    for round in lane.by_group(counts.rounds(lane)) {
        let share = sections.share(lane, &counts, round);
        let tentative = if share.is_some() { colors.load(share.node) } else { 0 };
        let rank = share.rank(graph, params.seed);
        let mut lost = 0;
        for edge in share.edges(graph) {
            let neighbour = graph.columns.get(edge);
            // A neighbour whose colour has already become final has the same colour without the bit.
            if colors.load(neighbour) | TENTATIVE == tentative && rank.is_after(graph, params.seed, neighbour) {
                lost = 1;
                break;
            }
        }
        let lost = share.sum(lane, lost, &mut marks);
        if share.leads() {
            if lost > 0 {
                sections.push(lane, share.node);
            } else {
                colors.store(share.node, tentative & !TENTATIVE);
            }
        }
    }
    sections.advance(lane, 1);
}
