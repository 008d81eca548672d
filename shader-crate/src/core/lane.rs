//! Who this invocation is, and how it waits for and talks to its neighbours.
//!
//! A subgroup is as wide as the device makes it: 8 on lavapipe, 32 on NVIDIA, 64 on some AMD, 1 on the CPU device. Nothing here
//! or above assumes a width. The CPU device can emulate every width from 2 to 128.

#[cfg(not(target_arch = "spirv"))]
pub use super::access::call_between_accesses;
/// What invocations of a subgroup can hand to each other.
#[cfg(not(target_arch = "spirv"))]
pub use crate::memory::Element as Shuffle;
#[cfg(not(target_arch = "spirv"))]
pub use native::{Call, Place, Workgroup};
/// What invocations of a subgroup can hand to each other.
#[cfg(target_arch = "spirv")]
pub use spirv_std::ScalarComposite as Shuffle;

use crate::memory::Global;
use crate::ranges::{Step, step};

/// How often a workgroup looks whether the others have come before it gives up, which is a few seconds on a GPU. A round takes milliseconds at
/// most, so that only a device which does not let workgroups go on that have begun ever gets there.
pub(crate) const MOST_LOOKS: u32 = 1 << 22;

/// Set in the word at which workgroups meet when one of them gave up.
pub(crate) const STALLED: u32 = 1 << 31;

/// One invocation of a dispatch.
#[derive(Clone, Copy)]
pub struct Lane {
    /// Its number in the workgroup.
    pub local: u32,
    /// Its workgroup.
    pub group: u32,
    /// How many workgroups the dispatch has.
    pub groups: u32,
    /// How many invocations a workgroup has.
    pub threads: u32,
    /// Its subgroup in the workgroup.
    pub subgroup: u32,
    /// How many subgroups the workgroup has.
    pub subgroups: u32,
    /// Its number in the subgroup.
    pub subgroup_lane: u32,
    /// How many invocations a subgroup has.
    pub subgroup_size: u32,
    /// How many invocations act as this one, each on a part of a value; 1 but for [`Lane::team`].
    pub team: u32,
    /// Its number among them.
    pub member: u32,
    /// The rest of its workgroup, on a CPU.
    #[cfg(not(target_arch = "spirv"))]
    pub(crate) workgroup: *const dyn Workgroup,
}

impl Lane {
    /// Its number in the whole dispatch.
    #[inline(always)]
    pub fn global(&self) -> u32 {
        self.group * self.threads + self.local
    }

    /// Says that this invocation takes so many atoms: edges, or elements of lists. The CPU device counts them where it is asked to; on a GPU it
    /// is nothing. Kernels with the setting `counts` call it.
    #[inline(always)]
    pub fn count_atoms(&self, _count: u32) {
        #[cfg(not(target_arch = "spirv"))]
        crate::balance::count_many(_count);
    }

    /// The lane whose part is played by `width` neighbouring invocations together: they take the same tiles and atoms, each
    /// with its own part of a wide value. The width divides the subgroup's.
    #[inline(always)]
    pub fn team(self, width: u32) -> Self {
        Self {
            local: self.local / width,
            threads: self.threads / width,
            subgroup_lane: self.subgroup_lane / width,
            subgroup_size: self.subgroup_size / width,
            team: width,
            member: self.subgroup_lane % width,
            ..self
        }
    }

    /// Waits until a word is `target` or more, and returns whether it is; it is not when somebody has waited in vain.
    #[inline(always)]
    fn wait(&self, words: &mut Global<u32>, word: u32, target: u32) -> bool {
        let (mut seen, mut looks) = (words.load(word), 0);
        while seen < target && looks < MOST_LOOKS {
            self.pause();
            seen = words.load(word);
            looks += 1;
        }
        if seen < target {
            seen = STALLED;
            words.or(word, STALLED);
        }
        seen < STALLED
    }

    /// Every `groups`-th number below `end`, from this workgroup's own on: the workgroups together cover 0..end once.
    #[inline(always)]
    pub fn by_group(&self, end: u32) -> Step {
        step(self.group, end, self.groups)
    }

