//! The loop that the device drives. Iterations are recorded in batches, once; inside a batch each iteration finds its size in
//! device memory, and iterations after the end cost a dispatch without work. The host only looks, between batches, whether the
//! worklist is empty.

use super::{
    StreamedLoop,
    progress::{LoopRun, Progress},
};
use crate::{
    Error, Result,
    device::{Buffer, Device, ReadBack, Recorder, Recording},
    phase,
};
use evenkeel_types::{LoopReport, LoopState};
use std::time::{Duration, Instant};

/// Iterations in each batch; all after these are as long as the last. Looking at the flag costs as much as a few empty iterations
/// (docs/measurements.md, "What things cost"). Most searches of skewed graphs are done after the first batch; on a long run the batches grow,
/// so that the looks cost little.
pub(crate) const BATCHES: [usize; 5] = [6, 6, 12, 24, 48];

const _: () = assert!(are_even(&BATCHES));

/// Whether all batches end as they began: each must, or worklists that iterations swap would be the wrong way round in the next.
const fn are_even(lengths: &[usize]) -> bool {
    let mut place = 0;
    while place < lengths.len() {
        if !lengths[place].is_multiple_of(2) {
            return false;
        }
        place += 1;
    }
    true
}

/// A loop that is ready to run.
pub struct DeviceLoop {
    kind: Kind,
}

enum Kind {
    Batches(Batches),
    /// Over a graph of which not all is on the device.
    Streamed(Box<StreamedLoop>),
}

struct Batch {
    length: usize,
    recording: Recording,
    report: ReadBack<LoopReport>,
}

/// The recordings of a loop.
struct Batches {
    /// The first batches that there are to choose from, which begin the loop: one at least, in ascending order of their lengths.
    first: Vec<Batch>,
    /// Those after it, one after the other, the last again and again. Without any, the first is all there is.
    then: Vec<Batch>,
    /// The one that the next run begins with. Runs of a loop are often alike, and iterations after the end cost time.
    next: usize,
    /// The shortest that may suffice, as far as is known.
    least: usize,
}

