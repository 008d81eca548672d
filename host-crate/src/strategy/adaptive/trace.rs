//! The levels of a search that was run: what each had to do, the variant it was searched, and how long that took.

use crate::{
    Error, Result,
    device::{Device, profile::Span},
    graph::Csr,
    strategy::{Strategy, adaptive::LevelSize},
};
use std::time::Duration;

/// A level as it was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedLevel {
    /// What it had to do.
    pub size: LevelSize,
    /// What searched the level, as the strategy names it.
    pub implementation: String,
    /// How long the device took.
    pub time: Duration,
}

/// What each level has to do, from the depths of all nodes.
pub fn level_sizes(csr: &Csr, depths: &[u32]) -> Vec<LevelSize> {
    let mut levels: Vec<LevelSize> = Vec::new();
    for (node, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth != u32::MAX) {
        levels.resize(levels.len().max(depth as usize + 1), LevelSize::default());
        let level = &mut levels[depth as usize];
        level.frontier += 1;
        level.edges += csr.degree(node as u32);
    }
    let mut discovered = 0;
    for level in &mut levels {
        discovered += level.frontier;
        level.discovered = discovered;
    }
    levels
}

/// The levels of the last of the runs that left `spans`, on a device that was opened with `profile`; `depths` is what they found.
///
/// # Errors
/// When the strategy does not go level by level, or the spans are of something else.
pub fn trace(
    device: &Device,
    csr: &Csr,
    strategy: &dyn Strategy,
    depths: &[u32],
    spans: &[Span],
) -> Result<Vec<TracedLevel>> {
    let level_sizes = level_sizes(csr, depths);
    let times = iterations_after_start(spans);
    // A search may end with the iteration that finds the last level, which then takes no time of its own.
    let names = strategy.level_names(device, csr, &level_sizes)?.filter(|_| times.len() + 1 >= level_sizes.len());
    let implementations = names.ok_or_else(|| {
        let name = strategy.about().name;
        Error::Usage(format!("strategy {name} does not record its levels; adaptive does"))
    })?;
    let level = |((size, implementation), time)| TracedLevel { size, implementation, time };
    let times = times.into_iter().chain([Duration::ZERO]);
    Ok(level_sizes.into_iter().zip(implementations).zip(times).map(level).collect())
}

/// The time of each step of the loop in the last of `runs` that left these spans; none where a run is more than one loop.
pub(crate) fn step_times(spans: &[Span], runs: usize) -> Vec<Duration> {
    let steps: Vec<&Span> = spans.iter().filter(|span| span.on_device).collect();
    let starts: Vec<usize> = (0..steps.len()).filter(|&at| steps[at].label.starts_with("start")).collect();
    if starts.iter().any(|&at| is_iteration(steps[at])) {
        // Each run has as many of these spans. They are counted because a run may have no others, and the next follows at once.
        let of_run = starts.len() / runs.max(1);
        let is_whole = of_run > 0 && of_run * runs == starts.len();
        return if is_whole { iterations(&steps[starts[starts.len() - of_run]..]) } else { Vec::new() };
    }
    let loops = steps.chunk_by(|a, b| a.label == b.label).filter(|steps| steps[0].label == "start").count();
    if loops == runs { iterations_after_start(spans) } else { Vec::new() }
}

fn is_iteration(step: &Span) -> bool {
    step.label.contains("iteration")
}

/// The time of each iteration after the last start.
fn iterations_after_start(spans: &[Span]) -> Vec<Duration> {
    let steps: Vec<&Span> = spans.iter().filter(|span| span.on_device).collect();
    let after_start = steps.iter().rposition(|span| span.label == "start").map_or(0, |start| start + 1);
    iterations(&steps[after_start..])
}

/// The time of each iteration: of the spans in a row with the same label.
fn iterations(steps: &[&Span]) -> Vec<Duration> {
    let steps: Vec<&Span> = steps.iter().copied().filter(|span| span.name != "read back").collect();
    let iterations = steps.chunk_by(|a, b| a.label == b.label).filter(|steps| is_iteration(steps[0]));
    iterations.map(|steps| steps.iter().map(|span| span.duration).sum()).collect()
}