    /// This invocation's share of 0..end, which the whole dispatch covers once: every `threads × groups`-th number from its own on, so that
    /// neighbouring invocations take neighbouring numbers. Where a CPU runs workgroups of one invocation, that one takes numbers in a row.
    #[inline(always)]
    pub fn grid_stride(&self, end: u32) -> Step {
        if cfg!(not(target_arch = "spirv")) && self.threads == 1 {
            let bound = |group: u32| (u64::from(end) * u64::from(group) / u64::from(self.groups)) as u32;
            return step(bound(self.group), bound(self.group + 1), 1);
        }
        step(self.global(), end, self.threads * self.groups)
    }

    /// Every `threads`-th number below `end`, from this invocation's own on: the workgroup covers 0..end once.
    #[inline(always)]
    pub fn group_stride(&self, end: u32) -> Step {
        step(self.local, end, self.threads)
    }
}

#[cfg(target_arch = "spirv")]
#[allow(missing_docs)] // Documented below, once, on the native side.
mod gpu {
    use super::{Lane, Shuffle};
    use crate::memory::{Global, Shared};
    use spirv_std::{
        arch::{
            control_barrier, memory_barrier, subgroup_ballot, subgroup_ballot_bit_count,
            subgroup_ballot_exclusive_bit_count, subgroup_broadcast_first, subgroup_elect, subgroup_exclusive_i_add,
            subgroup_i_add, subgroup_inclusive_i_add, subgroup_or, subgroup_shuffle, subgroup_shuffle_up,
            subgroup_u_max, subgroup_u_min,
        },
        memory::{Scope, Semantics},
    };

    const WORKGROUP: u32 = Scope::Workgroup as u32;
    const EVERYONE: u32 = Scope::QueueFamily as u32;
    const SHARED_MEMORY: u32 = Semantics::WORKGROUP_MEMORY.bits() | ORDERED;
    const BUFFER_MEMORY: u32 = Semantics::UNIFORM_MEMORY.bits() | ORDERED;
    const ORDERED: u32 =
        Semantics::ACQUIRE_RELEASE.bits() | Semantics::MAKE_AVAILABLE.bits() | Semantics::MAKE_VISIBLE.bits();

    impl Lane {
        #[inline(always)]
        pub fn barrier(&self) {
            control_barrier::<WORKGROUP, WORKGROUP, SHARED_MEMORY>();
        }

        #[inline(always)]
        pub fn barrier_with_buffers(&self) {
            control_barrier::<WORKGROUP, WORKGROUP, { SHARED_MEMORY | BUFFER_MEMORY }>();
        }

        #[inline(always)]
        pub fn last(&self, words: &mut Global<u32>, ticket: u32) -> bool {
            // Two barriers, because lavapipe of Mesa 22.3 does not wait at one whose memory scope is wider than the workgroup.
            memory_barrier::<EVERYONE, BUFFER_MEMORY>();
            self.barrier();
            if self.local != 0 || words.add_ordered(ticket, 1) + 1 != self.groups {
                return false;
            }
            words.store(ticket, 0);
            true
        }

        #[inline(always)]
        pub fn meet<const N: usize>(
            &self,
            words: &mut Global<u32>,
            (word, target): (u32, u32),
            note: &mut Shared<u32, N>,
        ) {
            memory_barrier::<EVERYONE, BUFFER_MEMORY>();
            self.barrier();
            if self.local == 0 {
                words.add_ordered(word, 1);
                if !self.wait(words, word, target) {
                    note.set(0, u32::MAX);
                }
            }
            self.barrier();
            memory_barrier::<EVERYONE, BUFFER_MEMORY>();
        }

        #[inline(always)]
        pub fn pause(&self) {}

        #[inline(always)]
        pub fn append(&self, words: &mut Global<u32>, counter: u32, count: u32) -> u32 {
            let before = subgroup_exclusive_i_add(count);
            let total = subgroup_i_add(count);
            let mut base = 0;
            if subgroup_elect() {
                base = words.add(counter, total);
            }
            subgroup_broadcast_first(base) + before
        }