impl Batches {
    /// Chooses the first batch of the next run, after one that had `iterations` and for which the first batch did or did not suffice.
    fn choose(&mut self, sufficed: bool, iterations: u32) {
        if !sufficed {
            self.least = (self.next + 1).min(self.first.len() - 1);
            self.next = self.least;
        } else {
            let suffices = |place: &usize| self.first[*place].length >= iterations as usize;
            self.next = (self.least..self.next).find(suffices).unwrap_or(self.next);
        }
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

    /// Records a loop in batches of these lengths; a length may be odd if iterations do not swap buffers.
    pub(crate) fn record_in_batches<S: LoopState>(
        device: &Device,
        name: &str,
        state: &Buffer<S>,
        lengths: &[usize],
        start: impl Fn(&mut Recorder),
        iteration: impl Fn(&mut Recorder, bool),
    ) -> Result<Self> {
        let start = |recorder: &mut Recorder| {
            start(recorder);
            0
        };
        Self::record_with_choice(device, name, state, (&[], lengths), start, iteration)
    }

    /// Records a loop with a choice of the first batch: as long as the first of `lengths`, or one of the `shorter` ones, in ascending order, where that
    /// sufficed before. `start` returns how many of the batch's iterations it has recorded itself.
    pub(crate) fn record_with_choice<S: LoopState>(
        device: &Device,
        name: &str,
        state: &Buffer<S>,
        (shorter, lengths): (&[usize], &[usize]),
        start: impl Fn(&mut Recorder) -> usize,
        iteration: impl Fn(&mut Recorder, bool),
    ) -> Result<Self> {
        let batch = |&length: &usize, begins: bool| -> Result<Batch> {
            let mut read_back = None;
            let recording = device.record(&format!("{name}, {length} iterations"), |recorder| {
                let mut begun = 0;
                if begins {
                    recorder.label("start");
                    begun = start(recorder);
                }
                for number in begun..length {
                    recorder.label(format!("{name}, iteration {number} of the batch"));
                    iteration(recorder, number % 2 == 1);
                }
                read_back = Some(recorder.read_back(&state.report()));
            })?;
            let report = read_back.ok_or_else(|| Error::Device("a recording was not made".into()))?;
            Ok(Batch { length, recording, report })
        };
        let _phase = phase::begin("recording", name);
        let first =
            shorter.iter().chain(&lengths[..1]).map(|length| batch(length, true)).collect::<Result<Vec<_>>>()?;
        let then = lengths[1..].iter().map(|length| batch(length, false)).collect::<Result<_>>()?;
        Ok(Self { kind: Kind::Batches(Batches { next: first.len() - 1, first, then, least: 0 }) })
    }

    /// Runs from the start until the worklist is empty.
    pub fn run(&mut self) -> Result<LoopRun> {
        self.run_up_to(None)
    }

    /// Runs until the worklist is empty, or until the batch that contains iteration `limit` has ended.
    pub(crate) fn run_up_to(&mut self, limit: Option<u32>) -> Result<LoopRun> {
        let batches = match &mut self.kind {
            Kind::Batches(batches) => batches,
            Kind::Streamed(streamed) => return streamed.run_up_to(limit),
        };
        let goes_on = |report: LoopReport| report.frontier > 0 && limit.is_none_or(|limit| report.iteration < limit);
        let begin = Instant::now();
        let mut run =
            LoopRun { total: Duration::ZERO, kernel: Duration::ZERO, report: LoopReport::default(), streamed_bytes: 0 };
        let (mut place, mut progress) = (0, Progress::default());
        let last = batches.then.len();
        while place == 0 || goes_on(run.report) {
            let batch = match place.min(last) {
                0 => &mut batches.first[batches.next],
                place => &mut batches.then[place - 1],
            };
            run.kernel += batch.recording.run()?;
            run.report = batch.recording.value(batch.report);
            progress.check(run.report)?;
            place += 1;
        }
        run.total = begin.elapsed();
        batches.choose(place == 1, run.report.iteration);
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceOptions;
    use evenkeel_types::LoopHeader;
    use std::cell::RefCell;

    #[test]
    fn the_first_batch_counts_iterations_of_the_start() {
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let state: Buffer<LoopHeader> = device.buffer("state", 1).unwrap();
        // Batches of 1 and of 3 iterations with a start, and one of 2 without.
        for (begun, expected) in
            [(0, vec![false, false, true, false, false, true]), (1, vec![true, false, false, true])]
        {
            let recorded = RefCell::new(Vec::new());
            let iteration = |_: &mut Recorder, odd| recorded.borrow_mut().push(odd);
            DeviceLoop::record_with_choice(&device, "nothing", &state, (&[1], &[3, 2]), |_| begun, iteration).unwrap();
            assert_eq!(recorded.take(), expected);
        }
    }

    /// Batches of these lengths that do nothing.
    fn batches(shorter: &[usize], lengths: &[usize]) -> Batches {
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let state: Buffer<LoopHeader> = device.buffer("state", 1).unwrap();
        let choice = (shorter, lengths);
        let recorded = DeviceLoop::record_with_choice(&device, "nothing", &state, choice, |_| 0, |_, _| ()).unwrap();
        match recorded.kind {
            Kind::Batches(batches) => batches,
            Kind::Streamed(_) => panic!("it is not streamed"),
        }
    }

    /// The length of the first batch after runs that took so many iterations, each.
    fn chosen(batches: &mut Batches, runs: &[u32]) -> Vec<usize> {
        let run = |&iterations: &u32| {
            let sufficed = iterations as usize <= batches.first[batches.next].length;
            batches.choose(sufficed, iterations);
            batches.first[batches.next].length
        };
        runs.iter().map(run).collect()
    }

    #[test]
    fn the_first_batch_becomes_as_long_as_runs_are() {
        assert_eq!(chosen(&mut batches(&[4, 5], &[6, 12]), &[4, 4, 4, 4]), [4, 4, 4, 4]);
        assert_eq!(chosen(&mut batches(&[4, 5], &[6, 12]), &[5, 5, 5]), [5, 5, 5]);
        assert_eq!(chosen(&mut batches(&[4, 5], &[6, 12]), &[6, 20, 6]), [6, 6, 6]);
        assert_eq!(chosen(&mut batches(&[], &[6, 12]), &[1, 20, 1]), [6, 6, 6]);
    }

    #[test]
    fn a_first_batch_that_was_too_short_is_not_tried_again() {
        assert_eq!(chosen(&mut batches(&[4, 5], &[6, 12]), &[4, 4, 5, 4, 4, 6, 4]), [4, 4, 5, 5, 5, 6, 6]);
    }
}
