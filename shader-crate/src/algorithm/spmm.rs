//! Sparse matrix times dense matrix: a row of `c` is the sum over the row's entries of their value times the row of `b` that
//! their column names. A team of invocations plays each lane of the schedule, every member with four columns of its own, so
//! that a row of `b` is read in one piece.

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Vec4},
    schedule::{Distribute, Scratch, Sum},
    tiles::Rows,
};
use evenkeel_types::WideProductParams;

/// In single precision. `b` and `c` have `params.blocks` fours of columns in each row.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn spmm_f32<S: Distribute>(
    lane: Lane,
    params: &WideProductParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    values: Read<f32>,
    b: Read<Vec4>,
    mut c: Global<Vec4>,
    scratch: Scratch<Vec4>,
) {
    let lane = lane.team(params.team);
    let rows = Rows { offsets: row_offsets, count: params.rows };
    let (blocks, block) = (params.blocks, params.first_block + lane.member);
    // A member past the last column goes along with the others, because they wait for each other, and stores nothing.
    let near = block.min(blocks - 1);
    S::gather(
        lane,
        &rows,
        scratch,
        Sum,
        move |entry| b.get(columns.get(entry) * blocks + near) * values.get(entry),
        move |row, sum| {
            if block < blocks {
                c.set(row * blocks + block, sum);
            }
        },
    );
}
