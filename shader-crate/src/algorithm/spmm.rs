//! Sparse matrix times dense matrix: a row of `c` is the sum over the entries of the sparse row of their value times the row of `b`
//! that their column selects. A team of invocations acts as one lane of the schedule; each member computes four columns, so that the
//! team reads a row of `b` with one coalesced access.

use crate::memory::Vec4;
use crate::prelude::*;
use crate::schedule::{Distribute, Join, Scratch, Sum};
use crate::tiles::Rows;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct WideProductParams {
    /// The rows of the sparse matrix.
    pub tiles: TileRange,
    /// The number of `Vec4` in a row of the dense matrices.
    pub blocks: u32,
    /// The `Vec4` of a row that the first member of a team computes.
    pub first_block: u32,
    /// The number of invocations in a team.
    pub team: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// The product under a schedule, in single precision.
#[kernel(threads = 256, any_width, each(S in for_each_schedule))]
pub fn spmm<S: Distribute>(
    lane: Lane,
    params: &WideProductParams,
    matrix: Csr,
    values: Read<f32>,
    b: Read<Vec4>,
    mut c: Global<Vec4>,
    scratch: Scratch<Vec4>,
) {
    let lane = lane.team(params.team);
    let rows = Rows { offsets: matrix.row_offsets, count: params.tiles.count };
    let tiles = params.tiles;
    let (blocks, block) = (params.blocks, params.first_block + lane.member);
    // A member past the last column must still reach the barriers of the schedule: it repeats the last block and stores nothing.
    let loaded = block.min(blocks - 1);
    S::gather(
        lane,
        &rows,
        scratch,
        Sum,
        move |entry| b.get(matrix.columns.get(entry) * blocks + loaded) * values.get(entry),
        move |tile, sum| {
            if block < blocks {
                let (place, mut sum) = (tiles.row(tile) * blocks + block, sum);
                if tiles.continues == 1 {
                    // The row was cut, and this is not its first part.
                    sum = Sum::join(c.get(place), sum);
                }
                c.set(place, sum);
            }
        },
    );
}
