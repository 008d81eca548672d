//! For each node of a weighted graph: its weighted degree, the neighbour at the end of its heaviest edge, and how far one gets
//! along heaviest edges while they grow heavier.
//!
//! A kernel under a schedule is written once, and `each(S in for_each_schedule)` makes it for every schedule there is.

#![cfg_attr(target_arch = "spirv", no_std)]

pub mod tensor;

use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::{
    Csr, Scratch, for_each_schedule, kernel,
    lane::Lane,
    memory::{Global, Read},
    ranges::infinite,
    schedule::{Distribute, Join, Sum},
    tiles::Rows,
};
use evenkeel_types::ScheduleParams;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct NodeParams {
    /// The number of nodes.
    pub nodes: u32,
    /// What the host chose of the schedule. `Scratch` needs a field of this name.
    pub schedule: ScheduleParams,
}

/// The neighbour of a node without edges.
pub const NOBODY: u32 = u32::MAX;

/// For each node the sum of its edges' weights: a gather with a join of the library.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn weighted_degree<S: Distribute>(
    lane: Lane,
    params: &NodeParams,
    graph: Csr,
    weights: Read<f32>,
    mut degrees: Global<f32>,
    scratch: Scratch<f32>,
) {
    let nodes = Rows { offsets: graph.row_offsets, count: params.nodes };
    let weight = move |edge| weights.get(edge);
    S::gather(lane, &nodes, scratch, Sum, weight, move |node, sum| degrees.set(node, sum));
}

/// A join of the example's own: keeps the larger weight.
pub struct Heavier;

impl Join<f32> for Heavier {
    #[inline(always)]
    fn identity() -> f32 {
        f32::NEG_INFINITY
    }

    #[inline(always)]
    fn join(a: f32, b: f32) -> f32 {
        if b > a { b } else { a }
    }
}

/// For each node the weight of its heaviest edge: the same gather with another join.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn heaviest_weight<S: Distribute>(
    lane: Lane,
    params: &NodeParams,
    graph: Csr,
    weights: Read<f32>,
    mut heaviest: Global<f32>,
    scratch: Scratch<f32>,
) {
    let nodes = Rows { offsets: graph.row_offsets, count: params.nodes };
    let weight = move |edge| weights.get(edge);
    S::gather(lane, &nodes, scratch, Heavier, weight, move |node, weight| heaviest.set(node, weight));
}

/// For each node the neighbour at the end of that edge, the smallest where several weigh as much: a scatter. Several
/// invocations may have edges of one node, so they write by an atomic; the host has set every neighbour to [`NOBODY`].
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn heaviest_neighbour<S: Distribute>(
    lane: Lane,
    params: &NodeParams,
    graph: Csr,
    weights: Read<f32>,
    heaviest: Read<f32>,
    mut neighbours: Global<u32>,
    scratch: Scratch<u32>,
) {
    let nodes = Rows { offsets: graph.row_offsets, count: params.nodes };
    S::scatter(lane, &nodes, scratch, move |node, edge| {
        if weights.get(edge) == heaviest.get(node) {
            neighbours.min(node, graph.columns.get(edge));
        }
    });
}

/// For each node the number of edges that a path can follow, each to the heaviest neighbour, while the edges grow heavier. The
/// length of a path is unknown before it is followed, and each invocation follows its own: there is nothing to schedule.
#[kernel(threads = 256)]
pub fn climb(lane: Lane, params: &NodeParams, heaviest: Read<f32>, neighbours: Read<u32>, mut climbs: Global<u32>) {
    for start in lane.grid_stride(params.nodes) {
        let mut node = start;
        for steps in infinite(0, 1) {
            let next = neighbours.get(node);
            if next == NOBODY || heaviest.get(next) <= heaviest.get(node) {
                climbs.set(start, steps);
                break;
            }
            node = next;
        }
    }
}
