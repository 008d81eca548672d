//! The device memory of a schedule: the pieces of tiles that cross workgroups, and what is known of the order of the tiles. How
//! long the buffers are and what fills them is the schedule's own business ([`evenkeel_kernels::schedule::Prepare`]).

use super::{Choice, Schedule, TileExtent};
use crate::{
    Error, Result,
    device::{Buffer, Device, Launch, Recorder, ScheduleRecorder},
};
use bytemuck::Pod;
use evenkeel_kernels::{
    launch::{Buffers, DispatchSize},
    schedule::{GatherSize, OrderBuffers, Scratch, ScratchLayout},
};
use evenkeel_types::{Field, ScheduleParams};

/// The scratch memory of one schedule, for gathers over one tile set or for scatters over a worklist. `V` is the type of the
/// values that a gather joins.
pub struct ScratchSpace<V: Pod> {
    /// What kernels under the schedule bind.
    pub buffers: Scratch<V, Buffers>,
    choice: Choice,
    counters: Buffer<u32>,
    size: GatherSize,
    /// The number of atoms of its gathers.
    atoms: u32,
}

impl<V: Pod> ScratchSpace<V> {
    /// Allocates the memory for scatters over a worklist of up to `tiles` tiles.
    pub fn scatter(device: &Device, choice: Choice, tiles: usize) -> Result<Self> {
        Self::new(device, choice, choice.schedule.implementation().scatter_layout(tiles))
    }

    /// Allocates the memory for gathers over the tiles that begin at `offsets`, which has one more entry than there are tiles: the last is the
    /// number of atoms. Finds out what the schedule must know of the tiles.
    pub fn gather(device: &Device, choice: Choice, offsets: &Buffer<u32>, extent: TileExtent) -> Result<Self> {
        if offsets.len() <= extent.tiles {
            let tiles = extent.tiles;
            return Err(Error::Usage(format!("{tiles} tiles have {} offsets, and need one more each", offsets.len())));
        }
        Self::over(device, choice, offsets, extent)
    }

    /// Allocates the memory for scatters over a list of entries, each of which is a tile of one atom, and finds out what the schedule must know
    /// of it.
    pub(crate) fn entries(device: &Device, choice: Choice, entries: usize) -> Result<Self> {
        let places = places(choice.schedule, entries);
        let offsets = device.buffer_of("places of entries", places, || (0..places as u32).collect())?;
        Self::over(device, choice, &offsets, TileExtent::new(entries, entries))
    }

    fn over(device: &Device, choice: Choice, offsets: &Buffer<u32>, extent: TileExtent) -> Result<Self> {
        let schedule = choice.schedule.implementation();
        let layout = schedule.gather_layout(extent);
        let mut space = Self::new(device, choice, layout)?;
        let length = device.buffer_from("number of tiles", &[extent.tiles as u32])?;
        let buffers = space.order_buffers(offsets, (&length, 0), DispatchSize::Items(extent.tiles));
        device
            .record("order of tiles", |recorder| {
                schedule.prepare_gather(&mut ScheduleRecorder(recorder), &buffers, extent)
            })?
            .run()?;
        let mut header = vec![0; layout.header];
        if !header.is_empty() {
            device.download_into(&space.buffers.order, &mut header)?;
        }
        space.size = schedule.gather_size(extent, &header);
        space.atoms = extent.atoms as u32;
        Ok(space)
    }

    fn new(device: &Device, choice: Choice, layout: ScratchLayout) -> Result<Self> {
        let order = device.buffer("order", layout.order)?;
        let queues = device.buffer("taken from queues", layout.queues)?;
        if layout.queues > ScratchLayout::default().queues {
            // Every dispatch leaves them as it finds them.
            device.record("full queues", |recorder| recorder.fill(&queues, 0))?.run()?;
        }
        Ok(Self {
            buffers: Scratch::new(order, device.buffer("pieces", layout.pieces)?, queues),
            choice,
            counters: device.buffer("counters", layout.counters)?,
            size: GatherSize::one_pass(0),
            atoms: 0,
        })
    }

