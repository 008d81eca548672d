//! The state of a loop as kernels see it, or another struct in device memory whose words several invocations count in.

use crate::{
    lane::Lane,
    memory::{Global, Shared},
};
use core::marker::PhantomData;
use evenkeel_types::{Field, LoopState};

/// A view of the struct `S`, field by field. `get` and `set` are plain accesses, right for what no other invocation touches in the same
/// dispatch; `load` and `store` are relaxed atomics; the rest are atomic updates and return the value before.
pub struct State<'a, S> {
    words: Global<'a, u32>,
    of: PhantomData<S>,
}

impl<'a, S> State<'a, S> {
    /// The state whose words are `words`.
    #[inline(always)]
    pub fn new(words: Global<'a, u32>) -> Self {
        Self { words, of: PhantomData }
    }

    /// The field's value. A cache may answer: right for what is written only after every invocation has taken its ticket.
    #[inline(always)]
    pub fn get(&self, field: Field<S>) -> u32 {
        self.words.get(field.word())
    }

    /// Replaces the field's value, which no other invocation touches.
    #[inline(always)]
    pub fn set(&mut self, field: Field<S>, value: u32) {
        self.words.set(field.word(), value);
    }

    /// The field's value, whoever else is at it.
    #[inline(always)]
    pub fn load(&self, field: Field<S>) -> u32 {
        self.words.load(field.word())
    }

    /// Replaces the field's value, whoever else is at it.
    #[inline(always)]
    pub fn store(&mut self, field: Field<S>, value: u32) {
        self.words.store(field.word(), value);
    }

    /// Adds, wrapping; the value before.
    #[inline(always)]
    pub fn add(&mut self, field: Field<S>, value: u32) -> u32 {
        self.words.add(field.word(), value)
    }

    /// Keeps the smaller; the value before.
    #[inline(always)]
    pub fn min(&mut self, field: Field<S>, value: u32) -> u32 {
        self.words.min(field.word(), value)
    }

    /// Keeps the larger; the value before.
    #[inline(always)]
    pub fn max(&mut self, field: Field<S>, value: u32) -> u32 {
        self.words.max(field.word(), value)
    }

    /// Sets bits; the value before.
    #[inline(always)]
    pub fn or(&mut self, field: Field<S>, value: u32) -> u32 {
        self.words.or(field.word(), value)
    }

    /// Replaces the value if it is `expected`; the value before, either way.
    #[inline(always)]
    pub fn compare_exchange(&mut self, field: Field<S>, expected: u32, value: u32) -> u32 {
        self.words.compare_exchange(field.word(), expected, value)
    }

    /// Reserves `count` places behind a counter, and returns the first: see [`Lane::append`].
    #[inline(always)]
    pub fn append(&mut self, lane: Lane, counter: Field<S>, count: u32) -> u32 {
        lane.append(&mut self.words, counter.word(), count)
    }

    /// Reserves places behind two counters at once: see [`Lane::append_both`].
    #[inline(always)]
    pub fn append_both(&mut self, lane: Lane, counters: (Field<S>, Field<S>), counts: (u32, u32)) -> (u32, u32) {
        lane.append_both(&mut self.words, (counters.0.word(), counters.1.word()), counts)
    }

    /// Reserves one place for each invocation that is here: see [`Lane::append_one`].
    #[inline(always)]
    pub fn append_one(&mut self, lane: Lane, counter: Field<S>) -> u32 {
        lane.append_one(&mut self.words, counter.word())
    }

    /// Waits until `target` workgroups have come here: see [`Lane::meet`].
    #[inline(always)]
    pub fn meet<const N: usize>(&mut self, lane: Lane, counter: Field<S>, target: u32, note: &mut Shared<u32, N>) {
        lane.meet(&mut self.words, (counter.word(), target), note);
    }

    /// Sets every word to 0.
    #[inline(always)]
    pub fn clear(&mut self) {
        for word in 0..(size_of::<S>() / 4) as u32 {
            self.words.set(word, 0);
        }
    }
}

impl<S: LoopState> State<'_, S> {
    /// Every invocation calls this last; it is true for a single one, after all the others are done with their atomics.
    #[inline(always)]
    pub fn is_last(&mut self, lane: Lane) -> bool {
        lane.last(&mut self.words, S::TICKET.word())
    }

    /// Whether the size of the dispatch that `field` is for is 0. A kernel that is dispatched in a loop asks before all else, and ends at once
    /// then: see `Recorder::dispatch_in_loop`. All invocations get the same answer, because the size changes when all are done.
    #[inline(always)]
    pub fn is_over(&self, field: Field<S, [u32; 3]>) -> bool {
        self.get(field.at(0)) == 0
    }

    /// Sets the size of the dispatch that `field` is for: `groups` workgroups in the first dimension.
    #[inline(always)]
    pub fn set_groups(&mut self, field: Field<S, [u32; 3]>, groups: u32) {
        self.set(field.at(0), groups);
        self.set(field.at(1), 1);
        self.set(field.at(2), 1);
    }

    /// Clears the state and begins a loop over `frontier` entries with so many workgroups.
    #[inline(always)]
    pub fn begin(&mut self, frontier: u32, groups: u32) {
        self.clear();
        self.set_groups(S::GROUPS, groups);
        self.set(S::FRONTIER, frontier);
    }

    /// Ends an iteration whose next worklist is complete: it becomes the one to take, with a workgroup for each `entries` entries but no
    /// more than `max_groups`. Every invocation calls this last.
    #[inline(always)]
    pub fn advance(&mut self, lane: Lane, entries: u32, max_groups: u32) {
        if self.is_last(lane) {
            let frontier = self.load(S::NEXT);
            let groups = frontier / entries + (frontier % entries).min(1);
            self.store(S::GROUPS.at(0), groups.min(max_groups));
            self.store(S::FRONTIER, frontier);
            self.store(S::NEXT, 0);
            self.store(S::ITERATION, self.load(S::ITERATION) + 1);
        }
    }

    /// Ends an iteration over everything there is: if a kernel has stored 1 in `next`, there is another one, of `groups` workgroups. Every
    /// invocation calls this last.
    #[inline(always)]
    pub fn advance_all(&mut self, lane: Lane, groups: u32) {
        if self.is_last(lane) {
            let found = self.load(S::NEXT);
            self.store(S::GROUPS.at(0), found * groups);
            self.store(S::FRONTIER, found);
            self.store(S::NEXT, 0);
            self.store(S::ITERATION, self.load(S::ITERATION) + 1);
        }
    }
}
