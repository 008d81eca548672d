//! A few workgroups that run round after round and wait for each other at the end of each. The lists are in device memory.
//!
//! Vulkan does not promise that workgroups run at the same time, but GPUs let one that has begun go on. So those that have begun take part,
//! and one that begins when the others are already at work ends at once (Sorensen et al. 2016, "Portable inter-workgroup barrier
//! synchronisation for GPUs"). Where a device stops one that has begun for good, the others wait in vain: after [`MOST_LOOKS`] looks they give
//! up, and [`LoopReport::STALLED`] in the flags of the state tells the host, which ends the run with an error.

use super::{Pair, RoundState, Team};
use crate::lane::{MOST_LOOKS, STALLED};
use crate::prelude::*;
use crate::ranges::Step;
use evenkeel_types::LoopReport;

/// Set in the number of members when no further workgroup may join.
const CLOSED: u32 = 1 << 31;

/// How often the first member looks whether all have joined before it closes the membership.
const LOOKS: u32 = 2000;

/// In place of a number: not a member.
const NOT_A_MEMBER: u32 = u32::MAX;

/// The team of several workgroups, as one invocation sees it.
pub struct Cooperating<'a> {
    lane: Lane,
    /// [`NOT_A_MEMBER`] in its first word when no further round is to be taken.
    membership: Shared<'a, u32, 2>,
    /// The workgroup's number among the members.
    number: u32,
    members: u32,
    /// Entries of each list in device memory.
    capacity: u32,
    /// The list that the first round reads, 0 or 1.
    half: u32,
    /// A round of more than `short` and at most `medium` entries is for this team.
    short: u32,
    medium: u32,
}

/// Joins the workgroups that take part. All invocations of the workgroup call it together.
#[inline(always)]
pub fn join<'a, S: RoundState>(
    lane: Lane,
    state: &mut State<S>,
    mut membership: Shared<'a, u32, 2>,
    (capacity, half): (u32, u32),
    (short, medium): (u32, u32),
) -> Cooperating<'a> {
    if lane.local == 0 {
        let (number, members) = join_workgroup(lane, state);
        membership.set(0, number);
        membership.set(1, members);
    }
    lane.barrier();
    let (number, members) = (membership.get(0), membership.get(1));
    Cooperating { lane, membership, number, members, capacity, half, short, medium }
}

/// The workgroup's number and the number of members.
#[inline(always)]
fn join_workgroup<S: RoundState>(lane: Lane, state: &mut State<S>) -> (u32, u32) {
    if lane.groups == 1 {
        return (0, 1);
    }
    let (mut number, mut members) = (NOT_A_MEMBER, state.load(S::MEMBERS));
    while number == NOT_A_MEMBER && members & CLOSED == 0 {
        let before = state.compare_exchange(S::MEMBERS, members, members + 1);
        if before == members {
            number = members;
        }
        members = before;
    }
    if number == 0 {
        let mut looks = 0;
        while looks < LOOKS && state.load(S::MEMBERS) < lane.groups {
            lane.pause();
            looks += 1;
        }
        state.or(S::MEMBERS, CLOSED);
    }
    if number != NOT_A_MEMBER {
        let mut looks = 0;
        while looks < MOST_LOOKS && state.load(S::MEMBERS) & CLOSED == 0 {
            lane.pause();
            looks += 1;
        }
        if looks == MOST_LOOKS {
            state.or(S::FLAGS, LoopReport::STALLED);
            return (NOT_A_MEMBER, 1);
        }
    }
    (number, state.load(S::MEMBERS) & !CLOSED)
}

#[inline_all]
impl Cooperating<'_> {
    /// Whether this invocation speaks for the whole team.
    pub fn is_leader(&self) -> bool {
        self.membership.get(0) == 0 && self.lane.local == 0
    }

    /// Whether no other workgroup takes part.
    pub fn is_alone(&self) -> bool {
        self.members == 1
    }

    /// The workgroup's part of so many entries, in one block: the first, and how many.
    pub fn block(&self, entries: u32) -> (u32, u32) {
        let share = entries.div_ceil(self.members);
        let first = entries.min(self.number * share);
        (first, share.min(entries - first))
    }

    /// Makes the words of the membership what they are between dispatches. One invocation calls it when all workgroups are done.
    pub fn dissolve<S: RoundState>(state: &mut State<S>) {
        if state.load(S::ARRIVALS) >= STALLED {
            state.or(S::FLAGS, LoopReport::STALLED);
        }
        state.store(S::MEMBERS, 0);
        state.store(S::ARRIVALS, 0);
    }
}

#[inline_all]
impl<S: RoundState> Team<S> for Cooperating<'_> {
    fn takes(&self, entries: u32) -> bool {
        self.membership.get(0) != NOT_A_MEMBER && entries > self.short && entries <= self.medium
    }

    fn share(&self, entries: u32) -> u32 {
        entries.div_ceil(self.members * self.lane.threads)
    }

    fn entries(&self, entries: u32) -> Step {
        step(self.number * self.lane.threads + self.lane.local, entries, self.members * self.lane.threads)
    }

    fn place(&self, number: u32) -> u32 {
        (number * self.members + self.number) * self.lane.threads + self.lane.local
    }

    fn entry(&self, lists: &Global<u32>, round: u32, place: u32) -> u32 {
        lists.load(((self.half + round) % 2) * self.capacity + place)
    }

    fn put(&mut self, lists: &mut Global<u32>, round: u32, place: u32, node: u32) {
        lists.store(((self.half + round + 1) % 2) * self.capacity + place, node);
    }

    fn set_count(&mut self, state: &mut State<S>, counter: u32, round: u32, value: u32) {
        if self.is_leader() {
            state.store(S::count(counter, round), value);
        }
    }

    fn count(&self, state: &State<S>, counter: u32, round: u32) -> u32 {
        state.load(S::count(counter, round))
    }

    fn reserve(&mut self, state: &mut State<S>, counter: u32, round: u32, count: u32) -> u32 {
        state.append(self.lane, S::count(counter, round), count)
    }

    fn reserve_both(&mut self, state: &mut State<S>, counters: Pair, round: u32, counts: Pair) -> Pair {
        state.append_both(self.lane, (S::count(counters.0, round), S::count(counters.1, round)), counts)
    }

    fn lower(&mut self, state: &mut State<S>, counter: u32, round: u32, value: u32) {
        state.min(S::count(counter, round), value);
    }

    fn finish_round(&mut self, state: &mut State<S>, round: u32) {
        state.meet(self.lane, S::ARRIVALS, (round + 1) * self.members, &mut self.membership);
    }
}
