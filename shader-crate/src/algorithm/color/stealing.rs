//! Work stealing (Che et al., after Tsigas and Cederman): the first kernel of [`labelled`](super::labelled) with one queue per workgroup
//! ([`Queues`]). An element of a queue is a chunk of nodes with their edges.

use super::labelled::{LabelParams, LabelState, Labels};
use crate::prelude::*;
use crate::primitive::queues::{NOTHING, Queues};

/// The first kernel, with one workgroup per queue, which runs until no element is left for it. `taken` has the number of elements that each
/// workgroup has popped, and the number that it has stolen.
#[kernel(threads = 256)]
pub fn color_steal(
    lane: Lane,
    params: &LabelParams,
    graph: Csr,
    colors: Read<u32>,
    state: State<LabelState>,
    mut largest: Global<u32>,
    mut queues: Global<u32>,
    mut taken: Global<u32>,
    mut shared: Shared<u32, 2>,
) {
    let labels = Labels { graph, seed: params.seed, by_degree: state.get(LabelState::BY_DEGREE) };
    let first = params.rows.first / params.chunk;
    let elements = Queues { numbers: params.rows.end().div_ceil(params.chunk) - first, queues: params.queues };
    let mut left = true;
    while left {
        let next = elements.next(lane, &mut queues, &mut shared, params.steal != 0);
        left = next.number != NOTHING;
        if left {
            if lane.local == 0 {
                taken.add(2 * lane.group + u32::from(next.is_stolen), 1);
            }
            let begin = (first + next.number) * params.chunk;
            let end = begin + params.chunk.min(params.rows.end() - begin);
            for node in step(begin.max(params.rows.first) + lane.local, end, lane.threads) {
                labels.find_largest(&params.rows, colors, node, &mut largest);
            }
        }
    }
    elements.end(lane, &mut queues, &mut shared);
}
