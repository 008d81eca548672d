//! The threads of the CPU device: a team that runs one function together and can meet at a barrier inside of it.
//!
//! The threads are the device's own. They are all there whenever a function runs, which a shared pool cannot promise, so members may wait
//! for each other. Between two functions they spin for a moment, because the next dispatch is often a few microseconds away, and then sleep.

use std::{
    any::Any,
    hint,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{
            AtomicBool, AtomicPtr, AtomicUsize,
            Ordering::{AcqRel, Acquire, Relaxed, Release},
        },
    },
    thread::{self, Thread},
};

/// How often a waiting thread looks before it lets others run: about 20 microseconds. Where there are more threads than processors it lets
/// them run at once, because it may be one of them that it waits for.
const SPINS: u32 = 500;
/// How often a thread without work looks after that before it sleeps.
const YIELDS: u32 = 50;

/// A thread's place in the function that the team runs.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    /// Its number, from 0.
    pub(crate) index: usize,
    /// How many there are.
    pub(crate) count: usize,
    barrier: &'a Barrier,
}

impl Member<'_> {
    /// Waits for all members. What they wrote before is seen after.
    pub(crate) fn barrier(&self) {
        if self.count > 1 {
            self.barrier.wait(self.count);
        }
    }
}

/// A value with its cache lines to itself, so that threads which write neighbouring values do not slow each other down. Processors fetch
/// lines in pairs.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Padded<T>(pub(crate) T);

/// Where members wait for each other.
#[derive(Default)]
struct Barrier {
    /// Members that have come; 0 again when the last has.
    arrived: Padded<AtomicUsize>,
    /// Changes when all have come.
    phase: Padded<AtomicUsize>,
    /// A member has panicked and will never arrive.
    broken: AtomicBool,
    spins: u32,
}

impl Barrier {
    fn wait(&self, count: usize) {
        let phase = self.phase.0.load(Relaxed);
        if self.arrived.0.fetch_add(1, AcqRel) + 1 == count {
            self.arrived.0.store(0, Relaxed);
            self.phase.0.store(phase.wrapping_add(1), Release);
            return;
        }
        let mut looks = 0;
        while self.phase.0.load(Acquire) == phase {
            if self.broken.load(Relaxed) {
                resume_unwind(Box::new(Broken));
            }
            wait_a_little(&mut looks, self.spins);
        }
    }
}

/// The payload of those who waited for a member that panicked.
struct Broken;

fn wait_a_little(looks: &mut u32, spins: u32) {
    *looks = looks.saturating_add(1);
    if *looks < spins { hint::spin_loop() } else { thread::yield_now() }
}

/// What a team runs.
type Work<'a> = &'a (dyn Fn(Member) + Sync);

/// The threads beside the one that calls.
pub(crate) struct Team {
    shared: Arc<Shared>,
    workers: Vec<Thread>,
    asked_for: usize,
}

#[derive(Default)]
struct Shared {
    /// Changes when there is something to run.
    call: Padded<AtomicUsize>,
    /// What to run; only read after `call` has changed and before `running` is 0.
    work: AtomicPtr<Work<'static>>,
    /// Members of that, the caller included.
    count: AtomicUsize,
    /// Workers that have not ended.
    running: Padded<AtomicUsize>,
    barrier: Barrier,
    /// The first panic of the function.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// The team is gone.
    closed: AtomicBool,
}

impl Team {
    /// A team of so many threads, the caller of [`Team::run`] included.
    pub(crate) fn new(threads: usize) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let spins = if threads > processors { 0 } else { SPINS };
        let barrier = Barrier { spins, ..Barrier::default() };
        let shared = Arc::new(Shared { barrier, ..Shared::default() });
        let worker = |index| {
            let shared = shared.clone();
            thread::Builder::new().name(format!("evenkeel {index}")).spawn(move || shared.serve(index))
        };
        // With fewer threads than asked for it is slower and as right.
        let workers = (1..threads.max(1)).map_while(|index| worker(index).ok()).map(|handle| handle.thread().clone());
        Self { workers: workers.collect(), shared: shared.clone(), asked_for: threads }
    }

    /// How many threads were asked for, which may be more than the system gave.
    pub(super) fn asked_for(&self) -> usize {
        self.asked_for
    }

    /// How many threads there are, the caller's included.
    pub(crate) fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    /// Runs `work` on all threads and returns when all have ended. A panic of one ends the others at their next barrier and is passed on.
    pub(crate) fn run(&mut self, work: impl Fn(Member) + Sync) {
        let (shared, count) = (&*self.shared, self.threads());
        let work: Work = &work;
        shared.barrier.arrived.0.store(0, Relaxed);
        shared.barrier.broken.store(false, Relaxed);
        shared.count.store(count, Relaxed);
        shared.running.0.store(self.workers.len(), Relaxed);
        // The function outlives its use: this one returns after the last worker has ended.
        shared.work.store((&raw const work).cast_mut().cast(), Relaxed);
        if count > 1 {
            shared.call.0.fetch_add(1, Release);
            self.workers.iter().for_each(Thread::unpark);
        }
        shared.take_part(0, count, work);
        let mut looks = 0;
        while shared.running.0.load(Acquire) > 0 {
            wait_a_little(&mut looks, shared.barrier.spins);
        }
        let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.closed.store(true, Relaxed);
        self.shared.call.0.fetch_add(1, Release);
        self.workers.iter().for_each(Thread::unpark);
    }
}

impl Shared {
    fn serve(&self, index: usize) {
        let mut seen = 0;
        loop {
            let mut looks = 0;
            while self.call.0.load(Acquire) == seen {
                if looks < self.barrier.spins + YIELDS {
                    wait_a_little(&mut looks, self.barrier.spins);
                } else {
                    thread::park();
                }
            }
            seen = self.call.0.load(Acquire);
            if self.closed.load(Relaxed) {
                return;
            }
            // SAFETY: the caller keeps the function until `running` is 0.
            let work = unsafe { *self.work.load(Relaxed) };
            self.take_part(index, self.count.load(Relaxed), work);
            self.running.0.fetch_sub(1, AcqRel);
        }
    }

    fn take_part(&self, index: usize, count: usize, work: Work) {
        let member = Member { index, count, barrier: &self.barrier };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(member))) {
            self.barrier.broken.store(true, Relaxed);
            let mut panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            if !payload.is::<Broken>() && panic.is_none() {
                *panic = Some(payload);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_meet_at_every_barrier() {
        let mut team = Team::new(4);
        let sum = AtomicUsize::new(0);
        for _ in 0..50 {
            sum.store(0, Relaxed);
            team.run(|member| {
                for round in 1..=20 {
                    sum.fetch_add(member.index + 1, Relaxed);
                    member.barrier();
                    assert_eq!(sum.load(Relaxed), 10 * round);
                    member.barrier();
                }
            });
            assert_eq!(sum.load(Relaxed), 200);
        }
    }

    #[test]
    fn a_panic_ends_all_members_and_is_passed_on() {
        let mut team = Team::new(3);
        let run = |team: &mut Team| {
            team.run(|member| {
                if member.index == 1 {
                    resume_unwind(Box::new("no"));
                }
                member.barrier();
            });
        };
        for _ in 0..3 {
            let payload = catch_unwind(AssertUnwindSafe(|| run(&mut team))).unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"no"));
        }
        let ran = AtomicUsize::new(0);
        team.run(|member| {
            member.barrier();
            ran.fetch_add(1, Relaxed);
        });
        assert_eq!(ran.load(Relaxed), 3);
    }
}
