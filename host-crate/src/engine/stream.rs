//! Graphs that exceed the memory of a device. Some partitions stay on the device; the others wait in memory of the host, and are copied to
//! one of two slots when a pass over the graph needs them: while kernels take the one slot, the next partition is copied to the other. A
//! loop over such a graph is driven by the host: between two iterations it reads which partitions have work.

use super::{
    LoopRun,
    partitions::{EdgeArrays, Held, Place},
    progress::Progress,
};
use crate::{
    Result,
    device::{Buffer, Device, ReadBack, Recorder, Recording, Transfer},
    phase,
};
use evenkeel_kernels::{
    frontier::needs::{NEEDS_WORDS, Needed, NeedsParams},
    launch::Buffers,
};
use evenkeel_types::{LoopReport, LoopState, RowRange};
use std::{
    sync::MutexGuard,
    time::{Duration, Instant},
};

/// A bit for each partition that is streamed, or for several in a row.
type Needs = [u32; NEEDS_WORDS as usize];

/// What kernels do with all partitions, one after the other; ready to run any number of times.
pub(crate) struct Pass {
    /// What is done first, and what takes the partitions that are always on the device.
    resident: Recording,
    /// For each streamed partition and each slot.
    streamed: Vec<[Loading; 2]>,
    /// What is copied to slots.
    arrays: Vec<EdgeArrays>,
    order: Order,
}

/// In which order the partitions of a pass are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// From the first to the last.
    Ascending,
    /// Those first that are on the device already, which saves copies.
    Any,
}

/// How a partition comes to a slot, and what is done with it there.
struct Loading {
    transfer: Transfer,
    bytes: u64,
    work: Recording,
}

/// What a pass took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassRun {
    /// How long the device was busy.
    pub kernel: Duration,
    /// The bytes that were copied to slots.
    pub bytes: u64,
}

impl Pass {
    /// Records `start`, and then `part` for every partition of some arrays, in each slot that it may be in.
    pub fn record(
        device: &Device,
        name: &str,
        (arrays, order): (&[&EdgeArrays], Order),
        start: &dyn Fn(&mut Recorder),
        part: &dyn Fn(&mut Recorder, Place),
    ) -> Result<Self> {
        let (first, count) = arrays.first().map_or((0, 0), |array| (array.first_streamed(), array.count()));
        let loading = |partition: usize, slot: usize| -> Result<Loading> {
            let (place, name) = (Place { partition, slot }, format!("{name}, partition {partition}"));
            let copies: Vec<_> = arrays.iter().map(|array| array.copy_to(place)).collect();
            Ok(Loading {
                transfer: device.transfer(&name, &copies)?,
                bytes: copies.iter().map(|(from, _)| 4 * from.len() as u64).sum(),
                work: device.record(&name, |recorder| part(recorder, place))?,
            })
        };
        Ok(Self {
            resident: device.record(name, |recorder| {
                start(recorder);
                (0..first).for_each(|partition| part(recorder, Place { partition, slot: 0 }));
            })?,
            streamed: (first..count)
                .map(|place| Ok([loading(place, 0)?, loading(place, 1)?]))
                .collect::<Result<_>>()?,
            arrays: arrays.iter().map(|array| (*array).clone()).collect(),
            order,
        })
    }

    /// Takes all partitions.
    pub fn run(&mut self) -> Result<PassRun> {
        self.run_needed(&|_| true)
    }

    /// Takes the partitions on the device, and those of the streamed ones that are needed, which are counted from the first of them.
    fn run_needed(&mut self, is_needed: &dyn Fn(usize) -> bool) -> Result<PassRun> {
        let Self { resident, streamed, arrays, order } = self;
        if streamed.is_empty() {
            return Ok(PassRun { kernel: resident.run()?, bytes: 0 });
        }
        let mut slots = Slots { streamed, held: arrays.iter().map(EdgeArrays::lock).collect(), loading: None };
        let mut needed: Vec<usize> = (0..slots.streamed.len()).filter(|&place| is_needed(place)).collect();
        if *order == Order::Any {
            needed.sort_by_key(|place| slots.find(*place).is_none());
        }
        let mut needed = needed.into_iter();
        let mut bytes = slots.load_next(needed.next(), 1)?;
        let mut kernel = resident.run()?;
        while let Some((place, slot)) = slots.wait()? {
            bytes += slots.load_next(needed.next(), slot)?;
            kernel += slots.streamed[place][slot].work.run()?;
        }
        Ok(PassRun { kernel, bytes })
    }
}

/// The slots, which nobody else touches meanwhile.
struct Slots<'a> {
    streamed: &'a mut [[Loading; 2]],
    /// The partitions that they hold, of each array.
    held: Vec<MutexGuard<'a, Held>>,
    /// The partition that comes next, and its slot.
    loading: Option<(usize, usize)>,
}

impl Slots<'_> {
    /// The slot that holds a partition.
    fn find(&self, place: usize) -> Option<usize> {
        (0..2).find(|slot| self.held.iter().all(|held| held[*slot] == Some(place)))
    }

    /// Begins to copy a partition, if there is one, to the slot that is not in use, unless it is in one. Returns how many bytes are copied.
    fn load_next(&mut self, next: Option<usize>, in_use: usize) -> Result<u64> {
        let Some(place) = next else { return Ok(0) };
        let found = self.find(place);
        let slot = found.unwrap_or(1 - in_use);
        self.loading = Some((place, slot));
        if found.is_some() {
            return Ok(0);
        }
        self.held.iter_mut().for_each(|held| held[slot] = None);
        let loading = &mut self.streamed[place][slot];
        loading.transfer.start()?;
        Ok(loading.bytes)
    }

    /// Waits until the partition that comes next is in its slot, and says which they are.
    fn wait(&mut self) -> Result<Option<(usize, usize)>> {
        let Some((place, slot)) = self.loading.take() else { return Ok(None) };
        self.streamed[place][slot].transfer.wait()?;
        self.held.iter_mut().for_each(|held| held[slot] = Some(place));
        Ok(Some((place, slot)))
    }
}

