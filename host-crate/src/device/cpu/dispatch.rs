//! One dispatch: its workgroups, handed out one by one to the threads of the team. The thread that runs the recording begins at once, and
//! calls the others only when what is left is worth their waking up.

use super::memory::{Memory, Queue};
use crate::{
    Error, Result,
    device::{
        Size, Team,
        balance::{Counters, Tally},
    },
};
use evenkeel_kernels::launch::{Arguments, BufferMemory, Kernel, RawBuffer};
use evenkeel_workgroups::{Counts, Emulation, Group, Reason, WorkgroupMemory};
use std::{
    cell::RefCell,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Other threads are called when this much work is left: waking a sleeping one takes about as long.
const WORTH_HELP: Duration = Duration::from_micros(20);

thread_local! {
    static MEMORY: RefCell<WorkgroupMemory> = RefCell::default();
}

/// In which way dispatches run.
#[derive(Clone)]
pub(super) enum Mode {
    /// As fast as a CPU can: each invocation is a subgroup by itself.
    Plain,
    /// With every atom counted.
    Counted(Counters),
    /// As on a GPU.
    Emulated(Arc<Emulation>),
}

/// A kernel with all it needs but the number of its workgroups, if that is read from a buffer.
pub(super) struct Dispatch {
    kernel: &'static Kernel,
    buffers: Vec<Arc<Memory>>,
    /// The push constants, aligned for whatever they are.
    params: Vec<u128>,
    size: DispatchSize,
}

enum DispatchSize {
    Groups(u32),
    Indirect { buffer: Arc<Memory>, offset: u64 },
}

impl Dispatch {
    pub(super) fn new(kernel: &'static Kernel, buffers: &[RawBuffer], params: &[u8], size: &Size) -> Result<Self> {
        let buffers = buffers.iter().map(Memory::of).collect::<Result<Vec<_>>>()?;
        let size = match size {
            Size::Groups(groups) => DispatchSize::Groups(*groups),
            Size::Indirect { buffer, offset } => {
                DispatchSize::Indirect { buffer: Memory::of(buffer)?, offset: *offset }
            }
        };
        let mut aligned = vec![0; params.len().div_ceil(size_of::<u128>())];
        bytemuck::cast_slice_mut(&mut aligned)[..params.len()].copy_from_slice(params);
        let dispatch = Self { kernel, buffers, params: aligned, size };
        dispatch.check(params.len())?;
        Ok(dispatch)
    }

    pub(super) fn name(&self) -> &'static str {
        self.kernel.name
    }

    /// Refuses what the kernel's signature does not allow. A buffer that is only read may be read without atomics, so it must
    /// not be written under another name; a GPU would not say so.
    fn check(&self, params: usize) -> Result<()> {
        let arguments = self.kernel.buffers;
        if self.buffers.len() != arguments.len() || params != self.kernel.params_bytes {
            return Err(self.failed("it was given other buffers or parameters than it has".into()));
        }
        if let DispatchSize::Indirect { buffer, offset } = &self.size {
            buffer.check(*offset, size_of::<[u32; 3]>() as u64)?;
        }
        for (only_read, first) in arguments.iter().zip(&self.buffers).filter(|(argument, _)| !argument.writable) {
            for (written, second) in arguments.iter().zip(&self.buffers).filter(|(argument, _)| argument.writable) {
                if Arc::ptr_eq(first, second) {
                    return Err(self.failed(format!(
                        "buffer '{}' is bound as {}, which it reads, and as {}, which it writes",
                        first.name(),
                        only_read.name,
                        written.name
                    )));
                }
            }
        }
        Ok(())
    }

    fn failed(&self, reason: Reason) -> Error {
        let name = self.kernel.name;
        // Views name the kernel themselves.
        if reason.contains(name) { Error::Device(reason) } else { Error::Device(format!("kernel {name}: {reason}")) }
    }

    /// The push constants.
    fn params(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.params)[..self.kernel.params_bytes]
    }

    /// Where the buffers lie, for kernels.
    fn views(&self) -> Vec<BufferMemory> {
        self.buffers.iter().map(|buffer| buffer.view()).collect()
    }

    /// How many workgroups there are this time.
    fn groups(&self, queue: &mut Queue) -> Result<u32> {
        let groups = match &self.size {
            DispatchSize::Groups(groups) => *groups,
            DispatchSize::Indirect { buffer, offset } => {
                let mut words = [0u32; 3];
                buffer.read(queue, *offset, bytemuck::bytes_of_mut(&mut words))?;
                match words {
                    [groups, 1, 1] => groups,
                    [x, y, z] if x == 0 || y == 0 || z == 0 => 0,
                    other => {
                        return Err(
                            self.failed(format!("{other:?} workgroups are asked for, but it has one dimension"))
                        );
                    }
                }
            }
        };
        match groups.checked_mul(self.kernel.threads) {
            Some(_) => Ok(groups),
            None => {
                Err(self.failed(format!("{groups} workgroups are asked for, more invocations than 32 bits number")))
            }
        }
    }

    /// Runs all workgroups and returns when the last has ended.
    pub(super) fn run(&self, queue: &mut Queue, threads: usize, mode: &Mode) -> Result<()> {
        let groups = self.groups(queue)?;
        if groups == 0 {
            return Ok(());
        }
        let counters = match mode {
            Mode::Plain => None,
            // Not all kernels have atoms to count.
            Mode::Counted(counters) => self.kernel.counted.map(|_| counters),
            Mode::Emulated(emulation) => {
                let (params, buffers) = (self.params(), self.views());
                // SAFETY: the dispatch has bound what the kernel declares; whoever recorded it has promised that it stays within.
                let ended = unsafe { emulation.run(self.kernel, params, &buffers, groups) };
                return ended.map_err(|reason| self.failed(reason));
            }
        };
        // Where anything is counted all kernels are as wide as on a GPU: one may have to be as wide as another.
        let can_be_one_wide = matches!(mode, Mode::Plain);
        let job = Workgroups {
            dispatch: self,
            can_be_one_wide,
            groups,
            tally: counters.map(Counters::begin),
            next: AtomicU64::new(0),
            tickets: AtomicU32::new(0),
            failure: OnceLock::new(),
        };
        job.run(|| queue.team(threads));
        if let (Some(counters), Some(tally)) = (counters, &job.tally) {
            counters.end(self.kernel.name, tally);
        }
        match job.failure.into_inner() {
            None => Ok(()),
            Some(reason) => Err(self.failed(reason)),
        }
    }
}