        #[inline(always)]
        pub fn append_both(&self, words: &mut Global<u32>, counters: (u32, u32), counts: (u32, u32)) -> (u32, u32) {
            let before = (subgroup_exclusive_i_add(counts.0), subgroup_exclusive_i_add(counts.1));
            let total = (subgroup_i_add(counts.0), subgroup_i_add(counts.1));
            let mut base = (0, 0);
            if subgroup_elect() {
                base = (words.add(counters.0, total.0), words.add(counters.1, total.1));
            }
            (subgroup_broadcast_first(base.0) + before.0, subgroup_broadcast_first(base.1) + before.1)
        }

        #[inline(always)]
        pub fn append_one(&self, words: &mut Global<u32>, counter: u32) -> u32 {
            let present = subgroup_ballot(true);
            let mut base = 0;
            if subgroup_elect() {
                base = words.add(counter, subgroup_ballot_bit_count(present));
            }
            subgroup_broadcast_first(base) + subgroup_ballot_exclusive_bit_count(present)
        }

        #[inline(always)]
        pub fn count(&self, present: bool) -> u32 {
            subgroup_ballot_bit_count(subgroup_ballot(present && self.member == 0))
        }

        #[inline(always)]
        pub fn bits(&self, present: bool) -> u32 {
            subgroup_ballot(present).x
        }

        #[inline(always)]
        pub fn of(&self, lane: u32, value: u32) -> u32 {
            subgroup_shuffle(value, lane)
        }

        #[inline(always)]
        pub fn shuffle_up<V: Shuffle>(&self, value: V, distance: u32) -> V {
            subgroup_shuffle_up(value, distance * self.team)
        }

        #[inline(always)]
        pub fn inclusive_add(&self, value: u32) -> u32 {
            subgroup_inclusive_i_add(if self.member == 0 { value } else { 0 })
        }

        #[inline(always)]
        pub fn reduce_add(&self, value: u32) -> u32 {
            subgroup_i_add(if self.member == 0 { value } else { 0 })
        }

        #[inline(always)]
        pub fn reduce_min(&self, value: u32) -> u32 {
            subgroup_u_min(value)
        }

        #[inline(always)]
        pub fn reduce_max(&self, value: u32) -> u32 {
            subgroup_u_max(value)
        }

