//! One level in a dispatch, and the beginnings of the two passes.

use super::data::{Backward, Bounds, Forward, LevelPass, PartOfRow, PathParams, PathState, Paths};
use super::scaled::Scaled;
use crate::prelude::*;
use crate::primitive::workgroup::SUBGROUPS;
use crate::schedule::{Sum, join_lanes};
use crate::strategy::edges_in;

/// No position.
pub(super) const NONE: u32 = u32::MAX;

/// A pass, as one invocation sees it.
pub(super) struct Walk<'a> {
    pub lane: Lane,
    /// The rows along which values are added up: of the edges that lead to a node when forward, that leave it when backward.
    pub graph: Csr<Views<'a>>,
    pub paths: Paths<Views<'a>>,
}

#[inline_all]
impl Walk<'_> {
    /// The first edge of the node at a position, and the one behind its last, of a graph of one partition.
    pub fn row(&self, position: u32) -> (u32, u32) {
        let node = self.paths.order.get(position);
        (self.graph.row_offsets.get(node), self.graph.row_offsets.get(node + 1))
    }

    /// The position of the node at the end of an edge, if there is the edge and the node is of the other level.
    fn neighbour(&self, other: Bounds, present: bool, edge: u32) -> u32 {
        let mut position = NONE;
        if present {
            self.lane.count_atoms(1);
            position = self.paths.positions.get(self.graph.columns.get(edge));
        }
        if other.has(position) { position } else { NONE }
    }

    /// The value at a position; 0 where there is none.
    pub fn value<const SHARED: bool>(&self, position: u32) -> Scaled {
        let mut value = Scaled::ZERO;
        if position != NONE {
            value = Scaled::read::<SHARED>(&self.paths.values, position);
        }
        value
    }

    /// Stores what follows from a sum for the node at a position.
    pub fn store<P: LevelPass, const SHARED: bool>(&mut self, position: u32, sum: Scaled) {
        let Paths { values, dependencies, .. } = &mut self.paths;
        P::store::<SHARED>(values, dependencies, position, sum);
    }

    /// Stores what follows from a sum over the edges of a partition that the node at a position has.
    fn store_row<P: LevelPass>(&mut self, rows: &RowRange, position: u32, sum: Scaled) {
        if rows.is_cut == 0 {
            self.store::<P, false>(position, sum);
        } else {
            // The row is the only one of the partition.
            let (begin, end) = (self.graph.row_offsets.get(rows.first), self.graph.row_offsets.get(rows.first + 1));
            let is_last = end.wrapping_sub(rows.edges_before) == rows.edges;
            let part = PartOfRow { is_first: begin == rows.edges_before, is_last };
            let Paths { values, dependencies, .. } = &mut self.paths;
            P::store_part(values, dependencies, position, sum, part);
        }
    }

    /// Adds up the values of the neighbours of the other level along every `stride`-th edge of `edge..end` from number `first` on. All
    /// invocations with the same `edge` and `end` take as many rounds.
    pub fn sum<const SHARED: bool>(&self, other: Bounds, mut edge: u32, end: u32, first: u32, stride: u32) -> Scaled {
        let mut sum = Scaled::ZERO;
        while edge < end {
            // Four at a time, so that their loads are in flight together.
            let left = end - edge;
            let at =
                |number: u32| self.neighbour(other, left > first + number * stride, edge + first + number * stride);
            let (a, b, c, d) = (at(0), at(1), at(2), at(3));
            let (a, b) = (self.value::<SHARED>(a), self.value::<SHARED>(b));
            let (c, d) = (self.value::<SHARED>(c), self.value::<SHARED>(d));
            sum = sum.plus(a.plus(b).plus(c.plus(d)));
            edge += left.min(4 * stride);
        }
        sum
    }
}

/// In the last lane of a subgroup the sum of all its lanes' numbers.
#[inline(always)]
fn join_subgroup(lane: Lane, number: Scaled) -> Scaled {
    let largest = Scaled::from_biased(0.0, lane.reduce_max(number.biased()));
    let mantissa = number.mantissa_at(largest.exponent);
    let mantissa = join_lanes::<f32, Sum>(lane, mantissa, lane.subgroup_lane, lane.subgroup_size);
    Scaled { mantissa, ..largest }
}

