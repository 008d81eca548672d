//! The room a schedule works in: the pieces of tiles that cross workgroups, and the tiles in the order of their bins.

use super::{Choice, Schedule};
use crate::{
    Result,
    device::{Buffer, Device, Launch, MemoryPlan, Recorder},
};
use bytemuck::Pod;
use evenkeel_kernels::{
    primitive::binning::{BinCount, BinPlace, BinPlaces},
    schedule::{PART, ScratchBuffers},
};
use evenkeel_types::{Bins, Control, ScheduleParams, WORKGROUP, WordParams};

/// See the module. `V` is the kind of value that a gather joins.
pub struct Room<V> {
    /// What kernels under the schedule bind.
    pub scratch: ScratchBuffers<V>,
    binning: Option<Binning>,
    invocations: usize,
    finishes: bool,
}

/// What sorting tiles into bins needs.
struct Binning {
    bins: Buffer<u32>,
    order: Buffer<u32>,
}

/// How many pieces of tiles may cross workgroups when `tiles` tiles of `atoms` atoms are gathered.
fn pieces(schedule: Schedule, tiles: usize, atoms: usize) -> usize {
    let parts = match schedule {
        Schedule::MergePath => (tiles + atoms).div_ceil(PART as usize),
        Schedule::NonzeroSplit => atoms.div_ceil(PART as usize).max(1),
        _ => 0,
    };
    2 * parts
}

fn order_length(schedule: Schedule, tiles: usize) -> usize {
    Bins::HEADER as usize + if schedule == Schedule::RadixBinned { tiles } else { 0 }
}

impl<V: Pod> Room<V> {
    /// The memory for gathers over `tiles` tiles of `atoms` atoms.
    pub fn plan_gather(schedule: Schedule, tiles: usize, atoms: usize) -> MemoryPlan {
        let pieces = pieces(schedule, tiles, atoms).max(1);
        MemoryPlan::new()
            .with::<u32>("bins", Bins::COUNT as usize)
            .with::<u32>("order", order_length(schedule, tiles))
            .with::<u32>("pieces", pieces)
            .with::<V>("values of pieces", pieces)
    }

    /// The memory for scatters over up to `tiles` tiles.
    pub fn plan_scatter(schedule: Schedule, tiles: usize) -> MemoryPlan {
        Self::plan_gather(schedule, tiles, 0)
    }

    fn new(device: &Device, schedule: Schedule, tiles: usize, pieces: usize) -> Result<Self> {
        let order = device.buffer("order", order_length(schedule, tiles))?;
        let binning = match schedule {
            Schedule::RadixBinned => {
                Some(Binning { bins: device.buffer("bins", Bins::COUNT as usize)?, order: order.clone() })
            }
            _ => None,
        };
        let scratch = ScratchBuffers {
            order,
            partial_tiles: device.buffer("pieces", pieces.max(1))?,
            partial_values: device.buffer("values of pieces", pieces.max(1))?,
        };
        Ok(Self { scratch, binning, invocations: tiles, finishes: pieces > 0 })
    }

    /// Room for scatters over a worklist of up to `tiles` tiles.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn scatter(device: &Device, schedule: Schedule, tiles: usize) -> Result<Self> {
        Self::new(device, schedule, tiles, 0)
    }

    /// Room for gathers over the `tiles` tiles that begin at `offsets`, which has one more entry than there are tiles.
    ///
    /// # Errors
    /// When it does not fit or the device fails.
    pub fn gather(device: &Device, schedule: Schedule, offsets: &Buffer<u32>, atoms: usize) -> Result<Self> {
        let tiles = offsets.len() - 1;
        let pieces = pieces(schedule, tiles, atoms);
        let mut room = Self::new(device, schedule, tiles, pieces)?;
        if room.finishes {
            // A workgroup to each part; a part has two pieces.
            room.invocations = pieces / 2 * WORKGROUP as usize;
        }
        if let Some(binning) = &room.binning {
            let length = device.buffer_from("tiles", &[tiles as u32])?;
            let sort = |recorder: &mut Recorder| {
                recorder.fill(&binning.bins, 0);
                let (bins, order, length) = (&binning.bins, &binning.order, &length);
                recorder.dispatch(&BinCount { length, offsets, bins }, WordParams { word: 0 }, tiles);
                recorder.dispatch(&BinPlaces { bins, order }, WordParams { word: 0 }, 1);
                recorder.dispatch(&BinPlace { length, offsets, bins, order }, WordParams { word: 0 }, tiles);
            };
            device.record("binning", sort)?.run()?;
            let mut header = [0u32; Bins::HEADER as usize];
            device.download_into(&binning.order, &mut header)?;
            // An invocation to each small tile, at least eight for one of middle size, a workgroup to each large one.
            room.invocations = (header[0] + 32 * header[1]) as usize + header[2] as usize * WORKGROUP as usize;
        }
        Ok(room)
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
            recorder.dispatch(launch, params(choice.params(ScheduleParams::FINISH)), self.invocations / 8);
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
