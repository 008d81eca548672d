//! Blocked Floyd–Warshall (Venkataraman, Sahni and Mukhopadhyaya 2003; on GPUs Katz and Kider 2008). A step relaxes all paths through
//! the 64 nodes of a tile in three phases: the pivot's tile by itself; the tiles in its row and column, which depend on it; all other
//! tiles, which depend on those. The whole matrix is read and written once per 64 nodes instead of once per node.
//!
//! After the first phase the pivot's tile holds the shortest paths among its own nodes, so the rest of a step consists of products of
//! tiles over the (min, +) semiring. Nearly all the work is in the third phase, which is organised like a register-blocked matrix
//! product: every invocation keeps 8 × 8 distances in registers and reads 16 values for each 64 relaxations.

use super::{MATRIX_TILE, PivotParams, Relax, SPAN};
use crate::memory::UVec4;
use crate::prelude::*;

/// The number of `UVec4` in a row of a tile, and of invocations along it: each has four rows of one `UVec4`.
const FOURS: u32 = MATRIX_TILE / 4;
/// The number of pivots in workgroup memory at a time: with 128 rows and 128 columns these are 16 KiB, which every device has.
const DEPTH: u32 = 16;
/// The number of pivots in workgroup memory, in `UVec4`.
const DEEP: u32 = DEPTH / 4;
/// The `UVec4` of a tile that are in workgroup memory at a time: one per invocation.
const PANEL: usize = (MATRIX_TILE * DEEP) as usize;
/// The `UVec4` of two tiles.
const PANELS: usize = 2 * PANEL;
/// The number of words of a tile.
const WORDS: usize = (MATRIX_TILE * MATRIX_TILE) as usize;

const _: () = assert!(FOURS * FOURS == 256 && PANEL == 256 && DEPTH * FOURS == 256 && SPAN == 2 * MATRIX_TILE);

/// The first phase relaxes the pivots' own tile, one pivot after the other.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn blocked_pivot<L: Relax>(
    lane: Lane,
    params: &PivotParams,
    mut matrix: Global<u32>,
    mut tile: Shared<u32, WORDS>,
) {
    let corner = params.pivot * MATRIX_TILE * (params.width + 1);
    for place in lane.group_stride(MATRIX_TILE * MATRIX_TILE) {
        tile.set(place, matrix.get(corner + place / MATRIX_TILE * params.width + place % MATRIX_TILE));
    }
    for pivot in 0..MATRIX_TILE {
        lane.barrier();
        for place in lane.group_stride(MATRIX_TILE * MATRIX_TILE) {
            let (row, column) = (place / MATRIX_TILE, place % MATRIX_TILE);
            // Other invocations read the pivot's row and column in this round.
            if row != pivot && column != pivot {
                let (left, right) = (tile.get(row * MATRIX_TILE + pivot), tile.get(pivot * MATRIX_TILE + column));
                tile.set(place, L::relax(tile.get(place), left, right));
            }
        }
    }
    // No barrier: each invocation stores the elements that it computed itself.
    for place in lane.group_stride(MATRIX_TILE * MATRIX_TILE) {
        matrix.set(corner + place / MATRIX_TILE * params.width + place % MATRIX_TILE, tile.get(place));
    }
}

/// The second phase relaxes the tiles in the pivot's row and column, one workgroup per tile.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn blocked_cross<L: Relax>(
    lane: Lane,
    params: &PivotParams,
    mut matrix: Global<UVec4>,
    mut left: Shared<UVec4, PANEL>,
    mut right: Shared<UVec4, PANEL>,
) {
    let (fours, pivot) = (params.width / 4, params.pivot);
    let (across, down) = (lane.local % FOURS, lane.local / FOURS);
    for item in lane.by_group(2 * params.width / MATRIX_TILE) {
        let other = item / 2;
        if other != pivot {
            let (row, column) = if item % 2 == 0 { (pivot, other) } else { (other, pivot) };
            let place = (row * MATRIX_TILE + 4 * down) * fours + column * FOURS + across;
            let mut patch = Patch::load(|place| matrix.get(place), place, fours);
            for part in 0..MATRIX_TILE / DEPTH {
                lane.barrier();
                let (lefts, rights) = (pivot * FOURS + part * DEEP, pivot * MATRIX_TILE + part * DEPTH);
                left.set(lane.local, left_four(&matrix, lane.local, row * MATRIX_TILE, lefts, fours));
                right.set(lane.local, matrix.get((rights + down) * fours + column * FOURS + across));
                lane.barrier();
                for deep in 0..DEEP {
                    let lefts = Patch::load(|place| left.get(place), 4 * down * DEEP + deep, DEEP).transposed();
                    let at = 4 * deep * FOURS + across;
                    patch = patch.relax::<L>(lefts.a, right.get(at));
                    patch = patch.relax::<L>(lefts.b, right.get(at + FOURS));
                    patch = patch.relax::<L>(lefts.c, right.get(at + 2 * FOURS));
                    patch = patch.relax::<L>(lefts.d, right.get(at + 3 * FOURS));
                }
            }
            patch.store(&mut matrix, place, fours);
        }
    }
}

