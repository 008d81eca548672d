//! A dispatch as a GPU runs it: subgroups of any width, several workgroups under way at a time, and an order that is drawn at random.
//!
//! Each invocation is a fibre. The one that runs next is drawn from those that can, so that no order between invocations is there by
//! chance that the kernel does not ask for. In a build with debug assertions, and where the setting `accesses` asks for it, the drawing goes
//! on within an invocation: before an access to memory that others share, it may have to let others go first. All of it runs on one thread and
//! follows from the seed, so what is seen once is seen again.
//!
//! Calls of a subgroup wait until no invocation of it can go on by itself. Those that stand at the same call then make it together. A
//! call that takes the whole subgroup and is not made by all of it is an error that names the places, as is a barrier that a part of a
//! workgroup does not come to: on a GPU both are undefined.

use super::group::{Reason, caught, new_stack, stop};
use corosensei::{Coroutine, CoroutineResult, Yielder, stack::DefaultStack};
use evenkeel_kernels::{
    lane::{Call, Lane, Place, Workgroup, call_between_accesses},
    launch::{Arguments, BufferMemory, Kernel},
};
use fastrand::Rng;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::Range,
    ptr,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// The most workgroups that are under way at a time: a fibre takes two mappings of the system's, of which a process has 65,530.
const MOST_RESIDENT: u32 = 16;

/// The GPU that is emulated.
#[derive(Debug)]
pub struct Emulation {
    /// Invocations of a subgroup.
    pub subgroup: u32,
    /// Workgroups that are under way at a time; the others begin when one of these has ended.
    resident: u32,
    seed: u64,
    /// How many accesses to shared memory there are for one that lets others go first; none does where this is 0.
    accesses: u32,
    /// Dispatches so far: each has an order of its own.
    dispatches: AtomicU64,
}

impl Emulation {
    /// Reads `subgroup=64,resident=4,seed=1,accesses=8`, of which all but the width may be left out.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let mut settings = BTreeMap::from([("subgroup", 0), ("resident", 4), ("seed", 0), ("accesses", 0)]);
        for setting in text.split(',') {
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            let number = value.parse::<u64>();
            match (settings.get_mut(name.trim()), number) {
                (Some(place), Ok(number)) => *place = number,
                (Some(_), Err(_)) => return Err(format!("'{value}' is no number for {name}")),
                (None, _) => return Err(format!("'{name}' is none of subgroup, resident, seed and accesses")),
            }
        }
        let (subgroup, resident, seed) = (settings["subgroup"], settings["resident"], settings["seed"]);
        if !(2..=128).contains(&subgroup) || !subgroup.is_power_of_two() {
            return Err("subgroup takes 2, 4, 8, 16, 32, 64 or 128".to_owned());
        }
        if !(1..=u64::from(MOST_RESIDENT)).contains(&resident) {
            return Err(format!("resident takes 1 to {MOST_RESIDENT}"));
        }
        let accesses = u32::try_from(settings["accesses"]).map_err(|_| "accesses is too large".to_owned())?;
        if accesses > 0 && !cfg!(debug_assertions) {
            return Err("accesses takes a build with debug assertions, such as cargo's dev profile".to_owned());
        }
        let (subgroup, resident) = (subgroup as u32, resident as u32);
        Ok(Self { subgroup, resident, seed, accesses, dispatches: AtomicU64::new(0) })
    }

    /// Runs all workgroups of a dispatch to their end.
    ///
    /// # Errors
    /// The reason, when an invocation panics or the invocations wait for each other for ever.
    ///
    /// # Safety
    /// The parameters and buffers are those that the kernel declares, and nothing else writes to the buffers meanwhile.
    pub unsafe fn run(
        &self,
        kernel: &'static Kernel,
        params: &[u8],
        buffers: &[BufferMemory],
        groups: u32,
    ) -> Result<(), Reason> {
        let number = self.dispatches.fetch_add(1, Relaxed);
        let dispatch = Dispatch { kernel, params, buffers, groups, width: self.subgroup, tickets: Cell::new(0) };
        caught(|| {
            let _hook = (self.accesses > 0).then(|| Hook::set(self.seed ^ number, self.accesses));
            let order = Rng::with_seed(self.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            let stacks = STACKS.take();
            let (running, ready) = (Vec::new(), Vec::new());
            Scheduler { dispatch: &dispatch, order, running, under_way: 0, ready, stacks }.run(self.resident)
        })
    }
}

/// What all workgroups have in common.
struct Dispatch<'a> {
    kernel: &'static Kernel,
    params: &'a [u8],
    buffers: &'a [BufferMemory],
    groups: u32,
    /// Invocations of a subgroup.
    width: u32,
    /// Workgroups that have called `last`.
    tickets: Cell<u32>,
}

