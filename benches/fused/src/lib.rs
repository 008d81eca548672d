//! Sparse matrix times dense vector by merge-path, in single precision, written without tile set, schedule and join. It computes the
//! same as `spmv` in single precision under merge-path and serves to measure what the programming model costs. The upper bound for
//! all-pairs shortest paths is [`roof`].

#![cfg_attr(target_arch = "spirv", no_std)]

pub mod roof;

use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::{
    Csr, kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
};

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FusedParams {
    /// The number of rows of the matrix.
    pub rows: u32,
    /// The number of entries of the matrix.
    pub entries: u32,
    /// The number of parts.
    pub parts: u32,
    /// 0 for the product, 1 for the second pass.
    pub finish: u32,
}

/// The number of rows and entries in a part.
pub const PART: u32 = 1760;
/// Entries are loaded from a multiple of this on, so that what 32 lanes load together is one cache line.
const LINE: u32 = 32;
/// A row of which a lane would sum more entries than this is left to a subgroup.
const LONG: u32 = 32;

/// Sums `cells` from `begin` on, every `stride`-th, with four loads in flight.
#[inline(always)]
fn sum(cells: &Shared<u32, 1800>, begin: u32, end: u32, stride: u32) -> f32 {
    let (mut sum, mut at) = (0.0, begin);
    while at < end && end - at > 3 * stride {
        let (a, b) = (f32::from_bits(cells.get(at)), f32::from_bits(cells.get(at + stride)));
        let (c, d) = (f32::from_bits(cells.get(at + 2 * stride)), f32::from_bits(cells.get(at + 3 * stride)));
        sum = sum + a + b + c + d;
        at += 4 * stride;
    }
    while at < end {
        sum += f32::from_bits(cells.get(at));
        at += stride;
    }
    sum
}

/// Sums a few of `cells`.
#[inline(always)]
fn sum_few(cells: &Shared<u32, 1800>, begin: u32, end: u32) -> f32 {
    let (mut sum, mut at) = (0.0, begin);
    while at < end {
        let a = f32::from_bits(cells.get(at));
        let b = if at + 1 < end { f32::from_bits(cells.get(at + 1)) } else { 0.0 };
        let c = if at + 2 < end { f32::from_bits(cells.get(at + 2)) } else { 0.0 };
        let d = if at + 3 < end { f32::from_bits(cells.get(at + 3)) } else { 0.0 };
        sum = sum + a + b + c + d;
        at += 4;
    }
    sum
}

#[inline(always)]
fn sum_lanes(lane: Lane, mut value: f32, member: u32, width: u32) -> f32 {
    let mut distance = 1;
    while distance < width {
        let other = lane.shuffle_up(value, distance);
        if member >= distance {
            value += other;
        }
        distance *= 2;
    }
    value
}

