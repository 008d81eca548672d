//! Where the time of the timed runs went, for runs whose steps the device timed one by one, and what each buffer took.

use crate::{
    device::{
        memory::MemoryPlan,
        profile::{KernelTimes, Span},
    },
    strategy::adaptive::{LevelSize, step_times},
};
use serde::Serialize;
use std::time::Duration;

/// A buffer on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferReport {
    /// What it holds.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// The buffers of a plan.
pub fn buffers(plan: &MemoryPlan) -> Vec<BufferReport> {
    plan.buffers.iter().map(|(name, bytes)| BufferReport { name: name.clone(), bytes: *bytes }).collect()
}

/// What the device did in the timed runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profile {
    /// The kernels of all timed runs, the one that took the most time first.
    pub kernels: Vec<KernelReport>,
    /// The device time of each step of the loop in the last run, in milliseconds: of an iteration, or of several where a strategy
    /// goes on in the same dispatch. Empty for what is more than one loop.
    pub steps_ms: Vec<f64>,
    /// What each level of a search had to do; empty for other algorithms.
    pub levels: Vec<LevelSize>,
}

/// The time of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelReport {
    /// The kernel, or `fill`, `copy`, `read back`.
    pub name: String,
    /// How often it ran.
    pub calls: u64,
    /// All calls together.
    pub total_ms: f64,
    /// The share of all device time, between 0 and 1.
    pub share: f64,
}

impl Profile {
    /// What the spans of some runs, of which the last took so many iterations, say.
    pub fn new(spans: &[Span], runs: usize, iterations: u32, levels: Vec<LevelSize>) -> Self {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let kernels = KernelTimes::from_spans(spans).kernels.into_iter().map(|kernel| KernelReport {
            name: kernel.name,
            calls: kernel.calls,
            total_ms: milliseconds(kernel.total),
            share: kernel.share,
        });
        // A loop is recorded in batches, the last of which may have steps that find nothing left to do.
        let steps = step_times(spans, runs).into_iter().take(iterations as usize);
        Self { kernels: kernels.collect(), steps_ms: steps.map(milliseconds).collect(), levels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(name: &str, label: &str, microseconds: u64) -> Span {
        let duration = Duration::from_micros(microseconds);
        Span { name: name.into(), label: label.into(), start: Duration::ZERO, duration, on_device: true }
    }

    fn run() -> Vec<Span> {
        vec![
            span("fill", "start", 10),
            span("step", "bfs, iteration 0 of the batch", 100),
            span("scan", "bfs, iteration 0 of the batch", 50),
            span("step", "bfs, iteration 1 of the batch", 30),
            span("step", "bfs, iteration 2 of the batch", 10),
            span("read back", "", 5),
        ]
    }

    #[test]
    fn steps_are_those_of_the_last_run() {
        let mut spans = run();
        spans.extend(run());
        let profile = Profile::new(&spans, 2, 2, Vec::new());
        let microseconds: Vec<f64> = profile.steps_ms.iter().map(|time| (time * 1e3).round()).collect();
        assert_eq!(microseconds, [150.0, 30.0]);
        assert_eq!((profile.kernels[0].name.as_str(), profile.kernels[0].calls), ("step", 6));
        assert!((profile.kernels.iter().map(|kernel| kernel.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_start_may_be_the_first_iteration() {
        let start = |microseconds| span("step", "start, iteration 0", microseconds);
        let next = span("step", "color, iteration 1 of the batch", 7);
        let steps = |spans: &[Span], runs: usize, iterations: u32| -> Vec<f64> {
            let steps = Profile::new(spans, runs, iterations, Vec::new()).steps_ms;
            steps.into_iter().map(|time| (time * 1e3).round()).collect()
        };
        assert_eq!(steps(&[start(30), start(20)], 2, 1), [20.0]);
        assert_eq!(steps(&[start(30), next.clone(), start(20), next.clone()], 2, 2), [20.0, 7.0]);
        assert_eq!(steps(&[start(30), start(20), next], 2, 2), [20.0, 7.0]);
        // Of a graph in two partitions.
        assert_eq!(steps(&[start(30), start(1), start(20), start(2)], 2, 1), [22.0]);
        assert_eq!(steps(&[start(30), start(1), start(20)], 2, 1), [0.0; 0]);
    }

    #[test]
    fn what_is_more_than_one_loop_has_no_steps() {
        let mut spans = run();
        spans.extend(run());
        assert_eq!(Profile::new(&spans, 1, 2, Vec::new()).steps_ms, [0.0; 0]);
    }
}
