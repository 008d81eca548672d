//! The beginning at a source: it is near, alone. The host has set all distances, marks and waiting bits.

use super::{Moment, relax::pieces};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read},
    strategy::{degree, start::clear},
};
use evenkeel_types::{Control, NearFarParams, UNREACHED};

/// See the module.
#[kernel(threads = 1)]
pub fn near_far_start(
    lane: Lane,
    params: &NearFarParams,
    row_offsets: Read<u32>,
    source: Read<u32>,
    mut distances: Global<u32>,
    mut lists: Global<u32>,
    mut pieces_near: Global<u32>,
    mut control: Global<u32>,
) {
    let node = source.get(0);
    if lane.global() == 0 && node < params.nodes {
        clear(&mut control);
        for turn in 0..3 {
            control.set(Control::LOWESTS + turn, UNREACHED);
        }
        let pieces = pieces(degree(row_offsets, node));
        distances.set(node, 0);
        lists.set(0, node);
        for piece in 0..pieces {
            pieces_near.set(2 * piece, node);
            pieces_near.set(2 * piece + 1, piece);
        }
        let near = pieces.max(1);
        let moment = Moment { iteration: 1, half: 0, near, far_half: 0, far: 0, threshold: params.delta, lowest: 0 };
        moment.write(params, &mut control, pieces);
    }
}
