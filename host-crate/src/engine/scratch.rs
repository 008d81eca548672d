//! The room a schedule works in: the pieces of tiles that cross workgroups, where the parts begin that workgroups take, and the
//! tiles in the order of their bins.

use super::schedule::{Choice, Schedule};
use crate::{
    Result,
    device::{Buffer, Device, Launch, MemoryPlan, Recorder},
};
use bytemuck::Pod;
use evenkeel_kernels::{
    launch::Buffers,
    primitive::{
        binning::{BinCount, BinPlace, BinPlaces},
        bounds::PartBounds,
    },
    schedule::{PART, Scratch},
};
use evenkeel_types::{Bins, BoundsParams, Control, ScheduleParams, WORKGROUP, WordParams};

/// See the module. `V` is the kind of value that a gather joins.
pub struct Room<V: Pod> {
    /// What kernels under the schedule bind.
    pub scratch: Scratch<V, Buffers>,
    binning: Option<Binning>,
    invocations: usize,
    team: u32,
    finishes: bool,
}

/// What sorting tiles into bins needs.
struct Binning {
    bins: Buffer<u32>,
    order: Buffer<u32>,
}

/// What a gather goes over, and by how many invocations a lane is played ([`evenkeel_kernels::lane::Lane::team`]).
#[derive(Clone, Copy)]
pub struct Extent {
    /// How many tiles there are.
    pub tiles: usize,
    /// How many atoms they have together.
    pub atoms: usize,
    /// Invocations in a team.
    pub team: u32,
}

impl Extent {
    /// A lane for each invocation.
    pub fn new(tiles: usize, atoms: usize) -> Self {
        Self { tiles, atoms, team: 1 }
    }

    /// How many items a workgroup takes at a time.
    fn part(self) -> usize {
        (PART / self.team) as usize
    }

    /// How many parts a schedule cuts it into that cuts across tiles; none for the others.
    fn parts(self, schedule: Schedule) -> usize {
        match schedule {
            Schedule::MergePath => (self.tiles + self.atoms).div_ceil(self.part()).max(1),
            Schedule::NonzeroSplit => self.atoms.div_ceil(self.part()).max(1),
            _ => 0,
        }
    }

    /// A part has two pieces of tiles, of the one that it only ends and of the one that it only begins, and of each every
    /// member of a team has its own part.
    fn pieces(self, schedule: Schedule) -> usize {
        (2 * self.parts(schedule) * self.team as usize).max(1)
    }

    /// What is known of the tiles beforehand: where each part begins, or their order.
    fn order(self, schedule: Schedule) -> usize {
        match schedule {
            Schedule::MergePath | Schedule::NonzeroSplit => self.parts(schedule) + 1,
            Schedule::RadixBinned => Bins::HEADER as usize + self.tiles,
            _ => 1,
        }
    }
}

impl<V: Pod> Room<V> {
    /// The memory for gathers.
    pub fn plan_gather(schedule: Schedule, extent: Extent) -> MemoryPlan {
        MemoryPlan::new()
            .with::<u32>("bins", Bins::COUNT as usize)
            .with::<u32>("order", extent.order(schedule))
            .with::<V>("pieces", extent.pieces(schedule))
    }

    /// The memory for scatters over up to `tiles` tiles.
    pub fn plan_scatter(schedule: Schedule, tiles: usize) -> MemoryPlan {
        Self::plan_gather(schedule, Self::of_scatter(tiles))
    }

    // Scatters leave no pieces, and find the bounds of their parts themselves.
    fn of_scatter(tiles: usize) -> Extent {
        Extent::new(tiles, 0)
    }

    fn new(device: &Device, schedule: Schedule, extent: Extent) -> Result<Self> {
        let order = device.buffer("order", extent.order(schedule))?;
        let binning = match schedule {
            Schedule::RadixBinned => {
                Some(Binning { bins: device.buffer("bins", Bins::COUNT as usize)?, order: order.clone() })
            }
            _ => None,
        };
        let scratch = Scratch::new(order, device.buffer("pieces", extent.pieces(schedule))?);
        Ok(Self {
            scratch,
            binning,
            invocations: extent.tiles * extent.team as usize,
            team: extent.team,
            finishes: false,
        })
    }

