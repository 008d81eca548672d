//! Shortest paths by delta-stepping without lists: every iteration sweeps over all nodes, or over a bitmap of those whose distances fell.

use super::{prelude::*, rounds::MAX_GROUPS};
use crate::{
    engine::{Order, Part, StreamedLoop, Streaming, edge_shift, row_classes},
    graph::Weights,
};
use evenkeel_kernels::strategy::sweep::{
    BLOCK, PIECE, Sweep as SweepAll, SweepData, SweepDue, SweepEnd, SweepParams, SweepStart, SweepState,
};
use evenkeel_types::UNREACHED;
use rayon::prelude::*;

/// The strategy `sweep`.
#[derive(Clone, Default)]
pub struct Sweep {
    /// The width of a bucket; chosen from the graph where it is none.
    pub delta: Option<f64>,
}

/// A bucket as wide as the mean weight times this: wider ones relax more edges in vain, and narrower ones take more iterations.
const WIDTH: f64 = 4.0;

/// The first bucket of a skewed graph is as wide as the mean weight times this, divided by the mean degree. Most nodes have short paths over the
/// hubs, which have most of the edges: in a narrow bucket hubs have their final distances before their edges are relaxed.
const FIRST_WIDTH: f64 = 4.0;

/// Pairs of dispatches in each batch: a search of a skewed graph takes about ten, of a random one about forty.
const BATCHES: [usize; 3] = [12, 28, 16];

impl Strategy for Sweep {
    fn about(&self) -> About {
        About::new(
            "sweep",
            "Meyer and Sanders; Chakaravarthy et al.",
            "delta-stepping without lists; edges that leave the bucket once, from the side that has fewer",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::SsspU32, Operator::SsspF32]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "the width of a bucket";
        let default = "the mean weight times 4; of a skewed graph the first is narrower";
        vec![Key::optional("delta", about, default, &mut self.delta).within(0, f64::INFINITY)]
    }

    fn takes_partitions(&self) -> bool {
        true
    }

    /// A workgroup shares the edges of its rows.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::longest_row(csr)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let csr = &traversal.csr;
        let (mean, skew) = (csr.mean_weight(), csr.skew());
        let delta = self.delta.unwrap_or(mean * WIDTH);
        let first_delta = match self.delta {
            None if skew.has_hubs() => delta.min(mean * FIRST_WIDTH / skew.mean),
            _ => delta,
        };
        let width = |delta: f64| match csr.weights() {
            Weights::F32(_) => (delta as f32).to_bits(),
            // Saturates at u32::MAX.
            _ => delta as u32,
        };
        let pieces: Vec<[u32; 2]> = row_classes::pieces(csr, PIECE, PIECE).collect();
        let params = SweepParams {
            nodes: csr.nodes(),
            pieces: pieces.len() as u32,
            groups: MAX_GROUPS.min(csr.nodes().div_ceil(BLOCK) + pieces.len() as u32),
            delta: width(delta),
            first_delta: width(first_delta),
            mirrored: csr.has_symmetric_weights().into(),
            target: traversal.target.unwrap_or(UNREACHED),
            edge_shift: edge_shift(csr),
            rows: traversal.parts.list[0].rows,
        };
        let path = traversal.path();
        let data = &SweepData {
            weights: traversal.data.weights.clone(),
            distances: traversal.data.values.clone(),
            due: device.buffer("due nodes", 3 * params.words() as usize)?,
            pieces: device.buffer_from("pieces of long rows", pieces.as_flattened())?,
        };
        let state = &device.buffer("state", 1)?;
        let start = |recorder: &mut Recorder| {
            recorder.fill(&data.distances, UNREACHED);
            recorder.fill(&data.due, 0);
            let start = SweepStart { source: &traversal.source, distances: &data.distances, state };
            recorder.dispatch(&start, params, 1);
        };
        let data_of = |part: &Part| SweepData { weights: part.weights.clone(), ..data.clone() };
        let params_of = |part: &Part| SweepParams { rows: part.rows, ..params };
        // The state says which of the two takes the nodes of an iteration.
        let due = |recorder: &mut Recorder, part: &Part| {
            let due = SweepDue { path, graph: &part.graph, data: &data_of(part), state };
            recorder.dispatch_in_loop(&due, params_of(part), state, SweepState::DUE_GROUPS, params.groups);
        };
        let all = |recorder: &mut Recorder, part: &Part| {
            let all = SweepAll { path, graph: &part.graph, data: &data_of(part), state };
            recorder.dispatch_in_loop(&all, params_of(part), state, SweepState::GROUPS, params.groups);
        };
        let parts = &traversal.parts;
        if parts.are_streamed() {
            let end = &|recorder: &mut Recorder| {
                let part = parts.list[0].at_end();
                let end = SweepEnd { path, graph: &part.graph, data: &data_of(&part), state };
                recorder.dispatch(&end, params_of(&part), 1);
            };
            let part = &|recorder: &mut Recorder, place| {
                let part = parts.at(place);
                due(recorder, &part);
                all(recorder, &part);
            };
            let (arrays, order) = (&parts.arrays()[..], Order::Any);
            let streaming = Streaming { start: &start, part, end, needs: None, arrays, order };
            return Ok(StreamedLoop::record(device, name, state, parts.rows(), &streaming)?.into());
        }
        DeviceLoop::record_in_batches(device, name, state, &BATCHES, start, |recorder, _| {
            // One after the other, so that both can take an iteration.
            parts.list.iter().for_each(|part| due(recorder, part));
            parts.list.iter().for_each(|part| all(recorder, part));
        })
    }
}
