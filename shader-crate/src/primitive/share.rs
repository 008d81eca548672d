//! What the invocations of a workgroup bring, each a range of numbers, shared out evenly among all of them.

use super::search::first;
use super::workgroup::{Slots, prefix_sum};
use crate::prelude::*;

/// Puts down where the `count` numbers from `begin` on, which this invocation brings, end among those of the workgroup, and how far
/// they are from where they stand there: two words of `cells` for each invocation. All call it together, with `cells` and `slots`
/// free. Returns how many there are.
#[inline(always)]
pub fn line_up<const N: usize>(
    lane: Lane,
    begin: u32,
    count: u32,
    cells: &mut Shared<u32, N>,
    slots: &mut Slots,
) -> u32 {
    let prefix = prefix_sum(lane, count, slots);
    cells.set(lane.local, prefix.before + count);
    cells.set(lane.threads + lane.local, begin.wrapping_sub(prefix.before));
    lane.barrier();
    prefix.total
}

/// Who brought what stands at `place` among those of the workgroup, and the number.
#[inline(always)]
pub fn shared_out<const N: usize>(lane: Lane, cells: &Shared<u32, N>, place: u32) -> (u32, u32) {
    let owner = first(0, lane.threads - 1, |invocation| cells.get(invocation) > place);
    (owner, place.wrapping_add(cells.get(lane.threads + owner)))
}
