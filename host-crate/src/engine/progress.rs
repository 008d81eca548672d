//! What a run of a loop took, and what the host sees of it while it runs.

use crate::{Error, Result, phase};
use evenkeel_types::LoopReport;
use std::time::Duration;

/// So many batches in a row may report the same: an iteration may be taken in pieces, of which there are fewer. A loop that does
/// longer will never end.
const MOST_SAME: u32 = 10_000;

/// The time and the final state of one run of a loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopRun {
    /// From the first submission until the result is ready on the device.
    pub total: Duration,
    /// The part of `total` in which the device was busy.
    pub kernel: Duration,
    /// What the loop's state says at the end.
    pub report: LoopReport,
    /// The bytes of the graph that were copied to the device meanwhile, where it is streamed.
    pub streamed_bytes: u64,
}

/// What the host has seen of a loop.
#[derive(Default)]
pub(super) struct Progress {
    report: LoopReport,
    /// How often it was the same.
    same: u32,
}

impl Progress {
    /// Takes what the device reports, and fails when the loop will never end.
    pub fn check(&mut self, report: LoopReport) -> Result<()> {
        if report.flags & LoopReport::STALLED != 0 {
            return Err(Error::Device(
                "the workgroups cannot synchronise: this device does not schedule all of them at once; \
                 use another strategy, or --device cpu"
                    .into(),
            ));
        }
        self.same = if report == self.report { self.same + 1 } else { 0 };
        self.report = report;
        if self.same > MOST_SAME {
            return Err(Error::Device(format!(
                "the loop does not go on: the device reports {} entries after {} iterations, again and again",
                report.frontier, report.iteration
            )));
        }
        phase::advance("iterations", report.iteration.into(), None);
        Ok(())
    }
}