/// Sizes the dispatch of a level, or those in which one or a few workgroups take many, unless the pass is over.
#[inline(always)]
pub(super) fn size_next<P: LevelPass>(
    lane: Lane,
    params: &PathParams,
    state: &mut State<PathState>,
    ends: Read<u32>,
    level: u32,
) {
    let bounds = Bounds::of(ends, level);
    let count = bounds.count();
    let is_over = P::is_over(level, count);
    let (short, medium, long) = (bounds.medium - bounds.short, bounds.long - bounds.medium, bounds.end - bounds.long);
    let subgroups = WORKGROUP / lane.subgroup_size;
    let (mut groups, mut one, mut few) = (long.max(medium.div_ceil(subgroups)).max(short.div_ceil(WORKGROUP)), 0, 0);
    if short == count && count <= params.medium {
        groups = 0;
        one = u32::from(count <= params.short);
        few = params.cooperating * (1 - one);
    }
    if is_over {
        (groups, one, few) = (0, 0, 0);
    }
    state.store(PathState::LEVEL, level);
    state.store(PathState::FRONTIER, if is_over { 0 } else { count });
    state.store(PathState::GROUPS.at(0), groups.min(params.max_groups));
    state.store(PathState::PERSISTENT_GROUPS.at(0), one);
    state.store(PathState::COOPERATING_GROUPS.at(0), few);
}

/// Begins a pass.
#[inline(always)]
fn begin<P: LevelPass>(lane: Lane, params: &PathParams, state: &mut State<PathState>, ends: Read<u32>, level: u32) {
    state.begin(0, 0);
    state.set_groups(PathState::PERSISTENT_GROUPS, 0);
    state.set_groups(PathState::COOPERATING_GROUPS, 0);
    size_next::<P>(lane, params, state, ends, level);
}

/// Begins to count paths: one leads to the source, which is at position 0.
#[kernel(threads = 1)]
pub fn path_begin(lane: Lane, params: &PathParams, mut paths: Paths, mut state: State<PathState>) {
    if lane.global() == 0 {
        Scaled::ONE.write::<false>(&mut paths.values, 0);
        begin::<Forward>(lane, params, &mut state, paths.ends, 1);
    }
}

/// Begins the way back, at the last level that has nodes.
#[kernel(threads = 1)]
pub fn path_turn(lane: Lane, params: &PathParams, ends: Read<u32>, mut state: State<PathState>) {
    if lane.global() == 0 {
        let level = state.load(PathState::LEVEL) - 1;
        begin::<Backward>(lane, params, &mut state, ends, level);
    }
}

/// One level by the whole dispatch: its long rows by workgroups, those of medium length by subgroups, and its short rows by invocations. Rows
/// of other partitions are left out; the last one ends the level.
#[kernel(threads = 256, counts, each(P in for_each_pass))]
pub fn path_level<P: LevelPass>(
    lane: Lane,
    params: &PathParams,
    graph: Csr,
    paths: Paths,
    mut state: State<PathState>,
    mut mantissas: Shared<f32, SUBGROUPS>,
    mut exponents: Shared<u32, SUBGROUPS>,
) {
    // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
    let level = state.get(PathState::LEVEL);
    let (bounds, other) = (Bounds::of(paths.ends, level), Bounds::of(paths.ends, P::other(level)));
    let mut walk = Walk { lane, graph, paths };
    let rows = params.rows;
    let is_last_lane = lane.subgroup_lane == lane.subgroup_size - 1;
    for position in step(bounds.long + lane.group, bounds.end, lane.groups) {
        let node = walk.paths.order.get(position);
        if rows.has(node) {
            let (edge, count) = edges_in(&rows, graph.row_offsets, node);
            let sum = join_subgroup(lane, walk.sum::<false>(other, edge, edge + count, lane.local, lane.threads));
            if is_last_lane {
                mantissas.set(lane.subgroup, sum.mantissa);
                exponents.set(lane.subgroup, sum.biased());
            }
            lane.barrier();
            if lane.local == 0 {
                let mut sum = Scaled::ZERO;
                for subgroup in 0..lane.subgroups {
                    sum = sum.plus(Scaled::from_biased(mantissas.get(subgroup), exponents.get(subgroup)));
                }
                walk.store_row::<P>(&rows, position, sum);
            }
            lane.barrier();
        }
    }
    let (subgroup, subgroups) = (lane.group * lane.subgroups + lane.subgroup, lane.groups * lane.subgroups);
    for position in step(bounds.medium + subgroup, bounds.long, subgroups) {
        let node = walk.paths.order.get(position);
        if rows.has(node) {
            let (edge, count) = edges_in(&rows, graph.row_offsets, node);
            let sum = walk.sum::<false>(other, edge, edge + count, lane.subgroup_lane, lane.subgroup_size);
            let sum = join_subgroup(lane, sum);
            if is_last_lane {
                walk.store_row::<P>(&rows, position, sum);
            }
        }
    }
    for position in step(bounds.short + lane.global(), bounds.medium, lane.threads * lane.groups) {
        let node = walk.paths.order.get(position);
        if rows.has(node) {
            let (edge, count) = edges_in(&rows, graph.row_offsets, node);
            let sum = walk.sum::<false>(other, edge, edge + count, 0, 1);
            walk.store_row::<P>(&rows, position, sum);
        }
    }
    if state.is_last(lane) && rows.is_last == 1 {
        state.add(PathState::ITERATION, 1);
        size_next::<P>(lane, params, &mut state, walk.paths.ends, P::next(level));
    }
}
