//! Queues of nodes, one for each workgroup. Each is a word, which whoever takes an element changes by one atomic.

use crate::prelude::*;

/// The queues of all workgroups.
#[derive(Bundle)]
pub struct Queues<S: Storage> {
    /// The head of each queue in the upper half of the word, the tail in the lower.
    pub ends: S::Write<u32>,
    /// The number of elements that each workgroup has popped, and the number that it has stolen.
    pub taken: S::Write<u32>,
}

#[inline_all]
impl Queues<Views<'_>> {
    /// Distributes the elements that have nodes of the partition evenly over the queues; the whole dispatch calls it.
    pub fn fill(&mut self, lane: Lane, queues: u32, chunk: u32, rows: RowRange) {
        for queue in lane.grid_stride(queues) {
            let first = rows.first / chunk;
            let elements = rows.end().div_ceil(chunk) - first;
            let (each, more) = (elements / queues, elements % queues);
            let head = first + queue * each + queue.min(more);
            let tail = head + each + u32::from(queue < more);
            self.ends.set(queue, (head << 16) | tail);
        }
    }

    /// Takes an element from a queue: at the head for a thief, at the tail for the queue's owner.
    pub(super) fn take(&mut self, queue: u32, as_thief: bool) -> u32 {
        let mut element = NOTHING;
        let mut seen = self.ends.load(queue);
        while element == NOTHING && !is_empty(seen) {
            let (after, candidate) =
                if as_thief { (seen + (1 << 16), seen >> 16) } else { (seen - 1, (seen & 0xffff) - 1) };
            let found = self.ends.compare_exchange(queue, seen, after);
            if found == seen {
                element = candidate;
            }
            seen = found;
        }
        element
    }
}

/// Stands for an absent element or queue.
pub(super) const NOTHING: u32 = u32::MAX;

#[inline(always)]
pub(super) fn is_empty(ends: u32) -> bool {
    ends >> 16 >= ends & 0xffff
}
