//! Work stealing (Che et al., after Tsigas and Cederman): the first kernel of [`labelled`](super::labelled) with one queue per workgroup.
//! An element of a queue is a chunk of nodes with their edges. A workgroup pops elements at the tail of its own queue and, when that is
//! empty, steals at the heads of others, unless it is told to stop there. Head and tail are the halves of one word, which is updated by compare-and-swap. A failed swap
//! means that another workgroup has taken an element, so the queues are lock-free.

use super::labelled::{LabelParams, LabelState, Labels};
use super::queues::{NOTHING, Queues, is_empty};
use crate::prelude::*;

/// The word of workgroup memory with the element that the workgroup takes next.
const ELEMENT: u32 = 0;
/// The word of workgroup memory with the distance to the nearest queue that is not empty.
const VICTIM: u32 = 1;

/// The distance, in queues, from the workgroup's own to the nearest one that is not empty. The whole workgroup calls it together.
#[inline(always)]
fn find_victim(lane: Lane, count: u32, ends: &Global<u32>, shared: &mut Shared<u32, 2>) -> u32 {
    for distance in step(1 + lane.local, count, lane.threads) {
        if !is_empty(ends.load((lane.group + distance) % count)) {
            shared.min(VICTIM, distance);
        }
    }
    lane.barrier();
    let victim = shared.get(VICTIM);
    lane.barrier();
    victim
}

/// Takes an element from a queue for the whole workgroup, which calls it together.
#[inline(always)]
fn take_together(
    lane: Lane,
    queue: u32,
    queues: &mut Queues<Views>,
    shared: &mut Shared<u32, 2>,
    as_thief: bool,
) -> u32 {
    if lane.local == 0 {
        let element = queues.take(queue, as_thief);
        if element != NOTHING {
            queues.taken.add(2 * lane.group + u32::from(as_thief), 1);
        }
        shared.set(ELEMENT, element);
        shared.set(VICTIM, NOTHING);
    }
    lane.barrier();
    let element = shared.get(ELEMENT);
    lane.barrier();
    element
}

/// The element that the workgroup takes next, or [`NOTHING`] when all queues are empty, or its own is where nothing is stolen. The whole
/// workgroup calls it together.
#[inline(always)]
fn next_element(lane: Lane, params: &LabelParams, queues: &mut Queues<Views>, shared: &mut Shared<u32, 2>) -> u32 {
    let count = params.queues;
    let mut element = take_together(lane, lane.group, queues, shared, false);
    let mut others = element == NOTHING && params.steal != 0;
    while others {
        let victim = find_victim(lane, count, &queues.ends, shared);
        if victim == NOTHING {
            others = false;
        } else {
            element = take_together(lane, (lane.group + victim) % count, queues, shared, true);
            others = element == NOTHING;
        }
    }
    element
}

/// The first kernel, with one workgroup per queue, which runs until no element is left for it.
#[kernel(threads = 256)]
pub fn color_steal(
    lane: Lane,
    params: &LabelParams,
    graph: Csr,
    colors: Read<u32>,
    state: State<LabelState>,
    mut largest: Global<u32>,
    mut queues: Queues,
    mut shared: Shared<u32, 2>,
) {
    let labels = Labels { graph, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
    let mut element = 0;
    while element != NOTHING {
        element = next_element(lane, params, &mut queues, &mut shared);
        if element != NOTHING {
            let begin = element * params.chunk;
            let end = begin + params.chunk.min(params.rows.end() - begin);
            for node in step(begin.max(params.rows.first) + lane.local, end, lane.threads) {
                labels.find_largest(&params.rows, colors, node, &mut largest);
            }
        }
    }
}

/// Fills the queues for the next partition; before the first of an iteration the kernels of [`labelled`](super::labelled) have.
#[kernel(threads = 256, any_width)]
pub fn color_refill(lane: Lane, params: &LabelParams, mut queues: Queues) {
    queues.fill(lane, params.queues, params.chunk, params.rows);
}
