//! The loop that the device drives. Iterations are recorded in batches, once; inside a batch each iteration's size is read
//! from device memory, and iterations after the end cost an empty dispatch. The host only looks, between batches, whether the
//! worklist is empty.

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
    /// One after the other, the last again and again; there is one at least.
    batches: Vec<Batch>,
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
        Ok(Self { batches: lengths.iter().enumerate().map(batch).collect::<Result<_>>()? })
    }

    /// Runs from the start until the worklist is empty.
    pub fn run(&mut self) -> Result<LoopRun> {
        self.run_up_to(None)
    }

    /// The same, but for iterations after a limit, which are left out as far as they are whole batches.
    pub(crate) fn run_up_to(&mut self, limit: Option<u32>) -> Result<LoopRun> {
        let goes_on = |header: LoopHeader| header.frontier > 0 && limit.is_none_or(|limit| header.iteration < limit);
        let begin = Instant::now();
        let mut run = LoopRun { total: Duration::ZERO, kernel: Duration::ZERO, header: LoopHeader::default() };
        let (mut place, mut same, last) = (0, 0, self.batches.len() - 1);
        while place == 0 || goes_on(run.header) {
            let batch = &mut self.batches[place.min(last)];
            run.kernel += batch.recording.run()?;
            let before = std::mem::replace(&mut run.header, batch.recording.value(batch.header));
            if run.header.flags & LoopHeader::STALLED != 0 {
                return Err(Error::Device(
                    "workgroups wait for each other in vain: this device does not let each go on that has begun; \
                     take another strategy, or --device cpu"
                        .into(),
                ));
            }
            same = if run.header == before { same + 1 } else { 0 };
            if same > MOST_SAME {
                return Err(Error::Device(format!(
                    "the loop does not go on: the device reports {} entries after {} iterations, again and again",
                    run.header.frontier, run.header.iteration
                )));
            }
            phase::advance("iterations", run.header.iteration.into(), None);
            place += 1;
        }
        run.total = begin.elapsed();
        Ok(run)
    }
}