/// Why an invocation suspends itself.
#[derive(Clone, Copy)]
enum Wait {
    /// For nothing: others may go first.
    Pause,
    Barrier(Place),
    Call(Call),
}

/// Where an invocation is.
#[derive(Clone, Copy)]
enum At {
    /// It runs when it is drawn.
    Ready,
    Barrier(Place),
    Call(Call),
    End,
}

type Fibre = Coroutine<(), Wait, (), DefaultStack>;

/// The largest value that invocations hand to each other.
type Value = [u8; 16];

/// What the invocations of a workgroup and the scheduler hand to each other.
struct Mailboxes {
    /// What each invocation sends.
    sent: Vec<Cell<Value>>,
    /// For each subgroup the values of its last call, with the number in the subgroup of the invocation that has sent each. It makes no other
    /// before all have read them.
    received: Vec<RefCell<Vec<(u32, Value)>>>,
}

struct Invocation {
    fibre: Option<Fibre>,
    at: At,
}

/// A workgroup that is under way.
struct Group {
    invocations: Vec<Invocation>,
    mailboxes: Rc<Mailboxes>,
    /// How many of each subgroup can go on by themselves.
    ready: Vec<u32>,
    /// Those at the barrier, and those that have ended.
    at_barrier: usize,
    ended: usize,
    /// Memory for its arrays, which its fibres point into.
    _shared: Box<[u128]>,
}

struct Scheduler<'a> {
    dispatch: &'a Dispatch<'a>,
    order: Rng,
    /// Workgroups under way; a place is free when its workgroup has ended.
    running: Vec<Option<Group>>,
    /// How many of these places are taken.
    under_way: u32,
    /// Invocations that can run: the place of their workgroup, and their number in it.
    ready: Vec<(usize, u32)>,
    stacks: Vec<DefaultStack>,
}

impl Scheduler<'_> {
    fn run(mut self, resident: u32) -> Result<(), Reason> {
        let mut next = 0;
        loop {
            while next < self.dispatch.groups && self.under_way < resident {
                self.begin(next)?;
                next += 1;
            }
            if self.ready.is_empty() {
                // For the next dispatch: making them takes longer than running most invocations.
                STACKS.replace(self.stacks);
                break;
            }
            let drawn = self.order.usize(..self.ready.len());
            let (place, local) = self.ready.swap_remove(drawn);
            self.resume(place, local)?;
        }
        match self.running.iter().flatten().next() {
            None => Ok(()),
            Some(group) => Err(group.missed_barrier()),
        }
    }

    /// Begins a workgroup.
    fn begin(&mut self, number: u32) -> Result<(), Reason> {
        let kernel = self.dispatch.kernel;
        let blocks = kernel.shared_bytes.iter().map(|bytes| bytes.div_ceil(size_of::<u128>())).sum();
        // What no kernel expects: a GPU does not clear it either.
        let mut shared = vec![u128::from_ne_bytes([0xa5; 16]); blocks].into_boxed_slice();
        let memory = shared.as_mut_ptr().cast();
        let ready: Vec<u32> = self.dispatch.subgroups().map(|members| members.len() as u32).collect();
        let mailboxes = Rc::new(Mailboxes {
            sent: vec![Cell::default(); kernel.threads as usize],
            received: ready.iter().map(|_| RefCell::default()).collect(),
        });
        let mut invocations = Vec::with_capacity(kernel.threads as usize);
        for local in 0..kernel.threads {
            let stack = self.stacks.pop().map_or_else(new_stack, Ok)?;
            let fibre = self.dispatch.fibre(stack, (number, local), memory, mailboxes.clone());
            invocations.push(Invocation { fibre: Some(fibre), at: At::Ready });
        }
        let group = Some(Group { invocations, mailboxes, ready, at_barrier: 0, ended: 0, _shared: shared });
        let place = match self.running.iter().position(Option::is_none) {
            Some(free) => free,
            None => {
                self.running.push(None);
                self.running.len() - 1
            }
        };
        self.running[place] = group;
        self.under_way += 1;
        self.ready.extend((0..kernel.threads).map(|local| (place, local)));
        Ok(())
    }

    /// Runs an invocation until it waits or ends, and lets those go on that waited for that.
    fn resume(&mut self, place: usize, local: u32) -> Result<(), Reason> {
        let Some(group) = &mut self.running[place] else { return Ok(()) };
        let invocation = &mut group.invocations[local as usize];
        let Some(fibre) = &mut invocation.fibre else { return Ok(()) };
        let result = fibre.resume(());
        invocation.at = match result {
            CoroutineResult::Yield(Wait::Pause) => {
                self.ready.push((place, local));
                return Ok(());
            }
            CoroutineResult::Yield(Wait::Barrier(at)) => {
                group.at_barrier += 1;
                At::Barrier(at)
            }
            CoroutineResult::Yield(Wait::Call(call)) => At::Call(call),
            CoroutineResult::Return(()) => {
                group.ended += 1;
                self.stacks.extend(invocation.fibre.take().map(Fibre::into_stack));
                At::End
            }
        };
        let (all, subgroup) = (group.invocations.len(), local / self.dispatch.width);
        group.ready[subgroup as usize] -= 1;
        if group.ended == all {
            self.running[place] = None;
            self.under_way -= 1;
        } else if group.at_barrier == all {
            group.at_barrier = 0;
            for (ready, members) in group.ready.iter_mut().zip(self.dispatch.subgroups()) {
                *ready = members.len() as u32;
            }
            for (local, invocation) in group.invocations.iter_mut().enumerate() {
                invocation.at = At::Ready;
                self.ready.push((place, local as u32));
            }
        } else if group.ready[subgroup as usize] == 0 {
            self.make_call(place, subgroup)?;
        }
        Ok(())
    }

    /// Makes a call of a subgroup of which none can go on by itself.
    fn make_call(&mut self, place: usize, subgroup: u32) -> Result<(), Reason> {
        let Some(group) = &mut self.running[place] else { return Ok(()) };
        let members = self.dispatch.members(subgroup);
        let at = |local: u32| group.invocations[local as usize].at;
        // Those that a part of the subgroup may make come first: the others may be behind them.
        let calls = members.clone().filter_map(|local| if let At::Call(call) = at(local) { Some(call) } else { None });
        let Some(call) = calls.min_by_key(|call| call.by_all) else { return Ok(()) };
        let mut received = group.mailboxes.received[subgroup as usize].borrow_mut();
        received.clear();
        for local in members.clone() {
            if matches!(at(local), At::Call(other) if other == call) {
                received.push((local - members.start, group.mailboxes.sent[local as usize].get()));
            }
        }
        if call.by_all && received.len() < members.len() {
            return Err(group.missed_call(call, received.len(), members));
        }
        for (lane, _) in received.iter() {
            let local = members.start + lane;
            group.invocations[local as usize].at = At::Ready;
            self.ready.push((place, local));
        }
        group.ready[subgroup as usize] = received.len() as u32;
        Ok(())
    }
}

