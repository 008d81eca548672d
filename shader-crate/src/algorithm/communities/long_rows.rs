//! Rows that are longer than a block: the label that most of the neighbours have is found in the row's table, part by part, when all pieces have
//! been counted into it.

use super::{BLOCK, CommunityParams, CommunityState, EMPTY, Labels, LongRow, LongTables, SCANNED, Tasks, advance};
use crate::prelude::*;

/// Finds the highest count in each part of the long rows' tables, and the smallest label that has it, and empties the tables. A row that keeps its
/// label has a count of 0.
#[kernel(threads = 256)]
pub fn community_scan(
    lane: Lane,
    params: &CommunityParams,
    tasks: Tasks,
    labels: Labels,
    mut tables: LongTables,
    state: State<CommunityState>,
    mut joined: Shared<u32, 2>,
) {
    let selective = state.get(CommunityState::SELECTIVE) != 0;
    for part in step(params.first_part + lane.group, params.first_part + params.parts, lane.groups) {
        let row = LongRow::of(tasks.long_rows, tasks.parts.get(part));
        let mut best = Best { count: 0, label: EMPTY };
        if !selective || labels.marks.get(row.node) != 0 {
            let begin = (part - row.first_part) * SCANNED;
            let end = begin + (row.slots - begin).min(SCANNED);
            for slot in step(begin + lane.local, end, lane.threads) {
                let place = row.table + slot;
                let count = tables.counts.get(place);
                if count > 0 {
                    best.add(count, tables.keys.get(place));
                    tables.counts.set(place, 0);
                    tables.keys.set(place, EMPTY);
                }
            }
        }
        let best = best.join(lane, &mut joined);
        if lane.local == 0 {
            tables.best.set(2 * part, best.count);
            tables.best.set(2 * part + 1, best.label);
        }
    }
}

/// A label and how often it occurs.
struct Best {
    count: u32,
    label: u32,
}

#[inline_all]
impl Best {
    /// Takes another label if it occurs more often, or as often and is smaller.
    fn add(&mut self, count: u32, label: u32) {
        if count > self.count || (count == self.count && label < self.label) {
            self.count = count;
            self.label = label;
        }
    }

    /// The best of the workgroup, for all of its invocations, which call this together.
    fn join(self, lane: Lane, joined: &mut Shared<u32, 2>) -> Self {
        if lane.local == 0 {
            joined.set(0, 0);
            joined.set(1, EMPTY);
        }
        lane.barrier();
        let highest = lane.reduce_max(self.count);
        if lane.subgroup_lane == 0 {
            joined.max(0, highest);
        }
        lane.barrier();
        let count = joined.get(0);
        let smallest = lane.reduce_min(if self.count == count { self.label } else { EMPTY });
        if lane.subgroup_lane == 0 {
            joined.min(1, smallest);
        }
        lane.barrier();
        let best = Self { count, label: joined.get(1) };
        lane.barrier();
        best
    }
}

/// Gives some long rows of a partition their labels, and marks their neighbours. A workgroup takes a piece; all pieces of a row find the same label, and the
/// first one stores it.
#[kernel(threads = 256)]
pub fn community_finish(
    lane: Lane,
    params: &CommunityParams,
    graph: Csr,
    tasks: Tasks,
    mut labels: Labels,
    tables: LongTables,
    mut state: State<CommunityState>,
    mut joined: Shared<u32, 2>,
    mut sum: Shared<u32, 1>,
) {
    let marking = state.get(CommunityState::MARKING) != 0;
    let mut changed_edges = 0;
    for piece in step(params.first_piece + lane.group, params.first_piece + params.pieces, lane.groups) {
        let row = LongRow::of(tasks.long_rows, tasks.pieces.get(2 * piece));
        let begin = tasks.pieces.get(2 * piece + 1);
        let (row_begin, row_end) = (graph.row_offsets.get(row.node), graph.row_offsets.get(row.node + 1));
        let mut best = Best { count: 0, label: EMPTY };
        for part in step(row.first_part + lane.local, row.end_part, lane.threads) {
            best.add(tables.best.get(2 * part), tables.best.get(2 * part + 1));
        }
        let best = best.join(lane, &mut joined);
        let before = labels.current.get(row.node);
        let label = if best.count == 0 { before } else { best.label };
        if begin == row_begin && lane.local == 0 {
            labels.next.set(row.node, label);
            labels.marks.set(row.node, 0);
            if label != before {
                changed_edges += row_end.wrapping_sub(row_begin);
            }
        }
        if marking && label != before {
            let (first, count) = params.rows.place(begin, row_end.wrapping_sub(begin).min(BLOCK));
            for edge in step(first + lane.local, first + count, lane.threads) {
                labels.next_marks.store(graph.columns.get(edge), 1);
            }
        }
    }
    advance(lane, params, &mut state, changed_edges, &mut sum);
}
