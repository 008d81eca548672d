//! Every edge hooks, under any schedule: the plain form of weak components, which skips nothing.

use super::{ComponentParams, afforest::ComponentState};
use crate::prelude::*;
use crate::primitive::forest::{GAVE_UP, link};
use crate::schedule::{Distribute, Scratch};
use crate::tiles::Rows;

/// What the host pushes with a dispatch under a schedule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct HookParams {
    /// The nodes whose edges are taken in this dispatch.
    pub tiles: TileRange,
    /// The loop iterations that an invocation may take.
    pub loop_budget: u32,
    /// Not 0 if every edge has its reverse, so that one of the two is enough.
    pub symmetric: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// Makes every node a tree.
#[kernel(threads = 256, any_width)]
pub fn component_alone(lane: Lane, params: &ComponentParams, mut parents: Global<u32>) {
    for node in lane.grid_stride(params.nodes) {
        parents.set(node, node);
    }
}

/// Joins the ends of every edge.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn component_hook<S: Distribute>(
    lane: Lane,
    params: &HookParams,
    graph: Csr,
    mut parents: Global<u32>,
    mut state: State<ComponentState>,
    scratch: Scratch<u32>,
) {
    let rows = Rows { offsets: graph.row_offsets, count: params.tiles.count };
    let tiles = params.tiles;
    let directed = params.symmetric == 0;
    let budget = params.loop_budget;
    S::scatter(lane, &rows, scratch, move |tile, edge| {
        let (node, neighbour) = (tiles.row(tile), graph.columns.get(edge));
        if directed || neighbour < node {
            let mut budget = budget;
            link(&mut parents, node, neighbour, &mut budget);
            if budget == 0 {
                state.or(ComponentState::FLAGS, GAVE_UP);
            }
        }
    });
}