impl Group {
    /// Nothing can go on, because some have not come to a barrier.
    fn missed_barrier(&self) -> Reason {
        let places = self.invocations.iter().filter_map(|invocation| match invocation.at {
            At::Barrier(place) => Some(place.to_string()),
            _ => None,
        });
        let (waiting, all) = (self.at_barrier, self.invocations.len());
        let place = places.min().unwrap_or_default();
        format!("{waiting} of {all} invocations wait at a barrier ({place}), but {} have ended", self.ended)
    }

    /// A call that takes all of a subgroup is made by some.
    fn missed_call(&self, call: Call, makers: usize, members: Range<u32>) -> Reason {
        let other = |local: u32| match self.invocations[local as usize].at {
            At::Call(other) if other != call => Some(format!("another is at {}", other.place)),
            At::Barrier(place) => Some(format!("another waits at the barrier {place}")),
            At::End => Some("another has ended".to_owned()),
            _ => None,
        };
        let (all, place) = (members.len(), call.place);
        let other = members.clone().find_map(other).unwrap_or_default();
        format!(
            "{makers} of the {all} invocations of a subgroup make the call at {place}, which takes all of them; {other}"
        )
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What waits will not be resumed. Unwinding it would run the kernel's own destructors, of which there are none.
        for fibre in self.invocations.iter_mut().filter_map(|invocation| invocation.fibre.as_mut()) {
            if fibre.started() && !fibre.done() {
                // SAFETY: nothing on its stack needs to be dropped but its hold of the mailboxes, which are counted.
                unsafe { fibre.force_reset() };
            }
        }
    }
}