/// A dispatch that runs. Threads share it by counting.
struct Workgroups<'a> {
    dispatch: &'a Dispatch,
    can_be_one_wide: bool,
    groups: u32,
    /// What its workgroups count, if they do.
    tally: Option<Tally>,
    /// The next workgroup to hand out; past `groups` when none is left. Wider than them, so that it never wraps.
    next: AtomicU64,
    tickets: AtomicU32,
    /// The first failure; workgroups that have not begun by then never do.
    failure: OnceLock<Reason>,
}

impl Workgroups<'_> {
    /// Runs workgroups on this thread until the rest is worth the help of the team.
    fn run<'t>(&self, team: impl FnOnce() -> &'t mut Team) {
        let (begin, mut done) = (Instant::now(), 0);
        let is_long = self.take_groups(|| {
            done += 1;
            begin.elapsed() * (self.groups - done) > WORTH_HELP * done
        });
        if is_long {
            team().run(|_| {
                self.take_groups(|| false);
            });
        }
    }

    /// Runs workgroups until none is left, or `stop` says so after one of them, and then returns true.
    fn take_groups(&self, mut stop: impl FnMut() -> bool) -> bool {
        let (kernel, buffers, params) = (self.dispatch.kernel, self.dispatch.views(), self.dispatch.params());
        MEMORY.with_borrow_mut(|memory| {
            loop {
                let group = self.next.fetch_add(1, Relaxed);
                if group >= u64::from(self.groups) || self.failure.get().is_some() {
                    return false;
                }
                // SAFETY: the dispatch has bound what the kernel declares; whoever recorded it has promised that it stays within.
                let arguments = unsafe { Arguments::new(params, &buffers, memory.shared(kernel)) };
                let (group, groups, tickets) = (group as u32, self.groups, &self.tickets);
                let counts = self.tally.as_ref().map(|_| Counts::new(kernel.threads));
                let one_wide = self.can_be_one_wide && kernel.any_width && kernel.shared_bytes.is_empty();
                let threads = if one_wide { 1 } else { kernel.threads };
                let group = Group { kernel, arguments: &arguments, group, groups, threads, tickets, counts };
                if let Err(reason) = group.run(memory) {
                    // Of several that fail at once the first is reported.
                    let _ = self.failure.set(reason);
                }
                if let (Some(tally), Some(counts)) = (&self.tally, group.counts) {
                    tally.add(&counts.into_shares());
                }
                if stop() {
                    return true;
                }
            }
        })
    }
}
