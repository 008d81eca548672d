//! One workgroup on one thread.
//!
//! A kernel without workgroup arrays has nothing to wait for: its invocations are a loop. If it works with any width, there is one, and it
//! takes the items of all, neighbours one after the other, as a CPU likes them; only where atoms are counted is it as wide as on a GPU, to
//! count for each invocation. A kernel with workgroup arrays runs each invocation as a fibre. At a barrier a fibre suspends; when all have,
//! they are resumed one after the other. A fibre that ends hands its stack to the next, and stacks are kept by their thread, so that a
//! workgroup costs no allocation.

use corosensei::{Coroutine, CoroutineResult, Yielder, stack::DefaultStack};
use evenkeel_kernels::{
    balance,
    lane::{Call, Lane, Place, Workgroup},
    launch::{Arguments, Kernel},
};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicU32, Ordering::AcqRel},
};

/// Address space for an invocation's stack; memory is used only as far as it is touched, which is a page or two. The rest is
/// for a debug build's deep frames, and for reporting a panic with a backtrace.
const STACK_BYTES: usize = 256 << 10;

/// Why a kernel went wrong, without the name of the kernel.
pub type Reason = String;

/// What a thread keeps from one workgroup to the next.
#[derive(Default)]
pub struct WorkgroupMemory {
    shared: Vec<u128>,
    stacks: Vec<DefaultStack>,
    waiting: Vec<Fibre>,
}

type Fibre = Coroutine<(), (), (), DefaultStack>;

impl WorkgroupMemory {
    /// Memory for all workgroup arrays of `kernel`, each aligned to 16. Where debugging is worth more than speed it holds
    /// what no kernel expects: a GPU does not clear it either.
    pub fn shared(&mut self, kernel: &Kernel) -> *mut u8 {
        let blocks = kernel.shared_bytes.iter().map(|bytes| bytes.div_ceil(size_of::<u128>())).sum();
        if self.shared.len() < blocks {
            self.shared.resize(blocks, 0);
        }
        if cfg!(debug_assertions) {
            self.shared.fill(u128::from_ne_bytes([0xa5; 16]));
        }
        self.shared.as_mut_ptr().cast()
    }
}

/// A workgroup that runs.
pub struct Group<'a> {
    /// What it runs.
    pub kernel: &'static Kernel,
    /// Its parameters, buffers and workgroup arrays.
    pub arguments: &'a Arguments<'a>,
    /// Its number.
    pub group: u32,
    /// How many workgroups the dispatch has.
    pub groups: u32,
    /// How many invocations it has.
    pub threads: u32,
    /// Workgroups of the dispatch whose invocations have all called [`Lane::last`].
    pub tickets: &'a AtomicU32,
    /// Where its invocations' atoms are counted, if they are.
    pub counts: Option<Counts>,
}

/// How many atoms each invocation of a workgroup has taken.
pub struct Counts(RefCell<Vec<u64>>);

impl Counts {
    /// Makes room for the counts of so many invocations.
    pub fn new(threads: u32) -> Self {
        Self(RefCell::new(vec![0; threads as usize]))
    }

    /// Runs a part of invocation `local`. A thread runs one invocation at a time, so what it counts meanwhile belongs to that one.
    fn note<R>(&self, local: usize, work: impl FnOnce() -> R) -> R {
        let before = balance::atoms();
        let result = work();
        self.0.borrow_mut()[local] += balance::atoms() - before;
        result
    }

    /// The number of each invocation.
    pub fn into_shares(self) -> Vec<u64> {
        self.0.into_inner()
    }
}