impl Dispatch<'_> {
    /// The numbers that the invocations of a subgroup have in the workgroup.
    fn members(&self, subgroup: u32) -> Range<u32> {
        let first = subgroup * self.width;
        first..(first + self.width).min(self.kernel.threads)
    }

    fn subgroups(&self) -> impl Iterator<Item = Range<u32>> {
        (0..self.kernel.threads.div_ceil(self.width)).map(|subgroup| self.members(subgroup))
    }

    fn fibre(
        &self,
        stack: DefaultStack,
        (group, local): (u32, u32),
        shared: *mut u8,
        mailboxes: Rc<Mailboxes>,
    ) -> Fibre {
        let invocation = move |yielder: &Yielder<(), Wait>, ()| {
            let together = Together { dispatch: self, yielder, mailboxes: &mailboxes, local };
            // SAFETY: whoever called `run` has promised that these are what the kernel declares.
            let arguments = unsafe { Arguments::new(self.params, self.buffers, shared) };
            // SAFETY: an invocation has no way to keep its lane after its end.
            let lane = unsafe { Lane::new((local, self.kernel.threads), (group, self.groups), self.width, &together) };
            together.becomes_current();
            (self.kernel.invocation)(&arguments, lane);
        };
        // SAFETY: what the fibre borrows, the dispatch and the memory of its workgroup, outlives it.
        unsafe { Coroutine::with_stack_unchecked(stack, invocation) }
    }
}

/// An invocation among those of its workgroup.
struct Together<'a> {
    dispatch: &'a Dispatch<'a>,
    yielder: &'a Yielder<(), Wait>,
    mailboxes: &'a Mailboxes,
    local: u32,
}

impl Together<'_> {
    fn suspend(&self, wait: Wait) {
        self.yielder.suspend(wait);
        self.becomes_current();
    }

    fn becomes_current(&self) {
        CURRENT.set(ptr::from_ref(self.yielder));
    }
}

impl Workgroup for Together<'_> {
    fn barrier(&self, place: Place) {
        self.suspend(Wait::Barrier(place));
    }

    fn last(&self, place: Place) -> bool {
        self.barrier(place);
        if self.local != 0 {
            return false;
        }
        let tickets = &self.dispatch.tickets;
        tickets.set(tickets.get() + 1);
        tickets.get() == self.dispatch.groups
    }

    fn exchange(&self, call: Call, value: &[u8], take: &mut dyn FnMut(u32, &[u8])) {
        let mut sent = Value::default();
        match sent.get_mut(..value.len()) {
            Some(place) => place.copy_from_slice(value),
            None => stop(format!("a value of {} bytes is handed over at {}", value.len(), call.place)),
        }
        self.mailboxes.sent[self.local as usize].set(sent);
        self.suspend(Wait::Call(call));
        let subgroup = self.local / self.dispatch.width;
        for (lane, other) in self.mailboxes.received[subgroup as usize].borrow().iter() {
            take(*lane, &other[..value.len()]);
        }
    }

    fn pause(&self) {
        self.suspend(Wait::Pause);
    }
}

thread_local! {
    /// Stacks that are free between dispatches.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    /// What the running invocation suspends itself by.
    static CURRENT: Cell<*const Yielder<(), Wait>> = const { Cell::new(ptr::null()) };
    /// Draws the accesses before which others go first, one of so many.
    static DRAWS: RefCell<(Rng, u32)> = const { RefCell::new((Rng::with_seed(0), 1)) };
}

/// While it is there, accesses to shared memory let others go first.
struct Hook;

impl Hook {
    fn set(seed: u64, accesses: u32) -> Self {
        DRAWS.replace((Rng::with_seed(seed), accesses));
        call_between_accesses(Some(let_others_first));
        Self
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        call_between_accesses(None);
    }
}

/// Suspends the running invocation before one of some accesses.
fn let_others_first() {
    if DRAWS.with_borrow_mut(|(draws, accesses)| draws.u32(..*accesses) == 0) {
        let yielder = CURRENT.get();
        // SAFETY: the hook is called by a kernel alone, whose invocation has set its own when it was resumed.
        unsafe { (*yielder).suspend(Wait::Pause) };
        CURRENT.set(yielder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_or_refused() {
        let emulation = Emulation::parse("subgroup=64,seed=7").unwrap();
        assert_eq!((emulation.subgroup, emulation.resident, emulation.seed), (64, 4, 7));
        for (text, reason) in [
            ("", "none of"),
            ("subgroup=3", "subgroup takes"),
            ("subgroup=256", "subgroup takes"),
            ("resident=2", "subgroup takes"),
            ("subgroup=8,resident=0", "resident takes"),
            ("subgroup=8,resident=17", "resident takes"),
            ("subgroup=x", "is no number"),
            ("subgroup=8,lanes=2", "'lanes' is none of"),
            ("subgroup=8,accesses=4294967296", "accesses is too large"),
        ] {
            let refused = Emulation::parse(text).unwrap_err();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }
}
