//! A traversal under any schedule: the worklist is a tile set, its nodes the tiles and their edges the atoms. Schedules that
//! cut across tiles need the prefix sums of the degrees, and those that sort them the bins: the kernels here make both for a
//! worklist whose length only the device knows.

use super::degree;
use crate::operator::{Operate, Traversal, TraversalData};
use crate::prelude::*;
use crate::primitive::scan::{prefix_blocks, prefix_by_workgroup, sum_blocks};
use crate::primitive::workgroup::SUBGROUPS;
use crate::schedule::{Distribute, Scratch};
use crate::tiles::Frontier;
use evenkeel_types::SCAN_BLOCK;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ExpandParams {
    /// The most workgroups of a dispatch.
    pub max_groups: u32,
    /// The number of nodes and edges for a workgroup, where a dispatch is sized by edges.
    pub part: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// The state of a loop in which a second dispatch of an iteration is sized by edges.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct ExpandState {
    /// What every loop has.
    pub header: LoopHeader,
    /// The dispatch that takes the edges.
    pub expand_groups: [u32; 3],
    /// The number of edges that it takes.
    pub edges: u32,
    /// The number of entries of the list whose edges they are.
    pub entries: u32,
}

/// The prefix sums of the degrees of a worklist's nodes.
#[derive(Bundle)]
pub struct DegreesBefore<S: Storage> {
    /// The sum of the degrees in each block of the worklist, then the prefix sums of these.
    pub sums: S::Write<u32>,
    /// The prefix sums; for a schedule, their total stands behind them.
    pub prefixes: S::Write<u32>,
}

/// One iteration: the schedule finds the edges, the operator takes them.
#[kernel(threads = 256, any_width, each(S in for_each_schedule, O in for_each_operator))]
pub fn expand<S: Distribute, O: Operate>(
    lane: Lane,
    params: &ExpandParams,
    graph: Csr,
    data: TraversalData,
    worklist: Worklist,
    degrees_before: Read<u32>,
    state: State<ExpandState>,
    scratch: Scratch<u32>,
) {
    let Csr { row_offsets, columns } = graph;
    let Worklist { current, next } = worklist;
    let mut traversal = Traversal { data, next, state };
    let frontier = Frontier { nodes: current, count: traversal.frontier(), row_offsets, degrees_before };
    S::scatter(lane, &frontier, scratch, |place, edge| {
        let value = traversal.data.values.load(current.get(place));
        let neighbour = columns.get(edge);
        if O::visit(&mut traversal, value, neighbour, edge) {
            traversal.push(lane, neighbour);
        }
    });
    traversal.state.advance(lane, S::tiles_of_a_workgroup(lane, &params.schedule), params.max_groups);
}

/// Sums the degrees in each block of the worklist.
#[kernel(threads = 256)]
pub fn degree_sums(
    lane: Lane,
    _params: &ExpandParams,
    graph: Csr,
    worklist: Read<u32>,
    mut degrees_before: DegreesBefore,
    state: State<ExpandState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let degree = |place| degree(graph.row_offsets, worklist.get(place));
    sum_blocks(lane, state.get(ExpandState::FRONTIER), degree, &mut degrees_before.sums, &mut slots);
}

/// Makes the prefix sums of those sums, by one workgroup, and from their total the size of the dispatch that takes the edges.
#[kernel(threads = 256)]
pub fn degree_blocks(
    lane: Lane,
    params: &ExpandParams,
    mut degrees_before: DegreesBefore,
    mut state: State<ExpandState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let entries = state.get(ExpandState::FRONTIER);
    let blocks = entries.div_ceil(SCAN_BLOCK);
    let sums = &mut degrees_before.sums;
    let edges = prefix_by_workgroup(lane, blocks, |sums, block| sums.get(block), sums, &mut slots);
    if lane.local == 0 {
        state.set(ExpandState::EDGES, edges);
        state.set(ExpandState::ENTRIES, entries);
        let groups = (entries + edges).div_ceil(params.part).min(params.max_groups);
        state.set_groups(ExpandState::EXPAND_GROUPS, groups);
    }
}

/// Makes the prefix sums of the degrees, and behind them their total.
#[kernel(threads = 256)]
pub fn degree_prefixes(
    lane: Lane,
    _params: &ExpandParams,
    graph: Csr,
    worklist: Read<u32>,
    degrees_before: DegreesBefore,
    state: State<ExpandState>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let degree = |place| degree(graph.row_offsets, worklist.get(place));
    let DegreesBefore { sums, mut prefixes } = degrees_before;
    let length = state.get(ExpandState::FRONTIER);
    prefix_blocks(lane, length, degree, |block| sums.get(block), &mut prefixes, 0, &mut slots);
    if lane.global() == 0 {
        prefixes.set(length, state.get(ExpandState::EDGES));
    }
}
