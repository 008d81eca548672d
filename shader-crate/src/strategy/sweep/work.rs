//! The workgroup memory of an iteration: a list of what is taken next.

use super::{BLOCK, BLOCK_OF_BITS};
use crate::prelude::*;
use crate::primitive::workgroup::SUBGROUPS;

/// A workgroup takes the nodes on its list when there are so many, or no more to look at: few at a time would leave most invocations without work.
pub const FULL: u32 = 2 * WORKGROUP;

/// The room on the list of nodes whose bits are set.
pub const LIST_OF_BITS: usize = (FULL + BLOCK_OF_BITS) as usize;
// So many pieces of long rows are listed at a time.
const _: () = assert!(BLOCK as usize <= LIST_OF_BITS);

/// The room on the list of nodes by their distances.
pub const LIST_OF_BLOCK: usize = BLOCK as usize;

/// The word of workgroup memory with the shortest distance behind the bucket. Those before it count what is on the workgroup's list, in turn.
pub const LOWEST: u32 = 3;

/// Three words for each invocation: the end of its node's edges, their offset, and the node's distance.
pub const CELLS: usize = 3 * WORKGROUP as usize;

/// The workgroup memory of an iteration.
pub struct Work<'a, const LIST: usize> {
    /// Nodes, or pieces of long rows, whose edges are taken next.
    pub list: Shared<'a, u32, LIST>,
    /// How many were put on the list, in three words in turn; and [`LOWEST`].
    pub counts: Shared<'a, u32, 4>,
    pub cells: Shared<'a, u32, CELLS>,
    pub slots: Shared<'a, u32, SUBGROUPS>,
}

#[inline_all]
impl<'a, const LIST: usize> Work<'a, LIST> {
    /// Makes it ready. All invocations call it together.
    pub fn new(
        lane: Lane,
        list: Shared<'a, u32, LIST>,
        mut counts: Shared<'a, u32, 4>,
        cells: Shared<'a, u32, CELLS>,
        slots: Shared<'a, u32, SUBGROUPS>,
    ) -> Self {
        if lane.local == 0 {
            counts.set(0, 0);
            counts.set(LOWEST, UNREACHED);
        }
        lane.barrier();
        Self { list, counts, cells, slots }
    }

    /// Begins filling number `filling` of the list: makes the next word of `counts` ready. It was read the time before the last.
    pub fn open(&mut self, lane: Lane, filling: u32) {
        if lane.local == 0 {
            self.counts.set((filling + 1) % 3, 0);
        }
    }

    /// Puts an item on the list, behind those that are there from before.
    pub fn add(&mut self, filling: u32, listed: u32, item: u32) {
        let place = listed + self.counts.add(filling % 3, 1);
        self.list.set(place, item);
    }
}