/// After an error a copy may be under way: nobody else gets the slots before its end.
impl Drop for Slots<'_> {
    fn drop(&mut self) {
        if let Some((place, slot)) = self.loading.take()
            && let Err(error) = self.streamed[place][slot].transfer.wait()
        {
            tracing::debug!("a copy to a slot has failed: {error}");
        }
    }
}

/// Records what marks the partitions that the next iteration needs.
pub(crate) type MarkNeeds<'a> = &'a dyn Fn(&mut Recorder, &Needed<Buffers>, NeedsParams);

/// What a loop does, in the terms of a stream.
pub(crate) struct Streaming<'a> {
    /// Begins a run.
    pub start: &'a dyn Fn(&mut Recorder),
    /// The part of an iteration that takes the edges of a partition.
    pub part: &'a dyn Fn(&mut Recorder, Place),
    /// Ends an iteration, without any edges.
    pub end: &'a dyn Fn(&mut Recorder),
    /// Marks the partitions that the next iteration needs, where it need not be all.
    pub needs: Option<MarkNeeds<'a>>,
    /// What partitions have in arrays of their own.
    pub arrays: &'a [&'a EdgeArrays],
    /// The order in which an iteration takes them.
    pub order: Order,
}

/// A loop that is ready to run.
pub(crate) struct StreamedLoop {
    start: Look,
    pass: Pass,
    end: Look,
    /// As many partitions as a bit stands for, as a power of two.
    shift: u32,
}

/// A recording after which the host looks at the loop.
struct Look {
    recording: Recording,
    report: ReadBack<LoopReport>,
    needs: Option<ReadBack<Needs>>,
}

impl StreamedLoop {
    /// Records a loop. `rows` are those of each partition, for what marks the ones that are needed.
    pub fn record<S: LoopState>(
        device: &Device,
        name: &str,
        state: &Buffer<S>,
        rows: impl Iterator<Item = RowRange>,
        streaming: &Streaming<'_>,
    ) -> Result<Self> {
        let _phase = phase::begin("recording", name);
        let first = streaming.arrays.first().map_or(0, |array| array.first_streamed());
        let bounds: Vec<u32> = rows.skip(first).flat_map(|rows| [rows.first, rows.end()]).collect();
        let count = bounds.len() as u32 / 2;
        let shift = (0..32).find(|shift| count.saturating_sub(1) >> shift < 32 * NEEDS_WORDS).unwrap_or(0);
        let needed = match streaming.needs {
            Some(_) => Some(Needed {
                bounds: device.buffer_from("partitions", &bounds)?,
                needs: device.buffer::<Needs>("needs", 1)?.cast(),
            }),
            None => None,
        };
        let look = |name: String, steps: &dyn Fn(&mut Recorder)| -> Result<Look> {
            let (mut report, mut needs) = (None, None);
            let recording = device.record(&name, |recorder| {
                steps(recorder);
                if let (Some(mark), Some(needed)) = (streaming.needs, &needed) {
                    recorder.fill(&needed.needs, 0);
                    mark(recorder, needed, NeedsParams { partitions: count, shift });
                    needs = Some(recorder.read_back(&needed.needs.cast::<Needs>()));
                }
                report = Some(recorder.read_back(&state.report()));
            })?;
            let report = report.ok_or_else(|| crate::Error::Device("a recording was not made".into()))?;
            Ok(Look { recording, report, needs })
        };
        let arrays = (streaming.arrays, streaming.order);
        Ok(Self {
            start: look(format!("{name}, start"), streaming.start)?,
            pass: Pass::record(device, name, arrays, &|_| (), streaming.part)?,
            end: look(format!("{name}, end of an iteration"), streaming.end)?,
            shift,
        })
    }

    /// Runs from the start until the worklist is empty, or for so many iterations.
    pub fn run_up_to(&mut self, limit: Option<u32>) -> Result<LoopRun> {
        let begin = Instant::now();
        let kernel = self.start.recording.run()?;
        let (report, mut needs) = self.start.values();
        let mut run = LoopRun { total: Duration::ZERO, kernel, report, streamed_bytes: 0 };
        // As a batch has one iteration at least.
        let (mut goes_on, mut progress) = (true, Progress::default());
        while goes_on {
            let is_needed = |place: usize| {
                let bit = place >> self.shift;
                needs.is_none_or(|needs| needs[bit / 32] >> (bit % 32) & 1 == 1)
            };
            let PassRun { kernel, bytes } = self.pass.run_needed(&is_needed)?;
            run.kernel += kernel + self.end.recording.run()?;
            run.streamed_bytes += bytes;
            (run.report, needs) = self.end.values();
            progress.check(run.report)?;
            goes_on = run.report.frontier > 0 && limit.is_none_or(|limit| run.report.iteration < limit);
        }
        run.total = begin.elapsed();
        Ok(run)
    }
}

impl Look {
    fn values(&self) -> (LoopReport, Option<Needs>) {
        (self.recording.value(self.report), self.needs.map(|needs| self.recording.value(needs)))
    }
}
