//! The threshold above which nodes are taken in pieces, chosen on the device from a histogram of the degrees.
//! [`Splitting`](crate::graph::Splitting) computes the same on the host, for memory plans.

use super::prelude::*;
pub use evenkeel_kernels::strategy::threshold::MAX_BINS;
use evenkeel_kernels::strategy::threshold::{
    ChooseThreshold, CountPieces, DegreeHistogram, LargestDegree, Threshold, ThresholdParams,
};

/// The bins of the histogram of degrees unless others are asked for: the paper's.
pub const DEFAULT_BINS: u32 = 10;

/// The setting of both strategies that split nodes.
pub(super) fn bins_key(bins: &mut u32) -> Key<'_> {
    let about = "bins of the degrees' histogram, which says how many edges are one piece";
    Key::option("bins", about, bins).within(1, MAX_BINS)
}

/// The memory that choosing takes.
pub(super) fn plan(bins: u32) -> MemoryPlan {
    MemoryPlan::new().with::<Threshold>("threshold", 1).with::<u32>("histogram", bins as usize)
}

/// Chooses the threshold for a graph, and leaves it on the device too.
pub(super) fn choose(device: &Device, graph: &DeviceGraph, bins: u32) -> Result<(Threshold, Buffer<Threshold>)> {
    let threshold = &device.buffer::<Threshold>("threshold", 1)?;
    let histogram = &device.buffer("histogram", bins as usize)?;
    let (row_offsets, nodes) = (&graph.row_offsets, graph.nodes() as usize);
    let params = ThresholdParams { nodes: graph.nodes(), bins };
    let mut chosen = None;
    let mut recording = device.record("threshold of degrees", |recorder| {
        recorder.fill(&threshold.cast(), 0);
        recorder.fill(histogram, 0);
        recorder.dispatch(&LargestDegree { row_offsets, threshold }, params, nodes);
        recorder.dispatch(&DegreeHistogram { row_offsets, threshold, histogram }, params, nodes);
        recorder.dispatch(&ChooseThreshold { histogram, threshold }, params, 1);
        recorder.dispatch(&CountPieces { row_offsets, threshold }, params, nodes);
        chosen = Some(recorder.read_back(threshold));
    })?;
    phase::during("finding the threshold of degrees", || recording.run())?;
    let chosen = chosen.ok_or_else(|| crate::Error::Device("a recording was not made".into()))?;
    Ok((recording.value(chosen), threshold.clone()))
}
