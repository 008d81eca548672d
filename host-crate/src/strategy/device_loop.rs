//! The loop that the device drives. Iterations are recorded in batches, once; inside a batch each iteration's size is read
//! from device memory, and iterations after the end cost an empty dispatch. The host only looks, between batches, whether the
//! worklist is empty.

use crate::{
    Result,
    device::{Buffer, Device, ReadBack, Recorder, Recording},
};
use evenkeel_types::Control;
use std::time::{Duration, Instant};

/// Iterations in the first batch: most skewed graphs are done by then, and an empty iteration costs 3 µs on an H200.
pub(super) const FIRST: usize = 8;
/// Iterations in each later batch: on an H200 looking at the flag costs 14 µs, so a level pays a quarter of a microsecond.
pub(super) const MORE: usize = 64;

/// A loop that is ready to run.
pub struct DeviceLoop {
    /// One after the other, the last again and again; there is one at least.
    batches: Vec<Batch>,
}

struct Batch {
    recording: Recording,
    control: ReadBack<Control>,
}

/// What one run of a loop took.
#[derive(Clone, Copy, Debug)]
pub struct LoopRun {
    /// From the first submission until the result is ready on the device.
    pub total: Duration,
    /// What of that the device was busy.
    pub kernel: Duration,
    /// The control block at the end.
    pub control: Control,
}

impl DeviceLoop {
    /// Records `start` once and `iteration` again and again. An iteration is told whether its number is odd, so that it can
    /// swap its worklists.
    ///
    /// # Errors
    /// When the device fails.
    pub fn record(
        device: &Device,
        name: &str,
        control: &Buffer<Control>,
        start: impl Fn(&mut Recorder),
        iteration: impl Fn(&mut Recorder, bool),
    ) -> Result<Self> {
        const {
            assert!(
                FIRST.is_multiple_of(2) && MORE.is_multiple_of(2),
                "a batch must end as it began, or the worklists would be swapped"
            )
        };
        Self::record_in_batches(device, name, control, &[FIRST, MORE], start, iteration)
    }

    /// The same in batches of other lengths, the last of them again and again; one may be odd if an iteration does not swap.
    pub(super) fn record_in_batches(
        device: &Device,
        name: &str,
        control: &Buffer<Control>,
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
                read_back = Some(recorder.read_back(control));
            })?;
            let control = read_back.ok_or_else(|| crate::Error::Device("a recording was not made".into()))?;
            Ok(Batch { recording, control })
        };
        Ok(Self { batches: lengths.iter().enumerate().map(batch).collect::<Result<_>>()? })
    }

    /// Runs from the start until the worklist is empty.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self) -> Result<LoopRun> {
        let begin = Instant::now();
        let (mut kernel, mut place) = (Duration::ZERO, 0);
        loop {
            let batch = &mut self.batches[place];
            kernel += batch.recording.run()?;
            let control = batch.recording.value(batch.control);
            if control.frontier == 0 {
                return Ok(LoopRun { total: begin.elapsed(), kernel, control });
            }
            place = (place + 1).min(self.batches.len() - 1);
        }
    }
}