/// A workgroup takes a part at a time. `bounds` has the row in progress where each part begins, and where the last one ends.
#[kernel(threads = 256)]
pub fn fused_spmv(
    lane: Lane,
    params: &FusedParams,
    matrix: Csr,
    values: Read<f32>,
    x: Read<f32>,
    bounds: Read<u32>,
    mut pieces: Global<f32>,
    mut y: Global<f32>,
    mut cells: Shared<u32, 1800>,
    mut slots: Shared<u32, 64>,
) {
    let Csr { row_offsets, columns } = matrix;
    if params.finish == 1 {
        for part in lane.grid_stride(params.parts) {
            let row = bounds.get(part);
            let begin = row_offsets.get(row);
            if bounds.get(part + 1) > row && part * PART - row > begin {
                let mut sum = 0.0;
                for earlier in (begin + row) / PART..part {
                    sum += pieces.get(2 * earlier + 1);
                }
                y.set(row, sum + pieces.get(2 * part));
            }
        }
        return;
    }
    let rows_at = |part: u32| {
        let part = part.min(params.parts - 1);
        (bounds.get(part), bounds.get(part + 1))
    };
    let mut next = rows_at(lane.group);
    for part in lane.by_group(params.parts) {
        let (first_row, end_row) = next;
        next = rows_at(part + lane.groups);
        let begin = part * PART;
        let end = begin + PART.min(params.rows + params.entries - begin);
        let (first, last) = (begin - first_row, end - end_row);
        let (rows, entries) = (end_row - first_row, last - first);
        let origin = first & !(LINE - 1);
        // Where rows begin and end is behind the products.
        let ends = last - origin;
        let offset = |row: u32| row_offsets.get((first_row + row).min(params.rows));
        let inside = |entry: u32| entry.max(first).min(last) - origin;
        if entries > 0 {
            let (near, far) = (lane.local.min(rows + 1), (lane.local + lane.threads).min(rows + 1));
            let (near_offset, far_offset) = (offset(near), offset(far));
            let place = |step: u32| (lane.local + step * lane.threads).max(first - origin).min(ends - 1);
            let load = |at: u32| values.get(origin + at) * x.get(columns.get(origin + at));
            let (a, b, c, d) = (load(place(0)), load(place(1)), load(place(2)), load(place(3)));
            let (e, f, g) = (load(place(4)), load(place(5)), load(place(6)));
            cells.set(place(0), a.to_bits());
            cells.set(place(1), b.to_bits());
            cells.set(place(2), c.to_bits());
            cells.set(place(3), d.to_bits());
            cells.set(place(4), e.to_bits());
            cells.set(place(5), f.to_bits());
            cells.set(place(6), g.to_bits());
            cells.set(ends + near, inside(near_offset));
            cells.set(ends + far, inside(far_offset));
            let mut row = lane.local + 2 * lane.threads;
            while row < rows + 2 {
                cells.set(ends + row, inside(offset(row)));
                row += lane.threads;
            }
        } else {
            let mut row = lane.local;
            while row < rows + 2 {
                cells.set(ends + row, inside(offset(row)));
                row += lane.threads;
            }
        }
        if lane.local == 0 {
            slots.set(0, 0);
        }
        lane.barrier();
        // Nobody else has entries of the row.
        let is_whole = |row: u32| row < rows && (row > 0 || first <= row_offsets.get(first_row));
        if rows + 1 > lane.threads / 2 {
            let mut row = lane.local;
            while row <= rows {
                let (from, to) = (cells.get(ends + row), cells.get(ends + row + 1));
                if to - from > LONG {
                    let place = 1 + slots.add(0, 1);
                    slots.set(place, row);
                } else {
                    let joined = sum_few(&cells, from, to);
                    if is_whole(row) {
                        y.set(first_row + row, joined);
                    } else {
                        pieces.set(2 * part + u32::from(row == rows), joined);
                    }
                }
                row += lane.threads;
            }
        } else {
            let shift = 31 - (lane.threads / (rows + 1)).min(lane.subgroup_size).leading_zeros();
            let width = 1 << shift;
            let (row, member) = (lane.local >> shift, lane.local & (width - 1));
            let mut here = row <= rows;
            let mut joined = 0.0;
            if here {
                let (from, to) = (cells.get(ends + row), cells.get(ends + row + 1));
                if to - from > LONG * width {
                    here = false;
                    if member == 0 {
                        let place = 1 + slots.add(0, 1);
                        slots.set(place, row);
                    }
                } else {
                    joined = sum(&cells, from + member, to, width);
                }
            }
            joined = sum_lanes(lane, joined, member, width);
            if here && member == width - 1 {
                if is_whole(row) {
                    y.set(first_row + row, joined);
                } else {
                    pieces.set(2 * part + u32::from(row == rows), joined);
                }
            }
        }
        lane.barrier();
        let mut long = lane.subgroup;
        while long < slots.get(0) {
            let row = slots.get(1 + long);
            let (from, to) = (cells.get(ends + row), cells.get(ends + row + 1));
            let joined = sum(&cells, from + lane.subgroup_lane, to, lane.subgroup_size);
            let joined = sum_lanes(lane, joined, lane.subgroup_lane, lane.subgroup_size);
            if lane.subgroup_lane == lane.subgroup_size - 1 {
                if is_whole(row) {
                    y.set(first_row + row, joined);
                } else {
                    pieces.set(2 * part + u32::from(row == rows), joined);
                }
            }
            long += lane.subgroups;
        }
        lane.barrier();
    }
}