    /// Room for scatters over a worklist of up to `tiles` tiles.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn scatter(device: &Device, schedule: Schedule, tiles: usize) -> Result<Self> {
        Self::new(device, schedule, Self::of_scatter(tiles))
    }

    /// Room for gathers over the tiles that begin at `offsets`, which has one more entry than there are tiles. What the
    /// schedule wants to know of the tiles is found out here, once.
    ///
    /// # Errors
    /// When it does not fit or the device fails.
    pub fn gather(device: &Device, schedule: Schedule, offsets: &Buffer<u32>, extent: Extent) -> Result<Self> {
        let mut room = Self::new(device, schedule, extent)?;
        match schedule {
            Schedule::MergePath | Schedule::NonzeroSplit => {
                let parts = extent.parts(schedule);
                let params = BoundsParams {
                    tiles: extent.tiles as u32,
                    parts: parts as u32,
                    items: extent.part() as u32,
                    tiles_count: u32::from(schedule == Schedule::MergePath),
                };
                let bounds = PartBounds { offsets, bounds: &room.scratch.order };
                device.record("bounds of parts", |recorder| recorder.dispatch(&bounds, params, parts + 1))?.run()?;
                room.invocations = parts * WORKGROUP as usize;
                room.finishes = true;
            }
            Schedule::RadixBinned => {
                let [small, middle, large] = room.bin(device, offsets)?;
                // A lane to each small tile, at least eight for one of middle size, a workgroup to each large one.
                room.invocations = (small + 32 * middle) * extent.team as usize + large * WORKGROUP as usize;
            }
            _ => {}
        }
        Ok(room)
    }

    /// Sorts the tiles that begin at `offsets` into bins, and returns how many are small, of middle size, and large.
    fn bin(&self, device: &Device, offsets: &Buffer<u32>) -> Result<[usize; 3]> {
        let mut control = Control::start((offsets.len() - 1) as u32, WORKGROUP);
        control.groups[0] = control.groups[0].min(device.info().max_groups);
        let control = device.buffer_from("control", &[control])?;
        let sort = |recorder: &mut Recorder| self.bin_worklist(recorder, offsets, &control.cast(), &control);
        device.record("binning", sort)?.run()?;
        let mut header = [0u32; Bins::HEADER as usize];
        device.download_into(&self.scratch.order, &mut header)?;
        Ok([header[0], header[1], header[2]].map(|tiles| tiles as usize))
    }

    /// Records a gather: the kernel, and once more where the schedule leaves tiles in pieces.
    pub fn record_gather<L: Launch>(
        &self,
        recorder: &mut Recorder,
        choice: Choice,
        launch: &L,
        params: impl Fn(ScheduleParams) -> L::Params,
    ) {
        recorder.dispatch(launch, params(choice.params(ScheduleParams::MAIN)), self.invocations);
        if self.finishes {
            // A lane to each part, of which each had a workgroup.
            let lanes = self.invocations / (WORKGROUP / self.team) as usize;
            recorder.dispatch(launch, params(choice.params(ScheduleParams::FINISH)), lanes);
        }
    }

    /// Records the binning of a worklist whose length and prefix sums of degrees are on the device, if the schedule bins.
    pub fn bin_worklist(
        &self,
        recorder: &mut Recorder,
        offsets: &Buffer<u32>,
        words: &Buffer<u32>,
        control: &Buffer<Control>,
    ) {
        if let Some(Binning { bins, order }) = &self.binning {
            let params = WordParams { word: Control::FRONTIER };
            recorder.fill(bins, 0);
            recorder.dispatch_indirect(&BinCount { length: words, offsets, bins }, params, control, Control::GROUPS);
            recorder.dispatch(&BinPlaces { bins, order }, params, 1);
            let place = BinPlace { length: words, offsets, bins, order };
            recorder.dispatch_indirect(&place, params, control, Control::GROUPS);
        }
    }
}
