//! The loop that the device drives. Iterations are recorded in batches, once; inside a batch each iteration's size is read
//! from device memory, and iterations after the end cost an empty dispatch. The host only looks, between batches, whether the
//! worklist is empty.

use super::StreamedLoop;
use crate::{
    Error, Result,
    device::{Buffer, Device, ReadBack, Recorder, Recording},
    phase,
};
use evenkeel_types::{LoopHeader, LoopState};
use std::time::{Duration, Instant};

/// Iterations in each batch; all after these are as long as the last. Looking at the flag costs as much as a few empty iterations
/// (docs/measurements.md, "What things cost"). Most searches of skewed graphs are done after the first batch; on a long run the batches grow,
/// so that the looks cost little.
pub(crate) const BATCHES: [usize; 5] = [6, 6, 12, 24, 48];

// A batch must end as it began, or the worklists would be swapped.
const _: () = assert!((BATCHES[0] | BATCHES[1] | BATCHES[2] | BATCHES[3] | BATCHES[4]).is_multiple_of(2));

/// So many batches in a row may leave the header as it is: an iteration may be taken in pieces, of which there are fewer. A loop that does
/// longer will never end.
const MOST_SAME: u32 = 10_000;

/// A loop that is ready to run.
pub struct DeviceLoop {
    kind: Kind,
}

enum Kind {
    /// One after the other, the last again and again; there is one at least.
    Batches(Vec<Batch>),
    /// Over a graph of which not all is on the device.
    Streamed(Box<StreamedLoop>),
}

struct Batch {
    recording: Recording,
    header: ReadBack<LoopHeader>,
}

/// What one run of a loop took.
#[derive(Clone, Copy, Debug)]
pub struct LoopRun {
    /// From the first submission until the result is ready on the device.
    pub total: Duration,
    /// What of that the device was busy.
    pub kernel: Duration,
    /// The header of the loop's state at the end.
    pub header: LoopHeader,
    /// The bytes of the graph that were copied to the device meanwhile, where it is streamed.
    pub streamed_bytes: u64,
}

/// What the host has seen of a loop.
#[derive(Default)]
pub(super) struct Progress {
    header: LoopHeader,
    /// How often it was the same.
    same: u32,
}

impl Progress {
    /// Takes the header that the device reports, and fails when the loop will never end.
    pub fn check(&mut self, header: LoopHeader) -> Result<()> {
        if header.flags & LoopHeader::STALLED != 0 {
            return Err(Error::Device(
                "workgroups wait for each other in vain: this device does not let each go on that has begun; \
                 take another strategy, or --device cpu"
                    .into(),
            ));
        }
        self.same = if header == self.header { self.same + 1 } else { 0 };
        self.header = header;
        if self.same > MOST_SAME {
            return Err(Error::Device(format!(
                "the loop does not go on: the device reports {} entries after {} iterations, again and again",
                header.frontier, header.iteration
            )));
        }
        phase::advance("iterations", header.iteration.into(), None);
        Ok(())
    }
}

impl From<StreamedLoop> for DeviceLoop {
    fn from(streamed: StreamedLoop) -> Self {
        Self { kind: Kind::Streamed(Box::new(streamed)) }
    }
}

impl DeviceLoop {
    /// Records `start` once and `iteration` again and again. An iteration is told whether its number is odd, so that it can
    /// swap its worklists.
    pub fn record<S: LoopState>(
        device: &Device,
        name: &str,
        state: &Buffer<S>,
        start: impl Fn(&mut Recorder),
        iteration: impl Fn(&mut Recorder, bool),
    ) -> Result<Self> {
        Self::record_in_batches(device, name, state, &BATCHES, start, iteration)
    }

    /// The same in batches of other lengths; one may be odd if an iteration does not swap.
    pub(crate) fn record_in_batches<S: LoopState>(
        device: &Device,
        name: &str,
        state: &Buffer<S>,
        lengths: &[usize],
        start: impl Fn(&mut Recorder),
        iteration: impl Fn(&mut Recorder, bool),
    ) -> Result<Self> {
        let batch = |(place, &length): (usize, &usize)| -> Result<Batch> {
            let mut read_back = None;
            let recording = device.record(&format!("{name}, {length} iterations"), |recorder| {
                if place == 0 {
                    recorder.label("start");
                    start(recorder);
                }
                for number in 0..length {
                    recorder.label(format!("{name}, iteration {number} of the batch"));
                    iteration(recorder, number % 2 == 1);
                }
                read_back = Some(recorder.read_back(&state.header()));
            })?;
            let header = read_back.ok_or_else(|| Error::Device("a recording was not made".into()))?;
            Ok(Batch { recording, header })
        };
        let _phase = phase::begin("recording", name);
        Ok(Self { kind: Kind::Batches(lengths.iter().enumerate().map(batch).collect::<Result<_>>()?) })
    }

    /// Runs from the start until the worklist is empty.
    pub fn run(&mut self) -> Result<LoopRun> {
        self.run_up_to(None)
    }

    /// The same, but for iterations after a limit, which are left out as far as they are whole batches.
    pub(crate) fn run_up_to(&mut self, limit: Option<u32>) -> Result<LoopRun> {
        let batches = match &mut self.kind {
            Kind::Batches(batches) => batches,
            Kind::Streamed(streamed) => return streamed.run_up_to(limit),
        };
        let goes_on = |header: LoopHeader| header.frontier > 0 && limit.is_none_or(|limit| header.iteration < limit);
        let begin = Instant::now();
        let mut run =
            LoopRun { total: Duration::ZERO, kernel: Duration::ZERO, header: LoopHeader::default(), streamed_bytes: 0 };
        let (mut place, mut progress, last) = (0, Progress::default(), batches.len() - 1);
        while place == 0 || goes_on(run.header) {
            let batch = &mut batches[place.min(last)];
            run.kernel += batch.recording.run()?;
            run.header = batch.recording.value(batch.header);
            progress.check(run.header)?;
            place += 1;
        }
        run.total = begin.elapsed();
        Ok(run)
    }
}