    fn order_buffers<'a>(
        &'a self,
        offsets: &'a Buffer<u32>,
        (length, length_word): (&'a Buffer<u32>, u32),
        size: DispatchSize,
    ) -> OrderBuffers<'a> {
        OrderBuffers { offsets, length, length_word, size, order: &self.buffers.order, counters: &self.counters }
    }

    /// Records a gather by a kernel of one's own: the kernel, and once more where the schedule leaves tiles in pieces.
    ///
    /// # Safety
    /// With these parameters the kernel stays within its buffers, which it does not check in release builds, and the tiles have as many atoms as
    /// the extent said.
    pub unsafe fn launch_gather<L: Launch>(
        &self,
        recorder: &mut Recorder,
        launch: &L,
        params: impl Fn(ScheduleParams) -> L::Params,
    ) {
        self.record_gather(recorder, launch, params);
    }

    /// Records a gather by one of this crate's kernels: see [`ScratchSpace::launch_gather`].
    pub(crate) fn record_gather<L: Launch>(
        &self,
        recorder: &mut Recorder,
        launch: &L,
        params: impl Fn(ScheduleParams) -> L::Params,
    ) {
        recorder.dispatch(launch, params(self.gather_params(ScheduleParams::MAIN)), self.size.main);
        if let Some(invocations) = self.size.finish {
            recorder.dispatch(launch, params(self.gather_params(ScheduleParams::FINISH)), invocations);
        }
    }

    /// What a kernel is told of the schedule in a pass of a gather.
    fn gather_params(&self, pass: u32) -> ScheduleParams {
        ScheduleParams { atoms: self.atoms, pass, ..self.choice.params() }
    }

    /// The invocations of a scatter over the tiles for whose gathers the memory was allocated.
    pub(crate) fn scatter_size(&self) -> usize {
        self.size.scatter
    }

    /// What a kernel is told of the schedule in that pass.
    pub(crate) fn scatter_params(&self) -> ScheduleParams {
        self.choice.params()
    }

    /// The workgroups of a gather and of its second pass, which is 0 where there is none.
    pub(crate) fn count_gather(&self, recorder: &Recorder, launch: &impl Launch) -> [u32; 2] {
        let count = |invocations| recorder.count_groups(launch, invocations);
        [count(self.size.main), self.size.finish.map_or(0, count)]
    }

    /// Records a gather whose workgroups are in two fields of `state` when it runs: see [`ScratchSpace::count_gather`].
    pub(crate) fn record_gather_indirect<L: Launch, S: Pod>(
        &self,
        recorder: &mut Recorder,
        launch: &L,
        params: impl Fn(ScheduleParams) -> L::Params,
        state: &Buffer<S>,
        [main, finish]: [Field<S, [u32; 3]>; 2],
    ) {
        recorder.dispatch_indirect(launch, params(self.gather_params(ScheduleParams::MAIN)), state, main);
        if self.size.finish.is_some() {
            recorder.dispatch_indirect(launch, params(self.gather_params(ScheduleParams::FINISH)), state, finish);
        }
    }

    /// Records what the schedule does before a scatter over a worklist: `offsets` are the prefix sums of its degrees, word
    /// `length.1` of `length.0` is its length, and `size` has an invocation for each entry.
    pub(crate) fn prepare_scatter(
        &self,
        recorder: &mut Recorder,
        offsets: &Buffer<u32>,
        length: (&Buffer<u32>, u32),
        size: DispatchSize,
    ) {
        let buffers = self.order_buffers(offsets, length, size);
        self.choice.schedule.implementation().prepare_scatter(&mut ScheduleRecorder(recorder), &buffers);
    }
}

/// How many offsets of entries a schedule reads beforehand: none unless it orders tiles or cuts through them.
fn places(schedule: Schedule, entries: usize) -> usize {
    if schedule.implementation().needs_prefix_sums() { entries + 1 } else { 1 }
}
