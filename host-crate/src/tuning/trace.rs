//! The levels of a search that was run: what each had to do, the way it was searched, and how long that took.

use crate::strategy::adaptive::{Features, GraphFeatures, Implementation, Model, Moment, Way};
use crate::{
    Error, Result,
    device::{Device, profile::Span},
    graph::Csr,
    strategy::Tuning,
};
use std::time::Duration;

/// A level as it was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedLevel {
    /// What it had to do.
    pub moment: Moment,
    /// The way, or the strategy where that is no way of this module.
    pub implementation: String,
    /// How long the device took.
    pub time: Duration,
}

/// What each level has to do, from the depths of all nodes.
pub fn moments(csr: &Csr, depths: &[u32]) -> Vec<Moment> {
    let mut levels: Vec<Moment> = Vec::new();
    for (node, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth != u32::MAX) {
        let nothing = Moment { frontier: 0, discovered: 0, edges: 0 };
        levels.resize(levels.len().max(depth as usize + 1), nothing);
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
    (strategy, tuning): (&str, &Tuning),
    depths: &[u32],
    spans: &[Span],
) -> Result<Vec<TracedLevel>> {
    let moments = moments(csr, depths);
    let times = iterations(spans);
    if times.len() < moments.len() || strategy == "hierarchical" {
        return Err(Error::Usage(format!(
            "strategy {strategy} does not go level by level, so there are none to write"
        )));
    }
    let implementations = implementations(device, csr, strategy, tuning, &moments)?;
    let level = |((moment, implementation), time)| TracedLevel { moment, implementation, time };
    Ok(moments.into_iter().zip(implementations).zip(times).map(level).collect())
}

/// The time of each iteration after the last start.
fn iterations(spans: &[Span]) -> Vec<Duration> {
    let steps: Vec<&Span> = spans.iter().filter(|span| span.on_device && span.name != "read back").collect();
    let after_start = steps.iter().rposition(|span| span.label == "start").map_or(0, |start| start + 1);
    let of_iteration = |first: &&Span, second: &&Span| first.label == second.label;
    let iterations = steps[after_start..].chunk_by(of_iteration).filter(|steps| steps[0].label.contains("iteration"));
    iterations.map(|steps| steps.iter().map(|span| span.duration).sum()).collect()
}

/// What each level was searched by. An adaptive search has chosen as its model does, which is all that it goes by.
fn implementations(
    device: &Device,
    csr: &Csr,
    strategy: &str,
    tuning: &Tuning,
    moments: &[Moment],
) -> Result<Vec<String>> {
    if strategy != "adaptive" {
        let implementation =
            Implementation::TOPOLOGY_DRIVEN.into_iter().find(|implementation| implementation.name() == strategy);
        let way = implementation.map(|implementation| Way { implementation, count: tuning.count() }.to_string());
        return Ok(vec![way.unwrap_or_else(|| strategy.to_owned()); moments.len()]);
    }
    let model = tuning.model.map_or_else(|| Model::of_device(device.info()), |model| Ok(model.clone()))?;
    let graph = GraphFeatures::of(csr);
    let mut way = model.family().first();
    let choose = |moment: &Moment| {
        way = model.choose(&Features::of(&graph, *moment)).unwrap_or(way);
        way.to_string()
    };
    Ok(moments.iter().map(choose).collect())
}
