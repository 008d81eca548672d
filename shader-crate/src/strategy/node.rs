//! One invocation for each node (Raval et al., BS): the baseline, in which one with a hub works long after its neighbours are done.

use super::TraversalParams;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// One iteration: each invocation takes a node of the worklist and all its edges.
#[kernel(threads = 256, any_width, each(O in for_each_operator))]
pub fn node<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    graph: Csr,
    data: TraversalData,
    worklist: Worklist,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next: worklist.next, state };
    let found = |traversal: &mut Traversal<LoopHeader>, neighbour, _| {
        traversal.push(lane, neighbour);
    };
    visit_rows::<O, _>(lane, &mut traversal, worklist.current, graph, |node| node, found);
    traversal.advance(lane, params.max_groups);
}

/// Visits all edges of each row on the worklist, an invocation for each row, and calls `found` with each neighbour that must go on the next
/// worklist and the edge that found it. `node` says whose value a row's edges carry.
#[inline(always)]
pub(super) fn visit_rows<'a, O: Operate, L: LoopState>(
    lane: Lane,
    traversal: &mut Traversal<'a, L>,
    worklist: Read<u32>,
    rows: Csr<Views>,
    node: impl Fn(u32) -> u32,
    mut found: impl FnMut(&mut Traversal<'a, L>, u32, u32),
) {
    for place in lane.grid_stride(traversal.frontier()) {
        let row = worklist.get(place);
        let value = traversal.data.values.load(node(row));
        let edges = rows.row_offsets.get(row)..rows.row_offsets.get(row + 1);
        traversal.visit_all::<O>(rows.columns, value, edges, &mut found);
    }
}
