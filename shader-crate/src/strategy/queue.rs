//! One invocation for each node of a queue, the second of the classic formulations. It puts each neighbour that it claims on the next queue
//! by an atomic addition of its own, where in `node` a subgroup reserves places for all its finds at once.

use super::TraversalParams;
use super::node::visit_rows;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;

/// One iteration.
#[kernel(threads = 256, any_width, each(O in for_each_search))]
pub fn queue<O: Operate>(
    lane: Lane,
    params: &TraversalParams,
    graph: Csr,
    data: TraversalData,
    worklist: Worklist,
    state: State<LoopHeader>,
) {
    let mut traversal = Traversal { data, next: worklist.next, state };
    let found = |traversal: &mut Traversal<LoopHeader>, neighbour, _| traversal.push_alone(neighbour);
    visit_rows::<O, _>(lane, &mut traversal, worklist.current, graph, |node| node, found);
    traversal.advance(lane, params.max_groups);
}