        #[inline(always)]
        pub fn reduce_or(&self, value: u32) -> u32 {
            subgroup_or(value)
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
mod native {
    use super::{Lane, Shuffle};
    use crate::memory::{Global, Shared};
    use std::panic::Location;

    /// Where in a kernel's text something is called.
    pub type Place = &'static Location<'static>;

    /// A call by which invocations of a subgroup hand values to each other.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Call {
        /// Where it stands.
        pub place: Place,
        /// Whether all invocations of the subgroup must make it together. If not, it is made by those that are there at the time.
        pub by_all: bool,
        /// What calls at the same place must have in common to be one: the counters.
        pub key: (u32, u32),
    }

    /// What the CPU device lends an invocation: its workgroup.
    pub trait Workgroup {
        /// Returns when every invocation of the workgroup has called it.
        fn barrier(&self, place: Place);
        /// True for the last invocation of the dispatch to call it.
        fn last(&self, place: Place) -> bool;
        /// Hands `value` to the invocations of the subgroup that make the same call, and `take` the numbers and values of all of
        /// them. Only for subgroups of more than one invocation.
        fn exchange(&self, call: Call, value: &[u8], take: &mut dyn FnMut(u32, &[u8]));
        /// Lets others run. A loop calls it that waits for what another invocation writes.
        fn pause(&self);
    }

    impl Lane {
        /// Invocation number `local` of a workgroup of `threads`, which is number `group` of `groups`, with `width` invocations in a
        /// subgroup.
        ///
        /// # Safety
        /// `workgroup` outlives every use of the lane.
        pub unsafe fn new(
            (local, threads): (u32, u32),
            (group, groups): (u32, u32),
            width: u32,
            workgroup: &dyn Workgroup,
        ) -> Self {
            // SAFETY: only the lifetime changes, for which the caller vouches.
            let workgroup = unsafe {
                ::core::mem::transmute::<*const (dyn Workgroup + '_), *const (dyn Workgroup + 'static)>(workgroup)
            };
            Self {
                local,
                group,
                groups,
                threads,
                subgroup: local / width,
                subgroups: threads.div_ceil(width),
                subgroup_lane: local % width,
                subgroup_size: width,
                team: 1,
                member: 0,
                workgroup,
            }
        }

        fn workgroup(&self) -> &dyn Workgroup {
            // SAFETY: the device keeps the workgroup for as long as its invocations run.
            unsafe { &*self.workgroup }
        }

        /// Whether the invocation is a subgroup by itself, which needs no exchange.
        #[inline(always)]
        fn is_alone(&self) -> bool {
            self.subgroup_size * self.team == 1
        }

        /// The number that it has in the subgroup, with all members of its team counted.
        fn number(&self) -> u32 {
            self.subgroup_lane * self.team + self.member
        }

        #[track_caller]
        fn exchange<V: bytemuck::Pod>(&self, by_all: bool, key: (u32, u32), value: V, mut take: impl FnMut(u32, V)) {
            let call = Call { place: Location::caller(), by_all, key };
            let mut take = |lane: u32, bytes: &[u8]| take(lane, bytemuck::pod_read_unaligned(bytes));
            self.workgroup().exchange(call, bytemuck::bytes_of(&value), &mut take);
        }

        /// What `join` makes of the values of all invocations of the subgroup, which all call it.
        #[track_caller]
        fn reduce(&self, value: u32, mut join: impl FnMut(u32, u32) -> u32) -> u32 {
            let mut result = None;
            self.exchange(true, (0, 0), value, |_, other| {
                result = Some(result.map_or(other, |before| join(before, other)));
            });
            result.unwrap_or(value)
        }

        /// Waits for the whole workgroup; what its invocations wrote to workgroup memory before is seen after.
        #[track_caller]
        pub fn barrier(&self) {
            self.workgroup().barrier(Location::caller());
        }

        /// Waits for the whole workgroup; what its invocations wrote to buffers by atomics is seen after.
        #[track_caller]
        pub fn barrier_with_buffers(&self) {
            self.barrier();
        }

        /// Ends the dispatch: every invocation calls it once, and it is true for a single one, after all the others are done
        /// with their atomics. `words[ticket]` counts the workgroups on a GPU; it is 0 before and after.
        #[track_caller]
        pub fn last(&self, _words: &mut Global<u32>, _ticket: u32) -> bool {
            self.workgroup().last(Location::caller())
        }

        /// Adds 1 to `words[word]` for the workgroup and waits until it is `target`: until as many workgroups have come here. What
        /// they wrote by atomics before is seen after. Only for workgroups that have begun, which a GPU lets go on. Where one does not
        /// come within seconds, the highest bit of the word is set, nobody waits any longer, and element 0 of `note` becomes [`u32::MAX`].
        #[track_caller]
        pub fn meet<const N: usize>(
            &self,
            words: &mut Global<u32>,
            (word, target): (u32, u32),
            note: &mut Shared<u32, N>,
        ) {
            self.barrier();
            if self.local == 0 {
                words.add(word, 1);
                if !self.wait(words, word, target) {
                    note.set(0, u32::MAX);
                }
            }
            self.barrier();
        }

        /// Lets others run, in a loop that waits for what another invocation writes. Nothing on a GPU.
        pub fn pause(&self) {
            self.workgroup().pause();
        }

        /// Reserves `count` places behind `words[counter]`, and returns the first. One atomic for the whole subgroup.
        #[track_caller]
        pub fn append(&self, words: &mut Global<u32>, counter: u32, count: u32) -> u32 {
            if self.is_alone() {
                return words.add(counter, count);
            }
            self.append_both(words, (counter, counter), (count, 0)).0
        }

        /// Reserves places behind two counters at once, so that the latencies of both atomics overlap.
        #[track_caller]
        pub fn append_both(&self, words: &mut Global<u32>, counters: (u32, u32), counts: (u32, u32)) -> (u32, u32) {
            if self.is_alone() {
                return (words.add(counters.0, counts.0), words.add(counters.1, counts.1));
            }
            let (mut first, mut before, mut total) = (u32::MAX, (0, 0), (0, 0));
            self.exchange(false, counters, [counts.0, counts.1], |lane, [one, two]: [u32; 2]| {
                first = first.min(lane);
                if lane < self.number() {
                    before = (before.0 + one, before.1 + two);
                }
                total = (total.0 + one, total.1 + two);
            });
            let mut base = (0, 0);
            if self.number() == first {
                base = (words.add(counters.0, total.0), words.add(counters.1, total.1));
            }
            // The first of them tells the others.
            let mut told = base;
            self.exchange(false, counters, [base.0, base.1], |lane, [one, two]: [u32; 2]| {
                if lane == first {
                    told = (one, two);
                }
            });
            (told.0 + before.0, told.1 + before.1)
        }

        /// [`Lane::append`] of one place by each invocation that is here.
        #[track_caller]
        pub fn append_one(&self, words: &mut Global<u32>, counter: u32) -> u32 {
            self.append(words, counter, 1)
        }

        /// How many invocations of the subgroup have `present` true. All of them call it together.
        #[track_caller]
        #[inline(always)]
        pub fn count(&self, present: bool) -> u32 {
            self.reduce_add(u32::from(present))
        }

        /// A bit for each of the first 32 invocations of the subgroup, set where `present` is true.
        #[track_caller]
        #[inline(always)]
        pub fn bits(&self, present: bool) -> u32 {
            let number = self.number();
            self.reduce_or(if number < 32 { u32::from(present) << number } else { 0 })
        }

        /// The value that another lane of the subgroup has. All lanes of the subgroup call it together.
        #[track_caller]
        #[inline(always)]
        pub fn of(&self, lane: u32, value: u32) -> u32 {
            if self.is_alone() {
                return value;
            }
            let mut found = UNDEFINED;
            self.exchange(true, (0, 0), value, |other, value| {
                if other == lane {
                    found = value;
                }
            });
            found
        }

        /// The value of the invocation `distance` before this one in the subgroup; undefined where there is none.
        #[track_caller]
        #[inline(always)]
        pub fn shuffle_up<V: Shuffle>(&self, value: V, distance: u32) -> V {
            if self.is_alone() {
                return value;
            }
            let (wanted, mut found) = (self.number().checked_sub(distance * self.team), value);
            self.exchange(true, (0, 0), value, |lane, value| {
                if Some(lane) == wanted {
                    found = value;
                }
            });
            found
        }

        /// The sum of the subgroup's values up to and with this invocation's.
        #[track_caller]
        #[inline(always)]
        pub fn inclusive_add(&self, value: u32) -> u32 {
            if self.is_alone() {
                return value;
            }
            let mut sum = 0u32;
            let number = self.number();
            self.exchange(true, (0, 0), if self.member == 0 { value } else { 0 }, |lane, value: u32| {
                if lane <= number {
                    sum = sum.wrapping_add(value);
                }
            });
            sum
        }

        /// The sum of the subgroup's values.
        #[track_caller]
        #[inline(always)]
        pub fn reduce_add(&self, value: u32) -> u32 {
            if self.is_alone() {
                value
            } else {
                self.reduce(if self.member == 0 { value } else { 0 }, u32::wrapping_add)
            }
        }

        /// The smallest of the subgroup's values.
        #[track_caller]
        #[inline(always)]
        pub fn reduce_min(&self, value: u32) -> u32 {
            if self.is_alone() { value } else { self.reduce(value, u32::min) }
        }

        /// The largest of the subgroup's values.
        #[track_caller]
        #[inline(always)]
        pub fn reduce_max(&self, value: u32) -> u32 {
            if self.is_alone() { value } else { self.reduce(value, u32::max) }
        }

        /// The bits that any of the subgroup's values has.
        #[track_caller]
        #[inline(always)]
        pub fn reduce_or(&self, value: u32) -> u32 {
            if self.is_alone() { value } else { self.reduce(value, |one, other| one | other) }
        }
    }

    /// What a lane gets that asks for the value of one which is not there: on a GPU it may be anything.
    const UNDEFINED: u32 = 0xdead_beef;
}
