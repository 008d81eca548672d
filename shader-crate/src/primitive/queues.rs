//! Queues that workgroups take numbers from, with work stealing (after Tsigas and Cederman; Che et al.). A workgroup pops at the tail of
//! its own queue and steals at the heads of others. A queue is one word, which holds how many of its numbers have been stolen and popped and
//! is updated by compare-and-swap: a failed swap means that another workgroup has taken a number, so the queues are lock-free. A word of 0
//! is a full queue, and the last workgroup of a dispatch leaves it so.

use crate::prelude::*;

/// Stands for an absent number or queue.
pub const NOTHING: u32 = u32::MAX;

/// The most numbers in a queue: half a word counts what has been taken at an end.
pub const MOST_IN_A_QUEUE: u32 = (1 << 16) - 1;

// The words of workgroup memory.
const TAKEN: u32 = 0;
const VICTIM: u32 = 1;

const STOLEN: u32 = 16;
const POPPED: u32 = (1 << STOLEN) - 1;

/// The numbers 0..`numbers`, divided evenly among queues.
#[derive(Clone, Copy)]
pub struct Queues {
    /// How many numbers there are, at most [`MOST_IN_A_QUEUE`] for each queue.
    pub numbers: u32,
    /// The number of queues. Word `queues` of the words in device memory counts workgroups that have ended.
    pub queues: u32,
}

/// What a workgroup has taken.
#[derive(Clone, Copy)]
pub struct Taken {
    /// The number, or [`NOTHING`].
    pub number: u32,
    /// Whether it was stolen.
    pub is_stolen: bool,
}

#[inline_all]
impl Queues {
    fn first(&self, queue: u32) -> u32 {
        queue * (self.numbers / self.queues) + queue.min(self.numbers % self.queues)
    }

    fn is_empty(&self, queue: u32, word: u32) -> bool {
        (word >> STOLEN) + (word & POPPED) >= self.first(queue + 1) - self.first(queue)
    }

    /// Takes a number from a queue: at the head for a thief, at the tail for an owner.
    fn take(&self, words: &mut Global<u32>, queue: u32, as_thief: bool) -> u32 {
        let mut number = NOTHING;
        let mut seen = words.load(queue);
        while number == NOTHING && !self.is_empty(queue, seen) {
            let (after, candidate) = if as_thief {
                (seen + (1 << STOLEN), self.first(queue) + (seen >> STOLEN))
            } else {
                (seen + 1, self.first(queue + 1) - 1 - (seen & POPPED))
            };
            let found = words.compare_exchange(queue, seen, after);
            if found == seen {
                number = candidate;
            }
            seen = found;
        }
        number
    }

    /// Takes a number for the whole workgroup, which calls it together.
    fn take_together<const N: usize>(
        &self,
        lane: Lane,
        words: &mut Global<u32>,
        shared: &mut Shared<u32, N>,
        queue: u32,
        as_thief: bool,
    ) -> u32 {
        if is_first(lane) {
            shared.set(TAKEN, self.take(words, queue, as_thief));
            shared.set(VICTIM, NOTHING);
        }
        lane.barrier();
        let number = shared.get(TAKEN);
        lane.barrier();
        number
    }

    /// The distance, in queues, from `own` to the nearest one that is not empty. The whole workgroup calls it together.
    fn find_victim<const N: usize>(
        &self,
        lane: Lane,
        words: &Global<u32>,
        shared: &mut Shared<u32, N>,
        own: u32,
    ) -> u32 {
        for distance in step(1 + lane.local, self.queues, lane.threads) {
            let queue = (own + distance) % self.queues;
            if !self.is_empty(queue, words.load(queue)) {
                shared.min(VICTIM, distance);
            }
        }
        lane.barrier();
        let victim = shared.get(VICTIM);
        lane.barrier();
        victim
    }

    /// What the workgroup takes next, from its own queue or, if it steals, from others: nothing when these are empty. The whole workgroup
    /// calls it together; two words of `shared` are free again afterwards.
    pub fn next<const N: usize>(
        &self,
        lane: Lane,
        words: &mut Global<u32>,
        shared: &mut Shared<u32, N>,
        steals: bool,
    ) -> Taken {
        let own = lane.group % self.queues;
        let mut number = self.take_together(lane, words, shared, own, false);
        let is_stolen = number == NOTHING;
        let mut others = is_stolen && steals;
        while others {
            let victim = self.find_victim(lane, words, shared, own);
            if victim == NOTHING {
                others = false;
            } else {
                number = self.take_together(lane, words, shared, (own + victim) % self.queues, true);
                others = number == NOTHING;
            }
        }
        Taken { number, is_stolen }
    }

    /// Makes the queues full again for the next dispatch when every workgroup has ended. The whole workgroup calls it last.
    pub fn end<const N: usize>(&self, lane: Lane, words: &mut Global<u32>, shared: &mut Shared<u32, N>) {
        refill(lane, words, shared, self.queues);
    }
}

/// A number that no workgroup has taken before, from the counter in word 0; past the last one there is no end. The whole workgroup calls it
/// together; a word of `shared` is free again afterwards. The dispatch ends with [`refill`] of one word.
#[inline(always)]
pub fn count_up<const N: usize>(lane: Lane, words: &mut Global<u32>, shared: &mut Shared<u32, N>) -> u32 {
    if is_first(lane) {
        shared.set(TAKEN, words.add(0, 1));
    }
    lane.barrier();
    let number = shared.get(TAKEN);
    lane.barrier();
    number
}

/// Clears `count` words, and the one behind them, when every workgroup of the dispatch has called it. The whole workgroup calls it together.
#[inline(always)]
pub fn refill<const N: usize>(lane: Lane, words: &mut Global<u32>, shared: &mut Shared<u32, N>, count: u32) {
    if is_first(lane) {
        shared.set(TAKEN, words.add_ordered(count, 1) + 1);
    }
    lane.barrier();
    if shared.get(TAKEN) == lane.groups {
        for word in lane.group_stride(count + 1) {
            words.store(word, 0);
        }
    }
    lane.barrier();
}

/// Whether this is the invocation that acts for its workgroup.
#[inline(always)]
fn is_first(lane: Lane) -> bool {
    lane.local == 0 && lane.member == 0
}
