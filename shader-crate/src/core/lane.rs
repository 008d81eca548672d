//! Who this invocation is, and how it waits for and talks to its neighbours.
//!
//! A subgroup is as wide as the device makes it: 8 on lavapipe, 32 on NVIDIA, 64 on some AMD, 1 on the CPU device. Nothing here
//! or above assumes a width.

/// What invocations of a subgroup can hand to each other.
#[cfg(not(target_arch = "spirv"))]
pub use crate::memory::Element as Shuffle;
#[cfg(not(target_arch = "spirv"))]
pub use native::Workgroup;
/// What invocations of a subgroup can hand to each other.
#[cfg(target_arch = "spirv")]
pub use spirv_std::ScalarComposite as Shuffle;

use crate::ranges::{Step, step};

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
    use crate::memory::Global;
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
        pub fn meet(&self, words: &mut Global<u32>, word: u32, target: u32) {
            memory_barrier::<EVERYONE, BUFFER_MEMORY>();
            self.barrier();
            if self.local == 0 {
                words.add_ordered(word, 1);
                while words.load(word) < target {}
            }
            self.barrier();
            memory_barrier::<EVERYONE, BUFFER_MEMORY>();
        }

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
    use crate::memory::Global;

    /// What the CPU device lends an invocation: its workgroup.
    pub trait Workgroup {
        /// Returns when every invocation of the workgroup has called it.
        fn barrier(&self);
        /// True for the last invocation of the dispatch to call it.
        fn last(&self) -> bool;
    }

    impl Lane {
        /// Invocation number `local` of a workgroup of `threads`, which is number `group` of `groups`. Each is a subgroup by itself.
        ///
        /// # Safety
        /// `workgroup` outlives every use of the lane.
        pub unsafe fn new(local: u32, threads: u32, group: u32, groups: u32, workgroup: &dyn Workgroup) -> Self {
            // SAFETY: only the lifetime changes, for which the caller vouches.
            let workgroup = unsafe {
                ::core::mem::transmute::<*const (dyn Workgroup + '_), *const (dyn Workgroup + 'static)>(workgroup)
            };
            Self {
                local,
                group,
                groups,
                threads,
                subgroup: local,
                subgroups: threads,
                subgroup_lane: 0,
                subgroup_size: 1,
                team: 1,
                member: 0,
                workgroup,
            }
        }

        fn workgroup(&self) -> &dyn Workgroup {
            // SAFETY: the device keeps the workgroup for as long as its invocations run.
            unsafe { &*self.workgroup }
        }

        /// Waits for the whole workgroup; what its invocations wrote to workgroup memory before is seen after.
        pub fn barrier(&self) {
            self.workgroup().barrier();
        }

        /// The same of what they wrote to buffers by atomics.
        pub fn barrier_with_buffers(&self) {
            self.barrier();
        }

        /// Ends the dispatch: every invocation calls it once, and it is true for a single one, after all the others are done
        /// with their atomics. `words[ticket]` counts the workgroups on a GPU; it is 0 before and after.
        pub fn last(&self, _words: &mut Global<u32>, _ticket: u32) -> bool {
            self.workgroup().last()
        }

        /// Adds 1 to `words[word]` for the workgroup and waits until it is `target`: until as many workgroups have come here. What
        /// they wrote by atomics before is seen after. Only for workgroups that are known to run; on a CPU there is but one.
        pub fn meet(&self, words: &mut Global<u32>, word: u32, _target: u32) {
            self.barrier();
            if self.local == 0 {
                words.add(word, 1);
            }
        }

        /// Reserves `count` places behind `words[counter]`, and returns the first. One atomic for the whole subgroup.
        pub fn append(&self, words: &mut Global<u32>, counter: u32, count: u32) -> u32 {
            words.add(counter, count)
        }

        /// The same behind two counters, whose atomics are on their way together.
        pub fn append_both(&self, words: &mut Global<u32>, counters: (u32, u32), counts: (u32, u32)) -> (u32, u32) {
            (self.append(words, counters.0, counts.0), self.append(words, counters.1, counts.1))
        }

        /// [`Lane::append`] of one place by each invocation that is here.
        pub fn append_one(&self, words: &mut Global<u32>, counter: u32) -> u32 {
            words.add(counter, 1)
        }

        /// How many invocations of the subgroup are here with `present` true.
        pub fn count(&self, present: bool) -> u32 {
            u32::from(present)
        }

        /// A bit for each of the first 32 invocations of the subgroup, set where `present` is true.
        pub fn bits(&self, present: bool) -> u32 {
            u32::from(present)
        }

        /// The value that another lane of the subgroup has. All lanes of the subgroup call it together.
        #[inline(always)]
        pub fn of(&self, _lane: u32, value: u32) -> u32 {
            value
        }

        /// The value of the invocation `distance` before this one in the subgroup; undefined where there is none.
        pub fn shuffle_up<V: Shuffle>(&self, value: V, _distance: u32) -> V {
            value
        }

        /// The sum of the subgroup's values up to and with this invocation's.
        pub fn inclusive_add(&self, value: u32) -> u32 {
            value
        }

        /// The sum of the subgroup's values.
        pub fn reduce_add(&self, value: u32) -> u32 {
            value
        }

        /// The smallest of the subgroup's values.
        pub fn reduce_min(&self, value: u32) -> u32 {
            value
        }

        /// The largest of the subgroup's values.
        pub fn reduce_max(&self, value: u32) -> u32 {
            value
        }

        /// The bits that any of the subgroup's values has.
        pub fn reduce_or(&self, value: u32) -> u32 {
            value
        }
    }
}
