//! Work stealing (Che et al., after Tsigas and Cederman): the first kernel of `labelled.rs` with a queue for each workgroup. An
//! element of a queue is a chunk of nodes with their edges. A workgroup pops elements at the tail of its own queue, and when
//! that is empty steals at the heads of others. Head and tail are the halves of one word, which changes by compare-and-swap: who
//! fails has lost to somebody who got an element, so the whole always gets on. Nobody waits for anybody.

use super::labelled::Labels;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    ranges::step,
};
use evenkeel_types::{LabelParams, LabelState, UNCOLORED};

/// In place of an element, or of a queue, where there is none.
const NOTHING: u32 = u32::MAX;

/// The words that a workgroup shares: the element it takes next, and how far away the nearest queue is that is not empty.
const ELEMENT: u32 = 0;
const VICTIM: u32 = 1;

#[inline(always)]
fn is_empty(queue: u32) -> bool {
    queue >> 16 >= queue & 0xffff
}

/// Takes an element off a queue: at the head as a thief, at the tail as its owner.
#[inline(always)]
fn take(queues: &mut Global<u32>, queue: u32, as_thief: bool) -> u32 {
    let mut element = NOTHING;
    let mut seen = queues.load(queue);
    while element == NOTHING && !is_empty(seen) {
        let (after, candidate) =
            if as_thief { (seen + (1 << 16), seen >> 16) } else { (seen - 1, (seen & 0xffff) - 1) };
        let found = queues.compare_exchange(queue, seen, after);
        if found == seen {
            element = candidate;
        }
        seen = found;
    }
    element
}

/// How many queues on from the workgroup's own the nearest is that is not empty. All invocations look.
#[inline(always)]
fn find_victim(lane: Lane, count: u32, queues: &Global<u32>, shared: &mut Shared<u32, 2>) -> u32 {
    for distance in step(1 + lane.local, count, lane.threads) {
        if !is_empty(queues.load((lane.group + distance) % count)) {
            shared.min(VICTIM, distance);
        }
    }
    lane.barrier();
    let victim = shared.get(VICTIM);
    lane.barrier();
    victim
}

/// The element that the workgroup takes next; nothing when all queues are empty. `taken` counts for each workgroup what it has
/// popped and what it has stolen.
#[inline(always)]
fn next_element(
    lane: Lane,
    count: u32,
    queues: &mut Global<u32>,
    taken: &mut Global<u32>,
    shared: &mut Shared<u32, 2>,
) -> u32 {
    if lane.local == 0 {
        let element = take(queues, lane.group, false);
        if element != NOTHING {
            taken.add(2 * lane.group, 1);
        }
        shared.set(ELEMENT, element);
        shared.set(VICTIM, NOTHING);
    }
    lane.barrier();
    let mut element = shared.get(ELEMENT);
    lane.barrier();
    let mut others = element == NOTHING;
    while others {
        let victim = find_victim(lane, count, queues, shared);
        if victim == NOTHING {
            others = false;
        } else {
            if lane.local == 0 {
                let stolen = take(queues, (lane.group + victim) % count, true);
                if stolen != NOTHING {
                    taken.add(2 * lane.group + 1, 1);
                }
                shared.set(ELEMENT, stolen);
                shared.set(VICTIM, NOTHING);
            }
            lane.barrier();
            element = shared.get(ELEMENT);
            lane.barrier();
            others = element == NOTHING;
        }
    }
    element
}

/// The first kernel: a workgroup for each queue, until there is nothing left in any.
#[kernel(threads = 256)]
pub fn color_steal(
    lane: Lane,
    params: &LabelParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    colors: Read<u32>,
    state: Read<u32>,
    mut largest: Global<u32>,
    mut queues: Global<u32>,
    mut taken: Global<u32>,
    mut shared: Shared<u32, 2>,
) {
    let labels = Labels { row_offsets, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
    let mut element = 0;
    while element != NOTHING {
        element = next_element(lane, params.queues, &mut queues, &mut taken, &mut shared);
        if element != NOTHING {
            let begin = element * params.chunk;
            let end = begin + params.chunk.min(params.nodes - begin);
            for node in step(begin + lane.local, end, lane.threads) {
                if colors.get(node) == UNCOLORED {
                    largest.set(node, labels.largest_around(columns, colors, node));
                }
            }
        }
    }
}