impl Group<'_> {
    /// Runs all invocations to their end.
    ///
    /// # Errors
    /// The reason, when an invocation panics or the others do not come to a barrier where some wait.
    pub fn run(&self, memory: &mut WorkgroupMemory) -> Result<(), Reason> {
        let arrived = Cell::new(0);
        if self.kernel.shared_bytes.is_empty() {
            caught(|| {
                let alone = Alone { group: self, arrived: &arrived };
                let invocation = self.invocation();
                let run = |local| invocation(self.arguments, self.lane(local, &alone));
                match &self.counts {
                    None => (0..self.threads).for_each(run),
                    Some(counts) => {
                        (0..self.threads).for_each(|local| counts.note(local as usize, || run(local)));
                    }
                }
                Ok(())
            })?;
        } else {
            let ended = caught(|| self.run_fibres(&arrived, memory));
            if ended.is_err() {
                // What still waits will not be resumed; its stacks are unwound and given up.
                memory.waiting.clear();
            }
            ended?;
        }
        match arrived.get() {
            0 => Ok(()),
            all if all == self.threads => Ok(()),
            some => Err(format!("{some} of {} invocations called `last`, which takes all or none", self.threads)),
        }
    }

    fn run_fibres(&self, arrived: &Cell<u32>, memory: &mut WorkgroupMemory) -> Result<(), Reason> {
        let WorkgroupMemory { stacks, waiting, .. } = memory;
        for local in 0..self.threads {
            let stack = stacks.pop().map_or_else(new_stack, Ok)?;
            let mut fibre = self.fibre(stack, local, arrived);
            match self.resume(local as usize, &mut fibre) {
                CoroutineResult::Return(()) => stacks.push(fibre.into_stack()),
                CoroutineResult::Yield(()) => waiting.push(fibre),
            }
        }
        while !waiting.is_empty() {
            self.check_barrier(waiting.len())?;
            // In place: a fibre that waits again keeps its position. All wait here, so a position is an invocation's number.
            let mut still = 0;
            for position in 0..waiting.len() {
                if self.resume(position, &mut waiting[position]).as_yield().is_some() {
                    waiting.swap(still, position);
                    still += 1;
                }
            }
            stacks.extend(waiting.drain(still..).map(Fibre::into_stack));
        }
        Ok(())
    }

    /// Runs invocation `local` until it waits or ends.
    fn resume(&self, local: usize, fibre: &mut Fibre) -> CoroutineResult<(), ()> {
        match &self.counts {
            None => fibre.resume(()),
            Some(counts) => counts.note(local, || fibre.resume(())),
        }
    }

    /// The kernel's function, the one that counts where that is asked for.
    fn invocation(&self) -> fn(&Arguments, Lane) {
        match &self.counts {
            None => self.kernel.invocation,
            Some(_) => self.kernel.counted.unwrap_or(self.kernel.invocation),
        }
    }

    fn check_barrier(&self, waiting: usize) -> Result<(), Reason> {
        let all = self.threads as usize;
        if waiting == all {
            return Ok(());
        }
        Err(format!("{waiting} of {all} invocations wait at a barrier, but {} have ended", all - waiting))
    }

    fn fibre<'f>(&'f self, stack: DefaultStack, local: u32, arrived: &'f Cell<u32>) -> Fibre {
        let invocation = move |yielder: &Yielder<(), ()>, ()| {
            let together = Together { group: self, arrived, yielder };
            self.invocation()(self.arguments, self.lane(local, &together));
        };
        // SAFETY: what the fibre borrows, the group and the count, outlives it: `run` ends with no fibre left.
        unsafe { Coroutine::with_stack_unchecked(stack, invocation) }
    }

    fn lane(&self, local: u32, workgroup: &dyn Workgroup) -> Lane {
        // SAFETY: an invocation has no way to keep its lane after its end.
        unsafe { Lane::new((local, self.threads), (self.group, self.groups), 1, workgroup) }
    }

    /// See [`Lane::last`]: of a workgroup the last to arrive takes a ticket, and the last ticket is the end.
    fn last(&self, arrived: &Cell<u32>) -> bool {
        arrived.set(arrived.get() + 1);
        arrived.get() == self.threads && self.tickets.fetch_add(1, AcqRel) + 1 == self.groups
    }
}

/// An invocation in a loop.
struct Alone<'a> {
    group: &'a Group<'a>,
    arrived: &'a Cell<u32>,
}

impl Workgroup for Alone<'_> {
    fn barrier(&self, _: Place) {
        // A loop cannot wait for invocations it has not begun.
        stop(
            "it waits at a barrier but has no workgroup array (Shared<T, N>) whose accesses a barrier would order"
                .into(),
        )
    }

    fn last(&self, _: Place) -> bool {
        self.group.last(self.arrived)
    }

    fn exchange(&self, call: Call, _: &[u8], _: &mut dyn FnMut(u32, &[u8])) {
        no_exchange(call)
    }

    fn pause(&self) {}
}

/// An invocation on a fibre.
struct Together<'a> {
    group: &'a Group<'a>,
    arrived: &'a Cell<u32>,
    yielder: &'a Yielder<(), ()>,
}

impl Workgroup for Together<'_> {
    fn barrier(&self, _: Place) {
        self.yielder.suspend(());
    }

    fn last(&self, _: Place) -> bool {
        self.group.last(self.arrived)
    }

    fn exchange(&self, call: Call, _: &[u8], _: &mut dyn FnMut(u32, &[u8])) {
        no_exchange(call)
    }

    fn pause(&self) {}
}

/// A subgroup of one invocation has nothing to hand over, and does not try to.
fn no_exchange(call: Call) -> ! {
    stop(format!("an invocation that is alone in its subgroup hands over a value at {}", call.place))
}

pub(super) fn new_stack() -> Result<DefaultStack, Reason> {
    DefaultStack::new(STACK_BYTES).map_err(|error| format!("the system gives no stack for a fibre: {error}"))
}

/// Ends the invocation with a reason, past the panic hook: it is no panic of the program.
pub(super) fn stop(reason: Reason) -> ! {
    resume_unwind(Box::new(reason))
}

/// Runs `work`; a panic in a kernel, such as an access out of bounds in a debug build, becomes a reason.
pub fn caught(work: impl FnOnce() -> Result<(), Reason>) -> Result<(), Reason> {
    // Unwinding leaves buffers as they are at that moment, like a GPU that stops; all else here is cleared by the caller.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(text(&*payload)))
}

fn text(payload: &(dyn Any + Send)) -> Reason {
    match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
        (Some(text), _) => text.clone(),
        (_, Some(text)) => (*text).to_owned(),
        _ => "it panicked".to_owned(),
    }
}
