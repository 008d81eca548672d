//! Paths of which this device has a part of the nodes, and others have the rest. The host says up to which distance nodes are near. When none is
//! near any more, others are told to which of their nodes a shorter path was found, and tell the same.

use super::{NearFarData, NearFarParams, NearFarState, Paths, Progress, Reached};
use crate::operator::relax::Distance;
use crate::prelude::*;
use core::marker::PhantomData;

/// Where `outgoing` has the number of paths.
pub const OUTGOING_COUNT: u32 = 0;
/// Where it has the shortest distance of a node that is still to be done.
pub const OUTGOING_NEAREST: u32 = 1;
/// Where the paths begin: each is a node and its distance.
pub const OUTGOING_PATHS: u32 = 2;

/// What the host pushes to what finds out what others are told.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct NearFarPart {
    /// The number of nodes of the whole graph.
    pub nodes: u32,
    /// The first node of this device.
    pub first: u32,
    /// How many nodes it has.
    pub count: u32,
    /// No distance is so long, or longer.
    pub limit: u32,
}

/// Takes paths that others have found to nodes of this device: `received` has their number, then each node and its distance. A node that is nearer
/// so goes on a list: that of near nodes, which is written, or that of far ones.
#[kernel(threads = 256, any_width, each(D in for_each_metric))]
pub fn near_far_receive<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    graph: Csr,
    received: Read<u32>,
    data: NearFarData,
    state: State<NearFarState>,
) {
    let progress = Progress::of(&state);
    let mut paths = Paths::<D> { lane, params: *params, graph, data, state, distance: PhantomData };
    for path in lane.grid_stride(received.get(0)) {
        let (node, distance) = (received.get(1 + 2 * path), received.get(2 + 2 * path));
        let reached = Reached { node, distance, near: 0, far: 0 };
        let fell = paths.lower(reached);
        let reached = paths.settle(progress, reached, fell);
        paths.list(progress, reached, Reached { near: 0, far: 0, ..reached });
    }
}

/// Finds the nodes of others whose paths have become shorter since they were told, as `told` has it, and the nearest node that is still to be done.
#[kernel(threads = 256, any_width)]
pub fn near_far_send(
    lane: Lane,
    params: &NearFarPart,
    data: NearFarData,
    state: State<NearFarState>,
    mut told: Global<u32>,
    mut outgoing: Global<u32>,
) {
    let mut nearest = UNREACHED;
    for node in lane.grid_stride(params.nodes) {
        let is_own = node.wrapping_sub(params.first) < params.count;
        let distance = data.distances.get(node);
        if !is_own && distance < told.get(node) && distance < params.limit {
            told.set(node, distance);
            nearest = nearest.min(distance);
            let place = OUTGOING_PATHS + 2 * lane.append_one(&mut outgoing, OUTGOING_COUNT);
            outgoing.set(place, node);
            outgoing.set(place + 1, distance);
        }
    }
    let (half, threshold) = (state.get(NearFarState::FAR_HALF), state.get(NearFarState::THRESHOLD));
    for entry in lane.grid_stride(state.get(NearFarState::FAR)) {
        let node = data.lists.get((2 + half) * params.nodes + entry);
        let distance = data.distances.get(node);
        let is_own = node.wrapping_sub(params.first) < params.count;
        if is_own && distance > threshold && distance < params.limit {
            nearest = nearest.min(distance);
        }
    }
    if nearest != UNREACHED {
        outgoing.min(OUTGOING_NEAREST, nearest);
    }
}
