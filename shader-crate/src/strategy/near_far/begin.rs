//! The beginning at a source: it is near, alone. The host has set all distances, marks and waiting bits.

use super::{NearFarData, NearFarParams, NearFarState, Progress, relax::pieces};
use crate::{kernel, lane::Lane, memory::Read, rounds::RoundState, state::State, strategy::degree};
use evenkeel_types::{Csr, UNREACHED};

/// Begins at the source.
#[kernel(threads = 1)]
pub fn near_far_start(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    source: Read<u32>,
    mut data: NearFarData,
    mut state: State<NearFarState>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        state.begin(1, 0);
        state.set_groups(NearFarState::COOPERATING_GROUPS, 0);
        for round in 0..3 {
            state.set(NearFarState::count(NearFarState::SHORTEST, round), UNREACHED);
        }
        let pieces = pieces(degree(graph.row_offsets, node));
        data.distances.set(node, 0);
        data.lists.set(0, node);
        for piece in 0..pieces {
            data.pieces.set(2 * piece, node);
            data.pieces.set(2 * piece + 1, piece);
        }
        let near = pieces.max(1);
        let progress =
            Progress { iteration: 1, half: 0, near, far_half: 0, far: 0, threshold: params.delta, lowest: 0 };
        progress.write(params, &mut state, pieces);
    }
}
