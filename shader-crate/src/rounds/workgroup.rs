//! One workgroup that runs round after round. The lists stay in workgroup memory.

use super::{Pair, SHORT, Team};
use crate::prelude::*;
use crate::ranges::Step;

/// The team of one workgroup. `N` words hold two lists; `C` words hold three of each counter.
pub struct Workgroup<'a, const N: usize, const C: usize> {
    lane: Lane,
    entries: Shared<'a, u32, N>,
    counts: Shared<'a, u32, C>,
    /// Entries of each list in device memory, where entries go that have no space in workgroup memory.
    capacity: u32,
    /// The list in device memory that the first round reads, 0 or 1.
    half: u32,
    /// Whether rounds read what others wrote to buffers.
    reads_buffers: bool,
}

#[inline_all]
impl<'a, const N: usize, const C: usize> Workgroup<'a, N, C> {
    /// Entries of a list that have space in workgroup memory.
    pub const SPACE: u32 = N as u32 / 2;

    /// The team, with `count` entries of list `half` of those in device memory. The counters are still to be set.
    pub fn new(
        lane: Lane,
        mut entries: Shared<'a, u32, N>,
        counts: Shared<'a, u32, C>,
        lists: &Global<u32>,
        (capacity, half): (u32, u32),
        count: u32,
        reads_buffers: bool,
    ) -> Self {
        for entry in lane.group_stride(count.min(Self::SPACE)) {
            entries.set(entry, lists.get(half * capacity + entry));
        }
        Self { lane, entries, counts, capacity, half, reads_buffers }
    }

    /// Writes the `count` entries that the next round would have read to their list in device memory, for the whole dispatch.
    pub fn write_back(&self, lists: &mut Global<u32>, rounds: u32, count: u32) {
        for entry in self.lane.group_stride(count.min(Self::SPACE)) {
            lists.set(self.place_in_memory(rounds, entry), self.entries.get((rounds % 2) * Self::SPACE + entry));
        }
    }

    /// The place in device memory of an entry that a round reads.
    fn place_in_memory(&self, round: u32, entry: u32) -> u32 {
        ((self.half + round) % 2) * self.capacity + entry
    }

    /// Where a counter of a round is.
    fn place(counter: u32, round: u32) -> u32 {
        counter * 3 + round % 3
    }
}

#[inline_all]
impl<S: LoopState, const N: usize, const C: usize> Team<S> for Workgroup<'_, N, C> {
    fn takes(&self, entries: u32) -> bool {
        entries > 0 && entries <= SHORT
    }

    fn share(&self, entries: u32) -> u32 {
        entries.div_ceil(self.lane.threads)
    }

    fn entries(&self, entries: u32) -> Step {
        self.lane.group_stride(entries)
    }

    fn place(&self, number: u32) -> u32 {
        number * self.lane.threads + self.lane.local
    }

    fn entry(&self, lists: &Global<u32>, round: u32, place: u32) -> u32 {
        if SHORT <= Self::SPACE || place < Self::SPACE {
            self.entries.get((round % 2) * Self::SPACE + place)
        } else {
            // An atomic, because the workgroup may have written it in the round before.
            lists.load(self.place_in_memory(round, place))
        }
    }

    fn put(&mut self, lists: &mut Global<u32>, round: u32, place: u32, node: u32) {
        if place < Self::SPACE {
            self.entries.set(((round + 1) % 2) * Self::SPACE + place, node);
        } else {
            lists.store(self.place_in_memory(round + 1, place), node);
        }
    }

    fn set_count(&mut self, _: &mut State<S>, counter: u32, round: u32, value: u32) {
        if self.lane.local == 0 {
            self.counts.set(Self::place(counter, round), value);
        }
    }

    fn count(&self, _: &State<S>, counter: u32, round: u32) -> u32 {
        self.counts.get(Self::place(counter, round))
    }

    fn reserve(&mut self, _: &mut State<S>, counter: u32, round: u32, count: u32) -> u32 {
        self.counts.add(Self::place(counter, round), count)
    }

    fn reserve_both(&mut self, _: &mut State<S>, counters: Pair, round: u32, counts: Pair) -> Pair {
        let first = self.counts.add(Self::place(counters.0, round), counts.0);
        (first, self.counts.add(Self::place(counters.1, round), counts.1))
    }

    fn lower(&mut self, _: &mut State<S>, counter: u32, round: u32, value: u32) {
        self.counts.min(Self::place(counter, round), value);
    }

    fn finish_round(&mut self, _: &mut State<S>, _: u32) {
        if self.reads_buffers {
            self.lane.barrier_with_buffers();
        } else {
            self.lane.barrier();
        }
    }
}
