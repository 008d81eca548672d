//! The threshold above which nodes are taken in pieces, chosen on the device from a histogram of the degrees.
//! [`Splitting`] computes the same on the host, for memory plans.

use super::prelude::*;
use crate::{
    graph::{Limit, Splitting},
    phase,
};
pub use evenkeel_kernels::strategy::threshold::MAX_BINS;
use evenkeel_kernels::strategy::threshold::{
    ChooseThreshold, CountPieces, DegreeHistogram, LargestDegree, Threshold, ThresholdParams,
};
use std::num::NonZeroU32;

/// The bins of the histogram of degrees unless others are asked for: the paper's.
pub const DEFAULT_BINS: u32 = 10;

/// The setting of both strategies that split nodes.
pub(super) fn bins_key(bins: &mut u32) -> Key<'_> {
    let about = "bins of the degrees' histogram, which says how many edges are one piece";
    Key::option("bins", about, bins).within(1, MAX_BINS)
}

/// The other setting of both: the threshold itself.
pub(super) fn mdt_key(mdt: &mut Option<u32>) -> Key<'_> {
    let about = "the most edges of a piece";
    Key::optional("mdt", about, "from the histogram", mdt).within(1, u32::MAX)
}

/// What the two settings mean.
pub(super) fn limit(bins: u32, mdt: Option<u32>) -> Limit {
    Limit::new(bins, mdt.and_then(NonZeroU32::new))
}

/// The bins of the histogram; one where none is made, for a buffer has a size.
fn bins(limit: Limit) -> u32 {
    match limit {
        Limit::Bins(bins) => bins,
        Limit::Given(_) => 1,
    }
}

/// What the kernels are told.
pub(super) fn params(nodes: u32, limit: Limit) -> ThresholdParams {
    let given = match limit {
        Limit::Bins(_) => 0,
        Limit::Given(most) => most.get(),
    };
    ThresholdParams { nodes, bins: bins(limit), given }
}

/// Chooses the threshold for a graph, and leaves it on the device too.
pub(super) fn choose(
    device: &Device,
    csr: &Csr,
    graph: &DeviceGraph,
    limit: Limit,
) -> Result<(Threshold, Buffer<Threshold>)> {
    let threshold = &device.buffer::<Threshold>("threshold", 1)?;
    let histogram = &device.buffer("histogram", bins(limit) as usize)?;
    if device.is_planner() {
        let Splitting { nodes_after, nodes_split, .. } =
            phase::during("counting the pieces of nodes", || Splitting::of(csr, limit));
        let counts = Threshold { pieces: nodes_after as u32, split_nodes: nodes_split as u32, ..Threshold::default() };
        return Ok((counts, threshold.clone()));
    }
    let (row_offsets, nodes) = (&graph.row_offsets, graph.nodes() as usize);
    let params = params(graph.nodes(), limit);
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
    device.during("finding the threshold of degrees", || recording.run())?;
    let chosen = chosen.ok_or_else(|| crate::Error::Device("a recording was not made".into()))?;
    Ok((recording.value(chosen), threshold.clone()))
}
