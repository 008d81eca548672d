//! A list of steps for a device, written in order. Each step sees what the steps before it wrote: devices find out from the
//! buffers where they must wait, and let independent steps overlap.

use super::{Backend, Buffer, Launch, Team};
use bytemuck::Pod;
use evenkeel_kernels::launch::{DispatchSize, Kernel, RawBuffer, Record};
use evenkeel_types::Field;
use std::{
    marker::PhantomData,
    sync::{Arc, atomic::AtomicU32},
};

/// One thing a device does.
pub enum Step {
    /// Runs a kernel, with its buffers in binding order and its push constants.
    Dispatch { kernel: &'static Kernel, buffers: Vec<RawBuffer>, params: Vec<u8>, size: Size },
    /// Runs a function on the threads of the CPU device, which alone can. Profilers call it `name`.
    Native { name: &'static str, buffers: Vec<RawBuffer>, run: NativeFunction },
    /// Sets every word of a buffer.
    Fill { buffer: RawBuffer, value: u32 },
    /// Copies the first `bytes` bytes.
    Copy { from: RawBuffer, to: RawBuffer, bytes: u64 },
    /// Makes the first `bytes` bytes of a buffer readable by the host after the run, in the next slot.
    ReadBack { buffer: RawBuffer, bytes: u64 },
    /// Names the steps from here to the next label, in profilers and traces.
    Label(String),
}

/// A function for the threads of the CPU device. It is given the words of its buffers.
pub type NativeFunction = Box<dyn Fn(&mut Team, &[&[AtomicU32]]) + Send>;

/// How many workgroups a dispatch has: known now, or read when the step runs, from three words at a byte offset of a buffer.
pub enum Size {
    Groups(u32),
    Indirect { buffer: RawBuffer, offset: u64 },
}

/// A value that a recording brings to the host each time it runs. See [`super::Recording::value`].
pub struct ReadBack<T> {
    pub(super) index: usize,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for ReadBack<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ReadBack<T> {}

/// Collects steps. See [`super::Device::record`].
pub struct Recorder {
    steps: Vec<Step>,
    read_backs: usize,
    backend: Arc<dyn Backend>,
}

impl Recorder {
    pub(super) fn new(backend: Arc<dyn Backend>) -> Self {
        Self { steps: Vec::new(), read_backs: 0, backend }
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Runs a kernel of one's own with one invocation for each of `items`, or as many as the device gains from: kernels stride over the rest.
    ///
    /// # Safety
    /// With these parameters the kernel stays within its buffers, which it does not check in release builds.
    pub unsafe fn launch<L: Launch>(&mut self, launch: &L, params: L::Params, items: usize) {
        self.dispatch(launch, params, items);
    }

    /// Runs a kernel of one's own with as many workgroups as a field of `state` says when the step runs.
    ///
    /// # Safety
    /// As for [`Recorder::launch`].
    pub unsafe fn launch_indirect<L: Launch, S: Pod>(
        &mut self,
        launch: &L,
        params: L::Params,
        state: &Buffer<S>,
        groups: Field<S, [u32; 3]>,
    ) {
        self.dispatch_indirect(launch, params, state, groups);
    }

    /// As [`Recorder::launch`], for this crate's kernels, whose parameters its strategies and algorithms derive from checked graphs.
    pub(crate) fn dispatch<L: Launch>(&mut self, launch: &L, params: L::Params, items: usize) {
        self.push(launch, params, self.groups(launch.kernel(), items));
    }

    /// The workgroups that [`Recorder::dispatch`] would have.
    pub(crate) fn count_groups(&self, launch: &impl Launch, items: usize) -> u32 {
        self.group_count(launch.kernel(), items)
    }

    fn group_count(&self, kernel: &'static Kernel, items: usize) -> u32 {
        let most = self.backend.max_groups(kernel) as usize;
        items.div_ceil(kernel.threads as usize).clamp(1, most) as u32
    }

    fn groups(&self, kernel: &'static Kernel, items: usize) -> Size {
        Size::Groups(self.group_count(kernel, items))
    }

    /// Records a dispatch whose number of workgroups is read from a field of `state` when the step runs.
    pub(crate) fn dispatch_indirect<L: Launch, S: Pod>(
        &mut self,
        launch: &L,
        params: L::Params,
        state: &Buffer<S>,
        groups: Field<S, [u32; 3]>,
    ) {
        let size = Size::Indirect { buffer: state.raw().clone(), offset: u64::from(groups.word()) * 4 };
        self.push(launch, params, size);
    }

    /// Records a dispatch of a loop's kernel that can run with any number of workgroups, and returns at once when the field says 0
    /// (`State::is_over`). On a GPU it always has `groups`, because a dispatch begins later if its size must be read from memory.
    pub(crate) fn dispatch_in_loop<L: Launch, S: Pod>(
        &mut self,
        launch: &L,
        params: L::Params,
        state: &Buffer<S>,
        field: Field<S, [u32; 3]>,
        groups: u32,
    ) {
        let info = self.backend.info();
        if info.reads_sizes() {
            self.dispatch_indirect(launch, params, state, field);
        } else {
            self.push(launch, params, Size::Groups(groups.clamp(1, info.max_groups)));
        }
    }

    fn push<L: Launch>(&mut self, launch: &L, params: L::Params, size: Size) {
        let params = bytemuck::bytes_of(&params).to_vec();
        self.steps.push(Step::Dispatch { kernel: launch.kernel(), buffers: launch.buffers(), params, size });
    }

    /// Runs a function on the threads of the CPU device with the words of `buffers`; other devices refuse the recording.
    pub(crate) fn native(
        &mut self,
        name: &'static str,
        buffers: &[&RawBuffer],
        run: impl Fn(&mut Team, &[&[AtomicU32]]) + Send + 'static,
    ) {
        let buffers = buffers.iter().map(|&buffer| buffer.clone()).collect();
        self.steps.push(Step::Native { name, buffers, run: Box::new(run) });
    }

    /// Sets every element of a buffer.
    pub fn fill(&mut self, buffer: &Buffer<u32>, value: u32) {
        self.steps.push(Step::Fill { buffer: buffer.raw().clone(), value });
    }

    /// Copies all of `from` to the beginning of `to`, which is at least as long.
    pub fn copy<T: Pod>(&mut self, from: &Buffer<T>, to: &Buffer<T>) {
        assert!(from.len() <= to.len(), "{from:?} does not fit into {to:?}");
        let bytes = (from.len() * size_of::<T>()) as u64;
        self.steps.push(Step::Copy { from: from.raw().clone(), to: to.raw().clone(), bytes });
    }

    /// Brings the first element of a buffer to the host at this point of every run. No other recording may write the buffer meanwhile.
    pub fn read_back<T: Pod>(&mut self, buffer: &Buffer<T>) -> ReadBack<T> {
        self.steps.push(Step::ReadBack { buffer: buffer.raw().clone(), bytes: size_of::<T>() as u64 });
        self.read_backs += 1;
        ReadBack { index: self.read_backs - 1, value: PhantomData }
    }

    /// Names the steps from here on, in profilers and traces.
    pub fn label(&mut self, name: impl Into<String>) {
        self.steps.push(Step::Label(name.into()));
    }
}

/// A recorder as schedules see it. It is not public: what a schedule prepares is in bounds for the buffers that the engine made for it.
pub(crate) struct ScheduleRecorder<'r>(pub &'r mut Recorder);

impl Record for ScheduleRecorder<'_> {
    unsafe fn dispatch_kernel(
        &mut self,
        kernel: &'static Kernel,
        buffers: Vec<RawBuffer>,
        params: &[u8],
        size: DispatchSize,
    ) {
        let size = match size {
            DispatchSize::Items(items) => self.0.groups(kernel, items),
            DispatchSize::Indirect { buffer, offset } => Size::Indirect { buffer, offset },
        };
        self.0.steps.push(Step::Dispatch { kernel, buffers, params: params.to_vec(), size });
    }

    fn fill_words(&mut self, buffer: &Buffer<u32>, value: u32) {
        self.0.fill(buffer, value);
    }
}