/// The third phase relaxes all other tiles, four per workgroup. It does not write those of the first two, which other workgroups read.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn blocked_rest<L: Relax>(
    lane: Lane,
    params: &PivotParams,
    mut matrix: Global<UVec4>,
    mut left: Shared<UVec4, PANELS>,
    mut right: Shared<UVec4, PANELS>,
) {
    let (fours, pivot) = (params.width / 4, params.pivot);
    let (across, down) = (lane.local % FOURS, lane.local / FOURS);
    let spans = params.width / SPAN;
    for item in lane.by_group(spans * spans) {
        let (row, column) = (item / spans * SPAN, item % spans * 2 * FOURS);
        let place = (row + 4 * down) * fours + column + across;
        let mut square = Square::load(&matrix, place, fours);
        for part in 0..MATRIX_TILE / DEPTH {
            lane.barrier();
            let (lefts, rights) = (pivot * FOURS + part * DEEP, pivot * MATRIX_TILE + part * DEPTH);
            for half in 0..2 {
                let index = half * lane.threads + lane.local;
                left.set(index, left_four(&matrix, index, row, lefts, fours));
                let (depth, four) = (index / (2 * FOURS), index % (2 * FOURS));
                right.set(index, matrix.get((rights + depth) * fours + column + four));
            }
            lane.barrier();
            for deep in 0..DEEP {
                let upper = Patch::load(|place| left.get(place), 4 * down * DEEP + deep, DEEP).transposed();
                let lower =
                    Patch::load(|place| left.get(place), (MATRIX_TILE + 4 * down) * DEEP + deep, DEEP).transposed();
                let at = 4 * deep * 2 * FOURS + across;
                square = square.relax::<L>(upper.a, lower.a, right.get(at), right.get(at + FOURS));
                square = square.relax::<L>(upper.b, lower.b, right.get(at + 2 * FOURS), right.get(at + 3 * FOURS));
                square = square.relax::<L>(upper.c, lower.c, right.get(at + 4 * FOURS), right.get(at + 5 * FOURS));
                square = square.relax::<L>(upper.d, lower.d, right.get(at + 6 * FOURS), right.get(at + 7 * FOURS));
            }
        }
        let (up, before) = (row / MATRIX_TILE, column / FOURS);
        square.store(&mut matrix, place, fours, (up == pivot, up + 1 == pivot), (before == pivot, before + 1 == pivot));
    }
}

/// The `UVec4` number `index` of a panel that holds [`DEPTH`] pivots of each row from `row` on.
#[inline(always)]
fn left_four(matrix: &Global<UVec4>, index: u32, row: u32, column: u32, fours: u32) -> UVec4 {
    matrix.get((row + index / DEEP) * fours + column + index % DEEP)
}

/// Four rows of four distances in registers.
#[derive(Clone, Copy)]
struct Patch {
    a: UVec4,
    b: UVec4,
    c: UVec4,
    d: UVec4,
}

#[inline_all]
impl Patch {
    /// The patch of what `get` gives at `place` and at the next three rows of `fours`.
    fn load(get: impl Fn(u32) -> UVec4, place: u32, fours: u32) -> Self {
        Self { a: get(place), b: get(place + fours), c: get(place + 2 * fours), d: get(place + 3 * fours) }
    }

    fn store(self, matrix: &mut Global<UVec4>, place: u32, fours: u32) {
        matrix.set(place, self.a);
        matrix.set(place + fours, self.b);
        matrix.set(place + 2 * fours, self.c);
        matrix.set(place + 3 * fours, self.d);
    }

    /// The transposed patch.
    fn transposed(self) -> Self {
        let Self { a, b, c, d } = self;
        Self {
            a: UVec4::new(a.x, b.x, c.x, d.x),
            b: UVec4::new(a.y, b.y, c.y, d.y),
            c: UVec4::new(a.z, b.z, c.z, d.z),
            d: UVec4::new(a.w, b.w, c.w, d.w),
        }
    }

    /// Relaxes all paths through one pivot: `left` has the distances from the rows to it, `right` those from it to the columns.
    fn relax<L: Relax>(self, left: UVec4, right: UVec4) -> Self {
        Self {
            a: L::relax_four(self.a, left.x, right),
            b: L::relax_four(self.b, left.y, right),
            c: L::relax_four(self.c, left.z, right),
            d: L::relax_four(self.d, left.w, right),
        }
    }
}

/// The patches at the same position in four adjacent tiles.
#[derive(Clone, Copy)]
struct Square {
    upper: Patch,
    upper_right: Patch,
    lower: Patch,
    lower_right: Patch,
}

#[inline_all]
impl Square {
    fn load(matrix: &Global<UVec4>, place: u32, fours: u32) -> Self {
        let below = place + MATRIX_TILE * fours;
        let patch = |place| Patch::load(|place| matrix.get(place), place, fours);
        Self {
            upper: patch(place),
            upper_right: patch(place + FOURS),
            lower: patch(below),
            lower_right: patch(below + FOURS),
        }
    }

    /// Stores the patches of the tiles that are neither in the pivot's row nor in its column of tiles.
    fn store(
        self,
        matrix: &mut Global<UVec4>,
        place: u32,
        fours: u32,
        (skip_upper, skip_lower): (bool, bool),
        (skip_left, skip_right): (bool, bool),
    ) {
        let below = place + MATRIX_TILE * fours;
        if !skip_upper && !skip_left {
            self.upper.store(matrix, place, fours);
        }
        if !skip_upper && !skip_right {
            self.upper_right.store(matrix, place + FOURS, fours);
        }
        if !skip_lower && !skip_left {
            self.lower.store(matrix, below, fours);
        }
        if !skip_lower && !skip_right {
            self.lower_right.store(matrix, below + FOURS, fours);
        }
    }

    fn relax<L: Relax>(self, upper: UVec4, lower: UVec4, left: UVec4, right: UVec4) -> Self {
        Self {
            upper: self.upper.relax::<L>(upper, left),
            upper_right: self.upper_right.relax::<L>(upper, right),
            lower: self.lower.relax::<L>(lower, left),
            lower_right: self.lower_right.relax::<L>(lower, right),
        }
    }
}
