//! Shortest paths that take what is near first, and many iterations in one dispatch while the lists are short.

use super::{
    adaptive::LevelSize,
    prelude::*,
    rounds::{CooperationPlan, MAX_GROUPS},
};
use crate::{
    engine::{Order, Part, StreamedLoop, Streaming, row_classes},
    graph::Skew,
};
use evenkeel_kernels::{
    operator::Metric,
    strategy::near_far::{
        NearFar as Iteration, NearFarData, NearFarParams, NearFarState, PIECE,
        begin::NearFarStart,
        many_iterations::NearFarCooperating,
        needs::{NearFarNeeds, NearFarNeedsParams},
    },
};
use evenkeel_types::{UNREACHED, WORKGROUP};
use rayon::prelude::*;

/// The strategy `near-far`.
#[derive(Clone, Default)]
pub struct NearFar {
    /// By how much the distance grows up to which nodes are near; chosen from the graph where it is none.
    pub delta: Option<f64>,
}

/// Workgroups that take many iterations of a list of medium metric in one dispatch.
const COOPERATING: u32 = 128;

/// Rounds of a workgroup between two grid-wide barriers of the cooperating workgroups: a barrier takes as long as one or two rounds.
const ROUNDS: u32 = 32;

/// Rounds of a workgroup that runs alone.
const ROUNDS_OF_ONE: u32 = 64;

/// Davidson et al. take the mean weight times a warp's width for each edge of a node: then what is near keeps a GPU busy.
const WIDTH: f64 = 32.0;

/// Where frontiers are short, a GPU has invocations to spare, and fewer splits are faster.
const WIDE: f64 = 128.0;

/// With fewer edges than this an iteration costs its dispatch, whatever it relaxes, and the fewest iterations are fastest: nearly all nodes are
/// near then.
const SMALL: u64 = 1_000_000;

/// All that a search finds is found in the order of its distance, nearly: the threshold only keeps workgroups from going too far ahead.
const HOPS: f64 = 256.0;

/// What distances are made of.
pub(super) fn metric(operator: Operator) -> Metric {
    match operator {
        Operator::Bfs => Metric::Hops,
        Operator::SsspU32 => Metric::Whole,
        Operator::SsspF32 => Metric::Real,
    }
}

/// By how much the threshold grows, as the kernels read it; `given` is what was asked for.
fn delta(csr: &Csr, operator: Operator, given: Option<f64>, many: bool) -> u32 {
    let by_degree = |width: f64| csr.mean_weight() * width / csr.skew().mean.max(1.0);
    let is_small = csr.edges() < SMALL;
    let delta = given.unwrap_or_else(|| match operator {
        Operator::Bfs => HOPS,
        _ if many => by_degree(WIDE),
        _ if is_small => csr.mean_weight() * WIDTH,
        _ => by_degree(WIDTH),
    });
    match operator {
        Operator::SsspF32 => (delta as f32).to_bits(),
        // Saturates at u32::MAX.
        _ => delta as u32,
    }
}

impl Strategy for NearFar {
    fn about(&self) -> About {
        About::new(
            "near-far",
            "Davidson et al.",
            "what is near first; many iterations a dispatch while lists are short",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        Operator::ALL
    }

    /// Its kernels hand out no atoms that could be counted.
    fn is_counted(&self) -> bool {
        false
    }

    /// An iteration is no level.
    fn level_names(&self, _: &Device, _: &Csr, _: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "by how much the distance grows up to which nodes are near";
        let default = "from the mean weight and the degrees";
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
        let Skew { mean, .. } = csr.skew();
        let parts = &traversal.parts.list;
        let rounds = CooperationPlan::in_parts(device.info(), csr.skew(), &traversal.parts, COOPERATING);
        let CooperationPlan { medium, cooperating, loop_limit, .. } = rounds;
        let params = NearFarParams {
            nodes: csr.nodes(),
            max_groups: MAX_GROUPS,
            nodes_per_group: (f64::from(WORKGROUP) / mean.max(1.0)).ceil() as u32,
            delta: delta(csr, traversal.operator, self.delta, rounds.are_taken()),
            pieces: row_classes::pieces(csr, PIECE, PIECE).count() as u32,
            medium,
            cooperating,
            rounds: ROUNDS,
            rounds_of_one: ROUNDS_OF_ONE,
            loop_limit,
            target: traversal.target.unwrap_or(UNREACHED),
            rows: parts[0].rows,
        };
        let (graph, metric) = (&parts[0].graph, metric(traversal.operator));
        let (nodes, pieces) = (params.nodes as usize, params.pieces as usize);
        let searches = traversal.operator == Operator::Bfs;
        let data = &NearFarData {
            weights: traversal.data.weights.clone(),
            distances: traversal.data.values.clone(),
            marks: if searches { device.buffer("marks", nodes)? } else { traversal.data.marks.clone() },
            waiting: device.buffer("waiting", nodes.div_ceil(32))?,
            lists: device.buffer("lists", 4 * nodes)?,
            pieces: device.buffer("pieces of long rows", 4 * pieces)?,
        };
        let state = &device.buffer("state", 1)?;
        let start = |recorder: &mut Recorder| {
            recorder.fill(&data.distances, UNREACHED);
            recorder.fill(&data.marks, 0);
            recorder.fill(&data.waiting, 0);
            recorder.dispatch(&NearFarStart { graph, source: &traversal.source, data, state }, params, 1);
        };
        let many_iterations = |recorder: &mut Recorder| {
            let cooperating = NearFarCooperating { metric, graph, data, state };
            recorder.dispatch_indirect(&cooperating, params, state, NearFarState::COOPERATING_GROUPS);
        };
        let iteration = |recorder: &mut Recorder, part: &Part| {
            let (graph, data) = (&part.graph, &NearFarData { weights: part.weights.clone(), ..data.clone() });
            let (step, params) =
                (Iteration { metric, graph, data, state }, NearFarParams { rows: part.rows, ..params });
            recorder.dispatch_indirect(&step, params, state, NearFarState::GROUPS);
        };
        if traversal.parts.are_streamed() {
            let streaming = Streaming {
                start: &start,
                part: &|recorder, place| iteration(recorder, &traversal.parts.at(place)),
                end: &|recorder| iteration(recorder, &parts[0].at_end()),
                needs: Some(&|recorder, needed, needs| {
                    let params = NearFarNeedsParams { nodes: params.nodes, pieces: params.pieces, needs };
                    recorder.dispatch(&NearFarNeeds { data, state, needed }, params, nodes);
                }),
                arrays: &traversal.parts.arrays(),
                order: Order::Any,
            };
            return Ok(StreamedLoop::record(device, name, state, traversal.parts.rows(), &streaming)?.into());
        }
        rounds.record((device, name, state), start, many_iterations, |recorder| {
            parts.iter().for_each(|part| iteration(recorder, part));
        })
    }
}
