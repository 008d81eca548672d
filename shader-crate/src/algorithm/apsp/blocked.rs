//! Floyd–Warshall in tiles (Venkataraman, Sahni and Mukhopadhyaya 2003; on GPUs Katz and Kider 2008). A step takes all paths
//! over the 64 nodes of a tile, in three phases: the pivot's tile by itself; the tiles beside and above it, which depend on
//! that; all others, which depend on those. The whole matrix is then read and written once for 64 nodes instead of once for
//! each.
//!
//! When the pivot's tile is done it holds the shortest paths among its own nodes, so what is left of a step are products of
//! tiles in which a sum is a minimum and a product a sum. Nearly all the work is in the third phase, which is written like a
//! good matrix product: every invocation keeps 8 × 8 distances in registers and reads 16 for each 64 that it relaxes.

use super::Relax;
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Shared, UVec4},
};
use evenkeel_types::{MATRIX_TILE, PivotParams, SPAN};

/// Fours in a row of a tile, and invocations side by side: each has four rows and a four of columns.
const FOURS: u32 = MATRIX_TILE / 4;
/// Pivots that are in workgroup memory at a time: 128 rows of them and as many columns are 16 KiB, which every device has.
const DEPTH: u32 = 16;
/// Fours of them.
const DEEP: u32 = DEPTH / 4;
/// Fours of a tile in workgroup memory, as many as a workgroup has invocations; and of two tiles.
const PANEL: usize = (MATRIX_TILE * DEEP) as usize;
const PANELS: usize = 2 * PANEL;
/// Words of a whole tile.
const WORDS: usize = (MATRIX_TILE * MATRIX_TILE) as usize;

const _: () = assert!(FOURS * FOURS == 256 && PANEL == 256 && DEPTH * FOURS == 256 && SPAN == 2 * MATRIX_TILE);

/// The first phase: the tile of the pivots by itself, one pivot after the other.
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
            // What others read in this round stays as it is.
            if row != pivot && column != pivot {
                let (left, right) = (tile.get(row * MATRIX_TILE + pivot), tile.get(pivot * MATRIX_TILE + column));
                tile.set(place, L::relax(tile.get(place), left, right));
            }
        }
    }
    // The last round's are each invocation's own.
    for place in lane.group_stride(MATRIX_TILE * MATRIX_TILE) {
        matrix.set(corner + place / MATRIX_TILE * params.width + place % MATRIX_TILE, tile.get(place));
    }
}

/// The second phase: the tiles in the pivot's row and in its column, a workgroup each.
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
            let mut patch = Patch::load(&matrix, place, fours);
            for part in 0..MATRIX_TILE / DEPTH {
                lane.barrier();
                let (lefts, rights) = (pivot * FOURS + part * DEEP, pivot * MATRIX_TILE + part * DEPTH);
                left.set(lane.local, left_four(&matrix, lane.local, row * MATRIX_TILE, lefts, fours));
                right.set(lane.local, matrix.get((rights + down) * fours + column * FOURS + across));
                lane.barrier();
                for deep in 0..DEEP {
                    let lefts = Patch::read(&left, 4 * down * DEEP + deep, DEEP).turned();
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

/// The third phase: all other tiles, four to a workgroup. Those of the first two phases, which others read, stay as they are.
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
                let upper = Patch::read(&left, 4 * down * DEEP + deep, DEEP).turned();
                let lower = Patch::read(&left, (MATRIX_TILE + 4 * down) * DEEP + deep, DEEP).turned();
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

/// Four number `index` of a panel of rows: as many pivots of each row from `row` on as are taken at a time.
#[inline(always)]
fn left_four(matrix: &Global<UVec4>, index: u32, row: u32, column: u32, fours: u32) -> UVec4 {
    matrix.get((row + index / DEEP) * fours + column + index % DEEP)
}

/// Four rows of four distances, in registers.
#[derive(Clone, Copy)]
struct Patch {
    a: UVec4,
    b: UVec4,
    c: UVec4,
    d: UVec4,
}

impl Patch {
    #[inline(always)]
    fn load(matrix: &Global<UVec4>, place: u32, fours: u32) -> Self {
        Self {
            a: matrix.get(place),
            b: matrix.get(place + fours),
            c: matrix.get(place + 2 * fours),
            d: matrix.get(place + 3 * fours),
        }
    }

    #[inline(always)]
    fn read<const N: usize>(panel: &Shared<UVec4, N>, place: u32, fours: u32) -> Self {
        Self {
            a: panel.get(place),
            b: panel.get(place + fours),
            c: panel.get(place + 2 * fours),
            d: panel.get(place + 3 * fours),
        }
    }

    #[inline(always)]
    fn store(self, matrix: &mut Global<UVec4>, place: u32, fours: u32) {
        matrix.set(place, self.a);
        matrix.set(place + fours, self.b);
        matrix.set(place + 2 * fours, self.c);
        matrix.set(place + 3 * fours, self.d);
    }

    /// Rows for columns.
    #[inline(always)]
    fn turned(self) -> Self {
        let Self { a, b, c, d } = self;
        Self {
            a: UVec4::new(a.x, b.x, c.x, d.x),
            b: UVec4::new(a.y, b.y, c.y, d.y),
            c: UVec4::new(a.z, b.z, c.z, d.z),
            d: UVec4::new(a.w, b.w, c.w, d.w),
        }
    }

    /// Every way over one pivot: a distance to it from each row, and one from it to each column.
    #[inline(always)]
    fn relax<L: Relax>(self, left: UVec4, right: UVec4) -> Self {
        Self {
            a: L::relax_four(self.a, left.x, right),
            b: L::relax_four(self.b, left.y, right),
            c: L::relax_four(self.c, left.z, right),
            d: L::relax_four(self.d, left.w, right),
        }
    }
}

/// The same place in each of four neighbouring tiles.
#[derive(Clone, Copy)]
struct Square {
    upper: Patch,
    upper_right: Patch,
    lower: Patch,
    lower_right: Patch,
}

impl Square {
    #[inline(always)]
    fn load(matrix: &Global<UVec4>, place: u32, fours: u32) -> Self {
        let below = place + MATRIX_TILE * fours;
        Self {
            upper: Patch::load(matrix, place, fours),
            upper_right: Patch::load(matrix, place + FOURS, fours),
            lower: Patch::load(matrix, below, fours),
            lower_right: Patch::load(matrix, below + FOURS, fours),
        }
    }

    /// Stores the tiles that are in neither a row nor a column to leave alone.
    #[inline(always)]
    fn store(
        self,
        matrix: &mut Global<UVec4>,
        place: u32,
        fours: u32,
        (leave_upper, leave_lower): (bool, bool),
        (leave_left, leave_right): (bool, bool),
    ) {
        let below = place + MATRIX_TILE * fours;
        if !leave_upper && !leave_left {
            self.upper.store(matrix, place, fours);
        }
        if !leave_upper && !leave_right {
            self.upper_right.store(matrix, place + FOURS, fours);
        }
        if !leave_lower && !leave_left {
            self.lower.store(matrix, below, fours);
        }
        if !leave_lower && !leave_right {
            self.lower_right.store(matrix, below + FOURS, fours);
        }
    }

    #[inline(always)]
    fn relax<L: Relax>(self, upper: UVec4, lower: UVec4, left: UVec4, right: UVec4) -> Self {
        Self {
            upper: self.upper.relax::<L>(upper, left),
            upper_right: self.upper_right.relax::<L>(upper, right),
            lower: self.lower.relax::<L>(lower, left),
            lower_right: self.lower_right.relax::<L>(lower, right),
        }
    }
}
